"""A model's file is opened once to learn what it is, and again when it has changed."""

from pathlib import Path

import pytest

from judgecli.backends.llama_cpp import describe, fitting_layout, open_tokenizer
from judgecli.backends.llama_cpp.model import LlamaModel
from judgecli.backends.llama_cpp.model_kind import kind_of
from judgecli.errors import ModelError
from judgecli.types import EngineOptions
from tests.decoding import needs_llama_cpp
from tests.random_models import write_llama, write_recurrent

pytestmark = needs_llama_cpp


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files opened so far."""
    paths: list[Path] = []
    open_model = LlamaModel.__init__

    def note(self: LlamaModel, path: Path, **options: object) -> None:
        paths.append(path)
        open_model(self, path, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(LlamaModel, "__init__", note)
    return paths


def test_planning_a_run_opens_the_vocabulary_once(tmp_path: Path, opened: list[Path]) -> None:
    weights = write_llama(tmp_path / "llama.gguf")
    with open_tokenizer(weights):
        describe(n_ctx=256, path=weights)
    fitting_layout(weights, n_ctx=256, engine=EngineOptions(), writes_reasons=True)
    assert opened == [weights]


def test_another_model_in_the_same_place_is_looked_at(tmp_path: Path, opened: list[Path]) -> None:
    weights = write_llama(tmp_path / "model.gguf")
    assert kind_of(weights).can_drop_tails
    assert not kind_of(write_recurrent(weights)).can_drop_tails
    assert opened == [weights, weights]


def test_a_missing_file_is_said_to_be_missing_every_time(tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(ModelError, match=r"no\.gguf: llama\.cpp cannot load this file"):
            kind_of(tmp_path / "no.gguf")
