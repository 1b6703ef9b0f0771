"""Interrupts during a call into llama.cpp: noted while it runs, raised when it has returned.

A KeyboardInterrupt raised inside a C callback would be swallowed by ctypes, so during a call SIGINT only sets
a flag, which the abort callback hands to llama.cpp.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Interrupts:
    """Whether an interrupt arrived during the calls made within `deferred`."""

    def __init__(self) -> None:
        self.arrived = False

    @contextmanager
    def deferred(self) -> Iterator[None]:
        """Note SIGINT instead of raising in the middle; raise KeyboardInterrupt at the end if it came."""
        previous = signal.getsignal(signal.SIGINT)
        is_main = threading.current_thread() is threading.main_thread()
        if not is_main or previous in {
            None,
            signal.SIG_IGN,
        }:  # nothing to defer: not ours, or ignored (nohup)
            yield
            return
        self.arrived = False
        signal.signal(signal.SIGINT, self._note)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, previous)
        if self.arrived:
            raise KeyboardInterrupt

    def _note(self, _signal: int, _frame: object) -> None:
        self.arrived = True
