"""Labelled rows of a report, and how a number, an interval or a stranger's text is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from judgecli.types import Estimate

_MAX_ITEM = 400  # characters of one thing in a list
MAX_ID = 60  # characters of an id
# Joiners make one picture of several emoji; they are invisible but harmless.
_JOINERS = "\u200c\u200d"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A label and its phrases; a line may break between phrases, they are joined by commas."""

    label: str
    phrases: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Cells under a header; the first cell of a row says what the others are about."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Rows under a title, and where there is one a table below them."""

    title: str
    rows: tuple[Row, ...]
    table: Table | None = None


def row(label: str, *phrases: str | None) -> Row | None:
    """Return a row of the phrases there are, made safe to print; None without any."""
    said = tuple(clean(phrase) for phrase in phrases if phrase)
    return Row(label=label, phrases=said) if said else None


def section(title: str, rows: Iterable[Row | None], table: Table | None = None) -> Section:
    """Return a section of the rows there are."""
    return Section(title=title, rows=tuple(row for row in rows if row), table=table)


def clean(text: str) -> str:
    """Make control, formatting and line-breaking characters visible, so that text stays on its line.

    Names come from answer files: an escape code in one must not reach a terminal.
    """
    return "".join(
        char if char.isprintable() or char in _JOINERS else char.encode("unicode_escape").decode()
        for char in text
    )


def percent(share: float) -> str:
    """Write a share of 1 as a percentage: `71.2%`."""
    return f"{100 * share:.1f}%"


def points(difference: float) -> str:
    """Write a signed difference of shares in percentage points: `+7.0`."""
    # Adding 0.0 turns the -0.0 that rounding may leave into 0.0.
    return f"{round(100 * difference, 1) + 0.0:+.1f}"


def with_interval(estimate: Estimate) -> str:
    """Write a share with its interval: `71.2% [61.0, 79.8]`; the reason where there is no value."""
    if estimate.value is None:
        return estimate.method
    if estimate.low is None or estimate.high is None:
        return percent(estimate.value)
    return f"{percent(estimate.value)} [{100 * estimate.low:.1f}, {100 * estimate.high:.1f}]"


def bare(estimate: Estimate) -> str:
    """Write a share without its interval; the reason where there is no value."""
    return estimate.method if estimate.value is None else percent(estimate.value)


def points_with_interval(difference: Estimate) -> str:
    """Write a difference of shares with its interval: `+7.0 points [-2.1, +16.0]`; the reason without one."""
    if difference.value is None:
        return difference.method
    if difference.low is None or difference.high is None:
        return f"{points(difference.value)} points"
    return f"{points(difference.value)} points [{points(difference.low)}, {points(difference.high)}]"


def coefficient(estimate: Estimate) -> str:
    """Write a number that is no share: `0.52 [0.42, 0.62]`; the reason where there is none."""
    if estimate.value is None:
        return estimate.method
    if estimate.low is None or estimate.high is None:
        return hundredths(estimate.value)
    return f"{hundredths(estimate.value)} [{hundredths(estimate.low)}, {hundredths(estimate.high)}]"


def hundredths(number: float) -> str:
    """Write a number with two decimals, never as minus zero."""
    return f"{round(number, 2) + 0.0:.2f}"


def p_value(p: float | None) -> str | None:
    """Write a p-value: `p=0.115`, or `p<0.0001`."""
    if p is None:
        return None
    if p < 0.0001:
        return "p<0.0001"
    return f"p={p:.4f}" if p < 0.01 else f"p={p:.3f}"


def shortened(text: str, limit: int) -> str:
    """Return text of at most `limit` characters, three dots standing for what was cut."""
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


def plural(n: int, noun: str) -> str:
    """Write a count with its noun: `1 pair`, `1,200 pairs`."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def breakdown(counts: Iterable[tuple[str, int]]) -> str:
    """Write counts by kind: `2 unreadable, 1 too long`."""
    return ", ".join(f"{n:,} {kind}" for kind, n in counts)


def listed(label: str, items: Iterable[str], limit: int) -> Iterator[Row | None]:
    """Yield a row an item, the label on the first, and how many more there are."""
    for i, item in enumerate(some(items, limit)):
        yield row("" if i else label, item)


def some(items: Iterable[str], limit: int) -> list[str]:
    """Return the first items, and how many more there are."""
    every = [shortened(item, _MAX_ITEM) for item in items]
    rest = len(every) - limit
    return every if rest <= 0 else [*every[:limit], f"and {rest:,} more"]
