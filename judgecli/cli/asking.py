"""Ask a yes-or-no question on a terminal."""

import sys

from judgecli.cli.console import say


def agreed(question: str, *, default: bool) -> bool:
    """Ask on stderr and read one line of stdin; an empty line is the default, an ended input a no.

    Not `typer.confirm`: with err=True it still writes a blank to stdout, which carries data only.
    """
    say(f"{question} [{'Y/n' if default else 'y/N'}] ", end="")
    line = sys.stdin.readline()
    answer = line.strip().casefold()
    return line != "" and (default if answer == "" else answer in {"y", "yes"})
