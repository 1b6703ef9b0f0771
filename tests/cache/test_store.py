"""The file of a cache: found again, shared, bounded, and never trusted to be what it should be."""

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from judgecli.cache import FILE_NAME, CompletionCache
from judgecli.cache import store as store_module
from judgecli.errors import CacheError
from tests.cache.made_up import JUDGE

A, B, C = (bytes([n]) * 32 for n in range(3))


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[CompletionCache]:
    with CompletionCache(tmp_path / "new" / "folder") as opened:
        yield opened


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The file of a cache that holds one completion."""
    with CompletionCache(tmp_path) as opened:
        opened.keep(A, JUDGE, "a")
    return tmp_path / FILE_NAME


def sentence(folder: Path) -> str:
    with pytest.raises(CacheError) as caught:
        CompletionCache(folder)
    return str(caught.value)


def read_and_write(folder: Path) -> None:
    with CompletionCache(folder) as opened:
        list(opened.find([A]))
        opened.keep(B, JUDGE, "b")


def test_what_is_kept_is_found(cache: CompletionCache) -> None:
    cache.keep(A, JUDGE, "a")
    cache.keep(B, JUDGE, "b")
    assert dict(cache.find([C, A])) == {A: "a"}
    assert list(cache.find([])) == []


def test_it_is_there_for_the_next_process(path: Path) -> None:
    with CompletionCache(path.parent) as opened:
        assert dict(opened.find([A, B])) == {A: "a"}
    assert sorted(file.name for file in path.parent.iterdir()) == [FILE_NAME]


def test_the_last_one_kept_counts(cache: CompletionCache) -> None:
    cache.keep(A, JUDGE, "old")
    cache.keep(A, JUDGE, "new")
    assert dict(cache.find([A])) == {A: "new"}
    assert cache.info().n_entries == 1


def test_more_keys_than_sqlite_takes_at_once(cache: CompletionCache) -> None:
    keys = [n.to_bytes(32) for n in range(2_500)]
    for key in keys[::2]:
        cache.keep(key, JUDGE, key.hex())
    assert [key for key, _ in cache.find([*keys, *keys])] == keys[::2]


def test_two_processes_see_each_other_s(cache: CompletionCache) -> None:
    with CompletionCache(cache.path.parent) as other:
        other.keep(A, JUDGE, "a")
        cache.keep(B, JUDGE, "b")
        assert dict(cache.find([A, B])) == dict(other.find([A, B])) == {A: "a", B: "b"}


def test_many_may_make_it_at_the_same_time(tmp_path: Path) -> None:
    def fill(n: int) -> None:
        with CompletionCache(tmp_path) as opened:
            for k in range(50):
                opened.keep(bytes([n, k]), JUDGE, f"{n} {k}")

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(fill, range(8)))
    with CompletionCache(tmp_path) as opened:
        assert opened.info().n_entries == 400


def test_info_counts_by_judge(cache: CompletionCache) -> None:
    assert (cache.info().n_entries, cache.info().judges) == (0, ())
    cache.keep(A, JUDGE, "aa")
    cache.keep(B, JUDGE, "bbb")
    cache.keep(C, replace(JUDGE, name="other", identity="https://example.org/v1"), "c")
    info = cache.info()
    shares = [(one.name, one.identity, one.n_entries, one.size_bytes) for one in info.judges]
    assert shares == [("made-up", "f" * 64, 2, 5), ("other", "https://example.org/v1", 1, 1)]
    assert {one.last_used for one in info.judges} == {datetime.now(UTC).date()}
    assert (info.path, info.n_entries) == (cache.path, 3)
    assert info.size_bytes >= cache.path.stat().st_size > 0


class TestClearing:
    def test_all(self, cache: CompletionCache) -> None:
        for n in range(2_000):
            cache.keep(n.to_bytes(32), JUDGE, "x" * 1_000)
        before = cache.info().size_bytes
        cleared = cache.clear()
        assert (cleared.n_removed, cleared.n_before) == (2_000, 2_000)
        assert before - cleared.freed_bytes == cache.info().size_bytes
        assert cache.info().n_entries == 0
        cache.close()
        assert cache.path.stat().st_size < before / 10

    def test_what_was_not_used_for_long(
        self, cache: CompletionCache, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        today = store_module._today()
        for days, key in ((10, A), (5, B), (9, C)):
            monkeypatch.setattr(store_module, "_today", lambda days=days: today - days)
            cache.keep(key, JUDGE, "x")
        monkeypatch.setattr(store_module, "_today", lambda: today)
        assert dict(cache.find([C])) == {C: "x"}  # used again
        cleared = cache.clear(older_than_days=9)
        assert (cleared.n_removed, cleared.n_before) == (1, 3)
        assert set(dict(cache.find([A, B, C]))) == {B, C}
        assert cache.info().judges[0].last_used == datetime.now(UTC).date()
        assert cache.clear(older_than_days=0).n_removed == 0

    def test_days_are_told(self, cache: CompletionCache, monkeypatch: pytest.MonkeyPatch) -> None:
        today = store_module._today()
        monkeypatch.setattr(store_module, "_today", lambda: today - 3)
        cache.keep(A, JUDGE, "x")
        assert cache.info().judges[0].last_used == datetime.now(UTC).date() - timedelta(days=3)


def test_it_does_not_grow_beyond_its_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    today = store_module._today()
    monkeypatch.setattr(store_module, "_TRIM_EVERY", 100)
    with CompletionCache(tmp_path, max_bytes=400_000) as cache:
        cache.keep(A, JUDGE, "first")
        monkeypatch.setattr(store_module, "_today", lambda: today + 1)
        for n in range(1_000):
            if n % 50 == 0:
                assert list(cache.find([A])) == [(A, "first")]  # in use
            cache.keep(b"k" + n.to_bytes(31), JUDGE, "x" * 1_000)
            monkeypatch.setattr(store_module, "_today", lambda n=n: today + 1 + n)
        assert list(cache.find([b"k" + (999).to_bytes(31)])) != []
        assert list(cache.find([b"k" + (0).to_bytes(31)])) == []
    with CompletionCache(tmp_path, max_bytes=400_000) as cache:
        assert 200 < cache.info().n_entries < 400
        assert cache.path.stat().st_size < 700_000


class TestTrouble:
    def test_a_damaged_file(self, path: Path) -> None:
        path.write_bytes(b"not a database, however long this text is" * 100)
        assert (
            sentence(path.parent) == f"{path}: the cache is damaged (file is not a database); remove the file"
        )

    def test_a_file_that_was_cut_off(self, path: Path) -> None:
        with path.open("r+b") as file:
            file.truncate(5_000)
        with pytest.raises(CacheError, match="is damaged"):
            read_and_write(path.parent)

    def test_an_empty_file_becomes_one(self, tmp_path: Path) -> None:
        (tmp_path / FILE_NAME).touch()
        with CompletionCache(tmp_path) as opened:
            opened.keep(A, JUDGE, "a")
            assert opened.info().n_entries == 1

    def test_another_program_s_file_is_left_alone(self, tmp_path: Path) -> None:
        path = tmp_path / FILE_NAME
        connection = sqlite3.connect(path)
        connection.execute("CREATE TABLE theirs (x)")
        connection.commit()
        connection.close()
        before = path.read_bytes()
        assert sentence(tmp_path) == f"{path}: this is no cache of judgecli; name another folder"
        assert path.read_bytes() == before

    def test_another_version(self, path: Path) -> None:
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA user_version = 2")
        connection.close()
        said = "a cache of version 2, and this judgecli reads 1; remove the file, or name another folder"
        assert sentence(path.parent) == f"{path}: {said}"

    def test_no_folder(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        assert sentence(tmp_path / "file").startswith(f"{tmp_path / 'file'}: no folder for a cache (")

    def test_a_folder_in_the_place_of_the_file(self, tmp_path: Path) -> None:
        (tmp_path / FILE_NAME).mkdir()
        assert "the cache cannot be written (" in sentence(tmp_path)

    def test_a_locked_file(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(store_module, "_BUSY_S", 0.05)
        other = sqlite3.connect(path, isolation_level=None)
        with CompletionCache(path.parent) as opened:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(CacheError, match="another process has held the cache for"):
                opened.keep(B, JUDGE, "b")
            other.execute("ROLLBACK")
        other.close()

    def test_a_full_disk(self, cache: CompletionCache) -> None:
        cache.keep(A, JUDGE, "a")
        cache._connection.execute("PRAGMA max_page_count = 8")
        with pytest.raises(CacheError, match=r"cannot be written \(.*full\); free some space"):
            cache.keep(B, JUDGE, "b" * 100_000)
        assert dict(cache.find([A])) == {A: "a"}


DAMAGES = {
    "UPDATE completions SET used_on = 99999999999999": "a day of use that is none, 99999999999999",
    "UPDATE completions SET used_on = -1": "a day of use that is none, -1",
    "UPDATE completions SET used_on = 1.5": "a day of use that is none, 1.5",
    "UPDATE completions SET used_on = 'abc' WHERE completion = 'b'": "a day of use that is none, 'abc'",
    "UPDATE completions SET used_on = x'00ff'": "a day of use that is none, b'\\x00\\xff'",
    "UPDATE judges SET identity = x'00ff'": "a judge without a name",
    "UPDATE judges SET name = x'00ff'": "a judge without a name",
    "DELETE FROM judges": "a judge without a name",
}


class TestDamagedValues:
    """A file that SQLite reads and that somebody has changed."""

    @pytest.fixture(params=DAMAGES)
    def damage(self, request: pytest.FixtureRequest, path: Path) -> str:
        with CompletionCache(path.parent) as opened:
            opened.keep(B, JUDGE, "b")
        connection = sqlite3.connect(path, isolation_level=None)
        assert connection.execute(request.param).rowcount
        connection.close()
        return DAMAGES[request.param]

    def test_are_told(self, path: Path, damage: str) -> None:
        said = f"{path}: the cache is damaged ({damage}); empty it with `judge cache clear`"
        with CompletionCache(path.parent) as opened:
            with pytest.raises(CacheError) as caught:
                opened.info()
            assert str(caught.value) == said
            assert dict(opened.find([A, B])) == {A: "a", B: "b"}  # a run reads what it finds

    def test_days_that_are_none_stop_only_what_goes_by_days(self, path: Path, damage: str) -> None:
        with CompletionCache(path.parent) as opened:
            if "day" in damage:
                with pytest.raises(CacheError) as caught:
                    opened.clear(older_than_days=3)
                assert damage in str(caught.value)
            else:
                assert opened.clear(older_than_days=3).n_removed == 0
            assert dict(opened.find([A, B])) == {A: "a", B: "b"}

    def test_one_day_that_is_none_is_enough(self, path: Path) -> None:
        with CompletionCache(path.parent) as opened:
            opened.keep(B, JUDGE, "b")
            opened._connection.execute("UPDATE completions SET used_on = -1 WHERE completion = 'b'")
            with pytest.raises(CacheError, match="a day of use that is none, -1"):
                opened.clear(older_than_days=3)

    @pytest.mark.usefixtures("damage")
    def test_are_gone_when_all_is(self, path: Path) -> None:
        with CompletionCache(path.parent) as opened:
            cleared = opened.clear()
            assert (cleared.n_removed, cleared.n_before) == (2, 2)
            assert opened.info().judges == ()
        with CompletionCache(path.parent) as opened:
            opened.keep(C, JUDGE, "c")
            assert [one.n_entries for one in opened.info().judges] == [1]
