"""The blocks that a prompt is made of: stretches of text, each with the condition for its being there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class When(StrEnum):
    """A condition under which a block is part of the prompt.

    The question is the instruction and its input; the reference is an example's own in a block that is
    repeated for every example.
    """

    QUESTION = "question"
    NO_QUESTION = "no-question"
    INPUT = "input"
    NO_INPUT = "no-input"
    REFERENCE = "reference"
    NO_REFERENCE = "no-reference"
    REFERENCE_BLOCK = "reference-block"
    CONVERSATION = "conversation"
    NO_CONVERSATION = "no-conversation"
    RUBRIC = "rubric"
    NO_RUBRIC = "no-rubric"
    ASPECT = "aspect"
    NO_ASPECT = "no-aspect"
    COT = "cot"
    NO_COT = "no-cot"
    SHOTS = "shots"
    NO_SHOTS = "no-shots"


def holding(**facts: bool) -> frozenset[When]:
    """Return the conditions that hold, given what there is: `reference=False` makes `no-reference` hold."""
    met = (name if is_there else f"no_{name}" for name, is_there in facts.items())
    return frozenset(_NAMED[name] for name in met if name in _NAMED)


_NAMED = {when.name.lower(): when for when in When}


class Role(StrEnum):
    """Whose words a block is part of."""

    SYSTEM = "system"
    USER = "user"


class Each(StrEnum):
    """What a block is repeated for."""

    TURN = "turn"
    ANSWER = "answer"
    SHOT = "shot"


class Cut(StrEnum):
    """When what comes before the end of a block is evaluated apart from what follows, to be shared.

    The first of two answers is shared where each of several models meets each other one, in a ranking;
    elsewhere a cut after it would only make two small calls of a larger one.
    """

    NEVER = "never"
    ALWAYS = "always"
    RANKING = "ranking"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A stretch of a prompt's text with placeholders.

    It is there where all conditions of `when` hold, once for each of what `each` names, the outermost
    first; blocks next to each other with the same `each` are repeated together. `cut` says when an
    evaluation unit ends after it.
    """

    text: str
    role: Role = Role.USER
    when: frozenset[When] = frozenset()
    each: tuple[Each, ...] = ()
    cut: Cut = Cut.NEVER


def takes(blocks: Iterable[Block], when: When) -> bool:
    """Whether a condition makes a difference to a prompt."""
    return any(when in block.when for block in blocks)
