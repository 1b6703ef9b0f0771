import hashlib
import json
import os
from pathlib import Path

import pytest

from judgecli.registry import SILENT, Progress, hashes


class Counting:
    """Counts the files that were really read."""

    def __init__(self) -> None:
        self.started: list[str] = []
        self.n_bytes = 0

    def start(self, label: str, total_bytes: int, done_bytes: int = 0) -> None:
        self.started.append(label)

    def advance(self, n_bytes: int) -> None:
        self.n_bytes += n_bytes

    def stop(self) -> None:
        pass

    def warn(self, sentence: str) -> None:
        raise AssertionError(sentence)


def old_file(path: Path, data: bytes = b"weights") -> Path:
    """Write a file that was last changed an hour ago."""
    path.write_bytes(data)
    an_hour_ago = path.stat().st_mtime - 3600
    os.utime(path, (an_hour_ago, an_hour_ago))
    return path


def read_count(path: Path) -> int:
    progress: Progress = Counting()
    assert hashes.sha256_of(path, progress) == hashlib.sha256(path.read_bytes()).hexdigest()
    assert isinstance(progress, Counting)
    return len(progress.started)


def test_a_file_is_read_once(caches: Path) -> None:
    path = old_file(caches / "m ü.gguf")
    assert [read_count(path), read_count(path)] == [1, 0]


def test_progress_counts_every_byte(caches: Path) -> None:
    progress = Counting()
    hashes.hash_file(old_file(caches / "m.gguf", b"x" * 5_000_000), progress)
    assert progress.n_bytes == 5_000_000
    assert progress.started == ["checking m.gguf"]


def test_another_time_or_size_is_another_file(caches: Path) -> None:
    path = old_file(caches / "m.gguf")
    read_count(path)
    os.utime(path, ns=(0, path.stat().st_mtime_ns - 1))
    assert read_count(path) == 1
    old_file(path, b"longer weights")
    assert read_count(path) == 1


def test_a_file_just_written_is_not_remembered(caches: Path) -> None:
    # A second write within one tick of the file system's clock would go unseen.
    path = caches / "m.gguf"
    path.write_bytes(b"one")
    assert read_count(path) == 1
    path.write_bytes(b"two")
    assert read_count(path) == 1


def test_a_link_and_its_target_are_one_file(caches: Path) -> None:
    path = old_file(caches / "m.gguf")
    (caches / "link.gguf").symlink_to(path)
    read_count(path)
    assert read_count(caches / "link.gguf") == 0


@pytest.mark.parametrize("text", ["", "[]", "{", '{"/x": 3}', "\ufeff{}"])
def test_a_damaged_cache_is_an_empty_one(caches: Path, text: str) -> None:
    folder = hashes.judge_cache_folder()
    folder.mkdir()
    (folder / "hashes.json").write_text(text, encoding="utf-8")
    path = old_file(caches / "m.gguf")
    assert [read_count(path), read_count(path)] == [1, 0]


def test_a_cache_that_cannot_be_written_is_no_error(caches: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (caches / "a file").touch()
    monkeypatch.setenv("JUDGE_CACHE_DIR", str(caches / "a file" / "inside"))
    path = old_file(caches / "m.gguf")
    assert [read_count(path), read_count(path)] == [1, 1]


def test_no_home_is_no_error(caches: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("JUDGE_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: "/dev/null/no home")
    path = old_file(caches / "m.gguf")
    assert [read_count(path), read_count(path)] == [1, 1]


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    monkeypatch.delenv("JUDGE_CACHE_DIR", raising=False)
    assert hashes.judge_cache_folder() == Path("/x/judgecli")
    monkeypatch.setenv("JUDGE_CACHE_DIR", "/j")
    assert hashes.judge_cache_folder() == Path("/j")


def test_the_cache_is_replaced_as_a_whole(caches: Path) -> None:
    hashes.sha256_of(old_file(caches / "a.gguf"), SILENT)
    hashes.sha256_of(old_file(caches / "b.gguf"), SILENT)
    folder = hashes.judge_cache_folder()
    assert [path.name for path in folder.iterdir()] == ["hashes.json"]
    assert len(json.loads((folder / "hashes.json").read_text(encoding="utf-8"))) == 2


def test_a_forgotten_file_is_read_again(caches: Path) -> None:
    path = old_file(caches / "m.gguf")
    read_count(path)
    hashes.forget(path)
    assert read_count(path) == 1


def test_the_hash_of_one_file_names_it_and_shards_have_a_hash_of_hashes() -> None:
    assert hashes.combined_sha256(["ab" * 32]) == "ab" * 32
    both = hashes.combined_sha256(["ab" * 32, "cd" * 32])
    assert both == hashlib.sha256(b"ab" * 32 + b"\n" + b"cd" * 32 + b"\n").hexdigest()
    assert both != hashes.combined_sha256(["cd" * 32, "ab" * 32])
