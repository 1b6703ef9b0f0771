"""The summary: what counts where, and what a reader is warned about."""

import subprocess
import sys
from dataclasses import replace

import pytest

from judgecli.analysis import summarise
from judgecli.types import CautionKind, Conclusion, DecidedBy, Failure, Order
from tests.analysis.made_up import pair, record, response

pytestmark = pytest.mark.filterwarnings("error")


def kinds(summary):
    return [caution.kind for caution in summary.cautions]


def test_outcomes_are_kept_apart():
    cases = ["BB", "BB", "TT", "AB", "AA", "uB", "ll", "..", DecidedBy.EQUAL, DecidedBy.EMPTY_A]
    counts = summarise(record(cases)).counts
    assert (counts.n_win, counts.n_tie, counts.n_loss) == (3, 3, 1)
    assert counts.n_order_dependent == 1
    assert counts.failures == {Failure.UNREADABLE: 1, Failure.TOO_LONG: 1}
    assert counts.without_judge == {DecidedBy.EQUAL: 1, DecidedBy.EMPTY_A: 1}
    assert counts.n_open == 1
    assert counts.n_verdicts + counts.n_failed + counts.n_open == counts.n_pairs == 10
    assert counts.n_judgments == 14


def test_an_unreadable_pair_is_neither_a_tie_nor_a_score_fastchat_pr_2074():
    summary = summarise(record(["BB", "uu"]))
    assert (summary.counts.n_win, summary.counts.n_tie, summary.counts.n_loss) == (1, 0, 0)
    assert summary.win_rate.value == 1
    assert summary.win_rate.n == 1
    assert summary.counts.failures == {Failure.UNREADABLE: 1}


@pytest.mark.parametrize(
    ("cases", "conclusion"),
    [
        (["BB"] * 20 + ["AA"] * 5, Conclusion.CANDIDATE_BETTER),
        (["AA"] * 20 + ["BB"] * 5, Conclusion.BASELINE_BETTER),
        (["AA"] * 10 + ["BB"] * 12, Conclusion.NO_DIFFERENCE),
        (["TT"] * 10, Conclusion.NO_DIFFERENCE),
        (["uu", "ll"], Conclusion.NO_VERDICTS),
        ([], Conclusion.NO_VERDICTS),
    ],
)
def test_conclusion(cases, conclusion):
    assert summarise(record(cases)).conclusion is conclusion


def test_a_good_run_has_no_cautions():
    assert kinds(summarise(record(["BB"] * 30 + ["AA"] * 20))) == []


def test_cautions_name_the_number_and_its_limit():
    summary = summarise(record(["AB"] * 5 + ["BB"] * 5 + ["uu"]))
    by_kind = {caution.kind: caution for caution in summary.cautions}
    assert (by_kind[CautionKind.LOW_CONSISTENCY].value, by_kind[CautionKind.LOW_CONSISTENCY].limit) == (
        0.5,
        0.6,
    )
    assert by_kind[CautionKind.MANY_FAILURES].value == pytest.approx(1 / 11)
    assert (by_kind[CautionKind.FEW_PAIRS].value, by_kind[CautionKind.FEW_PAIRS].limit) == (10, 30)


@pytest.mark.parametrize(("n_failed", "warned"), [(1, False), (2, True)])
def test_failures_are_a_caution_above_two_percent(n_failed, warned):
    summary = summarise(record(["BB"] * (50 - n_failed) + ["uu"] * n_failed))
    assert (CautionKind.MANY_FAILURES in kinds(summary)) is warned


@pytest.mark.parametrize(("n_same", "warned"), [(29, True), (30, False)])
def test_consistency_is_a_caution_under_sixty_percent(n_same, warned):
    summary = summarise(record(["BB"] * n_same + ["AB"] * (50 - n_same)))
    assert (CautionKind.LOW_CONSISTENCY in kinds(summary)) is warned


def test_cautions_about_the_run():
    summary = summarise(record(["BB"] * 40 + [".."], model={"demo": True}, orders="ab"))
    assert kinds(summary) == [CautionKind.DEMO_JUDGE, CautionKind.PARTIAL, CautionKind.ONE_ORDER]


def test_mixed_references_split_the_result():
    pairs = [pair(f"q{n}", flags=("no-reference",) if n > 2 else ()) for n in range(1, 6)]
    first, second = summarise(record(["BB", "AA", "BB", "BB", "uu"], pairs=pairs)).by_reference
    assert (first.name, first.win_rate.value, first.win_rate.n) == ("with reference", 0.5, 2)
    assert (second.name, second.win_rate.value, second.win_rate.n) == ("without reference", 1, 2)
    assert second.counts.failures == {Failure.UNREADABLE: 1}
    assert (first.counts.n_judgments, second.counts.n_judgments) == (4, 6)


@pytest.mark.parametrize("flags", [(), ("no-reference",)])
def test_references_for_all_or_none_do_not_split(flags):
    pairs = [pair("q1", flags=flags), pair("q2", flags=flags)]
    assert summarise(record(["BB", "AA"], pairs=pairs)).by_reference == ()


def test_flags_count_pairs_wherever_they_are_set():
    made = record(["BB", "AA"], pairs=[pair("q1", flags=("altered",)), pair("q2")])
    first, second = made.verdicts
    key = ("q2", Order.AB)
    judgments = {**made.judgments, key: replace(made.judgments[key], flags=("altered", "cut-reasons"))}
    made = replace(made, judgments=judgments, verdicts=(replace(first, flags=("altered",)), second))
    assert summarise(made).flags == {"altered": 2, "cut-reasons": 1}


def test_incomplete_answers_are_counted_per_side_legalbench_55():
    empty, thinking, cut = "  ", "<think>never closed", response("half an ans", finish_reason="length")
    pairs = [
        pair("q1", empty, "fine"),
        pair("q2", thinking, "fine"),
        replace(pair("q3", "", "fine"), responses=(response(""), cut)),
    ]
    summary = summarise(record(["BB"] * 3, pairs=pairs))
    a, b = summary.side_a, summary.side_b
    assert (a.n_empty, a.n_thinking_only, a.n_cut_off) == (3, 1, 0)
    assert (b.n_empty, b.n_thinking_only, b.n_cut_off) == (0, 0, 1)


@pytest.mark.parametrize(
    ("given", "model", "name"),
    [
        ({"model_a": "named", "baseline": "f.jsonl"}, "other", "named"),
        ({"model_a": None, "baseline": "f.jsonl"}, "in-the-rows", "in-the-rows"),
        ({"model_a": None, "baseline": "answers/gpt-3.5.jsonl.gz"}, None, "gpt-3.5"),
        ({"model_a": None, "baseline": "C:\\runs\\base.csv"}, None, "base"),
        ({"model_a": None, "baseline": "-"}, None, None),
        ({"model_a": None, "baseline": None}, None, None),
    ],
)
def test_a_side_is_named_by_the_header_then_its_rows_then_its_file(given, model, name):
    one = replace(pair("q1"), responses=(response("x", model=model), response("y")))
    assert summarise(record(["BB"], pairs=[one], input=given)).side_a.model == name


def test_a_header_without_keys_is_read():
    bare = replace(record(["BB"]), header={})
    assert summarise(bare).win_rate.n == 1
    assert summarise(replace(bare, header={"model": None, "input": "?"})).side_a.model is None


def test_swapping_the_files_mirrors_the_result():
    there = summarise(record(["BB"] * 20 + ["AB"] * 3 + ["AA"] * 5))
    back = summarise(record(["AA"] * 20 + ["BA"] * 3 + ["BB"] * 5))
    assert there.win_rate.value == pytest.approx(1 - back.win_rate.value)
    assert there.sign_test.p_value == back.sign_test.p_value
    assert (there.conclusion, back.conclusion) == (Conclusion.CANDIDATE_BETTER, Conclusion.BASELINE_BETTER)


def test_importing_the_analysis_loads_no_numpy():
    code = "import sys, judgecli.analysis; sys.exit('numpy' in sys.modules or 'scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_verdicts_by_rule_are_named_when_they_are_many():
    few = record([*["BB"] * 32, *[DecidedBy.EMPTY_B] * 8])
    many = record([*["BB"] * 31, *[DecidedBy.EMPTY_B] * 9])
    assert kinds(summarise(few)) == []
    assert kinds(summarise(many)) == [CautionKind.WITHOUT_JUDGE]


def test_judge_whose_probability_is_elsewhere_is_named():
    run = record(["BB"] * 30)
    low = {key: replace(judgment, mass=0.2) for key, judgment in run.judgments.items()}
    assert kinds(summarise(replace(run, judgments=low))) == [CautionKind.LOW_MASS]
