"""What people's labels on some pairs say of all of them."""

from __future__ import annotations

from pathlib import Path

from judgecli.analysis import summarise, summarise_adjusted
from judgecli.analysis.cautions import is_drawn
from judgecli.answers import USUAL_READING, LabelReading
from judgecli.errors import UsageError
from judgecli.run.labelled import labels_of_run
from judgecli.run.record import load_run
from judgecli.types import RunRecord, Summary


def load_adjusted(
    path: Path, labels: str | None, reading: LabelReading = USUAL_READING
) -> tuple[RunRecord, Summary]:
    """Return a run and its statistics, with the win rate that people would give where there are labels.

    Raises:
        DataError: it is no run file, or is broken; the labels cannot be read, or are fewer than 20.
        UsageError: labels for a run that has no win rate, or one that compares nothing.
    """
    record = load_run(path)
    if labels is None:
        return record, summarise(record)
    mode = record.header.get("mode", "pair")
    if mode != "pair":
        message = f"--labels adjusts the win rate of a run of judge pair, and {path} is one of judge {mode}"
        raise UsageError(f"{message}; leave it out")
    if is_drawn(record.header):
        message = f"--labels adjusts a win rate, and that of {path} compares nothing: answers sit by a draw"
        raise UsageError(f"{message}; hold the judge against the labels with `judge agree {path}`")
    known = labels_of_run(record, str(path), labels, reading)
    return record, summarise_adjusted(record, known)
