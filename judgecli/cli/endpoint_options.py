"""Options of judges behind an endpoint (`openai:MODEL`)."""

from typing import Annotated, Any

import typer


def _option(*names: str, **settings: Any) -> Any:
    return typer.Option(*names, rich_help_panel="Endpoint", **{"show_default": False, **settings})


MaxCalls = Annotated[
    int | None,
    _option("--max-calls", metavar="N", help="Make N calls at most, retries included; the rest stays open."),
]
Timeout = Annotated[
    float,
    _option(
        "--timeout",
        metavar="SECONDS",
        help="Longest silence; a whole reply may take ten times as long.",
        show_default=True,
    ),
]
Price = Annotated[
    str | None,
    _option("--price", metavar="IN,OUT", help="Price of a million tokens read, written; for the cost."),
]
