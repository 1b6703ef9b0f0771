"""What length does to a judge: which answers it is for, and where it is right."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from judgecli.analysis.agreement.baselines import longer_of
from judgecli.analysis.agreement.matched import Matched
from judgecli.analysis.by_unit import Mask, share_by_unit
from judgecli.types import DecidedBy, Estimate, LengthEffect, RunRecord, Verdict

_NONE = "no item of two lengths decided by both label and judge"


def length_effect(
    record: RunRecord, matched: Matched, verdicts: Mapping[str, Verdict]
) -> LengthEffect | None:
    """Return how the judge and the labels go with length; None where items carry no answers.

    Over items that the judge, not a rule, decided, whose answers differ in characters, and where neither
    label nor verdict is a tie. What the labels are for is what an unbiased judge would be for.
    """
    items = {item.id: item for item in record.items}
    judged = matched.among(i for i in matched.ids if verdicts[i].decided_by is DecidedBy.JUDGE)
    longer = longer_of(items, judged.ids)
    if longer is None or not matched.ids:
        return None
    where = judged.both_decided & (longer != 1)
    compared, longer = judged.only(where), longer[where]
    is_longer_right = compared.labels == longer

    def share_of(name: str, hits: Mask, among: Mask | None = None) -> Estimate:
        of = np.ones(len(hits), dtype=bool) if among is None else among
        return share_by_unit(name, hits[of], compared.units.only(of), absent=_NONE)

    return LengthEffect(
        judge_longer=share_of("judge_longer", compared.verdicts == longer),
        labels_longer=share_of("labels_longer", is_longer_right),
        when_longer_right=share_of("when_longer_right", compared.is_right, is_longer_right),
        when_shorter_right=share_of("when_shorter_right", compared.is_right, ~is_longer_right),
    )
