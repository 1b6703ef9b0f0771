"""What became of each answer of a run that grades one at a time.

An empty answer is not shown to the judge: by rule it counts with the lowest score of the scale.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from judgecli.analysis.counts import ordered_counts
from judgecli.types import DecidedBy, GradeCounts, Item, Judgment, Order, RunRecord

_ALONE = Order("A")


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """What became of an answer. `judgment` None: not judged, by a rule (`is_ruled`) or yet."""

    item: Item
    judgment: Judgment | None
    is_ruled: bool

    @property
    def judged(self) -> float | None:
        """The judge's score; None where there is none."""
        return self.judgment.scores.get("A") if self.judgment else None

    def value(self, of_judge: Callable[[Judgment], float | None], lowest: float | None) -> float | None:
        """Return what is read of the judgment; where a rule decided, what the lowest score would give."""
        if self.is_ruled:
            return lowest
        return of_judge(self.judgment) if self.judgment and not self.judgment.failure else None


def grades_of(record: RunRecord) -> Iterator[Grade]:
    """Yield what became of each answer of a run, in its order."""
    for item in record.items:
        judgment = record.judgments.get((item.id, _ALONE))
        is_ruled = judgment is None and item.response_a.is_empty
        yield Grade(item=item, judgment=judgment, is_ruled=is_ruled)


def count(record: RunRecord, grades: Sequence[Grade]) -> GradeCounts:
    """Count what the answers came to; items that are missing in the run file are open."""
    n_open = sum(one.judgment is None and not one.is_ruled for one in grades)
    failures = (one.judgment.failure for one in grades if one.judgment and one.judgment.failure)
    n_ruled = sum(one.is_ruled for one in grades)
    return GradeCounts(
        n_items=len(grades) + record.n_missing,
        n_judgments=len(record.judgments),
        n_graded=sum(one.judged is not None for one in grades),
        n_open=n_open + record.n_missing,
        failures=ordered_counts(failures),
        without_judge={DecidedBy.EMPTY: n_ruled} if n_ruled else {},
    )


def values_of(
    grades: Sequence[Grade], of_judge: Callable[[Judgment], float | None], lowest: float | None
) -> list[float]:
    """Return what is read of the answers that have a score, see `Grade.value`."""
    values = (grade.value(of_judge, lowest) for grade in grades)
    return [value for value in values if value is not None]
