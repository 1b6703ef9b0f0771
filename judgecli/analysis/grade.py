"""Put the statistics of a run together that grades one answer at a time.

Answers that a rule decided count in the mean, the median, the share and the soft reading. The histogram and
the shares of single scores are the judge's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from judgecli.analysis.cautions import about_failures, about_mass, about_rules, about_size, about_the_run
from judgecli.analysis.counts import count_flags, side_of
from judgecli.analysis.graded import Grade, count, grades_of
from judgecli.analysis.scales import histogram, read_scale
from judgecli.analysis.scores import (
    distributions_of,
    expected_score,
    label_probability,
    label_share,
    length_correlation,
    mean_score,
    median_score,
    most_common,
    share_at,
)
from judgecli.analysis.soft import mean_over_judgments
from judgecli.types import (
    Caution,
    CautionKind,
    Estimate,
    GradeCounts,
    GradeSplit,
    GradeSummary,
    RunRecord,
    Scale,
    Side,
)

MAX_SHARE_OF_ONE_SCORE = 0.80
MAX_PARTS = 12  # of a split by metadata; more would be a table of single answers
MIN_A_PART = 2  # answers on average; a table of single answers says nothing
_MIN_FOR_ONE_SCORE = 5
_SPLIT_BY = ("category", "group", "capability")


def summary_of(record: RunRecord) -> GradeSummary:
    """Return every number a report shows about a run that grades."""
    grades, scale = list(grades_of(record)), read_scale(record.header)
    counts = count(record, grades)
    scores = [grade.judged for grade in grades if grade.judged is not None]
    mass = mean_over_judgments("mass", (judgment.mass for judgment in record.judgments.values()))
    common = most_common(scores)
    return GradeSummary(
        cautions=_cautions(record.header, counts, mass, common, scale),
        flags=count_flags(record),
        scale=scale,
        counts=counts,
        side=_side(record),
        mean=mean_score(grades, scale),
        median=median_score(grades, scale),
        expected=expected_score(grades, scale),
        label_share=label_share(grades, scale),
        label_probability=label_probability(grades, scale),
        at_lowest=share_at("at_lowest", scores, scale.low if scale else None),
        at_highest=share_at("at_highest", scores, scale.high if scale else None),
        most_common=common,
        histogram=histogram(scale, scores, list(distributions_of(grades))),
        mass=mass,
        p_unopened=mean_over_judgments("p_unopened", (one.p_unopened for one in record.judgments.values())),
        length_correlation=length_correlation(grades),
        by_metadata=tuple(_by_metadata(grades, scale)),
        by_reference=tuple(_by_reference(grades, scale)),
    )


def _side(record: RunRecord) -> Side:
    given = record.header.get("input")
    given = given if isinstance(given, Mapping) else {}
    answers = [item.response_a for item in record.items]
    return side_of(answers, name=_only(given.get("models")), file=_only(given.get("files")))


def _only(names: Any) -> Any:
    return names[0] if isinstance(names, list | tuple) and names else None


def _cautions(
    header: Mapping[str, Any], counts: GradeCounts, mass: Estimate, common: Estimate, scale: Scale | None
) -> tuple[Caution, ...]:
    n = counts.n_scores
    return (
        *about_the_run(header, counts.n_open),
        *about_mass(mass, n=n),
        *about_rules(counts.n_by_rule, n=n),
        *_about_one_score(common, scale),
        *about_failures(counts.n_failed, n=n),
        *about_size(CautionKind.FEW_ITEMS, n),
    )


def _about_one_score(common: Estimate, scale: Scale | None) -> Iterator[Caution]:
    """Yield a caution where nearly all answers have one score: the scale does not tell them apart."""
    value, limit = common.value, MAX_SHARE_OF_ONE_SCORE
    if scale and not scale.labels and value is not None and value > limit and common.n >= _MIN_FOR_ONE_SCORE:
        yield Caution(kind=CautionKind.ONE_SCORE, value=value, limit=limit)


def _by_metadata(grades: Sequence[Grade], scale: Scale | None) -> Iterator[GradeSplit]:
    """Yield a result for each value of what groups the answers; one may have several values."""
    for name in _SPLIT_BY:
        found = [(grade, _labels(grade.item.metadata.get(name))) for grade in grades]
        known = sorted(set(chain.from_iterable(labels for _, labels in found)))
        if 1 < len(known) <= MAX_PARTS and len(grades) >= MIN_A_PART * len(known):
            for value in known:
                yield _split(name, value, [grade for grade, labels in found if value in labels], scale)


def _labels(value: Any) -> tuple[str, ...]:
    if isinstance(value, list | tuple):
        return tuple(map(str, value))
    return () if value is None else (str(value),)


def _by_reference(grades: Sequence[Grade], scale: Scale | None) -> Iterator[GradeSplit]:
    parts = {
        "with": [grade for grade in grades if grade.item.reference is not None],
        "without": [grade for grade in grades if grade.item.reference is None],
    }
    if all(parts.values()):
        yield from (_split("reference", value, part, scale) for value, part in parts.items())


def _split(name: str, value: str, grades: Sequence[Grade], scale: Scale | None) -> GradeSplit:
    n_failed = sum(grade.judgment is not None and grade.judgment.failure is not None for grade in grades)
    result = label_share(grades, scale) if scale and scale.labels else mean_score(grades, scale)
    return GradeSplit(name=name, value=value, n_failed=n_failed, result=result)
