"""From pairs to the requests of a run: prompts rendered, tokens counted, what cannot fit set apart.

Nothing here loads weights, and everything that can go wrong with the input goes wrong here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from judgecli import prompts
from judgecli.answers import PairingReport
from judgecli.errors import UsageError
from judgecli.ledger import PlannedPair
from judgecli.prompts import PromptFamily
from judgecli.run.judge_choice import ChosenJudge
from judgecli.run.options import MAX_REASON_TOKENS, Overflow, PairOptions
from judgecli.types import Failure, Judgment, Order, Pair, Prompt, Request, depth_first, n_shared
from judgecli.verdicts import decide_without_judge

# Room for the longest verdict of any grammar ("10.0 10.0" and a newline is ten tokens).
VERDICT_TOKENS = 16
ANSWERS_CUT = "answers cut to fit the context"
_CONTEXT_STEP = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRequest:
    """A request with the tokens of its prompt's units, and how many the request before it does not share."""

    request: Request
    unit_tokens: tuple[int, ...]
    n_new_tokens: int

    @property
    def n_tokens(self) -> int:
        """Tokens of the prompt."""
        return sum(self.unit_tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All that a run will ask, and what is known without asking.

    `requests` come depth first: those that begin alike are next to each other. `n_ctx` is the context it
    needs in tokens, `n_ctx_limit` the longest there could be, None if unknown. Neither prompts nor tokens
    are kept: in a long run they would be most of the memory.
    """

    report: PairingReport
    planned: tuple[PlannedPair, ...]
    requests: tuple[PlannedRequest, ...]
    too_long: tuple[Judgment, ...]
    n_ctx: int
    n_ctx_limit: int | None = None

    @property
    def n_tokens(self) -> int:
        """Prompt tokens of all requests."""
        return sum(item.n_tokens for item in self.requests)


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A pair with its prompts and the tokens of their units, held while it is planned only.

    `shown_characters` is what both answers were cut to, None where they are whole.
    """

    pair: Pair
    prompts: dict[Order, Prompt]
    unit_tokens: dict[Order, tuple[int, ...]]
    shown_characters: int | None = None

    def n_tokens(self, order: Order) -> int:
        return sum(self.unit_tokens[order])

    @property
    def longest(self) -> int:
        return max(map(self.n_tokens, self.unit_tokens))

    def planned(self) -> PlannedPair:
        """Return what the run file holds of the pair."""
        flags = () if self.shown_characters is None else (ANSWERS_CUT,)
        return PlannedPair(
            pair=replace(self.pair, flags=(*self.pair.flags, *flags)) if flags else self.pair,
            prompt_hashes={order: prompt.hash for order, prompt in self.prompts.items()},
            shown_characters=self.shown_characters,
        )


def make_plan(pairs: Sequence[Pair], report: PairingReport, judge: ChosenJudge, options: PairOptions) -> Plan:
    """Render and count every prompt of a run.

    Raises:
        UsageError: --n-ctx is more than the model was trained for.
        ModelError: the judge's tokenizer cannot keep the family's verdicts apart from the prompt.
    """
    limit = _context_limit(judge, options)
    planned: list[PlannedPair] = []
    requests: list[PlannedRequest] = []
    too_long: list[Judgment] = []
    numbers: dict[int, int] = {}
    is_checked = False
    for pair in pairs:
        verdict = decide_without_judge(pair)
        if verdict is not None:
            planned.append(PlannedPair(pair=pair, prompt_hashes={}, decided_by=verdict.decided_by))
            continue
        prepared = _prepare(pair, judge, options)
        if options.overflow is Overflow.TRUNCATE and not _fits(prepared, limit):
            prepared = _truncate(prepared, judge, options, limit)
        if not is_checked:
            judge.tokenizer.check_verdicts(prepared.prompts[Order.AB], judge.family.grammar)
            is_checked = True
        planned.append(prepared.planned())
        if _fits(prepared, limit):
            requests.extend(_requests(prepared, planned[-1], judge, options, limit, numbers))
        else:
            too_long.extend(_too_long(prepared, planned[-1], limit))
    walked = depth_first(item.request.path for item in requests)
    return Plan(
        report=report,
        planned=tuple(planned),
        requests=tuple(count_new_tokens(requests[index] for index in walked)),
        too_long=tuple(too_long),
        n_ctx=options.n_ctx or _context(requests, limit),
        n_ctx_limit=judge.n_ctx_limit,
    )


def count_new_tokens(requests: Iterable[PlannedRequest]) -> Iterator[PlannedRequest]:
    """Yield requests with the tokens that each has to evaluate after the one before it.

    Those of leading units that both have; never all of a prompt's, because its last unit gives the verdict.
    """
    previous = None
    for item in requests:
        n_units = 0
        if previous is not None:
            # a unit may end in other tokens where another text follows it
            n_tokenized_alike = n_shared(item.unit_tokens, previous.unit_tokens)
            n_units = min(n_shared(item.request.path, previous.request.path), n_tokenized_alike)
        n_new_tokens = sum(item.unit_tokens[min(n_units, len(item.unit_tokens) - 1) :])
        previous = item
        yield item if item.n_new_tokens == n_new_tokens else replace(item, n_new_tokens=n_new_tokens)


def shown_pair(planned: PlannedPair) -> Pair:
    """Return a pair as the judge is shown it: with the answers cut where they were too long."""
    return _cut(planned.pair, planned.shown_characters)


def _context(requests: Sequence[PlannedRequest], limit: int | None) -> int:
    """Return the context that the longest request needs, rounded up to what llama.cpp rounds it to."""
    needed = [item.n_tokens + VERDICT_TOKENS + item.request.n_reason_tokens for item in requests]
    rounded = -(-max(needed, default=1) // _CONTEXT_STEP) * _CONTEXT_STEP
    return rounded if limit is None else min(rounded, limit)


def _context_limit(judge: ChosenJudge, options: PairOptions) -> int | None:
    trained = judge.n_ctx_limit
    if options.n_ctx and trained and options.n_ctx > trained:
        message = (
            f"--n-ctx {options.n_ctx} is more than the {trained} tokens that {judge.name} was trained for"
        )
        raise UsageError(f"{message}; leave it out, the context is chosen from the data")
    return options.n_ctx or trained


def _prepare(
    pair: Pair, judge: ChosenJudge, options: PairOptions, shown_characters: int | None = None
) -> _Prepared:
    shown = _cut(pair, shown_characters)
    rendered = {
        order: prompts.render(judge.family, shown, order, judge.template) for order in options.orders.members
    }
    unit_tokens = {
        order: tuple(map(len, judge.tokenizer.encode(prompt))) for order, prompt in rendered.items()
    }
    return _Prepared(pair, rendered, unit_tokens, shown_characters)


def _fits(prepared: _Prepared, limit: int | None) -> bool:
    return limit is None or prepared.longest + VERDICT_TOKENS <= limit


def _truncate(prepared: _Prepared, judge: ChosenJudge, options: PairOptions, limit: int | None) -> _Prepared:
    """Cut both answers to the same number of characters, the largest that fits both orders.

    A pair stays as it is where nothing fits, or where what fits is the same on both sides.
    """
    pair = prepared.pair
    longest = max(len(pair.response_a.output), len(pair.response_b.output))
    fitting, too_many, best = 0, longest, None
    # near the answer first, about four characters a token: halving a text of megabytes would tokenize it all
    attempted = min(4 * (limit or longest), longest // 2)
    while too_many - fitting > 1:
        attempt = _prepare(pair, judge, options, attempted)
        if _fits(attempt, limit):
            fitting, best = attempted, attempt
        else:
            too_many = attempted
        attempted = min(2 * fitting, (fitting + too_many) // 2) or too_many // 2
    shown = pair if best is None else _cut(pair, best.shown_characters)
    return prepared if best is None or shown.response_a.output == shown.response_b.output else best


def _cut(pair: Pair, n_characters: int | None) -> Pair:
    if n_characters is None:
        return pair
    return replace(
        pair,
        response_a=replace(pair.response_a, output=pair.response_a.output[:n_characters]),
        response_b=replace(pair.response_b, output=pair.response_b.output[:n_characters]),
    )


def _too_long(prepared: _Prepared, planned: PlannedPair, limit: int | None) -> Iterator[Judgment]:
    """Yield a failure for each order that does not fit; the pair fails with either."""
    for order, prompt in prepared.prompts.items():
        n_tokens = prepared.n_tokens(order)
        if limit is not None and n_tokens + VERDICT_TOKENS > limit:
            yield Judgment(
                pair_id=prepared.pair.id,
                order=order,
                prompt_hash=planned.prompt_hashes[order],
                failure=Failure.TOO_LONG,
                detail=f"{n_tokens:,} tokens of {limit:,}",
                flags=prompt.flags,
                n_prompt_tokens=n_tokens,
            )


def _requests(
    prepared: _Prepared,
    planned: PlannedPair,
    judge: ChosenJudge,
    options: PairOptions,
    limit: int | None,
    numbers: dict[int, int],
) -> Iterator[PlannedRequest]:
    """Yield a pair's requests; `numbers` holds one object for each number of all paths."""
    for order, prompt in prepared.prompts.items():
        n_tokens = prepared.n_tokens(order)
        room = MAX_REASON_TOKENS if limit is None else limit - n_tokens - VERDICT_TOKENS
        path = prompt.path
        request = Request(
            pair_id=prepared.pair.id,
            order=order,
            prompt_hash=planned.prompt_hashes[order],
            render=partial(_render, judge.family, planned, order, judge.template),
            grammar=judge.family.grammar,
            path=tuple(map(numbers.setdefault, path, path)),
            flags=prompt.flags,
            n_reason_tokens=min(MAX_REASON_TOKENS, room) if options.reasons else 0,
            stop=judge.family.stop,
        )
        yield PlannedRequest(request=request, unit_tokens=prepared.unit_tokens[order], n_new_tokens=n_tokens)


def _render(family: PromptFamily, planned: PlannedPair, order: Order, template: str | None) -> Prompt:
    return prompts.render(family, shown_pair(planned), order, template)
