"""Put together how a judge agrees with labels.

Verdicts that a rule gave count in the agreement as the tool's own, and not in what is said about orders,
seats and lengths. A failure is no verdict: what it would make of the agreement stands beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from judgecli.analysis.agreement.annotators import annotators_of_winners
from judgecli.analysis.agreement.baselines import baselines
from judgecli.analysis.agreement.cautions import about_baselines, about_few, about_shared_instructions
from judgecli.analysis.agreement.confusion import NO_ITEMS, agreement_of_items
from judgecli.analysis.agreement.length_effect import length_effect
from judgecli.analysis.agreement.matched import Matched, compared_of, refuse_nothing
from judgecli.analysis.agreement.of_scores import agreement_of_scores
from judgecli.analysis.agreement.order_agreement import by_order
from judgecli.analysis.agreement.risk_coverage import error_rankings
from judgecli.analysis.agreement.stages import splits, stages
from judgecli.analysis.by_unit import share_by_unit
from judgecli.analysis.cautions import about_consistency, about_failures, about_the_orders, about_the_run
from judgecli.analysis.counts import count_flags
from judgecli.analysis.position import position
from judgecli.analysis.reliability import reliability
from judgecli.analysis.trusted import settled
from judgecli.analysis.units import field_values, labelled_ids, unit_keys
from judgecli.errors import DataError
from judgecli.types import (
    Agreement,
    AgreementSummary,
    Baseline,
    Caution,
    Compared,
    Estimate,
    Failure,
    LabelKind,
    Labels,
    NamedAgreement,
    Position,
    RunRecord,
    Verdict,
    Winner,
)


def agreement_of(
    record: RunRecord,
    labels: Labels,
    *,
    by: str | None = None,
    group: str | None = None,
    failures_as_ties: bool = False,
) -> AgreementSummary:
    """Return how the verdicts, or scores, of a run agree with labels.

    Intervals are over items, or over the groups that the field `group` makes; `by` is a field to split by.
    `failures_as_ties` says which of the two agreements a report is to lead with.

    Raises:
        DataError: run and labels do not fit or have no item in common, or an item has no such field.
    """
    _check_kind(record, labels, by)
    if labels.kind is LabelKind.SCORES:
        return agreement_of_scores(record, labels, group=group)
    given = _Given.of(record, labels, group)
    matched, compared = given.matched, given.compared
    refuse_nothing(record, labels, compared)
    seats = _position(record, given)
    beside = baselines(record, matched)
    return AgreementSummary(
        cautions=_cautions(record, given, _consistency(record, given, seats), beside),
        flags=count_flags(record),
        kind=labels.kind,
        labels_file=labels.file,
        source=labels.source,
        compared=compared,
        annotators=annotators_of_winners(labels, given.rated, given.units, group),
        agreement=agreement_of_items(matched),
        failures_as_ties=_failures_as_ties(given),
        leads_with_ties=failures_as_ties and compared.n_failed > 0,
        failures_wrong=_failures_wrong(given),
        by_order=by_order(record, given.first_matched, given.first),
        position=seats,
        lengths=length_effect(record, matched, given.verdicts),
        baselines=beside,
        splits_by=by,
        splits=_splits(record, labels, given, by),
        stages=tuple(stages(record, matched, given.verdicts)),
        rankings=error_rankings(record, labels, group),
        reliability=reliability(record, labels),
        notes=labels.notes,
    )


@dataclass(frozen=True, slots=True)
class _Given:
    """What a run and labels say of the same items: winners by id, and failures of items with a label.

    `first` are the run's own judge's verdicts, whether or not a stronger one was asked.
    """

    group: str | None
    units: Mapping[str, str]
    verdicts: Mapping[str, Verdict]
    first: Mapping[str, Verdict]
    labels: Mapping[str, Winner]
    judged: Mapping[str, Winner]
    failures: Mapping[str, Failure]
    rated: Mapping[str, Winner | None]
    matched: Matched
    compared: Compared

    @classmethod
    def of(cls, record: RunRecord, labels: Labels, group: str | None) -> _Given:
        units = unit_keys(record, labels, group)
        verdicts = {verdict.item_id: verdict for verdict in record.verdicts}
        judged = {item_id: one.winner for item_id, one in verdicts.items() if one.winner}
        failures = {item_id: one.failure for item_id, one in verdicts.items() if one.failure}
        in_run = list(labelled_ids(record, labels))
        known = {i: winner for i in in_run if (winner := labels.by_item[i].winner)}
        matched = Matched.of(known, judged, units, group)
        return cls(
            group=group,
            units=units,
            verdicts=verdicts,
            first=record.first_verdicts or verdicts,
            labels=known,
            judged=judged,
            failures={item_id: kind for item_id, kind in failures.items() if item_id in known},
            rated={i: judged.get(i) for i in in_run if i in judged or i in failures},
            matched=matched,
            compared=compared_of(record, labels, judged, failures, matched.units),
        )

    @property
    def first_matched(self) -> Matched:
        """The items with a verdict of the run's own judge, with it.

        Where a stronger judge has not answered, or failed, there is no other verdict; those are the doubtful
        ones, without which the first judge would seem better than it is.
        """
        judged = {item_id: one.winner for item_id, one in self.first.items() if one.winner}
        return Matched.of(self.labels, judged, self.units, self.group)

    @property
    def with_failures_as_ties(self) -> Matched:
        """The compared items and the failed ones, each of these a tie."""
        ties = dict.fromkeys(self.failures, Winner.TIE)
        return Matched.of(self.labels, {**self.judged, **ties}, self.units, self.group)


def _check_kind(record: RunRecord, labels: Labels, by: str | None) -> None:
    mode = record.header.get("mode", "pair")
    if mode == "rank":
        raise DataError("a ranking has no one verdict an item; give a run of judge pair or of judge grade")
    if mode == "grade" and labels.kind is LabelKind.WINNERS:
        raise DataError(
            f"{labels.file}: its labels say which of two answers is better, and the run graded single ones; "
            "give labels with scores"
        )
    if mode != "grade" and labels.kind is LabelKind.SCORES:
        raise DataError(
            f"{labels.file}: its labels are scores of single answers, and the run compared two; "
            "give labels with winners"
        )
    if by is not None and labels.kind is LabelKind.SCORES:
        raise DataError(f"--by {by}: agreement with scores is not split; leave it out")


def _cautions(
    record: RunRecord, given: _Given, consistency: Estimate | None, beside: tuple[Baseline, ...]
) -> tuple[Caution, ...]:
    """Return what a reader must know before the numbers, the gravest first."""
    compared = given.compared
    return (
        *about_the_run(record.header, compared.n_without_verdict),
        *about_baselines(beside),
        *about_the_orders(record.header),
        *(about_consistency(consistency) if consistency else ()),
        *about_failures(compared.n_failed, n=compared.n),
        *about_few(compared),
        *about_shared_instructions(record, given.matched.ids, given.group),
    )


def _position(record: RunRecord, given: _Given) -> Position | None:
    """Return the run's own judge's statistics of the seats, over its labelled items.

    None where there are only verdicts, made elsewhere, and not those of each order.
    """
    if not record.judgments:
        return None
    return position(record, tuple(given.first[item_id] for item_id in given.first_matched.ids))


def _consistency(record: RunRecord, given: _Given, seats: Position | None) -> Estimate | None:
    """Return how many of the compared verdicts do not depend on the order: a stronger judge settles some."""
    if not record.first_verdicts:
        return seats.consistency if seats else None
    compared = tuple(given.verdicts[item_id] for item_id in given.matched.ids)
    return settled(replace(record, verdicts=compared))


def _failures_as_ties(given: _Given) -> Agreement | None:
    return agreement_of_items(given.with_failures_as_ties) if given.failures else None


def _failures_wrong(given: _Given) -> Estimate | None:
    if not given.failures:
        return None
    every = given.with_failures_as_ties
    has_verdict = np.array([item_id in given.judged for item_id in every.ids], dtype=bool)
    return share_by_unit("failures_wrong", every.is_right & has_verdict, every.units, absent=NO_ITEMS)


def _splits(record: RunRecord, labels: Labels, given: _Given, by: str | None) -> tuple[NamedAgreement, ...]:
    if by is None:
        return ()
    return tuple(splits(given.matched, field_values(record, labels, by, option="--by")))
