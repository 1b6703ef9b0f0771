"""Labels and verdicts of the same items, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from judgecli.analysis.by_unit import Units
from judgecli.analysis.counts import ordered_counts
from judgecli.analysis.units import labelled_ids
from judgecli.errors import DataError
from judgecli.types import Compared, Failure, Labels, RunRecord, Winner

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
Mask = NDArray[np.bool_]

AXIS = (Winner.A, Winner.TIE, Winner.B)
_A, _TIE, _B = range(3)


@dataclass(frozen=True, slots=True)
class Matched:
    """n items with a label and a verdict: 0 for A, 1 for a tie, 2 for B, shape (n,) each."""

    ids: tuple[str, ...]
    labels: Codes
    verdicts: Codes
    units: Units

    @classmethod
    def of(
        cls,
        labels: Mapping[str, Winner],
        verdicts: Mapping[str, Winner],
        units: Mapping[str, str],
        group: str | None,
    ) -> Matched:
        """Put labels and verdicts of the ids that have both side by side; `units` has the unit of each."""
        ids = tuple(item_id for item_id in labels if item_id in verdicts)
        return cls(
            ids=ids,
            labels=_codes(labels[item_id] for item_id in ids),
            verdicts=_codes(verdicts[item_id] for item_id in ids),
            units=Units.of([units[item_id] for item_id in ids], group),
        )

    @property
    def is_right(self) -> Mask:
        """Where the verdict is the label."""
        return np.asarray(self.labels == self.verdicts)

    @property
    def both_decided(self) -> Mask:
        """Where neither is a tie."""
        return np.asarray((self.labels != _TIE) & (self.verdicts != _TIE))

    @property
    def cells(self) -> Array:
        """Each item's own 3 x 3 table, row by row, shape (n, 9); see `confusion`."""
        return np.asarray(np.eye(9)[self.labels * 3 + self.verdicts])

    def only(self, where: Mask) -> Matched:
        """Return the items at `where`, shape (n,)."""
        return Matched(
            ids=tuple(np.asarray(self.ids, dtype=object)[where]),
            labels=self.labels[where],
            verdicts=self.verdicts[where],
            units=self.units.only(where),
        )

    def among(self, ids: Iterable[str]) -> Matched:
        """Return those of the items that have these ids."""
        wanted = set(ids)
        return self.only(np.array([item_id in wanted for item_id in self.ids], dtype=bool))

    def judged_as(self, verdicts: Mapping[str, Winner]) -> Matched:
        """Return the items for which there is such another verdict, with it."""
        known = self.among(verdicts)
        return replace(known, verdicts=_codes(verdicts[item_id] for item_id in known.ids))


def compared_of(
    record: RunRecord,
    labels: Labels,
    judged: Mapping[str, object],
    failures: Mapping[str, Failure],
    units: Units,
) -> Compared:
    """Count which items were compared; `judged` are those with a result, `failures` those that failed."""
    ids = set(labelled_ids(record, labels))
    undecided = {i for i in ids if labels.by_item[i].winner is None and labels.by_item[i].score is None}
    decided = ids - undecided
    return Compared(
        n=len(units.codes),
        unit=units.name,
        n_units=units.n,
        n_unlabelled=sum(item_id not in ids for item_id in (*judged, *failures)),
        n_undecided=len(undecided),
        n_without_verdict=sum(item_id not in judged and item_id not in failures for item_id in decided),
        n_not_in_run=len(labels.by_item) - len(ids),
        failures=ordered_counts(kind for item_id, kind in failures.items() if item_id in decided),
        no_interval=units.too_few,
    )


def refuse_nothing(record: RunRecord, labels: Labels, compared: Compared) -> None:
    """Raise DataError where no item of the run has a label and a result, or a failure; say why."""
    if compared.n or compared.failures:
        return
    n = len(labels.by_item)
    if compared.n_not_in_run == n:
        theirs, ours = next(iter(labels.by_item), None), _first_id(record)
        raise DataError(
            f"{labels.file}: {_none_of(n)} of an item of the run; ids look like {theirs!r} "
            f"there and {ours!r} in the run; give the labels of these items"
        )
    if compared.n_without_verdict:
        raise DataError(f"{labels.file}: no item with a label has been judged yet; go on with the run first")
    raise DataError(f"{labels.file}: its annotators have no majority on any item of the run")


def _none_of(n: int) -> str:
    return f"none of its {n:,} labels is" if n != 1 else "its one label is not"


def _first_id(record: RunRecord) -> str | None:
    ids = (*(item.id for item in record.items), *(verdict.item_id for verdict in record.verdicts))
    return ids[0] if ids else None


def _codes(winners: Iterable[Winner]) -> Codes:
    return np.array([AXIS.index(winner) for winner in winners], dtype=np.intp)
