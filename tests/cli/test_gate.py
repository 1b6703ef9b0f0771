"""The merge gate from the command line: its decision is the exit code, and one line says why."""

import json
from pathlib import Path

import pytest

import judgecli
from judgecli.errors import UsageError
from tests.conftest import Judge
from tests.gating import BETTER, COMMAND, EQUAL, KNOWS, RUN, WORSE, N, inputs
from tests.judging import read_rows, write_jsonl


def test_a_better_candidate_passes(judge: Judge, folder: Path) -> None:
    inputs(folder, *BETTER)
    done = judge(*COMMAND, "--gate", "no-worse", "--format", "json")
    assert done.code == 0, done.err
    assert done.report["gate"]["decision"] == "pass"
    assert done.report["counts"]["pairs"] == N
    assert done.report["estimates"]["win_rate"]["n"] == N
    assert done.err.splitlines()[-1].startswith("gate PASS (no worse by 5 points)")
    assert judge(*COMMAND, "--gate", "better", "--fresh").code == 0


def test_a_worse_candidate_fails_and_the_line_names_the_margin(judge: Judge, folder: Path) -> None:
    """After promptfoo: a gate that a losing candidate does not pass, in exit code and JUnit."""
    inputs(folder, *WORSE)
    done = judge(*COMMAND, "--gate", "no-worse", "-r", "report.xml")
    assert done.code == 1
    assert done.sentence.startswith("gate FAIL (no worse by 5 points)")
    assert "<failure" in (folder / "report.xml").read_text(encoding="utf-8")


def test_equal_models_on_few_pairs_are_inconclusive(judge: Judge, folder: Path) -> None:
    inputs(folder, range(20), range(20, 40))
    done = judge(*COMMAND, "--gate", "no-worse", "--margin", "0.02")
    assert done.code == 5
    assert done.sentence.startswith("gate INCONCLUSIVE (no worse by 2 points)")


@pytest.mark.parametrize("reply", ["7 7\n", "9 5\n"])
def test_a_judge_that_tells_nothing_apart_lets_nothing_pass(judge: Judge, folder: Path, reply: str) -> None:
    inputs(folder, *EQUAL, rules=[{"reply": reply}])
    done = judge(*COMMAND, "--gate", "no-worse", "--margin", "0.3", "--format", "json")
    assert done.code == 5
    assert done.report["gate"]["decision"] == "inconclusive"


def test_nothing_judged_never_passes(judge: Judge, folder: Path) -> None:
    inputs(folder, *EQUAL, rules=[{"reply": "I cannot rate these."}])
    assert judge(*COMMAND, "--gate", "no-worse").code == 5
    for name in ("a", "b"):
        same = [{"id": f"q{n}", "question": f"Q {n}?", "answer": "the same"} for n in range(N)]
        write_jsonl(folder / f"{name}.jsonl", same)
    assert judge(*COMMAND, "--gate", "no-worse", "--fresh").code == 5


def test_answers_that_the_candidate_lacks_are_losses(judge: Judge, folder: Path) -> None:
    inputs(folder, *EQUAL, missing_b=range(40))
    assert judge(*COMMAND, "--gate", "no-worse").code == 3
    done = judge(*COMMAND, "--gate", "no-worse", "--allow-missing", "--format", "json")
    assert done.code == 1
    assert done.report["gate"]["counts"]["n_only_in_baseline"] == 40


def test_control_items_are_no_pairs_of_the_run(judge: Judge, folder: Path) -> None:
    inputs(folder, *BETTER)
    judge(*COMMAND, "--gate", "no-worse", "--control", "10")
    rows = read_rows(RUN, "item")
    assert len([row for row in rows if row["id"].startswith("control:")]) == 10
    assert len(rows) == N + 10
    assert judge("report", RUN, "--format", "json").report["counts"]["pairs"] == N
    plain = judge(*COMMAND, "--format", "json")
    assert plain.code == 0
    assert "gate" not in plain.report or plain.report["gate"] is None
    assert len(read_rows(RUN, "judgment")) == 2 * (N + 10)


def test_every_part_has_to_pass(judge: Judge, folder: Path) -> None:
    odd = range(1, N, 2)
    inputs(folder, odd, range(0, N, 2))
    done = judge(*COMMAND, "--gate", "no-worse", "--margin", "0.2", "--by", "category", "--format", "json")
    assert done.code == 1
    parts = {part["name"]: part for part in done.report["gate"]["parts"]}
    assert (parts["even"]["decision"], parts["odd"]["decision"]) == ("pass", "fail")
    assert "odd" in done.err.splitlines()[-1]


def test_groups_need_their_field_and_widen_the_bounds(judge: Judge, folder: Path) -> None:
    inputs(folder, range(30), range(10, N))
    alone = judge(*COMMAND, "--gate", "no-worse", "--format", "json").report["gate"]
    done = judge(*COMMAND, "--gate", "no-worse", "--group", "group", "--format", "json")
    assert done.report["gate"]["lower"] < alone["lower"] - 0.02
    refused = judge(*COMMAND, "--gate", "no-worse", "--group", "colour")
    assert refused.code == 3
    assert "--group colour" in refused.sentence


def test_an_early_stop_judges_no_more_than_it_needs_and_says_where(judge: Judge, folder: Path) -> None:
    inputs(folder, *BETTER)
    done = judge(*COMMAND, "--gate", "no-worse", "--early-stop", "--seed", "3", "--format", "json")
    assert done.code == 0
    stop = done.report["gate"]["stop"]
    assert stop["unit"] < N
    judged = {
        row["item_id"] for row in read_rows(RUN, "judgment") if not row["item_id"].startswith("control:")
    }
    assert stop["unit"] <= len(judged) < N
    content = RUN.read_bytes()
    again = judge(*COMMAND, "--gate", "no-worse", "--early-stop", "--seed", "3", "--format", "json")
    assert again.report["gate"] == done.report["gate"]
    assert RUN.read_bytes() == content
    assert "(stopped early)" in done.report["headline"]
    assert "partial" not in {warning["code"] for warning in done.report["warnings"]}


def test_evidence_is_taken_in_the_seeded_order_whatever_came_first(judge: Judge, folder: Path) -> None:
    inputs(folder, range(25), range(15, N))
    stop = ("--gate", "no-worse", "--early-stop", "--format", "json")
    once = judge(*COMMAND, *stop, "-o", "once.jsonl").report["gate"]
    judge(*COMMAND, "-o", "whole.jsonl")  # all pairs were judged before, in another order
    after = judge(*COMMAND, *stop, "-o", "whole.jsonl").report["gate"]
    assert (after["decision"], after["stop"]) == (once["decision"], once["stop"])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--early-stop",), "--early-stop has no use without --gate"),
        (("--by", "category"), "--by has no use without --gate"),
        (("--gate", "equal"), "--gate must be one of no-worse, better"),
        (("--gate", "no-worse", "--margin", "0.7"), "--margin is a win rate between 0 and 0.5"),
        (("--gate", "better", "--margin", "0.05"), "--margin has no use with --gate better"),
        (("--margin", "0.05"), "--margin has no use without --gate"),
        (("--control", "30"), "--control has no use without --gate"),
        (("--gate", "better", "--early-stop", "--orders", "ab"), "--gate needs both orders"),
        (
            ("--gate", "better", "--early-stop", "--escalate", "scripted:rules.jsonl"),
            "--early-stop and --escalate exclude each other",
        ),
    ],
)
def test_what_means_nothing_is_refused(
    judge: Judge, folder: Path, options: tuple[str, ...], sentence: str
) -> None:
    inputs(folder, *EQUAL)
    done = judge(*COMMAND, *options)
    assert done.code == 2
    assert done.sentence.startswith(sentence)


def test_a_default_of_a_file_may_stand_where_it_has_no_use(judge: Judge, folder: Path) -> None:
    inputs(folder, *BETTER)
    defaults = 'margin = 0.1\ncontrol = 8\ngroup = "group"\n'
    (folder / "judge.toml").write_text(defaults, encoding="utf-8")
    plain = judge(*COMMAND, "--limit", 10, "-o", "plain.jsonl")
    assert plain.code == 0, plain.err
    better = judge(*COMMAND, "--gate", "better", "--format", "json")
    assert (better.code, better.report["gate"]["options"]["group"]) == (0, "group")
    worse = judge(*COMMAND, "--gate", "no-worse", "--format", "json", "-o", "worse.jsonl")
    assert worse.report["gate"]["options"]["margin"] == 0.1


def test_power_says_what_can_be_proved(judge: Judge) -> None:
    plan = json.loads(judge("power", "200", "--format", "json").out)
    assert plan["n_needed"] == 429
    assert plan["smallest_margin"] == pytest.approx(0.073, abs=0.001)
    text = judge("power", "--gate", "better", "--truth", "0.6", "--ties", "0").out
    assert text.startswith("153 pairs show better")
    assert judge("power", "--margin", "0.6").code == 2


def test_the_same_from_python(folder: Path) -> None:
    inputs(folder, *WORSE)
    source = {"model": "scripted:rules.jsonl", "prompt": "judgelm"}
    gate = judgecli.pair("a.jsonl", "b.jsonl", gate="no-worse", margin=0.1, **source).summary.gate
    assert gate.decision == "fail"
    assert gate.options.margin == 0.1
    with pytest.raises(UsageError, match="margin has no use without gate"):
        judgecli.pair("a.jsonl", "b.jsonl", margin=0.1, **source)
    with pytest.raises(UsageError, match="margin has no use with gate='better'"):
        judgecli.pair("a.jsonl", "b.jsonl", gate="better", margin=0.1, **source)
    with pytest.raises(UsageError, match="gate must be one of no-worse, better"):
        judgecli.pair("a.jsonl", "b.jsonl", gate="equal", **source)
    before = sorted(folder.iterdir())
    with pytest.raises(UsageError, match="min_items is a number from 0 on, not -5"):
        judgecli.pair("a.jsonl", "b.jsonl", gate="no-worse", min_items=-5, out="new.jsonl", **source)
    assert sorted(folder.iterdir()) == before


def test_answers_that_a_draw_seated_are_no_models_to_decide_about(judge: Judge, folder: Path) -> None:
    rows = [{"id": f"q{n}", "prompt": f"{n}?", "chosen": "good", "rejected": "bad"} for n in range(40)]
    write_jsonl(folder / "pairs.jsonl", rows)
    write_jsonl(folder / "rules.jsonl", [{"reply": "7 7"}])
    done = judge("pair", "pairs.jsonl", *COMMAND[3:], "--gate", "no-worse")
    assert (done.code, done.out) == (2, "")
    assert done.sentence == (
        "--gate compares two models, and a draw seats the chosen and rejected answers of this file; "
        "give the answers of two models, or drop --gate"
    )


def test_after_a_stop_the_report_is_about_the_pairs_up_to_there(judge: Judge, folder: Path) -> None:
    inputs(folder, *BETTER)
    done = judge(*COMMAND, "--gate", "no-worse", "--early-stop", "--format", "json", "-r", "r.txt")
    report, gate = done.report, done.report["gate"]
    n = gate["stop"]["unit"]
    assert n < N
    assert (report["counts"]["pairs"], report["counts"]["open"]) == (n, 0)
    rate = report["estimates"]["win_rate"]
    assert (rate["value"], rate["low"], rate["high"]) == (gate["theta"], gate["lower"], gate["upper"])
    assert "98% confidence sequence" in rate["method"]
    assert report["estimates"]["sign_test"]["value"] is None
    losses = ("report", RUN, "--only", "losses,wins,ties,flips,failures,open")
    assert len(judge(*losses, "--format", "json").report["pairs"]) == n
    text = (folder / "r.txt").read_text(encoding="utf-8")
    assert f"n={n} (stopped early)" in text
    assert "one-sided, 95%" not in text


def test_failures_that_are_asked_again_do_not_hold_an_early_stop_up(judge: Judge, folder: Path) -> None:
    broken = [{"id": f"q{n}", "error": "out of memory"} for n in range(60)]
    inputs(folder, *BETTER, rules=[*broken, *KNOWS])
    command = (*COMMAND, "--gate", "no-worse", "--early-stop")
    assert judge(*command).code == 5
    inputs(folder, *BETTER)
    assert judge(*command).code == 0
