"""How many pairs came to what, and what their answers are like."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PureWindowsPath
from statistics import median
from typing import Any, TypeVar

from judgecli.types import Counts, DecidedBy, Order, Response, RunRecord, Side, Verdict, Winner

_T = TypeVar("_T")


def count(record: RunRecord, verdicts: Sequence[Verdict], *, n_missing: int = 0) -> Counts:
    """Count the outcomes of these verdicts, and the judgments behind them; missing pairs are open."""
    winners = Counter(verdict.winner for verdict in verdicts)
    ids = {verdict.item_id for verdict in verdicts}
    judgments = [judgment for (item_id, _), judgment in record.judgments.items() if item_id in ids]
    return Counts(
        n_pairs=len(verdicts) + n_missing,
        n_judgments=len(judgments),
        n_win=winners[Winner.B],
        n_tie=winners[Winner.TIE],
        n_loss=winners[Winner.A],
        n_order_dependent=sum(v.order_dependent and v.winner is Winner.TIE for v in verdicts),
        n_open=sum(v.winner is None and v.failure is None for v in verdicts) + n_missing,
        n_cached=sum(judgment.cached for judgment in judgments),
        failures=ordered_counts(v.failure for v in verdicts if v.failure is not None),
        without_judge=ordered_counts(
            v.decided_by for v in verdicts if v.decided_by is not DecidedBy.JUDGE and v.winner is not None
        ),
    )


def count_flags(record: RunRecord) -> Mapping[str, int]:
    """Count the pairs that carry each flag, on the pair, its verdict or one of its judgments."""
    flags: dict[str, set[str]] = {pair.id: set(pair.flags) for pair in record.items}
    for verdict in record.verdicts:
        flags.setdefault(verdict.item_id, set()).update(verdict.flags)
    for (item_id, _), judgment in record.judgments.items():
        flags.setdefault(item_id, set()).update(judgment.flags)
    return ordered_counts(flag for names in flags.values() for flag in sorted(names))


def side(record: RunRecord, order: Order) -> Side:
    """Describe the side whose answers sit first in this order: AB the baseline, BA the candidate."""
    answers = [pair.seated(order)[0] for pair in record.items]
    given = record.header.get("input")
    given = given if isinstance(given, Mapping) else {}
    file = given.get("baseline" if order == Order.AB else "candidate")
    name = given.get("model_a" if order == Order.AB else "model_b")
    return side_of(answers, name=name, file=file)


def side_of(answers: Sequence[Response], *, name: Any, file: Any) -> Side:
    """Describe one model's answers; `name` and `file` are what a header says, which may be nothing."""
    return Side(
        model=_model_name(name, answers, file),
        file=None if file is None else str(file),
        n_empty=sum(answer.is_empty for answer in answers),
        n_thinking_only=sum(answer.is_only_thinking for answer in answers),
        n_cut_off=sum(answer.finish_reason == "length" for answer in answers),
        median_characters=float(median(len(answer.output) for answer in answers)) if answers else None,
    )


def _model_name(name: Any, answers: Sequence[Response], file: Any) -> str | None:
    """Take the header's name, else the one the answers agree on, else the file's without suffixes."""
    if name:
        return str(name)
    named = {answer.model for answer in answers}
    if len(named) == 1 and (only := named.pop()):
        return only
    # Windows paths split at both kinds of slash: a run file may have been written on another system.
    stem = PureWindowsPath(str(file or "").removesuffix(".gz")).stem
    return stem if stem not in {"", "-"} else None


def ordered_counts(values: Iterable[_T]) -> dict[_T, int]:
    """Count equal values, the most frequent first."""
    return dict(Counter(values).most_common())
