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
    lines = lines[:n_lines]
    n_more = len(text.rstrip()) - _n_shown(shown, sum(map(_n_inked, lines)))
    return [*lines, *wrap(f"... {n_more:,} more characters")] if n_more > 0 else lines


def _n_shown(text: str, n_inked: int) -> int:
    """Return how many characters of a text stand on lines that have so many which are no blanks.

    Blanks go where lines break, and a character that cannot be printed takes several.
    """
    end = 0
    for index, char in enumerate(text, 1):
        inked = 0 if char.splitlines() == [""] else _n_inked(clean(char.replace("\t", _TAB)))
        if inked > n_inked:
            break
        n_inked -= inked
        end = index if inked else end
    return end


def _n_inked(line: str) -> int:
    return sum(not char.isspace() for char in line)


def one_line(text: str, limit: int) -> str:
    """Return the beginning of a text on one line of at most `limit` characters."""
    words = " ".join(text[: 4 * limit].split())
    said = clean(words)
    return said if len(said) <= limit and len(text) <= 4 * limit else f"{said[: limit - 3].rstrip()}..."


def _plain(line: str) -> str:
    return clean(line.replace("\t", _TAB)).rstrip()
