"""What fills a prompt's placeholders: the item's own texts with markers altered, and what the run adds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from judgecli.prompts.asking import Asking, Shot
from judgecli.prompts.block_tables import NUMBER_WORDS, ORDINALS
from judgecli.prompts.blocks import Each, When, holding
from judgecli.prompts.family import PromptFamily
from judgecli.prompts.grammars import scale_values
from judgecli.prompts.markers import alter_markers
from judgecli.prompts.references import drawn, joined
from judgecli.prompts.verdict_texts import verdict_text
from judgecli.types import Item, Order, Response


@dataclass(slots=True)
class Altering:
    """Alters markers in texts that are data, and keeps a flag for each kind of text it had to alter."""

    markers: tuple[str, ...]
    flags: set[str] = field(default_factory=set)

    def __call__(self, what: str, text: str) -> str:
        """Return a text with its markers altered."""
        altered = alter_markers(text, self.markers)
        if altered != text:
            self.flags.add(f"marker altered in {what}")
        return altered


@dataclass(frozen=True, slots=True)
class Filling:
    """Values of placeholders by name, the conditions that hold, and what blocks are repeated for."""

    values: Mapping[str, str]
    holds: frozenset[When]
    within: Mapping[Each, tuple[Filling, ...]] = field(default_factory=dict)

    def inside(self, one: Filling) -> Filling:
        """Return what fills a block that is repeated, for one of what it is repeated for."""
        return Filling({**self.values, **one.values}, one.holds or self.holds, {**self.within, **one.within})


def filling(
    family: PromptFamily, item: Item, order: Order, asking: Asking
) -> tuple[Filling, tuple[str, ...]]:
    """Return what fills the prompt about the answers seated in an order, and flags for what was altered."""
    alter = Altering(family.markers)
    seated = item.seated(order)
    section = family.section(len(order))
    with_alternatives = section.shows("alternative")
    turns = tuple(_turns(item, order, seated, alter))
    last = turns[-1]
    values = {
        **last.values,
        "instruction": alter("the instruction", item.instruction),
        "input": alter("the input", item.input or ""),
        **_of_the_run(family, len(order), asking),
        "ordinal": _ordinal(item.n_turns),
    }
    if item.reference and (with_alternatives or "imagename" in item.metadata):  # MM-Vet marks
        values["reference"] = alter("the reference", joined(item.reference))
        values["alternative"] = alter("the reference", drawn(item.reference, item.id))
    within = {
        Each.TURN: turns,
        Each.ANSWER: tuple(_answers(order, turns)) if len(order) > 2 else (),
        Each.SHOT: tuple(_shots(family, len(order), asking, alter)),
    }
    return Filling(values, _holding(item, asking), within), tuple(sorted(alter.flags))


def _holding(item: Item, asking: Asking) -> frozenset[When]:
    return holding(
        question=bool(item.instruction.strip() or item.input),
        input=bool(item.input),
        reference=bool(item.reference),
        reference_block=asking.reference_block and bool(item.reference),
        conversation=item.n_turns > 1,
        rubric=asking.rubric is not None,
        aspect=bool(asking.aspect),
        cot=asking.cot,
        shots=asking.shots is not None,
    )


def _turns(item: Item, order: Order, seated: tuple[Response, ...], alter: Altering) -> Iterator[Filling]:
    """Yield each turn: its question, reference and answers; the last one is the one that is judged."""
    own = (alter("the instruction", item.instruction), alter("the input", item.input or ""))
    questions = (*item.earlier_instructions, "\n\n".join(filter(None, own)))
    earlier = item.earlier_references or (None,) * len(item.earlier_instructions)
    outputs_of = [(*one.earlier_outputs, one.output) for one in seated]
    for turn, (question, reference) in enumerate(zip(questions, (*earlier, item.reference), strict=True), 1):
        outputs = [texts[turn - 1] for texts in outputs_of]
        answers = [alter(f"answer {letter}", text) for letter, text in zip(order, outputs, strict=True)]
        values = {
            "turn": str(turn),
            # one that began in the instruction and ended in the input is altered here
            "question": alter("the instruction", question),
            "reference": alter("the reference", reference or ""),
            "response": answers[0],
            **{f"response_{number}": text for number, text in enumerate(answers, 1)},
        }
        yield Filling(values, frozenset())


def _answers(order: Order, turns: tuple[Filling, ...]) -> Iterator[Filling]:
    """Yield each answer by its number, and within it each of its turns."""
    for number in range(1, len(order) + 1):
        own = tuple(
            replace(turn, values={**turn.values, "response": turn.values[f"response_{number}"]})
            for turn in turns
        )
        values = {"number": str(number), "response": own[-1].values["response"]}
        yield Filling(values, frozenset(), {Each.TURN: own})


def _of_the_run(family: PromptFamily, n_seats: int, asking: Asking) -> dict[str, str]:
    """Return what is the same in all prompts of a run."""
    rubric = asking.rubric
    numbers = [str(number) for number in range(1, n_seats + 1)]
    values = {
        "criterion": rubric.criterion if rubric else "",
        "rubric": rubric.lines(family.rubric_line) if rubric else "",
        "aspect": asking.aspect_text,
        "n_word": NUMBER_WORDS[n_seats],
        "seats": " and ".join(filter(None, (", ".join(numbers[:-1]), numbers[-1]))),
    }
    section = family.section(n_seats)
    shown_rubric = rubric if section.shows("rubric") else None
    return values | scale_values(section.form_for(asking).grammar, n_seats, shown_rubric)


def _ordinal(n: int) -> str:
    return ORDINALS[n - 1] if n <= len(ORDINALS) else "last"


def _shots(family: PromptFamily, n_seats: int, asking: Asking, alter: Altering) -> Iterator[Filling]:
    if asking.shots is None or n_seats > 2:
        return
    grammar = family.task(n_seats, asking).grammar
    for shot in asking.shots.shots:
        yield Filling(
            {**_shot_values(shot, alter), "verdict": verdict_text(shot, grammar, n_seats)},
            holding(
                question=True,
                reference=bool(shot.reference),
                conversation=False,
                rubric=asking.rubric is not None,
                aspect=bool(asking.aspect),
                cot=asking.cot,
                shots=True,
            ),
        )


def _shot_values(shot: Shot, alter: Altering) -> dict[str, str]:
    answers = [alter("an example", text) for text in shot.answers]
    return {
        "question": alter("an example", shot.question),
        "reference": alter("an example", shot.reference or ""),
        "reasons": shot.reasons or "",
        "response": answers[0],
        **{f"response_{number}": text for number, text in enumerate(answers, 1)},
    }
