"""How many calls of endpoints a run may still make."""

from __future__ import annotations

from threading import Lock


class CallBudget:
    """The calls that all judges of a run may make together; None is no limit."""

    def __init__(self, max_calls: int | None = None) -> None:
        """Take the limit."""
        self.max_calls = max_calls
        self._left = max_calls
        self._lock = Lock()

    def take(self) -> bool:
        """Take one call; return whether there was one."""
        with self._lock:
            if self._left is None:
                return True
            if self._left < 1:
                return False
            self._left -= 1
            return True
