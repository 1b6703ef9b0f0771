"""What labels and a judge both say of the items of a run, one observation an item."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from judgecli.errors import DataError
from judgecli.types import DecidedBy, LabelKind, Labels, RunRecord, Verdict, Winner

POINTS = {Winner.A: 0.0, Winner.TIE: 0.5, Winner.B: 1.0}  # of the candidate


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledVerdict:
    """A verdict that has a winner or tie, and the label of its item."""

    verdict: Verdict
    winner: Winner
    label: Winner

    @property
    def is_wrong(self) -> bool:
        """Whether people say something else."""
        return self.winner is not self.label


def labelled_verdicts(record: RunRecord, labels: Labels) -> Iterator[LabelledVerdict]:
    """Yield the first judge's verdicts with their labels, in the order of the run.

    Failed and open items have no verdict, items whose annotators have no majority no label, and where a rule
    decided there was no judge.
    """
    for verdict in first_judge_verdicts(record):
        label = labels.by_item.get(verdict.item_id)
        if verdict.winner and label and label.winner and verdict.decided_by is DecidedBy.JUDGE:
            yield LabelledVerdict(verdict=verdict, winner=verdict.winner, label=label.winner)


def first_judge_verdicts(record: RunRecord) -> tuple[Verdict, ...]:
    """Return the verdicts of the run's own judge, whether or not a stronger one was asked too."""
    return tuple(record.first_verdicts.get(one.item_id, one) for one in record.verdicts)


def check_winners(labels: Labels, wanted_for: str) -> None:
    """Refuse labels that do not say which answer is better.

    Raises:
        DataError: they are scores.
    """
    if labels.kind is not LabelKind.WINNERS:
        message = f"{labels.file}: these labels are scores, and {wanted_for} needs the better answer"
        raise DataError(f"{message}; give a file that names winners")
