"""Show a download or a hash on stderr: a bar on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from judgecli.cli.console import bar_console, draws_bars, say, warn
from judgecli.registry import Progress, human_size

if TYPE_CHECKING:
    from rich.progress import Progress as Bars

FIRST_LINE_S = 2.0
LINE_EVERY_S = 15.0


def transfer_progress(*, quiet: bool = False) -> Progress:
    """Return what shows the progress of registry calls on this stderr; warnings are shown even when quiet."""
    return TransferBar() if draws_bars() and not quiet else TransferLines(quiet=quiet)


class TransferLines:
    """Nothing about a short step; of a long one a line after 2 seconds, one every 15, and one at its end."""

    def __init__(self, *, quiet: bool = False) -> None:
        self.quiet = quiet
        self.label = ""
        self.total_bytes = self.begun_bytes = self.done_bytes = 0
        self.started_s = self.due_s = 0.0
        self.is_long = False

    def start(self, label: str, total_bytes: int, done_bytes: int = 0) -> None:
        """Begin a step."""
        self.label, self.total_bytes = label, total_bytes
        self.begun_bytes = self.done_bytes = done_bytes
        self.started_s = time.monotonic()
        self.due_s = self.started_s + FIRST_LINE_S
        self.is_long = False

    def advance(self, n_bytes: int) -> None:
        """Count the bytes; print when a line is due."""
        self.done_bytes += n_bytes
        if time.monotonic() >= self.due_s:
            self._print()

    def stop(self) -> None:
        """End the step, with a line if there was one before."""
        if self.is_long:
            self._print()

    def warn(self, sentence: str) -> None:
        """Print the sentence."""
        warn(sentence)

    def _print(self) -> None:
        now_s = time.monotonic()
        self.is_long, self.due_s = True, now_s + LINE_EVERY_S
        if self.quiet or not self.total_bytes:
            return
        speed = human_size(int((self.done_bytes - self.begun_bytes) / max(now_s - self.started_s, 1e-3)))
        share = f"{human_size(self.done_bytes)} of {human_size(self.total_bytes)}"
        say(f"{self.label}: {share} ({self.done_bytes / self.total_bytes:.0%}), {speed}/s")


class TransferBar:
    """A bar that a terminal redraws."""

    def __init__(self) -> None:
        self.bars: Bars | None = None

    def start(self, label: str, total_bytes: int, done_bytes: int = 0) -> None:
        """Draw a bar."""
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
            TransferSpeedColumn,
        )

        columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
        name = TextColumn("{task.description}", markup=False)
        self.bars = Progress(name, *columns, console=bar_console(), transient=True)
        self.bars.add_task(label, total=total_bytes, completed=done_bytes)
        self.bars.start()

    def advance(self, n_bytes: int) -> None:
        """Move the bar."""
        if self.bars is not None:
            self.bars.advance(self.bars.task_ids[0], n_bytes)

    def stop(self) -> None:
        """Take the bar away."""
        if self.bars is not None:
            self.bars.stop()
            self.bars = None

    def warn(self, sentence: str) -> None:
        """Print the sentence above the bar."""
        if self.bars is not None:
            self.bars.console.print(f"warning: {sentence}")
        else:
            warn(sentence)
