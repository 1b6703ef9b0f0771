import errno
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import NamedTuple

import pytest

from judgecli.errors import ModelError
from judgecli.registry import plan_pull, pull, resolve
from judgecli.registry.hub_cache import cache_folder
from tests.registry.hub import FakeHub, Repo
from tests.registry.pulled import MODEL, SHA256, SPEC, Heard, partial_file, refused


def test_progress_adds_up(hub: FakeHub, repo: Repo) -> None:
    heard = Heard()
    pull(SPEC, progress=heard)
    assert heard.steps[:2] == [("m.gguf", len(MODEL), 0), ("checking m.gguf", len(MODEL), 0)]
    assert heard.n_bytes == 2 * len(MODEL)


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


def test_a_damaged_partial_file_ends_in_a_wrong_hash_once(hub: FakeHub, repo: Repo) -> None:
    partial_file().parent.mkdir(parents=True)
    partial_file().write_bytes(b"x" * 1000)
    assert "the download was deleted, try again" in refused()
    assert pull(SPEC).sha256 == SHA256


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
