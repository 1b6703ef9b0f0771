"""Published prompts are a judge's input protocol: every family's equal theirs to the byte."""

import json
import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from judgecli.prompts import Asking, Rubric, load_family, render
from judgecli.types import Item, Order, Response, Source
from tests.places import shared_data

QUESTION = "What is {response} of\n\n2 and {question} 2?  "
REFERENCE = "  Four {reference},\nsurely."
ANSWERS = ("It is {response_2}\n4.", " 5 \\1 {x}", "{number} 6")
EARLIER = ("First question {turn}?", "Its reference.", ("one {a}", "two"))
SCALE = Rubric(criterion="Is it {right}?", scores={n: f"It is {n} {{score}}." for n in range(1, 6)})
YES_NO = Rubric(criterion="Is it right?", labels={"Yes": "It is.", "No": "It {is} not."})
TEMPLATE = "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{% endfor %}<|assistant|>"
SPELLED = {n: f"rubric_score_{n}_description" for n in SCALE.scores}


@dataclass(frozen=True)
class Case:
    """A published prompt: its row, the family that has it, and what fills the row's placeholders."""

    row: tuple[str, str]
    family: str
    order: str = "AB"
    is_conversation: bool = False
    has_reference: bool = False
    input: str | None = None
    instruction: str = QUESTION
    asking: Asking = field(default_factory=Asking)
    fill: Mapping[str, str] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return f"{self.family}-{self.row[1]}"

    @property
    def item(self) -> Item:
        source = Source(file="made-up.jsonl", line=1)
        earlier = EARLIER[2] if self.is_conversation else ("", "")
        responses = tuple(
            Response(output=text, source=source, earlier_outputs=(before,) if self.is_conversation else ())
            for text, before in zip(ANSWERS, (*earlier, ""), strict=True)
        )
        return Item(
            id="q1",
            instruction=self.instruction,
            input=self.input,
            reference=REFERENCE if self.has_reference else None,
            responses=responses,
            earlier_instructions=(EARLIER[0],) if self.is_conversation else (),
            earlier_references=(EARLIER[1],) if self.is_conversation and self.has_reference else (),
        )


def by_number(*names: str) -> dict[str, str]:
    return dict(zip(names, ANSWERS, strict=False))


WITH_RUBRIC = Asking(rubric=SCALE)
LINES = "\n".join(f"Score {n}: {text}" for n, text in SCALE.scores.items())
REF = {"reference": REFERENCE, "reference_answer": REFERENCE, "ref_answer_1": REFERENCE}
ANSWER_1_AND_2 = {"question": QUESTION, **by_number("answer_1", "answer_2"), **REF}
SELENE = {
    "user_input": QUESTION,
    "assistant_response": ANSWERS[0],
    **by_number("assistant_response_a", "assistant_response_b"),
    "rubric_objective": SCALE.criterion,
    "reference_response": REFERENCE,
    **{SPELLED[n]: text for n, text in SCALE.scores.items()},
}
SELENE_LABELS = {
    **SELENE,
    "rubric_objective": YES_NO.criterion,
    "rubric_yes_description": YES_NO.labels["Yes"],
    "rubric_no_description": YES_NO.labels["No"],
}
ABSOLUTE = {"instruction": QUESTION, "response": ANSWERS[0], "rubric": f"[{SCALE.criterion}]\n{LINES}", **REF}
RELATIVE = {**ABSOLUTE, **by_number("response_A", "response_B"), "rubric": f"[{SCALE.criterion}]"}
PROMETHEUS_1 = {
    "orig_instruction": QUESTION,
    "orig_response": ANSWERS[0],
    "orig_reference_answer": REFERENCE,
    "orig_criteria": SCALE.criterion,
    **{f"orig_score{n}_description": text for n, text in SCALE.scores.items()},
}
FLOW = {
    "INPUTS": f"<query>\n{QUESTION}\n</query>\n<context>\nsome input\n</context>"
    f"\n<reference_answer>\n{REFERENCE}\n</reference_answer>",
    "OUTPUT": f"<response>\n{ANSWERS[0]}\n</response>",
    "EVALUATION_CRITERIA": SCALE.criterion,
    "RUBRIC": "\n".join(f"- Score {n}: {text}" for n, text in SCALE.scores.items()),
}
MT = {"question": QUESTION, **by_number("answer_a", "answer_b"), "answer": ANSWERS[0], **REF}
MT_TURNS = {
    "question_1": EARLIER[0],
    "question_2": QUESTION,
    "ref_answer_1": EARLIER[1],
    "ref_answer_2": REFERENCE,
    "answer_1": EARLIER[2][0],
    "answer_2": ANSWERS[0],
    **dict(zip(("answer_a_1", "answer_b_1"), EARLIER[2], strict=True)),
    **by_number("answer_a_2", "answer_b_2"),
}
# the reference has alternatives in MM-Vet only
GRADED = {"question": QUESTION, "reference": REFERENCE, "answer_1": REFERENCE, "answer_2": ANSWERS[0]}
GOLD = {**GRADED, "reference": REFERENCE.strip(), "answer_1": REFERENCE.strip()}
PANDALM = {"instruction": QUESTION, "input": "some input", **by_number("response_1", "response_2")}

CASES = [
    Case(("judgelm", "pair"), "judgelm", fill=ANSWER_1_AND_2),
    Case(("judgelm", "pair+reference"), "judgelm", has_reference=True, fill=ANSWER_1_AND_2),
    Case(("judgelm", "single"), "judgelm", "A", has_reference=True, fill=GRADED),
    Case(
        ("judgelm", "single+reference"),
        "judgelm",
        "A",
        has_reference=True,
        asking=Asking(reference_block=True),
        fill=GRADED,
    ),
    Case(("judgelm", "multimodal (MM-Vet)"), "judgelm-mm-vet", "A", has_reference=True, fill=GOLD),
    Case(("pandalm", "pair"), "pandalm", fill=PANDALM),
    Case(("pandalm", "pair with input"), "pandalm", input="some input", fill=PANDALM),
    Case(("auto-j", "single"), "auto-j", "A", fill={"prompt": QUESTION, "response": ANSWERS[0]}),
    Case(
        ("auto-j", "pair"),
        "auto-j",
        fill={"prompt": QUESTION, **by_number("response", "response_another")},
    ),
    Case(
        ("prometheus-1", "absolute+reference"),
        "prometheus-1",
        "A",
        has_reference=True,
        asking=WITH_RUBRIC,
        fill=PROMETHEUS_1,
    ),
    Case(("prometheus-2", "absolute"), "prometheus-2", "A", asking=WITH_RUBRIC, fill=ABSOLUTE),
    Case(
        ("prometheus-2", "absolute+reference"),
        "prometheus-2",
        "A",
        has_reference=True,
        asking=WITH_RUBRIC,
        fill=ABSOLUTE,
    ),
    Case(("prometheus-2", "relative"), "prometheus-2", asking=WITH_RUBRIC, fill=RELATIVE),
    Case(
        ("prometheus-2", "relative+reference"),
        "prometheus-2",
        has_reference=True,
        asking=WITH_RUBRIC,
        fill=RELATIVE,
    ),
    Case(("mt-bench", "pair-v2"), "mt-bench", fill=MT),
    Case(("mt-bench", "pair-math-v1"), "mt-bench", has_reference=True, fill=MT),
    Case(("mt-bench", "pair-v2-multi-turn"), "mt-bench", is_conversation=True, fill=MT_TURNS),
    Case(
        ("mt-bench", "pair-math-v1-multi-turn"),
        "mt-bench",
        is_conversation=True,
        has_reference=True,
        fill=MT_TURNS,
    ),
    Case(("mt-bench", "single-v1"), "mt-bench", "A", fill=MT),
    Case(("mt-bench", "single-math-v1"), "mt-bench", "A", has_reference=True, fill=MT),
    Case(("mt-bench", "single-v1-multi-turn"), "mt-bench", "A", is_conversation=True, fill=MT_TURNS),
    Case(
        ("mt-bench", "single-math-v1-multi-turn"),
        "mt-bench",
        "A",
        is_conversation=True,
        has_reference=True,
        fill=MT_TURNS,
    ),
    Case(
        ("skywork-critic", "pair"),
        "skywork-critic",
        fill={"input": QUESTION, **by_number("response_a", "response_b")},
    ),
    Case(("selene-mini", "pairwise"), "selene-1-mini", asking=WITH_RUBRIC, fill=SELENE),
    Case(("selene-mini", "absolute-scoring"), "selene-1-mini", "A", asking=WITH_RUBRIC, fill=SELENE),
    Case(
        ("selene-mini", "absolute-scoring-with-reference"),
        "selene-1-mini",
        "A",
        has_reference=True,
        asking=WITH_RUBRIC,
        fill=SELENE,
    ),
    Case(
        ("selene-mini", "classification"),
        "selene-1-mini-classification",
        "A",
        asking=Asking(rubric=YES_NO),
        fill=SELENE_LABELS,
    ),
    Case(
        ("selene-mini", "classification-with-reference"),
        "selene-1-mini-classification",
        "A",
        has_reference=True,
        asking=Asking(rubric=YES_NO),
        fill=SELENE_LABELS,
    ),
    Case(
        ("flow-judge", "absolute"),
        "flow-judge",
        "A",
        has_reference=True,
        input="some input",
        asking=WITH_RUBRIC,
        fill=FLOW,
    ),
    Case(
        ("flow-judge", "absolute, no inputs"),
        "flow-judge",
        "A",
        instruction="",
        asking=WITH_RUBRIC,
        fill=FLOW,
    ),
    Case(("judgelrm", "pair"), "judgelrm", fill=ANSWER_1_AND_2),
    Case(
        ("compassjudger-2", "pair"),
        "compassjudger-2",
        fill={"question": QUESTION, **by_number("answerA", "answerB")},
    ),
]
MULTI = [("judgelm", "multi"), ("judgelm", "multi+reference")]


def rows() -> Iterator[dict[str, Any]]:
    text = shared_data("prompts/judge-prompts.jsonl").read_text(encoding="utf-8")
    yield from map(json.loads, text.splitlines())


def published(row: tuple[str, str]) -> dict[str, Any]:
    found = next(one for one in rows() if (one["family"], one["task"]) == row)
    if "YAML" in found.get("note", ""):
        found["text"] = textwrap.dedent(found["text"].partition("\n")[2]).rstrip("\n")
    return found


def filled(text: str, fill: Mapping[str, str]) -> str:
    """Fill every placeholder of a row; one that has no value is a fault of the test."""
    return re.sub(r"\{\{(\w+)\}\}|\{(\w+)\}", lambda match: fill[match[1] or match[2]], text)


def expected(case: Case) -> str:
    row = published(case.row)
    user = filled(row["text"], case.fill)
    family = load_family(case.family)
    if row.get("wrapper"):
        wrapper = row["wrapper"].replace("{input}", "{user}").replace("{system}", row.get("system", ""))
        return wrapper.replace("{user}", user)
    if family.wrapper != "chat":
        return user
    system = f"<|system|>{row['system']}" if row.get("system") else ""
    return f"{system}<|user|>{user}<|assistant|>"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_prompt_equals_the_published_one(case: Case) -> None:
    prompt = render(load_family(case.family), case.item, Order(case.order), TEMPLATE, asking=case.asking)
    assert prompt.text == expected(case)
    assert prompt.flags == ()


@pytest.mark.parametrize("row", MULTI, ids=lambda row: row[1])
@pytest.mark.parametrize(
    ("order", "n_word", "seats"),
    [("CAB", "three", "1, 2 and 3"), ("ABCDE", "five", "1, 2, 3, 4 and 5")],
)
def test_many_answers_follow_the_published_rule(
    row: tuple[str, str], order: str, n_word: str, seats: str
) -> None:
    letters = Order(order)
    item = Case(row, "judgelm", has_reference="reference" in row[1]).item
    responses = tuple(Response(output=f"answer {n}", source=Source(file="x")) for n in range(5))
    item = Item(id="q1", instruction=item.instruction, reference=item.reference, responses=responses)
    outputs = [one.output for one in item.seated(letters)]
    found = published(row)
    more = "".join(
        filled(found["answer_format"], {"answer_id": str(number), "answer": text})
        for number, text in enumerate(outputs[2:], 3)
    )
    text = found["text"].replace("two", n_word).replace("for Assistant 1 and 2", f"for Assistant {seats}")
    fill = {**ANSWER_1_AND_2, "answer_1": outputs[0], "answer_2": outputs[1], "answer_more": more}
    assert render(load_family("judgelm"), item, letters).text == filled(text, fill)


def test_every_row_has_its_test() -> None:
    tested = {case.row for case in CASES} | set(MULTI) | {("prometheus-2", "rubric layout")}
    assert {(row["family"], row["task"]) for row in rows()} == tested


def test_rubric_lines_are_those_of_the_layout() -> None:
    layout = published(("prometheus-2", "rubric layout"))["text"]
    fill = {"criteria": SCALE.criterion, **{f"score{n}_description": t for n, t in SCALE.scores.items()}}
    lines = SCALE.lines(load_family("prometheus-2").rubric_line)
    assert f"[{SCALE.criterion}]\n{lines}" == filled(layout, fill)


def test_licence_and_source_name_the_rows() -> None:
    for case in CASES:
        family, row = load_family(case.family), published(case.row)
        repository = row["source"].split()[0].removeprefix("https://")
        assert repository.split("/")[-1].casefold() in family.source.casefold()
        stated = row["licence"].removeprefix("see repository").strip()
        assert stated.casefold() in family.licence.casefold()
