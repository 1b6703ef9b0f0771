"""Looking before a run: one prompt as it is sent, and how fast this machine reads prompts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from judgecli import prompts
from judgecli.errors import DataError, NoPairsError, UsageError
from judgecli.run.execution import PreparedRun
from judgecli.run.given import Comparison, Given
from judgecli.run.grade import GradeOptions, read_answers_to_grade
from judgecli.run.judge_choice import ChosenJudge, chosen_judge
from judgecli.run.pair import PairOptions, read_pairs
from judgecli.run.rank import RankOptions, read_models
from judgecli.types import LETTERS, DecidedBy, Item, Order, Piece, Prompt
from judgecli.verdicts import decide_without_judge


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPrompt:
    """A rendered prompt, and a line on its tokens, units, family and flags, and what follows the reasons."""

    text: str
    facts: str


def show_prompt(
    options: PairOptions | GradeOptions | RankOptions, *, item_id: str | None, order: str | None
) -> ShownPrompt:
    """Return the prompt about an item's answers in an order, such as `ba`, as a run of the options sends it.

    The first item where `item_id` is None, the first of the run's own orders where `order` is.

    Raises:
        DataError: the input is wrong, no item has this id, or the family has no such prompt.
        ModelError: the judge is unknown, missing or damaged.
        UsageError: there is no such order, or options contradict each other.
    """
    given = _read(options)
    item = _find(given, item_id)
    asked = None if order is None else _order(order, len(item.responses))
    with chosen_judge(options) as judge:
        comparisons = [given.for_item(one, item) for one in given.comparisons(judge.family)]
        shown = asked or comparisons[0].orders[0]
        file = given.recorded.get("reference")
        prompts.check_items(judge.family, len(shown), (item,), judge.asking, reference_file=file)
        prompt = prompts.render(
            judge.family, item, shown, judge.template, asking=judge.asking, for_ranking=given.for_ranking
        )
        text = _sent(prompt, judge, len(shown))
        facts = f"{_counted(prompt, text, judge)}, {given.noun} {item.id}, order {shown}"
        beside = [*_beside(prompt, judge, len(shown)), *_by_rule(comparisons, item, shown)]
        return ShownPrompt(text=text, facts="; ".join([facts, *beside]))


def _read(options: PairOptions | GradeOptions | RankOptions) -> Given:
    if isinstance(options, GradeOptions):
        return read_answers_to_grade(options)
    if isinstance(options, RankOptions):
        return read_models(options)
    try:
        return read_pairs(options)
    except NoPairsError as error:
        raise UsageError(f"{error}, or --order a for the prompt that grades one answer") from error


def _find(given: Given, item_id: str | None) -> Item:
    for item in given.items:
        if item_id in {None, item.id}:
            return item
    there_are = f"there are {len(given.items)}, the first is {given.items[0].id!r}"
    raise DataError(f"no {given.noun} has the id {item_id!r}; {there_are}")


def _order(letters: str, n_models: int) -> Order:
    known = LETTERS[:n_models]
    if set(letters.upper()) <= set(known):
        try:
            return Order(letters.upper())
        except ValueError:
            pass  # it is empty, or a letter occurs twice
    many = f"letters from a to {known[-1].lower()}, each once"
    wanted = {1: "a", 2: "ab or ba"}.get(n_models, many)
    raise UsageError(f"--order must be {wanted}, not {letters!r}")


def _sends_messages(judge: ChosenJudge) -> bool:
    return hasattr(judge.module, "show_sent")


def _sent(prompt: Prompt, judge: ChosenJudge, n_seats: int) -> str:
    """Return what the judge gets: the prompt itself, or what its backend makes of it."""
    if not _sends_messages(judge):
        return prompt.text
    place = judge.family.task(n_seats, judge.asking).place
    return str(judge.module.show_sent(prompt, place))


def _counted(prompt: Prompt, text: str, judge: ChosenJudge) -> str:
    if _sends_messages(judge):
        n_words = sum(map(len, judge.tokenizer.encode(Prompt(pieces=(Piece(text=text),)))))
        return f"about {n_words:,} words, family {judge.family.name}, {judge.name}"
    units = judge.tokenizer.encode(prompt)
    limit = f" of {judge.n_ctx_limit:,}" if judge.n_ctx_limit else ""
    counts = " + ".join(str(len(unit)) for unit in units)
    return f"{sum(map(len, units)):,} tokens{limit} ({counts}), family {judge.family.name}, {judge.name}"


def _beside(prompt: Prompt, judge: ChosenJudge, n_seats: int) -> Iterator[str]:
    conclusion = judge.family.task(n_seats, judge.asking).conclusion
    if conclusion:
        put = "then asked to complete" if _sends_messages(judge) else "put after the reasons"
        yield f"{put}: {conclusion!r}"
    yield from prompt.flags


def _by_rule(comparisons: Sequence[Comparison], item: Item, shown: Order) -> Iterator[str]:
    """Say which rule decides, where it does in every comparison that the prompt has a part in."""
    asked = {one.letters for one in comparisons if shown in one.orders}
    letters = asked or {Order("".join(sorted(shown)))}
    rules = {decide_without_judge(item, one) for one in letters}
    if None not in rules:
        names = ("all empty" if rule is DecidedBy.BOTH_EMPTY and len(shown) > 2 else rule for rule in rules)
        yield f"decided by rule ({', '.join(sorted(map(str, names)))}), so this prompt is never sent"


def measure_speed(run: PreparedRun) -> float | None:
    """Load the judge and read one prompt; return tokens a second, None if nothing is left or no time passed.

    The answer to it is thrown away, and no reasons are asked for.

    Raises:
        ModelError: the judge does not load.
    """
    if not run.open:
        return None
    item = run.open[0]
    with run.load() as backend:
        (completion,) = backend.judge([replace(item.request, n_reason_tokens=0)])
    return item.n_tokens / completion.elapsed_s if completion.elapsed_s > 0 else None
