"""`judge diff`: what changed between two runs over the same items."""

from pathlib import Path
from typing import Annotated

import typer

from judgecli.cli import options as o
from judgecli.cli.exits import exits

First = Annotated[
    Path, typer.Argument(metavar="RUN1", help="The run that was before.", show_default=False, readable=False)
]
Second = Annotated[
    Path,
    typer.Argument(metavar="RUN2", help="The run to hold against it.", show_default=False, readable=False),
]


@exits
def diff(
    first: First,
    second: Second,
    form: o.FormOption = o.Form.TERMINAL,
    files: o.ReportFiles = None,
    quiet: o.Quiet = False,
) -> None:
    """Show what changed between two runs over the same items.

    The same judge on two versions of a model, or two judges on the same answers: verdicts that changed, both
    win rates with their paired difference, and how far the two agree. Items are joined by id.

    Example: judge diff before.judge.jsonl after.judge.jsonl -r diff.html
    """
    del quiet  # there is nothing to say beside the report
    from judgecli.cli.output import check_report_files, show_report
    from judgecli.run.differing import load_difference

    check_report_files(files, (str(first), str(second)))
    record, summary = load_difference(first, second)
    show_report(record, summary, form.value, files)
