"""`judge report`: the report of a run file, made again."""

from pathlib import Path
from typing import Annotated

import typer

from judgecli.cli import options as o
from judgecli.cli.exits import exits

RunFile = Annotated[
    Path, typer.Argument(metavar="RUN", help="A run file (.judge.jsonl).", show_default=False)
]


@exits
def report(run: RunFile, form: o.FormOption = o.Form.TERMINAL, files: o.ReportFiles = None) -> None:
    """Show the report of a run file again.

    Everything in it is computed from the file: no judge is needed.

    Example: judge report baseline-vs-candidate.judge.jsonl --format markdown
    """
    from judgecli.analysis import summarise
    from judgecli.cli.output import check_report_files, show_report
    from judgecli.run import load_run

    check_report_files(files, (str(run),))
    record = load_run(run)
    show_report(record, summarise(record), form.value, files)
