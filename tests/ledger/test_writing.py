"""Every row is on disk before the next judgment is asked for, or the run ends with one sentence."""

import math
from pathlib import Path

import pytest

from judgecli.errors import OutputError
from judgecli.ledger import LedgerWriter, check_writable, read_ledger, same_plan
from judgecli.types import Order, Winner
from tests.ledger.made_up import HEADER, judged, planned, write_run
from tests.made_up import make_pair

FULL = Path("/dev/full")


def test_every_row_is_flushed(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    with LedgerWriter(path) as writer:
        writer.write_plan(HEADER, [planned(make_pair("x" * 100_000))])
        assert path.read_bytes().count(b"\n") == 2
        for n in range(1, 4):
            writer.write_judgment(judged())
            assert path.read_bytes().count(b"\n") == 2 + n


def test_going_on_after_the_whole_rows(tmp_path: Path) -> None:
    path = write_run(tmp_path / "run.jsonl", judgments=[judged()])
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"row": "judg')
    with LedgerWriter(path, keep_bytes=len(whole)) as writer:
        writer.write_judgment(judged(Order.BA, Winner.B))
    assert path.read_bytes().startswith(whole)
    assert len(read_ledger(path).judgments) == 2


def test_opening_anew_forgets_what_was_there(tmp_path: Path) -> None:
    path = write_run(tmp_path / "run.jsonl", judgments=[judged()])
    write_run(path)
    assert read_ledger(path).judgments == {}


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_no_number_that_other_readers_refuse_is_written(tmp_path: Path, number: float) -> None:
    path = tmp_path / "run.jsonl"
    with LedgerWriter(path) as writer:
        writer.write_plan(HEADER, [planned()])
        with pytest.raises(ValueError, match="JSON"):
            writer.write_judgment(judged(mass=number))
    assert b"NaN" not in path.read_bytes()
    assert read_ledger(path).judgments == {}


@pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_sentence() -> None:
    with pytest.raises(OutputError) as error:
        write_run(FULL)
    assert str(error.value) == (
        "/dev/full: cannot write the run file (No space left on device); name another with --out"
    )


def test_a_place_that_cannot_be_opened_is_one_sentence(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing" / "run.jsonl"):
        with pytest.raises(OutputError, match="cannot write the run file"):
            LedgerWriter(path)


def test_what_could_not_be_written_is_known_before_a_judge_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_writable(tmp_path / "run.jsonl")
    with pytest.raises(OutputError, match="there is no folder"):
        check_writable(tmp_path / "missing" / "run.jsonl")
    monkeypatch.setattr("os.access", lambda path, mode: path != tmp_path)
    with pytest.raises(OutputError, match="no permission to write"):
        check_writable(tmp_path / "run.jsonl")
    write_run(tmp_path / "run.jsonl")
    check_writable(tmp_path / "run.jsonl")


def test_plans_are_the_same_once_written() -> None:
    listed, tupled = (planned(make_pair(metadata={"labels": kind("ab")})) for kind in (list, tuple))
    assert same_plan([listed], [tupled])
    assert not same_plan([planned()], [planned(), planned()])
    assert not same_plan([planned()], [planned(prompt="2")])
    assert not same_plan([planned()], [planned(make_pair("other"))])
