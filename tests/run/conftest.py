from pathlib import Path

import pytest

from tests.judging import two_files
from tests.run.made_up import Runs


@pytest.fixture
def runs(folder: Path) -> Runs:
    two_files(folder, ["a one", "a two", "a three"], ["b one", "b two", "b three"])
    return Runs()
