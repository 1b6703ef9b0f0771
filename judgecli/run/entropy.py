"""How unsure the judge was of what it wrote, and its base model with it, measured once a run is judged.

Both are shown the run's prompts piece for piece, as they were rendered for the judge, and then the judge's
text, each in tokens of its own. Of a chat template's control tokens a base model is given those that its
vocabulary has; the spelling of the others is text to it, for there is nothing else to show it in their place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from judgecli.backends import load_backend
from judgecli.errors import ModelError, UsageError
from judgecli.ledger import LedgerFile, LedgerWriter, current_judgments, read_ledger, size_of
from judgecli.run.execution import PreparedRun
from judgecli.run.judge_choice import ChosenBase, chosen_base
from judgecli.run.options import RunOptions
from judgecli.types import (
    JUDGE_MODEL,
    Backend,
    EntropyBackend,
    EntropyReading,
    Failure,
    JudgedText,
    Order,
    Piece,
    Prompt,
    Tokenizer,
    base_model_name,
)

_CONTEXT_STEP = 256
_LOOSE_TOKENS = 16  # what a text may have more where its parts are tokenized one by one


@dataclass(frozen=True, slots=True, kw_only=True)
class EntropyProgress:
    """How many texts of those left to measure are measured, for one model: the judge or its base model."""

    model: str
    n_done: int
    n_total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmeasured:
    """A text of which a model's entropy could not be measured, and why."""

    item_id: str
    order: Order
    model: str
    reason: str


Observe = Callable[[EntropyProgress], None]


def base_of(options: RunOptions, header: Mapping[str, Any]) -> ChosenBase | None:
    """Return the base model that is asked for, once it is known that entropies can be measured at all.

    Raises:
        ModelError: the judge does not say what else it might have written, or the base model is missing.
        UsageError: the base model is the judge itself.
    """
    if not options.measures_entropy:
        return None
    if not _measures_entropy(options, header):
        option = "--entropy" if options.base is None else "--base"
        message = f"{header['model']['name']} {_why_not(header)}, so no entropy can be measured"
        raise ModelError(f"{message}; leave {option} out, or take a judge whose weights are on this machine")
    if options.base is None:
        return None
    base = chosen_base(options.base)
    if base.weights.sha256 == header["model"]["sha256"]:
        message = f"--base {options.base} is the judge itself"
        raise UsageError(f"{message}; name the model that it was fine-tuned from, or ask for --entropy alone")
    return base


def _why_not(header: Mapping[str, Any]) -> str:
    if header["backend"].get("device") == "endpoint":
        return "is behind an endpoint, which cannot read a text again"
    return "gives no token probabilities"


def _measures_entropy(options: RunOptions, header: Mapping[str, Any]) -> bool:
    if options.backend is not None:
        return isinstance(options.backend, EntropyBackend)
    return bool(getattr(load_backend(header["backend"]["name"]), "MEASURES_ENTROPY", False))


def measure_entropies(run: PreparedRun, observe: Observe = lambda _: None) -> tuple[Unmeasured, ...]:
    """Measure the entropies that are asked for and not in the run file yet; write every row as it comes.

    This is for a run that has been judged. Returns the texts that have no entropy, with the reasons.

    Raises:
        ModelError: a model does not load, or stops before its last text.
        OutputError: the run file cannot be written.
    """
    if not run.options.measures_entropy:
        return ()
    ledger = read_ledger(run.path)
    texts = list(_judged_texts(run, ledger))
    end = size_of(run.path) if ledger.torn_at is None else ledger.torn_at
    with LedgerWriter(run.path, keep_bytes=end) as writer:
        unmeasured = _measure(JUDGE_MODEL, _left(texts, ledger, JUDGE_MODEL), run.load, writer, observe)
        if run.base is not None:
            model = base_model_name(run.base.weights.sha256)
            fitting = _fit(run.base, _left(texts, ledger, model))
            unmeasured += [_unmeasured(text, model, fitting.reason) for text in fitting.too_long]
            load = partial(_load_base, run.base, run.options, fitting.n_ctx)
            unmeasured += _measure(model, fitting.texts, load, writer, observe)
    return tuple(unmeasured)


def _judged_texts(run: PreparedRun, ledger: LedgerFile) -> Iterator[JudgedText]:
    """Yield what the judge wrote after each prompt of the run, failures included.

    Not where the engine failed: that is asked again, and the text is half of one.
    """
    judged = current_judgments(run.plan.planned, ledger.judgments)
    for request in (one.request for one in run.plan.requests):
        judgment = judged.get((request.item_id, request.order))
        if judgment is None or judgment.failure is Failure.ENGINE or not judgment.text:
            continue
        yield JudgedText(
            item_id=request.item_id,
            order=request.order,
            prompt_hash=request.prompt_hash,
            render=request.render,
            path=request.path,
            text=judgment.text,
            conclusion=request.conclusion,
        )


def _left(texts: Iterable[JudgedText], ledger: LedgerFile, model: str) -> list[JudgedText]:
    """Return the texts of which the run file has no entropy by a model."""
    known = ledger.entropies
    return [one for one in texts if model not in known.get((one.item_id, one.order, one.prompt_hash, ""), {})]


def _measure(
    model: str,
    texts: Sequence[JudgedText],
    load: Callable[[], AbstractContextManager[Backend]],
    writer: LedgerWriter,
    observe: Observe,
) -> list[Unmeasured]:
    """Measure a model's entropies and write them; the model is not loaded for no text."""
    if not texts:
        return []
    unmeasured = []
    n_done = 0
    with load() as backend:
        found = cast(EntropyBackend, backend).entropies(texts)
        for n_done, (text, entropy) in enumerate(found, 1):
            if entropy.value is None:
                unmeasured.append(_unmeasured(text, model, entropy.error or "no reason given"))
            else:
                writer.write_entropy(_reading(text, model, entropy.value, entropy.n_tokens))
            observe(EntropyProgress(model=model, n_done=n_done, n_total=len(texts)))
    if n_done < len(texts):
        message = f"the entropies of {n_done} of {len(texts)} texts were measured before the model stopped"
        raise ModelError(f"{message}; the same command goes on from there")
    return unmeasured


def _reading(text: JudgedText, model: str, entropy: float, n_tokens: int) -> EntropyReading:
    return EntropyReading(
        item_id=text.item_id,
        order=text.order,
        prompt_hash=text.prompt_hash,
        model=model,
        entropy=entropy,
        n_tokens=n_tokens,
    )


def _unmeasured(text: JudgedText, model: str, reason: str) -> Unmeasured:
    return Unmeasured(item_id=text.item_id, order=text.order, model=model, reason=reason)


@dataclass(frozen=True, slots=True)
class _Fitting:
    """The texts that fit into a base model's context together with their prompts, and the others."""

    texts: list[JudgedText]
    too_long: list[JudgedText]
    n_ctx: int
    reason: str


def _fit(base: ChosenBase, texts: Iterable[JudgedText]) -> _Fitting:
    """Count prompts and texts in a base model's own tokens."""
    card = base.weights.card
    fitting, too_long, n_most = [], [], 0
    with base.module.open_tokenizer(base.weights.path) as tokenizer:
        limit = min([n for n in (tokenizer.n_ctx_train, card and card.n_ctx) if n], default=None)
        for text in texts:
            n_tokens = _n_tokens(text, tokenizer)
            if limit is not None and n_tokens > limit:
                too_long.append(text)
                continue
            fitting.append(text)
            n_most = max(n_most, n_tokens)
    reason = f"prompt and text do not fit into the base model's context of {limit or 0:,} tokens"
    return _Fitting(fitting, too_long, -(-n_most // _CONTEXT_STEP) * _CONTEXT_STEP, reason)


def _n_tokens(text: JudgedText, tokenizer: Tokenizer) -> int:
    whole = Prompt(pieces=(*text.prompt.pieces, Piece(text=text.text)))
    return sum(map(len, tokenizer.encode(whole))) + _LOOSE_TOKENS


def _load_base(base: ChosenBase, options: RunOptions, n_ctx: int) -> AbstractContextManager[Backend]:
    backend: AbstractContextManager[Backend] = base.module.open_backend(
        base.weights.path, n_ctx=n_ctx, engine=options.engine, writes_reasons=False, verbose=options.verbose
    )
    return backend
