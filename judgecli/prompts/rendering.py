"""From a family and an item to the prompt that asks about its answers in one order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from judgecli.errors import ModelError
from judgecli.prompts.asking import Asking
from judgecli.prompts.block_tables import PLACEHOLDER
from judgecli.prompts.blocks import Block, Cut, Each, Role
from judgecli.prompts.chat_template import wrap_in_template
from judgecli.prompts.family import PromptFamily, Wrapper
from judgecli.prompts.filling import Filling, filling
from judgecli.types import Item, Order, Piece, PieceKind, Prompt


def render(
    family: PromptFamily,
    item: Item,
    order: Order,
    template: str | None = None,
    *,
    asking: Asking | None = None,
    for_ranking: bool = False,
) -> Prompt:
    """Return the prompt that asks about the answers seated in an order: one letter, two, or more.

    `for_ranking` cuts it after the first answer too, which then is shared with that model's other pairs.

    `template` is the model's chat template (Jinja text), needed by families that go through one. Text of the
    item is data: markers in it are altered and flagged.

    Raises:
        DataError: the family has no prompt for so many answers, or an example has no verdict that fits.
        ModelError: the family needs a chat template and there is none, or it cannot be rendered.
    """
    asking = asking or Asking()
    filled, flags = filling(family, item, order, asking)
    cuts = {Cut.ALWAYS, Cut.RANKING} if for_ranking else {Cut.ALWAYS}
    section = family.section(len(order))
    words = list(_expanded(section.blocks, filled, cuts))
    system = "".join(piece.text for role, piece in words if role is Role.SYSTEM)
    user = [piece for role, piece in words if role is Role.USER]
    begun = _fill(section.form_for(asking).assistant_prefix, filled)
    return Prompt(pieces=_wrapped(family, template, system, user, begun), flags=flags)


def _expanded(
    blocks: Sequence[Block], filled: Filling, cuts: set[Cut], depth: int = 0
) -> Iterator[tuple[Role, Piece]]:
    """Yield the pieces of blocks; those next to each other that are repeated for the same are so together."""
    for each, group in groupby(blocks, key=lambda block: _each(block, depth)):
        if each is not None:
            together = tuple(group)
            for one in filled.within[each]:
                yield from _expanded(together, filled.inside(one), cuts, depth + 1)
            continue
        for block in group:
            if block.when <= filled.holds:
                yield block.role, Piece(text=_fill(block.text, filled), cut=block.cut in cuts)


def _each(block: Block, depth: int) -> Each | None:
    return block.each[depth] if depth < len(block.each) else None


def _fill(text: str, filled: Filling) -> str:
    """Fill placeholders in one pass, so that braces in an answer stay text."""
    return PLACEHOLDER.sub(lambda match: filled.values.get(match[1], match[0]), text)


def _wrapped(
    family: PromptFamily, template: str | None, system: str, user: list[Piece], begun: str
) -> tuple[Piece, ...]:
    if family.wrapper is Wrapper.RAW:
        return (*user, Piece(text=begun)) if begun else tuple(user)
    if family.wrapper is Wrapper.TEXT:
        return tuple(_in_text(family.wrapper_text, system, user, begun))
    if not template:
        message = f"the prompt family {family.name!r} needs a chat template and this GGUF has none"
        raise ModelError(f"{message}; name one with --template")
    return wrap_in_template(template, system, user, begun)


def _in_text(wrapper: str, system: str, user: list[Piece], begun: str) -> Iterator[Piece]:
    """Yield the pieces of a prompt in a family's own wrapper, cut before the user's words.

    Its literals may be control tokens of the model's vocabulary; where they are none they are plain text.
    """
    opening, _, closing = wrapper.partition("{user}")
    before, has_system, between = opening.partition("{system}")
    if has_system:
        yield Piece(text=before, kind=PieceKind.MARKUP)
        yield Piece(text=system)
    yield Piece(text=between if has_system else before, kind=PieceKind.MARKUP, cut=True)
    yield from user
    yield Piece(text=closing, kind=PieceKind.MARKUP)
    if begun:
        yield Piece(text=begun)
