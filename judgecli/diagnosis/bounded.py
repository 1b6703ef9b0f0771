"""Running another program for a bounded time, whatever it does."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """What a program left behind when it ended by itself; a negative code is the signal that ended it."""

    code: int
    out: str
    err: str


class BoundedProcess:
    """A program that runs beside this one, and is given up on when its time is over.

    It has a group of its own: a script that is killed alone leaves its children behind, which hold the pipes
    open. And it is not waited for after that, as one that hangs in a driver cannot be killed.
    """

    def __init__(
        self, command: Sequence[str], *, timeout_s: float, env: Mapping[str, str] | None = None
    ) -> None:
        """Start a program.

        Raises:
            OSError: it cannot be started.
        """
        self._ends_s = time.monotonic() + timeout_s
        self._process = subprocess.Popen(  # noqa: S603 - programs that this package names
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=env,
            start_new_session=True,
        )

    def finish(self) -> Ended | None:
        """Wait for the program's end; None if it is not over in time."""
        try:
            out, err = self._process.communicate(timeout=max(0.01, self._ends_s - time.monotonic()))
        except subprocess.TimeoutExpired:
            self._give_up()
            return None
        except BaseException:
            self._give_up()
            raise
        return Ended(
            code=self._process.returncode,
            out=out.decode("utf-8", errors="replace"),
            err=err.decode("utf-8", errors="replace"),
        )

    def _give_up(self) -> None:
        with suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()
        self._process.poll()
