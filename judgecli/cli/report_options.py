"""Options of the commands that list pairs one by one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from judgecli.errors import UsageError

if TYPE_CHECKING:
    from judgecli.reports import PairKind

Only = Annotated[
    str | None,
    typer.Option(
        "--only",
        metavar="KINDS",
        help="Also list these pairs: losses, wins, ties, flips, failures, doubtful, flagged, open; several "
        "with commas.",
        rich_help_panel="Output",
        show_default=False,
    ),
]


def kinds(only: str | None) -> tuple[PairKind, ...]:
    """Return the kinds of pairs that --only names; () without it.

    Raises:
        UsageError: there is no such kind.
    """
    from judgecli.cli.values import member
    from judgecli.reports import PairKind

    if only is None:
        return ()
    return tuple(member("--only", PairKind, name.strip()) for name in only.split(","))


def check_pairs(only: str | None, header: Mapping[str, Any], run: object) -> None:
    """Refuse to list the pairs of a run that has none.

    Raises:
        UsageError: it is a run of another command than `judge pair`.
    """
    mode = header.get("mode", "pair")
    if only is not None and mode != "pair":
        message = f"--only lists the pairs of a run of judge pair, and {run} is one of judge {mode}"
        raise UsageError(f"{message}; leave it out")
