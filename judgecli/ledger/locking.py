"""One run a run file: advisory locks that the system drops when a process ends, however it ends.

A run holds `RUN.lock`, a file beside its run file that says who holds it, from before its first judge is
loaded to its last row. Only the lock counts: a note that nobody holds was left by a run that was killed. The
run file itself is locked as well while rows are written, for folders in which no lock file can be made.
"""

from __future__ import annotations

import json
import os
import socket
import stat
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from judgecli.errors import OutputError

try:
    import fcntl
except ImportError:  # Windows has no flock; two runs on one file are not noticed there
    fcntl = None  # type: ignore[assignment]

_MAX_BYTES = 1000  # a note takes a hundred
# A lock file is written to and removed: not one that a link in a shared folder points at, and never a pipe.
_AS_IT_IS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """The process that holds a run file; `started_at` is when it took it, in UTC."""

    pid: int
    host: str
    started_at: str

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}, since {self.started_at}"


def lock(descriptor: int) -> bool | None:
    """Lock an open file against other processes; False where another one holds it, None without locks."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks, such as some network ones
        return None
    return True


@contextmanager
def run_lock(path: Path) -> Iterator[None]:
    """Hold a run file against other runs; where a killed run left its note, warn and replace it.

    Where no lock file can be made, the lock that `LedgerWriter` takes is left.

    Raises:
        OutputError: another run holds it, which is named.
    """
    place = lock_file(path)
    descriptor = _locked(path, place)
    if descriptor is None:
        yield
        return
    try:
        _sign(descriptor, place)
        yield
    finally:
        _remove(place)  # before the lock is given up, or the next run's note would be removed
        os.close(descriptor)


def lock_file(path: Path) -> Path:
    """Return where the note of a run file's holder is."""
    return path.with_name(f"{path.name}.lock")


def taken(path: Path) -> OutputError:
    """Return the refusal of a run file that another run holds, with who that is if it is known."""
    holder = None
    with suppress(OSError):
        descriptor = os.open(lock_file(path), os.O_RDONLY | _AS_IT_IS)
        try:
            holder = _holder(descriptor)
        finally:
            os.close(descriptor)
    who = f" ({holder})" if holder else ""
    return OutputError(
        f"{path}: another run is writing it{who}; wait for that one, or name another with --out"
    )


def _locked(path: Path, place: Path) -> int | None:
    """Return a descriptor of the lock file, locked; None where there can be none."""
    while fcntl is not None:
        try:
            descriptor = os.open(place, os.O_RDWR | os.O_CREAT | _AS_IT_IS, 0o666)
        except OSError:
            break
        is_note = _is_note(descriptor)
        is_free = lock(descriptor) if is_note else None
        if is_free and _is_at(descriptor, place):
            return descriptor
        os.close(descriptor)
        if is_free is False:
            raise taken(path)
        if is_free is None:  # somebody's own file of that name, or a file system without locks
            if is_note:
                _remove(place)
            break
        # its holder ended and removed it meanwhile: once more
    return None


def _remove(place: Path) -> None:
    with suppress(OSError):
        place.unlink()


def _is_at(descriptor: int, place: Path) -> bool:
    """Whether an open file is still the one at a place."""
    try:
        return os.path.samestat(os.fstat(descriptor), place.lstat())
    except OSError:
        return False


def _sign(descriptor: int, place: Path) -> None:
    """Write who holds the lock; say so where it was left by a run that did not end."""
    left = _holder(descriptor)
    if left is not None:
        message = f"{place}: left by a run that was cut short ({left})"
        warnings.warn(f"{message}; this run takes its place", RuntimeWarning, stacklevel=4)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    note = Holder(pid=os.getpid(), host=socket.gethostname(), started_at=now)
    with suppress(OSError):  # a full disk: the lock is held all the same
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{json.dumps(asdict(note))}\n".encode(), 0)


def _is_note(descriptor: int) -> bool:
    about = os.fstat(descriptor)
    return stat.S_ISREG(about.st_mode) and (not about.st_size or _holder(descriptor) is not None)


def _holder(descriptor: int) -> Holder | None:
    """Return whom a note names; None where it is empty, or no note."""
    try:
        note = json.loads(os.pread(descriptor, _MAX_BYTES, 0))
        holder = Holder(**note)
    except (OSError, ValueError, TypeError, RecursionError):
        return None
    kinds = (type(holder.pid), type(holder.host), type(holder.started_at))
    return holder if kinds == (int, str, str) else None
