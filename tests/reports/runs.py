"""Made-up runs that a report must get right, from a complete one to one with hostile names."""

from dataclasses import replace

from judgecli.types import DecidedBy, RunRecord
from tests.analysis.made_up import pair, record

HOSTILE = "[/INST] [result] a|b <img src=x> `c` *d* @e 😀\u2028\x1b[31m\n| x"

COMPLETE = record(
    [*["BB"] * 24, *["TT"] * 3, *["AB"] * 2, "TA", *["AA"] * 8, DecidedBy.EQUAL, DecidedBy.EMPTY_B]
)


def with_probabilities(made: RunRecord) -> RunRecord:
    """Return the run with merged probabilities on every judged verdict."""
    shares = {"A": 0.2, "tie": 0.5, "B": 0.8}
    verdicts = tuple(
        replace(v, p_a=0.95 - shares[v.winner], p_tie=0.1, p_b=shares[v.winner] - 0.05)
        if v.winner and v.decided_by is DecidedBy.JUDGE
        else v
        for v in made.verdicts
    )
    return replace(made, verdicts=verdicts)


def everything_at_once() -> RunRecord:
    """Return a run that fills every row a report has, with names as hostile as they come."""
    cases = [*["AB"] * 12, *["BB"] * 4, "AA", *["uu"] * 4, *["ll"] * 3, "..", *DecidedBy][:28]
    cases = [case for case in cases if case is not DecidedBy.JUDGE]
    flags = [("no-reference", "altered"), ("truncated",), ("cut-reasons",), (HOSTILE,)]
    pairs = [
        pair(f"{HOSTILE} {n}", "" if n % 3 else "x", "<think>", flags=flags[n % 4]) for n in range(len(cases))
    ]
    made = with_probabilities(
        record(
            cases,
            model={"demo": True, "name": HOSTILE, "file": HOSTILE},
            prompt={"family": HOSTILE, "variant": HOSTILE, "hash": HOSTILE},
            sampling="published",
            reasons=True,
            input={
                "model_a": HOSTILE,
                "model_b": HOSTILE,
                "baseline": HOSTILE,
                "candidate": HOSTILE,
                "formats": [HOSTILE, "csv"],
                "paired_by": HOSTILE,
                "only_in_a": [f"{HOSTILE} {n}" for n in range(20)],
                "only_in_b": ["q1"],
                "n_with_reference": 3,
                "notes": [HOSTILE] * 20,
            },
        )
    )
    ids = {f"q{n}": one.id for n, one in enumerate(pairs, start=1)}
    return replace(
        made,
        items=tuple(pairs),
        judgments={(ids[old], order): judgment for (old, order), judgment in made.judgments.items()},
        verdicts=tuple(replace(v, item_id=ids[v.item_id], detail=HOSTILE) for v in made.verdicts),
        notes=(HOSTILE,),
    )


RUNS = {
    "complete": COMPLETE,
    "with probabilities": with_probabilities(COMPLETE),
    "partial": record([*["BB"] * 4, *["AA"] * 3, *[".."] * 3]),
    "nothing judged yet": record([".."] * 3),
    "all unreadable": record(["uu"] * 4),
    "all failed or open": record(["uu", "ll", "uB", ".."]),
    "no pairs": record([]),
    "all ties": record(["TT"] * 10),
    "one order": record([*"BBBAT"], orders="ab"),
    "decided without the judge": record([DecidedBy.EQUAL, DecidedBy.BOTH_EMPTY]),
    "demo judge": record(["BB", "AA"], model={"demo": True}),
    "mixed references": record(
        ["BB", "AA", "TT"], pairs=[pair("q1"), pair("q2", flags=("no-reference",)), pair("q3")]
    ),
    "no header": replace(record(["BB"]), header={}),
    "everything at once": everything_at_once(),
}
