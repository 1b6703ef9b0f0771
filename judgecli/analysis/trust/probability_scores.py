"""How good probabilities are, on items whose outcome is known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from judgecli.analysis.trust.temperature import Probabilities, negative_log_likelihood
from judgecli.types import ProbabilityScores

N_BINS = 10
# Of 50 labels a perfectly calibrated judge has a calibration error of 0.13 on average: it is biased upwards.
MIN_FOR_CALIBRATION_ERROR = 300


def probability_scores(probabilities: Sequence[Probabilities], outcomes: Sequence[int]) -> ProbabilityScores:
    """Return all scores of the probabilities; `outcomes` are the places of the labels in them."""
    n = len(outcomes)
    return ProbabilityScores(
        n=n,
        brier=brier_score(probabilities, outcomes),
        nll=negative_log_likelihood(probabilities, outcomes),
        ece=calibration_error(probabilities, outcomes) if n >= MIN_FOR_CALIBRATION_ERROR else None,
    )


def brier_score(probabilities: Sequence[Probabilities], outcomes: Sequence[int]) -> float | None:
    """Return the mean over items of the sum over outcomes of (p - [it is the label])^2, 0 to 2.

    None for n = 0. Source: Brier, Monthly Weather Review 78 (1950) 1-3, the form for several outcomes.
    """
    if not outcomes:
        return None
    p = np.asarray(probabilities)
    hit = np.eye(p.shape[1])[np.asarray(outcomes)]
    return float(((p - hit) ** 2).sum(axis=1).mean())


def calibration_error(probabilities: Sequence[Probabilities], outcomes: Sequence[int]) -> float | None:
    """Return the expected calibration error over ten bins of equal width of the greatest probability.

    It is the mean over items of |accuracy - mean probability| of their bin; None for n = 0.
    Source: Guo et al., On Calibration of Modern Neural Networks, ICML 2017 (arXiv 1706.04599).
    """
    if not outcomes:
        return None
    p = np.asarray(probabilities)
    greatest = p.max(axis=1)
    right = p.argmax(axis=1) == np.asarray(outcomes)
    bins = np.minimum((greatest * N_BINS).astype(np.int64), N_BINS - 1)
    excess = np.bincount(bins, weights=right - greatest, minlength=N_BINS)
    return float(np.abs(excess).sum() / len(outcomes))
