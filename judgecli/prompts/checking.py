"""What a task needs of the items, checked before a model is loaded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from judgecli.errors import DataError
from judgecli.prompts.asking import Asking
from judgecli.prompts.blocks import Each, When, takes
from judgecli.prompts.family import PromptFamily, Section
from judgecli.prompts.verdict_texts import verdict_text
from judgecli.types import Item


def check_items(
    family: PromptFamily,
    n_seats: int,
    items: Iterable[Item],
    asking: Asking | None = None,
    *,
    reference_file: str | None = None,
) -> None:
    """Refuse items that lack what the prompt for so many answers shows, and examples it cannot show.

    `reference_file` is where their references were read, for the sentence about one that is lacking.

    Raises:
        DataError: an item has no reference where one is needed, or turns the prompt has no place for; an
            example has no verdict that fits; the family has no such prompt.
    """
    asking = asking or Asking()
    task = family.task(n_seats, asking)
    section = family.section(n_seats)
    if asking.shots is not None:
        for shot in asking.shots.shots:
            verdict_text(shot, task.grammar, n_seats)
            if asking.cot and _shows_reasons(section) and not shot.reasons:
                message = "the example needs reasons, as the judge is to give its own first"
                raise DataError(f"{shot.where}: {message}")
    remedy = f"{reference_file} has none for it" if reference_file else "give them with --reference FILE"
    for item in items:
        if task.needs_reference and not item.reference:
            lacking = f"needs a reference answer here; {remedy}"
            raise DataError(f"item {item.id!r}: the prompt family {family.name!r} {lacking}")
        problem = next(_problems(section, item, n_seats), None)
        if problem:
            raise DataError(f"item {item.id!r}: the prompt family {family.name!r} {problem}")


def _shows_reasons(section: Section) -> bool:
    return any(Each.SHOT in block.each and "{reasons}" in block.text for block in section.blocks)


def _problems(section: Section, item: Item, n_seats: int) -> Iterator[str]:
    if item.n_turns > 1 and not takes(section.blocks, When.CONVERSATION):
        turns = f"the item has {item.n_turns} turns"
        ways = "mt-bench, chat or judgelm" if n_seats < 3 else "judgelm, or --mode pairs"
        yield f"has no prompt for conversations here, and {turns}; take --prompt {ways}"
    if item.n_turns > 1 and item.reference and _shows_turns_references(section):
        known = (*item.earlier_references, item.reference)
        missing = [turn for turn in range(1, item.n_turns) if turn > len(known) - 1 or not known[turn - 1]]
        if missing:
            lacking = f"turn {missing[0]} has none"
            yield f"shows a reference for every turn, and {lacking}; drop them with --no-reference"


def _shows_turns_references(section: Section) -> bool:
    return any(Each.TURN in block.each and "{reference}" in block.text for block in section.blocks)
