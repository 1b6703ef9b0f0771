"""How long to try, when to wait, and when to give up: shared by all threads of a run."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event, Lock


class HaltedError(Exception):
    """The run has ended; whoever waits need not go on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How often and how long a request is tried, in seconds.

    Waits double from `first_wait_s` up to `longest_wait_s`, shortened at random so that threads do not come
    back together; a server's own wish goes before that. `all_waits_s` bounds their sum. Until an endpoint
    has answered once, it is tried `n_first_tries` times only: its address may be wrong. After `n_in_a_row`
    requests without any reply in between, all that is left would fail as well.
    """

    n_tries: int = 6
    n_first_tries: int = 3
    first_wait_s: float = 0.5
    longest_wait_s: float = 30.0
    all_waits_s: float = 300.0
    n_in_a_row: int = 5
    jitter: Callable[[], float] = random.random

    def wait_s(self, n_failed: int, retry_after_s: float | None) -> float:
        """Return how long to wait after so many failures."""
        if retry_after_s is not None:
            return retry_after_s
        longest: float = min(self.first_wait_s * 2 ** (n_failed - 1), self.longest_wait_s)
        return longest * (0.5 + self.jitter() / 2)


class Pace:
    """Holds all threads back while a server that is asked too often wants them to wait."""

    def __init__(self) -> None:
        """Begin without a wait."""
        self._resume_s = 0.0
        self._lock = Lock()

    def hold(self, seconds: float) -> None:
        """Let nobody ask for so long."""
        with self._lock:
            self._resume_s = max(self._resume_s, time.monotonic() + seconds)

    def wait(self, halted: Event) -> None:
        """Wait until asking is allowed.

        Raises:
            HaltedError: the run ends meanwhile.
        """
        while (left_s := self._resume_s - time.monotonic()) > 0:
            pause(left_s, halted)
        if halted.is_set():
            raise HaltedError


def pause(seconds: float, halted: Event) -> None:
    """Wait.

    Raises:
        HaltedError: the run ends meanwhile.
    """
    if halted.wait(seconds):
        raise HaltedError


class Circuit:
    """Counts requests that failed in a row, over all threads."""

    def __init__(self) -> None:
        """Begin with an endpoint that has not answered yet."""
        self.has_answered = False
        self._n_in_a_row = 0
        self._lock = Lock()

    def succeed(self) -> None:
        """Note a reply."""
        with self._lock:
            self.has_answered = True
            self._n_in_a_row = 0

    def fail(self) -> int:
        """Note a request that was given up; return how many that makes in a row."""
        with self._lock:
            self._n_in_a_row += 1
            return self._n_in_a_row
