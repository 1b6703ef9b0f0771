"""Fit a calibration to labels: a temperature on one half of the items, a certified threshold on the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from judgecli.analysis.agreement.baselines import baselines
from judgecli.analysis.agreement.cautions import about_baselines
from judgecli.analysis.agreement.confusion import NO_ITEMS
from judgecli.analysis.agreement.matched import Matched
from judgecli.analysis.by_unit import share_by_unit
from judgecli.analysis.cautions import about_the_run
from judgecli.analysis.intervals import share
from judgecli.analysis.judged import check_winners, first_judge_verdicts, labelled_verdicts
from judgecli.analysis.trust.certify import MIN_ITEMS, certified, fixed_sequence
from judgecli.analysis.trust.probability_scores import probability_scores
from judgecli.analysis.trust.temperature import Probabilities, best_temperature
from judgecli.analysis.units import INSTRUCTION, instructions, unit_keys
from judgecli.errors import DataError, UsageError
from judgecli.types import (
    Baseline,
    Calibration,
    CalibrationSummary,
    Caution,
    CautionKind,
    Estimate,
    Labels,
    RunRecord,
    Step,
    Verdict,
    Winner,
    calibrated_judge,
    tempered,
)

MIN_LABELS = 2 * MIN_ITEMS  # the half that certifies must do for one step
ENOUGH_LABELS = 200
_OUTCOMES = (Winner.A, Winner.TIE, Winner.B)


def calibration_of(
    record: RunRecord,
    labels: Labels,
    *,
    agree: float,
    confidence: float,
    group: str | None = None,
    seed: int = 0,
) -> CalibrationSummary:
    """Fit a temperature and certify a threshold for the run's own judge.

    Items count that the judge decided, with probabilities and a label. `seed` draws the half that the
    temperature is fitted on, and with a field `group` the one item of each group that is used: items that
    share something are not independent, and the guarantee needs that they are.

    Raises:
        DataError: there are no probabilities or too few labels, or items share an instruction.
        UsageError: `agree` or `confidence` is not between 0 and 1.
    """
    _check_share("--agree", agree)
    _check_share("--confidence", confidence)
    check_winners(labels, "a calibration")
    known = _with_probabilities(record, labels)
    items = _drawn(known, unit_keys(record, labels, group), seed)
    _check_items(record, labels, items, group)
    fit, test = items[: len(items) // 2], items[len(items) // 2 :]
    temperature = best_temperature(_probabilities(fit), _places(fit))
    steps = _steps(test, temperature, agree=agree, confidence=confidence)
    threshold = certified(steps)
    matched = _matched(items)
    beside = baselines(record, matched)
    return CalibrationSummary(
        cautions=tuple(_cautions(record, len(items), threshold, beside)),
        labels_file=labels.file,
        calibration=Calibration(
            temperature=temperature,
            threshold=threshold,
            agree=agree,
            confidence=confidence,
            judge=calibrated_judge(record.header),
        ),
        n_fit=len(fit),
        n_test=len(test),
        before=probability_scores(_probabilities(test), _places(test)),
        after=probability_scores([tempered(one.p, temperature) for one in test], _places(test)),
        steps=steps,
        coverage=coverage_of(steps, len(test)),
        agreement=agreement_of_trusted(steps),
        accuracy=share_by_unit("accuracy", matched.is_right, matched.units, absent=NO_ITEMS),
        baselines=beside,
        group=group,
        n_left_out=len(known) - len(items),
        notes=tuple(_notes(record, labels, len(known))),
    )


def coverage_of(steps: Sequence[Step], n_test: int) -> Estimate:
    """Return the share of the test items at or above the certified threshold, 0 where none is."""
    n = next((step.n for step in reversed(steps) if step.passed), 0)
    return share("coverage", n, n_test, absent="no test items")


def agreement_of_trusted(steps: Sequence[Step]) -> Estimate:
    """Return how many of the verdicts at or above the certified threshold agree; None where none is.

    It is over the items that the threshold was chosen on, and so rather too high; the guarantee is not.
    """
    step = next((step for step in reversed(steps) if step.passed), None)
    if step is None:
        return Estimate(name="agreement", value=None, n=0, method="no threshold is certified")
    found = share("agreement", step.n - step.k, step.n, absent="")
    return replace(found, method=f"{found.method}, over the items that certified it")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Item:
    """What the judge and people say of an item; `p` are the judge's own, of A, tie and B."""

    item_id: str
    p: Probabilities
    said: Winner
    label: Winner


def _check_share(option: str, value: float) -> None:
    if not 0 < value < 1:
        raise UsageError(f"{option} must be between 0 and 1, not {value:g}")


def _with_probabilities(record: RunRecord, labels: Labels) -> list[_Item]:
    """Return the labelled items with a verdict and its probabilities, by id whatever the run's order.

    Raises:
        DataError: no verdict of the run has probabilities.
    """
    if all(verdict.p_a is None for verdict in first_judge_verdicts(record)):
        message = "the run has no probabilities of its verdicts, which is what a calibration is of"
        raise DataError(f"{message}; judge with weights, or with an endpoint that gives token logprobs")
    items = []
    for one in labelled_verdicts(record, labels):
        p = _own_probabilities(one.verdict, record.header)
        if p is not None:
            items.append(_Item(item_id=one.verdict.item_id, p=p, said=one.winner, label=one.label))
    return sorted(items, key=lambda item: item.item_id)


def _own_probabilities(verdict: Verdict, header: Mapping[str, Any]) -> Probabilities | None:
    """Return the judge's probabilities as they were before a calibration of the run changed them."""
    if verdict.p_a is None or verdict.p_tie is None or verdict.p_b is None:
        return None
    p = (verdict.p_a, verdict.p_tie, verdict.p_b)
    applied = header.get("calibration")
    temperature = applied.get("temperature") if isinstance(applied, Mapping) else None
    return tempered(p, 1 / temperature) if isinstance(temperature, int | float) else p


def _drawn(items: Sequence[_Item], units: Mapping[str, str], seed: int) -> list[_Item]:
    """Return one item of each unit, in an order drawn by the seed."""
    by_unit: dict[str, _Item] = {}
    for item in Random(seed).sample(items, len(items)):  # noqa: S311 - nobody is to be kept from guessing it
        by_unit.setdefault(units[item.item_id], item)
    return list(by_unit.values())


def _check_items(record: RunRecord, labels: Labels, items: Sequence[_Item], group: str | None) -> None:
    """Refuse items that are not independent, or too few.

    Raises:
        DataError: two share an instruction, or they are under `MIN_LABELS`.
    """
    shown = instructions(record, (item.item_id for item in items))
    n_instructions = len(set(shown))
    if n_instructions < len(shown):
        found = f"{labels.file}: the {len(shown)} labelled items have {n_instructions} instructions"
        message = f"{found}, and the guarantee needs items that are independent"
        raise DataError(f"{message}; use one of each with --group {INSTRUCTION}")
    if len(items) < MIN_LABELS:
        kind = (
            "labelled verdicts with probabilities" if group is None else f"groups by {group} with such items"
        )
        message = f"{labels.file}: {len(items)} {kind}, and a calibration needs {MIN_LABELS}"
        raise DataError(f"{message}; label more items of the run")


def _matched(items: Sequence[_Item]) -> Matched:
    """Return verdicts and labels side by side; the items are independent, each a unit."""
    labels = {item.item_id: item.label for item in items}
    return Matched.of(
        labels, {item.item_id: item.said for item in items}, {item_id: item_id for item_id in labels}, None
    )


def _probabilities(items: Sequence[_Item]) -> list[Probabilities]:
    return [item.p for item in items]


def _places(items: Sequence[_Item]) -> list[int]:
    """Return where the labels are in the probabilities."""
    return [_OUTCOMES.index(item.label) for item in items]


def _steps(
    items: Sequence[_Item], temperature: float, *, agree: float, confidence: float
) -> tuple[Step, ...]:
    """Test thresholds on the tempered probability of the verdict, which need not be the greatest one."""
    return fixed_sequence(
        [tempered(item.p, temperature)[_OUTCOMES.index(item.said)] for item in items],
        [item.said is not item.label for item in items],
        agree=agree,
        confidence=confidence,
    )


def _cautions(
    record: RunRecord, n: int, threshold: float | None, beside: Sequence[Baseline]
) -> Iterator[Caution]:
    n_open = sum(one.winner is None and one.failure is None for one in first_judge_verdicts(record))
    yield from about_the_run(record.header, n_open + record.n_missing)
    yield from about_baselines(beside)
    if n < ENOUGH_LABELS:
        yield Caution(kind=CautionKind.FEW_LABELS, value=n, limit=ENOUGH_LABELS)
    if threshold is None:
        yield Caution(kind=CautionKind.NOTHING_CERTIFIED)


def _notes(record: RunRecord, labels: Labels, n_known: int) -> Iterator[str]:
    """Yield how the labels were read, and what was left out of the labelled items."""
    yield from labels.notes
    n_without = sum(1 for _ in labelled_verdicts(record, labels)) - n_known
    if n_without:
        yield f"left out: {n_without} labelled verdict{'s' * (n_without > 1)} without probabilities"
    failed = [one for one in first_judge_verdicts(record) if one.failure is not None]
    n_failed = sum(one.item_id in labels.by_item for one in failed)
    if n_failed:
        yield f"left out: {n_failed} labelled item{'s' * (n_failed > 1)} on which the judge failed"
