"""The one place where errors become a sentence on stderr and an exit code."""

import functools
import sys
import traceback
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import typer

from judgecli.cli.console import complain, prepare_streams, say, silence
from judgecli.errors import DataError, JudgeError, OutputError

INTERRUPTED = 130
BUG = 70
P = ParamSpec("P")
R = TypeVar("R")


def exits(command: Callable[P, R]) -> Callable[P, R]:
    """Wrap a command: judgecli's errors print one sentence, an interrupt one line, a bug its traceback."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except JudgeError as error:
            complain(str(error))
            raise typer.Exit(error.exit_code) from error
        except KeyboardInterrupt as error:
            complain("interrupted; the same command goes on with what is there")
            raise typer.Exit(INTERRUPTED) from error
        except BrokenPipeError as error:  # the reader (`| head`) has enough
            silence(sys.stdout)
            raise typer.Exit(0) from error
        except MemoryError as error:
            complain("there is not enough memory for these inputs; give smaller ones, or free some memory")
            raise typer.Exit(DataError.exit_code) from error
        except (typer.Exit, typer.Abort, typer.BadParameter):
            raise
        except Exception as error:
            for line in traceback.format_exc().splitlines():
                say(line)
            complain("this is a bug in judgecli; please report the lines above")
            raise typer.Exit(BUG) from error

    return run


def exit_after(run: Callable[[], object]) -> None:
    """Run the whole command line, and end the process where Typer itself wrote, or could not."""
    try:
        prepare_streams()
        run()
    except OutputError as error:
        complain(str(error))
        sys.exit(error.exit_code)
    except OSError as error:  # Typer writes help and usage itself
        silence(sys.stdout)
        complain(f"the output cannot be written ({error.strerror or error}); free some space")
        sys.exit(OutputError.exit_code)
    except SystemExit as leaving:  # for Typer, help that nobody reads to its end (`| head`) is an error
        sys.exit(0 if isinstance(leaving.__context__, BrokenPipeError) else leaving.code)
