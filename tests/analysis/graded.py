"""Run records of grades, made up from a score an answer.

A number is the judge's score, "" an empty answer that a rule decides, `u` unreadable, `l` too long, `.` not
judged yet.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from judgecli.types import Item, Judgment, Order, RunRecord
from tests.analysis.made_up import FAILURES, HEADER, response

Case = float | str
ONE_TO_TEN = {"low": 1, "high": 10, "decimals": True}
YES_OR_NO = {"low": 0, "high": 1, "labels": {"Yes": 1, "No": 0}}


def header(**changes: Any) -> dict[str, Any]:
    """Return the header of a run that grades; a mapping is merged into the one it changes."""
    given = {
        "files": ["answers/gpt35.jsonl"],
        "models": ["gpt35"],
        "reference": "references.jsonl",
        "formats": ["mt-bench"],
        "n_with_reference": 0,
        "notes": [],
    }
    own = {name: value for name, value in HEADER.items() if name != "orders"}
    made = {**own, "mode": "grade", "scale": ONE_TO_TEN, "seed": 0, "input": given}
    made["prompt"] = {**HEADER["prompt"], "n_seats": 1}
    changed = {
        key: {**made.get(key, {}), **value} if isinstance(value, Mapping) and key != "scale" else value
        for key, value in changes.items()
    }
    return {**made, **changed}


def answer(item_id: str, text: str = "some answer", **more: Any) -> Item:
    return Item(id=item_id, instruction="Why?", responses=(response(text),), **more)


def judgment(item_id: str, case: Case, **more: Any) -> Judgment:
    if isinstance(case, str):
        return Judgment(item_id=item_id, order=Order("A"), prompt_hash="0", failure=FAILURES[case], **more)
    known = {"scores": {"A": float(case)}, "mass": 0.98, "p_unopened": 0.01, **more}
    return Judgment(item_id=item_id, order=Order("A"), prompt_hash="0", **known)


def record(
    cases: Sequence[Case],
    *,
    items: Sequence[Item] | None = None,
    soft: Sequence[Mapping[str, float]] = (),
    **changes: Any,
) -> RunRecord:
    """Return the record in which answer `q1`, `q2`, ... came out as told; `soft` are their distributions."""
    ids = [f"q{number}" for number in range(1, len(cases) + 1)]
    made = items or [
        answer(i, "" if case == "" else f"answer {i}") for i, case in zip(ids, cases, strict=True)
    ]
    judged = [
        (i, case, n) for n, (i, case) in enumerate(zip(ids, cases, strict=True)) if case not in {"", "."}
    ]
    judgments = [judgment(i, case, **_soft(soft[n : n + 1])) for i, case, n in judged]
    return RunRecord(
        header=header(**changes),
        items=tuple(made),
        judgments={(one.item_id, one.order): one for one in judgments},
        verdicts=(),
    )


def _soft(given: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    if not given or not given[0]:
        return {}
    expected = sum(float(score) * p for score, p in given[0].items())
    return {"p_scores": given[0], "expected": {"A": expected}}
