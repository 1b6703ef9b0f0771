"""Prompt families: how each kind of judge is asked. A new family is one new TOML file in families/."""

from __future__ import annotations

from pathlib import Path

from judgecli.errors import DataError, ModelError
from judgecli.prompts.chat_template import named_template, wrap_in_template
from judgecli.prompts.family import PLACEHOLDER, Block, Cut, PromptFamily, When, Wrapper, read_family
from judgecli.prompts.markers import alter_markers
from judgecli.types import Order, Pair, Piece, Prompt

__all__ = ["PromptFamily", "Wrapper", "family_names", "load_family", "named_template", "render"]

_FAMILIES = Path(__file__).parent / "families"


def family_names() -> list[str]:
    """Return the names of the families that come with judgecli."""
    return sorted(file.stem for file in _FAMILIES.glob("*.toml"))


def load_family(name: str) -> PromptFamily:
    """Return a family by name, or from a user's own TOML file.

    Raises:
        DataError: there is no such family, or its file is wrong.
    """
    if name in family_names():
        return read_family(_FAMILIES / f"{name}.toml")
    path = Path(name)
    if path.suffix == ".toml" or path.exists():
        return read_family(path)
    known = ", ".join(family_names())
    raise DataError(f"no prompt family {name!r}; there are {known}, or give a TOML file of your own")


def render(
    family: PromptFamily,
    pair: Pair,
    order: Order,
    template: str | None = None,
    *,
    for_ranking: bool = False,
) -> Prompt:
    """Return the prompt that asks about a pair in one order.

    `for_ranking` cuts it after the first answer too, which then is shared with that model's other pairs.

    `template` is the model's chat template (Jinja text), needed by families that go through one. Text of the
    pair is data: markers in it are altered and flagged.

    Raises:
        ModelError: the family needs a chat template and there is none, or it cannot be rendered.
    """
    values, flags = _values(family, pair, order)
    cuts = {Cut.ALWAYS, Cut.RANKING} if for_ranking else {Cut.ALWAYS}
    user = [_fill(block, values, cuts) for block in family.pair if _applies(block, pair)]
    if family.wrapper is Wrapper.RAW:
        pieces = tuple(user)
        if family.assistant_prefix:
            pieces = (*pieces, Piece(text=family.assistant_prefix))
        return Prompt(pieces=pieces, flags=flags)
    if not template:
        message = f"the prompt family {family.name!r} needs a chat template and this GGUF has none"
        raise ModelError(f"{message}; name one with --template")
    return Prompt(
        pieces=wrap_in_template(template, family.system, user, family.assistant_prefix), flags=flags
    )


def _values(family: PromptFamily, pair: Pair, order: Order) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return what fills the placeholders, markers altered, and a flag for each text that was."""
    first, second = pair.responses(order)
    side_1, side_2 = ("A", "B") if order is Order.AB else ("B", "A")
    texts = {
        "instruction": ("the instruction", pair.instruction),
        "input": ("the input", pair.input or ""),
        "reference": ("the reference", pair.reference or ""),
        "response_1": (f"answer {side_1}", first.output),
        "response_2": (f"answer {side_2}", second.output),
    }
    values = {name: alter_markers(text, family.markers) for name, (_, text) in texts.items()}
    flags = {f"marker altered in {what}" for name, (what, text) in texts.items() if values[name] != text}
    joined = "\n\n".join(filter(None, (values["instruction"], values["input"])))
    values["question"] = alter_markers(joined, family.markers)
    if values["question"] != joined:  # one that began in the instruction and ended in the input
        flags.add("marker altered in the instruction")
    return values, tuple(sorted(flags))


def _applies(block: Block, pair: Pair) -> bool:
    return {
        When.ALWAYS: True,
        When.REFERENCE: bool(pair.reference),
        When.NO_REFERENCE: not pair.reference,
        When.INPUT: bool(pair.input),
        When.NO_INPUT: not pair.input,
    }[block.when]


def _fill(block: Block, values: dict[str, str], cuts: set[Cut]) -> Piece:
    """Fill a block in one pass, so that braces in an answer stay text."""
    text = PLACEHOLDER.sub(lambda match: values[match.group(1)], block.text)
    return Piece(text=text, cut=block.cut in cuts)
