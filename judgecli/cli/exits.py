"""The one place where errors become a sentence on stderr and an exit code."""

import functools
import os
import sys
import traceback
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import typer

from judgecli.cli.console import stderr
from judgecli.errors import JudgeError

INTERRUPTED = 130
BUG = 70
P = ParamSpec("P")
R = TypeVar("R")


def exits(command: Callable[P, R]) -> Callable[P, R]:
    """Wrap a command: judgecli's errors print one sentence, an interrupt one line, a bug its traceback."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            result = command(*args, **kwargs)
            sys.stdout.flush()
        except JudgeError as error:
            complain(str(error))
            raise typer.Exit(error.exit_code) from error
        except KeyboardInterrupt as error:
            complain("interrupted; the same command goes on from here")
            raise typer.Exit(INTERRUPTED) from error
        except BrokenPipeError as error:
            # the reader (`| head`) has enough; keep the interpreter from flushing into the closed pipe
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from error
        except (typer.Exit, typer.Abort, typer.BadParameter):
            raise
        except Exception as error:
            traceback.print_exc()
            complain("this is a bug in judgecli; please report the lines above")
            raise typer.Exit(BUG) from error
        return result

    return run


def complain(sentence: str) -> None:
    """Print one sentence to stderr; a closed stderr is no reason to fail."""
    try:
        stderr().print(f"judge: {sentence}")
    except OSError:
        return


def warn(sentence: str) -> None:
    """Print a warning to stderr."""
    try:
        stderr().print(f"warning: {sentence}")
    except OSError:
        return
