"""`judge power`: how many pairs a gate needs, and what it can prove with those there are."""

from typing import Annotated

import typer

from judgecli.cli import gate_options as g
from judgecli.cli.exits import exits
from judgecli.cli.forms import PlainForm, PlainFormOption

Pairs = Annotated[
    int | None,
    typer.Argument(
        metavar="N", min=1, help="Pairs there are; left out: how many it takes.", show_default=False
    ),
]


@exits
def power(
    n: Pairs = None,
    gate: Annotated[
        str, typer.Option("--gate", metavar="no-worse|better", help="What is to be shown.")
    ] = "no-worse",
    margin: g.Margin = 0.05,
    ties: Annotated[
        float, typer.Option("--ties", metavar="SHARE", min=0, max=1, help="Share of ties to expect.")
    ] = 0.3,
    truth: Annotated[
        float | None,
        typer.Option(
            "--truth",
            metavar="X",
            help="The true win rate; 0.5 for no-worse, 0.55 for better.",
            show_default=False,
        ),
    ] = None,
    level: Annotated[
        float, typer.Option("--power", metavar="P", help="How likely it should be shown.")
    ] = 0.8,
    deff: Annotated[
        float, typer.Option("--deff", metavar="X", help="Design effect of groups: 1 for independent pairs.")
    ] = 1.0,
    form: PlainFormOption = PlainForm.TERMINAL,
) -> None:
    """Show how many pairs a gate needs.

    With N, also what they can prove: the least margin, or with --gate better the least win rate.

    Example: judge power 200 --margin 0.05
    """
    from judgecli.cli.power_text import show_power

    show_power(n, gate=gate, margin=margin, ties=ties, truth=truth, power=level, deff=deff, form=form)
