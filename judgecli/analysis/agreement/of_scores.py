"""Put together how scores of single answers agree with labelled scores.

An empty answer, which a rule decides, counts with the lowest score of the scale.
"""

from __future__ import annotations

import numpy as np

from judgecli.analysis.agreement.annotators import annotators_of_scores
from judgecli.analysis.agreement.cautions import about_correlation, about_few, about_shared_instructions
from judgecli.analysis.agreement.correlations import score_agreement
from judgecli.analysis.agreement.matched import compared_of, refuse_nothing
from judgecli.analysis.by_unit import Units
from judgecli.analysis.cautions import about_failures, about_the_run
from judgecli.analysis.counts import count_flags
from judgecli.analysis.graded import Grade, grades_of
from judgecli.analysis.scales import read_scale
from judgecli.analysis.units import labelled_ids, unit_keys
from judgecli.types import AgreementSummary, Failure, Judgment, Labels, RunRecord


def agreement_of_scores(record: RunRecord, labels: Labels, *, group: str | None) -> AgreementSummary:
    """Return how the scores of a run that grades go with labelled ones.

    Raises:
        DataError: no item has a score, or a failure, and a label; or one has no field `group`.
    """
    units = unit_keys(record, labels, group)
    scale = read_scale(record.header)
    lowest = scale.low if scale else None
    grades = {grade.item.id: grade for grade in grades_of(record)}
    values = {item_id: grade.value(_score, lowest) for item_id, grade in grades.items()}
    judged = {item_id: value for item_id, value in values.items() if value is not None}
    failures = {item_id: failure for item_id, grade in grades.items() if (failure := _failure(grade))}
    wanted = {item_id: labels.by_item[item_id].score for item_id in labelled_ids(record, labels)}
    known = {item_id: score for item_id, score in wanted.items() if score is not None and item_id in judged}
    drawn = Units.of([units[item_id] for item_id in known], group)
    compared = compared_of(record, labels, judged, failures, drawn)
    refuse_nothing(record, labels, compared)
    rated = {item_id: judged.get(item_id) for item_id in wanted if item_id in judged or item_id in failures}
    scores = score_agreement(
        np.array([judged[item_id] for item_id in known], dtype=np.float64),
        np.array(list(known.values()), dtype=np.float64),
        drawn,
    )
    return AgreementSummary(
        cautions=(
            *about_the_run(record.header, compared.n_without_verdict),
            *about_correlation(scores.spearman),
            *about_failures(compared.n_failed, n=compared.n),
            *about_few(compared),
            *about_shared_instructions(record, tuple(known), group),
        ),
        flags=count_flags(record),
        kind=labels.kind,
        labels_file=labels.file,
        source=labels.source,
        compared=compared,
        annotators=annotators_of_scores(labels, rated, units, group),
        scores=scores,
        notes=labels.notes,
    )


def _score(judgment: Judgment) -> float | None:
    return judgment.scores.get("A")


def _failure(grade: Grade) -> Failure | None:
    return grade.judgment.failure if grade.judgment else None
