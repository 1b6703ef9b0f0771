"""The demo model, loaded once; tests that need it are marked `demo` and skipped where it is absent."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.places import demo_weights


@pytest.fixture(scope="session")
def demo_path() -> Path:
    return demo_weights()


@pytest.fixture(scope="session")
def demo_tokenizer(demo_path: Path) -> Iterator[object]:
    from judgecli.backends.llama_cpp import open_tokenizer

    with open_tokenizer(demo_path) as tokenizer:
        yield tokenizer
