from pathlib import Path

import pytest

from tests.judging import prefers, script, two_files
from tests.registry.hub import caches, hub, no_network

__all__ = ["caches", "hub", "no_network"]


@pytest.fixture
def model(folder: Path) -> tuple[str, ...]:
    """Four pairs, of which the judge gives q1 to A, q2 to B, ties q3 and cannot read q4."""
    two_files(folder, ["GOOD", "poor", "same sort", "x"], ["poor", "GOOD", "same kind", "y"])
    return script(folder, {"id": "q4", "reply": "I cannot."}, *prefers("GOOD"))
