"""From pairs to the requests of a run: prompts rendered, tokens counted, what cannot fit set apart.

Nothing here loads weights, and everything that can go wrong with the input goes wrong here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from judgecli import prompts
from judgecli.answers import PairingReport
from judgecli.errors import UsageError
from judgecli.ledger import PlannedPair
from judgecli.run.judge_choice import ChosenJudge
from judgecli.run.options import MAX_REASON_TOKENS, Overflow, PairOptions
from judgecli.types import Failure, Judgment, Order, Pair, Prompt, Request
from judgecli.verdicts import decide_without_judge

# Room for the longest verdict of any grammar ("10.0 10.0" and a newline is ten tokens).
VERDICT_TOKENS = 16
_CONTEXT_STEP = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRequest:
    """A request with its length, and how much of that the request before it does not share."""

    request: Request
    n_tokens: int
    n_new_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All that a run will ask, and what is known without asking.

    `n_ctx` is the context it needs in tokens, `n_ctx_limit` the longest there could be, None if unknown.
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
    """A pair with its prompts as token units, and the longest of them."""

    pair: Pair
    prompts: dict[Order, Prompt]
    units: dict[Order, list[list[int]]]

    def n_tokens(self, order: Order) -> int:
        return sum(map(len, self.units[order]))

    @property
    def longest(self) -> int:
        return max(map(self.n_tokens, self.units))


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
    previous: list[list[int]] = []
    for pair in pairs:
        verdict = decide_without_judge(pair)
        if verdict is not None:
            planned.append(PlannedPair(pair=pair, prompt_hashes={}, decided_by=verdict.decided_by))
            continue
        prepared = _prepare(pair, judge, options)
        if options.overflow is Overflow.TRUNCATE and not _fits(prepared, limit):
            prepared = _truncate(prepared, judge, options, limit)
        if not any(item.prompt_hashes for item in planned):
            judge.tokenizer.check_verdicts(prepared.prompts[Order.AB], judge.family.grammar)
        hashes = {order: prompt.hash for order, prompt in prepared.prompts.items()}
        planned.append(PlannedPair(pair=prepared.pair, prompt_hashes=hashes))
        if not _fits(prepared, limit):
            too_long.extend(_too_long(prepared, limit))
            continue
        for item, units in _requests(prepared, judge, options, limit):
            requests.append(replace(item, n_new_tokens=_unshared(units, previous)))
            previous = units
    return Plan(
        report=report,
        planned=tuple(planned),
        requests=tuple(requests),
        too_long=tuple(too_long),
        n_ctx=options.n_ctx or _context(requests, limit),
        n_ctx_limit=judge.n_ctx_limit,
    )


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


def _prepare(pair: Pair, judge: ChosenJudge, options: PairOptions) -> _Prepared:
    rendered = {
        order: prompts.render(judge.family, pair, order, judge.template) for order in options.orders.members
    }
    units = {order: judge.tokenizer.encode(prompt) for order, prompt in rendered.items()}
    return _Prepared(pair, rendered, units)


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
        attempt = _prepare(_cut(pair, attempted), judge, options)
        if _fits(attempt, limit):
            fitting, best = attempted, attempt
        else:
            too_many = attempted
        attempted = min(2 * fitting, (fitting + too_many) // 2) or too_many // 2
    if best is None or best.pair.response_a.output == best.pair.response_b.output:
        return prepared
    return best


def _cut(pair: Pair, n_characters: int) -> Pair:
    flag = f"answers cut to {n_characters} characters"
    return replace(
        pair,
        response_a=replace(pair.response_a, output=pair.response_a.output[:n_characters]),
        response_b=replace(pair.response_b, output=pair.response_b.output[:n_characters]),
        flags=(*pair.flags, flag),
    )


def _too_long(prepared: _Prepared, limit: int | None) -> Iterator[Judgment]:
    """Yield a failure for each order that does not fit; the pair fails with either."""
    for order, prompt in prepared.prompts.items():
        n_tokens = prepared.n_tokens(order)
        if limit is not None and n_tokens + VERDICT_TOKENS > limit:
            yield Judgment(
                pair_id=prepared.pair.id,
                order=order,
                prompt_hash=prompt.hash,
                failure=Failure.TOO_LONG,
                detail=f"{n_tokens:,} tokens of {limit:,}",
                flags=prompt.flags,
                n_prompt_tokens=n_tokens,
            )


def _requests(
    prepared: _Prepared, judge: ChosenJudge, options: PairOptions, limit: int | None
) -> Iterator[tuple[PlannedRequest, list[list[int]]]]:
    for order, prompt in prepared.prompts.items():
        n_tokens = prepared.n_tokens(order)
        room = MAX_REASON_TOKENS if limit is None else limit - n_tokens - VERDICT_TOKENS
        request = Request(
            pair_id=prepared.pair.id,
            order=order,
            prompt=prompt,
            grammar=judge.family.grammar,
            n_reason_tokens=min(MAX_REASON_TOKENS, room) if options.reasons else 0,
            stop=judge.family.stop,
        )
        yield PlannedRequest(request=request, n_tokens=n_tokens, n_new_tokens=n_tokens), prepared.units[order]


def _unshared(units: list[list[int]], previous: list[list[int]]) -> int:
    shared = 0
    for unit, other in zip(units, previous, strict=False):
        if unit != other:
            break
        shared += len(unit)
    return sum(map(len, units)) - shared
