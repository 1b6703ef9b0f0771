"""Rubrics and examples are files of the user's: what is wrong in one is said with file and line."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from judgecli.errors import DataError
from judgecli.prompts import Asking, Rubric, Shots, load_family, read_rubric, read_shots
from judgecli.types import LabelsGrammar, ScoresGrammar, Seat

RUBRIC = """
criterion = "Does the answer say when to stop?"

[scores]
3 = "It does."
1 = "It does not."
2 = "It {score} hints."
"""


def written(tmp_path: Path, text: str, name: str = "rubric.toml") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def shots(tmp_path: Path, *rows: Any) -> Shots:
    return read_shots(written(tmp_path, "".join(f"{json.dumps(row)}\n" for row in rows), "shots.jsonl"))


def test_a_rubric_with_scores(tmp_path: Path) -> None:
    path = written(tmp_path, RUBRIC)
    rubric = read_rubric(path)
    assert rubric.criterion == "Does the answer say when to stop?"
    assert (rubric.scale, list(rubric.scores)) == ((1, 3), [1, 2, 3])
    assert rubric.lines("- Score {score}: {description}").splitlines() == [
        "- Score 1: It does not.",
        "- Score 2: It {score} hints.",
        "- Score 3: It does.",
    ]
    assert (rubric.file, rubric.sha256) == ("rubric.toml", hashlib.sha256(path.read_bytes()).hexdigest())


def test_a_rubric_with_labels(tmp_path: Path) -> None:
    rubric = read_rubric(written(tmp_path, 'criterion = "Safe?"\n[labels]\nYes = "It is."\nNo = "Not."\n'))
    assert (rubric.scale, rubric.lines("{score}: {description}")) == (None, "Yes: It is.\nNo: Not.")


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("criterion = ", "criterium = ", "unknown key 'criterium'; a rubric has criterion, scores, labels"),
        ('criterion = "Does the answer say when to stop?"', "", "no criterion"),
        ("[scores]", "[scores", "not a readable rubric"),
        ("[scores]", "[points]", "unknown key 'points'"),
        (RUBRIC[RUBRIC.index("[scores]") :], "", "give either [scores] or [labels]"),
        ("[scores]", '[labels]\nYes = "x"\n\n[scores]', "give either [scores] or [labels]"),
        ('2 = "It {score} hints."', "", "[scores] has no line for 2; describe every score from 1 to 3"),
        ('2 = "It {score} hints."', "2 = 5", "[scores] 2 must say in a text"),
        ('2 = "It {score} hints."', 'good = "x"', "'good' is no whole number from 0 to 100; use [labels]"),
        ('1 = "It does not."\n2 = "It {score} hints."', "", "needs a line for each of two scores"),
        (RUBRIC[RUBRIC.index("[scores]") :], '[labels]\nYes = "x"', "such as [labels] and below it Yes ="),
        ("2 = ", "2.5 = ", "[scores] 2.5 is two keys to TOML; scores are whole numbers"),
    ],
)
def test_faults_of_a_rubric_are_named(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    assert old in RUBRIC
    with pytest.raises(DataError) as caught:
        read_rubric(written(tmp_path, RUBRIC.replace(old, new)))
    assert str(caught.value).startswith(str(tmp_path / "rubric.toml"))
    assert sentence in str(caught.value)


def test_a_mark_of_byte_order_is_no_part_of_a_rubric(tmp_path: Path) -> None:
    assert read_rubric(written(tmp_path, f"\ufeff{RUBRIC}")).scale == (1, 3)


def test_a_rubric_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nowhere.toml: not a readable rubric"):
        read_rubric(tmp_path / "nowhere.toml")


def rubric_of(*scores: int) -> Rubric:
    return Rubric(criterion="Good?", scores=dict.fromkeys(scores, "x"), file="r.toml")


YES_NO = Rubric(criterion="Good?", labels={"Yes": "x", "No": "y"}, file="r.toml")


@pytest.mark.parametrize(
    ("family", "rubric", "sentence"),
    [
        ("prometheus-2", rubric_of(0, 1), "r.toml: the judge grades from 1 to 5, the rubric from 0 to 1"),
        ("prometheus-2", YES_NO, "r.toml: the judge answers in scores; describe [scores], not [labels]"),
        ("flow-judge", YES_NO, "describe [scores], not [labels]"),
        (
            "selene-1-mini-classification",
            rubric_of(0, 1),
            "answers with one of Yes, No; the rubric describes 0, 1",
        ),
    ],
)
def test_a_rubric_of_another_kind_is_refused(family: str, rubric: Rubric, sentence: str) -> None:
    with pytest.raises(DataError, match=f"the prompt family '{family}' cannot be asked so: ") as caught:
        load_family(family).task(1, Asking(rubric=rubric))
    assert sentence in str(caught.value)


def test_the_scale_follows_the_rubric_where_the_family_says_so() -> None:
    for family, low, high in (("flow-judge", 0, 1), ("flow-judge", 1, 3), ("chat", 1, 3)):
        grammar = load_family(family).task(1, Asking(rubric=rubric_of(*range(low, high + 1)))).grammar
        assert isinstance(grammar, ScoresGrammar)
        assert (grammar.low, grammar.high) == (low, high)
    pair = load_family("prometheus-2").task(2, Asking(rubric=rubric_of(0, 1))).grammar
    assert isinstance(pair, LabelsGrammar)  # of two answers only the criterion is shown


@pytest.mark.parametrize("family", ["prometheus-1", "prometheus-2", "flow-judge", "selene-1-mini"])
def test_a_rubric_judge_needs_one(family: str) -> None:
    with pytest.raises(DataError, match=r"needs a rubric; give one with --rubric FILE"):
        load_family(family).task(1)
    assert load_family(family).task(1, Asking(rubric=rubric_of(1, 2, 3, 4, 5))).needs_rubric


def test_examples(tmp_path: Path) -> None:
    found = shots(
        tmp_path,
        {"question": "2+2?", "answer_a": "4", "answer_b": "5", "winner": "A"},
        {"question": "2+2?", "answer_a": "5", "answer_b": "4", "scores": [2, 9.5], "reasons": "So."},
        {"question": "2+2?", "answer": "4", "scores": 9, "reference": "Four."},
    )
    first, second, third = found.shots
    assert (first.answers, first.winner, first.scores) == (("4", "5"), Seat.FIRST, ())
    assert (second.winner, second.scores, second.reasons) == (Seat.SECOND, (2, 9.5), "So.")
    assert (third.answers, third.winner, third.scores, third.reference) == (("4",), None, (9,), "Four.")
    assert third.where.endswith("shots.jsonl:3")
    assert (found.file, len(found.sha256)) == ("shots.jsonl", 64)


PAIR = {"question": "2+2?", "answer_a": "4", "answer_b": "5", "winner": "A"}


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ({**PAIR, "colour": 1}, "unknown key 'colour' in an example"),
        ({**PAIR, "question": ""}, "question of the example must be a text"),
        ({**PAIR, "answer_b": 5}, "answer_b of the example must be a text"),
        ({**PAIR, "answer": "4"}, "give the example's answer, or answer_a and answer_b"),
        ({"question": "2+2?", "winner": "A"}, "give the example's answer"),
        ({**PAIR, "winner": "first"}, 'winner must be "A", "B" or "tie"'),
        ({**PAIR, "scores": [1, 9]}, "is not the one with the higher score"),
        ({**PAIR, "scores": [1]}, "scores of the example must be two numbers"),
        ({**PAIR, "scores": [1, "9"]}, "scores of the example must be two numbers"),
        ({"question": "q", "answer": "4"}, "the example has no verdict; give scores"),
        ({"question": "q", "answer": "4", "winner": "A", "scores": 3}, "of two answers"),
        ({"question": "q", "answer": "4", "scores": True}, "must be one number"),
        ({**PAIR, "reasons": 3}, "reasons of the example must be a text"),
        ([1], "must be a JSON object, not [1]"),
    ],
)
def test_faults_of_an_example_are_named(tmp_path: Path, row: Any, sentence: str) -> None:
    with pytest.raises(DataError) as caught:
        shots(tmp_path, PAIR, row)
    assert str(caught.value).startswith(f"{tmp_path / 'shots.jsonl'}:2: ")
    assert sentence in str(caught.value)


def test_a_file_without_examples(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no examples; write one JSON object a line"):
        shots(tmp_path)
    with pytest.raises(DataError, match="cannot read the examples"):
        read_shots(tmp_path / "nowhere.jsonl")
