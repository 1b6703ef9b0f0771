"""The alternative annotator test: may the judge stand in for any one of the people who gave labels?

Against each annotator the judge is held to the labels of the others, and so is the annotator. People have the
benefit `epsilon` of the doubt: the judge costs less, so it may be as much worse. The unit is the item, or the
group of items that belong together, with the means over them.
Source: Calderon et al., The Alternative Annotator Test, ACL 2025 (arXiv 2501.10970).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf, nan, sqrt
from statistics import fmean, stdev
from typing import TypeVar

from scipy.special import stdtr

from judgecli.analysis.agreement.cautions import about_shared_instructions
from judgecli.analysis.cautions import about_the_run
from judgecli.analysis.graded import grades_of
from judgecli.analysis.units import unit_keys
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
MIN_ITEMS = 30  # of an annotator, or groups; under it the paper holds a t test to be out of place
ENOUGH_ITEMS = 50
MANY_ITEMS = 100  # under it few labels may be why a judge is not shown to hold
FALSE_DISCOVERY_RATE = 0.05
_PASS_SHARE = 0.5

_V = TypeVar("_V")


def validation_of(
    record: RunRecord, labels: Labels, *, epsilon: float, group: str | None = None
) -> ValidationSummary:
    """Test the judge against each annotator, over the items it judged that have two annotators or more.

    Where a rule decided there was no judge, so those items are left out, as are failed and open ones. Items
    with the same value in the field `group` are one unit.

    Raises:
        DataError: fewer than three annotators, no item that both the judge and two of them judged, or an item
            without the field `group`.
        UsageError: `epsilon` is not from 0 to under 1.
    """
    if not 0 <= epsilon < 1:
        raise UsageError(f"--epsilon must be from 0 to under 1, not {epsilon:g}; experts are given 0.2")
    if len(labels.annotators) < MIN_ANNOTATORS:
        found = f"{labels.file}: {len(labels.annotators) or 'no'} named annotators"
        raise DataError(f"{found}, and the test needs {MIN_ANNOTATORS} or more; `judge agree` needs but one")
    units = None if group is None else unit_keys(record, labels, group)
    compare = _scores if labels.kind is LabelKind.SCORES else _winners
    ids, tests = compare(record, labels, epsilon, units)
    if not ids:
        message = f"{labels.file}: no item has both a result of the judge and two annotators"
        raise DataError(f"{message}; check that the labels are of this run")
    tests = with_rejections(_with_reasons(tests, group), FALSE_DISCOVERY_RATE)
    omega = winning_rate(tests)
    n_units = len(ids) if units is None else len({units[item_id] for item_id in ids})
    return ValidationSummary(
        cautions=tuple(_cautions(record, ids, n_units, group)),
        labels_file=labels.file,
        epsilon=epsilon,
        q=FALSE_DISCOVERY_RATE,
        tests=tests,
        omega=omega,
        rho=advantage_probability(tests),
        passes=None if omega.value is None else omega.value >= _PASS_SHARE,
        n_items=len(ids),
        group=group,
        n_groups=None if group is None else n_units,
        notes=tuple(_notes(record, labels, tests, epsilon)),
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
    units: Mapping[str, str] | None = None,
) -> tuple[AnnotatorTest, ...]:
    """Return the test against each annotator, in alphabetical order; none is rejected yet.

    `judged` is what the judge says by item, `annotated` what people say, by item and annotator. `alike` says
    how like the others' labels one is, the greater the more. `units` has the unit of each item, None for the
    items themselves; one of several items counts once, with the means over them.
    """
    names = sorted({name for by_name in annotated.values() for name in by_name})
    items = compared_items(judged, annotated)
    tests = []
    for name in names:
        wins: dict[str, list[tuple[bool, bool]]] = {}
        for item_id in (item_id for item_id in items if name in annotated[item_id]):
            others = [label for other, label in annotated[item_id].items() if other != name]
            of_judge = alike(judged[item_id], others)
            of_annotator = alike(annotated[item_id][name], others)
            win = (of_judge >= of_annotator, of_annotator >= of_judge)
            wins.setdefault(units[item_id] if units else item_id, []).append(win)
        tests.append(_test(name, [_means(of_unit) for of_unit in wins.values()], epsilon))
    return tuple(tests)


def compared_items(
    judged: Mapping[str, object], annotated: Mapping[str, Mapping[str, object]]
) -> tuple[str, ...]:
    """Return the ids of the items that the judge and two annotators or more judged."""
    return tuple(item_id for item_id, by_name in annotated.items() if item_id in judged and len(by_name) > 1)


def _means(wins: Sequence[tuple[bool, bool]]) -> tuple[float, float]:
    return fmean(judge for judge, _ in wins), fmean(human for _, human in wins)


def _test(name: str, wins: Sequence[tuple[float, float]], epsilon: float) -> AnnotatorTest:
    """Return the test over units: how often in each the judge, and the annotator, is as like the others."""
    n = len(wins)
    if n < MIN_ITEMS:
        return AnnotatorTest(
            annotator=name, n=n, advantage=None, human_advantage=None, p_value=None, rejected=False
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


def _with_reasons(tests: Sequence[AnnotatorTest], group: str | None) -> Iterator[AnnotatorTest]:
    """Yield the tests, those that there are not with the reason why."""
    for test in tests:
        units = _counted(test.n, group)
        has_test = test.p_value is not None
        yield test if has_test else replace(test, reason=f"{units}, and the test needs {MIN_ITEMS}")


def _counted(n: int, group: str | None) -> str:
    return f"{n} item{'s' * (n != 1)}" if group is None else f"{n} group{'s' * (n != 1)} by {group}"


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


def with_rejections(tests: Iterable[AnnotatorTest], q: float) -> tuple[AnnotatorTest, ...]:
    """Return the tests with adjusted p-values, and those rejected that may be at a false discovery rate of q.

    Of m p-values the r-th smallest is adjusted to the least of p m c / s over the ranks s from r on, and to 1
    at most; c is the sum of 1 / i for i = 1 .. m. A test whose adjusted p-value is at most q is rejected.
    Source: Benjamini and Yekutieli, Annals of Statistics 29 (2001) 1165-1188.
    """
    given = tuple(tests)
    ordered = sorted(test.p_value for test in given if test.p_value is not None)
    m, least = len(ordered), 1.0
    dependence = sum(1 / i for i in range(1, m + 1))
    adjusted: dict[float, float] = {}
    for rank in range(m, 0, -1):
        p = ordered[rank - 1]
        least = min(least, p * m * dependence / rank)
        adjusted[p] = least
    return tuple(_adjusted(test, adjusted, q) for test in given)


def _adjusted(test: AnnotatorTest, adjusted: Mapping[float, float], q: float) -> AnnotatorTest:
    if test.p_value is None:
        return replace(test, rejected=False)
    p = adjusted[test.p_value]
    return replace(test, adjusted_p_value=p, rejected=p <= q)


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
    return f"no annotator has {MIN_ITEMS} items, or groups, that the judge and another annotator judged too"


def _winners(
    record: RunRecord, labels: Labels, epsilon: float, units: Mapping[str, str] | None
) -> tuple[tuple[str, ...], tuple[AnnotatorTest, ...]]:
    verdicts = (one for one in record.verdicts if one.decided_by is DecidedBy.JUDGE)
    judged = {one.item_id: one.winner for one in verdicts if one.winner is not None}
    given = {item_id: label.winners for item_id, label in labels.by_item.items()}
    tests = annotator_tests(judged, given, alike=share_agreeing, epsilon=epsilon, units=units)
    return compared_items(judged, given), tests


def _scores(
    record: RunRecord, labels: Labels, epsilon: float, units: Mapping[str, str] | None
) -> tuple[tuple[str, ...], tuple[AnnotatorTest, ...]]:
    judged = {grade.item.id: grade.judged for grade in grades_of(record) if grade.judged is not None}
    given = {item_id: label.scores for item_id, label in labels.by_item.items()}
    tests = annotator_tests(judged, given, alike=closeness, epsilon=epsilon, units=units)
    return compared_items(judged, given), tests


def _cautions(record: RunRecord, ids: Sequence[str], n_units: int, group: str | None) -> Iterator[Caution]:
    n_open = sum(one.winner is None and one.failure is None for one in record.verdicts)
    yield from about_the_run(record.header, n_open + record.n_missing)
    if n_units < ENOUGH_ITEMS:
        yield Caution(kind=CautionKind.FEW_LABELS, value=n_units, limit=ENOUGH_ITEMS)
    yield from about_shared_instructions(record, ids, group)


def _notes(
    record: RunRecord, labels: Labels, tests: Sequence[AnnotatorTest], epsilon: float
) -> Iterator[str]:
    """Yield how the labels were read, why a judge may not be shown to hold, and what is left out."""
    yield from labels.notes
    near = [test.annotator for test in tests if _is_near(test, epsilon)]
    if near:
        against = f"measured within epsilon of {', '.join(near)} and not shown to hold"
        yield f"{against}: under {MANY_ITEMS} labels, few may be the reason; label more to tell"
    failed = {one.item_id for one in (record.verdicts or record.judgments.values()) if one.failure}
    n_failed = sum(item_id in labels.by_item for item_id in failed)
    if n_failed:
        yield f"left out: {n_failed} labelled item{'s' * (n_failed > 1)} on which the judge failed"
    n_untested = sum(test.p_value is None for test in tests)
    if n_untested:
        yield f"too few items to be tested: {n_untested} of {len(tests)} annotators"


def _is_near(test: AnnotatorTest, epsilon: float) -> bool:
    """Whether the judge is measured to be no worse than it may be, on few labels, and not shown to be."""
    if test.advantage is None or test.human_advantage is None or test.rejected:
        return False
    return test.n < MANY_ITEMS and test.human_advantage - test.advantage < epsilon
