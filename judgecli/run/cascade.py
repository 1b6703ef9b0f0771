"""A cascade read back: which verdicts are doubtful, and what the stronger judge made of them.

All of it follows from the run file: the first judge's judgments, the rule and the temperature in its header,
and the rows of the stronger judge, which bear its key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from judgecli.ledger import LedgerFile, current_judgments, escalated_judgments
from judgecli.run.merged import merged_verdicts
from judgecli.types import DoubtRule, Judgment, Order, Verdict, header_part, recorded_judge
from judgecli.verdicts import is_doubtful, with_temperature


@dataclass(frozen=True, slots=True, kw_only=True)
class Cascade:
    """The verdicts of a run of pairs, and where a stronger judge was asked, whose they are.

    `judgments` and `first_verdicts` are empty where none was. `n_rows` counts judgments in the file that are
    the stronger judge's, or were another one's.
    """

    verdicts: tuple[Verdict, ...] = ()
    first_verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    judgments: Mapping[tuple[str, Order], Judgment] = field(default_factory=dict)
    n_rows: int = 0

    @classmethod
    def of(cls, ledger: LedgerFile) -> Cascade:
        """Return what a run file of pairs says."""
        first = first_verdicts(ledger)
        key = escalation_key(ledger.header)
        judges = [judgment.judge for judgment in ledger.judgments.values()]
        n_others = sum(judge not in {"", key} for judge in judges)
        if not key:
            return cls(verdicts=first, n_rows=n_others)
        judgments = escalated_judgments(ledger.planned, ledger.judgments, key)
        return cls(
            verdicts=tuple(_with_escalated(ledger, first, judgments)),
            first_verdicts={verdict.item_id: verdict for verdict in first},
            judgments=judgments,
            n_rows=n_others + len(judgments),
        )


def first_verdicts(ledger: LedgerFile) -> tuple[Verdict, ...]:
    """Return the first judge's verdicts, calibrated and doubted as the header says."""
    header = ledger.header
    rule = DoubtRule.recorded(header.get("doubt"))
    temperature = header_part(header, "calibration").get("temperature")
    judgments = current_judgments(ledger.planned, ledger.judgments)
    verdicts = merged_verdicts(ledger.planned, judgments, recorded_judge(header))
    if isinstance(temperature, int | float):
        verdicts = (with_temperature(verdict, float(temperature)) for verdict in verdicts)
    if rule is None:
        return tuple(verdicts)
    return tuple(replace(verdict, is_doubtful=is_doubtful(verdict, rule)) for verdict in verdicts)


def escalation_key(header: Mapping[str, Any]) -> str:
    """Return the key of the stronger judge that doubtful items are handed to; "" where there is none."""
    key = header_part(header, "escalation").get("key")
    return key if isinstance(key, str) else ""


def _with_escalated(
    ledger: LedgerFile, first: tuple[Verdict, ...], judgments: Mapping[tuple[str, Order], Judgment]
) -> Iterator[Verdict]:
    """Yield the verdicts with those of the stronger judge in place of the doubtful ones.

    One that it has not given yet is open, one that it failed on a failure: the doubtful verdict is no answer.
    """
    asked = (one.as_second() for one in ledger.planned)
    second = merged_verdicts(
        (one for one in asked if one), judgments, recorded_judge(ledger.header["escalation"])
    )
    by_item = {verdict.item_id: verdict for verdict in second}
    for verdict in first:
        stronger = by_item.get(verdict.item_id) if verdict.is_doubtful else None
        yield verdict if stronger is None else replace(stronger, is_doubtful=True)
