"""From pairs to the requests of a run: prompts rendered, tokens counted, what cannot fit set apart.

Nothing here loads weights, and everything that can go wrong with the input goes wrong here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from judgecli.errors import UsageError
from judgecli.ledger import PlannedItem
from judgecli.prompts import Task
from judgecli.run.fitting import Asked, Prepared, prepare_to_fit, shown_item
from judgecli.run.given import Comparison, Given
from judgecli.run.judge_choice import ChosenJudge
from judgecli.run.options import MAX_REASON_TOKENS, RunOptions
from judgecli.types import (
    DecidedBy,
    Failure,
    Item,
    Judgment,
    Order,
    Prompt,
    Request,
    VerdictPlace,
    depth_first,
    n_shared,
)
from judgecli.verdicts import decide_without_judge

MAX_TEXT_TOKENS = 1024  # for a text that holds its verdict, unless the family says otherwise
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

    `n_seats` is the answers that a prompt shows. `requests` come depth first: those that begin alike are next
    to each other. `n_ctx` is the context it needs in tokens, `n_ctx_limit` the longest there could be, None
    if unknown. Neither prompts nor tokens are kept: in a long run they would be most of the memory.
    """

    task: Task
    n_seats: int
    planned: tuple[PlannedItem, ...]
    requests: tuple[PlannedRequest, ...]
    too_long: tuple[Judgment, ...]
    n_ctx: int
    n_ctx_limit: int | None = None

    @property
    def n_tokens(self) -> int:
        """Prompt tokens of all requests."""
        return sum(item.n_tokens for item in self.requests)

    @property
    def writes_text(self) -> bool:
        """Whether the judge writes more than its verdict."""
        return any(item.request.n_reason_tokens for item in self.requests)

    @property
    def n_decided(self) -> int:
        """Items on which the judge is not asked at all."""
        return sum(not one.prompt_hashes for one in self.planned)


def make_plan(given: Given, judge: ChosenJudge, options: RunOptions) -> Plan:
    """Render and count every prompt of a run.

    Raises:
        UsageError: --n-ctx is more than the model was trained for.
        DataError: the prompt family has no prompt for what is asked.
        ModelError: the judge's tokenizer cannot keep the family's verdicts apart from the prompt.
    """
    limit = _context_limit(judge, options)
    comparisons = given.comparisons(judge.family)
    task = judge.family.task(len(comparisons[0].orders[0]), judge.asking)
    asked = Asked(judge, task, given.for_ranking, limit)
    planned: list[PlannedItem] = []
    requests: list[PlannedRequest] = []
    too_long: list[Judgment] = []
    numbers: dict[int, int] = {}
    is_checked = False
    for item in given.items:
        decided, open_ones = _by_rule(item, [given.for_item(one, item) for one in comparisons])
        if not open_ones:
            planned.append(PlannedItem(item=item, prompt_hashes={}, decided=decided))
            continue
        prepared = prepare_to_fit(item, open_ones, asked, options.overflow)
        if not is_checked:
            asked.check(next(iter(prepared.prompts.values())))
            is_checked = True
        planned.append(prepared.planned(decided))
        for orders in (comparison.orders for comparison in open_ones):
            if prepared.fits(orders, asked.room):
                requests += _requests(prepared, planned[-1], orders, asked, options, numbers)
            else:
                too_long += _too_long(prepared, planned[-1], orders, asked)
    # an answer that is graded alone has a part in several comparisons
    requests = list({(one.request.item_id, one.request.order): one for one in requests}.values())
    walked = depth_first(item.request.path for item in requests)
    return Plan(
        task=task,
        n_seats=len(comparisons[0].orders[0]),
        planned=tuple(planned),
        requests=tuple(count_new_tokens(requests[index] for index in walked)),
        too_long=tuple({(one.item_id, one.order): one for one in too_long}.values()),
        n_ctx=options.n_ctx or _context(requests, asked),
        n_ctx_limit=judge.n_ctx_limit,
    )


def _by_rule(
    item: Item, comparisons: Sequence[Comparison]
) -> tuple[dict[Order, DecidedBy], list[Comparison]]:
    """Return what rules decide about an item, and the comparisons that are left to the judge."""
    decided = {one.letters: decide_without_judge(item, one.letters) for one in comparisons}
    left = [one for one in comparisons if decided[one.letters] is None]
    return {letters: rule for letters, rule in decided.items() if rule is not None}, left


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


def _context(requests: Sequence[PlannedRequest], asked: Asked) -> int:
    """Return the context that the longest request needs, rounded up to what llama.cpp rounds it to."""
    n_most = max((item.n_tokens + item.request.n_reason_tokens for item in requests), default=0)
    rounded = -(-(n_most + asked.n_end_tokens) // _CONTEXT_STEP) * _CONTEXT_STEP
    return rounded if asked.n_ctx_limit is None else min(rounded, asked.n_ctx_limit)


def _context_limit(judge: ChosenJudge, options: RunOptions) -> int | None:
    trained = judge.n_ctx_limit
    if options.n_ctx and trained and options.n_ctx > trained:
        message = (
            f"--n-ctx {options.n_ctx} is more than the {trained} tokens that {judge.name} was trained for"
        )
        raise UsageError(f"{message}; leave it out, the context is chosen from the data")
    return options.n_ctx or trained


def _too_long(
    prepared: Prepared, planned: PlannedItem, orders: Sequence[Order], asked: Asked
) -> Iterator[Judgment]:
    """Yield a failure for each order that does not fit; the comparison fails with any."""
    for order in orders:
        if not prepared.fits((order,), asked.room):
            n_tokens = prepared.n_tokens(order)
            yield Judgment(
                item_id=prepared.item.id,
                order=order,
                prompt_hash=planned.prompt_hashes[order],
                failure=Failure.TOO_LONG,
                detail=f"{n_tokens:,} tokens of {asked.n_ctx_limit:,}",
                flags=prepared.prompts[order].flags,
                n_prompt_tokens=n_tokens,
            )


def _requests(
    prepared: Prepared,
    planned: PlannedItem,
    orders: Sequence[Order],
    asked: Asked,
    options: RunOptions,
    numbers: dict[int, int],
) -> Iterator[PlannedRequest]:
    """Yield a comparison's requests; `numbers` holds one object for each number of all paths."""
    task = asked.task
    for order in orders:
        prompt, n_tokens = prepared.prompts[order], prepared.n_tokens(order)
        path = prompt.path
        request = Request(
            item_id=prepared.item.id,
            order=order,
            prompt_hash=planned.prompt_hashes[order],
            render=partial(_render, asked, planned, order),
            grammar=task.grammar,
            path=tuple(map(numbers.setdefault, path, path)),
            flags=prompt.flags,
            place=task.place,
            n_reason_tokens=_n_text_tokens(asked, options, n_tokens),
            stop=task.stop,
            locate=task.locate,
            conclusion=task.conclusion,
        )
        yield PlannedRequest(request=request, unit_tokens=prepared.unit_tokens[order], n_new_tokens=n_tokens)


def _n_text_tokens(asked: Asked, options: RunOptions, n_prompt_tokens: int) -> int:
    """Return the budget for the text that a judge writes after a prompt."""
    if asked.task.place is VerdictPlace.FIRST:
        budget = MAX_REASON_TOKENS if options.reasons else 0
    else:
        budget = asked.task.max_tokens or MAX_TEXT_TOKENS
    if asked.n_ctx_limit is None:
        return budget
    return min(budget, asked.n_ctx_limit - n_prompt_tokens - asked.n_end_tokens)


def _render(asked: Asked, planned: PlannedItem, order: Order) -> Prompt:
    return asked.render(shown_item(planned), order)
