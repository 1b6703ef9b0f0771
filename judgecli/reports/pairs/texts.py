"""Texts of a pair on few lines: every character printable, cut with a note."""

from __future__ import annotations

from collections.abc import Callable

from judgecli.reports.wording.rows import clean

_TAB = "    "


def cut_lines(text: str, n_lines: int, width: int, wrap: Callable[[str], list[str]]) -> list[str]:
    """Return a text as at most `n_lines` lines and a note on what was left out.

    `wrap` breaks one line into those that fit `width` cells. An empty text is said to be so.
    """
    if not text.strip():
        return ["(empty)"]
    shown = text[: n_lines * width]
    lines = [piece for line in shown.splitlines() for piece in (wrap(_plain(line)) or [""])]
    while lines and not lines[0]:
        del lines[0]
    while lines and not lines[-1]:
        lines.pop()
    n_shown = len(shown)
    if len(lines) > n_lines:
        lines = lines[:n_lines]
        n_shown = min(n_shown, sum(map(len, lines)) + n_lines)
    n_more = len(text.rstrip()) - n_shown
    return [*lines, *wrap(f"... {n_more:,} more characters")] if n_more > 0 else lines


def one_line(text: str, limit: int) -> str:
    """Return the beginning of a text on one line of at most `limit` characters."""
    words = " ".join(text[: 4 * limit].split())
    said = clean(words)
    return said if len(said) <= limit and len(text) <= 4 * limit else f"{said[: limit - 3].rstrip()}..."


def _plain(line: str) -> str:
    return clean(line.replace("\t", _TAB)).rstrip()
