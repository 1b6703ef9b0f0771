"""`judge validate`: the judge against each of several annotators."""

import pytest

from tests.conftest import Judge
from tests.judging import write_jsonl
from tests.labelling import label_rows, votes, write_labels

WINNERS = ("AB" * 20)[:40]
OTHER = str.maketrans("AB", "BA")


def said(n_wrong: int) -> str:
    """Return labels of which so many are not the winners."""
    return WINNERS[:n_wrong].translate(OTHER) + WINNERS[n_wrong:]


@pytest.fixture
def verdicts(folder) -> str:
    write_jsonl(folder / "verdicts.jsonl", label_rows(WINNERS))
    return "verdicts.jsonl"


def test_a_judge_that_is_like_the_annotators_holds(judge: Judge, folder, verdicts: str) -> None:
    labels = write_labels(folder, votes(said(0), said(4), said(8)))
    done = judge("validate", verdicts, labels, "--format", "json")
    assert (done.code, done.err) == (0, "")
    assert [test["n"] for test in done.report["tests"]] == [40, 40, 40]
    assert (done.report["epsilon"], done.report["passes"]) == (0.2, True)
    assert judge("validate", verdicts, labels).out
    assert judge("validate", verdicts, labels, "--format", "markdown").out.startswith("###")


def test_a_judge_that_is_not_fails_with_exit_0(judge: Judge, folder, verdicts: str) -> None:
    labels = write_labels(folder, votes(said(38), said(39), said(40)))
    done = judge("validate", verdicts, labels, "--epsilon", 0.1, "--format", "json")
    assert (done.code, done.report["passes"], done.report["epsilon"]) == (0, False, 0.1)


def test_groups_count_once(judge: Judge, folder, verdicts: str) -> None:
    rows = [{**row, "topic": f"t{n // 5}"} for n, row in enumerate(votes(said(0), said(4), said(8)))]
    done = judge("validate", verdicts, write_labels(folder, rows), "--group", "topic", "--format", "json")
    assert (done.code, done.report["passes"], done.report["group"]) == (0, None, "topic")
    assert done.report["items"] == 40
    assert {test["n"] for test in done.report["tests"]} == {done.report["groups"]}
    refused = judge("validate", verdicts, write_labels(folder, rows), "--group", "subject")
    assert refused.code == 3
    assert refused.sentence.startswith("--group subject: item 'q1' has no such field; there are ")


def test_fewer_than_three_annotators(judge: Judge, folder, verdicts: str) -> None:
    labels = write_labels(folder, votes(said(0), said(4)))
    done = judge("validate", verdicts, labels)
    assert (done.code, done.out) == (3, "")
    assert done.sentence.startswith("labels.jsonl: 2 named annotators, and the test needs 3 or more")


@pytest.mark.parametrize("epsilon", [-0.1, 1, 1.5])
def test_an_epsilon_that_means_nothing(judge: Judge, folder, verdicts: str, epsilon: float) -> None:
    labels = write_labels(folder, votes(said(0), said(4), said(8)))
    done = judge("validate", verdicts, labels, "--epsilon", epsilon)
    assert (done.code, done.out) == (2, "")
    assert done.sentence.startswith("--epsilon must be from 0 to under 1")


def test_the_run_must_be_one(judge: Judge, folder, verdicts: str) -> None:
    labels = write_labels(folder, votes(said(0), said(4), said(8)))
    write_jsonl(folder / "pairs.jsonl", [{"id": "q1", "question": "?", "answer_a": "x", "answer_b": "y"}])
    for name, sentence in (
        ("pairs.jsonl", "neither a run file nor verdicts; judge its pairs with `judge pair` first"),
        ("none.jsonl", "cannot read the run file (No such file or directory)"),
        (".", "cannot read the run file (Is a directory)"),
    ):
        done = judge("validate", name, labels)
        assert (done.code, done.sentence) == (3, f"{name}: {sentence}")


def test_help_says_which_epsilon_is_for_whom(judge: Judge) -> None:
    text = " ".join(judge("validate", "--help", COLUMNS="80").out.split())
    assert "0.2 experts, 0.15 skilled, 0.1 crowd" in text
