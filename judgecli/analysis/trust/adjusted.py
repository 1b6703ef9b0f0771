"""The win rate as people would have it: from their labels on some pairs and the verdicts on all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from judgecli.analysis.intervals import share, tango_interval
from judgecli.analysis.judged import POINTS, check_winners
from judgecli.analysis.reliability import reliability
from judgecli.analysis.trust.correction import Rates, corrected_share
from judgecli.analysis.trust.ppi import powered_estimate, powered_mean
from judgecli.analysis.units import instructions
from judgecli.analysis.winrate import conclude
from judgecli.errors import DataError
from judgecli.types import (
    Adjusted,
    Caution,
    CautionKind,
    Conclusion,
    Estimate,
    Labels,
    RunRecord,
    Winner,
)

MIN_LABELS = 20
ENOUGH_LABELS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    """A pair's verdict and, where people gave one, its label."""

    item_id: str
    winner: Winner
    label: Winner | None


def about_labels(conclusion: Conclusion, adjusted: Adjusted) -> Iterator[Caution]:
    """Yield cautions where few labels bear the human-adjusted win rate, and where it concludes otherwise.

    The name of the second is that other conclusion. None where one of the two has no interval.
    """
    by_labels = conclude(adjusted.win_rate)
    if Conclusion.NO_VERDICTS not in {conclusion, by_labels} and conclusion is not by_labels:
        value = adjusted.win_rate.value
        yield Caution(kind=CautionKind.LABELS_DIFFER, value=value, name=by_labels.value)
    if adjusted.n_labelled < ENOUGH_LABELS:
        yield Caution(kind=CautionKind.FEW_LABELS, value=adjusted.n_labelled, limit=ENOUGH_LABELS)


def adjusted_of(record: RunRecord, labels: Labels) -> Adjusted:
    """Return the win rate as people would have it, by PPI++ and from the labels alone, and a corrected share.

    All verdicts count, whoever gave them. Failed and open pairs are left out, labelled or not.

    Raises:
        DataError: fewer than 20 verdicts have a label, or the labels are scores.
    """
    check_winners(labels, "the human-adjusted win rate")
    pairs = list(_pairs(record, labels))
    labelled = [pair for pair in pairs if pair.label is not None]
    others = [pair for pair in pairs if pair.label is None]
    if len(labelled) < MIN_LABELS:
        found = f"{labels.file}: {len(labelled)} of the run's verdicts have a label"
        raise DataError(
            f"{found}, and the human-adjusted win rate needs {MIN_LABELS}; label a random sample of the run"
        )
    points = [POINTS[pair.label] for pair in labelled if pair.label]
    mean = powered_mean(
        np.array(points),
        np.array([POINTS[pair.winner] for pair in labelled]),
        np.array([POINTS[pair.winner] for pair in others]),
    )
    rates = _rates(labelled, others)
    return Adjusted(
        labels_file=labels.file,
        n_labelled=len(labelled),
        win_rate=powered_estimate("win_rate", mean),
        by_people=win_rate_by_people(points),
        tuning=mean.tuning if mean else None,
        corrected=corrected_share(rates),
        sensitivity=share("sensitivity", rates.k1, rates.n1, absent="no decided pair with a label for B"),
        specificity=share("specificity", rates.k0, rates.n0, absent="no decided pair with a label for A"),
        reliability=reliability(record, labels),
        notes=tuple(_notes(record, labels, labelled, n_others=len(others))),
    )


def win_rate_by_people(points: Sequence[float]) -> Estimate:
    """Return the mean of labels, 1 where they are for the candidate and 1/2 for a tie; None for n = 0.

    Source: as `judgecli.analysis.winrate.win_rate`.
    """
    n, wins, losses = len(points), points.count(1.0), points.count(0.0)
    interval = tango_interval(wins, losses, n)
    if interval is None:
        return Estimate(name="by_people", value=None, n=0, method="no labels")
    low, high = ((1 + delta) / 2 for delta in interval)
    method = "labels alone, ties half a win, Tango score interval, 95%"
    value = (1 + (wins - losses) / n) / 2
    return Estimate(name="by_people", value=value, low=low, high=high, n=n, method=method)


def _pairs(record: RunRecord, labels: Labels) -> Iterator[_Pair]:
    for verdict in record.verdicts:
        if verdict.winner is not None:
            label = labels.by_item.get(verdict.item_id)
            yield _Pair(item_id=verdict.item_id, winner=verdict.winner, label=label.winner if label else None)


def _rates(labelled: Sequence[_Pair], others: Sequence[_Pair]) -> Rates:
    """Count what the correction needs, over pairs where neither verdict nor label is a tie; yes is B."""
    for_b = [pair.winner for pair in labelled if pair.label is Winner.B and pair.winner is not Winner.TIE]
    for_a = [pair.winner for pair in labelled if pair.label is Winner.A and pair.winner is not Winner.TIE]
    judged = [pair.winner for pair in others if pair.winner is not Winner.TIE]
    return Rates(
        k=judged.count(Winner.B),
        n=len(judged),
        k1=for_b.count(Winner.B),
        n1=len(for_b),
        k0=for_a.count(Winner.A),
        n0=len(for_a),
    )


def _notes(record: RunRecord, labels: Labels, labelled: Sequence[_Pair], *, n_others: int) -> Iterator[str]:
    """Yield how the labels were read, what the numbers take for granted, and what they leave out."""
    yield from labels.notes
    n = len(labelled)
    if n_others:
        yield f"this holds if the {n} labelled pairs are a random sample of the run's {n + n_others} verdicts"
    else:
        yield "every verdict has a label, so the judge adds nothing to what people say"
    if n < ENOUGH_LABELS:
        yield f"under {ENOUGH_LABELS} labels the interval tends to be too narrow"
    failed = [verdict for verdict in record.verdicts if verdict.failure is not None]
    if failed:
        n_labelled = sum(verdict.item_id in labels.by_item for verdict in failed)
        yield f"left out: {_counted(len(failed))} on which the judge failed ({n_labelled} labelled)"
    decided = [pair for pair in labelled if pair.winner is not Winner.TIE]
    n_ties = sum(pair.label is Winner.TIE for pair in decided)
    if n_ties:
        told = f"people call {n_ties} of the {len(decided)} labelled pairs that the verdicts decide a tie"
        yield f"{told}; the corrected share does not allow for such pairs"
    n_split = sum(_is_undecided(labels, verdict.item_id) for verdict in record.verdicts)
    if n_split:
        yield f"counted as not labelled: {_counted(n_split)} whose annotators have no majority"
    shown = instructions(record, (pair.item_id for pair in labelled))
    if len(set(shown)) < len(shown):
        yield "some labelled pairs share an instruction; the intervals take them to be independent"


def _counted(n: int) -> str:
    return f"{n} pair" if n == 1 else f"{n} pairs"


def _is_undecided(labels: Labels, item_id: str) -> bool:
    label = labels.by_item.get(item_id)
    return label is not None and label.winner is None
