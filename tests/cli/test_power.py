"""`judge power`: what is asked comes first, and nothing is promised that a gate would not decide."""

import re
from pathlib import Path

import pytest

from tests.conftest import Judge


def said(judge: Judge, *arguments: object) -> str:
    """Return the sentences, on one line."""
    done = judge("power", *arguments)
    assert done.code == 0, done.err
    return " ".join(done.out.partition("\n\n")[0].split())


def table(judge: Judge, *arguments: object) -> list[int]:
    """Return the numbers of pairs, row by row."""
    rows = re.findall(r"([0-9,]+) pairs$", judge("power", *arguments).out.partition("\n\n")[2], re.MULTILINE)
    return [int(number.replace(",", "")) for number in rows]


def test_with_pairs_the_first_line_is_about_them(judge: Judge) -> None:
    done = judge("power", 200)
    assert done.out.splitlines()[:3] == [
        "200 pairs can show margins of 7.3 points or more with probability 0.8, if the",
        "true win rate is 50.0% and 30% of the pairs are ties (alpha 0.05, one-sided).",
        "429 pairs show no worse by 5 points.",
    ]


def test_without_pairs_it_says_how_many_it_takes(judge: Judge) -> None:
    assert said(judge) == (
        "429 pairs show no worse by 5 points with probability 0.8,"
        " if the true win rate is 50.0% and 30% of the pairs are ties (alpha 0.05, one-sided)."
    )


def test_the_least_win_rate_that_is_shown_as_better(judge: Judge) -> None:
    plan = judge("power", 200, "--gate", "better", "--format", "json").report
    least = plan["smallest_win_rate"]
    assert said(judge, 200, "--gate", "better").startswith(
        f"200 pairs can show better where the true win rate is {least:.1%} or more, with probability 0.8"
    )
    needed = judge("power", "--gate", "better", "--truth", least, "--format", "json").report["n_needed"]
    assert needed in {200, 201}
    assert (plan["smallest_margin"], plan["n_needed"]) == (None, 431)


@pytest.mark.parametrize("gate", ["no-worse", "better"])
def test_no_line_is_longer_than_a_terminal_is_wide(judge: Judge, gate: str) -> None:
    for n in ((), (10,), (200,), (123_456_789,)):
        out = judge("power", *n, "--gate", gate, "--ties", 0.123, "--deff", 1.5).out
        assert max(map(len, out.splitlines())) <= 80


def test_sentences_fill_the_width_there_is(judge: Judge) -> None:
    narrow, wide = (judge("power", 200, COLUMNS=columns).out for columns in ("40", "200"))
    assert max(map(len, narrow.splitlines())) <= 40
    assert len(wide.partition("\n\n")[0].splitlines()) == 2
    assert narrow.split() == wide.split()


class TestManyTies:
    def test_a_greater_margin_never_takes_more_pairs(self, judge: Judge) -> None:
        for ties in (0.9, 0.95, 0.99, 1):
            numbers = table(judge, "--ties", ties)
            assert len(numbers) == 4
            assert numbers == sorted(numbers, reverse=True)

    def test_what_can_be_shown_is_not_said_to_be_impossible(self, judge: Judge) -> None:
        text = said(judge, 200, "--ties", 0.95, "--margin", 0.03)
        assert text.startswith("200 pairs can show margins of 1.9 points or more")
        assert text.endswith("94 pairs show no worse by 3 points.")

    def test_a_win_rate_that_cannot_be(self, judge: Judge) -> None:
        text = said(judge, "--gate", "better", "--ties", 0.9, "--truth", 0.6)
        assert text.startswith("No number of pairs shows better")
        assert text.endswith("With so many ties a win rate is between 45.0% and 55.0%.")


class TestAGateTakes30Pairs:
    @pytest.mark.parametrize("gate", ["no-worse", "better"])
    def test_fewer_show_nothing(self, judge: Judge, gate: str) -> None:
        text = said(judge, 29, "--gate", gate, "--margin", 0.4, "--truth", 0.55)
        assert text.startswith("29 pairs can show nothing: a gate takes 30 pairs at least.")
        plan = judge("power", 29, "--gate", gate, "--format", "json").report
        assert (plan["smallest_margin"], plan["smallest_win_rate"]) == (None, None)
        plan = judge("power", 30, "--gate", gate, "--format", "json").report
        assert plan["smallest_margin"] or plan["smallest_win_rate"]

    @pytest.mark.parametrize("options", [("--power", "1e-300"), ("--margin", 0.45), ("--deff", 1e-9)])
    def test_so_many_are_needed_whatever_is_asked(self, judge: Judge, options: tuple[object, ...]) -> None:
        done = judge("power", *options)
        assert done.out.startswith("30 pairs show ")
        assert done.out.endswith("\nA gate takes 30 pairs at least.\n")

    def test_nothing_is_said_of_it_where_more_are_needed(self, judge: Judge) -> None:
        assert "at least" not in judge("power", 200).out


@pytest.mark.parametrize("form", ["markdown", "html", "junit"])
def test_a_format_that_there_is_not_is_refused(judge: Judge, form: str) -> None:
    done = judge("power", "--format", form)
    assert (done.code, done.out) == (2, "")
    assert form in done.err.splitlines()[-1]


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
@pytest.mark.parametrize("option", ["--margin", "--ties", "--truth", "--power", "--deff"])
def test_numbers_that_are_none(judge: Judge, option: str, value: str) -> None:
    for n in ((), (200,)):
        done = judge("power", *n, f"{option}={value}")
        assert (done.code, done.out) == (2, "")
        assert "Traceback" not in done.err
        assert option in done.err.splitlines()[-1]


def test_numbers_beyond_all_measure_are_no_bugs(judge: Judge) -> None:
    for deff in ("1e-320", "1e308"):
        assert judge("power", 10**40, "--deff", deff).code == 0
        assert judge("power", 10**40, "--deff", deff, "--gate", "better").code == 0


def test_a_folder_s_defaults_hold(judge: Judge, folder: Path) -> None:
    (folder / "judge.toml").write_text('gate = "better"\nmargin = 0.1\n', encoding="utf-8")
    assert said(judge).startswith("431 pairs show better ")
    assert said(judge, "--gate", "no-worse").startswith("105 pairs show no worse by 10 points ")
    assert said(judge, "--gate", "no-worse", "--margin", 0.05).startswith(
        "429 pairs show no worse by 5 points "
    )
