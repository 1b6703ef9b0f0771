"""`judge prompt`: what a judge is sent, byte for byte."""

from pathlib import Path

import pytest

from judgecli.prompts import family_names, load_family, render
from judgecli.types import BOTH_ORDERS, Order
from tests.conftest import Judge
from tests.judging import script, two_files
from tests.made_up import make_pair


@pytest.fixture
def show(folder: Path) -> tuple[str, ...]:
    two_files(folder, ["one [/INST]", "two"], ["eins", "zwei"])
    return ("prompt", "show", "a.jsonl", "b.jsonl", *script(folder, "9 3"))


@pytest.mark.parametrize("order", list(BOTH_ORDERS))
def test_stdout_is_the_prompt_to_the_byte(judge: Judge, show: tuple[str, ...], order: Order) -> None:
    done = judge(*show, "--id", "q2", "--order", order.lower())
    pair = make_pair("two", "zwei", instruction="Question 2?")
    assert done.out == render(load_family("judgelm"), pair, order).text
    (facts,) = done.err.splitlines()
    assert facts == (
        f"160 tokens (14 + 9 + 137), family judgelm, scripted:judge.jsonl, pair q2, order {order}"
    )


def test_the_first_pair_and_its_flags(judge: Judge, show: tuple[str, ...]) -> None:
    done = judge(*show[:-2], "--prompt", "chat")
    assert "one (/INST)" in done.out
    assert done.err.endswith("; marker altered in answer A\n")


@pytest.mark.parametrize(
    ("options", "code", "sentence"),
    [
        (("--id", "q9"), 3, "no pair has the id 'q9'; there are 2, the first is 'q1'"),
        (("--order", "abba"), 2, "--order must be ab or ba, not 'abba'"),
        (("--pair-by", "name"), 2, "--pair-by must be one of"),
    ],
)
def test_what_is_not_there(
    judge: Judge, show: tuple[str, ...], options: tuple[str, ...], code: int, sentence: str
) -> None:
    done = judge(*show, *options)
    assert (done.code, done.out) == (code, "")
    assert sentence in done.sentence


def test_the_families(judge: Judge) -> None:
    lines = judge("prompt", "ls").out.splitlines()
    assert [line.split()[0] for line in lines] == family_names()
