"""The terminal report."""

from dataclasses import replace

import pytest
from rich.cells import cell_len

from judgecli import reports
from judgecli.analysis import summarise
from judgecli.reports.terminal import fill
from judgecli.types import DecidedBy
from tests.analysis.made_up import pair, record
from tests.reports.runs import COMPLETE, HOSTILE, RUNS

pytestmark = pytest.mark.filterwarnings("error")


def rendered(run, **layout):
    return reports.render("terminal", run, summarise(run), **layout)


def rows(text):
    """Return the labelled lines of a report, continuation lines joined."""
    found, label = {}, ""
    for line in text.splitlines():
        label = line[:13].strip() or label
        found[label] = f"{found.get(label, '')} {line[13:].strip()}".strip()
    return found


@pytest.mark.parametrize("width", [30, 40, 80, 120])
@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_no_line_is_wider_than_the_terminal_or_ends_in_blanks(run, width):
    for line in rendered(run, width=width).splitlines():
        assert cell_len(line) <= width
        assert line == line.rstrip()


@pytest.mark.parametrize("width", [40, 80])
def test_wide_names_are_measured_in_cells(width):
    run = record(["BB"], input={"model_b": "東京" * 30})
    assert max(cell_len(line) for line in rendered(run, width=width).splitlines()) <= width


def test_the_headline_comes_first_and_the_judge_stands_beside_it():
    text = rendered(COMPLETE)
    assert text.startswith("candidate gpt35 better: win rate 68.8% [54.8, 79.8], n=40\n")
    said = rows(text)
    assert said["A baseline"] == "alpaca-13b, from answers/alpaca-13b.jsonl"
    assert said["B candidate"] == "gpt35, from answers/gpt35.jsonl"
    assert said["judge"] == "judgelm-7b, judgelm-7b.Q4_K_M.gguf, sha256 3f2a9c1b7d04"
    assert said["prompt"] == "judgelm pair, hash 1a2b3c4d5e6f, both orders, greedy, min mass 0.5"
    assert said["compared"] == "40 comparisons (76 judgments)"


def test_a_headline_breaks_after_its_subject_and_not_inside_a_name():
    made = record(["BB"] * 9, input={"model_b": "org/b: v2"})
    assert rendered(made).startswith("candidate org/b: v2 better: win rate 100.0% [")
    assert rendered(made, width=50).splitlines()[0] == "candidate org/b: v2 better:"


def test_both_orders_of_a_pair_are_one_comparison_judge_arena_60():
    assert "3 comparisons (6 judgments)" in rendered(record(["BB", "AA", "TT"]))
    assert "1 comparison (2 judgments)" in rendered(record(["BB"]))


def test_bars_show_outcomes_apart():
    lines = rendered(record(["BB"] * 5 + ["TT"] * 2 + ["AB"] + ["AA"] * 2 + ["uu"] * 2)).splitlines()
    bars = {line[:15].strip(): line[15:].split() for line in lines}
    assert bars["win"][0] == "5"
    assert bars["tie"][0] == "2"
    assert bars["order-dependent"][0] == "1"
    assert bars["loss"] == [bars["loss"][0], "-" * len(bars["tie"][1])]
    assert bars["unreadable"] == ["2", "!" * len(bars["tie"][1])]
    assert len(bars["win"][1]) == pytest.approx(2.5 * len(bars["tie"][1]), abs=2)


def test_a_rare_outcome_keeps_a_mark():
    lines = rendered(record(["BB"] * 500 + ["AA"])).splitlines()
    assert next(line for line in lines if line.startswith("loss")).endswith("  1  -")
    assert next(line for line in lines if line.startswith("tie")).endswith("  0")


def test_result_and_judge_rows():
    said = rows(rendered(RUNS["with probabilities"]))
    assert said["win rate"] == "68.8% [54.8, 79.8], 95% Tango interval, a tie counts half, n=40"
    assert said["sign test"] == "p=0.0090 (mid-p), 24 won of 33 decided"
    assert said["soft"].startswith("62.6% [")
    assert said["soft"].endswith("mean probability for the candidate, a tie counts half, n=38")
    assert said["consistency"] == "92.1% [79.2, 97.3] same verdict in both orders, n=38"
    assert said["lean"].startswith("first seat +2.6 points [")
    assert said["seats"] == "5.3% lean to the first, 2.6% to the second, 5.3% opposite"
    assert (
        said["no judge"] == "2 pairs decided by rule: 1 equal answers (tie), 1 empty candidate answer (loss)"
    )


def test_notes_on_the_run_file_come_before_many_on_the_input() -> None:
    noted = replace(RUNS["complete"], notes=("the last line was cut off and is ignored",))
    told = {**noted.header, "input": {"notes": [f"note {n}" for n in range(9)]}}
    assert "the last line was cut off" in rendered(replace(noted, header=told), width=100)


def test_several_empty_answers_are_a_plural() -> None:
    cases = [DecidedBy.EMPTY_A, DecidedBy.EMPTY_A, DecidedBy.EMPTY_B, "AA"]
    text = rendered(record(cases), width=200)
    assert "3 pairs decided by rule: 2 empty baseline answers (win), 1 empty candidate answer (loss)" in text
    assert "from rules, not from the judge: 2 empty baseline answers, 1 empty candidate answer." in text


def test_failures_have_reasons_examples_and_a_worst_case():
    said = rows(rendered(record(["BB"] * 3 + ["uu", "ll", "Bu", "uu", "uu"])))
    assert said["failed"] == "5 of 8: 4 unreadable, 1 too long"
    assert said["for example"].startswith("q4: unreadable q5: too long")
    assert said["for example"].endswith("and 2 more")
    assert said["worst case"] == "37.5% to 100.0%, had every failed pair been lost, or won"


@pytest.mark.parametrize(
    ("detail", "said"),
    [
        ("2,310 of 2,048 tokens", "q1: unreadable (2,310 of 2,048 tokens)"),
        ("x" * 60, f"q1: unreadable ({'x' * 60})"),
        ("x" * 61, f"q1: unreadable ({'x' * 57}...)"),
    ],
)
def test_a_failure_shows_its_detail_cut_where_it_is_long(detail, said):
    run = record(["uu"])
    run = replace(run, verdicts=(replace(run.verdicts[0], detail=detail),))
    assert rows(rendered(run, width=120))["for example"] == said


def test_one_kind_of_failure_is_said_shortly_fastchat_pr_2074():
    assert rows(rendered(record(["BB", "uu"])))["failed"] == "1 of 2 unreadable"


def test_nothing_judged_has_a_headline_and_no_result():
    text = rendered(record(["uu"] * 4))
    assert text.startswith("no verdicts: 4 of 4 unreadable\n")
    assert not {"win rate", "sign test", "soft", "worst case"} & rows(text).keys()
    assert "worst case" not in text


def test_one_order_measures_no_bias():
    text = rendered(RUNS["one order"])
    said = rows(text)
    assert said["consistency"] == said["lean"] == "not measured (one order)"
    assert "one order only" in text
    assert "order-dependent" not in text


def test_demo_judge_is_named_at_the_top():
    lines = rendered(RUNS["demo judge"]).splitlines()
    assert lines[1] == "! demo judge, at chance: it means nothing. A real one: judge pull judgelm-7b"


def test_partial_run_says_so_in_headline_and_warning():
    text = rendered(RUNS["partial"])
    assert " n=7 (partial run)\n" in text
    assert "! partial run: 3 of 10 pairs not judged yet; the same command resumes." in text


def test_mixed_references_are_reported_apart():
    said = rows(rendered(RUNS["mixed references"]))
    assert said["with ref."].startswith("75.0% [")
    assert said["without ref."].startswith("0.0% [")


def test_input_notes_are_told():
    run = record(
        ["BB"] * 2,
        pairs=[pair("q1", "", "x"), pair("q2", "<think>", "x")],
        input={
            "only_in_a": [f"q{n}" for n in range(3, 11)],
            "n_with_reference": 1,
            "notes": ["a.jsonl:3: twice"],
        },
    )
    said = rows(rendered(run))
    assert said["only in A"] == "8 ids: q3, q4, q5, q6, q7, and 3 more"
    assert said["incomplete"] == "A: 1 empty, 1 only thinking"
    assert said["pairing"].endswith("a reference for 1 of 2")
    assert said["notes"] == "a.jsonl:3: twice"
    assert "only in B" not in said


def test_names_are_text_never_markup_or_escape_codes():
    run = record(["BB"] * 9, input={"model_b": HOSTILE})
    first = rendered(run, width=200).splitlines()[0]
    assert first.startswith(
        "candidate [/INST] [result] a|b <img src=x> `c` *d* @e 😀\\u2028\\x1b[31m\\n| x better:"
    )


@pytest.mark.parametrize("color", [True, False])
@pytest.mark.parametrize(
    "environment", [{"NO_COLOR": "1"}, {"FORCE_COLOR": "1"}, {"TERM": "dumb"}, {"GITHUB_ACTIONS": "true"}]
)
def test_color_and_width_are_the_callers_alone(color, environment, monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM", "GITHUB_ACTIONS", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    expected = rendered(COMPLETE, width=60, color=color)
    for name, value in {**environment, "COLUMNS": "33"}.items():
        monkeypatch.setenv(name, value)
    assert rendered(COMPLETE, width=60, color=color) == expected
    assert ("\x1b[" in expected) is color


def test_a_report_of_ascii_names_is_ascii():
    assert rendered(COMPLETE).isascii()


def test_rules_alone_decide_a_run():
    said = rows(rendered(record([DecidedBy.EQUAL])))
    assert said["consistency"] == "no pair judged in both orders"
    assert said["sign test"] == "no decided pairs"


@pytest.mark.parametrize(
    ("phrases", "lines"),
    [
        (["one", "two", "three"], ["one, two,", "three"]),
        (["a very long phrase"], ["a very", "long", "phrase"]),
        (["x" * 12], ["x" * 8, "x" * 4]),
        (["12345678", "9"], ["12345678,", "9"]),
        ([], []),
    ],
)
def test_lines_break_between_phrases_first(phrases, lines):
    assert fill(phrases, 9) == lines
