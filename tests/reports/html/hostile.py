"""A run whose every text tries to run in a browser."""

from dataclasses import replace

from judgecli.types import Judgment, Order, RunRecord
from tests.analysis.made_up import pair, record

ATTACK = (
    "</script><script>document.title='RAN'</script><img src=x onerror=\"document.title='RAN'\">"
    "<svg onload=document.title='RAN'>\u2028document.title='RAN'\u2029"
    "<a href=\"javascript:document.title='RAN'\">x</a>{{ 7 * 7 }}{% raw %}<!-- \x00\ud800 '\" ` ${1}"
)


def attacking(n: int = 12) -> RunRecord:
    """Return n pairs in which ids, questions, answers, reasons, flags, details and names are attacks.

    The first one's id is q0, to open it by.
    """
    cases = (["BB", "AA", "TT", "AB", "uu"] * n)[:n]
    pairs = [
        replace(
            pair(f"{ATTACK} {k}" if k else "q0", f"{ATTACK} a", f"{ATTACK} b", flags=(ATTACK,)),
            instruction=ATTACK,
            input=ATTACK,
            reference=ATTACK,
            metadata={"category": f"{ATTACK} {k % 2}"},
        )
        for k in range(n)
    ]
    made = record(cases, model={"name": ATTACK, "file": ATTACK}, input={"model_a": ATTACK, "model_b": ATTACK})
    ids = {f"q{k}": one.id for k, one in enumerate(pairs, 1)}

    def attacked(one: Judgment) -> Judgment:
        parts = {ATTACK: ATTACK}
        return replace(
            one, item_id=ids[one.item_id], text=ATTACK, detail=ATTACK, parts=parts, flags=(ATTACK,)
        )

    judgments: dict[tuple[str, Order], Judgment] = {
        (ids[old], order): attacked(one) for (old, order), one in made.judgments.items()
    }
    verdicts = tuple(replace(one, item_id=ids[one.item_id], detail=ATTACK) for one in made.verdicts)
    return replace(made, items=tuple(pairs), judgments=judgments, verdicts=verdicts, notes=(ATTACK,))
