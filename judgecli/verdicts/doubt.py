"""Which verdicts are doubtful: those that a stronger judge is asked about, or that nobody should rest on."""

from __future__ import annotations

from dataclasses import replace

from judgecli.types import DecidedBy, DoubtRule, Verdict, Winner, tempered


def is_doubtful(verdict: Verdict, rule: DoubtRule) -> bool:
    """Whether a rule doubts a verdict.

    Never where a rule without a judge decided, or nothing is judged yet. A failure is doubtful only if the
    rule says so; a verdict without a probability is not at or above any threshold.
    """
    if verdict.decided_by is not DecidedBy.JUDGE:
        return False
    if verdict.winner is None:
        return rule.failed and verdict.failure is not None
    if rule.everything or (rule.order_dependent and verdict.order_dependent):
        return True
    return rule.below is not None and (verdict.confidence is None or verdict.confidence < rule.below)


def with_temperature(verdict: Verdict, temperature: float) -> Verdict:
    """Return a verdict with its probabilities tempered, and its confidence with them."""
    if verdict.p_a is None or verdict.p_tie is None or verdict.p_b is None or verdict.winner is None:
        return verdict
    p_a, p_tie, p_b = tempered((verdict.p_a, verdict.p_tie, verdict.p_b), temperature)
    confidence = {Winner.A: p_a, Winner.TIE: p_tie, Winner.B: p_b}[verdict.winner]
    return replace(verdict, p_a=p_a, p_tie=p_tie, p_b=p_b, confidence=confidence)
