"""The schema of the JSON report: every report fits it, and it allows no name that is not there."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from judgecli import reports
from judgecli.analysis import summarise
from judgecli.reports import PairKind
from judgecli.types import GateDecision, RunRecord, Summary
from tests.reports import test_agree, test_calibrate, test_diff, test_grade, test_rank, test_validate
from tests.reports.gates import gated
from tests.reports.runs import COMPLETE, RUNS
from tests.reports.test_trust import FULL
from tests.reports.trust_summaries import agrees, calibration, full_agreement, run, scored, validation

jsonschema = pytest.importorskip("jsonschema")
SCHEMA = json.loads((Path(reports.__file__).parent / "schema.json").read_text(encoding="utf-8"))


def made() -> Iterator[tuple[str, RunRecord, Summary]]:
    """Yield reports of every kind, the complete one of each first."""
    for runs in (RUNS, test_grade.RUNS, test_rank.RUNS):
        yield from ((f"{name}", one, summarise(one)) for name, one in runs.items())
    yield "trust", COMPLETE, FULL
    yield from ((f"gate {one}", COMPLETE, gated(COMPLETE, one)) for one in GateDecision)
    agreements = (agrees(), full_agreement(), scored(), test_agree.NOTHING)
    others = (validation(), test_validate.UNTESTED, calibration(), test_calibrate.NOTHING)
    yield from ((one.about, run(), one) for one in (*agreements, *others))
    yield from ((f"diff {name}", *one) for name, one in test_diff.RUNS.items())


MADE = list(made())


def report(record: RunRecord, summary: Summary, **asked: Any) -> Any:
    return json.loads(reports.render("json", record, summary, **asked))


def errors(value: Any) -> list[str]:
    """Return what is wrong with a report, by the part of the schema that its kind has."""
    kind = {
        "$schema": SCHEMA["$schema"],
        "$ref": f"#/$defs/{value['about']}_report",
        "$defs": SCHEMA["$defs"],
    }
    found = jsonschema.Draft202012Validator(kind).iter_errors(value)
    return [f"{one.json_path}: {one.message[:200]}" for one in found]


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(("record", "summary"), [one[1:] for one in MADE], ids=[one[0] for one in MADE])
def test_every_report_fits(record, summary):
    assert errors(report(record, summary)) == []


@pytest.mark.parametrize("record", RUNS.values(), ids=RUNS)
def test_listed_pairs_fit(record):
    assert errors(report(record, summarise(record), only=tuple(PairKind))) == []


def test_a_report_fits_exactly_one_kind():
    validator = jsonschema.Draft202012Validator(SCHEMA)
    assert validator.is_valid(report(COMPLETE, FULL))
    assert not validator.is_valid({**report(COMPLETE, FULL), "about": "nothing"})


@pytest.mark.parametrize(
    "change",
    [
        {"conclusion": "better"},
        {"estimates": {}},
        {"surprise": 1},
        {"flags": {"altered": -1}},
        {"position_table": [[1, 2], [3, 4]]},
    ],
)
def test_what_is_no_report_does_not_fit(change):
    assert errors({**report(COMPLETE, FULL), **change})


def test_numbers_out_of_place_do_not_fit():
    told = report(COMPLETE, FULL)
    told["estimates"]["win_rate"]["value"] = "0.5"
    assert errors(told)


def test_every_kind_of_report_is_tried():
    assert {f"{summary.about}_report" for _, _, summary in MADE} == {
        name for name in SCHEMA["$defs"] if name.endswith("_report")
    }
