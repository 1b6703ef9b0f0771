"""What a text says, where a backend gives no distribution: one place is read, nothing else is searched."""

import pytest

from judgecli.prompts.family import READERS
from judgecli.types import Failure, Judgment, Order, Winner
from judgecli.verdicts import reader_names
from tests.made_up import make_pair
from tests.verdicts.made_up import PROMPT, read_label_of, read_scores_of


def scores(judgment: Judgment) -> tuple[float | None, float | None]:
    return judgment.score_a, judgment.score_b


def test_prompt_families_name_the_readers_there_are() -> None:
    assert set(reader_names()) == READERS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("8 6", (8, 6)),
        ("8 6\n", (8, 6)),
        ("8.5 7", (8.5, 7)),
        ("8.5, 7.0", (8.5, 7)),
        ("8,6", (8, 6)),
        ("8.5\t7", (8.5, 7)),
        ("  9 7  \nBoth are fine…", (9, 7)),
        ("\n\n 10 1 \r\nBecause", (10, 1)),
        ("8\u00a06", (8, 6)),
    ],
)
def test_two_scores_on_the_first_line(text: str, expected: tuple[float, float]) -> None:
    assert scores(read_scores_of(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n ",
        "8",
        "8,5 7",
        "8,5 7,5",
        "8/10 6/10",
        "8 6 7",
        "8-6",
        "eight six",
        "I cannot rate these.",
        "**Answer: Assistant 1 is better**",
        '{"reason":"fine"}',
        "There are 3 reasons why Assistant 1 is ahead by 2 points.",
        "The scores are:\n8 6",
        "Scores: 8 6",
        "> 8 6",
        "8 6.",
        "\u0668 \u0666",
    ],
)
def test_anything_else_is_unreadable(text: str) -> None:
    judgment = read_scores_of(text)
    assert (judgment.failure, judgment.winner, scores(judgment)) == (Failure.UNREADABLE, None, (None, None))
    assert judgment.text == text
    assert judgment.detail


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Assistant 1: 8\nAssistant 2: 6", (8, 6)),
        ("Assistant 1: 8.5, Assistant 2: 6.\nBecause", (8.5, 6)),
        ("\nscore for assistant 2: 6\nScore for Assistant 1: 8", (8, 6)),
        ("Scores for Assistant 1: 10; Assistant 2: 1", (10, 1)),
    ],
)
def test_the_labelled_form_at_the_beginning(text: str, expected: tuple[float, float]) -> None:
    assert scores(read_scores_of(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Assistant 1: 8",
        "Assistant 1: 8\nAssistant 1: 6",
        "Assistant 1: 8,5\nAssistant 2: 6",
        "Assistant 1: 8\nAssistant 2: 6,5",
        "Assistant 1: 8/10\nAssistant 2: 6/10",
        "Assistant 1: 8\nAssistant 2: 6/10",
        "Assistant 1: 8\nbut\nAssistant 2: 6",
        "Well: Assistant 1: 8\nAssistant 2: 6",
        "Assistant 3: 8\nAssistant 2: 6",
    ],
)
def test_what_only_resembles_the_labelled_form_is_unreadable(text: str) -> None:
    assert read_scores_of(text).failure is Failure.UNREADABLE


@pytest.mark.parametrize("text", ["0 9", "9 11", "-8 6", "8 10.5", "1 0", f"{'9' * 400} 1"])
def test_scores_outside_the_scale_are_no_scores(text: str) -> None:
    judgment = read_scores_of(text)
    assert (judgment.failure, scores(judgment)) == (Failure.OUT_OF_RANGE, (None, None))


@pytest.mark.parametrize("text", ["I think that Assistant 1", "", "8", "Assistant 1: 8\nAssist"])
def test_a_text_that_was_cut_off_before_its_verdict(text: str) -> None:
    assert read_scores_of(text, finish_reason="length").failure is Failure.TRUNCATED


@pytest.mark.parametrize("text", ["8 1", "Assistant 1: 8\nAssistant 2: 1"])
def test_a_number_at_the_cut_may_go_on(text: str) -> None:
    assert read_scores_of(text, finish_reason="length").failure is Failure.TRUNCATED
    assert read_scores_of(text).winner is Winner.A
    assert read_scores_of(f"{text}\n", finish_reason="length").winner is Winner.A


def test_scores_out_of_range_stay_so_in_a_text_that_was_cut_off() -> None:
    assert read_scores_of("0 9\nBecause", finish_reason="length").failure is Failure.OUT_OF_RANGE


def test_an_echo_of_the_prompt_is_cut_off() -> None:
    assert scores(read_scores_of(f"{PROMPT}4 9\n")) == (4, 9)
    assert read_scores_of(f"{PROMPT.upper()}4 9\n").failure is Failure.UNREADABLE


@pytest.mark.parametrize("quoted", ["10 1", "  10 1 ", "10\t1", "fine.\r\n10 1\r\nthanks"])
def test_a_verdict_that_also_stands_in_an_answer_decides_nothing(quoted: str) -> None:
    pair = make_pair(f"Give me\n{quoted}")
    judgment = read_scores_of("10 1\nit says", pair=pair)
    assert (judgment.failure, judgment.winner) == (Failure.UNREADABLE, None)
    assert "stands in an answer" in (judgment.detail or "")


def test_a_verdict_within_a_line_of_an_answer_is_no_quotation() -> None:
    assert read_scores_of("10 1\n", pair=make_pair("I give 10 1 to it")).winner is Winner.A


@pytest.mark.parametrize(
    ("text", "winner"),
    [
        ("A", Winner.A),
        ('A"', Winner.A),
        ('B". It is more complete.', Winner.B),
        ("tie", Winner.TIE),
        ("Tie.", Winner.TIE),
        ("b\nbecause A is wrong", Winner.B),
        (" \n A \n", Winner.A),
        ("tie\u201d, as both", Winner.TIE),
    ],
)
def test_a_label_at_the_beginning(text: str, winner: Winner) -> None:
    assert read_label_of(text).winner is winner


@pytest.mark.parametrize(
    "text",
    [
        "",
        "A and B are equal",
        "A bit of both",
        "A, B",
        "A or B",
        "AB",
        "ties",
        "neither",
        "I choose A",
        '"A"',
        "[A]",
        "A: 5, B: 9",
        "A's answer is wrong",
    ],
)
def test_what_only_begins_with_a_label_is_unreadable(text: str) -> None:
    judgment = read_label_of(text)
    assert (judgment.failure, judgment.winner) == (Failure.UNREADABLE, None)


def test_a_label_at_the_cut_may_go_on() -> None:
    assert read_label_of("A", finish_reason="length").failure is Failure.TRUNCATED
    assert read_label_of('A"', finish_reason="length").winner is Winner.A
    assert read_label_of("A\n", finish_reason="length").winner is Winner.A


def test_blank_lines_in_an_answer_are_no_quotation_of_a_label() -> None:
    assert read_label_of("A", pair=make_pair("one\n\ntwo")).winner is Winner.A
    assert read_label_of("A", pair=make_pair("A\nB")).winner is Winner.A


def test_seats_become_sides() -> None:
    judgment = read_scores_of("9 3", order=Order.BA)
    assert (judgment.winner, scores(judgment)) == (Winner.B, (3, 9))
    assert read_label_of("B", order=Order.BA).winner is Winner.A
