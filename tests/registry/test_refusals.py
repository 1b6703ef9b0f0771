import json
from pathlib import Path

import pytest

from judgecli.registry import pull
from tests.registry.hub import FakeHub, Repo
from tests.registry.pulled import MODEL, SHA256, SPEC, STALE, VALID, Heard, refused


def test_what_a_pull_checked_is_written_down_without_a_token(
    caches: Path, hub: FakeHub, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.readers.add(VALID)
    monkeypatch.setenv("HF_TOKEN", VALID)
    pull(SPEC)
    text = (caches / "judge cache" / "hashes.json").read_text(encoding="utf-8")
    (entry,) = json.loads(text).values()
    assert (entry["sha256"], entry["size_bytes"]) == (SHA256, len(MODEL))
    everything = b"".join(path.read_bytes() for path in caches.rglob("*") if path.is_file())
    assert VALID.encode() not in everything


def test_no_token_and_not_public(hub: FakeHub, repo: Repo) -> None:
    repo.access = "private"
    message = refused()
    assert "org/repo does not exist, or is private or gated, and no token is set (401)" in message
    assert f"{hub.url}/org/repo" in message


def test_a_gated_repository_without_a_token(hub: FakeHub, repo: Repo) -> None:
    # huggingface_hub issue 2844: the causes of a 401 or 403 could not be told apart
    repo.access = "gated"
    message = refused()
    assert f"org/repo is gated (401): accept its licence at {hub.url}/org/repo" in message
    assert "set HF_TOKEN" in message


def test_a_gated_repository_with_a_token_without_access(
    hub: FakeHub, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.access = "gated"
    hub.tokens.add(VALID)
    monkeypatch.setenv("HF_TOKEN", VALID)
    message = refused()
    assert f"org/repo is gated (403): accept its licence at {hub.url}/org/repo" in message
    assert "with the account of your token, which has no access yet" in message


def test_a_stale_token_is_dropped_for_a_public_repository(
    hub: FakeHub, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    # huggingface_hub PR 2847: a stale token broke even public repositories
    monkeypatch.setenv("HF_TOKEN", STALE)
    heard = Heard()
    assert pull(SPEC, progress=heard).sha256 == SHA256
    assert heard.warnings == [
        "the hub refused your token; org/repo is public, going on without (check HF_TOKEN)"
    ]


@pytest.mark.parametrize(
    ("access", "sentence"),
    [("private", "the hub refused your token"), ("gated", "your token was refused")],
)
def test_a_stale_token_for_a_closed_repository(
    hub: FakeHub, repo: Repo, monkeypatch: pytest.MonkeyPatch, access: str, sentence: str
) -> None:
    repo.access = access
    monkeypatch.setenv("HF_TOKEN", STALE)
    message = refused()
    assert sentence in message
    assert f"{hub.url}/settings/tokens" in message


def test_a_token_that_is_none_is_not_sent(hub: FakeHub, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    # The HTTP client would print it in full in its complaint.
    monkeypatch.setenv("HF_TOKEN", "hf_secret with blanks and ü")
    heard = Heard()
    assert pull(SPEC, progress=heard).sha256 == SHA256
    assert {seen.token for seen in hub.seen} == {None}
    (warning,) = heard.warnings
    assert "secret" not in warning


def test_a_missing_repository(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "org/gone does not exist, or is private or gated" in refused("hf:org/gone/m.gguf")
    hub.readers.add(VALID)
    monkeypatch.setenv("HF_TOKEN", VALID)
    message = refused("hf:org/gone/m.gguf")
    assert message == f"org/gone is not on the hub, or is private; check the name at {hub.url}/org/gone"


def test_a_missing_file_lists_close_names(hub: FakeHub, repo: Repo) -> None:
    repo.files = {"judge.Q4_K_M.gguf": MODEL, "judge.Q8_0.gguf": MODEL, "judge.Q4_K_M.txt": b""}
    message = refused("hf:org/repo/judge.Q4_K_S.gguf")
    assert f"org/repo has no file judge.Q4_K_S.gguf; see {hub.url}/org/repo/tree/main" in message
    assert "(close to it: judge.Q4_K_M.gguf, judge.Q8_0.gguf)" in message


def test_a_missing_revision(hub: FakeHub, repo: Repo) -> None:
    assert "org/repo has no revision v9; see" in refused(f"{SPEC}@v9")


def test_a_name_no_repository_can_have(hub: FakeHub) -> None:
    assert "cannot be a hub repository" in refused("hf:org/re--po/m.gguf")
    assert hub.seen == []


def test_a_hub_that_is_not_there(caches: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    message = refused()
    assert "http://127.0.0.1:9 cannot be reached (ConnectError)" in message
    assert "models in the cache work without it" in message


def test_a_server_that_is_no_hub(hub: FakeHub, repo: Repo) -> None:
    repo.commit = "../../../etc"
    assert f"{hub.url} does not answer like a Hugging Face hub" in refused()


def test_an_endpoint_that_is_no_address(caches: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "huggingface.co")
    assert "it must begin with http:// or https://" in refused()


def test_offline_is_said_at_once(
    caches: Path, monkeypatch: pytest.MonkeyPatch, no_network: list[object]
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert "HF_HUB_OFFLINE is set" in refused()
    assert no_network == []


def test_a_file_beyond_plain_http_names_the_tool_that_fetches_it(
    hub: FakeHub, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "MAX_HTTP_DOWNLOAD_SIZE", 1000)
    assert refused().endswith("run: hf download org/repo m.gguf")


def test_a_path_and_an_unknown_name_are_not_pulled(hub: FakeHub, tmp_path: Path) -> None:
    assert "is a file on this machine; there is nothing to pull" in refused(str(tmp_path / "m.gguf"))
    assert "did you mean" in refused("judgelm")
    assert "No GGUF file of JudgeLM 13B is known" in refused("judgelm-13b")
    assert hub.seen == []
