"""The two consoles of the command line: data to stdout, everything else to stderr.

Model text must never pass through Rich markup (`[/INST]` raises, `[result]` vanishes), so both are
made with markup and highlighting off.
"""

import os
import sys
from typing import TextIO

from rich.console import Console


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


def make_console(stream: TextIO) -> Console:
    """Return a console on a stream that styles only where escape codes are wanted."""
    color = wants_color(stream)
    return Console(
        file=stream,
        markup=False,
        highlight=False,
        emoji=False,
        force_terminal=color,
        no_color=not color,
        color_system="auto" if color else None,
        soft_wrap=True,
    )


def stdout() -> Console:
    """Return the console for data."""
    return make_console(sys.stdout)


def stderr() -> Console:
    """Return the console for progress, warnings and errors."""
    return make_console(sys.stderr)
