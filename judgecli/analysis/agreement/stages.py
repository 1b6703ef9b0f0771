"""The agreement over parts of the items: those of one value of a field, or of one judge of a cascade."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from judgecli.analysis.agreement.confusion import agreement_of_items
from judgecli.analysis.agreement.matched import Matched
from judgecli.analysis.trusted import name_of_stronger_judge
from judgecli.analysis.units import readable
from judgecli.types import DecidedBy, NamedAgreement, RunRecord, Verdict, recorded_judge

_FIRST, _STRONGER = "first judge", "stronger judge"


def splits(matched: Matched, values: Mapping[str, str]) -> Iterator[NamedAgreement]:
    """Yield the agreement over the items of each value, those of the most items first."""
    counts = Counter(values[item_id] for item_id in matched.ids)
    for value in sorted(counts, key=lambda value: (-counts[value], value)):
        part = matched.among(item_id for item_id in matched.ids if values[item_id] == value)
        yield NamedAgreement(name=readable(value), agreement=agreement_of_items(part))


def stages(record: RunRecord, matched: Matched, verdicts: Mapping[str, Verdict]) -> Iterator[NamedAgreement]:
    """Yield the agreement over the items that each judge decided, where a stronger one was asked.

    Of the stronger one's items `before` is what the first judge had said of them, where it had a verdict.
    """
    if not record.escalated:
        return
    handed_on = {item_id for item_id, _ in record.escalated if item_id in verdicts}
    handed_on = {item_id for item_id in handed_on if verdicts[item_id].is_doubtful}
    judged = [i for i in matched.ids if verdicts[i].decided_by is DecidedBy.JUDGE]
    own = matched.among(item_id for item_id in judged if item_id not in handed_on)
    other = matched.among(item_id for item_id in judged if item_id in handed_on)
    first = {item_id: known.winner for item_id, known in record.first_verdicts.items() if known.winner}
    names = (
        _judge(own, verdicts) or recorded_judge(record.header),
        _judge(other, verdicts) or name_of_stronger_judge(record.header),
    )
    yield NamedAgreement(name=names[0] or _FIRST, agreement=agreement_of_items(own))
    yield NamedAgreement(
        name=names[1] or _STRONGER,
        agreement=agreement_of_items(other),
        before=agreement_of_items(other.judged_as(first)),
    )


def _judge(matched: Matched, verdicts: Mapping[str, Verdict]) -> str | None:
    return next((judge for judge in (verdicts[item_id].judge for item_id in matched.ids) if judge), None)
