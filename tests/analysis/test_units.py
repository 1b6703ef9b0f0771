"""Which unit an item belongs to, and where the fields of items are found."""

from dataclasses import replace

import pytest

from judgecli.analysis.units import field_values, instructions, unit_keys
from judgecli.errors import DataError
from tests.analysis.compared import asked, run, winners


def test_without_a_group_each_labelled_item_is_its_own_unit():
    assert unit_keys(run("ABT"), winners("A.B"), None) == {"q1": "q1", "q3": "q3"}


def test_labels_of_items_that_are_not_in_the_run_have_no_unit():
    assert unit_keys(run("A"), winners("AB"), None) == {"q1": "q1"}


def test_the_instruction_is_compared_with_its_input_and_earlier_turns():
    one, two, three, four = asked(4)
    pairs = [
        replace(one, instruction="Translate.", input="Hund"),
        replace(two, instruction="Translate.", input="Katze"),
        replace(three, instruction="Translate.", input="Hund"),
        replace(four, instruction="Translate.", input="Hund", earlier_instructions=("Hello.",)),
    ]
    keys = unit_keys(run("AAAA", pairs=pairs), winners("AAAA"), "instruction")
    assert keys["q1"] == keys["q3"]
    assert len(set(keys.values())) == 3


def test_a_field_is_the_labels_own_and_after_it_the_items():
    pairs = asked(2, metadata={"topic": "items", "level": 3})
    labels = winners("AB", metadata=[{"topic": "labels"}, {"topic": None}])
    assert unit_keys(run("AB", pairs=pairs), labels, "topic") == {"q1": "labels", "q2": "items"}
    assert unit_keys(run("AB", pairs=pairs), labels, "level") == {"q1": "3", "q2": "3"}


def test_a_missing_field_is_refused_with_those_that_are_there():
    labels = winners("AB", metadata=[{"topic": "x"}, {"subset": "y", "empty": None}])
    with pytest.raises(
        DataError, match=r"--group topic: item 'q2' has no such field; there are instruction, subs"
    ):
        unit_keys(run("AB"), labels, "topic")
    with pytest.raises(DataError, match=r"--by topic: item 'q2'"):
        field_values(run("AB"), labels, "topic", option="--by")


def test_verdicts_without_their_items_have_the_labels_fields_only():
    record = replace(run("AB"), items=())
    labels = winners("AB", metadata=[{"topic": "x"}, {"topic": "y"}])
    assert unit_keys(record, labels, "topic") == {"q1": "x", "q2": "y"}
    with pytest.raises(DataError, match="there are topic"):
        unit_keys(record, labels, "instruction")
    with pytest.raises(DataError, match="it has none"):
        unit_keys(record, winners("AB"), "topic")


def test_empty_instructions_are_none():
    pairs = [replace(pair, instruction="") for pair in asked(2)]
    assert instructions(run("AB", pairs=pairs), ("q1", "q2")) == []
    with pytest.raises(DataError):
        unit_keys(run("AB", pairs=pairs), winners("AB"), "instruction")
