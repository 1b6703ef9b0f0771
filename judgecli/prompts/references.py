"""References with alternatives, as MM-Vet writes them: `<OR>` between them, `<AND>` between parts of one."""

from __future__ import annotations

import hashlib


def alternatives(reference: str) -> tuple[str, ...]:
    """Return the alternatives of a reference, each with its parts joined by "and"; at least one."""
    found = (" and ".join(_parts(one, "<AND>")) for one in _parts(reference, "<OR>"))
    return tuple(filter(None, found)) or (reference.strip(),)


def joined(reference: str) -> str:
    """Return all alternatives in one text."""
    return " or ".join(alternatives(reference))


def drawn(reference: str, item_id: str) -> str:
    """Return one alternative, drawn by a hash of the item's id: the same in every run and order."""
    found = alternatives(reference)
    digest = hashlib.sha256(f"alternative {item_id}".encode("utf-8", "surrogatepass")).digest()
    return found[int.from_bytes(digest[:8]) % len(found)]


def _parts(text: str, separator: str) -> list[str]:
    return [part.strip() for part in text.split(separator) if part.strip()]
