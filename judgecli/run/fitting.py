"""The prompts of an item, made to fit into the judge's context where that is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from judgecli import prompts
from judgecli.ledger import PlannedItem
from judgecli.prompts import Task
from judgecli.run.given import Comparison
from judgecli.run.judge_choice import ChosenJudge
from judgecli.run.options import Overflow
from judgecli.types import DecidedBy, Item, Order, Piece, Prompt, VerdictPlace

# Room for the longest verdict of any grammar ("10.0 10.0" and a newline is ten tokens).
VERDICT_TOKENS = 16
# A judge that gives its reasons first has to have this many tokens for them, whatever its prompt takes.
MIN_TEXT_TOKENS = 128
ANSWERS_CUT = "answers cut to fit the context"


@dataclass(frozen=True)
class Asked:
    """How the prompts of a run are made. `n_ctx_limit` is the longest context in tokens, None if unknown."""

    judge: ChosenJudge
    task: Task
    for_ranking: bool
    n_ctx_limit: int | None

    @cached_property
    def n_end_tokens(self) -> int:
        """The tokens that must be left at the end: for a verdict, and for what is put before it."""
        if not self.task.conclusion:
            return VERDICT_TOKENS
        conclusion = self.judge.tokenizer.encode(Prompt(pieces=(Piece(text=self.task.conclusion),)))
        return VERDICT_TOKENS + sum(map(len, conclusion))

    @property
    def room(self) -> int | None:
        """The tokens that a prompt may have; a verdict that comes last needs some reasons before it."""
        if self.n_ctx_limit is None:
            return None
        is_first = self.task.place is VerdictPlace.FIRST
        return self.n_ctx_limit - self.n_end_tokens - (0 if is_first else MIN_TEXT_TOKENS)

    def check(self, prompt: Prompt) -> None:
        """Refuse a judge whose verdicts could not be read off where they are begun for it.

        Raises:
            ModelError: its tokenizer merges them with what stands before them.
        """
        if self.task.conclusion:
            prompt = Prompt(pieces=(Piece(text=self.task.conclusion),))
        elif self.task.place is not VerdictPlace.FIRST:
            return
        self.judge.tokenizer.check_verdicts(prompt, self.task.grammar)

    def render(self, item: Item, order: Order) -> Prompt:
        """Return the prompt for the answers seated in an order."""
        judge = self.judge
        return prompts.render(
            judge.family, item, order, judge.template, asking=judge.asking, for_ranking=self.for_ranking
        )


@dataclass(frozen=True, slots=True)
class Prepared:
    """An item with its prompts and the tokens of their units, held while it is planned only.

    `shown_characters` is what its answers were cut to, None where they are whole.
    """

    item: Item
    prompts: dict[Order, Prompt]
    unit_tokens: dict[Order, tuple[int, ...]]
    shown_characters: int | None = None

    def n_tokens(self, order: Order) -> int:
        """Return the tokens of an order's prompt."""
        return sum(self.unit_tokens[order])

    def fits(self, orders: Iterable[Order], room: int | None) -> bool:
        """Whether the prompts of all these orders take no more than `room` tokens; None is no limit."""
        return room is None or all(self.n_tokens(order) <= room for order in orders)

    def planned(self, decided: Mapping[Order, DecidedBy]) -> PlannedItem:
        """Return what the run file holds of the item."""
        flags = () if self.shown_characters is None else (ANSWERS_CUT,)
        return PlannedItem(
            item=replace(self.item, flags=(*self.item.flags, *flags)) if flags else self.item,
            prompt_hashes={order: prompt.hash for order, prompt in self.prompts.items()},
            decided=decided,
            shown_characters=self.shown_characters,
        )


def shown_item(planned: PlannedItem) -> Item:
    """Return an item as the judge is shown it: with the answers cut where they were too long."""
    return _cut(planned.item, planned.shown_characters)


def _prepare(
    item: Item, orders: Sequence[Order], asked: Asked, shown_characters: int | None = None
) -> Prepared:
    shown = _cut(item, shown_characters)
    rendered = {order: asked.render(shown, order) for order in orders}
    encode = asked.judge.tokenizer.encode
    unit_tokens = {order: tuple(map(len, encode(prompt))) for order, prompt in rendered.items()}
    return Prepared(item, rendered, unit_tokens, shown_characters)


def prepare_to_fit(
    item: Item, comparisons: Sequence[Comparison], asked: Asked, overflow: Overflow
) -> Prepared:
    """Return an item's prompts; where they do not fit and that is asked for, with the answers cut."""
    orders = tuple(dict.fromkeys(order for comparison in comparisons for order in comparison.orders))
    prepared, room = _prepare(item, orders, asked), asked.room
    if overflow is not Overflow.TRUNCATE or room is None or prepared.fits(orders, room):
        return prepared
    return _truncate(prepared, orders, asked, room)


def _truncate(prepared: Prepared, orders: Sequence[Order], asked: Asked, room: int) -> Prepared:
    """Cut all answers to the same number of characters, the largest that fits all orders.

    An item stays as it is where nothing fits, or where what fits is the same for all its answers.
    """
    item = prepared.item
    longest = max(len(response.output) for response in item.responses)
    fitting, too_many, best = 0, longest, None
    # near the answer first, about four characters a token: halving a text of megabytes would tokenize it all
    attempted = min(4 * room, longest // 2)
    while too_many - fitting > 1:
        attempt = _prepare(item, orders, asked, attempted)
        if attempt.fits(orders, room):
            fitting, best = attempted, attempt
        else:
            too_many = attempted
        attempted = min(2 * fitting, (fitting + too_many) // 2) or too_many // 2
    if best is None:
        return prepared
    left = {response.output for response in _cut(item, best.shown_characters).responses}
    return prepared if len(left) < len({response.output for response in item.responses}) else best


def _cut(item: Item, n_characters: int | None) -> Item:
    if n_characters is None:
        return item
    cut = (replace(response, output=response.output[:n_characters]) for response in item.responses)
    return replace(item, responses=tuple(cut))
