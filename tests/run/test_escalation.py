"""Doubtful pairs go to a stronger judge: exactly those, and nothing is lost on the way."""

import json
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from judgecli.backends.scripted import ScriptedBackend
from judgecli.errors import CallsSpentError, DataError, ModelError, UsageError
from judgecli.run import PreparedRun, Trusting, execute, load_run
from judgecli.run.doubting import doubt_header
from judgecli.types import (
    Completion,
    Distribution,
    Failure,
    Order,
    Request,
    RunRecord,
    Winner,
    calibrated_judge,
)
from tests.judging import read_rows, write_jsonl
from tests.run.made_up import RUN, Runs, both, by_seat

STRONGER = "scripted:stronger.jsonl"
NONE: list[tuple[str, str]] = []


def mixed(request: Request) -> str | Completion:
    """Say the first seat about q1, the baseline about q2, and nothing readable about q3."""
    if request.item_id == "q1":
        return "8 6\n"
    return by_seat(request) if request.item_id == "q2" else "I cannot rate these."


def for_b(request: Request) -> str:
    return "6 8\n" if request.order == Order.AB else "8 6\n"


class Cascade:
    """Runs with a stronger judge; `handed` is what it was asked, of the last run."""

    def __init__(self, runs: Runs) -> None:
        self.runs = runs
        self.handed: list[tuple[str, str]] = []
        write_jsonl(Path("stronger.jsonl"), [{"reply": "7 7\n"}])

    def prepare(
        self, reply: Callable[[Request], Any], stronger: Callable[[Request], Any], **conditions: Any
    ) -> PreparedRun:
        self.handed = []

        def noted(request: Request) -> str | Completion:
            self.handed.append((request.item_id, request.order))
            answer: str | Completion = stronger(request)
            return answer

        more = {name: conditions.pop(name) for name in ("retry", "out") if name in conditions}
        trusting = Trusting(**{"escalate": STRONGER, "escalate_prompt": "judgelm", **conditions})
        run = self.runs.prepare(reply, trusting=trusting, **more)
        assert run.second is not None
        return replace(run, second=replace(run.second, load=lambda: nullcontext(ScriptedBackend(noted))))

    def __call__(
        self,
        reply: Callable[[Request], Any] = mixed,
        stronger: Callable[[Request], Any] = for_b,
        **conditions: Any,
    ) -> RunRecord:
        run = self.prepare(reply, stronger, **conditions)
        execute(run)
        return load_run(run.path)


@pytest.fixture
def cascade(runs: Runs) -> Cascade:
    return Cascade(runs)


def with_confidence(p_first: float) -> Callable[[Request], Completion]:
    """Answer for A in both orders, with this probability for q1 and with 0.9 for the others."""

    def reply(request: Request) -> Completion:
        p = p_first if request.item_id == "q1" else 0.9
        better, worse = ("8 6\n", "6 8\n") if request.order == Order.AB else ("6 8\n", "8 6\n")
        return Completion(
            request=request,
            text=better,
            distribution=Distribution(
                p={better: p, worse: 1 - p}, greedy=better, p_unopened=0.0, preferred=(better, p)
            ),
        )

    return reply


def test_without_a_condition_those_go_that_depend_on_the_order(cascade: Cascade) -> None:
    record = cascade()
    assert cascade.handed == both("q1")
    first, kept, failed = record.verdicts
    assert (first.winner, first.judge, first.is_doubtful) == (Winner.B, STRONGER, True)
    assert (kept.winner, kept.judge, kept.is_doubtful) == (Winner.A, "backend", False)
    assert failed.failure is Failure.UNREADABLE
    before = record.first_verdicts["q1"]
    assert (before.winner, before.order_dependent, before.judge) == (Winner.TIE, True, "backend")


def test_what_the_first_judge_failed_on_goes_only_if_asked_for(cascade: Cascade) -> None:
    record = cascade(failed=True)
    assert cascade.handed == both("q3")
    assert record.verdicts[2].winner is Winner.B
    assert record.verdicts[0].order_dependent
    assert [one.judge for one in cascade(failed=True, order_dependent=True).verdicts] == [
        STRONGER,
        "backend",
        STRONGER,
    ]
    assert cascade.handed == both("q1")


def test_a_threshold_hands_on_what_is_under_it(cascade: Cascade) -> None:
    record = cascade(with_confidence(0.6), below=0.7)
    assert cascade.handed == both("q1")
    assert [one.winner for one in record.verdicts] == [Winner.B, Winner.A, Winner.A]


def test_at_the_threshold_a_verdict_is_trusted(cascade: Cascade) -> None:
    cascade(with_confidence(0.75), below=0.75)
    assert cascade.handed == NONE


def test_without_any_probability_nothing_is_handed_on(cascade: Cascade) -> None:
    with pytest.raises(DataError, match=r"no verdict has a probability.*escalate by --order-dependent"):
        cascade(by_seat, below=0.7)
    assert cascade.handed == NONE
    assert [one.winner for one in load_run(RUN).first_verdicts.values()] == [Winner.A] * 3


def test_a_threshold_that_cannot_choose_leaves_a_finished_run_as_it_is(cascade: Cascade) -> None:
    cascade()
    content = RUN.read_bytes()
    with pytest.raises(DataError, match="no verdict has a probability"):
        cascade(below=0.7)
    assert RUN.read_bytes() == content


def test_a_whole_cascade_is_not_asked_again(cascade: Cascade) -> None:
    first = cascade()
    content = RUN.read_bytes()
    assert cascade() == first
    assert (cascade.runs.asked, cascade.handed) == (NONE, NONE)
    assert RUN.read_bytes() == content


def test_a_plain_run_goes_on_as_a_cascade_and_back(cascade: Cascade) -> None:
    plain = cascade.runs(mixed)
    record = cascade()
    assert cascade.runs.asked == NONE
    assert cascade.handed == both("q1")
    assert record.verdicts[1].winner is plain.verdicts[1].winner
    assert cascade.runs(mixed).verdicts == plain.verdicts
    assert cascade.runs.asked == NONE
    assert cascade().verdicts == record.verdicts
    assert cascade.handed == NONE


def test_another_stronger_judge_is_asked_anew_and_the_first_is_not(cascade: Cascade) -> None:
    cascade()
    write_jsonl(Path("other.jsonl"), [{"reply": "7 7\n"}])
    record = cascade(escalate="scripted:other.jsonl", stronger=lambda _: "7 7\n")
    assert cascade.runs.asked == NONE
    assert cascade.handed == both("q1")
    assert (record.verdicts[0].winner, record.verdicts[0].judge) == (Winner.TIE, "scripted:other.jsonl")
    assert record.notes == ()


def test_a_wider_rule_asks_only_about_what_it_adds(cascade: Cascade) -> None:
    cascade()
    cascade(order_dependent=True, failed=True)
    assert cascade.handed == both("q3")


def test_a_stronger_judge_that_stops_loses_nothing(cascade: Cascade) -> None:
    run = cascade.prepare(lambda _: "8 6\n", for_b)
    assert run.second is not None

    class Stopping(ScriptedBackend):
        def judge(self, requests: Any) -> Any:
            yield from list(ScriptedBackend(for_b).judge(requests))[:3]

    with pytest.raises(ModelError, match="answered 3 of 6 prompts"):
        execute(replace(run, second=replace(run.second, load=lambda: nullcontext(Stopping(for_b)))))
    verdicts = load_run(RUN).verdicts
    assert [one.winner for one in verdicts] == [Winner.B, None, None]
    assert [one.failure for one in verdicts] == [None] * 3
    record = cascade(lambda _: "8 6\n")
    assert len(cascade.handed) == 3
    assert [one.winner for one in record.verdicts] == [Winner.B] * 3


def test_calls_that_are_spent_leave_the_rest_open(cascade: Cascade) -> None:
    class Spent(ScriptedBackend):
        def judge(self, requests: Any) -> Any:
            yield from list(ScriptedBackend(for_b).judge(requests))[:2]
            raise CallsSpentError("the 2 calls of --max-calls are spent")

    run = cascade.prepare(lambda _: "8 6\n", for_b)
    assert run.second is not None
    run = replace(run, second=replace(run.second, load=lambda: nullcontext(Spent(for_b))))
    assert execute(run).spent == "the 2 calls of --max-calls are spent"
    assert [one.winner for one in load_run(RUN).verdicts] == [Winner.B, None, None]


def test_a_failure_of_the_stronger_judge_is_no_verdict(cascade: Cascade) -> None:
    def broken(request: Request) -> Completion:
        return Completion(request=request, error="the server hung up")

    record = cascade(stronger=broken)
    verdict = record.verdicts[0]
    assert (verdict.winner, verdict.failure, verdict.judge) == (None, Failure.ENGINE, STRONGER)
    assert cascade().verdicts[0].winner is Winner.B
    assert cascade.handed == both("q1")


def test_rows_say_whose_they_are(cascade: Cascade) -> None:
    cascade()
    [header] = read_rows(RUN, "header")
    key = header["escalation"]["key"]
    assert header["escalation"]["model"]["name"] == STRONGER
    assert header["doubt"]["order_dependent"] is True
    handed = [row for row in read_rows(RUN, "judgment") if row["judge"]]
    assert {row["judge"] for row in handed} == {key}
    assert [(row["item_id"], row["order"]) for row in handed] == both("q1")


def test_doubt_without_a_stronger_judge_only_marks(runs: Runs) -> None:
    record = runs(with_confidence(0.6), trusting=Trusting(below=0.7))
    assert [one.is_doubtful for one in record.verdicts] == [True, False, False]
    assert [one.winner for one in record.verdicts] == [Winner.A] * 3
    assert record.first_verdicts == {}


CALIBRATION = {
    "file": "judgecli calibration",
    "version": 1,
    "temperature": 2.0,
    "threshold": 0.7,
    "agree": 0.8,
    "confidence": 0.9,
    "n_fit": 50,
    "n_test": 50,
}


def calibration(folder: Path, runs: Runs, **more: Any) -> Path:
    path = folder / "calibration.json"
    judge = {**calibrated_judge(runs.prepare(by_seat).header), **more.pop("judge", {})}
    path.write_text(json.dumps({**CALIBRATION, "judge": judge, **more}), encoding="utf-8")
    return path


def test_a_calibration_tempers_and_sets_the_threshold(folder: Path, cascade: Cascade) -> None:
    path = calibration(folder, cascade.runs)
    record = cascade(with_confidence(0.8), calibration=path)
    assert record.first_verdicts["q1"].confidence == pytest.approx(
        2 / 3, rel=1e-3
    )  # 0.8 : 0.2 at temperature 2
    assert record.first_verdicts["q2"].confidence == pytest.approx(0.75, rel=1e-3)
    assert cascade.handed == both("q1")


def test_where_nothing_was_certified_everything_is_doubtful(folder: Path, cascade: Cascade) -> None:
    path = calibration(folder, cascade.runs, threshold=None)
    cascade(with_confidence(0.8), calibration=path)
    assert cascade.handed == both("q1", "q2", "q3")


def test_a_calibration_of_another_judge_is_refused(folder: Path, runs: Runs) -> None:
    path = calibration(folder, runs, judge={"prompt_hash": "0" * 64})
    with pytest.raises(DataError, match="calibrated with another wording of --prompt"):
        runs(trusting=Trusting(calibration=path))
    assert not RUN.exists()


@pytest.mark.parametrize(
    ("held", "sentence"),
    [
        ({"sha256": "b1" * 32}, r"another judge's weights \(b1b1b1b1b1b1b1b1b1b1b1b1\.\.\., now none\)"),
        ({"orders": "ab"}, r"another --orders \(ab, now both\)"),
        ({"min_mass": 0.0}, r"another --min-mass \(0, now 0\.5\)"),
        ({"aspect": "tone"}, r"another --aspect \(tone, now none\)"),
        ({"name": "big"}, r"another --model \(big, now "),
    ],
)
def test_what_differs_from_a_calibration_is_called_as_the_user_calls_it(
    folder: Path, runs: Runs, held: dict[str, Any], sentence: str
) -> None:
    path = calibration(folder, runs, judge=held)
    with pytest.raises(DataError, match=f"calibrated with {sentence}"):
        runs(trusting=Trusting(calibration=path))


def test_a_calibration_holds_for_one_endpoint(folder: Path, runs: Runs) -> None:
    local = runs.prepare(by_seat).header
    here = {**local, "backend": {"device": "endpoint", "base_url": "http://b/v1", "model": "m"}}
    path = calibration(folder, runs, judge={**calibrated_judge(here), "base_url": "http://a/v1"})
    with pytest.raises(DataError) as error:
        doubt_header(Trusting(calibration=path), here)
    assert str(error.value) == (
        f"{path}: calibrated with another OPENAI_BASE_URL (http://a/v1, now http://b/v1); "
        "calibrate this judge with `judge calibrate`"
    )
    calibration(folder, runs, judge=calibrated_judge(here))
    assert doubt_header(Trusting(calibration=path), here)["calibration"]["temperature"] == 2.0
    with pytest.raises(DataError, match=r"another --reasons \(False, now True\)"):
        doubt_header(Trusting(calibration=path), {**here, "reasons": True})


def test_an_older_calibration_says_nothing_of_endpoints(folder: Path, runs: Runs) -> None:
    local = runs.prepare(by_seat).header
    path = calibration(folder, runs)
    content = json.loads(path.read_text(encoding="utf-8"))
    older = {k: v for k, v in content["judge"].items() if k not in ("base_url", "model", "reasons")}
    path.write_text(json.dumps({**content, "judge": older}), encoding="utf-8")
    assert doubt_header(Trusting(calibration=path), local)["calibration"] is not None
    here = {**local, "backend": {"device": "endpoint", "base_url": "http://b/v1", "model": "m"}}
    with pytest.raises(DataError, match="does not say with which OPENAI_BASE_URL it was calibrated"):
        doubt_header(Trusting(calibration=path), here)


def test_a_calibration_of_a_judge_that_is_not_known_is_refused(folder: Path, runs: Runs) -> None:
    path = calibration(folder, runs)
    content = json.loads(path.read_text(encoding="utf-8"))
    nobody = dict.fromkeys(content["judge"])
    path.write_text(json.dumps({**content, "judge": nobody}), encoding="utf-8")
    with pytest.raises(DataError, match="calibrated on verdicts made elsewhere"):
        runs(trusting=Trusting(calibration=path))


@pytest.mark.parametrize(
    ("conditions", "sentence"),
    [
        ({"below": 0.0}, "--below is a probability above 0"),
        ({"below": 1.5}, "--below is a probability above 0"),
        ({"below": 0.5, "calibration": Path("c.json")}, "both set the threshold"),
        ({"failed": True}, "--failed has no use without --escalate"),
        ({"escalate_prompt": "chat"}, "--escalate-prompt has no use without --escalate"),
        ({"escalate": ""}, "--escalate is empty"),
    ],
)
def test_conditions_that_mean_nothing_are_refused(conditions: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        Trusting(**conditions)


def test_an_unknown_stronger_judge_is_refused_before_anything_is_asked(runs: Runs) -> None:
    with pytest.raises(ModelError, match=r"missing\.gguf"):
        runs(trusting=Trusting(escalate="missing.gguf", escalate_prompt="judgelm"))
    assert runs.asked == NONE
    assert not RUN.exists()
