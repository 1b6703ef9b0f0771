"""Options of the merge gate."""

from typing import Annotated, Any

import typer


def _option(*names: str, **settings: Any) -> Any:
    return typer.Option(*names, rich_help_panel="Gate", **{"show_default": False, **settings})


Gate = Annotated[
    str | None,
    _option("--gate", metavar="no-worse|better", help="Decide: exit 0 passed, 1 failed, 5 inconclusive."),
]
Margin = Annotated[
    float,
    _option("--margin", metavar="X", help="How much worse is allowed, in win rate.", show_default=True),
]
Control = Annotated[
    int,
    _option(
        "--control",
        metavar="N",
        help="Answers judged against degraded copies of themselves; 0 for none.",
        show_default=True,
    ),
]
EarlyStop = Annotated[
    bool, _option("--early-stop", help="Judge in random order, and no more than the decision needs.")
]
Group = Annotated[
    str | None,
    _option("--group", metavar="FIELD", help="Pairs with the same value belong together, as one question's."),
]
By = Annotated[
    str | None, _option("--by", metavar="FIELD", help="Every value of this field has to pass by itself.")
]
