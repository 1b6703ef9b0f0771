"""Pairs one by one: what kind they are of, what is said of them, and how they are listed in each format."""

import json
from dataclasses import replace
from textwrap import wrap

import pytest
from rich.cells import cell_len

from judgecli import reports
from judgecli.analysis import summarise
from judgecli.reports.pairs import PairKind, outcome, selected, views
from judgecli.reports.pairs.phrases import judgment_phrases, seating, verdict_phrases
from judgecli.reports.pairs.texts import cut_lines, one_line
from judgecli.types import DecidedBy, Order, RunRecord, Winner
from tests.analysis.made_up import pair, record, verdict
from tests.reports.runs import HOSTILE, RUNS

pytestmark = pytest.mark.filterwarnings("error")

# a win, a loss, a tie, an order-dependent pair, a failure, an open one, and one that a rule decided
EVERY = record(["BB", "AA", "TT", "AB", "uB", "B.", DecidedBy.EMPTY_A])
LONG = "word " * 400


def ids(run: RunRecord, *kinds: PairKind) -> list[str]:
    return [view.item.id for view in selected(run, kinds)]


def with_answers(a: str, b: str, case: str = "AA", **item: object) -> RunRecord:
    made = replace(pair("q1", a, b), **item)
    return record([case], pairs=[made])


def listed(run: RunRecord, form: str, *kinds: PairKind, width: int = 80) -> str:
    return reports.render(form, run, summarise(run), width=width, only=kinds or tuple(PairKind))


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        (PairKind.WINS, ["q1", "q7"]),
        (PairKind.LOSSES, ["q2"]),
        (PairKind.TIES, ["q3"]),
        (PairKind.FLIPS, ["q4"]),
        (PairKind.FAILURES, ["q5"]),
        (PairKind.OPEN, ["q6"]),
        (PairKind.DOUBTFUL, []),
        (PairKind.FLAGGED, []),
    ],
)
def test_each_pair_is_of_one_outcome(kind, found):
    assert ids(EVERY, kind) == found


def test_several_kinds_come_in_the_order_of_the_run():
    assert ids(EVERY, PairKind.FAILURES, PairKind.LOSSES, PairKind.FLIPS) == ["q2", "q4", "q5"]


def test_the_outcomes_are_those_that_the_report_counts():
    assert [outcome(one) for one in EVERY.verdicts] == [
        "win",
        "loss",
        "tie",
        "order-dependent",
        "unreadable",
        "not judged",
        "win",
    ]


def test_a_pair_is_flagged_by_its_item_its_verdict_or_a_judgment():
    flagged = record(["BB"] * 4, pairs=[pair("q1", flags=("altered",)), pair("q2"), pair("q3"), pair("q4")])
    verdicts = [*flagged.verdicts]
    verdicts[1] = replace(verdicts[1], flags=("truncated",))
    judgments = dict(flagged.judgments)
    judgments["q3", Order.AB] = replace(judgments["q3", Order.AB], flags=("cut-reasons",))
    made = replace(flagged, verdicts=tuple(verdicts), judgments=judgments)
    assert ids(made, PairKind.FLAGGED) == ["q1", "q2", "q3"]
    assert [view.flags for view in views(made)] == [("altered",), ("truncated",), ("cut-reasons",), ()]


def test_a_doubtful_pair_that_a_stronger_judge_settled_shows_both_verdicts():
    first = verdict("q1", "AB", is_doubtful=True, judge="small")
    made = record(["BB"])
    strong = {key: replace(one, judge="0123") for key, one in made.judgments.items()}
    own = {("q1", order): replace(one, winner=str(order)[0]) for (_, order), one in made.judgments.items()}
    made = replace(
        made,
        verdicts=(verdict("q1", "BB", is_doubtful=True, judge="big"),),
        first_verdicts={"q1": first},
        judgments=own,
        escalated=strong,
    )
    [view] = selected(made, [PairKind.DOUBTFUL])
    assert verdict_phrases(view) == ["win", "by big", "doubtful before: order-dependent"]
    assert [one.winner for one in (*view.judgments, *view.escalated)] == ["A", "B", Winner.B, Winner.B]


def test_what_is_said_of_a_judgment():
    [view] = selected(record(["BB"]), [PairKind.WINS])
    told = replace(
        view.judgments[0], scores={"B": 9.0, "A": 8.5}, p={"A": 0.2, "tie": 0.05, "B": 0.75}, mass=0.98
    )
    assert seating(told) == "A first"
    assert judgment_phrases(told) == [
        "B better",
        "scores A 8.5, B 9",
        "P A 0.20, tie 0.05, B 0.75",
        "mass 0.98",
    ]
    [failed] = selected(record(["uu"]), [PairKind.FAILURES])
    assert judgment_phrases(replace(failed.judgments[0], detail="why")) == ["unreadable", "why"]


def test_a_rule_is_named():
    [view] = selected(record([DecidedBy.EQUAL]), [PairKind.TIES])
    assert verdict_phrases(view) == ["tie", "by rule: equal answers"]


# listing in the terminal


def test_answers_stand_side_by_side_from_80_columns_on():
    text = listed(with_answers("left answer", "right answer"), "terminal", width=80)
    assert f"{'A':<38} | B\n{'left answer':<38} | right answer\n" in text
    narrow = listed(with_answers("left answer", "right answer"), "terminal", width=79)
    assert "A            left answer\nB            right answer\n" in narrow


def test_what_the_judge_said_stands_beneath():
    lines = listed(with_answers("x", "y"), "terminal").splitlines()
    assert lines[-3:] == [
        "verdict      loss",
        "A first      A better, mass 0.98",
        "B first      A better, mass 0.98",
    ]


@pytest.mark.parametrize("width", [30, 79, 80, 200])
def test_long_answers_are_cut_with_a_note(width):
    text = listed(with_answers(LONG, "東京 " * 400), "terminal", width=width)
    assert "more characters" in " ".join(text.split())
    assert len(text) < 6000
    assert max(map(cell_len, text.splitlines())) <= width


@pytest.mark.parametrize("width", [40, 80, 120])
def test_no_line_is_wider_than_the_terminal_whatever_an_answer_holds(width):
    run = with_answers(HOSTILE + "\t\r\n\n\x00\x1b[2J", "x" * 500, instruction=HOSTILE, reference="r\nr")
    for only in (tuple(PairKind), (PairKind.WINS,)):
        text = reports.render("terminal", run, summarise(run), width=width, only=only)
        assert "\x1b" not in text
        for line in text.splitlines():
            assert cell_len(line) <= width
            assert line == line.rstrip()


def test_an_empty_answer_is_said_to_be_empty():
    assert "(empty)" in listed(with_answers("", "y"), "terminal")


def test_nothing_of_that_kind_is_said():
    assert listed(record(["BB"]), "terminal", PairKind.LOSSES).endswith("\n0 pairs listed\n")


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a\n\nb", ["a", "", "b"]),
        ("\n\na\n\n", ["a"]),
        ("x" * 100, ["x" * 30, "... 70 more characters"]),
        (" \n", ["(empty)"]),
    ],
)
def test_cutting_lines(text, lines):
    assert cut_lines(text, 3, 10, lambda line: [line]) == lines


def test_many_short_lines_are_cut_too():
    shown = cut_lines("1\n2\n3\n4\n5\n6\n7\n8", 3, 10, lambda line: [line])
    assert shown[:3] == ["1", "2", "3"]
    assert shown[3].endswith("more characters")


@pytest.mark.parametrize(
    ("text", "n_more"),
    [
        ("\x1b" * 400, 385),  # shown as four characters, five to a line
        ("\x1b[31m" * 80, 364),
        ("a\u2028" * 200, 394),
        ("a b\t" * 100, 364),
        ("😀" * 400, 340),
        ("\x1b" * 15, 0),
    ],
)
def test_what_is_left_out_is_counted_in_characters_of_the_text(text, n_more):
    lines = cut_lines(text, 3, 20, lambda line: wrap(line, 20))
    assert " ".join(lines[3:]) == (f"... {n_more} more characters" if n_more else "")


def test_one_line_marks_a_cut():
    assert one_line("a  b\nc", 10) == "a b c"
    assert one_line("abcdefghijklmno", 10) == "abcdefg..."
    assert one_line("\x1b[31m", 20) == "\\x1b[31m"


# listing in other formats


def test_json_holds_the_pairs_that_were_asked_for():
    report = json.loads(listed(EVERY, "json", PairKind.LOSSES, PairKind.FAILURES))
    loss, failed = report["pairs"]
    assert (loss["id"], loss["outcome"], loss["kinds"]) == ("q2", "loss", ["losses"])
    assert loss["a"]["output"] == "short"
    assert [one["winner"] for one in loss["judgments"]] == ["A", "A"]
    assert failed["verdict"]["failure"] == "unreadable"
    assert json.loads(reports.render("json", EVERY, summarise(EVERY)))["pairs"] is None
    assert json.loads(listed(record(["BB"]), "json", PairKind.LOSSES))["pairs"] == []


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_markdown_stays_under_sixty_lines_with_every_pair_listed(run):
    lines = listed(run, "markdown").splitlines()
    assert len(lines) < 60
    table = lines[lines.index("|---|---|---|---|---|") :] if "|---|---|---|---|---|" in lines else []
    for line in filter(None, table[1:]):
        assert line.endswith("not listed here.") or line.replace("\\|", "").count("|") == 6


def test_markdown_counts_the_pairs_that_it_leaves_out():
    run = record(["AA"] * 100)
    lines = listed(run, "markdown", PairKind.LOSSES).splitlines()
    n_shown = sum(line.startswith("| q") for line in lines)
    assert n_shown > 10
    assert lines[-1] == f"{100 - n_shown} more of 100 pairs are not listed here."
    few = listed(record(["AA"] * 3), "markdown", PairKind.LOSSES)
    assert "not listed here" not in few
    assert few.count("\n| q") == 3


def test_a_text_cannot_break_out_of_a_markdown_cell():
    text = listed(with_answers("a|b\n| c | <img src=x>", "[x](javascript:1) @me"), "markdown")
    assert "a\\|b \\| c \\| &lt;img src=x&gt;" in text
    assert "[x]\\(javascript:1) @<!-- -->me" in text
