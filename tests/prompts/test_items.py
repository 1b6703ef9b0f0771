"""Conversations, references with alternatives, and what is refused before a model is loaded."""

from dataclasses import replace
from typing import Any

import pytest

from judgecli.errors import DataError
from judgecli.prompts import Asking, Rubric, check_items, load_family, render
from judgecli.prompts.references import alternatives, drawn, joined
from judgecli.types import Item, Order
from tests.made_up import make_pair

TEMPLATE = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}<a>"
CONVERSATIONS = {"chat", "judgelm", "mt-bench"}


def conversation(n_turns: int = 2, **more: Any) -> Item:
    item = make_pair("1.6 km", "2 km", instruction="And in km?", **more)
    earlier = [f"{n} [System]" for n in range(1, n_turns)]
    responses = tuple(
        replace(one, earlier_outputs=tuple(f"{letter}{text}" for text in earlier))
        for letter, one in zip("ab", item.responses, strict=True)
    )
    return replace(
        item, responses=responses, earlier_instructions=tuple(f"How long is {n}?" for n in range(1, n_turns))
    )


def test_judgelm_is_shown_every_turn_under_its_number() -> None:
    prompt = render(load_family("judgelm"), conversation(), Order.BA)
    asked = "[Question]\n[Turn 1]\nHow long is 1?\n\n[Turn 2]\nAnd in km?\n\n"
    start = "[The Start of Assistant 1's Answer]\n"
    answered = "[Turn 1]\nb1 (System)\n\n[Turn 2]\n2 km\n\n[The End of Assistant 1's Answer]\n\n"
    assert asked + start + answered in prompt.text
    assert "[Turn 1]\na1 (System)\n\n[Turn 2]\n1.6 km\n\n[The End of Assistant 2's Answer]" in prompt.text
    assert prompt.flags == ("marker altered in answer A", "marker altered in answer B")
    assert prompt.text.endswith("### Response:")


def test_mt_bench_counts_the_turns() -> None:
    two, three = (render(load_family("mt-bench"), conversation(n), Order.AB, TEMPLATE).text for n in (2, 3))
    assert "a better answer to the second user question" in two
    assert "a better answer to the third user question" in three
    assert three.count("### Assistant A:") == 3


def test_a_part_ends_where_conversations_of_both_orders_part_ways() -> None:
    ab, ba = (render(load_family("judgelm"), conversation(), order) for order in (Order.AB, Order.BA))
    assert ab.path[:2] == ba.path[:2]
    assert len(ab.path) == len(ba.path) == 3


@pytest.mark.parametrize(
    "family", ["auto-j", "compassjudger-2", "judgelrm", "pandalm", "skywork-critic", *CONVERSATIONS]
)
def test_conversations_are_refused_where_turns_would_be_dropped(family: str) -> None:
    loaded = load_family(family)
    if family in CONVERSATIONS:
        check_items(loaded, 2, [make_pair(), conversation()])
        return
    with pytest.raises(DataError, match=r"item 'q1': .* has no prompt for conversations here, .* 2 turns"):
        check_items(loaded, 2, [make_pair(), conversation()])


@pytest.mark.parametrize("family", ["judgelm", "mt-bench"])
def test_a_reference_is_needed_for_every_turn_that_shows_one(family: str) -> None:
    loaded = load_family(family)
    lacking = conversation(3, reference="1.6")
    with pytest.raises(DataError, match=r"item 'q1': .* turn 1 has none; drop them with --no-reference"):
        check_items(loaded, 2, [lacking])
    with pytest.raises(DataError, match="turn 2 has none"):
        check_items(loaded, 2, [replace(lacking, earlier_references=("a mile", None))])
    check_items(loaded, 2, [replace(lacking, earlier_references=("a mile", "two"))])
    check_items(loaded, 2, [conversation(3)])


@pytest.mark.parametrize("family", ["judgelm", "judgelm-mm-vet", "prometheus-1"])
def test_a_reference_is_needed_where_it_is_an_answer(family: str) -> None:
    rubric = (
        Rubric(criterion="x", scores=dict.fromkeys(range(1, 6), "y")) if family == "prometheus-1" else None
    )
    loaded, asking = load_family(family), Asking(rubric=rubric)
    assert loaded.task(1, asking).needs_reference
    check_items(loaded, 1, [make_pair(reference="Paris")], asking)
    with pytest.raises(
        DataError, match=r"item 'q2': .* needs a reference answer here; give them with --reference"
    ):
        check_items(loaded, 1, [make_pair(reference="Paris"), make_pair(id="q2")], asking)


def test_judgelm_grades_one_answer_against_the_reference() -> None:
    item = make_pair(reference="Paris, of course.")
    plain = render(load_family("judgelm"), item, Order("B"))
    assert "[The Start of Assistant 1's Answer]\nParis, of course.\n\n[The End" in plain.text
    assert "[The Start of Assistant 2's Answer]\nLondon.\n\n[The End" in plain.text
    assert "[Reference Answer]" not in plain.text
    assert plain.text.endswith("### Response:10")
    block = render(load_family("judgelm"), item, Order("B"), asking=Asking(reference_block=True))
    assert "[Reference Answer]\nParis, of course.\n\n[The Start" in block.text


def test_no_reference_no_block() -> None:
    text = render(load_family("judgelm"), make_pair(), Order.AB).text
    assert "[Reference Answer]" not in text


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        ("five", ("five",)),
        ("five<OR>5", ("five", "5")),
        ("a <AND> b<OR>c", ("a and b", "c")),
        (" <OR>x<OR>", ("x",)),
        ("<OR>", ("<OR>",)),
    ],
)
def test_alternatives_of_a_reference(reference: str, found: tuple[str, ...]) -> None:
    assert alternatives(reference) == found
    assert joined(reference) == " or ".join(found)
    assert drawn(reference, "q1") in found


def test_the_alternative_is_drawn_by_the_items_id() -> None:
    reference = "one<OR>two<OR>three"
    by_id = {f"q{n}": drawn(reference, f"q{n}") for n in range(60)}
    assert set(by_id.values()) == {"one", "two", "three"}
    assert by_id == {item_id: drawn(reference, item_id) for item_id in by_id}


def test_mm_vet_shows_all_alternatives_and_one_as_an_answer() -> None:
    item = make_pair(reference="Paris<OR>Lutetia<AND>Paris")
    family = load_family("judgelm-mm-vet")
    text = render(family, item, Order("A")).text
    assert "[Reference Answer]\nParis or Lutetia and Paris\n\n" in text
    assert f"[The Start of Assistant 1's Answer]\n{drawn(item.reference or '', 'q1')}\n\n" in text
    assert "Paris<OR>Lutetia" in render(load_family("judgelm"), item, Order("A")).text


def test_a_task_says_whether_it_shows_references() -> None:
    assert load_family("judgelm").task(2).uses_reference
    assert not load_family("pandalm").task(2).uses_reference
    assert not load_family("pandalm").uses_reference


def test_many_answers_are_read_from_their_line() -> None:
    task = load_family("judgelm").task(4)
    assert (task.place.value, task.stop, task.locate) == ("in-text", ("\n",), None)
    assert task.max_tokens
