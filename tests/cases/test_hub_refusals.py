"""A hub that says no is told apart on the command line. Named after a public report."""

import pytest

from tests.conftest import Judge
from tests.gguf_files import gguf_bytes
from tests.registry.hub import FakeHub, Repo, caches, hub

__all__ = ["caches", "hub"]
TOKEN = "hf_myVerySecretToken"


@pytest.fixture
def gated(hub: FakeHub) -> FakeHub:
    hub.repos["org/gated"] = Repo({"m.gguf": gguf_bytes()}, access="gated")
    hub.repos["org/open"] = Repo({"m.gguf": gguf_bytes()})
    return hub


def test_huggingface_hub_2844_three_refusals_have_three_messages(gated: FakeHub, judge: Judge) -> None:
    without = judge("pull", "hf:org/gated/m.gguf", "--yes")
    gated.tokens.add(TOKEN)
    not_accepted = judge("pull", "hf:org/gated/m.gguf", "--yes", HF_TOKEN=TOKEN)
    gated.tokens.clear()
    stale = judge("pull", "hf:org/open/m.gguf", "--yes", HF_TOKEN=TOKEN)
    assert (without.code, not_accepted.code, stale.code) == (4, 4, 0)
    assert f"{gated.url}/org/gated" in without.sentence
    assert f"{gated.url}/org/gated" in not_accepted.sentence
    assert without.sentence != not_accepted.sentence
    assert "warning: the hub refused your token" in stale.err
    for done in (without, not_accepted, stale):
        assert TOKEN not in done.out + done.err
