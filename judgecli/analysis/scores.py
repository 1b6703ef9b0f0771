"""Means, medians and shares of scores, hard and soft."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean, median

from judgecli.analysis.graded import Grade, values_of
from judgecli.analysis.intervals import share, t_interval
from judgecli.analysis.lengths import correlation_p, spearman
from judgecli.types import Estimate, Judgment, Scale

_MIN_FOR_P = 10
_FEW = 30


def mean_score(grades: Sequence[Grade], scale: Scale | None) -> Estimate:
    """Return the mean score with Student's t interval, cut off at the scale's ends.

    None without a score and on a scale of labels; no interval for one score or scores all equal. Scores are
    bounded, so with few of them, most alike, the interval covers less than it says; `method` marks it.
    """
    values = values_of(grades, _score, scale.low if scale else None)
    return _mean("mean_score", values, scale, absent=_absent(scale, "no scores"))


def expected_score(grades: Sequence[Grade], scale: Scale | None) -> Estimate:
    """Return the mean of the scores to be expected from the judge's probabilities, as `mean_score` does."""
    has_any = any(grade.judgment and grade.judgment.expected for grade in grades)
    values = values_of(grades, _expected, scale.low if scale else None) if has_any else []
    return _mean("expected_score", values, scale, absent=_absent(scale, _no_probabilities(grades)))


def median_score(grades: Sequence[Grade], scale: Scale | None) -> Estimate:
    """Return the median score; None without a score and on a scale of labels."""
    values = values_of(grades, _score, scale.low if scale else None)
    if not values or (scale and scale.labels):
        return Estimate(name="median_score", value=None, n=0, method=_absent(scale, "no scores"))
    return Estimate(name="median_score", value=float(median(values)), n=len(values), method="median")


def label_share(grades: Sequence[Grade], scale: Scale | None) -> Estimate:
    """Return the share of answers with the best label, with Wilson's interval; None on a scale of scores."""
    if scale is None or not scale.labels:
        return Estimate(name="label_share", value=None, n=0, method="scores, not labels")
    values = values_of(grades, _score, scale.low)
    return share("label_share", values.count(scale.high), len(values), absent="no labels")


def label_probability(grades: Sequence[Grade], scale: Scale | None) -> Estimate:
    """Return the mean of the judge's probability for the best label; None on a scale of scores."""
    name, best = "label_probability", scale.high if scale else None
    if scale is None or not scale.labels:
        return Estimate(name=name, value=None, n=0, method="scores, not labels")

    def probability(judgment: Judgment) -> float | None:
        return judgment.p_scores.get(f"{best:g}", 0.0) if judgment.p_scores else None

    has_any = any(distributions_of(grades))
    values = values_of(grades, probability, 0.0) if has_any else []
    return _mean(name, values, Scale(low=0, high=1), absent=_no_probabilities(grades))


def length_correlation(grades: Sequence[Grade]) -> Estimate:
    """Return Spearman's rho of the judge's score against the answer's characters.

    It is a diagnostic: a longer answer may be the better one. None for fewer than three scores and where
    either does not vary.
    """
    rows = [(one.judged, len(one.item.response_a.output)) for one in grades if one.judged is not None]
    n = len(rows)
    rho = spearman([score for score, _ in rows], [length for _, length in rows])
    if rho is None:
        method = "fewer than three scores" if n < 3 else "scores or lengths do not vary"
        return Estimate(name="length_correlation", value=None, n=n, method=method)
    p_value = correlation_p(rho, n) if n >= _MIN_FOR_P else None
    return Estimate(name="length_correlation", value=rho, n=n, p_value=p_value, method="Spearman's rho")


def most_common(scores: Sequence[float]) -> Estimate:
    """Return the share of the score that most answers have; None without a score."""
    most = max(map(scores.count, set(scores)), default=0)
    return share("most_common", most, len(scores), absent="no scores")


def share_at(name: str, scores: Sequence[float], score: float | None) -> Estimate:
    """Return the share of answers with exactly this score; None without a score or a scale."""
    if score is None:
        return Estimate(name=name, value=None, n=0, method="the run file names no scale")
    return share(name, scores.count(score), len(scores), absent="no scores")


def distributions_of(grades: Sequence[Grade]) -> Iterator[Mapping[str, float]]:
    """Return the judge's probabilities of scores, of each answer that has such."""
    judgments = (grade.judgment for grade in grades)
    return (one.p_scores for one in judgments if one and one.p_scores and not one.failure)


def _score(judgment: Judgment) -> float | None:
    return judgment.scores.get("A")


def _expected(judgment: Judgment) -> float | None:
    return judgment.expected.get("A")


def _no_probabilities(grades: Sequence[Grade]) -> str:
    has_mass = any(grade.judgment and grade.judgment.mass is not None for grade in grades)
    return "too little of the probability was followed to its end" if has_mass else "no probabilities"


def _absent(scale: Scale | None, otherwise: str) -> str:
    return "labels, not scores" if scale and scale.labels else otherwise


def _mean(name: str, values: Sequence[float], scale: Scale | None, *, absent: str) -> Estimate:
    if not values or (scale and scale.labels):
        return Estimate(name=name, value=None, n=0, method=absent)
    mean, n, interval = fmean(values), len(values), t_interval(values)
    if interval is None:
        return Estimate(name=name, value=mean, n=n, method="no spread to judge the mean by")
    low, high = interval
    if scale:
        low, high = max(scale.low, low), min(scale.high, high)
    method = "t interval, 95%" + (", rough for so few bounded scores" if n < _FEW else "")
    return Estimate(name=name, value=mean, low=low, high=high, n=n, method=method)
