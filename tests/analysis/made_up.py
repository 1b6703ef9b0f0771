"""Run records made up from two letters a pair: the verdict in order AB, then in order BA.

`A`, `B` and `T` name models and a tie, `u` is unreadable, `l` too long, `.` not judged yet. A rule
that decides without the judge is given as itself.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from judgecli.types import (
    BOTH_ORDERS,
    DecidedBy,
    Failure,
    Item,
    Judgment,
    Order,
    Response,
    RunRecord,
    Source,
    Verdict,
    Winner,
)

WINNERS = {"A": Winner.A, "B": Winner.B, "T": Winner.TIE}
FAILURES = {"u": Failure.UNREADABLE, "l": Failure.TOO_LONG}
RULED = {
    DecidedBy.EQUAL: Winner.TIE,
    DecidedBy.BOTH_EMPTY: Winner.TIE,
    DecidedBy.EMPTY_A: Winner.B,
    DecidedBy.EMPTY_B: Winner.A,
}
HEADER = {
    "judgecli": "0.1.0",
    "started_at": "2025-01-02T03:04:05Z",
    "mode": "pair",
    "model": {
        "name": "judgelm-7b",
        "file": "/models/judgelm-7b.Q4_K_M.gguf",
        "sha256": "3f2a9c1b7d04e5f6" * 4,
        "size_bytes": 4_081_000_000,
        "card": "judgelm-7b",
        "licence": "non-commercial",
        "demo": False,
    },
    "prompt": {"family": "judgelm", "variant": "pair", "hash": "1a2b3c4d5e6f7081" * 4, "source": "card"},
    "backend": {
        "name": "llama_cpp",
        "llama_cpp_python": "0.3.36",
        "llama_cpp": "b1234",
        "device": "cpu",
        "n_ctx": 2048,
    },
    "orders": "both",
    "min_mass": 0.5,
    "reasons": False,
    "sampling": "greedy",
    "seed": 0,
    "input": {
        "baseline": "answers/alpaca-13b.jsonl",
        "candidate": "answers/gpt35.jsonl",
        "model_a": "alpaca-13b",
        "model_b": "gpt35",
        "formats": ["mt-bench", "mt-bench"],
        "paired_by": "id",
        "only_in_a": [],
        "only_in_b": [],
        "n_with_reference": 0,
        "notes": [],
    },
}

Case = str | DecidedBy


def header(**changes: Any) -> dict[str, Any]:
    """Return a header with some keys changed; a mapping is merged into the one it changes."""
    changed = {
        key: {**HEADER.get(key, {}), **value} if isinstance(value, Mapping) else value
        for key, value in changes.items()
    }
    return {**HEADER, **changed}


def response(text: str, *, finish_reason: str | None = None, model: str | None = None) -> Response:
    return Response(
        output=text, source=Source(file="made_up.jsonl"), finish_reason=finish_reason, model=model
    )


def pair(item_id: str, a: str = "short", b: str = "a longer one", flags: tuple[str, ...] = ()) -> Item:
    return Item(id=item_id, instruction="Why?", responses=(response(a), response(b)), flags=flags)


def verdict(item_id: str, case: Case, **more: Any) -> Verdict:
    """Merge by the rule: a winner only if both orders agree; one failure fails the pair."""
    if isinstance(case, DecidedBy):
        return Verdict(item_id=item_id, winner=RULED[case], decided_by=case)
    failed = [FAILURES[letter] for letter in case if letter in FAILURES]
    if failed:
        return Verdict(item_id=item_id, failure=failed[0], **more)
    if "." in case:
        return Verdict(item_id=item_id)
    agreed = len(set(case)) == 1
    winner = WINNERS[case[0]] if agreed else Winner.TIE
    return Verdict(item_id=item_id, winner=winner, order_dependent=not agreed, **more)


def judgments(item_id: str, case: Case) -> dict[tuple[str, Order], Judgment]:
    if isinstance(case, DecidedBy):
        return {}
    return {
        (item_id, order): Judgment(
            item_id=item_id,
            order=order,
            prompt_hash="0",
            winner=WINNERS.get(letter),
            failure=FAILURES.get(letter),
            mass=0.98 if letter in WINNERS else None,
            p_unopened=0.01 if letter in WINNERS else None,
        )
        for order, letter in zip(BOTH_ORDERS, case, strict=False)
        if letter != "."
    }


def record(cases: Sequence[Case], *, pairs: Sequence[Item] | None = None, **changes: Any) -> RunRecord:
    """Return the record of a run in which pair `q1`, `q2`, ... came out as told."""
    ids = [f"q{number}" for number in range(1, len(cases) + 1)]
    all_judgments: dict[tuple[str, Order], Judgment] = {}
    for item_id, case in zip(ids, cases, strict=True):
        all_judgments |= judgments(item_id, case)
    return RunRecord(
        header=header(**changes),
        items=tuple(pairs or map(pair, ids)),
        judgments=all_judgments,
        verdicts=tuple(verdict(item_id, case) for item_id, case in zip(ids, cases, strict=True)),
    )


def cases_of(table: Sequence[Sequence[int]]) -> list[Case]:
    """Return the pairs of a 3 x 3 table: rows order AB, columns order BA, each A, tie, B."""
    return [
        row + column
        for row, counts in zip("ATB", table, strict=True)
        for column, n in zip("ATB", counts, strict=True)
        for _ in range(n)
    ]
