"""What is in answer files as one JSON object: the fields of `judgecli.answers.Inspected` and `Joining`."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from judgecli.answers import Inspected, Joining


def inspection_object(found: Sequence[Inspected], joining: Joining | None) -> dict[str, Any]:
    """Return `files`, one object each, and `pairing`, null for a single set of answers."""
    return {
        "files": [asdict(one) for one in found],
        "pairing": None if joining is None else asdict(joining),
    }
