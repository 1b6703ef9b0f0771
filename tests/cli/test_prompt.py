"""`judge prompt`: what a judge is sent, byte for byte."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from judgecli.prompts import family_names, load_family, render
from judgecli.types import BOTH_ORDERS, Item, Order, Response, Source
from tests.conftest import JUDGE, Judge
from tests.judging import answers, script, two_files, write_jsonl
from tests.made_up import make_pair

RUBRIC = 'criterion = "Is it short?"\n[scores]\n1 = "No."\n2 = "Yes."\n'
SHOT = {"question": "2+2?", "answer_a": "4", "answer_b": "5", "scores": [9, 2], "reasons": "A is right."}


@pytest.fixture
def scripted(folder: Path) -> tuple[str, ...]:
    two_files(folder, ["one [/INST]", "two"], ["eins", "zwei"])
    write_jsonl(folder / "c.jsonl", answers("un", "deux"))
    return script(folder, "9 3")


@pytest.fixture
def show(scripted: tuple[str, ...]) -> tuple[str, ...]:
    return ("prompt", "show", "a.jsonl", "b.jsonl", *scripted)


def item(*texts: str, **more: Any) -> Item:
    """Return q2 with these answers."""
    source = Source(file="made-up.jsonl", line=2)
    responses = tuple(Response(output=text, source=source) for text in texts)
    return Item(id="q2", instruction="Question 2?", responses=responses, **more)


@pytest.mark.parametrize("order", list(BOTH_ORDERS))
def test_stdout_is_the_prompt_to_the_byte(judge: Judge, show: tuple[str, ...], order: Order) -> None:
    done = judge(*show, "--id", "q2", "--order", order.lower())
    pair = make_pair("two", "zwei", instruction="Question 2?")
    assert done.out == render(load_family("judgelm"), pair, order).text
    (facts,) = done.err.splitlines()
    assert facts == (
        f"160 tokens (14 + 9 + 137), family judgelm, scripted:judge.jsonl, pair q2, order {order}"
    )


def test_quiet_shows_the_prompt_alone(judge: Judge, show: tuple[str, ...]) -> None:
    done = judge(*show, "-q")
    assert (done.out, done.err) == (judge(*show).out, "")


def test_on_a_terminal_the_prompt_ends_its_line(judge: Judge, show: tuple[str, ...]) -> None:
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    subprocess.run([*JUDGE, *show], stdout=theirs, stderr=subprocess.DEVNULL, check=True)
    os.close(theirs)
    shown = os.read(ours, 65_536).decode()
    os.close(ours)
    assert shown == judge(*show).out.replace("\n", "\r\n") + "\r\n"


def test_the_first_pair_and_its_flags(judge: Judge, show: tuple[str, ...]) -> None:
    done = judge(*show[:-2], "--prompt", "chat")
    assert "one (/INST)" in done.out
    assert done.err.endswith(", pair q1, order AB; marker altered in answer A\n")


def test_one_file_of_pairs(judge: Judge, folder: Path, scripted: tuple[str, ...]) -> None:
    row = {"id": "q2", "question": "Question 2?", "response_a": "two", "response_b": "zwei"}
    write_jsonl(folder / "pairs.jsonl", [row])
    done = judge("prompt", "show", "pairs.jsonl", *scripted, "--order", "ba")
    assert done.out == render(load_family("judgelm"), item("two", "zwei"), Order.BA).text


def test_one_answer_as_it_is_graded(judge: Judge, folder: Path, scripted: tuple[str, ...]) -> None:
    write_jsonl(folder / "refs.jsonl", [{"id": "q2", "reference": "2."}])
    asked = ("prompt", "show", "a.jsonl", *scripted, "--order", "a", "--reference", "refs.jsonl")
    done = judge(*asked, "--id", "q2")
    expected = render(load_family("judgelm"), item("two", reference="2."), Order("A")).text
    assert (done.code, done.out) == (0, expected)
    assert done.err.endswith(", answer q2, order A\n")
    assert "\n[Reference Answer]\n2.\n" in judge(*asked, "--id", "q2", "--reference-block").out
    assert "item 'q1': the prompt family 'judgelm' needs a reference answer here" in judge(*asked).sentence


def test_three_answers_in_one_prompt(judge: Judge, scripted: tuple[str, ...]) -> None:
    files = ("a.jsonl", "b.jsonl", "c.jsonl")
    done = judge("prompt", "show", *files, *scripted, "--id", "q2", "--order", "bca")
    assert done.out == render(load_family("judgelm"), item("two", "zwei", "deux"), Order("BCA")).text
    assert done.err.endswith(", item q2, order BCA\n")


def test_two_of_three_as_they_are_ranked(judge: Judge, scripted: tuple[str, ...]) -> None:
    """After the first answer the prompt is cut too, since that model meets others."""
    asked = ("prompt", "show", "a.jsonl", "b.jsonl", "c.jsonl", *scripted, "--id", "q2")
    done = judge(*asked, "--order", "ca")
    assert done.out == render(load_family("judgelm"), item("two", "zwei", "deux"), Order("CA")).text
    assert done.err.startswith("160 tokens (14 + 9 + 13 + 124), ")
    assert judge(*asked).err.endswith(", item q2, order AB\n")


def test_a_judge_that_grades_one_answer_at_a_time(
    judge: Judge, folder: Path, scripted: tuple[str, ...]
) -> None:
    (folder / "rubric.toml").write_text(RUBRIC, encoding="utf-8")
    asked = ("prompt", "show", "a.jsonl", "b.jsonl", *scripted[:2], "--prompt", "flow-judge", "--id", "q2")
    done = judge(*asked, "--rubric", "rubric.toml")
    assert "two" in done.out
    assert "Is it short?" in done.out
    assert done.err.endswith(", pair q2, order A\n")
    assert "zwei" in judge(*asked, "--rubric", "rubric.toml", "--order", "b").out
    assert "needs a rubric; give one with --rubric FILE" in judge(*asked).sentence


def test_what_varies_a_prompt(judge: Judge, folder: Path, show: tuple[str, ...]) -> None:
    write_jsonl(folder / "shots.jsonl", [SHOT])
    done = judge(*show, "--id", "q2", "--aspect", "tone of voice", "--cot", "--shots", "shots.jsonl")
    assert "rate one aspect of their responses: tone of voice." in done.out
    assert "\n### Response:A is right.\n\nScores for" in done.out
    assert "In the last line, please output only two values" in done.out
    assert done.err.endswith(
        ", order AB; put after the reasons: '\\n\\nScores for Assistant 1 and 2, respectively:\\n'\n"
    )


def test_a_turn_of_a_conversation(judge: Judge, folder: Path, scripted: tuple[str, ...]) -> None:
    turns = [
        {"role": "user", "content": "One?"},
        {"role": "assistant", "content": "first answer"},
        {"role": "user", "content": "Two?"},
        {"role": "assistant", "content": "second answer"},
    ]
    write_jsonl(folder / "talk.jsonl", [{"id": "q1", "messages": turns}])
    asked = ("prompt", "show", "talk.jsonl", "talk.jsonl", *scripted)
    assert "[Turn 2]\nsecond answer\n" in judge(*asked).out
    first = judge(*asked, "--turn", "first").out
    assert "\nfirst answer\n" in first
    assert "second answer" not in first
    refused = judge(*asked[:-2], "--prompt", "pandalm")
    assert (refused.code, "has no prompt for conversations" in refused.sentence) == (3, True)


@pytest.mark.parametrize(
    ("options", "code", "sentence"),
    [
        (("--id", "q9"), 3, "no pair has the id 'q9'; there are 2, the first is 'q1'"),
        (("--order", "abba"), 2, "--order must be ab or ba, not 'abba'"),
        (("--order", "abc"), 2, "--order must be ab or ba, not 'abc'"),
        (("--order", ""), 2, "--order must be ab or ba, not ''"),
        (("--pair-by", "name"), 2, "--pair-by must be one of"),
        (("c.jsonl", "--order", "bcd"), 2, "--order must be letters from a to c, each once, not 'bcd'"),
        (("c.jsonl", "--id", "q9"), 3, "no item has the id 'q9'; there are 2, the first is 'q1'"),
    ],
)
def test_what_is_not_there(
    judge: Judge, show: tuple[str, ...], options: tuple[str, ...], code: int, sentence: str
) -> None:
    done = judge(*show, *options)
    assert (done.code, done.out) == (code, "")
    assert sentence in done.sentence


def test_one_file_has_one_letter(judge: Judge, scripted: tuple[str, ...]) -> None:
    done = judge("prompt", "show", "a.jsonl", *scripted, "--order", "b")
    assert (done.code, done.sentence) == (2, "--order must be a, not 'b'")


def test_one_file_of_answers_is_no_pair(judge: Judge, scripted: tuple[str, ...]) -> None:
    done = judge("prompt", "show", "a.jsonl", *scripted)
    assert done.code == 2
    assert done.sentence == (
        "a.jsonl: holds one answer a row; give the candidate's file as well, "
        "or --order a for the prompt that grades one answer"
    )


@pytest.mark.parametrize(
    ("texts", "rule"),
    [
        (("one", "one", "one"), "equal answers"),
        (("", " ", ""), "all empty"),
        (("one", "", "one"), None),
    ],
)
def test_what_a_rule_decides_is_said_to_be_never_sent(
    judge: Judge, folder: Path, scripted: tuple[str, ...], texts: tuple[str, ...], rule: str | None
) -> None:
    for name, text in zip("abc", texts, strict=True):
        write_jsonl(folder / f"{name}.jsonl", answers(text))
    three = ("prompt", "show", "a.jsonl", "b.jsonl", "c.jsonl", *scripted, "--order", "bca")
    told = f"order BCA; decided by rule ({rule}), so this prompt is never sent\n"
    assert judge(*three).err.endswith(told if rule else "order BCA\n")


def test_a_pair_with_an_empty_answer_is_never_sent(
    judge: Judge, folder: Path, scripted: tuple[str, ...]
) -> None:
    two_files(folder, ["one", ""], ["eins", "zwei"])
    asked = ("prompt", "show", "a.jsonl", "b.jsonl", *scripted, "--order", "ba", "--id")
    ruled = judge(*asked, "q2")
    assert ruled.err.endswith("; decided by rule (empty baseline answer), so this prompt is never sent\n")
    assert "zwei" in ruled.out
    assert "never sent" not in judge(*asked, "q1").err


def test_the_families(judge: Judge) -> None:
    lines = judge("prompt", "ls").out.splitlines()
    named = [line for line in lines if not line.startswith(" ")]
    assert [line.split()[0] for line in named] == family_names()
    titles = [load_family(name).title for name in family_names()]
    at = named[0].index(titles[0])
    assert [line[at:] for line in named] == titles
    assert max(map(len, lines)) < 80
    text = " ".join(" ".join(lines).split())
    for name in family_names():
        family = load_family(name)
        assert f"{family.title} {family.source}; licence: {family.licence}" in text
