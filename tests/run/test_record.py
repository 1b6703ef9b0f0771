"""A run file whose pairs were not all written is a part of a run, and is called so."""

import json

import pytest

from judgecli import reports
from judgecli.analysis import summarise
from judgecli.errors import DataError
from judgecli.run import load_run
from judgecli.types import CautionKind, Summary
from tests.run.made_up import RUN, Runs


def killed_while_planning(runs: Runs, n_pairs: int) -> None:
    """Leave the file of a run of three pairs that was killed after writing some, all judged earlier."""
    runs(limit=n_pairs)
    earlier = RUN.read_bytes()
    RUN.unlink()
    runs()
    RUN.write_bytes(earlier + b"".join(RUN.read_bytes().splitlines(keepends=True)[: 1 + n_pairs]))


def summary_and_notes() -> tuple[Summary, tuple[str, ...]]:
    record = load_run(RUN)
    return summarise(record), record.notes


@pytest.mark.parametrize("n_pairs", [1, 2])
def test_missing_pairs_are_open(runs: Runs, n_pairs: int) -> None:
    killed_while_planning(runs, n_pairs)
    summary, notes = summary_and_notes()
    assert (summary.counts.n_pairs, summary.counts.n_verdicts) == (3, n_pairs)
    assert summary.counts.n_open == 3 - n_pairs
    assert CautionKind.PARTIAL in [one.kind for one in summary.cautions]
    assert notes == (f"the file holds {n_pairs} of the 3 items of this run",)


@pytest.mark.parametrize("form", ["terminal", "markdown", "json"])
def test_the_report_says_so(runs: Runs, form: str) -> None:
    killed_while_planning(runs, 1)
    record = load_run(RUN)
    text = reports.render(form, record, summarise(record), width=200)
    assert "partial run: 2 of 3 pairs not judged yet" in text
    assert "the file holds 1 of the 3 items of this run" in text


def test_the_same_command_goes_on(runs: Runs) -> None:
    killed_while_planning(runs, 2)
    runs()
    assert runs.asked == [("q3", "AB"), ("q3", "BA")]
    summary, notes = summary_and_notes()
    assert (summary.counts.n_open, notes) == (0, ())


@pytest.mark.parametrize("said", ["true", '"3"', "null", "1", "-5"])
def test_a_header_that_counts_nothing_misses_nothing(runs: Runs, said: str) -> None:
    runs()
    RUN.write_bytes(RUN.read_bytes().replace(b'"n_pairs": 3', f'"n_pairs": {said}'.encode(), 1))
    assert load_run(RUN).n_missing == 0


@pytest.mark.parametrize(("mode", "n"), [("pair", 1), ("pair", 3), ("grade", 2), ("rank", 3)])
def test_a_file_put_together_of_several_runs_is_none(runs: Runs, mode: str, n: int) -> None:
    runs()
    header, first, last, *_ = (json.loads(line) for line in RUN.read_bytes().splitlines())
    last["responses"] = (first["responses"] * 2)[:n]
    if n == 1:
        last["prompt_hashes"] = {"A": "x"}
    rows = ({**header, "mode": mode}, last) if mode != "rank" else ({**header, "mode": mode}, first, last)
    RUN.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    with pytest.raises(DataError, match=f"item 'q2' has {n} of the .* answers that the run compares"):
        load_run(RUN)


@pytest.mark.parametrize("mode", ["chat", None, 5, ["pair"]])
def test_a_mode_that_is_unknown_is_refused(runs: Runs, mode: object) -> None:
    runs()
    header, *rows = RUN.read_text(encoding="utf-8").splitlines()
    RUN.write_text("\n".join([json.dumps({**json.loads(header), "mode": mode}), *rows, ""]), encoding="utf-8")
    with pytest.raises(DataError, match=r"its header names the mode .*, and known are pair, grade, rank; "):
        load_run(RUN)


@pytest.mark.parametrize("place", ["min_mass", "doubt", "seed"])
def test_a_header_with_a_number_that_no_float_holds_is_refused(runs: Runs, place: str) -> None:
    runs()
    header, *rows = RUN.read_text(encoding="utf-8").splitlines()
    told = {**json.loads(header), place: {"below": 10**400} if place == "doubt" else 10**400}
    RUN.write_text("\n".join([json.dumps(told), *rows, ""]), encoding="utf-8")
    with pytest.raises(DataError, match=r":1: broken row of a run file \(a number of 401 digits\)"):
        load_run(RUN)
