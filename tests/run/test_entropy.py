"""Entropies come after the judgments, row by row, each once; the base model's beside the judge's."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from judgecli.answers import InputOptions
from judgecli.backends.llama_cpp import open_tokenizer
from judgecli.backends.scripted import ScriptedBackend
from judgecli.errors import DataError, ModelError, UsageError
from judgecli.run import (
    EntropyProgress,
    PairOptions,
    PreparedRun,
    Unmeasured,
    load_run,
    prepare_pair,
)
from judgecli.run.entropy import measure_entropies
from judgecli.run.execution import judge_open
from judgecli.types import (
    Completion,
    EngineOptions,
    JudgedText,
    Order,
    Request,
    RunRecord,
    TokenEntropy,
)
from tests.decoding import needs_llama_cpp
from tests.judging import read_rows, two_files
from tests.places import demo_weights
from tests.random_models import write_llama
from tests.run.made_up import RUN, Reply, by_seat, pair_options

Measure = Callable[[JudgedText], TokenEntropy]


def by_words(text: JudgedText) -> TokenEntropy:
    """An entropy of 0.5 for each word of the text."""
    n_words = len(text.text.split())
    return TokenEntropy(value=n_words / 2, n_tokens=n_words)


class UnsureBackend(ScriptedBackend):
    """A judge that says how unsure it was, with a function for that too; it notes what it is shown."""

    def __init__(self, reply: Reply = by_seat, measure: Measure = by_words) -> None:
        super().__init__(reply)
        self._measure = measure
        self.seen: list[JudgedText] = []

    def entropies(self, texts: Sequence[JudgedText]) -> Iterator[tuple[JudgedText, TokenEntropy]]:
        for text in texts:
            self.seen.append(text)
            yield text, self._measure(text)

    @property
    def keys(self) -> list[tuple[str, str]]:
        return [(one.item_id, one.order) for one in self.seen]


ALL = [(item_id, order) for item_id in ("q1", "q2", "q3") for order in ("AB", "BA")]


@pytest.fixture(autouse=True)
def answers(folder: Path) -> None:
    two_files(folder, ["a one", "a two", "a three"], ["b one", "b two", "b three"])


def prepared(backend: ScriptedBackend, **more: Any) -> PreparedRun:
    return prepare_pair(pair_options(backend, **{"entropy": True, **more}))


def measured(backend: ScriptedBackend, **more: Any) -> RunRecord:
    run = prepared(backend, **more)
    judge_open(run, lambda _: None)
    measure_entropies(run)
    return load_run(RUN)


class TestWriting:
    def test_each_text_has_a_row_after_the_judgments(self) -> None:
        backend = UnsureBackend()
        record = measured(backend)
        assert sorted(backend.keys) == ALL
        assert record.entropies == {(item_id, Order(order)): 1.0 for item_id, order in ALL}
        assert record.base_entropies == {}
        judged = {(row["item_id"], row["order"]): row for row in read_rows(RUN, "judgment")}
        for row in read_rows(RUN, "entropy"):
            hash_ = judged[row["item_id"], row["order"]]["prompt_hash"]
            assert row == {
                "row": "entropy",
                "item_id": row["item_id"],
                "order": row["order"],
                "prompt_hash": hash_,
                "model": "judge",
                "entropy": 1.0,
                "n_tokens": 2,
                "judge": "",
            }

    def test_the_model_is_shown_what_was_asked_and_written(self) -> None:
        asked: list[Request] = []

        def noted(request: Request) -> str:
            asked.append(request)
            return by_seat(request)

        backend = UnsureBackend(noted)
        measured(backend)
        shown = {(one.item_id, one.order): one for one in backend.seen}
        for request in asked:
            one = shown[request.item_id, request.order]
            assert one.prompt == request.prompt
            assert (one.prompt_hash, one.path) == (request.prompt_hash, request.path)
            assert one.text == by_seat(request)

    def test_nothing_is_measured_unless_asked_for(self) -> None:
        backend = UnsureBackend()
        measured(backend, entropy=False)
        assert backend.seen == []
        assert measured(backend).entropies.keys() == {(item_id, Order(order)) for item_id, order in ALL}
        assert len(read_rows(RUN, "judgment")) == 6

    def test_an_unreadable_text_is_a_text_and_an_engine_failure_is_none(self) -> None:
        def reply(request: Request) -> str | Completion:
            if request.item_id == "q1":
                return Completion(request=request, error="no memory", text="half of")
            return "no scores here at all" if request.item_id == "q2" else by_seat(request)

        record = measured(UnsureBackend(reply))
        assert record.entropies == {
            **{("q2", order): 2.5 for order in (Order.AB, Order.BA)},
            **{("q3", order): 1.0 for order in (Order.AB, Order.BA)},
        }

    def test_what_has_no_number_is_returned_with_its_reason(self) -> None:
        def measure(text: JudgedText) -> TokenEntropy:
            if text.item_id == "q2":
                return TokenEntropy(value=None, n_tokens=0, error="prompt and text do not fit")
            return by_words(text)

        run = prepared(UnsureBackend(measure=measure))
        judge_open(run, lambda _: None)
        seen: list[EntropyProgress] = []
        left = measure_entropies(run, seen.append)
        assert left == tuple(
            Unmeasured(item_id="q2", order=order, model="judge", reason="prompt and text do not fit")
            for order in (Order.AB, Order.BA)
        )
        assert {item_id for item_id, _ in load_run(RUN).entropies} == {"q1", "q3"}
        assert [(one.n_done, one.n_total) for one in seen] == [(n, 6) for n in range(1, 7)]


class TestResuming:
    def test_nothing_is_measured_twice_and_nothing_loaded_for_it(self) -> None:
        first = measured(UnsureBackend())
        content = RUN.read_bytes()
        again = UnsureBackend()
        assert measured(again) == first
        assert again.seen == []
        assert RUN.read_bytes() == content
        run = replace(prepared(again), load=lambda: pytest.fail("the judge was loaded"))
        assert measure_entropies(run) == ()

    @pytest.mark.parametrize("n_torn_bytes", [0, 9])
    def test_a_kill_loses_what_was_in_flight(self, n_torn_bytes: int) -> None:
        n_measured = 0

        def killed(text: JudgedText) -> TokenEntropy:
            nonlocal n_measured
            n_measured += 1
            if n_measured > 3:
                raise KeyboardInterrupt
            return by_words(text)

        with pytest.raises(KeyboardInterrupt):
            measured(UnsureBackend(measure=killed))
        content = RUN.read_bytes()
        RUN.write_bytes(content[: len(content) - n_torn_bytes])
        backend = UnsureBackend()
        record = measured(backend)
        assert len(record.entropies) == 6
        assert len(backend.seen) == (4 if n_torn_bytes else 3)
        assert len(read_rows(RUN, "entropy")) == 6
        assert record.notes == ()

    def test_a_new_text_is_measured_anew(self) -> None:
        measured(UnsureBackend(lambda request: "nothing"))
        backend = UnsureBackend(by_seat)
        assert set(load_run(RUN).entropies.values()) == {0.5}
        record = measured(backend, retry=True)
        assert sorted(backend.keys) == ALL
        assert set(record.entropies.values()) == {1.0}

    def test_an_entropy_of_an_earlier_text_does_not_count(self) -> None:
        measured(UnsureBackend(lambda request: "nothing"))
        record = measured(UnsureBackend(by_seat), retry=True, entropy=False)
        assert record.entropies == {}

    def test_a_backend_that_stops_is_an_error(self) -> None:
        class Stopping(UnsureBackend):
            def entropies(self, texts: Sequence[JudgedText]) -> Iterator[tuple[JudgedText, TokenEntropy]]:
                return super().entropies(texts[:2])

        with pytest.raises(ModelError, match=r"of 2 of 6 texts .* the same command goes on from there"):
            measured(Stopping())


class TestRefusals:
    def test_a_judge_without_probabilities_is_refused_before_it_is_asked(self) -> None:
        with pytest.raises(ModelError, match=r"gives no token probabilities.*leave --entropy out"):
            prepared(ScriptedBackend(by_seat))
        assert not RUN.exists()

    def test_so_is_a_script_by_name(self, folder: Path) -> None:
        (folder / "judge.jsonl").write_text('{"reply": "8 6"}', encoding="utf-8")
        source = InputOptions(baseline="a.jsonl", candidate="b.jsonl")
        options = PairOptions(input=source, model="scripted:judge.jsonl", prompt="judgelm", base="base.gguf")
        with pytest.raises(ModelError, match=r"judge.jsonl gives no .*leave --base out"):
            prepare_pair(options)

    def test_a_base_that_is_not_there_is_refused_before_anything_is_judged(self) -> None:
        with pytest.raises(ModelError, match=r"nowhere\.gguf"):
            prepared(UnsureBackend(), base="nowhere.gguf")
        with pytest.raises(UsageError, match="--base is empty"):
            prepared(UnsureBackend(), base="")

    @pytest.mark.parametrize(
        ("field", "value", "said"),
        [
            ("model", "teacher", "not that of 'teacher'"),
            ("model", "base:123", "not that of 'base:123'"),
            ("entropy", -0.1, "not below 0"),
            ("n_tokens", 0, "a mean over tokens"),
            ("entropy", None, "entropy cannot be None"),
        ],
    )
    def test_a_broken_row_is_named(self, field: str, value: object, said: str) -> None:
        measured(UnsureBackend())
        *lines, last = RUN.read_text(encoding="utf-8").splitlines()
        changed = json.dumps(json.loads(last) | {field: value})
        RUN.write_text("\n".join([*lines, changed, ""]), encoding="utf-8")
        with pytest.raises(DataError, match=f"{RUN}:{len(lines) + 1}: broken row .*{re.escape(said)}"):
            load_run(RUN)


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Random weights for the judge, for two models it might have been made from, and for a short one."""
    place = tmp_path_factory.mktemp("weights")
    small: dict[str, Any] = {"n_layers": 1, "n_embd": 64, "n_ctx": 1024}
    sizes = {
        "judge": {"seed": 0},
        "base": {"seed": 1},
        "other": {"seed": 2},
        "short": {"seed": 3, "n_ctx": 256},
    }
    return {name: write_llama(place / f"{name}.gguf", **{**small, **own}) for name, own in sizes.items()}


@needs_llama_cpp
class TestBase:
    def run(self, weights: dict[str, Path], **more: Any) -> tuple[RunRecord, tuple[Unmeasured, ...]]:
        source = InputOptions(baseline="a.jsonl", candidate="b.jsonl", limit=2)
        options = PairOptions(
            input=source,
            model=str(weights["judge"]),
            prompt="judgelm",
            engine=EngineOptions(n_threads=1, parallel=2),
            min_mass=0.0,
            **more,
        )
        run = prepare_pair(options)
        judge_open(run, lambda _: None)
        unmeasured = measure_entropies(run)
        return load_run(RUN), unmeasured

    def test_both_are_measured_on_the_same_texts(self, weights: dict[str, Path]) -> None:
        record, unmeasured = self.run(weights, base=str(weights["base"]))
        assert unmeasured == ()
        assert record.entropies.keys() == record.base_entropies.keys() == record.judgments.keys()
        values = [*record.entropies.values(), *record.base_entropies.values()]
        assert len(set(values)) == 8
        assert all(0 < value < 7 for value in values)
        base = record.header["base"]
        assert (base["name"], base["file"]) == (str(weights["base"]), "base.gguf")
        models = {row["model"] for row in read_rows(RUN, "entropy")}
        assert models == {"judge", f"base:{base['sha256'][:12]}"}

    def test_another_base_model_is_measured_for_itself(self, weights: dict[str, Path]) -> None:
        first, _ = self.run(weights, base=str(weights["base"]))
        second, _ = self.run(weights, base=str(weights["other"]))
        assert second.entropies == first.entropies
        assert not set(first.base_entropies.values()) & set(second.base_entropies.values())
        assert len(read_rows(RUN, "judgment")) == 4
        again, _ = self.run(weights, base=str(weights["base"]))
        assert again.base_entropies == first.base_entropies
        assert len(read_rows(RUN, "entropy")) == 12

    def test_without_a_base_there_is_none(self, weights: dict[str, Path]) -> None:
        self.run(weights, base=str(weights["base"]))
        record, _ = self.run(weights, entropy=True)
        assert len(record.entropies) == 4
        assert record.base_entropies == {}

    def test_a_base_with_a_short_context_says_so(self, weights: dict[str, Path]) -> None:
        record, unmeasured = self.run(weights, base=str(weights["short"]))
        assert len(record.entropies) == 4
        assert record.base_entropies == {}
        assert {one.reason for one in unmeasured} == {
            "prompt and text do not fit into the base model's context of 256 tokens"
        }
        assert len(unmeasured) == 4

    def test_the_judge_is_no_base_of_its_own(self, weights: dict[str, Path]) -> None:
        with pytest.raises(UsageError, match="is the judge itself"):
            self.run(weights, base=str(weights["judge"]))

    def test_a_base_model_makes_no_other_run(self, weights: dict[str, Path]) -> None:
        """What is judged does not depend on it, so it is not what a run file is held to."""
        self.run(weights)
        record, _ = self.run(weights, base=str(weights["base"]))
        assert len(read_rows(RUN, "judgment")) == 4
        assert len(record.base_entropies) == 4


@pytest.mark.demo
def test_a_base_without_the_chat_s_tokens_reads_them_as_text(weights: dict[str, Path]) -> None:
    source = InputOptions(baseline="a.jsonl", candidate="b.jsonl", limit=1)
    options = PairOptions(input=source, model=str(demo_weights()), base=str(weights["base"]))
    run = prepare_pair(options)
    judge_open(run, lambda _: None)
    assert measure_entropies(run) == ()
    record = load_run(RUN)
    assert record.entropies.keys() == record.base_entropies.keys() == record.judgments.keys()
    assert record.header["prompt"]["family"] == "chat"
    prompt = run.plan.requests[0].request.prompt
    with open_tokenizer(weights["base"]) as tokenizer:
        assert run.base is not None
        units = tokenizer.encode(prompt)
        assert tokenizer.text_of([token for unit in units for token in unit]).decode() == f" {prompt.text}"
