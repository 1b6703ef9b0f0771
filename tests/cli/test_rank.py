"""`judge rank`: what it prints, writes and refuses."""

from pathlib import Path

import pytest

from tests.conftest import Judge
from tests.judging import answers, prefers, read_rows, script, write_jsonl

RUN = Path("a-vs-b-vs-c.judge.jsonl")
RANK = ("rank", "a.jsonl", "b.jsonl", "c.jsonl")


@pytest.fixture
def model(folder: Path) -> tuple[str, ...]:
    """Three models on four questions; the judge prefers a GOOD answer, and fails on q4 in order CA."""
    texts = {"a": ["GOOD", "poor", "GOOD", "x"], "b": ["bad", "GOOD", "bad", "y"], "c": ["awful"] * 3 + ["z"]}
    for name, told in texts.items():
        write_jsonl(folder / f"{name}.jsonl", answers(*told))
    return script(folder, {"id": "q4", "order": "CA", "reply": "I cannot."}, *prefers("GOOD"))


@pytest.fixture
def scores(folder: Path, model: tuple[str, ...]) -> tuple[str, ...]:
    """The same answers, before a judge that gives three scores."""
    told = {"ABC": "8 6 4", "BCA": "7 5 8", "CAB": "5 8 6"}
    return script(
        folder, *({"order": order, "reply": reply} for order, reply in told.items()), name="three.jsonl"
    )


def test_the_report_is_all_there_is_on_stdout(judge: Judge, model: tuple[str, ...]) -> None:
    done = judge(*RANK, *model)
    assert done.code == 0
    assert done.out.startswith("no clear first:\na is ahead with ")
    assert "every two models on 4 items, 12 comparisons (24 judgments)" in done.out
    assert done.err.splitlines() == [
        "read A a.jsonl as plain (jsonl), B b.jsonl as plain (jsonl), C c.jsonl as plain (jsonl)",
        "4 items by id, 0 decided without the judge",
        "judge scripted:judge.jsonl, prompt judgelm, every two models in both orders, context 256 tokens",
        "run file a-vs-b-vs-c.judge.jsonl",
    ]


def test_json_is_one_object(judge: Judge, model: tuple[str, ...]) -> None:
    report = judge(*RANK, *model, "--format", "json").report
    assert (report["mode"], report["ranking"]) == ("rank", "pairs")
    assert [one["model"] for one in report["models"]] == ["a", "b", "c"]
    assert (report["counts"]["compared"], report["counts"]["failed"]) == (12, 1)


def test_the_report_is_made_again_from_the_run_file(judge: Judge, model: tuple[str, ...]) -> None:
    first = judge(*RANK, *model).out
    assert judge("report", RUN).out == first
    assert judge("report", RUN, "--format", "markdown").out.startswith("### no clear first: a is ahead")


def test_the_same_command_goes_on(judge: Judge, model: tuple[str, ...]) -> None:
    first = judge(*RANK, *model).out
    lines = RUN.read_bytes().splitlines(keepends=True)
    RUN.write_bytes(b"".join(lines[:-10]))
    again = judge(*RANK, *model)
    assert "going on in a-vs-b-vs-c.judge.jsonl: 14 of 24 judgments there" in again.err
    assert again.out == first
    assert len(read_rows(RUN, "judgment")) == 24


def test_joint_scores_all_answers_in_one_prompt(judge: Judge, scores: tuple[str, ...]) -> None:
    done = judge(*RANK, *scores, "--mode", "joint")
    assert done.code == 0
    assert done.out.startswith("a first: mean score 8.00, n=4 items\n")
    assert "all answers in one prompt, 3 rotations, context 512 tokens" in done.err
    report = judge(*RANK, *scores, "--mode", "joint", "--format", "json").report
    assert [one["estimates"]["score"]["value"] for one in report["models"]] == pytest.approx(
        [8, 19 / 3, 14 / 3]
    )
    assert Path("a-vs-b-vs-c.joint.judge.jsonl").exists()


def test_fewer_rotations_are_said(judge: Judge, scores: tuple[str, ...]) -> None:
    done = judge(*RANK, *scores, "--mode", "joint", "--rotations", 2)
    assert done.code == 0
    assert "! each answer sat in 2 seats of 3" in done.out


def test_dry_run_judges_nothing(judge: Judge, model: tuple[str, ...]) -> None:
    done = judge(*RANK, *model, "--dry-run")
    assert done.code == 0
    assert done.out.splitlines()[:2] == [
        "items        4, 0 of them decided without the judge",
        "judgments    24, 24 of them still to make",
    ]
    assert not RUN.exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ("rank", "a.jsonl", "b.jsonl"),
            "judge rank needs three answer files or more, not 2; for two, use judge pair",
        ),
        ((*RANK, "--mode", "all"), "--mode must be one of pairs, joint, not 'all'"),
        (
            (*RANK, "--rotations", 2),
            "--rotations is for --mode joint; pairs are always judged in both orders",
        ),
        (
            (*RANK, "--mode", "joint", "--rotations", 4),
            "--rotations must be from 1 to 3, the models, not 4",
        ),
    ],
)
def test_what_cannot_be_ranked_is_refused(
    judge: Judge, model: tuple[str, ...], arguments: tuple[object, ...], sentence: str
) -> None:
    done = judge(*arguments, *model)
    assert (done.code, done.sentence) == (2, sentence)


def test_failures_are_counted_in_comparisons(judge: Judge, model: tuple[str, ...]) -> None:
    assert judge(*RANK, *model, "--max-failures", 0.1).code == 0
    done = judge(*RANK, *model, "--max-failures", 0.05)
    assert done.code == 5
    share = "1 of 12 comparisons failed, 8.3% and more than --max-failures 5.0%"
    assert done.sentence.startswith(f"{share} (item 'q4': ")


def test_nothing_read_is_no_ranking(judge: Judge, model: tuple[str, ...], folder: Path) -> None:
    done = judge(*RANK, *script(folder, "I cannot.", name="mute.jsonl"), "--mode", "joint")
    assert done.code == 5
    assert done.out.startswith("no ranking: 4 of 4 unreadable\n")
    assert done.sentence.startswith("nothing was judged: 4 of 4 items failed (item 'q1': unreadable, ")


def test_a_report_does_not_overwrite_an_answer_file(judge: Judge, model: tuple[str, ...]) -> None:
    Path("c.json").write_bytes(Path("c.jsonl").read_bytes())
    done = judge("rank", "a.jsonl", "b.jsonl", "c.json", *model, "--report", "c.json")
    assert done.code == 2
    assert "--report c.json: this is an input" in done.sentence


@pytest.mark.parametrize("width", [40, 80])
def test_long_names_fit_the_terminal(judge: Judge, model: tuple[str, ...], width: int) -> None:
    names = [f"{'a-model-with-a-very-long-name-' * 3}{n}.jsonl" for n in range(3)]
    for old, new in zip(RANK[1:], names, strict=True):
        Path(old).rename(new)
    done = judge("rank", *names, *model, COLUMNS=str(width))
    assert done.code == 0
    assert max(map(len, done.out.splitlines())) <= width


def test_help_has_an_example(judge: Judge) -> None:
    done = judge("rank", "--help")
    assert "judge rank a.jsonl b.jsonl c.jsonl --model judgelm-7b" in " ".join(done.out.split())
    assert "--mode pairs|joint" in done.out
