"""The command line: one file a command, registered here."""

import sys
from pathlib import Path
from typing import Annotated

import typer

import judgecli
from judgecli.cli.defaults import read_defaults
from judgecli.cli.exits import exits
from judgecli.cli.models import models
from judgecli.cli.pair import pair
from judgecli.cli.prompt import prompt
from judgecli.cli.pull import pull
from judgecli.cli.report import report

# Plain help: Rich's takes FORCE_COLOR=0 for on and draws boxes whose width depends on the terminal.
app = typer.Typer(
    help="Compare two models' answers with a judge model on this machine.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
app.command("pair")(pair)
app.command("report")(report)
app.command("pull")(exits(pull))
app.add_typer(models, name="models")
app.add_typer(prompt, name="prompt")


def _show_version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"judge {judgecli.__version__}\n")
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
    commands = context.command.commands if hasattr(context.command, "commands") else {}
    known = {
        option.lstrip("-")
        for command in commands.values()
        for parameter in command.params
        for option in parameter.opts
        if option.startswith("--")
    }
    defaults = read_defaults(Path.cwd(), known)
    context.default_map = dict.fromkeys(commands, defaults)


def main() -> None:
    """Run the command line; the process exits with the codes of `judgecli.errors`."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # a terminal that cannot show a character must not end a run
            stream.reconfigure(errors="backslashreplace")
    app(prog_name="judge")


__all__ = ["app", "main"]
