"""The candidate's win rate: estimate, worst case, and tests of wins against losses."""

from math import sqrt

from scipy.special import bdtr

from judgecli.analysis.intervals import tango_interval
from judgecli.types import Conclusion, Counts, Estimate


def win_rate(counts: Counts) -> Estimate:
    """Return theta = (W + T/2) / n with Tango's score interval; failures are not in n.

    None for n = 0. Source: theta = (1 + Delta) / 2, with Delta as in `tango_interval`.
    """
    n = counts.n_verdicts
    interval = tango_interval(counts.n_win, counts.n_loss, n)
    if interval is None:
        return Estimate(name="win_rate", value=None, n=0, method="no verdicts")
    low, high = ((1 + delta) / 2 for delta in interval)
    value = (counts.n_win + counts.n_tie / 2) / n
    method = "ties half a win, Tango score interval, 95%"
    return Estimate(name="win_rate", value=value, low=low, high=high, n=n, method=method)


def conclude(rate: Estimate) -> Conclusion:
    """Name the better model if the win rate's interval leaves out 50%."""
    if rate.low is None or rate.high is None:
        return Conclusion.NO_VERDICTS
    if rate.low > 0.5:
        return Conclusion.CANDIDATE_BETTER
    if rate.high < 0.5:
        return Conclusion.BASELINE_BETTER
    return Conclusion.NO_DIFFERENCE


def worst_case(counts: Counts) -> Estimate:
    """Return the win rate between its bounds if every failed pair were a loss, or a win.

    `n` counts failed pairs too; None without a verdict. Source: bounds after Manski.
    """
    n = counts.n_verdicts + counts.n_failed
    if counts.n_verdicts == 0:
        return Estimate(name="worst_case", value=None, n=n, method="no verdicts")
    points = counts.n_win + counts.n_tie / 2
    return Estimate(
        name="worst_case",
        value=points / counts.n_verdicts,
        low=points / n,
        high=(points + counts.n_failed) / n,
        n=n,
        method="every failed pair a loss, or a win",
    )


def sign_exact_p(wins: int, losses: int) -> float:
    """Return the two-sided exact p-value of the sign test; 1 where nothing is decided."""
    n = wins + losses
    return min(1.0, 2 * float(bdtr(min(wins, losses), n, 0.5))) if n else 1.0


def sign_midp(wins: int, losses: int) -> float:
    """Return the two-sided mid-p value of the sign test; 1 where nothing is decided.

    Source: Fagerland, Lydersen and Laake, BMC Medical Research Methodology 13 (2013) 91.
    """
    n = wins + losses
    if n == 0:
        return 1.0
    k = min(wins, losses)
    below = float(bdtr(k - 1, n, 0.5)) if k else 0.0
    return min(1.0, float(bdtr(k, n, 0.5)) + below)


def mcnemar_z(wins: int, losses: int) -> float | None:
    """Return McNemar's uncorrected Z = (W - L) / sqrt(W + L); None where nothing is decided."""
    return (wins - losses) / sqrt(wins + losses) if wins + losses else None


def sign_test(counts: Counts) -> Estimate:
    """Return the share of decided pairs the candidate won, with the mid-p value; None without any."""
    p_value = sign_midp(counts.n_win, counts.n_loss)
    return _decided_share("sign_test", counts, p_value, "sign test, mid-p, two-sided")


def sign_test_exact(counts: Counts) -> Estimate:
    """Return the share of decided pairs the candidate won, with the exact p-value; None without any."""
    p_value = sign_exact_p(counts.n_win, counts.n_loss)
    return _decided_share("sign_test_exact", counts, p_value, "sign test, exact, two-sided")


def _decided_share(name: str, counts: Counts, p_value: float, method: str) -> Estimate:
    n = counts.n_win + counts.n_loss
    if n == 0:
        return Estimate(name=name, value=None, n=0, method="no decided pairs")
    return Estimate(name=name, value=counts.n_win / n, n=n, p_value=p_value, method=method)
