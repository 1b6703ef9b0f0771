"""Runs that grade one answer at a time, inside the process."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from judgecli.answers import AnswersOptions
from judgecli.backends.scripted import ScriptedBackend, WordTokenizer
from judgecli.errors import DataError, UsageError
from judgecli.run import GradeOptions, PreparedRun, execute, load_run, prepare_grade
from judgecli.types import (
    Completion,
    DecidedBy,
    Distribution,
    Failure,
    Judgment,
    Order,
    Request,
    RunRecord,
    VerdictPlace,
)
from tests.judging import answers, write_jsonl

RUN = Path("a.judge.jsonl")
ALONE = Order("A")
Reply = Callable[[Request], str | Completion]

YES_NO = """
name = "yes-no"
[single.grammar]
kind = "labels"
labels = { Yes = 1, No = 0 }
[[single.block]]
text = "{question} {response} Is that right? "
"""


def eight(_request: Request) -> str:
    return " 8\n"


def references(n: int, text: str = "the reference") -> str:
    write_jsonl(Path("r.jsonl"), [{"id": f"q{i}", "reference": text} for i in range(1, n + 1)])
    return "r.jsonl"


def prepare(reply: Reply = eight, *, reference: str | None = None, **more: Any) -> PreparedRun:
    source = AnswersOptions(files=("a.jsonl",), reference=reference)
    given = {"prompt": "judgelm", "backend": ScriptedBackend(reply), **more}
    return prepare_grade(GradeOptions(input=source, **given))


def grade(reply: Reply = eight, **more: Any) -> RunRecord:
    run = prepare(reply, **more)
    execute(run)
    return load_run(run.path)


@pytest.fixture(autouse=True)
def answered(folder: Path) -> None:
    write_jsonl(folder / "a.jsonl", answers("one", "two", ""))


def test_each_answer_is_asked_about_alone() -> None:
    asked: list[Request] = []

    def reply(request: Request) -> str:
        asked.append(request)
        return " 8\n" if request.item_id == "q1" else " 6.5\n"

    record = grade(reply, reference=references(3))
    assert [(one.item_id, one.order) for one in asked] == [("q1", ALONE), ("q2", ALONE)]
    assert {one.item_id: one.scores for one in record.judgments.values()} == {
        "q1": {"A": 8.0},
        "q2": {"A": 6.5},
    }
    assert record.verdicts == ()


def test_judgelm_sees_the_reference_as_assistant_1_with_its_score_written() -> None:
    prompts: list[str] = []

    def reply(request: Request) -> str:
        prompts.append(request.prompt.text)
        return " 8\n"

    grade(reply, reference=references(3, "a perfect answer"))
    assert "[The Start of Assistant 1's Answer]\na perfect answer\n" in prompts[0]
    assert "[The Start of Assistant 2's Answer]\none\n" in prompts[0]
    assert prompts[0].endswith("### Response:10")


def test_without_references_judgelm_is_refused_before_it_is_asked() -> None:
    backend = ScriptedBackend(eight)
    with pytest.raises(DataError, match=r"item 'q1': .* needs a reference answer here; .*--reference FILE"):
        prepare(backend=backend)
    assert backend.n_calls == 0


def test_an_empty_answer_is_decided_by_rule_and_never_asked() -> None:
    run = prepare(reference=references(3))
    assert [dict(one.decided) for one in run.plan.planned] == [{}, {}, {ALONE: DecidedBy.EMPTY}]
    assert len(run.plan.requests) == 2


def test_the_header_has_the_mode_the_scale_and_the_file() -> None:
    header = grade(reference=references(3)).header
    assert header["mode"] == "grade"
    assert header["scale"] == {"low": 1, "high": 10, "decimals": True}
    assert header["input"]["files"] == ["a.jsonl"]
    assert header["input"]["models"] == ["a"]
    assert header["input"]["n_with_reference"] == 3
    assert header["prompt"]["n_seats"] == 1


def test_labels_are_graded_by_the_score_they_stand_for(folder: Path) -> None:
    (folder / "yes-no.toml").write_text(YES_NO, encoding="utf-8")
    record = grade(lambda request: "Yes" if request.item_id == "q1" else "no", prompt="yes-no.toml")
    assert [one.scores for one in record.judgments.values()] == [{"A": 1.0}, {"A": 0.0}]
    assert record.header["scale"] == {"low": 0.0, "high": 1.0, "labels": {"Yes": 1.0, "No": 0.0}}


def test_a_distribution_gives_expected_scores_beside_the_hard_one() -> None:
    def reply(request: Request) -> Completion:
        assert request.place is VerdictPlace.FIRST
        p = {" 8\n": 0.6, " 8.0\n": 0.1, " 4\n": 0.2}
        soft = Distribution(p=p, greedy=" 8\n", p_unopened=0.0, preferred=(" ", 0.9))
        return Completion(request=request, distribution=soft, text=" 8\n")

    judgment = next(iter(grade(reply, reference=references(3)).judgments.values()))
    assert judgment.scores == {"A": 8.0}
    assert judgment.expected["A"] == pytest.approx((8 * 0.7 + 4 * 0.2) / 0.9)
    assert judgment.p_scores == pytest.approx({"4": 0.2 / 0.9, "8": 0.7 / 0.9})
    assert judgment.mass == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("text", "failure"),
    [
        (" 0\n", Failure.OUT_OF_RANGE),
        (" 11\n", Failure.OUT_OF_RANGE),
        (" 8 6\n", Failure.UNREADABLE),
        ("I cannot say.", Failure.UNREADABLE),
        ("", Failure.UNREADABLE),
    ],
)
def test_what_is_no_score_is_a_failure(text: str, failure: Failure) -> None:
    judgments = grade(lambda _: text, reference=references(3)).judgments.values()
    assert {one.failure for one in judgments} == {failure}
    assert not any(one.scores for one in judgments)


def test_a_run_goes_on_where_it_stopped() -> None:
    def stops(request: Request) -> str:
        if request.item_id == "q2":
            raise KeyboardInterrupt
        return " 8\n"

    reference = references(3)
    with pytest.raises(KeyboardInterrupt):
        grade(stops, reference=reference)
    backend = ScriptedBackend(eight)
    record = grade(reference=reference, backend=backend)
    assert backend.n_calls == 1
    assert len(record.judgments) == 2


def test_too_long_answers_fail_alone(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setattr(WordTokenizer, "n_ctx_train", 250)
    write_jsonl(folder / "a.jsonl", answers("short", "long " * 200))
    judgments = grade(reference=references(2)).judgments
    assert judgments["q1", ALONE].scores == {"A": 8.0}
    assert judgments["q2", ALONE].failure is Failure.TOO_LONG


def test_a_run_of_pairs_is_not_gone_on_with(folder: Path) -> None:
    reference = references(3)
    grade(reference=reference)
    text = RUN.read_text(encoding="utf-8").replace('"mode": "grade"', '"mode": "pair"')
    RUN.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=r"another mode \(pair, now grade\)"):
        prepare(reference=reference)


def test_one_file_is_graded_and_it_holds_one_answer_a_row(folder: Path) -> None:
    for files in ((), ("a.jsonl", "a.jsonl")):
        options = GradeOptions(input=AnswersOptions(files=files), backend=ScriptedBackend(eight))
        with pytest.raises(UsageError, match="one answer file is graded"):
            prepare_grade(options)
    rows = [{"question": "Why?", "answer_a": "x", "answer_b": "y"}]
    write_jsonl(folder / "a.jsonl", rows)
    with pytest.raises(UsageError, match="judge pair compares its answers"):
        prepare()


def test_a_judgment_of_a_grade_is_read_back_as_it_was_written() -> None:
    record = grade(reference=references(3))
    judgment = record.judgments["q1", ALONE]
    assert isinstance(judgment, Judgment)
    assert (judgment.winner, judgment.text) == (None, " 8\n")
