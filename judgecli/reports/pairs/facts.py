"""The facts of one pair, with stable names.

pairs             those asked for with --only: [{id, outcome, kinds, instruction, input, reference, metadata,
                  flags, a, b, verdict, first_verdict, judgments, escalated}]; null where none were asked for
outcome           win, loss, tie, order-dependent, a failure in words, or not judged
kinds             wins, losses, ties, flips, failures or open; and doubtful, flagged
a, b              {model, output, finish_reason}: the baseline's answer and the candidate's
verdict           {winner, failure, detail, order_dependent, decided_by, p_a, p_tie, p_b, confidence, score_a,
                  score_b, judge, doubtful}; first_verdict is the run's own judge's where a stronger one
                  stands, else null
judgments         [{order, winner, failure, detail, scores, expected, p, mass, text, parts}], escalated the
                  same of the stronger judge
"""

from __future__ import annotations

from typing import Any

from judgecli.reports.pairs.kinds import PairKind, outcome
from judgecli.reports.pairs.views import PairView
from judgecli.types import Judgment, Response, Verdict


def pair_facts(view: PairView) -> dict[str, Any]:
    """Return all that is known of a pair."""
    item = view.item
    return {
        "id": item.id,
        "outcome": outcome(view.verdict),
        "kinds": [kind for kind in PairKind if kind in view.kinds],
        "instruction": item.instruction,
        "input": item.input,
        "reference": item.reference,
        "metadata": item.metadata,
        "flags": view.flags,
        "a": _answer(item.response_a),
        "b": _answer(item.response_b),
        "verdict": _verdict(view.verdict),
        "first_verdict": None if view.first is None else _verdict(view.first),
        "judgments": [_judgment(one) for one in view.judgments],
        "escalated": [_judgment(one) for one in view.escalated],
    }


def _answer(response: Response) -> dict[str, Any]:
    return {"model": response.model, "output": response.output, "finish_reason": response.finish_reason}


def _verdict(verdict: Verdict) -> dict[str, Any]:
    names = ("winner", "failure", "detail", "order_dependent", "decided_by", "p_a", "p_tie", "p_b")
    more = ("confidence", "score_a", "score_b", "judge")
    values = {name: getattr(verdict, name) for name in (*names, *more)}
    return {**values, "doubtful": verdict.is_doubtful}


def _judgment(judgment: Judgment) -> dict[str, Any]:
    names = ("order", "winner", "failure", "detail", "scores", "expected", "p", "mass", "text", "parts")
    return {name: getattr(judgment, name) for name in names}
