"""The two streams of the command line: data to stdout, everything else to stderr.

Model text must never pass through Rich markup (`[/INST]` raises, `[result]` vanishes), so lines are written
as they are, and the console that draws progress bars is made with markup and highlighting off.
"""

import os
import shutil
import sys
import warnings
from contextlib import suppress
from typing import TextIO

from rich.console import Console

from judgecli.errors import OutputError

_MOST_COLUMNS = 1000


def prepare_streams() -> None:
    """Make the standard streams usable where the caller closed them (`<&-`), and safe for any character.

    Raises:
        OutputError: stdout is closed, so that no result could be written.
    """
    # In this order the null device takes the lowest numbers, and no file of ours becomes stdout or stderr.
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115, PTH123 - open as long as the process
    is_closed = sys.stdout is None
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # a terminal that cannot show a character must not end a run
            stream.reconfigure(errors="backslashreplace")
    warnings.showwarning = lambda message, *_where: warn(str(message))
    if is_closed:
        raise OutputError("stdout is closed, so the result cannot be written; redirect it to a file")


def write_utf8() -> None:
    """Let stdout take UTF-8 from here on, whatever the locale: what follows is for programs to read."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")


def write(text: str) -> None:
    """Write data to stdout.

    Raises:
        BrokenPipeError: the reader (`| head`) has enough.
        OutputError: it cannot be written for another reason.
    """
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        silence(sys.stdout)
        raise OutputError(
            f"stdout: cannot be written ({error.strerror or error}); free some space"
        ) from error


def show(text: str) -> None:
    """Write to stdout what a command ends with: a reader that has enough of it changes no verdict.

    Raises:
        OutputError: it cannot be written for another reason.
    """
    try:
        write(text)
    except BrokenPipeError:
        silence(sys.stdout)


def say(line: str, end: str = "\n") -> None:
    """Write a line to stderr, control characters escaped; a closed stderr is no reason to fail."""
    try:
        sys.stderr.write(printable(line) + end)
        sys.stderr.flush()
    except (OSError, ValueError):
        silence(sys.stderr)


def warn(sentence: str) -> None:
    """Write a warning to stderr."""
    say(f"warning: {sentence}")


def complain(sentence: str) -> None:
    """Write the sentence that a command ends with to stderr."""
    say(f"judge: {sentence}")


def printable(text: str) -> str:
    """Return a text as one line: names come from files that anyone may have written."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def silence(stream: TextIO) -> None:
    """Send what a broken stream still holds to nowhere, or the interpreter would complain at its exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def report_width() -> int:
    """Return the width of reports: that of the terminal, or what COLUMNS says within reason."""
    return min(shutil.get_terminal_size((80, 24)).columns, _MOST_COLUMNS)


def wants_color(stream: TextIO) -> bool:
    """Whether to write escape codes to a stream: NO_COLOR, FORCE_COLOR and TERM=dumb first, then isatty.

    Rich alone takes FORCE_COLOR=0 for on and styles under GITHUB_ACTIONS.
    """
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    forced = os.environ.get("FORCE_COLOR")
    if forced is not None:
        return forced not in {"", "0", "false"}
    return stream.isatty()


def draws_bars() -> bool:
    """Whether stderr is a terminal to draw progress bars on; FORCE_COLOR does not make a log file one."""
    return sys.stderr.isatty() and wants_color(sys.stderr)


def bar_console() -> Console:
    """Return the console that progress bars are drawn on."""
    return Console(file=sys.stderr, markup=False, highlight=False, emoji=False, force_terminal=True)
