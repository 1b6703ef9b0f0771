"""What a long step tells its caller; the registry itself prints nothing."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Hears how a download or a check is going. All numbers are bytes."""

    def start(self, label: str, total_bytes: int, done_bytes: int = 0) -> None:
        """Begin a step; `done_bytes` were there already."""

    def advance(self, n_bytes: int) -> None:
        """Move on by n bytes; negative where a server makes a download begin again."""

    def stop(self) -> None:
        """End the step, finished or not."""

    def warn(self, sentence: str) -> None:
        """Pass on something the user should know that does not stop the step."""


class Silent:
    """Hears and says nothing."""

    def start(self, label: str, total_bytes: int, done_bytes: int = 0) -> None:
        """Ignore the beginning of a step."""

    def advance(self, n_bytes: int) -> None:
        """Ignore the bytes."""

    def stop(self) -> None:
        """Ignore the end of a step."""

    def warn(self, sentence: str) -> None:
        """Ignore the sentence."""


SILENT = Silent()
