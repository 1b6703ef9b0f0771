"""The alternative annotator test: may the judge stand in for any one of the people who gave labels?

Against each annotator the judge is held to the labels of the others, and so is the annotator. People have the
benefit `epsilon` of the doubt: the judge costs less, so it may be as much worse.
Source: Calderon et al., The Alternative Annotator Test, ACL 2025 (arXiv 2501.10970).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf, nan, sqrt
from statistics import fmean, stdev
from typing import TypeVar

from scipy.special import stdtr

from judgecli.analysis.cautions import about_the_run
from judgecli.analysis.graded import grades_of
from judgecli.errors import DataError, UsageError
from judgecli.types import (
    AnnotatorTest,
    Caution,
    CautionKind,
    DecidedBy,
    Estimate,
    LabelKind,
    Labels,
    RunRecord,
    ValidationSummary,
)

MIN_ANNOTATORS = 3
MIN_ITEMS = 30  # of an annotator; under it the paper holds a t test to be out of place
ENOUGH_ITEMS = 50
FALSE_DISCOVERY_RATE = 0.05
_PASS_SHARE = 0.5

_V = TypeVar("_V")


def validation_of(record: RunRecord, labels: Labels, *, epsilon: float) -> ValidationSummary:
    """Test the judge against each annotator, over the items it judged that have two annotators or more.

    Where a rule decided there was no judge, so those items are left out, as are failed and open ones.

    Raises:
        DataError: fewer than three annotators, or no item that both the judge and two of them judged.
        UsageError: `epsilon` is not from 0 to under 1.
    """
    if not 0 <= epsilon < 1:
        raise UsageError(f"--epsilon must be from 0 to under 1, not {epsilon:g}; experts are given 0.2")
    if len(labels.annotators) < MIN_ANNOTATORS:
        found = f"{labels.file}: {len(labels.annotators) or 'no'} named annotators"
        raise DataError(f"{found}, and the test needs {MIN_ANNOTATORS} or more; `judge agree` needs but one")
    n_items, tests = (_scores if labels.kind is LabelKind.SCORES else _winners)(record, labels, epsilon)
    if not n_items:
        message = f"{labels.file}: no item has both a result of the judge and two annotators"
        raise DataError(f"{message}; check that the labels are of this run")
    tests = with_rejections(tests, FALSE_DISCOVERY_RATE)
    omega = winning_rate(tests)
    return ValidationSummary(
        cautions=tuple(_cautions(record, n_items)),
        labels_file=labels.file,
        epsilon=epsilon,
        q=FALSE_DISCOVERY_RATE,
        tests=tests,
        omega=omega,
        rho=advantage_probability(tests),
        passes=None if omega.value is None else omega.value >= _PASS_SHARE,
        n_items=n_items,
        notes=tuple(_notes(record, labels, tests)),
    )


def share_agreeing(value: object, others: Sequence[object]) -> float:
    """Return the share of the others who say the same; they are one or more."""
    return fmean(value == other for other in others)


def closeness(value: float, others: Sequence[float]) -> float:
    """Return minus the root mean squared difference to the others; they are one or more."""
    return -sqrt(fmean((value - other) ** 2 for other in others))


def annotator_tests(
    judged: Mapping[str, _V],
    annotated: Mapping[str, Mapping[str, _V]],
    *,
    alike: Callable[[_V, Sequence[_V]], float],
    epsilon: float,
) -> tuple[AnnotatorTest, ...]:
    """Return the test against each annotator, in alphabetical order; none is rejected yet.

    `judged` is what the judge says by item, `annotated` what people say, by item and annotator. `alike` says
    how like the others' labels one is, the greater the more.
    """
    names = sorted({name for by_name in annotated.values() for name in by_name})
    items = [item_id for item_id, by_name in annotated.items() if item_id in judged and len(by_name) > 1]
    tests = []
    for name in names:
        wins: list[tuple[bool, bool]] = []
        for item_id in (item_id for item_id in items if name in annotated[item_id]):
            others = [label for other, label in annotated[item_id].items() if other != name]
            of_judge = alike(judged[item_id], others)
            of_annotator = alike(annotated[item_id][name], others)
            wins.append((of_judge >= of_annotator, of_annotator >= of_judge))
        tests.append(_test(name, wins, epsilon))
    return tuple(tests)


def _test(name: str, wins: Sequence[tuple[bool, bool]], epsilon: float) -> AnnotatorTest:
    """Return the test over items on which the judge, and the annotator, is at least as like the others."""
    n = len(wins)
    if n < MIN_ITEMS:
        reason = f"{n} items, and the test needs {MIN_ITEMS}"
        return AnnotatorTest(
            annotator=name,
            n=n,
            advantage=None,
            human_advantage=None,
            p_value=None,
            rejected=False,
            reason=reason,
        )
    excess = [human - judge for judge, human in wins]
    return AnnotatorTest(
        annotator=name,
        n=n,
        advantage=fmean(judge for judge, _ in wins),
        human_advantage=fmean(human for _, human in wins),
        p_value=mean_below_p(excess, epsilon)[1],
        rejected=False,
    )


def mean_below_p(values: Sequence[float], limit: float) -> tuple[float, float]:
    """Return t and the one-sided p of Student's test that the mean is below a limit.

    Where all values are the same, t has no spread to divide by, and p is what it tends to: 0 below the limit,
    1 at or above it. For n < 2 both are NaN.
    """
    n = len(values)
    if n < 2:
        return nan, nan
    distance, spread = fmean(values) - limit, stdev(values)
    if spread == 0:
        return (-inf, 0.0) if distance < 0 else (inf, 1.0)
    t = distance / (spread / sqrt(n))
    return t, float(stdtr(n - 1, t))


def with_rejections(tests: Sequence[AnnotatorTest], q: float) -> tuple[AnnotatorTest, ...]:
    """Return the tests with those rejected that may be at a false discovery rate of `q`.

    Of m tests with a p-value, the r smallest are rejected for the greatest r whose p-value is at most
    q r / (m c), c the sum of 1 / i for i = 1 .. m.
    Source: Benjamini and Yekutieli, Annals of Statistics 29 (2001) 1165-1188.
    """
    ordered = sorted(test.p_value for test in tests if test.p_value is not None)
    m = len(ordered)
    dependence = sum(1 / i for i in range(1, m + 1))
    passing = [p for r, p in enumerate(ordered, 1) if p <= q * r / (m * dependence)]
    limit = max(passing, default=-inf)
    return tuple(replace(test, rejected=test.p_value is not None and test.p_value <= limit) for test in tests)


def winning_rate(tests: Sequence[AnnotatorTest]) -> Estimate:
    """Return omega, the share of annotators tested against whom the judge held; None without any."""
    rejected = [test.rejected for test in tests if test.p_value is not None]
    if not rejected:
        return Estimate(name="omega", value=None, n=0, method=_nobody())
    method = "share of annotators, Benjamini-Yekutieli"
    return Estimate(name="omega", value=fmean(rejected), n=len(rejected), method=method)


def advantage_probability(tests: Sequence[AnnotatorTest]) -> Estimate:
    """Return rho, how often the judge is at least as like the others as an annotator is; None without any.

    It is the mean over the annotators tested of the share of their items.
    """
    known = [test.advantage for test in tests if test.p_value is not None and test.advantage is not None]
    if not known:
        return Estimate(name="rho", value=None, n=0, method=_nobody())
    return Estimate(name="rho", value=fmean(known), n=len(known), method="mean over annotators")


def _nobody() -> str:
    return f"no annotator has {MIN_ITEMS} items that the judge and another annotator judged too"


def _winners(record: RunRecord, labels: Labels, epsilon: float) -> tuple[int, tuple[AnnotatorTest, ...]]:
    verdicts = (one for one in record.verdicts if one.decided_by is DecidedBy.JUDGE)
    judged = {one.item_id: one.winner for one in verdicts if one.winner is not None}
    given = {item_id: label.winners for item_id, label in labels.by_item.items()}
    return _n_items(judged, given), annotator_tests(judged, given, alike=share_agreeing, epsilon=epsilon)


def _scores(record: RunRecord, labels: Labels, epsilon: float) -> tuple[int, tuple[AnnotatorTest, ...]]:
    judged = {grade.item.id: grade.judged for grade in grades_of(record) if grade.judged is not None}
    given = {item_id: label.scores for item_id, label in labels.by_item.items()}
    return _n_items(judged, given), annotator_tests(judged, given, alike=closeness, epsilon=epsilon)


def _n_items(judged: Mapping[str, object], annotated: Mapping[str, Mapping[str, object]]) -> int:
    return sum(item_id in judged and len(by_name) > 1 for item_id, by_name in annotated.items())


def _cautions(record: RunRecord, n_items: int) -> Iterator[Caution]:
    n_open = sum(one.winner is None and one.failure is None for one in record.verdicts)
    yield from about_the_run(record.header, n_open + record.n_missing)
    if n_items < ENOUGH_ITEMS:
        yield Caution(kind=CautionKind.FEW_LABELS, value=n_items, limit=ENOUGH_ITEMS)


def _notes(record: RunRecord, labels: Labels, tests: Sequence[AnnotatorTest]) -> Iterator[str]:
    failed = {one.item_id for one in (record.verdicts or record.judgments.values()) if one.failure}
    n_failed = sum(item_id in labels.by_item for item_id in failed)
    if n_failed:
        yield f"{n_failed} labelled items on which the judge failed are left out"
    n_untested = sum(test.p_value is None for test in tests)
    if n_untested:
        yield f"{n_untested} of {len(tests)} annotators have too few items to be tested"
