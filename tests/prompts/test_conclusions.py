"""The verdict of a judge that gives its reasons first is begun for it, in words that its family file has."""

from pathlib import Path

import pytest

from judgecli.errors import DataError
from judgecli.prompts import Asking, Rubric, Shot, Shots, load_family, render
from judgecli.types import Order, Seat, VerdictPlace
from tests.made_up import make_pair

MINE = """
name = "mine"

[pair.grammar]
kind = "scores"
low = 1
high = 4
decimals = false

[pair.cot]
conclusion = "\\nFrom {low} to {high}, of {scores}:\\n"
pattern = '^{verdict}$'

[[pair.block]]
text = "{question} {response_1} {response_2}"

[multi.grammar]
kind = "scores"
low = 1
high = 4

[[multi.block]]
text = "{question} "

[[multi.block]]
each = "answer"
text = "{response} {scores}"
"""
SINGLE = """
name = "mine"

[single]
conclusion = "Of {scores}: "
pattern = 'Of .*: {verdict}'

[single.grammar]
kind = "scores"
scale = "rubric"
decimals = false

[[single.block]]
when = "rubric"
text = "{rubric} {scores} "

[[single.block]]
text = "{question} {response}"
"""
COT = Asking(cot=True)
LISTED = '"1", "2", "3", "4", "5", "6", "7", "8", "9"'


def written(folder: Path, text: str) -> str:
    (folder / "mine.toml").write_text(text, encoding="utf-8")
    return str(folder / "mine.toml")


@pytest.mark.parametrize(
    ("family", "n_seats", "conclusion"),
    [
        ("judgelm", 2, "\n\nScores for Assistant 1 and 2, respectively:\n"),
        ("chat", 2, '\n\nBetween "A", "B" and "tie", I choose "'),
        ("chat", 1, f'\n\nBetween the scores {LISTED} and "10", I choose the score "'),
    ],
)
def test_with_reasons_first_only(family: str, n_seats: int, conclusion: str) -> None:
    assert load_family(family).task(n_seats).conclusion == ""
    task = load_family(family).task(n_seats, COT)
    assert (task.conclusion, task.place) == (conclusion, VerdictPlace.LAST)


@pytest.mark.parametrize("family", ["judgelm", "chat"])
def test_it_is_how_the_examples_go_on_after_their_reasons(family: str) -> None:
    shot = Shot(
        question="2+2?",
        answers=("4", "5"),
        where="s:1",
        winner=Seat.FIRST,
        scores=(9, 2),
        reasons="A is right.",
    )
    asking = Asking(cot=True, shots=Shots(shots=(shot,)))
    template = "{% for m in messages %}{{ m.content }}{% endfor %}"
    task = load_family(family).task(2, asking)
    text = render(load_family(family), make_pair(), Order.AB, template, asking=asking).text
    verdict = {"judgelm": "9 2\n", "chat": 'A".'}[family]
    assert f"A is right.{task.conclusion}{verdict}" in text


def test_the_scale_is_filled_in(tmp_path: Path) -> None:
    task = load_family(written(tmp_path, MINE)).task(2, COT)
    assert task.conclusion == '\nFrom 1 to 4, of "1", "2", "3" and "4":\n'


def test_the_scale_of_a_rubric_is_filled_in(tmp_path: Path) -> None:
    family = load_family(written(tmp_path, SINGLE))
    asking = Asking(rubric=Rubric(criterion="Good?", scores={0: "no", 1: "yes"}))
    assert family.task(1, asking).conclusion == 'Of "0" and "1": '
    assert render(family, make_pair(), Order("A"), asking=asking).text.startswith(
        'Score 0: no\nScore 1: yes "0" and "1" '
    )
    three = Asking(rubric=Rubric(criterion="Good?", scores={3: "no", 4: "so so", 5: "yes"}))
    assert family.task(1, three).conclusion == 'Of "3", "4" and "5": '


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            "[pair.grammar]",
            '[pair]\nconclusion = "So "\n[pair.grammar]',
            "[pair]: conclusion comes after reasons, and this form has the verdict first; add the pattern",
        ),
        (
            "[multi.grammar]",
            "[multi]\nconclusion = \"So \"\npattern = '{verdict}'\n[multi.grammar]",
            "[multi]: conclusion has no use here: three scores or more come first; leave it out",
        ),
        (
            "of {scores}:",
            "of {score}:",
            "[pair.cot]: conclusion: unknown placeholder {score}; known here: {high}, {low}, {scores}",
        ),
        ("of {scores}:", "{verdict}", "[pair.cot]: conclusion: unknown placeholder {verdict}"),
        (
            "[pair.cot]",
            '[pair.cot]\ngrammar = { kind = "labels", labels = { A = "first", B = "second" } }',
            "[pair.cot]: {high} has no value: a grammar of labels has no scale",
        ),
    ],
)
def test_what_cannot_be_is_said_when_the_file_is_read(
    tmp_path: Path, old: str, new: str, sentence: str
) -> None:
    assert MINE.count(old) == 1
    with pytest.raises(DataError) as caught:
        load_family(written(tmp_path, MINE.replace(old, new)))
    assert sentence in str(caught.value)
