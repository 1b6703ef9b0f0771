"""Two run files read back to be compared."""

from __future__ import annotations

from pathlib import Path

from judgecli.analysis import compare_runs
from judgecli.errors import DataError, UsageError
from judgecli.run.record import load_run
from judgecli.types import DiffSummary, RunRecord


def load_difference(first: Path, second: Path) -> tuple[RunRecord, DiffSummary]:
    """Return the second run and what changed from the first one to it.

    Raises:
        DataError: a file is no run file or is broken, or the two have no item in common.
        UsageError: a run of another command than `judge pair`.
    """
    before, after = _load(first), _load(second)
    summary = compare_runs(before, after, _names(first, second))
    if not summary.changes:
        message = f"{first} and {second} have no item in common{_ids_of(before, after)}"
        raise DataError(f"{message}; compare runs over the same items")
    return after, summary


def _load(path: Path) -> RunRecord:
    record = load_run(path)
    mode = record.header.get("mode", "pair")
    if mode != "pair":
        message = f"judge diff compares runs of judge pair, and {path} is one of judge {mode}"
        raise UsageError(f"{message}; name another")
    return record


def _names(first: Path, second: Path) -> tuple[str, str]:
    """Return what to call two runs: their files without suffixes, with as much more as tells them apart."""
    for name in (_stem, _in_folder, str):
        names = name(first), name(second)
        if names[0] != names[1]:
            return names
    return f"{_stem(first)} (first)", f"{_stem(second)} (second)"


def _stem(path: Path) -> str:
    return path.name.removesuffix(".jsonl").removesuffix(".judge")


def _in_folder(path: Path) -> str:
    return f"{path.absolute().parent.name}/{_stem(path)}"


def _ids_of(first: RunRecord, second: RunRecord) -> str:
    if not first.items or not second.items:
        return ""
    return f": ids look like {first.items[0].id!r} and {second.items[0].id!r}"
