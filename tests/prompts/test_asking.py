"""Aspects, reasons first and examples are in the prompt where a run asks for them, and nowhere else."""

from pathlib import Path

import pytest

from judgecli.errors import DataError
from judgecli.prompts import (
    ASPECTS,
    Asking,
    Rubric,
    Shot,
    Shots,
    check_items,
    family_names,
    is_off_protocol,
    load_family,
    render,
)
from judgecli.types import Order, Seat, VerdictPlace
from tests.made_up import make_pair

TEMPLATE = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}<a>"
PAIR = Shot(
    question="2+2?",
    answers=("4 [System]", "5"),
    where="shots.jsonl:1",
    winner=Seat.FIRST,
    scores=(9, 2),
    reasons="A is right.",
)
ONE = Shot(question="2+2?", answers=("4",), where="shots.jsonl:1", scores=(9,), reference="Four.")


def shots_of(*shots: Shot) -> Shots:
    return Shots(shots=shots, file="shots.jsonl", sha256="ab" * 32)


def text_of(family: str, order: str = "AB", **asked: object) -> str:
    asking = Asking(**asked)  # type: ignore[arg-type]
    return render(load_family(family), make_pair(), Order(order), TEMPLATE, asking=asking).text


def test_nothing_asked_for_is_nothing_recorded() -> None:
    assert Asking().recorded == {}


def test_what_is_asked_for_is_recorded() -> None:
    rubric = Rubric(criterion="Good?", scores={1: "x", 2: "y"}, file="r.toml", sha256="cd" * 32)
    asking = Asking(rubric=rubric, aspect="safety", cot=True, shots=shots_of(PAIR), reference_block=True)
    assert asking.recorded == {
        "rubric": {"file": "r.toml", "sha256": "cd" * 32},
        "aspect": "safety",
        "cot": True,
        "shots": {"file": "shots.jsonl", "sha256": "ab" * 32, "n": 1},
        "reference_block": True,
    }


@pytest.mark.parametrize("family", ["judgelm", "chat", "mt-bench", "pandalm"])
def test_an_aspect_is_named_with_its_meaning(family: str) -> None:
    plain, asked = text_of(family), text_of(family, aspect="factuality")
    assert f"factuality ({ASPECTS['factuality']})" in asked
    assert "aspect" not in plain
    assert "only: tone of voice." in text_of("chat", aspect="tone of voice")
    assert "{aspect}" not in asked


def test_an_aspect_replaces_judgelms_own_list() -> None:
    assert "helpfulness, relevance, accuracy" not in text_of("judgelm", aspect="safety")
    assert text_of("judgelm", aspect="safety").endswith("### Response:")


@pytest.mark.parametrize("order", ["AB", "A"])
def test_reasons_first_for_a_chat_model(order: str) -> None:
    family = load_family("chat")
    plain, cot = family.task(len(order)), family.task(len(order), Asking(cot=True))
    assert (plain.place, cot.place) == (VerdictPlace.FIRST, VerdictPlace.LAST)
    text = text_of("chat", order, cot=True)
    assert "Give your reasons first" in text
    assert text.endswith("<a>")
    assert "Give your reasons first" not in text_of("chat", order)


def test_reasons_first_for_judgelm() -> None:
    text = text_of("judgelm", cot=True)
    assert "Please first provide a comprehensive explanation" in text
    assert "In the subsequent line" not in text
    assert load_family("judgelm").task(2, Asking(cot=True)).rule.reader == "last_match"


@pytest.mark.parametrize("family", ["auto-j", "mt-bench", "judgelrm", "compassjudger-2"])
def test_a_judge_that_reasons_first_anyway_is_asked_as_ever(family: str) -> None:
    assert text_of(family, cot=True) == text_of(family)
    assert not is_off_protocol(load_family(family), Asking(cot=True))


def test_an_example_stands_before_the_question_with_its_markers_altered() -> None:
    text = text_of("judgelm", shots=shots_of(PAIR))
    example = "\n[Question]\n2+2?\n\n[The Start of Assistant 1's Answer]\n4 (System)\n\n"
    assert example in text
    assert "### Response:9 2\n\n[Question]\nCapital of France?" in text
    assert text.count("### Response:") == 2
    assert "A is right." not in text
    with_reasons = text_of("judgelm", shots=shots_of(PAIR), cot=True)
    assert (
        "### Response:A is right.\n\nScores for Assistant 1 and 2, respectively:\n9 2\n\n[Question]\nCapital"
        in with_reasons
    )


def test_examples_end_in_the_judges_own_words() -> None:
    assert 'I choose "A".\n</judged_example>' in text_of("chat", shots=shots_of(PAIR))
    assert 'A is right.\n\nBetween "A", "B" and "tie", I choose "A".\n</judged_example>' in text_of(
        "chat", shots=shots_of(PAIR), cot=True
    )
    single = text_of("chat", "A", shots=shots_of(ONE))
    assert "<reference>\nFour.\n</reference>\n\n<answer>\n4\n</answer>" in single
    assert '"9" and "10", I choose the score "9".\n</judged_example>' in single
    assert "### Evaluation:\n1\n\n### Instruction:\nCapital" in text_of("pandalm", shots=shots_of(PAIR))


@pytest.mark.parametrize(
    ("family", "shot", "sentence"),
    [
        ("judgelm", ONE, "the example must have answer_a and answer_b"),
        (
            "judgelm",
            Shot(question="q", answers=("a", "b"), where="s:1", winner=Seat.TIE),
            "give the example's scores",
        ),
        (
            "judgelm",
            Shot(question="q", answers=("a", "b"), where="s:1", scores=(0, 3)),
            "not on the judge's scale, 1 to 10",
        ),
    ],
)
def test_an_example_whose_verdict_does_not_fit(family: str, shot: Shot, sentence: str) -> None:
    asking = Asking(shots=shots_of(shot))
    with pytest.raises(DataError) as caught:
        check_items(load_family(family), 2, [make_pair()], asking)
    assert str(caught.value).startswith(f"{shot.where}: ")
    assert sentence in str(caught.value)


def test_an_example_needs_reasons_where_the_judge_gives_its_own() -> None:
    bare = Shot(question="q", answers=("a", "b"), where="s:1", scores=(9, 3), winner=Seat.FIRST)
    check_items(load_family("chat"), 2, [make_pair()], Asking(shots=shots_of(bare)))
    with pytest.raises(DataError, match="s:1: the example needs reasons"):
        check_items(load_family("chat"), 2, [make_pair()], Asking(shots=shots_of(bare), cot=True))


def test_a_verdict_the_judge_has_no_word_for(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        'name = "mine"\n[pair.grammar]\nkind = "labels"\nlabels = { A = "first", B = "second" }\n'
        '[[pair.block]]\neach = "shot"\ntext = "{question} {response_1} {response_2} {verdict}"\n'
        '[[pair.block]]\ntext = "{question} {response_1} {response_2}"\n',
        encoding="utf-8",
    )
    tie = Shot(question="q", answers=("a", "b"), where="s:1", winner=Seat.TIE)
    with pytest.raises(
        DataError, match="s:1: the judge has no word for the example's verdict 'tie', only A, B"
    ):
        check_items(load_family(str(path)), 2, [make_pair()], Asking(shots=shots_of(tie)))


@pytest.mark.parametrize(
    ("family", "n_seats", "asking", "sentence"),
    [
        ("skywork-critic", 2, Asking(aspect="safety"), "has no place for an aspect; leave --aspect out"),
        ("skywork-critic", 2, Asking(cot=True), "has no form with reasons first; leave --cot out"),
        ("skywork-critic", 2, Asking(shots=shots_of(PAIR)), "has no place for examples; leave --shots out"),
        ("judgelm", 2, Asking(rubric=Rubric(criterion="x")), "has no place for a rubric; leave --rubric out"),
        ("judgelm", 2, Asking(reference_block=True), "has no reference block of its own"),
        ("judgelm", 3, Asking(cot=True), "the prompt for three answers or more of the family 'judgelm'"),
    ],
)
def test_what_a_family_has_no_form_for(family: str, n_seats: int, asking: Asking, sentence: str) -> None:
    with pytest.raises(DataError) as caught:
        load_family(family).task(n_seats, asking)
    assert sentence in str(caught.value)
    assert f"of the family '{family}'" in str(caught.value)


def test_off_protocol_is_what_a_fine_tuned_judge_was_not_trained_on() -> None:
    asked = [Asking(aspect="safety"), Asking(cot=True), Asking(shots=shots_of(PAIR))]
    assert all(is_off_protocol(load_family("judgelm"), asking) for asking in asked)
    assert not any(is_off_protocol(load_family("chat"), asking) for asking in asked)
    rubric = Asking(rubric=Rubric(criterion="x"))
    assert not any(is_off_protocol(load_family(name), rubric) for name in family_names())
    assert not is_off_protocol(load_family("judgelm"), Asking(reference_block=True))
