import pytest

from tests.registry.hub import FakeHub, Repo, caches, hub, no_network
from tests.registry.pulled import MODEL

__all__ = ["caches", "hub", "no_network", "repo"]


@pytest.fixture
def repo(hub: FakeHub) -> Repo:
    """The repository org/repo with one model."""
    hub.repos["org/repo"] = Repo({"m.gguf": MODEL, "README.md": b"hello"})
    return hub.repos["org/repo"]
