"""One run a run file: an advisory lock that the system drops when the process ends, however it ends."""

from __future__ import annotations

try:
    import fcntl
except ImportError:  # Windows has no flock; two runs on one file are not noticed there
    fcntl = None  # type: ignore[assignment]


def lock(descriptor: int) -> bool:
    """Lock an open file against other processes; False where another one holds it."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks, such as some network ones
        return True
    return True
