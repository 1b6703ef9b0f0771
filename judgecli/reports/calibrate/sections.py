"""What a report on a calibration says below its headline, row by row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from judgecli.reports.wording import Table
from judgecli.reports.wording.rows import Row, Section, listed, percent, plural, row, section, with_interval
from judgecli.reports.wording.setup import judge_rows, notes
from judgecli.reports.wording.trusting import guarantee, nothing_certified, share
from judgecli.types import CalibrationSummary, ProbabilityScores, RunRecord, Step

_MAX_NOTES = 6
_MAX_PASSED = 8  # steps shown of those that passed, the last ones
_FEW_LEFT = 2  # as many more are shown too, rather than left out


def sections(record: RunRecord, summary: CalibrationSummary) -> list[Section]:
    """Return everything a report says: the judge and labels, the temperature, the threshold and its steps."""
    everything = [
        section("Setup", _setup(record, summary)),
        section("Temperature", _temperature(summary)),
        section("Threshold", _threshold(summary), _steps(summary)),
        section("Notes", listed("notes", [*summary.notes, *notes(record)], _MAX_NOTES)),
    ]
    return [one for one in everything if one.rows or one.table]


def _setup(record: RunRecord, summary: CalibrationSummary) -> Iterator[Row | None]:
    yield from judge_rows(record.header)
    yield row("labels", summary.labels_file)
    pairs = plural(summary.n_fit, "pair")
    yield row("fitted", f"temperature on {pairs}", f"the rest on {summary.n_test:,} others")
    if summary.group is not None:
        left_out = f"{summary.n_left_out:,} others left out"
        yield row("groups", f"one pair of each {summary.group}", left_out)


def _temperature(summary: CalibrationSummary) -> Iterator[Row | None]:
    before, after = summary.before, summary.after
    effect = _effect(summary.calibration.temperature)
    yield row("temperature", f"{summary.calibration.temperature:.3g}", effect)
    yield row("Brier", _change(before.brier, after.brier), "squared error of the probabilities", _n(before))
    yield row("NLL", _change(before.nll, after.nll), "minus the logarithm of the label's probability")
    if before.ece is None or after.ece is None:
        yield row("ECE", "not shown under 300 labels", "where it is biased upward")
    else:
        yield row("ECE", _change(before.ece, after.ece), "distance of confidence and agreement")


def _effect(temperature: float) -> str:
    if temperature > 1:
        return "the judge is surer than it should be"
    return "the judge is less sure than it could be" if temperature < 1 else "nothing to mend"


def _change(before: float | None, after: float | None) -> str:
    if before is None or after is None:
        return "no probabilities"
    return f"{before:.3f} -> {after:.3f}"


def _n(scores: ProbabilityScores) -> str:
    return f"n={scores.n:,}"


def _threshold(summary: CalibrationSummary) -> Iterator[Row | None]:
    fitted = summary.calibration
    if fitted.threshold is None:
        yield row("guarantee", nothing_certified(fitted.agree, fitted.confidence))
        return
    yield row("threshold", f"{fitted.threshold:g}", "of the confidence after the temperature")
    yield row("guarantee", *guarantee(fitted.threshold, fitted.agree, fitted.confidence))
    coverage = summary.coverage
    yield row("coverage", f"{with_interval(coverage)} of verdicts are at it or above", f"n={coverage.n:,}")
    observed = summary.agreement
    yield row("agreement", f"{with_interval(observed)} of these agree with people", f"n={observed.n:,}")
    yield row("", "on the pairs that certified it, so rather high; the guarantee allows for that")
    allowed = f"errors bound with {share(fitted.confidence)} confidence"
    n_left_out = _n_left_out(summary.steps)
    left_out = f"the first {n_left_out} thresholds, all passed, left out" if n_left_out else None
    yield row("steps", "from the highest confidence down until one fails", allowed, left_out)


def _n_left_out(steps: Sequence[Step]) -> int:
    """Return how many of the first thresholds, all of which passed, have no row in the table."""
    n_passed = sum(step.passed for step in steps)
    return n_passed - _MAX_PASSED if n_passed > _MAX_PASSED + _FEW_LEFT else 0


def _steps(summary: CalibrationSummary) -> Table | None:
    """Return the last thresholds that passed and the one that did not, from the highest on."""
    shown = summary.steps[_n_left_out(summary.steps) :]
    if not shown:
        return None
    allowed = share(1 - summary.calibration.agree)
    return Table(
        header=("from", "pairs", "wrong", "bound", f"within {allowed}"),
        rows=tuple(_step(step) for step in shown),
    )


def _step(step: Step) -> tuple[str, ...]:
    is_within = "yes" if step.passed else "no"
    return f"{step.threshold:g}", f"{step.n:,}", f"{step.k:,}", percent(step.bound), is_within
