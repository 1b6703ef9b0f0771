"""Runs, verdicts made elsewhere, and labelled pairs, each with its labels."""

from pathlib import Path
from typing import Any

import pytest

from judgecli.analysis import summarise_agreement
from judgecli.answers import InputOptions, LabelReading
from judgecli.backends.scripted import ScriptedBackend
from judgecli.errors import DataError, UsageError
from judgecli.run import PairOptions, PreparedRun, execute, load_run
from judgecli.run.labelled import load_labelled, opened, prepare_labelled
from judgecli.types import (
    BaselineKind,
    CautionKind,
    Failure,
    LabelKind,
    Labels,
    Order,
    RunRecord,
    Verdict,
    Winner,
)
from tests.judging import Row, write_jsonl
from tests.labelling import label_rows, pair_rows, write_labels
from tests.run.made_up import RUN, Runs

A, B, TIE = Winner.A, Winner.B, Winner.TIE
VERDICTS = Path("verdicts.jsonl")


def winners(verdicts: tuple[Verdict, ...]) -> dict[str, Any]:
    return {one.item_id: one.winner or one.failure for one in verdicts}


def labelled(labels: Any) -> dict[str, Winner | None]:
    return {item_id: one.winner for item_id, one in labels.by_item.items()}


def load(verdicts: list[Row], labels: list[Row], **options: Any) -> Any:
    write_jsonl(VERDICTS, verdicts)
    return loaded(VERDICTS, write_labels(Path(), labels), **options)


def loaded(path: Path, labels: str | None = None, **options: Any) -> tuple[RunRecord, Labels]:
    with opened(str(path)) as subject:
        return load_labelled(subject, labels, LabelReading(**options))


def prepared(options: PairOptions, labels: str | None) -> tuple[PreparedRun, Labels]:
    with opened(options.input.baseline) as subject:
        return prepare_labelled(subject, options, labels)


def is_judged(path: str) -> bool:
    with opened(path) as subject:
        return subject.is_judged


def test_what_needs_no_judge(folder: Path, runs: Runs) -> None:
    assert not is_judged("a.jsonl")
    assert not is_judged("none.jsonl")
    assert not is_judged(".")
    runs()
    assert is_judged(str(RUN))
    write_jsonl(folder / "verdicts.jsonl", label_rows("AB"))
    assert is_judged("verdicts.jsonl")
    write_jsonl(folder / "pairs.jsonl", [{**row, "winner": "A"} for row in pair_rows(("A",))])
    assert not is_judged("pairs.jsonl")


def test_a_run_with_a_file_of_labels(folder: Path, runs: Runs) -> None:
    made = runs()
    record, labels = loaded(RUN, write_labels(folder, label_rows("ABA")))
    assert record == made
    assert labelled(labels) == {"q1": A, "q2": B, "q3": A}
    assert labels.file == "labels.jsonl"


def test_labels_name_the_models_as_the_run_does(folder: Path, runs: Runs) -> None:
    runs()
    rows = [{"id": f"q{n}", "model_a": "b", "model_b": "a", "winner": "model_a"} for n in (1, 2, 3)]
    _, labels = loaded(RUN, write_labels(folder, rows))
    assert set(labelled(labels).values()) == {B}


def bare_verdicts() -> list[Row]:
    return [{"id": "q1", "winner": "A"}, {"id": "q2", "winner": "tie"}, {"id": "q3", "failure": "garbage"}]


@pytest.fixture(autouse=True)
def here(folder: Path) -> None:
    """All files lie in a folder of the test's own."""


def test_verdicts_made_elsewhere_are_a_record_of_bare_items() -> None:
    record, labels = load(bare_verdicts(), label_rows("AB"))
    assert record.header == {"mode": "pair", "imported": "verdicts.jsonl", "orders": None}
    assert winners(record.verdicts) == {"q1": A, "q2": TIE, "q3": Failure.UNREADABLE}
    assert {one.judge for one in record.verdicts} == {"verdicts.jsonl"}
    assert [(item.id, item.responses) for item in record.items] == [("q1", ()), ("q2", ()), ("q3", ())]
    assert (record.judgments, record.verdicts[2].detail) == ({}, "garbage")
    assert labelled(labels) == {"q1": A, "q2": B}


def test_probabilities_and_the_confidence_in_the_winner() -> None:
    rows = [{"id": "q1", "winner": "B", "p_a": 0.1, "p_tie": 0.2, "p_b": 0.7}]
    (verdict,) = load(rows, label_rows("A"))[0].verdicts
    assert (verdict.p_a, verdict.p_tie, verdict.p_b, verdict.confidence) == (0.1, 0.2, 0.7, 0.7)


def test_the_pairs_come_with_labels_that_hold_them() -> None:
    pairs = [{**row, "winner": label} for row, label in zip(pair_rows(("A", "B", "tie")), "ABA", strict=True)]
    record, labels = load([{"id": "q2", "winner": "A"}, {"id": "q9", "winner": "A"}], pairs)
    assert [item.id for item in record.items] == ["q1", "q2", "q3", "q9"]
    assert record.items[1].response_b.output == "GOOD 2"
    assert winners(record.verdicts) == {"q1": None, "q2": A, "q3": None, "q9": A}
    assert labelled(labels) == {"q1": A, "q2": B, "q3": A}


ORDERED = [
    {"id": "q1", "order": "AB", "winner": "A"},
    {"id": "q1", "order": "BA", "winner": "A"},
    {"id": "q2", "order": "AB", "winner": "A"},
    {"id": "q2", "order": "BA", "winner": "B"},
    {"id": "q3", "order": "AB", "winner": "A"},
    {"id": "q4", "order": "BA", "failure": "truncated"},
    {"id": "q4", "order": "AB", "winner": "B"},
]


def test_orders_are_merged_as_those_of_a_run() -> None:
    record, _ = load(ORDERED, label_rows("ABAB"))
    assert record.header["orders"] == "both"
    assert winners(record.verdicts) == {"q1": A, "q2": TIE, "q3": None, "q4": Failure.TRUNCATED}
    assert [one.order_dependent for one in record.verdicts] == [False, True, False, False]
    assert record.judgments["q2", Order.BA].winner == "B"
    assert len(record.judgments) == 7


@pytest.mark.parametrize("order", ["AB", "BA"])
def test_one_order_is_enough(order: str) -> None:
    rows = [row for row in ORDERED if row["order"] == order]
    record, _ = load(rows, label_rows("ABAB"))
    assert record.header["orders"] == order.lower()
    assert len(record.judgments) == len(record.verdicts) == len(rows)
    assert not any(one.order_dependent for one in record.verdicts)


def test_verdicts_on_pairs_that_are_seated_by_draw_follow_their_answers() -> None:
    """The first answer of such a file is always the better one, and A in the verdicts is the first answer."""
    n = 20
    pairs = [{"id": f"q{k}", "prompt": "?", "chosen": f"good {k}", "rejected": f"bad {k}"} for k in range(n)]
    right = [{"id": f"q{k}", "winner": "A", "p_a": 0.8, "p_tie": 0.1, "p_b": 0.1} for k in range(n)]
    record, labels = load(right, pairs)
    assert winners(record.verdicts) == labelled(labels)
    assert {label.winner for label in labels.by_item.values()} == {A, B}
    for verdict, item in zip(record.verdicts, record.items, strict=True):
        chosen = item.response_a if verdict.winner is A else item.response_b
        assert chosen.output.startswith("good")
        assert (verdict.confidence, verdict.p_tie) == (0.8, 0.1)


def test_orders_of_pairs_that_are_seated_by_draw() -> None:
    pairs = [{"id": f"q{k}", "prompt": "?", "chosen": f"good {k}", "rejected": f"bad {k}"} for k in range(9)]
    first_seat = [
        {"id": f"q{k}", "order": order, "winner": order[0]} for k in range(9) for order in ("AB", "BA")
    ]
    record, _ = load(first_seat, pairs, seed=3)
    assert all(judgment.winner == order[0] for (_, order), judgment in record.judgments.items())
    assert winners(record.verdicts) == {f"q{k}": TIE for k in range(9)}


def test_one_order_of_pairs_that_are_seated_by_draw() -> None:
    """The file's first answer was shown first, so B sat there where the draw made it B."""
    pairs = [{"id": f"q{k}", "prompt": "?", "chosen": f"good {k}", "rejected": f"bad {k}"} for k in range(9)]
    rows = [{"id": f"q{k}", "order": "AB", "winner": "A"} for k in range(9)]
    record, labels = load(rows, pairs)
    assert record.header["orders"] == "one"
    assert winners(record.verdicts) == labelled(labels)
    assert set(record.judgments) == {
        (item_id, Order.AB if a is A else Order.BA) for item_id, a in labelled(labels).items()
    }
    always_first = summarise_agreement(record, labels)
    assert [one.accuracy.value for one in always_first.baselines if one.kind is BaselineKind.FIRST_SEAT] == [
        1.0
    ]


def test_an_order_drawn_for_each_pair_is_one_order() -> None:
    rows = [{"id": f"q{k}", "order": ("AB", "BA")[k % 2], "winner": "A"} for k in range(1, 5)]
    record, labels = load(rows, label_rows("ABAB"))
    assert record.header["orders"] == "one"
    assert winners(record.verdicts) == {f"q{k}": A for k in range(1, 5)}
    summary = summarise_agreement(record, labels)
    assert CautionKind.ONE_ORDER in [one.kind for one in summary.cautions]
    assert (summary.agreement.n, summary.by_order) == (4, None)


def test_the_first_seat_holds_b_where_all_rows_say_so() -> None:
    rows = [{"id": f"q{k}", "order": "BA", "winner": "B"} for k in range(1, 5)]
    record, labels = load(rows, label_rows("BBBA"))
    (seat,) = (
        one for one in summarise_agreement(record, labels).baselines if one.kind is BaselineKind.FIRST_SEAT
    )
    assert (seat.accuracy.value, seat.advantage.value) == (3 / 4, 0)


def test_orders_made_elsewhere_show_the_seats() -> None:
    summary = summarise_agreement(*load(ORDERED, label_rows("ABAB")))
    assert summary.position is not None
    assert (summary.position.consistency.value, summary.position.consistency.n) == (1 / 2, 2)  # q1 and q2
    assert summary.position.prefers_first.value == 1 / 2
    assert summary.by_order is not None
    assert summary.by_order.mean.n == 2


def test_scores_made_elsewhere_are_a_record_of_grades() -> None:
    rows = [{"id": "q1", "score": 3}, {"id": "q2", "failure": "low_mass"}, {"id": "q3", "score": 4.5}]
    record, labels = load(rows, [{"id": f"q{n}", "score": n} for n in (1, 2, 3)])
    assert record.header == {"mode": "grade", "imported": "verdicts.jsonl"}
    assert record.judgments["q3", Order("A")].scores == {"A": 4.5}
    assert record.judgments["q2", Order("A")].failure is Failure.LOW_MASS
    assert (labels.kind, record.verdicts) == (LabelKind.SCORES, ())


def test_winners_and_scores_do_not_mix() -> None:
    with pytest.raises(DataError, match="winners in some rows and scores in others"):
        load([{"id": "q1", "score": 3}, {"id": "q2", "winner": "A"}], label_rows("AB"))


def test_verdicts_on_other_pairs_than_the_labels_are_refused() -> None:
    pairs = [{**row, "winner": "A"} for row in pair_rows(("A", "B"))]
    with pytest.raises(DataError) as error:
        load([{"id": "x1", "winner": "A"}, {"id": "x2", "winner": "A"}], pairs)
    assert str(error.value) == (
        "verdicts.jsonl: none of its 2 verdicts is on a pair of labels.jsonl: ids look like x1, x2 here and "
        "q1, q2 there; --id-field names the ids there"
    )
    with pytest.raises(DataError, match=r"labels\.jsonl: none of its 2 labels is of an item that was judged"):
        load([{"id": "x1", "winner": "A"}], label_rows("AB"))


def test_a_run_whose_items_carry_labels() -> None:
    rows = [{**row, "winner": label} for row, label in zip(pair_rows(("A", "B")), "BA", strict=True)]
    write_jsonl(Path("pairs.jsonl"), rows)
    run, labels = prepared(options("pairs.jsonl"), None)
    assert labelled(labels) == {"q1": B, "q2": A}
    execute(run)
    record, again = loaded(run.path)
    assert labelled(again) == labelled(labels)
    assert record == load_run(run.path)
    with pytest.raises(UsageError, match="--label-field names a field of a file of labels"):
        loaded(run.path, label_field="winner")


def options(name: str, **given: Any) -> PairOptions:
    backend = ScriptedBackend(lambda _: "9 3\n")
    return PairOptions(input=InputOptions(baseline=name, **given), backend=backend, prompt="judgelm")


def test_pairs_with_labels_in_another_file_in_other_seats() -> None:
    write_jsonl(Path("pairs.jsonl"), pair_rows(("A", "B")))
    turned = [
        {
            "id": row["id"],
            "question": row["question"],
            "answer_a": row["answer_b"],
            "answer_b": row["answer_a"],
        }
        for row in pair_rows(("A", "B"))
    ]
    write_jsonl(Path("labels.jsonl"), [{**row, "winner": "A"} for row in turned])
    _, labels = prepared(options("pairs.jsonl"), "labels.jsonl")
    assert labelled(labels) == {"q1": B, "q2": B}


def test_pairs_without_labels() -> None:
    write_jsonl(Path("pairs.jsonl"), pair_rows(("A", "B")))
    with pytest.raises(DataError, match=r"pairs\.jsonl: its pairs have no label"):
        prepared(options("pairs.jsonl"), None)


def test_files_that_are_neither() -> None:
    write_jsonl(Path("pairs.jsonl"), pair_rows(("A",)))
    labels = write_labels(Path(), label_rows("A"))
    with pytest.raises(DataError, match=r"^pairs\.jsonl: neither a run file nor verdicts; judge its pairs"):
        loaded(Path("pairs.jsonl"), labels)
    with pytest.raises(DataError, match=r"^none\.jsonl: cannot read the run file"):
        loaded(Path("none.jsonl"), labels)
