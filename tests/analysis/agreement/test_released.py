"""Released outputs of judges reproduce the figures published of them."""

import json

import pytest

from judgecli.analysis import summarise_agreement
from judgecli.types import (
    BOTH_ORDERS,
    DecidedBy,
    Failure,
    Item,
    ItemLabel,
    Judgment,
    LabelSource,
    RunRecord,
    Verdict,
    Winner,
)
from tests.analysis.labelled import labels
from tests.analysis.made_up import header, response
from tests.places import shared_data

BY_NUMBER = {"0": Winner.TIE, "1": Winner.A, "2": Winner.B, "Tie": Winner.TIE}
ANNOTATORS = ("annotator1", "annotator2", "annotator3")


def pandalm_labels(rows):
    by_item = {}
    for row in rows:
        given = {name: BY_NUMBER[str(row[name])] for name in ANNOTATORS}
        said = list(given.values())
        most = max(said, key=said.count)
        assert said.count(most) > 1
        by_item[str(row["idx"])] = ItemLabel(item_id=str(row["idx"]), winner=most, winners=given)
    return labels(by_item, source=LabelSource.MAJORITY, annotators=ANNOTATORS)


def pandalm_run(rows, outputs, key):
    answers = ("response1", "response2")
    return RunRecord(
        header={"mode": "pair"},
        items=tuple(
            Item(
                id=str(row["idx"]),
                instruction=row["instruction"],
                input=row["input"],
                responses=tuple(response(str(row[name])) for name in answers),
            )
            for row in rows
        ),
        judgments={},
        verdicts=tuple(
            Verdict(
                item_id=str(row["idx"]),
                winner=(winner := BY_NUMBER.get(str(row[key]))),
                failure=None if winner else Failure.UNREADABLE,
            )
            for row in outputs
        ),
    )


def pandalm(file, key, **more):
    rows = json.loads(shared_data("pandalm/testset-v1.json").read_text(encoding="utf-8"))
    outputs = json.loads(shared_data(f"pandalm/{file}").read_text(encoding="utf-8"))
    return summarise_agreement(pandalm_run(rows, outputs, key), pandalm_labels(rows), **more)


def percents(agreement):
    figures = (agreement.accuracy, agreement.precision, agreement.recall, agreement.f1)
    return [round(100 * one.value, 2) for one in figures]


def test_pandalm_7b():
    summary = pandalm("pandalm-7b-testset-v1.json", "pandalm_result")
    assert percents(summary.agreement) == [66.77, 57.38, 57.50, 57.43]
    assert summary.failures_as_ties is None


def test_gpt_35_with_its_garbage_as_ties_and_honestly():
    summary = pandalm("gpt-3.5-turbo-testset-v1.json", "gpt_result", failures_as_ties=True)
    assert percents(summary.failures_as_ties) == [71.07, 58.79, 57.36, 57.55]
    assert summary.leads_with_ties
    assert summary.compared.n_failed == 25
    assert summary.agreement.n == 974
    right = round(summary.agreement.accuracy.value * 974)
    assert summary.failures_wrong.value == pytest.approx(right / 999)


def test_rows_of_one_question_are_not_independent():
    by_item = pandalm("pandalm-7b-testset-v1.json", "pandalm_result").agreement
    summary = pandalm("pandalm-7b-testset-v1.json", "pandalm_result", group="instruction")
    by_group = summary.agreement
    assert summary.compared.n_units == 170
    assert by_group.kappa.value == by_item.kappa.value
    for name in ("accuracy", "kappa", "f1"):
        narrow, wide = getattr(by_item, name), getattr(by_group, name)
        assert wide.high - wide.low > 1.3 * (narrow.high - narrow.low)


def llmbar_run(rows):
    judgments, verdicts = {}, []
    for number, row in enumerate(rows):
        by_order = [row["results"][0][f"swap = {swapped}"]["winner"] for swapped in (False, True)]
        said = [BY_NUMBER[one] for one in by_order]
        for order, winner in zip(BOTH_ORDERS, said, strict=True):
            judgments[str(number), order] = Judgment(
                item_id=str(number), order=order, prompt_hash="", winner=winner
            )
        merged = said[0] if said[0] is said[1] else Winner.TIE
        verdicts.append(Verdict(item_id=str(number), winner=merged, decided_by=DecidedBy.JUDGE))
    items = [
        Item(
            id=str(number),
            instruction=row["input"],
            responses=(response(row["output_1"]), response(row["output_2"])),
        )
        for number, row in enumerate(rows)
    ]
    return RunRecord(header=header(), items=tuple(items), judgments=judgments, verdicts=tuple(verdicts))


def test_gpt_4_on_llmbar_natural():
    path = shared_data("llmbar/Natural/evaluators/GPT-4-Vanilla-result.json")
    rows = json.loads(path.read_text(encoding="utf-8"))
    given = {
        str(number): ItemLabel(item_id=str(number), winner=BY_NUMBER[str(row["label"])])
        for number, row in enumerate(rows)
    }
    summary = summarise_agreement(llmbar_run(rows), labels(given, source=LabelSource.GOLD))
    assert summary.by_order.mean.value == pytest.approx(0.955)
    assert summary.by_order.both_right.value == pytest.approx(0.930)
    assert summary.by_order.mean.n == 100
