"""Put all the statistics of a ranking together.

The item is the unit here too: what an item says about several models, in several orders, is one observation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from judgecli.analysis.cautions import (
    about_consistency,
    about_failures,
    about_mass,
    about_rules,
    about_size,
    about_the_run,
)
from judgecli.analysis.counts import count_flags, side_of
from judgecli.analysis.rank_joint import joint_counts, joint_result
from judgecli.analysis.rank_pairs import pairs_counts, pairs_result
from judgecli.analysis.soft import mean_over_judgments
from judgecli.types import Caution, CautionKind, Ranking, RankSummary, RunRecord, Side


def summary_of(record: RunRecord) -> RankSummary:
    """Return every number a report shows about a ranking."""
    is_joint = record.header.get("ranking") == Ranking.JOINT
    sides = sides_of(record)
    counts = joint_counts(record, len(sides)) if is_joint else pairs_counts(record)
    summary = RankSummary(
        cautions=(),
        flags=count_flags(record),
        ranking=Ranking.JOINT if is_joint else Ranking.PAIRS,
        counts=counts,
        mass=mean_over_judgments("mass", (one.mass for one in record.judgments.values())),
        p_unopened=mean_over_judgments("p_unopened", (one.p_unopened for one in record.judgments.values())),
        joint=joint_result(record, sides) if is_joint else None,
        pairs=None if is_joint else pairs_result(record, sides),
    )
    return replace(summary, cautions=tuple(_cautions(record, summary)))


def sides_of(record: RunRecord) -> list[Side]:
    """Describe each model's answers, in the order of their letters."""
    given = record.header.get("input")
    given = given if isinstance(given, Mapping) else {}
    names, files = _listed(record.header.get("models")), _listed(given.get("files"))
    n_models = min((len(item.responses) for item in record.items), default=max(len(names), len(files)))
    return [
        side_of(
            [item.responses[k] for item in record.items],
            name=names[k] if k < len(names) else None,
            file=files[k] if k < len(files) else None,
        )
        for k in range(n_models)
    ]


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def _cautions(record: RunRecord, summary: RankSummary) -> Iterator[Caution]:
    """Yield what a reader must know before the numbers, the gravest first."""
    counts, n = summary.counts, summary.counts.n_verdicts
    yield from about_the_run(record.header, counts.n_open)
    yield from about_mass(summary.mass, n=n)
    yield from about_rules(counts.n_by_rule, n=n)
    if summary.pairs is not None:
        yield from about_consistency(summary.pairs.position.consistency)
        if summary.pairs.fit.is_separated:
            yield Caution(kind=CautionKind.SEPARATION)
        n_items = summary.pairs.fit.n_items
    if summary.joint is not None:
        n_models = len(summary.joint.standings)
        if n and summary.joint.n_rotations < n_models:
            n_rotations = summary.joint.n_rotations
            yield Caution(kind=CautionKind.UNEVEN_SEATS, value=n_rotations, limit=n_models)
        n_items = n
    yield from about_failures(counts.n_failed, n=n)
    yield from about_size(CautionKind.FEW_ITEMS, n_items)
