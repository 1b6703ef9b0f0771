"""What the tests of pulling share: one small model on a hub, and what a pull says."""

import hashlib
import traceback
from pathlib import Path

import pytest

from judgecli.errors import ModelError
from judgecli.registry import pull
from judgecli.registry.hub_cache import repo_folder
from tests.gguf_files import Tensor, gguf_bytes

MODEL = gguf_bytes(tensors=[Tensor("token_embd.weight", (4096, 16))])
SHA256 = hashlib.sha256(MODEL).hexdigest()
SPEC = "hf:org/repo/m.gguf"
STALE = "hf_staleSecretToken123"
VALID = "hf_validSecretToken456"


class Heard:
    """Remembers what a progress listener is told."""

    def __init__(self) -> None:
        self.steps: list[tuple[str, int, int]] = []
        self.warnings: list[str] = []
        self.n_bytes = 0

    def start(self, label: str, total_bytes: int, done_bytes: int = 0) -> None:
        self.steps.append((label, total_bytes, done_bytes))

    def advance(self, n_bytes: int) -> None:
        self.n_bytes += n_bytes

    def stop(self) -> None:
        pass

    def warn(self, sentence: str) -> None:
        self.warnings.append(sentence)


def refused(spec: str = SPEC) -> str:
    """Return the sentence a pull ends with; no token may be anywhere in its traceback."""
    with pytest.raises(ModelError) as error:
        pull(spec)
    assert "\n" not in str(error.value)
    chain = "".join(traceback.format_exception(error.value))
    assert STALE not in chain
    assert VALID not in chain
    return str(error.value)


def partial_file() -> Path:
    return repo_folder("org/repo") / "blobs" / f"{SHA256}.incomplete"
