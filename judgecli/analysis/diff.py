"""What changed between two runs over the same items: the same judge on two versions, or two judges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from judgecli.analysis.agreement.confusion import agreement_of_items
from judgecli.analysis.agreement.matched import Matched
from judgecli.analysis.by_unit import difference_by_unit
from judgecli.analysis.cautions import about_size
from judgecli.analysis.counts import count
from judgecli.analysis.judged import POINTS
from judgecli.analysis.winrate import win_rate
from judgecli.types import (
    Caution,
    CautionKind,
    Change,
    DiffSummary,
    Estimate,
    Item,
    Response,
    RunRecord,
    Verdict,
    Winner,
    calibrated_judge,
)

NONE_IN_BOTH = "no item with a verdict in both runs"
ONE_CLASS = "the verdicts of both runs are all the same: no agreement beyond chance to measure"
_MAX_NOT_SHARED = 0.2  # of all items of either run


def difference_of(first: RunRecord, second: RunRecord, names: tuple[str, str]) -> DiffSummary:
    """Return what changed from the first run to the second, over the items of both by their ids.

    `names` are what the two are called. Without an item that has a verdict in both, every value is None.
    """
    changes = tuple(_changes(first, second))
    before = {one.before.item_id: one.before for one in changes}
    after = {one.after.item_id: one.after for one in changes}
    won_before, won_after = _winners(before.values()), _winners(after.values())
    matched = Matched.of(won_before, won_after, {item_id: item_id for item_id in before}, None)
    agreed, ids = agreement_of_items(matched), matched.ids
    steps = np.array([POINTS[won_after[one]] - POINTS[won_before[one]] for one in ids], dtype=np.float64)
    ends = [(_came_to(one.before), _came_to(one.after)) for one in changes]
    only_first, only_second = _not_shared(first, second), _not_shared(second, first)
    n_all = len(changes) + len(only_first) + len(only_second)
    has_same_judge = _judge(first) == _judge(second)
    has_same_answers = all(one.is_same_input for one in changes)
    return DiffSummary(
        cautions=(
            *_confounded(has_same_judge, has_same_answers),
            *_about_sharing(n_all - len(changes), n_all),
            *about_size(CautionKind.FEW_PAIRS, len(ids)),
        ),
        names=names,
        first=first,
        changes=changes,
        table=(agreed.table[0], agreed.table[1], agreed.table[2]),
        n_only_first=ends.count(("verdict", "failure")),
        n_only_second=ends.count(("failure", "verdict")),
        n_both_failed=ends.count(("failure", "failure")),
        n_open=sum("open" in end for end in ends),
        only_first=only_first,
        only_second=only_second,
        rate_first=win_rate(count(first, [before[one] for one in ids])),
        rate_second=win_rate(count(second, [after[one] for one in ids])),
        difference=difference_by_unit("difference", steps, matched.units, absent=NONE_IN_BOTH),
        agreement=_said(agreed.accuracy, "agreement", NONE_IN_BOTH),
        kappa=_said(agreed.kappa, "kappa", ONE_CLASS if ids else NONE_IN_BOTH),
        same_judge=has_same_judge,
        same_answers=has_same_answers,
    )


def _changes(first: RunRecord, second: RunRecord) -> Iterator[Change]:
    items = {item.id: item for item in first.items}
    before = {verdict.item_id: verdict for verdict in first.verdicts}
    later = {item.id: item for item in second.items}
    for after in second.verdicts:
        old, new = items.get(after.item_id), later.get(after.item_id)
        if old is None or new is None or after.item_id not in before:
            continue
        yield Change(
            first=old,
            second=new,
            before=before[after.item_id],
            after=after,
            same_question=_asked(old) == _asked(new),
            same_a=_text(old.response_a) == _text(new.response_a),
            same_b=_text(old.response_b) == _text(new.response_b),
        )


def _judge(record: RunRecord) -> dict[str, Any]:
    """Return what makes a judge: where its weights are known, not what they are called."""
    judge = calibrated_judge(record.header)
    return {**judge, "name": None} if judge["sha256"] else judge


def _asked(item: Item) -> tuple[object, ...]:
    return item.instruction, item.input, item.reference, item.earlier_instructions, item.earlier_references


def _text(response: Response) -> tuple[object, ...]:
    return response.output, response.earlier_outputs


def _not_shared(run: RunRecord, other: RunRecord) -> tuple[str, ...]:
    known = {item.id for item in other.items}
    return tuple(item.id for item in run.items if item.id not in known)


def _winners(verdicts: Iterable[Verdict]) -> dict[str, Winner]:
    return {one.item_id: one.winner for one in verdicts if one.winner is not None}


def _came_to(verdict: Verdict) -> str:
    if verdict.failure is not None:
        return "failure"
    return "open" if verdict.winner is None else "verdict"


def _said(estimate: Estimate, name: str, absent: str) -> Estimate:
    """Return an estimate under another name, and where it has no value with the reason that fits two runs."""
    return replace(estimate, name=name, method=absent if estimate.value is None else estimate.method)


def _confounded(has_same_judge: bool, has_same_answers: bool) -> Iterator[Caution]:
    if not has_same_judge and not has_same_answers:
        yield Caution(kind=CautionKind.OTHER_JUDGE_AND_ANSWERS)


def _about_sharing(n_not_shared: int, n_all: int) -> Iterator[Caution]:
    if n_not_shared > _MAX_NOT_SHARED * n_all:
        yield Caution(kind=CautionKind.NOT_SHARED, value=n_not_shared / n_all, limit=_MAX_NOT_SHARED)
