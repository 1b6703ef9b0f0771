"""Whatever bytes a run file holds: it is read and reported on, or refused in one sentence."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judgecli import reports
from judgecli.analysis import summarise
from judgecli.errors import DataError
from judgecli.run import load_run
from judgecli.types import DecidedBy, Failure, Order, Winner
from tests.ledger.made_up import judged, planned, write_run
from tests.made_up import make_pair

quietly = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """A run file of every kind of row."""
    pairs = [
        planned(),
        planned(make_pair(id="q2", reference="x", metadata={"n": 1})),
        planned(make_pair("", id="q3"), decided_by=DecidedBy.EMPTY_A),
    ]
    judgments = [
        judged(scores={"A": 9, "B": 3}, p={"A": 0.9, "tie": 0.05, "B": 0.05}, mass=0.9, p_unopened=0.0),
        judged(Order.BA, Winner.TIE),
        judged(Order.AB, None, of="q2", failure=Failure.UNREADABLE, detail="no scores"),
    ]
    path = write_run(tmp_path_factory.mktemp("run") / "run.jsonl", pairs, judgments)
    return path.read_bytes().splitlines(keepends=True)


def report_or_refuse(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    try:
        record = load_run(path)
    except DataError:
        return
    summary = summarise(record)
    for form in reports.formats():
        assert reports.render(form, record, summary)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


@quietly
@given(content=st.binary(max_size=60))
def test_bytes(tmp_path: Path, lines: list[bytes], content: bytes) -> None:
    report_or_refuse(tmp_path / "run.jsonl", content)
    report_or_refuse(tmp_path / "run.jsonl", b"".join(lines) + content)


@quietly
@given(data=st.data())
def test_a_damaged_byte_or_a_lost_stretch(tmp_path: Path, lines: list[bytes], data: st.DataObject) -> None:
    content = b"".join(lines)
    begin = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(begin, min(begin + 50, len(content))))
    report_or_refuse(
        tmp_path / "run.jsonl", content[:begin] + data.draw(st.binary(max_size=3)) + content[end:]
    )


@quietly
@given(data=st.data())
def test_a_field_with_any_value(tmp_path: Path, lines: list[bytes], data: st.DataObject) -> None:
    number = data.draw(st.integers(0, len(lines) - 1))
    row = json.loads(lines[number])
    row[data.draw(st.sampled_from([*row, "more"]))] = data.draw(json_values)
    changed = [*lines[:number], json.dumps(row).encode() + b"\n", *lines[number + 1 :]]
    report_or_refuse(tmp_path / "run.jsonl", b"".join(changed))


@quietly
@given(order=st.permutations(range(7)))
def test_rows_in_any_order(tmp_path: Path, lines: list[bytes], order: list[int]) -> None:
    report_or_refuse(tmp_path / "run.jsonl", b"".join(lines[n] for n in order))
