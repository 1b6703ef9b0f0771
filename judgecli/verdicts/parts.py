"""Passages of a judge's text that its family names: a reason, a reference of its own."""

from __future__ import annotations

from collections.abc import Mapping


def find_parts(text: str, headings: Mapping[str, str]) -> dict[str, str]:
    """Return the passage after each heading, up to the next one; absent or empty ones are left out.

    `headings` maps a passage's name to the text that stands before it.
    """
    found = sorted((text.find(heading), len(heading), name) for name, heading in headings.items())
    starts = [(at, at + length, name) for at, length, name in found if at >= 0]
    ends = [*[at for at, _, _ in starts], len(text)][1:]
    passages = {name: text[start:end].strip() for (_, start, name), end in zip(starts, ends, strict=True)}
    return {name: passage for name, passage in passages.items() if passage}
