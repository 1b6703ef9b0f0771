"""What a text says, where a backend gives no distribution: one place is read, nothing else is searched."""

import pytest

from judgecli.prompts.form_tables import READERS
from judgecli.types import Failure, Judgment, Order, ReadingRule, ScoresGrammar, Winner
from judgecli.verdicts import read_completion, reader_names
from tests.made_up import make_pair
from tests.verdicts.made_up import PROMPT, completion, read_label_of, read_scores_of


def scores(judgment: Judgment) -> tuple[float | None, float | None]:
    return judgment.scores.get("A"), judgment.scores.get("B")


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
    assert read_scores_of(text).winner == Winner.A
    assert read_scores_of(f"{text}\n", finish_reason="length").winner == Winner.A


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
    assert read_scores_of("10 1\n", pair=make_pair("I give 10 1 to it")).winner == Winner.A


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
    assert read_label_of(text).winner == winner


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
    assert read_label_of('A"', finish_reason="length").winner == Winner.A
    assert read_label_of("A\n", finish_reason="length").winner == Winner.A


def test_blank_lines_in_an_answer_are_no_quotation_of_a_label() -> None:
    assert read_label_of("A", pair=make_pair("one\n\ntwo")).winner == Winner.A
    assert read_label_of("A", pair=make_pair("A\nB")).winner == Winner.A


def test_seats_become_sides() -> None:
    judgment = read_scores_of("9 3", order=Order.BA)
    assert (judgment.winner, scores(judgment)) == (Winner.B, (3, 9))
    assert read_label_of("B", order=Order.BA).winner == Winner.A


def scores_of(text: str, n: int, terminator: str = "\n", **more: str) -> Judgment:
    order = Order("ABCDE"[:n])
    grammar = ScoresGrammar(low=1, high=10, n=n, terminator=terminator)
    made = completion(text, order=order, grammar=grammar, **more)
    rule = ReadingRule(reader="first_line_scores")
    return read_completion(made, make_pair(), rule=rule, min_mass=0.5)


@pytest.mark.parametrize(
    ("text", "n", "expected"),
    [
        (" 8", 1, [8]),
        ("7.5\nBecause", 1, [7.5]),
        ("8 6 7", 3, [8, 6, 7]),
        ("8, 6, 7.5\n", 3, [8, 6, 7.5]),
        ("Assistant 2: 6\nAssistant 1: 8\nAssistant 3: 7", 3, [8, 6, 7]),
        ("1 2 3 4 5", 5, [1, 2, 3, 4, 5]),
    ],
)
def test_as_many_scores_as_answers(text: str, n: int, expected: list[float]) -> None:
    judgment = scores_of(text, n)
    assert list(judgment.scores.values()) == expected
    assert judgment.winner == ("A" if n == 2 else None)


@pytest.mark.parametrize(
    ("text", "n"),
    [
        ("8 6", 1),
        ("8", 3),
        ("8 6", 3),
        ("8 6 7 5", 3),
        ("Assistant 1: 8", 1),
        ("Assistant 1: 8\nAssistant 2: 6\nAssistant 4: 7", 3),
        ("", 1),
        ("8 six 7", 3),
    ],
)
def test_too_few_or_too_many_scores_are_unreadable(text: str, n: int) -> None:
    assert scores_of(text, n).failure is Failure.UNREADABLE


def test_one_score_of_many_outside_the_scale_fails_all() -> None:
    assert scores_of("8 0 7", 3).failure is Failure.OUT_OF_RANGE


def test_what_the_grammar_writes_after_a_score_ends_it() -> None:
    assert scores(scores_of('8". It is fine', 1, '"'))[0] == 8
    assert scores(scores_of("8", 1, '"'))[0] == 8
    assert scores_of('8 or 9"', 1, '"').failure is Failure.UNREADABLE
