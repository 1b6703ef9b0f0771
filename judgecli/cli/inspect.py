"""`judge inspect`: what is in answer files, and how they would be paired."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from judgecli.cli import options as o
from judgecli.cli.console import report_width, show, wants_color
from judgecli.cli.exits import exits
from judgecli.cli.forms import PlainForm, PlainFormOption
from judgecli.errors import DataError, UsageError

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="ANSWERS", help="Files of answers, of pairs or of labels; - is stdin.", show_default=False
    ),
]


@exits
def inspect(
    answers: Files,
    questions: o.Questions = None,
    reference: o.Reference = None,
    turn: o.Turn = None,
    pair_by: o.PairByOption = "auto",
    format_in: o.FormatIn = None,
    id_field: o.IdField = None,
    instruction_field: o.InstructionField = None,
    input_field: o.InputField = None,
    response_field: o.ResponseField = None,
    response_a_field: o.ResponseAField = None,
    response_b_field: o.ResponseBField = None,
    reference_field: o.ReferenceField = None,
    model_field: o.ModelField = None,
    form: PlainFormOption = PlainForm.TERMINAL,
) -> None:
    """Show what is in answer files, and how they would be paired.

    Formats, the fields that are read, ids, empty and cut-off answers, lengths, references, turns, labels and
    problems. Nothing is judged and no model is needed. The exit code is 3 where a file cannot be read.

    Example: judge inspect a.jsonl b.jsonl
    """
    values = dict(locals())
    from judgecli.answers import LoadingOptions, inspect_files
    from judgecli.cli.inspect_json import inspection_object
    from judgecli.cli.inspect_text import inspection_lines
    from judgecli.cli.values import loading_options
    from judgecli.types.pipes import STDIN, check_stdin

    check_stdin(answers, "files")
    if STDIN in (questions, reference):
        raise UsageError(
            f"stdin ({STDIN}) can be a file of answers here; name the file of --questions or --reference"
        )
    found, joining = inspect_files(answers, LoadingOptions(**loading_options(values)))
    if form is PlainForm.JSON:
        show(json.dumps(inspection_object(found, joining), indent=2, allow_nan=False) + "\n")
    else:
        width = report_width()
        lines = inspection_lines(found, joining, width, color=wants_color(sys.stdout))
        show("".join(f"{line}\n" for line in lines))
    beside = {name for one in found for name in one.unread}
    n_unread = sum(one.problem is not None for one in found) + len(beside)
    if n_unread:
        n_given = len(found) + len({questions, reference} - {None})
        raise DataError(f"{n_unread} of {n_given} cannot be read, for the reasons above")
