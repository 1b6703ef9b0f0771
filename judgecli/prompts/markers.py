"""Altering what an answer may not say: the lines that structure a judge's prompt.

Control tokens cannot come from text at all; markers can, because on many vocabularies `[INST]` or JudgeLM's
bracket lines are ordinary text. Where one stands in an answer, in any case or spacing, its brackets become
parentheses, visibly, and the judgment is flagged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from judgecli.types import UNSEEN

# U+2581 is how SentencePiece writes a blank: the same tokens come of it
_INVISIBLE = rf"[\s\u2581{UNSEEN}]*"
_ALTERED = str.maketrans("[]<>#", "()()=")


@lru_cache(maxsize=64)
def marker_pattern(markers: tuple[str, ...]) -> re.Pattern[str] | None:
    """Return a pattern for markers in any case and spacing; `{n}` in one stands for any number."""
    return re.compile("|".join(map(_loose, markers)), re.IGNORECASE) if markers else None


def _loose(marker: str) -> str:
    parts: Iterable[str] = re.findall(r"\{n\}|\w+|[^\w\s]", marker)
    spelled = {"{n}": r"\d+", "'": "['\u2018\u2019]"}
    return _INVISIBLE.join(spelled.get(part) or _with_unseen(part) for part in parts)


def _with_unseen(word: str) -> str:
    """Return a pattern for a word that may have characters in it that nobody sees."""
    return f"[{UNSEEN}]*".join(map(re.escape, word))


def alter_markers(text: str, markers: tuple[str, ...]) -> str:
    """Return the text with the brackets and hashes of every marker replaced."""
    pattern = marker_pattern(markers)
    return pattern.sub(lambda match: match.group().translate(_ALTERED), text) if pattern else text
