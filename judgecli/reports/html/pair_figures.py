"""What the charts of a run of pairs count: scores, and verdicts by the difference in length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import floor

from markupsafe import Markup

from judgecli.reports.html.svg import Part, paired_columns, stacked_rows
from judgecli.reports.pairs import outcome
from judgecli.reports.pairs.kinds import FLIPPED, LOSS, POINTS, TIE, TONES, WIN
from judgecli.reports.wording.rows import percent
from judgecli.types import DecidedBy, RunRecord, Verdict

_N_BINS = 5
_MIN_PAIRS = 10  # with fewer, parts of them say nothing
_MAX_COLUMNS = 24
OUTCOMES = tuple((TONES[name], name) for name in (WIN, TIE, FLIPPED, LOSS))  # a part of a bar each


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthBin:
    """Pairs whose candidate is `low` to `high` characters longer, and how many came to each outcome."""

    low: int
    high: int
    counts: dict[str, int]

    @property
    def n(self) -> int:
        """Pairs in it."""
        return sum(self.counts.values())

    @property
    def win_rate(self) -> float:
        """The candidate's, a tie half a win."""
        return sum(POINTS[name] * n for name, n in self.counts.items()) / self.n


def score_columns(verdicts: Iterable[Verdict]) -> list[tuple[str, int, int]]:
    """Return (score, pairs in which A has it, pairs in which B has it), scores rounded down to whole ones.

    Empty without scores, or where they spread over more than 24 whole ones.
    """
    both = [(v.score_a, v.score_b) for v in verdicts if v.score_a is not None and v.score_b is not None]
    if not both:
        return []
    a, b = (Counter(floor(pair[side]) for pair in both) for side in (0, 1))
    low, high = min(*a, *b), max(*a, *b)
    if high - low >= _MAX_COLUMNS:
        return []
    return [(str(score), a[score], b[score]) for score in range(low, high + 1)]


def drawn_scores(columns: Sequence[tuple[str, int, int]], names: tuple[str, str]) -> Markup:
    """Draw both models' scores side by side."""
    return paired_columns(columns, names)


def length_bins(record: RunRecord) -> list[LengthBin]:
    """Return the judge's verdicts in up to five parts of about equal size, by how much longer B is than A.

    Pairs of one difference stay together. Empty for fewer than ten pairs, or where lengths do not differ.
    """
    items = {item.id: item for item in record.items}
    rows = sorted(
        (_longer(items[v.item_id].response_a.output, items[v.item_id].response_b.output), outcome(v))
        for v in record.verdicts
        if v.winner is not None and v.decided_by is DecidedBy.JUDGE and v.item_id in items
    )
    if len(rows) < _MIN_PAIRS:
        return []
    bins: dict[int, list[tuple[int, str]]] = {}
    first_at: dict[int, int] = {}
    for i, row in enumerate(rows):
        first = first_at.setdefault(row[0], i)
        bins.setdefault(first * _N_BINS // len(rows), []).append(row)
    return [_bin(part) for part in bins.values()] if len(bins) > 1 else []


def drawn_lengths(bins: Sequence[LengthBin]) -> Markup:
    """Draw each part's outcomes as one bar, the win rate at its end."""
    return stacked_rows([(_range(one), percent(one.win_rate), _parts(one)) for one in bins])


def _bin(rows: Sequence[tuple[int, str]]) -> LengthBin:
    return LengthBin(low=rows[0][0], high=rows[-1][0], counts=Counter(name for _, name in rows))


def _parts(one: LengthBin) -> list[Part]:
    named = [(kind, name, one.counts.get(name, 0)) for kind, name in OUTCOMES]
    return [Part(n=n, kind=kind, title=f"{name}: {n:,}") for kind, name, n in named]


def _range(one: LengthBin) -> str:
    return f"{one.low:+,}" if one.low == one.high else f"{one.low:+,} to {one.high:+,}"


def _longer(a: str, b: str) -> int:
    return len(b) - len(a)
