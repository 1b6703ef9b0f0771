"""The command line: one file a command, registered here."""

from pathlib import Path
from typing import Annotated

import typer

import judgecli
from judgecli.cli.agree import agree
from judgecli.cli.bench import bench
from judgecli.cli.cache import cache
from judgecli.cli.calibrate import calibrate
from judgecli.cli.chat import chat
from judgecli.cli.console import write
from judgecli.cli.defaults import default_map
from judgecli.cli.diff import diff
from judgecli.cli.doctor import doctor
from judgecli.cli.exits import exit_after, exits
from judgecli.cli.grade import grade
from judgecli.cli.help import GroupedCommand
from judgecli.cli.inspect import inspect
from judgecli.cli.models import models
from judgecli.cli.pair import pair
from judgecli.cli.power import power
from judgecli.cli.prompt import prompt
from judgecli.cli.pull import pull
from judgecli.cli.rank import rank
from judgecli.cli.report import report
from judgecli.cli.validate import validate
from judgecli.errors import UsageError

# Plain help: Rich's takes FORCE_COLOR=0 for on and draws boxes whose width depends on the terminal.
app = typer.Typer(
    help="Compare two models' answers with a judge model on this machine.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
_EXIT_CODES = """\
Exit codes: 0 done or passed, 1 the gate failed, 2 usage, 3 an input or run file is wrong, 4 the judge model,
5 nothing was judged, too much failed or the gate is inconclusive, 6 output cannot be written, 130 interrupted
(the same command goes on)."""
app.command("pair", cls=GroupedCommand, epilog=_EXIT_CODES)(pair)
app.command("grade", cls=GroupedCommand, epilog=_EXIT_CODES)(grade)
app.command("rank", cls=GroupedCommand, epilog=_EXIT_CODES)(rank)
app.command("agree", cls=GroupedCommand, epilog=_EXIT_CODES)(agree)
app.command("validate", cls=GroupedCommand)(validate)
app.command("calibrate", cls=GroupedCommand)(calibrate)
app.command("power")(power)
app.command("report", cls=GroupedCommand)(report)
app.command("diff", cls=GroupedCommand)(diff)
app.command("chat", cls=GroupedCommand)(chat)
app.command("inspect", cls=GroupedCommand)(inspect)
app.command("bench", cls=GroupedCommand)(bench)
app.command("pull")(exits(pull))
app.command("doctor")(doctor)
app.add_typer(models, name="models")
app.add_typer(prompt, name="prompt")
app.add_typer(cache, name="cache")
# Not pull: no file of a folder says yes to a download.
_WITH_DEFAULTS = (
    *("pair", "grade", "rank", "agree", "validate", "calibrate"),
    *("report", "inspect", "diff", "prompt", "bench", "power"),
)


@exits
def _show_version(wanted: bool) -> None:
    if wanted:
        write(f"judge {judgecli.__version__}\n")
        raise typer.Exit


@app.callback()
@exits
def root(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001 - its callback has done the work
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Compare two models' answers with a judge model on this machine."""
    commands = getattr(context.command, "commands", {})
    context.default_map = default_map({name: commands[name] for name in _WITH_DEFAULTS}, _folder())


def _folder() -> Path:
    try:
        return Path.cwd()
    except OSError as error:
        raise UsageError("the current folder is gone; change to one that is there") from error


def main() -> None:
    """Run the command line; the process exits with the codes of `judgecli.errors`."""
    exit_after(lambda: app(prog_name="judge"))


__all__ = ["app", "main"]
