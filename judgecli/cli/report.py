"""`judge report`: the report of a run file, made again."""

from pathlib import Path
from typing import Annotated

import typer

from judgecli.cli import label_options as lo
from judgecli.cli import options as o
from judgecli.cli import report_options as ro
from judgecli.cli.exits import exits

RunFile = Annotated[
    Path, typer.Argument(metavar="RUN", help="A run file (.judge.jsonl).", show_default=False, readable=False)
]


@exits
def report(
    run: RunFile,
    labels: lo.LabelsFile = None,
    label_field: lo.LabelField = None,
    id_field: lo.IdField = None,
    form: o.FormOption = o.Form.TERMINAL,
    files: o.ReportFiles = None,
    only: ro.Only = None,
    quiet: o.Quiet = False,
) -> None:
    """Show the report of a run file again.

    Everything in it is computed from the file: no judge is needed. With --labels it also says what win rate
    people would give, from their labels on a random part of the pairs. With --only it lists pairs, both
    answers side by side.

    Example: judge report baseline-vs-candidate.judge.jsonl --format markdown
    """
    del quiet  # there is nothing to say beside the report
    from judgecli.answers import LabelReading
    from judgecli.cli.output import check_report_files, show_report
    from judgecli.run.trusting import load_adjusted

    kinds = ro.kinds(only)
    check_report_files(files, (str(run), labels))
    reading = LabelReading(id_field=id_field, label_field=label_field)
    record, summary = load_adjusted(run, labels, reading)
    ro.check_pairs(only, record.header, run)
    show_report(record, summary, form.value, files, kinds)
