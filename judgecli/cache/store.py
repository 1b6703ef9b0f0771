"""The file of a cache: SQLite, written row by row, shared by processes, and bounded in size."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import date
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from judgecli.cache.contents import CacheInfo, Cleared, JudgeShare
from judgecli.cache.keys import AskedJudge
from judgecli.errors import CacheError

FILE_NAME = "judgments.sqlite"
VERSION = 1  # of the tables, and of what is kept in them
MAX_BYTES = 1_000_000_000
_APPLICATION = 0x4A444745  # marks the file as ours: "JDGE"
_BUSY_S = 10.0  # how long another process is waited for; each of its writes takes milliseconds
_AT_ONCE = 400  # keys in one look; SQLite takes 999 in any build
_TRIM_EVERY = 2_000  # completions, a few megabytes
_DAY_S = 86_400
_FIRST_DAY = date(1970, 1, 1).toordinal()
_LAST_DAY = date.max.toordinal() - _FIRST_DAY
_TABLES = """
CREATE TABLE judges (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, identity TEXT NOT NULL, UNIQUE (name, identity)
);
CREATE TABLE completions (
    key BLOB NOT NULL UNIQUE, judge INTEGER NOT NULL REFERENCES judges, completion TEXT NOT NULL,
    used_on INTEGER NOT NULL
);
CREATE INDEX completions_by_use ON completions (used_on);
"""


class CompletionCache:
    """An open cache; a context manager that closes it.

    Beyond `max_bytes` the completions that were not used for longest go.
    """

    def __init__(self, folder: Path, *, max_bytes: int = MAX_BYTES) -> None:
        """Open the cache of a folder; make it where there is none.

        Raises:
            CacheError: it cannot be written, is damaged, locked, of another version or no cache at all.
        """
        self.path = folder / FILE_NAME
        self._max_bytes = max_bytes
        self._n_kept = 0
        self._judges: dict[AskedJudge, int] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise CacheError(f"{folder}: no folder for a cache ({reason})") from error
        with self._translated():
            # each statement is a transaction of its own unless it says otherwise
            self._connection = sqlite3.connect(self.path, timeout=_BUSY_S, isolation_level=None)
        try:
            with self._translated():
                self._prepare()
        except BaseException:
            self._connection.close()
            raise

    def _prepare(self) -> None:
        if self._is_new():
            self._create()
        application, version = self._number("application_id"), self._number("user_version")
        if application != _APPLICATION:
            raise CacheError(f"{self.path}: this is no cache of judgecli; name another folder")
        if version != VERSION:
            message = f"{self.path}: a cache of version {version}, and this judgecli reads {VERSION}"
            raise CacheError(f"{message}; remove the file, or name another folder")
        if not os.access(self.path, os.W_OK):
            raise CacheError(f"{self.path}: no permission to write the cache; name another folder")
        # a power cut may cost the last rows, never the file
        self._connection.execute("PRAGMA synchronous = NORMAL")

    def _create(self) -> None:
        with suppress(sqlite3.OperationalError):  # another process is at it
            self._connection.execute("PRAGMA journal_mode = WAL")
        with self._transaction():
            if self._is_new():
                for statement in filter(str.strip, _TABLES.split(";")):
                    self._connection.execute(statement)
                self._connection.execute(f"PRAGMA application_id = {_APPLICATION}")
                self._connection.execute(f"PRAGMA user_version = {VERSION}")

    def _is_new(self) -> bool:
        [n_tables] = self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        return not n_tables and not self._number("application_id")

    def find(self, keys: Sequence[bytes]) -> Iterator[tuple[bytes, str]]:
        """Yield the keys that are there with their completions, and note that they were used.

        Raises:
            CacheError: the cache cannot be read or written.
        """
        left = iter(dict.fromkeys(keys))
        while some := tuple(islice(left, _AT_ONCE)):
            marks = ", ".join("?" * len(some))
            with self._translated():
                found = self._connection.execute(
                    f"SELECT key, completion FROM completions WHERE key IN ({marks})",  # noqa: S608 - question marks
                    some,
                ).fetchall()
                self._connection.execute(
                    f"UPDATE completions SET used_on = ? WHERE used_on < ? AND key IN ({marks})",  # noqa: S608
                    (_today(), _today(), *some),
                )
            yield from found

    def keep(self, key: bytes, judge: AskedJudge, completion: str) -> None:
        """Keep a judge's completion under a key; it is on its way to the disk when this returns.

        Raises:
            CacheError: the cache cannot be written.
        """
        with self._translated():
            if judge not in self._judges:
                self._judges[judge] = self._judge_id(judge)
            self._connection.execute(
                "INSERT OR REPLACE INTO completions VALUES (?, ?, ?, ?)",
                (key, self._judges[judge], completion, _today()),
            )
            self._n_kept += 1
            if self._n_kept % _TRIM_EVERY == 0:
                self._trim()

    def _judge_id(self, judge: AskedJudge) -> int:
        named = (judge.name, judge.identity)
        self._connection.execute("INSERT OR IGNORE INTO judges (name, identity) VALUES (?, ?)", named)
        found = self._connection.execute("SELECT id FROM judges WHERE name = ? AND identity = ?", named)
        return int(found.fetchone()[0])

    def info(self) -> CacheInfo:
        """Count what is there.

        Raises:
            CacheError: the cache cannot be read, or holds what judgecli does not write.
        """
        with self._translated():
            rows = self._connection.execute(
                "SELECT name, identity, count(*), sum(length(completion)), max(used_on)"
                " FROM completions LEFT JOIN judges ON judges.id = judge GROUP BY judge ORDER BY 3 DESC, name"
            ).fetchall()
        judges = tuple(self._share(row) for row in rows)
        n_entries = sum(one.n_entries for one in judges)
        return CacheInfo(path=self.path, n_entries=n_entries, size_bytes=_on_disk(self.path), judges=judges)

    def _share(self, row: Sequence[Any]) -> JudgeShare:
        """Return what is there of one judge; the last of its days is a text or bytes if any of them is."""
        name, identity, n_entries, n_bytes, used_on = row
        if not (isinstance(name, str) and isinstance(identity, str)):
            raise self._damaged("a judge without a name")
        if not (isinstance(used_on, int) and 0 <= used_on <= _LAST_DAY):
            raise self._no_day(used_on)
        return JudgeShare(
            name=name,
            identity=identity,
            n_entries=n_entries,
            size_bytes=n_bytes,
            last_used=date.fromordinal(used_on + _FIRST_DAY),
        )

    def _no_day(self, used_on: Any) -> CacheError:
        return self._damaged(f"a day of use that is none, {used_on!r:.40}")

    def _damaged(self, what: str) -> CacheError:
        return CacheError(f"{self.path}: the cache is damaged ({what}); empty it with `judge cache clear`")

    def clear(self, *, older_than_days: int | None = None) -> Cleared:
        """Remove all, or what was not used for more than so many days.

        Raises:
            CacheError: the cache cannot be written; with a number of days also where one of its is none.
        """
        if older_than_days is not None:
            self._check_days()
        size_before, n_before = _on_disk(self.path), self._n_entries()
        with self._translated():
            if older_than_days is None:
                removed = self._connection.execute("DELETE FROM completions")
            else:
                before = (_today() - older_than_days,)
                removed = self._connection.execute("DELETE FROM completions WHERE used_on < ?", before)
            n_removed = removed.rowcount
            with suppress(sqlite3.OperationalError):  # a run goes on in it: the space is used again
                self._connection.execute("VACUUM")
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        freed = max(0, size_before - _on_disk(self.path))
        return Cleared(path=self.path, n_removed=n_removed, n_before=n_before, freed_bytes=freed)

    def _check_days(self) -> None:
        with self._translated():
            found = self._connection.execute(
                "SELECT used_on FROM completions"
                " WHERE typeof(used_on) <> 'integer' OR used_on NOT BETWEEN 0 AND ? LIMIT 1",
                (_LAST_DAY,),
            ).fetchone()
        if found is not None:
            raise self._no_day(found[0])

    def _n_entries(self) -> int:
        with self._translated():
            return int(self._connection.execute("SELECT count(*) FROM completions").fetchone()[0])

    def _trim(self) -> None:
        """Remove what was not used for longest where the cache has grown beyond its bound."""
        while self._used_bytes() > self._max_bytes:
            removed = self._connection.execute(
                "DELETE FROM completions WHERE rowid IN"
                " (SELECT rowid FROM completions ORDER BY used_on, rowid LIMIT"
                " max(1, (SELECT count(*) FROM completions) / 10))"
            ).rowcount
            if not removed:
                return

    def _used_bytes(self) -> int:
        n_pages = self._number("page_count") - self._number("freelist_count")
        return n_pages * self._number("page_size")

    def _number(self, pragma: str) -> int:
        return int(self._connection.execute(f"PRAGMA {pragma}").fetchone()[0])

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise CacheError(f"{self.path}: {_sentence(error)}") from error

    def close(self) -> None:
        """Remove what is too much, and close the file; trouble with that is nobody's any more."""
        with suppress(sqlite3.Error):
            if self._n_kept:
                self._trim()
        with suppress(sqlite3.Error):
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def _sentence(error: sqlite3.Error) -> str:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the primary one of an extended code
    if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        return f"another process has held the cache for {_BUSY_S:.0f} s; try again when it is done"
    if code in {sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT}:
        return f"the cache is damaged ({error}); remove the file"
    if code in {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM}:
        return f"the cache cannot be written ({error}); name another folder"
    if code in {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}:
        return f"the cache cannot be written ({error}); free some space"
    return f"the cache cannot be used ({error}); remove the file"


def _on_disk(path: Path) -> int:
    """Return the size of a database and of what is not written into it yet."""
    files = (path, path.with_name(f"{path.name}-wal"))
    return sum(file.stat().st_size for file in files if file.is_file())


def _today() -> int:
    """Return the day as SQLite compares it: days since 1970, UTC."""
    return int(time.time() // _DAY_S)
