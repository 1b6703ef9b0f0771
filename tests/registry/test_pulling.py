import errno
import hashlib
import json
import os
import shutil
import subprocess
import sys
import threading
import traceback
from pathlib import Path
from typing import NamedTuple

import pytest

from judgecli.errors import ModelError
from judgecli.registry import cards, plan_pull, pull, resolve, verify
from judgecli.registry.hub_cache import cache_folder, repo_folder
from tests.gguf_files import Tensor, gguf_bytes, model_metadata, shard_bytes
from tests.registry.hub import COMMIT, FakeHub, Repo
from tests.registry.layout import JUDGELM, JUDGELM_Q4

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


@pytest.fixture
def repo(hub: FakeHub) -> Repo:
    """The repository org/repo with one model."""
    hub.repos["org/repo"] = Repo({"m.gguf": MODEL, "README.md": b"hello"})
    return hub.repos["org/repo"]


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


def test_a_whole_file(hub: FakeHub, repo: Repo) -> None:
    model = pull(SPEC)
    assert model.path.read_bytes() == MODEL
    assert (model.sha256, model.repo, model.revision) == (SHA256, "org/repo", COMMIT)
    assert model.path == repo_folder("org/repo") / "snapshots" / COMMIT / "m.gguf"
    assert model.path.resolve() == repo_folder("org/repo") / "blobs" / SHA256
    assert len(hub.downloads()) == 1


def test_a_pulled_model_needs_the_hub_no_more(
    hub: FakeHub, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    pull(SPEC)
    asked = len(hub.seen)
    assert resolve(SPEC).sha256 == pull(SPEC).sha256 == SHA256
    assert len(hub.seen) == asked
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert resolve(SPEC).sha256 == SHA256


def test_a_pulled_model_is_where_huggingface_hub_looks(repo: Repo) -> None:
    from huggingface_hub import scan_cache_dir, try_to_load_from_cache

    model = pull(SPEC)
    assert try_to_load_from_cache("org/repo", "m.gguf", cache_dir=cache_folder()) == str(model.path)
    found = scan_cache_dir(cache_folder())
    assert found.warnings == []
    assert found.size_on_disk == len(MODEL)


def test_without_links_the_file_itself_is_in_the_snapshot(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    # huggingface_hub issue 4915: links cannot be had everywhere
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_DISABLE_SYMLINKS", True)
    model = pull(SPEC)
    assert not model.path.is_symlink()
    assert model.path.read_bytes() == MODEL
    files = [
        path for path in repo_folder("org/repo").rglob("*") if path.is_file() and path.stat().st_size > 100
    ]
    assert files == [model.path]
    assert [check.integrity.value for check in verify(SPEC)] == ["intact"]


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


def test_the_token_goes_to_the_hub_and_not_to_the_storage(
    hub: FakeHub, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.access = "gated"
    hub.readers.add(VALID)
    monkeypatch.setenv("HF_TOKEN", VALID)
    pull(SPEC)
    assert {seen.token for seen in hub.seen if seen.path.startswith("/org/repo/")} == {VALID}
    assert [seen.token for seen in hub.downloads()] == [None]


def test_the_plan_says_what_it_takes_before_anything_is_fetched(hub: FakeHub, repo: Repo) -> None:
    plan = plan_pull(SPEC)
    assert (plan.name, plan.total_bytes, plan.needed_bytes) == (SPEC, len(MODEL), len(MODEL))
    assert plan.free_bytes > 0
    assert [remote.sha256 for remote in plan.remotes] == [SHA256]
    assert plan.present is None
    assert hub.downloads() == []


def test_progress_adds_up(hub: FakeHub, repo: Repo) -> None:
    heard = Heard()
    pull(SPEC, progress=heard)
    assert heard.steps[:2] == [("m.gguf", len(MODEL), 0), ("checking m.gguf", len(MODEL), 0)]
    assert heard.n_bytes == 2 * len(MODEL)


def test_a_card_is_pulled_by_its_name(hub: FakeHub) -> None:
    hub.repos[JUDGELM] = Repo({JUDGELM_Q4: MODEL})
    assert pull("judgelm-7b").name == "judgelm-7b:Q4_K_M"
    assert resolve("judgelm-7b").repo == JUDGELM


def test_a_pull_takes_the_default_file_even_where_another_is_here(hub: FakeHub) -> None:
    names = {file.quant: file.paths[0] for file in cards()["judgelm-7b"].files}
    hub.repos[JUDGELM] = Repo({names["Q5_K_M"]: gguf_bytes(model_metadata(n_ctx=1)), JUDGELM_Q4: MODEL})
    pull("judgelm-7b:Q5_K_M")
    assert pull("judgelm-7b").name == "judgelm-7b:Q4_K_M"


def test_a_split_model(hub: FakeHub) -> None:
    shards = {f"q4/m-{number:05d}-of-00002.gguf": data for number, data in enumerate(shard_bytes(2), 1)}
    hub.repos["org/repo"] = Repo(shards)
    model = pull("hf:org/repo/q4/m-00002-of-00002.gguf")
    assert [path.read_bytes() for path in model.paths] == list(shards.values())
    assert model.path.name == "m-00001-of-00002.gguf"


def test_only_the_missing_shard_is_fetched(hub: FakeHub) -> None:
    shards = {f"m-{number:05d}-of-00002.gguf": data for number, data in enumerate(shard_bytes(2), 1)}
    hub.repos["org/repo"] = Repo(shards)
    spec = "hf:org/repo/m-00001-of-00002.gguf"
    pull(spec).paths[1].unlink()
    plan = plan_pull(spec)
    assert plan.needed_bytes == 0  # the blob is still there, only its entry is gone
    pull(spec)
    assert len(hub.downloads()) == 2


def test_a_named_revision(hub: FakeHub, repo: Repo) -> None:
    assert pull(f"{SPEC}@{COMMIT}").revision == COMMIT
    assert resolve(f"{SPEC}@{COMMIT}").path == resolve(SPEC).path


def test_a_cut_connection_goes_on_where_it_stopped(hub: FakeHub, repo: Repo) -> None:
    hub.cuts = [100_000, 50_000]
    heard = Heard()
    assert pull(SPEC, progress=heard).sha256 == SHA256
    first, second, third = hub.downloads()
    assert [first.range, second.range, third.range] == ["bytes=0-", "bytes=100000-", "bytes=150000-"]
    assert first.sent_bytes + second.sent_bytes + third.sent_bytes == len(MODEL)
    assert heard.n_bytes == 2 * len(MODEL)


def test_a_lost_connection_keeps_what_came_and_the_next_pull_goes_on(hub: FakeHub, repo: Repo) -> None:
    hub.cuts = [100_000] + [0] * 10
    message = refused()
    assert "was lost" in message
    assert "after 100 kB of 262 kB; the same command goes on from there" in message
    assert partial_file().stat().st_size == 100_000
    with pytest.raises(ModelError, match="not in the cache"):
        resolve(SPEC)
    hub.cuts = []
    plan = plan_pull(SPEC)
    assert plan.needed_bytes == len(MODEL) - 100_000
    heard = Heard()
    assert pull(SPEC, progress=heard).sha256 == SHA256
    last = hub.downloads()[-1]
    assert last.range == "bytes=100000-"
    assert last.sent_bytes == len(MODEL) - 100_000
    assert heard.steps[0] == ("m.gguf", len(MODEL), 100_000)
    assert not partial_file().exists()


def test_a_killed_pull_goes_on(hub: FakeHub, repo: Repo) -> None:
    partial_file().parent.mkdir(parents=True)
    partial_file().write_bytes(MODEL[:200_000])
    assert pull(SPEC).sha256 == SHA256
    assert hub.downloads()[0].sent_bytes == len(MODEL) - 200_000


def test_a_partial_file_that_is_whole_is_only_checked(hub: FakeHub, repo: Repo) -> None:
    partial_file().parent.mkdir(parents=True)
    partial_file().write_bytes(MODEL)
    assert pull(SPEC).sha256 == SHA256
    assert hub.downloads() == []


def test_a_partial_file_that_is_too_long_is_dropped(hub: FakeHub, repo: Repo) -> None:
    partial_file().parent.mkdir(parents=True)
    partial_file().write_bytes(MODEL + b"more")
    assert pull(SPEC).sha256 == SHA256


def test_a_server_that_ignores_ranges_starts_over(hub: FakeHub, repo: Repo) -> None:
    hub.cuts, hub.ignores_range = [100_000], True
    heard = Heard()
    assert pull(SPEC, progress=heard).sha256 == SHA256
    assert heard.n_bytes == 2 * len(MODEL)


def test_a_busy_storage_is_asked_again(hub: FakeHub, repo: Repo) -> None:
    hub.statuses = [503, 429, 200]
    assert pull(SPEC).sha256 == SHA256


def test_a_storage_that_stays_busy_is_given_up(hub: FakeHub, repo: Repo) -> None:
    hub.statuses = [503] * 20
    assert "was lost" in refused()


def test_a_wrong_hash_is_refused_and_deleted(hub: FakeHub, repo: Repo) -> None:
    hub.stated_sha256["m.gguf"] = "ab" * 32
    message = refused()
    assert SHA256 in message
    assert "ab" * 32 in message
    assert [path for path in repo_folder("org/repo").rglob("*") if path.is_file()] == []
    with pytest.raises(ModelError, match="not in the cache"):
        resolve(SPEC)


def test_a_damaged_partial_file_ends_in_a_wrong_hash_once(hub: FakeHub, repo: Repo) -> None:
    partial_file().parent.mkdir(parents=True)
    partial_file().write_bytes(b"x" * 1000)
    assert "the download was deleted, try again" in refused()
    assert pull(SPEC).sha256 == SHA256


def test_a_file_that_the_card_knows_otherwise_is_not_fetched(hub: FakeHub) -> None:
    file = next(file for file in cards()["judgelm-7b"].files if file.quant == "Q2_K")
    hub.repos[JUDGELM] = Repo({file.paths[0]: MODEL})
    message = refused("judgelm-7b:Q2_K")
    assert SHA256 in message
    assert str(file.sha256[0]) in message
    assert hub.downloads() == []


def test_a_size_that_the_card_knows_otherwise_is_not_fetched(hub: FakeHub) -> None:
    file = next(file for file in cards()["judgelm-7b"].files if file.quant == "Q3_K_M")
    hub.repos[JUDGELM] = Repo({file.paths[0]: MODEL})
    hub.stated_sha256[file.paths[0]] = str(file.sha256[0])
    assert f"the card has 3,298,004,960 bytes, the hub {len(MODEL):,}" in refused("judgelm-7b:Q3_K_M")
    assert hub.downloads() == []


def test_a_file_without_a_stated_hash_is_kept_with_a_warning(hub: FakeHub, repo: Repo) -> None:
    repo.in_git = True
    heard = Heard()
    assert pull(SPEC, progress=heard).sha256 == SHA256
    assert heard.warnings == ["the hub states no SHA-256 for m.gguf; only its size was checked"]


def test_a_model_that_cannot_judge_is_refused_after_the_pull(hub: FakeHub) -> None:
    hub.repos["org/repo"] = Repo({"m.gguf": gguf_bytes(model_metadata("bert"))})
    assert "bert is not a model that writes text" in refused()


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


class Usage(NamedTuple):
    total: int
    used: int
    free: int


def test_no_space_is_said_before_anything_is_fetched(
    hub: FakeHub, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(10**6, 10**6 - 1000, 1000))
    message = refused()
    assert "needs 262 kB more" in message
    assert "has 1.00 kB free" in message
    assert hub.downloads() == []


def test_what_is_here_already_needs_no_space(
    hub: FakeHub, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    partial_file().parent.mkdir(parents=True)
    partial_file().write_bytes(MODEL[:-500])
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(10**6, 10**6 - 1000, 1000))
    assert pull(SPEC).sha256 == SHA256


def test_a_disk_that_fills_up_on_the_way(hub: FakeHub, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert "no space left in" in refused()
    monkeypatch.undo()


def test_a_cache_that_cannot_be_written(
    hub: FakeHub, repo: Repo, caches: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (caches / "file").touch()
    monkeypatch.setenv("HF_HUB_CACHE", str(caches / "file" / "cache"))
    assert "cannot be written" in refused()


def test_two_pulls_at_once_fetch_the_file_once(hub: FakeHub, repo: Repo) -> None:
    code = "import sys; from judgecli.registry import pull; print(pull(sys.argv[1]).sha256)"
    command = [sys.executable, "-c", code, SPEC]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [process.communicate()[0].strip() for process in processes] == [SHA256, SHA256]
    assert sum(seen.sent_bytes for seen in hub.downloads()) == len(MODEL)


def test_waiting_for_another_process_is_said(hub: FakeHub, repo: Repo) -> None:
    from huggingface_hub.utils import WeakFileLock

    lock = cache_folder() / ".locks" / "models--org--repo" / f"{SHA256}.lock"
    lock.parent.mkdir(parents=True)
    heard = Heard()
    with WeakFileLock(lock):
        thread = threading.Thread(target=pull, args=(SPEC,), kwargs={"progress": heard})
        thread.start()
        while not heard.warnings and thread.is_alive():
            thread.join(0.01)
    thread.join()
    assert heard.warnings == ["another process is downloading m.gguf; waiting for it"]
    assert resolve(SPEC).sha256 == SHA256


def test_a_file_beyond_plain_http_names_the_tool_that_fetches_it(
    hub: FakeHub, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "MAX_HTTP_DOWNLOAD_SIZE", 1000)
    assert refused().endswith("run: hf download org/repo m.gguf")


def test_a_damaged_model_in_the_cache_is_not_fetched_over(hub: FakeHub, repo: Repo) -> None:
    pull(SPEC).path.resolve().write_bytes(MODEL[:-200_000])
    assert "truncated" in refused()
    assert len(hub.downloads()) == 1


def test_a_path_and_an_unknown_name_are_not_pulled(hub: FakeHub, tmp_path: Path) -> None:
    assert "is a file on this machine; there is nothing to pull" in refused(str(tmp_path / "m.gguf"))
    assert "did you mean" in refused("judgelm")
    assert "No GGUF file of JudgeLM 13B is known" in refused("judgelm-13b")
    assert hub.seen == []
