"""What goes to stdout of commands that write no report, but something of their own."""

from enum import StrEnum
from typing import Annotated

import typer


class PlainForm(StrEnum):
    """What most of these commands write."""

    TERMINAL = "terminal"
    JSON = "json"


class BenchForm(StrEnum):
    """What `judge bench` writes."""

    TERMINAL = "terminal"
    JSON = "json"
    MARKDOWN = "markdown"


PlainFormOption = Annotated[PlainForm, typer.Option("--format", metavar="NAME", help="terminal or json.")]
BenchFormOption = Annotated[
    BenchForm,
    typer.Option("--format", metavar="NAME", help="terminal, json or markdown.", rich_help_panel="Output"),
]
