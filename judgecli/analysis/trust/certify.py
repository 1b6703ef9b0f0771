"""From what confidence on verdicts agree with people in a guaranteed share: fixed-sequence testing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import betaincinv

from judgecli.types import Step

# 0.99, 0.975, 0.95, ... 0.35: fixed before any label is seen, on which the guarantee rests. The lowest is
# just above 1/3, the confidence that says nothing of three outcomes. In simulations steps of 0.025 kept more
# verdicts than steps of 0.01: every test more is one more at which to stop.
GRID = (0.99, *((1000 - 25 * step) / 1000 for step in range(1, 27)))
MIN_ITEMS = 30


def risk_bound(k: int, n: int, delta: float) -> float:
    """Return Clopper and Pearson's upper bound on a risk, of which `k` of `n` items had it.

    It is the highest risk at which k or fewer are as probable as `delta`: the truth lies above it with
    probability `delta` at most. Where all had it, and for n = 0, it is 1.

    Source: Clopper and Pearson, Biometrika 26 (1934) 404-413.
    """
    if k >= n:
        return 1.0
    return float(betaincinv(k + 1, n - k, 1 - delta))


def fixed_sequence(
    confidences: Sequence[float], wrong: Sequence[bool], *, agree: float, confidence: float
) -> tuple[Step, ...]:
    """Test the thresholds of `GRID` from the highest down, until one fails; the last to pass is certified.

    A threshold passes if the verdicts at or above it, of which `wrong` says whether they differ from the
    label, have a bound on the risk of 1 - `agree` at most. Those with fewer than `MIN_ITEMS` such verdicts
    are skipped. No correction for many tests is due: none is made after the first failure. For n = 0 there
    are no steps.

    Source: Jung et al., Trust or Escalate, ICLR 2025 (arXiv 2407.18370), with integer counts.
    """
    held, errors = np.asarray(confidences, dtype=np.float64), np.asarray(wrong, dtype=np.bool_)
    steps: list[Step] = []
    for threshold in GRID:
        at_or_above = held >= threshold
        n, k = int(at_or_above.sum()), int(errors[at_or_above].sum())
        if n < MIN_ITEMS:
            continue
        bound = risk_bound(k, n, 1 - confidence)
        steps.append(Step(threshold=threshold, n=n, k=k, bound=bound, passed=bound <= 1 - agree))
        if not steps[-1].passed:
            break
    return tuple(steps)


def certified(steps: Sequence[Step]) -> float | None:
    """Return the lowest threshold that passed; None where none did, never the highest for want of one."""
    return min((step.threshold for step in steps if step.passed), default=None)
