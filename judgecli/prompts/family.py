"""A prompt family: how one kind of judge is asked about one answer, two, or more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import Any

from judgecli.errors import DataError
from judgecli.prompts.asking import Asking
from judgecli.prompts.blocks import Block, Each, When, takes
from judgecli.prompts.grammars import GrammarTable, fill_scale
from judgecli.types import Grammar, Locate, ReadingRule, VerdictPlace, locate_last

LAST_MATCH = "last_match"
RUBRIC_LINE = "Score {score}: {description}"
_TASKS = ("single", "pair", "multi")
_SHOWN = ("one answer", "two answers", "three answers or more")


class Wrapper(StrEnum):
    """What stands around the family's own words: nothing, the model's chat template, or a text."""

    RAW = "raw"
    CHAT = "chat"
    TEXT = "text"


class Need(StrEnum):
    """What a prompt cannot do without."""

    REFERENCE = "reference"
    RUBRIC = "rubric"


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What a judge may say to one kind of prompt, where in its text, and how that is read.

    `max_tokens` is the budget for a text that holds the verdict; None leaves it to the run. `stop` ends what
    it writes; `conclusion` is then put after it, as the beginning of the verdict. With `needs_reference`
    every item must have one; `uses_reference` says whether it is shown.
    """

    grammar: Grammar
    rule: ReadingRule
    place: VerdictPlace = VerdictPlace.FIRST
    stop: tuple[str, ...] = ()
    max_tokens: int | None = None
    locate: Locate | None = None
    conclusion: str = ""
    needs_reference: bool = False
    needs_rubric: bool = False
    uses_reference: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """How a verdict is given and read.

    `assistant_prefix` begins the reply for the judge, `conclusion` its verdict after the reasons.
    """

    grammar: GrammarTable
    reader: str
    pattern: str = ""
    assistant_prefix: str = ""
    conclusion: str = ""
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    parts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """The prompt for one answer, two, or more; `cot` is how the verdict is given after reasons.

    `own_words` are its literal texts as a searching reader compares them, `placeholders` those in its blocks.
    """

    form: Form
    blocks: tuple[Block, ...]
    cot: Form | None = None
    needs: frozenset[Need] = frozenset()
    own_words: str = ""
    placeholders: frozenset[str] = frozenset()

    def form_for(self, asking: Asking) -> Form:
        """Return the form that is asked for; where there is one only, it gives its reasons first anyway."""
        return self.cot if asking.cot and self.cot is not None else self.form

    def shows(self, *names: str) -> bool:
        """Whether any of these placeholders is in a block."""
        return not self.placeholders.isdisjoint(names)


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptFamily:
    """How one kind of judge is asked, and what it may answer. `hash` is the file's SHA-256 (hex).

    `fine_tuned` families were trained on exactly these prompts. `wrapper_text` is set with `Wrapper.TEXT`.
    """

    name: str
    hash: str
    single: Section | None = None
    pair: Section | None = None
    multi: Section | None = None
    title: str = ""
    source: str = ""
    licence: str = ""
    fine_tuned: bool = False
    wrapper: Wrapper = Wrapper.RAW
    wrapper_text: str = ""
    markers: tuple[str, ...] = ()
    rubric_line: str = RUBRIC_LINE
    sampling: Mapping[str, Any] = field(default_factory=dict)

    @property
    def uses_reference(self) -> bool:
        """Whether a reference answer has a place in any prompt."""
        sections = filter(None, (self.single, self.pair, self.multi))
        return any(section.shows("reference", "alternative") for section in sections)

    def has_task(self, n_seats: int) -> bool:
        """Whether there is a prompt that shows so many answers."""
        return self._section(n_seats) is not None

    def task(self, n_seats: int, asking: Asking | None = None) -> Task:
        """Return how so many answers are asked about.

        Raises:
            DataError: the family has no such prompt, or not in the way that is asked for.
        """
        asking = asking or Asking()
        section = self.section(n_seats)
        self._check(section, n_seats, asking)
        form = section.form_for(asking)
        rubric = asking.rubric if section.shows("rubric") else None
        try:
            grammar = form.grammar.grammar(n_seats, rubric)
        except DataError as error:
            raise DataError(f"the prompt family {self.name!r} cannot be asked so: {error}") from error
        rule = _rule(section, form)
        place = _place(form, n_seats)
        return Task(
            grammar=grammar,
            rule=rule,
            place=place,
            stop=form.stop,
            max_tokens=form.max_tokens,
            locate=partial(locate_last, rule=rule, grammar=grammar) if place is VerdictPlace.LAST else None,
            conclusion=fill_scale(form.conclusion, form.grammar, n_seats, rubric),
            needs_reference=Need.REFERENCE in section.needs,
            needs_rubric=Need.RUBRIC in section.needs,
            uses_reference=section.shows("reference", "alternative"),
        )

    def section(self, n_seats: int) -> Section:
        """Return the prompt that shows so many answers.

        Raises:
            DataError: there is none.
        """
        found = self._section(n_seats)
        if found is None:
            known = [shown for name, shown in zip(_TASKS, _SHOWN, strict=True) if getattr(self, name)]
            wanted = _SHOWN[min(n_seats, 3) - 1]
            message = f"the prompt family {self.name!r} has no prompt for {wanted}, only for"
            raise DataError(f"{message} {' and '.join(known)}; name another with --prompt")
        return found

    def _section(self, n_seats: int) -> Section | None:
        return (self.single, self.pair, self.multi)[min(n_seats, 3) - 1]

    def _check(self, section: Section, n_seats: int, asking: Asking) -> None:
        """Refuse what the prompt has no form for: it would be left out in silence."""
        blocks = section.blocks
        shown = f"the prompt for {_SHOWN[min(n_seats, 3) - 1]} of the family {self.name!r}"
        takes_shots = any(Each.SHOT in block.each for block in blocks)
        takes_rubric = section.shows("rubric", "criterion")
        takes_cot = section.cot is not None or section.form.reader == LAST_MATCH
        takes_block = takes(blocks, When.REFERENCE_BLOCK)
        lacking = {
            "place for an aspect; leave --aspect out": asking.aspect and not takes(blocks, When.ASPECT),
            "form with reasons first; leave --cot out": asking.cot and not takes_cot,
            "place for examples; leave --shots out": asking.shots is not None and not takes_shots,
            "place for a rubric; leave --rubric out": asking.rubric is not None and not takes_rubric,
            "reference block of its own; leave it out": asking.reference_block and not takes_block,
        }
        for what, is_lacking in lacking.items():
            if is_lacking:
                raise DataError(f"{shown} has no {what}, or name another family with --prompt")
        if asking.rubric is None and Need.RUBRIC in section.needs:
            raise DataError(f"{shown} needs a rubric; give one with --rubric FILE")


def is_off_protocol(family: PromptFamily, asking: Asking) -> bool:
    """Whether a judge is asked otherwise than it was trained to be: by aspect, reasons first or examples."""
    varies = bool(asking.aspect) or asking.shots is not None or (asking.cot and _changes_form(family))
    return family.fine_tuned and varies


def _changes_form(family: PromptFamily) -> bool:
    sections = filter(None, (family.single, family.pair, family.multi))
    return any(section.cot is not None or takes(section.blocks, When.COT) for section in sections)


def _rule(section: Section, form: Form) -> ReadingRule:
    is_search = form.reader == LAST_MATCH
    return ReadingRule(
        reader=form.reader,
        pattern=form.pattern,
        parts=form.parts,
        begun=form.assistant_prefix if is_search else "",
        own_words=section.own_words if is_search else "",
    )


def _place(form: Form, n_seats: int) -> VerdictPlace:
    if n_seats > 2:
        return VerdictPlace.IN_TEXT
    return VerdictPlace.LAST if form.reader == LAST_MATCH else VerdictPlace.FIRST
