"""The demo model, loaded once; tests that need it are marked `demo` and skipped where it is absent."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from judgecli.backends.llama_cpp.contexts import Contexts, Layout
from judgecli.backends.llama_cpp.engine import Engine
from judgecli.backends.llama_cpp.model import LlamaModel
from judgecli.types import EngineOptions
from tests.places import demo_weights


@pytest.fixture(scope="session")
def demo_path() -> Path:
    return demo_weights()


@pytest.fixture(scope="session")
def demo_tokenizer(demo_path: Path) -> Iterator[object]:
    from judgecli.backends.llama_cpp import open_tokenizer

    with open_tokenizer(demo_path) as tokenizer:
        yield tokenizer


@pytest.fixture(scope="session")
def model(demo_path: Path) -> Iterator[LlamaModel]:
    with LlamaModel(demo_path) as loaded:
        yield loaded


@pytest.fixture(scope="session")
def engine(model: LlamaModel) -> Iterator[Engine]:
    contexts = Contexts(model, Layout(n_ctx=1536, engine=EngineOptions(), n_streams=4))
    yield Engine(contexts, model.tokenizer)
    contexts.close()
