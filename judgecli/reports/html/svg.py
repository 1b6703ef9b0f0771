"""Charts as inline SVG: pure functions from numbers to markup.

Shares are of 1 and axes run from 0 to 1 unless said otherwise. Colours come from classes, as a strict policy
allows no style attributes; every text is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

WIDTH = 360
_ROW = 24
_NAME, _VALUE = 120, 52  # widths left for names and for values at the end of a row
_MAX_NAME = 17


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of a bar: how much, in which colour, and what it is for those who point at it."""

    n: int
    kind: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalRow:
    """A value with its interval; `low` and `high` None where there is none, `value` None for a gap."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SharePoint:
    """A share `y` with its interval at a share `x`; `kind` is its colour."""

    x: float
    y: float
    low: float | None
    high: float | None
    said: str
    kind: str = "point"


def stacked_bar(parts: Sequence[Part], height: int = 14) -> Markup:
    """Draw parts of a whole along one bar; parts of nothing take no room."""
    return _svg(WIDTH, height, "bar", _stack(parts, 0, 0, WIDTH, height), stretch=True)


def stacked_rows(rows: Sequence[tuple[str, str, Sequence[Part]]]) -> Markup:
    """Draw a bar of parts for each (name, value, parts), all of one length."""
    drawn = []
    for i, (name, said, parts) in enumerate(rows):
        y = i * _ROW
        drawn += [_text(name, 0, y + 16, "name"), _text(said, WIDTH, y + 16, "value")]
        drawn += _stack(parts, _NAME, y + 5, WIDTH - _NAME - _VALUE, 13)
    return _svg(WIDTH, len(rows) * _ROW, "rows", drawn)


def count_rows(rows: Sequence[tuple[str, int, str]]) -> Markup:
    """Draw a bar for each (name, n, kind) as long as its share of the largest; 0 has none."""
    most = max((n for _, n, _ in rows), default=0) or 1
    drawn = []
    for i, (name, n, kind) in enumerate(rows):
        y, room = i * _ROW, WIDTH - _NAME - _VALUE
        bar = _rect(_NAME, y + 5, max(room * n / most, 1.5 if n else 0), 13, kind or "even")
        drawn.append(_text(name, 0, y + 16, "name") + bar + _text(f"{n:,}", WIDTH, y + 16, "value"))
    return _svg(WIDTH, len(rows) * _ROW, "rows", drawn)


def interval_rows(
    rows: Sequence[IntervalRow], low: float = 0.0, high: float = 1.0, mark: float | None = 0.5
) -> Markup:
    """Draw values and intervals on one axis from `low` to `high`, with a line at `mark`."""
    left, right = _NAME + 4, WIDTH - _VALUE - 4
    height = len(rows) * _ROW
    drawn = [_line(x, 0, x, height, "mark") for x in _at([mark], low, high, left, right)]
    for i, row in enumerate(rows):
        y = i * _ROW + 12
        drawn.append(_text(row.name, 0, y + 4, "name") + _text(row.said, WIDTH, y + 4, "value"))
        ends = _at([row.low, row.high], low, high, left, right)
        if len(ends) == 2:
            drawn.append(_line(ends[0], y, ends[1], y, "interval"))
        drawn += [_circle(x, y, 4, "point") for x in _at([row.value], low, high, left, right)]
    return _svg(WIDTH, height, "rows", drawn)


def interval_axis(value: float, low: float | None, high: float | None, mark: float = 0.5) -> Markup:
    """Draw one value with its interval on a bare axis from 0 to 1."""
    drawn = [_line(0, 9, 200, 9, "axis"), _line(200 * mark, 2, 200 * mark, 16, "mark")]
    ends = _at([low, high], 0, 1, 0, 200)
    if len(ends) == 2:
        drawn.append(_line(ends[0], 9, ends[1], 9, "interval"))
    return _svg(200, 18, "axis-only", [*drawn, _circle(min(max(200 * value, 4), 196), 9, 4.5, "point")])


def paired_columns(
    columns: Sequence[tuple[str, int, int]], names: tuple[str, str], height: int = 120
) -> Markup:
    """Draw two counts side by side for each (name, first, second), as columns on one base line."""
    most = max((max(first, second) for _, first, second in columns), default=0) or 1
    step = WIDTH / max(len(columns), 1)
    width, base, drawn = min(step * 0.38, 22), height + 4, [_line(0, height + 4, WIDTH, height + 4, "axis")]
    for i, (name, first, second) in enumerate(columns):
        x = (i + 0.5) * step
        for n, start, kind, who in ((first, x - width - 0.5, "side-a", 0), (second, x + 0.5, "side-b", 1)):
            tall = height * n / most
            drawn.append(_rect(start, base - tall, width, tall, kind, f"{names[who]}: {name}, {n:,}"))
        drawn.append(_text(name, x, base + 15, "tick"))
    return _svg(WIDTH, height + 24, "columns", drawn)


def points_on_diagonal(points: Sequence[SharePoint], size: int = 220) -> Markup:
    """Draw shares against shares, with the diagonal where both are equal."""
    frame = _Frame(x=(0, 1), y=(0, 1), width=size, height=size)
    diagonal = _line(frame.left, frame.bottom, frame.left + size, frame.top, "mark")
    return _svg(WIDTH, frame.bottom + 22, "columns", [*frame.axes(), diagonal, *frame.points(points)])


def points_above(
    points: Sequence[SharePoint], x: tuple[float, float], y: tuple[float, float], mark: float
) -> Markup:
    """Draw shares against shares on axes from and to these, with a level line at `mark`."""
    frame = _Frame(x=x, y=y, width=WIDTH - 50, height=170, x_form=".2f")
    levels = _at([mark], *y, frame.bottom, frame.top)
    lines = [_line(frame.left, level, frame.left + frame.width, level, "mark") for level in levels]
    return _svg(WIDTH, frame.bottom + 22, "columns", [*frame.axes(), *lines, *frame.points(points)])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Frame:
    """Two axes of shares and what stands between them."""

    x: tuple[float, float]
    y: tuple[float, float]
    width: float
    height: float
    x_form: str = ".0%"
    left: float = 34
    top: float = 6

    @property
    def bottom(self) -> float:
        return self.top + self.height

    def axes(self) -> list[Markup]:
        drawn = [
            _line(self.left, self.bottom, self.left + self.width, self.bottom, "axis"),
            _line(self.left, self.top, self.left, self.bottom, "axis"),
        ]
        for part in (0.0, 0.5, 1.0):
            along, up = (low + part * (high - low) for low, high in (self.x, self.y))
            drawn.append(
                _text(format(along, self.x_form), self.left + self.width * part, self.bottom + 16, "tick")
            )
            drawn.append(_text(f"{up:.0%}", self.left - 6, self.bottom - self.height * part + 4, "value"))
        return drawn

    def points(self, points: Sequence[SharePoint]) -> list[Markup]:
        drawn = []
        for point in points:
            [x] = _at([point.x], *self.x, self.left, self.left + self.width)
            ends = _at([point.low, point.high], *self.y, self.bottom, self.top)
            if len(ends) == 2:
                drawn.append(_line(x, ends[0], x, ends[1], "interval"))
            [y] = _at([point.y], *self.y, self.bottom, self.top)
            drawn.append(_circle(x, y, 4, point.kind, point.said))
        return drawn


def _stack(parts: Sequence[Part], x: float, y: float, width: float, height: float) -> list[Markup]:
    total = sum(part.n for part in parts)
    drawn, start = [], x
    for part in parts:
        room = width * part.n / total if total else 0
        drawn += [_rect(start, y, room, height, part.kind, part.title)] if room else []
        start += room
    return drawn


def _at(values: Iterable[float | None], low: float, high: float, start: float, end: float) -> list[float]:
    """Return where known values stand on an axis, those beyond an end at the end."""
    span = (high - low) or 1
    shares = [min(max((value - low) / span, 0), 1) for value in values if value is not None]
    return [start + (end - start) * share for share in shares]


def _svg(width: int, height: float, kind: str, drawn: Iterable[Markup], *, stretch: bool = False) -> Markup:
    ratio = Markup(' preserveAspectRatio="none"') if stretch else ""
    opening = Markup('<svg class="{}" viewBox="0 0 {} {}"{} aria-hidden="true">')
    return opening.format(kind, width, _n(height), ratio) + Markup("").join(drawn) + Markup("</svg>")


def _rect(x: float, y: float, width: float, height: float, kind: str, title: str = "") -> Markup:
    shape = Markup('<rect class="{}" x="{}" y="{}" width="{}" height="{}">{}</rect>')
    return shape.format(kind, _n(x), _n(y), _n(width), _n(height), _title(title))


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Markup:
    shape = Markup('<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}"/>')
    return shape.format(kind, _n(x1), _n(y1), _n(x2), _n(y2))


def _circle(x: float, y: float, radius: float, kind: str, title: str = "") -> Markup:
    shape = Markup('<circle class="{}" cx="{}" cy="{}" r="{}">{}</circle>')
    return shape.format(kind, _n(x), _n(y), radius, _title(title))


def _text(text: str, x: float, y: float, kind: str) -> Markup:
    shown = text if len(text) <= _MAX_NAME or kind != "name" else f"{text[: _MAX_NAME - 1]}\u2026"
    title = _title(text if shown != text else "")
    return Markup('<text class="{}" x="{}" y="{}">{}{}</text>').format(kind, _n(x), _n(y), shown, title)


def _title(text: str) -> Markup:
    return Markup("<title>{}</title>").format(text) if text else Markup("")


def _n(number: float) -> str:
    return f"{round(number, 2):g}"
