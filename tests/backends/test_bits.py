"""The same bits for the same prompt, whatever else is judged and however much is written at once.

Random weights of every number format a CPU has a kernel of its own for, and of every kind of memory.
"""

from collections.abc import Callable, Iterator
from functools import partial
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from judgecli.backends.llama_cpp import LlamaCppBackend
from judgecli.backends.llama_cpp.writing import Continuation, Writer, Written
from judgecli.types import EngineOptions, Order, Piece, Prompt, Request, VerdictPlace
from tests.backends.asking import BETTER, by_key, requests_for
from tests.decoding import needs_llama_cpp
from tests.random_models import write_hybrid, write_llama, write_recurrent, write_sliding_window

pytestmark = needs_llama_cpp

MODELS: dict[str, Callable[[Path], Path]] = {
    **{f"llama-{kind}": partial(write_llama, type=kind) for kind in ("F32", "F16", "Q8_0", "Q4_0", "Q4_1")},
    **{f"window-{kind}": partial(write_sliding_window, type=kind) for kind in ("F16", "Q4_0")},
    "recurrent": write_recurrent,
    "hybrid": write_hybrid,
}
REASONS = 6


@pytest.fixture(scope="module", params=MODELS)
def weights(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return MODELS[request.param](tmp_path_factory.mktemp("weights") / f"{request.param}.gguf")


def asked(n_reason_tokens: int = REASONS) -> list[Request]:
    return requests_for(4, n_reason_tokens=n_reason_tokens)


def concluded() -> list[Request]:
    """Requests whose verdict is read in the middle of the text that is written first."""
    place = {"place": VerdictPlace.LAST, "locate": lambda text: len(text) // 2}
    return requests_for(4, item="last", n_reason_tokens=REASONS, **place)


def begun() -> list[Request]:
    """Requests whose verdict is begun after the text."""
    place = {"place": VerdictPlace.LAST, "conclusion": '\nSo the better one is answer "'}
    return requests_for(4, item="begun", n_reason_tokens=REASONS, **place)


def mixed() -> list[Request]:
    return [one for three in zip(asked(), concluded(), begun(), strict=True) for one in three]


def opened(weights: Path, *, n_ctx: int = 768, **engine: Any) -> LlamaCppBackend:
    return LlamaCppBackend(weights, n_ctx=n_ctx, engine=EngineOptions(**engine), writes_reasons=True)


Bits = dict[tuple[int, ...], list[str]]


@pytest.fixture(scope="module", autouse=True)
def written() -> Iterator[Bits]:
    """Digests of all logits that explanations were written by, under their prompt's tokens."""
    found: Bits = {}
    writing: dict[int, list[str]] = {}
    join, take = Writer.join, Writer._take

    def note_prompt(self: Writer, begun: Continuation) -> tuple[int, Written | None]:
        free = next(n for n in range(self.context.n_seq_max) if n not in self._streams)
        writing[free] = found[tuple(chain.from_iterable(begun.units))] = []
        return join(self, begun)

    def note_logits(self: Writer, stream: int, logits: np.ndarray) -> Written | None:
        writing[stream].append(sha256(logits.tobytes()).hexdigest()[:12])
        return take(self, stream, logits)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Writer, "join", note_prompt)
        patch.setattr(Writer, "_take", note_logits)
        yield found


@pytest.fixture(scope="module")
def alone(weights: Path, written: Bits) -> tuple[dict, Bits]:
    """Each request judged in a backend of its own."""
    found = {}
    written.clear()
    for one in mixed():
        with opened(weights, parallel=1) as backend:
            found |= by_key(backend.judge([one]))
    return found, dict(written)


@pytest.fixture
def expected(alone: tuple[dict, Bits], written: Bits) -> Iterator[dict]:
    """What each request gives alone; after the test, the logits behind the texts are compared too."""
    written.clear()
    yield alone[0]
    for prompt, digests in written.items():
        assert digests == alone[1][prompt][: len(digests)]


def test_verdicts_and_texts_differ_between_prompts(alone: tuple[dict, Bits]) -> None:
    """Else equality would prove nothing."""
    found, digests = alone
    assert len({tuple(distribution.p.values()) for distribution, _ in found.values()}) == 24
    assert len(digests) == 16  # `concluded` and `begun` write on from the same prompts
    all_digests = list(chain.from_iterable(digests.values()))
    assert len(all_digests) == len(set(all_digests)) > 15 * REASONS


@pytest.mark.parametrize("parallel", [1, 2, 3, 8])
def test_full_run_equals_each_alone(weights: Path, expected: dict, parallel: int) -> None:
    with opened(weights, parallel=parallel) as backend:
        assert by_key(backend.judge(mixed())) == expected


def test_subset_reversed_and_resumed(weights: Path, expected: dict) -> None:
    with opened(weights, parallel=4) as backend:
        some = by_key(backend.judge(mixed()[5:14]))
        rest = by_key(backend.judge(mixed()[:5] + mixed()[14:]))
        assert some | rest == expected
        assert by_key(backend.judge(mixed()[::-1])) == expected


def test_cached_prefixes_change_nothing(weights: Path, expected: dict) -> None:
    with opened(weights, parallel=2) as backend:
        for one in [*mixed(), *mixed()]:
            assert by_key(backend.judge([one])).items() <= expected.items()


@pytest.mark.parametrize("n_threads", [1, 2])
def test_threads_change_nothing(weights: Path, expected: dict, n_threads: int) -> None:
    with opened(weights, parallel=3, n_threads=n_threads) as backend:
        assert by_key(backend.judge(mixed())) == expected


def test_a_larger_context_changes_nothing(weights: Path, expected: dict) -> None:
    with opened(weights, parallel=3, n_ctx=1000) as backend:
        assert by_key(backend.judge(mixed())) == expected


@pytest.mark.parametrize("n_tokens", [512, 513, 514])
def test_threads_change_nothing_at_the_end_of_a_batch(tmp_path: Path, n_tokens: int) -> None:
    """A row alone in llama.cpp's batch would have its cells shared out among threads."""
    weights = write_llama(tmp_path / "llama.gguf")
    found = []
    for n_threads in (1, 2):
        with opened(weights, n_threads=n_threads) as backend:
            n_frame = len(backend.tokenizer.encode(long_request(0).prompt)[0])
            one = long_request(n_tokens - n_frame)
            assert len(backend.tokenizer.encode(one.prompt)[0]) == n_tokens
            found.append(by_key(backend.judge([one])))
    assert found[0] == found[1]


def long_request(n_more: int) -> Request:
    prompt = Prompt(pieces=(Piece(text=f"{'7' * (n_more + 1)} is the number"),))
    return Request.of(prompt, item_id="q", order=Order.AB, grammar=BETTER, n_reason_tokens=3)


def test_budgets_of_the_others_change_nothing(weights: Path, expected: dict) -> None:
    """Texts end at different steps, so that streams are left, filled and joined anew."""
    short = [one for index, one in enumerate(asked(2)) if index % 2]
    long = [one for index, one in enumerate(asked()) if not index % 2]
    last = [*concluded()[:2], *begun()[:2]]
    unlike = [one for three in zip(long, last, short, strict=True) for one in three]
    with opened(weights, parallel=3) as backend:
        found = by_key(backend.judge(unlike))
    for one in [*long, *last]:
        assert found[one.item_id, one.order] == expected[one.item_id, one.order]


def test_explanations_change_no_verdict(weights: Path, expected: dict) -> None:
    with opened(weights) as backend:
        found = by_key(backend.judge(asked(0)))
    assert {key: one[0] for key, one in found.items()} == {key: expected[key][0] for key in found}


@pytest.mark.parametrize("prompts_per_call", [2, 5, 16])
def test_prompts_evaluated_together_agree_closely(tmp_path: Path, prompts_per_call: int) -> None:
    """Not to the bit: that is what `exact` in the header says."""
    weights = write_llama(tmp_path / "llama.gguf")
    with opened(weights) as backend:
        apart = by_key(backend.judge(asked()))
    with opened(weights, prompts_per_call=prompts_per_call, parallel=4) as backend:
        assert backend.settings["exact"] is False
        together = by_key(backend.judge(asked()))
    for key, (distribution, _) in apart.items():
        assert together[key][0].greedy == distribution.greedy
        assert together[key][0].p == pytest.approx(distribution.p, rel=0.02)
