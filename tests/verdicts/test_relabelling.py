"""Two of many models as a pair: letters change, seats and numbers do not."""

import pytest

from judgecli.types import Failure, Judgment, Order
from judgecli.verdicts import as_of_pair, order_of_pair, pair_of
from tests.analysis.ranked import item


def test_an_item_keeps_the_answers_of_two_models() -> None:
    pair = pair_of(item("q1", 4), Order("BD"))
    assert [response.output for response in pair.responses] == ["answer of B", "answer of D"]
    assert pair.id == "q1"


@pytest.mark.parametrize(
    ("order", "letters", "renamed"),
    [("AC", "AC", "AB"), ("CA", "AC", "BA"), ("C", "AC", "B"), ("B", "BD", "A"), ("BD", "BD", "AB")],
)
def test_an_order_is_renamed(order: str, letters: str, renamed: str) -> None:
    assert order_of_pair(Order(order), Order(letters)) == Order(renamed)


def test_a_judgment_speaks_of_a_and_b() -> None:
    judgment = Judgment(
        item_id="q1",
        order=Order("CA"),
        prompt_hash="h",
        winner="C",
        scores={"C": 9.0, "A": 4.0},
        expected={"C": 8.5, "A": 4.5},
        p={"C": 0.7, "tie": 0.2, "A": 0.1},
        mass=0.9,
    )
    seen = as_of_pair(judgment, Order("AC"))
    assert (seen.order, seen.winner, seen.mass) == (Order.BA, "B", 0.9)
    assert seen.scores == {"B": 9.0, "A": 4.0}
    assert seen.expected == {"B": 8.5, "A": 4.5}
    assert seen.p == {"B": 0.7, "tie": 0.2, "A": 0.1}


def test_of_models_whose_letters_are_those_of_a_pair_none_is_taken_for_the_other() -> None:
    judgment = Judgment(
        item_id="q1", order=Order("BC"), prompt_hash="h", winner="B", scores={"B": 9.0, "C": 4.0}
    )
    seen = as_of_pair(judgment, Order("BC"))
    assert (seen.winner, seen.scores) == ("A", {"A": 9.0, "B": 4.0})


@pytest.mark.parametrize("winner", ["tie", None])
def test_a_tie_and_a_failure_stay_what_they_are(winner: str | None) -> None:
    failure = None if winner else Failure.UNREADABLE
    judgment = Judgment(item_id="q1", order=Order("DB"), prompt_hash="h", winner=winner, failure=failure)
    seen = as_of_pair(judgment, Order("BD"))
    assert (seen.winner, seen.failure, seen.order) == (winner, failure, Order.BA)
