"""What is said of one pair: its verdict, and each judgment behind it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from judgecli.reports.pairs.kinds import outcome
from judgecli.reports.pairs.views import PairView
from judgecli.reports.wording.cautions import failure_name
from judgecli.reports.wording.rows import hundredths
from judgecli.types import TIE, DecidedBy, Judgment, Verdict

_ORDERS = {"AB": "A first", "BA": "B first", "A": "A alone", "B": "B alone"}


def verdict_phrases(view: PairView) -> list[str]:
    """Say what a pair came to, how sure that is, and what is to be known of it."""
    return list(_about_verdict(view))


def judgment_phrases(judgment: Judgment) -> list[str]:
    """Say what the judge said in one order."""
    return list(_about_judgment(judgment))


def seating(judgment: Judgment) -> str:
    """Return which answer sat where: `A first`."""
    return _ORDERS.get(judgment.order, str(judgment.order))


def named_winner(winner: str) -> str:
    """Return who won by letter: `A better`, or `tie`."""
    return winner if winner == TIE else f"{winner} better"


def _about_verdict(view: PairView) -> Iterator[str]:
    verdict = view.verdict
    yield outcome(verdict)
    if verdict.decided_by is not DecidedBy.JUDGE:
        yield f"by rule: {verdict.decided_by}"
    yield from filter(None, (verdict.detail,))
    yield from _scores(verdict)
    if verdict.confidence is not None:
        yield f"confidence {hundredths(verdict.confidence)}"
    yield from _trust(view)
    yield from (f"flag {flag}" for flag in view.flags)


def _scores(verdict: Verdict) -> Iterator[str]:
    if verdict.score_a is not None and verdict.score_b is not None:
        yield f"scores A {verdict.score_a:g}, B {verdict.score_b:g}"


def _trust(view: PairView) -> Iterator[str]:
    if not view.verdict.is_doubtful:
        return
    if view.first is None:
        yield "doubtful"
        return
    yield f"by {view.verdict.judge or 'the stronger judge'}"
    yield f"doubtful before: {outcome(view.first)}"


def _about_judgment(judgment: Judgment) -> Iterator[str]:
    if judgment.failure is not None:
        yield failure_name(judgment.failure)
        yield from filter(None, (judgment.detail,))
    elif judgment.winner is not None:
        yield named_winner(judgment.winner)
    if judgment.scores:
        yield f"scores {_by_letter(judgment.scores)}"
    if judgment.p:
        yield "P " + ", ".join(f"{name} {hundredths(judgment.p[name])}" for name in _named(judgment.p))
    if judgment.mass is not None:
        yield f"mass {hundredths(judgment.mass)}"


def _by_letter(scores: Mapping[str, float]) -> str:
    return ", ".join(f"{letter} {score:g}" for letter, score in sorted(scores.items()))


def _named(p: Mapping[str, float]) -> list[str]:
    return [name for name in ("A", TIE, "B") if name in p]
