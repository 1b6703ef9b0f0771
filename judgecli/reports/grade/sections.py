"""What a report on grades says below its headline, row by row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from judgecli.reports.grade.headline import judged, score_with_interval
from judgecli.reports.wording.answers import incomplete, mass_phrases, side_phrases
from judgecli.reports.wording.cautions import MAX_FAILURES_LISTED, failed, failures
from judgecli.reports.wording.rows import (
    Row,
    Section,
    breakdown,
    listed,
    p_value,
    percent,
    plural,
    row,
    section,
    with_interval,
)
from judgecli.reports.wording.setup import IMAGE_NOT_SEEN, images, judge_rows, notes, part, references, turns
from judgecli.types import GradeSplit, GradeSummary, RunRecord, Scale

_MAX_NOTES = 4


def sections(record: RunRecord, summary: GradeSummary) -> list[Section]:
    """Return everything a report says: whose answers and with what, the result, the judge, the answers."""
    everything = [
        section("Setup", _setup(record.header, summary)),
        section("Result", _result(record.header, summary)),
        section("Judge", _judge(record, summary)),
        section("Answers", _answers(record, summary)),
    ]
    return [one for one in everything if one.rows]


def _setup(header: Mapping[str, Any], summary: GradeSummary) -> Iterator[Row | None]:
    counts = summary.counts
    yield row("answers", *side_phrases(summary.side))
    yield from judge_rows(header)
    yield row("scale", *_scale(summary.scale))
    yield row("graded", f"{plural(counts.n_items, 'answer')} ({plural(counts.n_judgments, 'judgment')})")


def _scale(scale: Scale | None) -> tuple[str | None, ...]:
    if scale is None:
        return ()
    if scale.labels:
        best_first = sorted(scale.labels, key=lambda label: -scale.labels[label])
        return (f"{' or '.join(best_first)}, the first one the best",)
    decimals = "a decimal is drawn with the whole number below it" if scale.has_decimals else None
    return f"{scale.low:g} to {scale.high:g}", decimals


def _result(header: Mapping[str, Any], summary: GradeSummary) -> Iterator[Row | None]:
    scale, result = summary.scale, summary.result
    if result.value is None:
        return
    if scale and scale.labels:
        yield row("share", with_interval(result), "95% Wilson interval", f"n={result.n:,}")
    else:
        yield row("mean score", score_with_interval(result, scale), result.method, f"n={result.n:,}")
        yield row("median", f"{summary.median.value:g}" if summary.median.value is not None else None)
    yield row("soft", *_soft(header, summary))
    yield row("spread", *_spread(summary))
    yield row("ends", *_ends(summary))
    yield row("no judge", *_without_judge(summary))
    for split in summary.by_reference:
        yield row(f"{split.value} ref.", *_split(split, scale))
    yield from _by_metadata(summary.by_metadata, scale)


def _soft(header: Mapping[str, Any], summary: GradeSummary) -> tuple[str | None, ...]:
    """Say what the judge's probabilities expect, or why there are none."""
    has_labels = summary.scale is not None and summary.scale.labels
    soft = summary.label_probability if has_labels else summary.expected
    if soft.value is None:
        return (soft.method,)
    value = with_interval(soft) if has_labels else score_with_interval(soft, summary.scale)
    meaning = "mean probability of this label" if has_labels else "mean expected score"
    condition = "given the reasons it wrote" if part(header, "prompt").get("place") == "last" else None
    return value, meaning, condition, f"n={soft.n:,}"


def _spread(summary: GradeSummary) -> tuple[str | None, ...]:
    """Write the judge's own distribution, averaged over the answers, as far as a percent can show it."""
    bins = [one for one in reversed(summary.histogram) if one.p is not None and one.p >= 0.005]
    return tuple(f"{one.name}: {one.p:.0%}" for one in bins)


def _ends(summary: GradeSummary) -> tuple[str | None, ...]:
    scale, lowest, highest = summary.scale, summary.at_lowest.value, summary.at_highest.value
    if scale is None or scale.labels or lowest is None or highest is None:
        return ()
    return (
        f"{percent(highest)} of the judge's scores are {scale.high:g}",
        f"{percent(lowest)} are {scale.low:g}",
    )


def _without_judge(summary: GradeSummary) -> tuple[str | None, ...]:
    n, scale = summary.counts.n_by_rule, summary.scale
    if not n:
        return ()
    if scale is None:
        return (f"{plural(n, 'empty answer')} left out: the run file names no scale",)
    worst = f"{scale.low:g}" if not scale.labels else min(scale.labels, key=lambda label: scale.labels[label])
    return (f"{plural(n, 'empty answer')} {'counts' if n == 1 else 'count'} as {worst} by rule",)


def _by_metadata(splits: Sequence[GradeSplit], scale: Scale | None) -> Iterator[Row | None]:
    shown = ""
    for split in splits:
        label = "" if split.name == shown else split.name
        yield row(label, split.value, *_split(split, scale))
        shown = split.name


def _split(split: GradeSplit, scale: Scale | None) -> tuple[str | None, ...]:
    result = split.result
    value = with_interval(result) if scale and scale.labels else score_with_interval(result, scale)
    return value, f"n={result.n:,}", f"{split.n_failed:,} failed" if split.n_failed else None


def _judge(record: RunRecord, summary: GradeSummary) -> Iterator[Row | None]:
    yield row("mass", *mass_phrases(summary.mass, summary.p_unopened))
    if summary.counts.n_failed:
        yield row("failed", failures(judged(summary.counts)))
        yield from listed("for example", failed(record.judgments.values()), MAX_FAILURES_LISTED)


def _answers(record: RunRecord, summary: GradeSummary) -> Iterator[Row | None]:
    given = part(record.header, "input")
    formats = given.get("formats")
    yield row("lengths", *_lengths(summary))
    yield row("incomplete", incomplete(summary.side))
    yield row(
        "input",
        f"format {formats[0]}" if isinstance(formats, list | tuple) and formats else None,
        references(given, len(record.items)),
        turns(given),
    )
    yield images(summary.flags)
    other_flags = [(flag, n) for flag, n in summary.flags.items() if flag != IMAGE_NOT_SEEN]
    yield row("flagged", breakdown(other_flags))
    yield from listed("notes", notes(record), _MAX_NOTES)


def _lengths(summary: GradeSummary) -> tuple[str | None, ...]:
    median, rho = summary.side.median_characters, summary.length_correlation
    if median is None:
        return ()
    return (
        f"median {median:,.0f} characters",
        None if rho.value is None else f"rank correlation with the score {rho.value:+.2f} (n={rho.n:,})",
        p_value(rho.p_value),
    )
