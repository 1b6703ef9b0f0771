"""`judge doctor`: what this installation can do, and what keeps it from doing more."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from judgecli.cli.console import report_width, show, wants_color
from judgecli.cli.defaults import default_of
from judgecli.cli.exits import exits
from judgecli.cli.forms import PlainForm, PlainFormOption
from judgecli.errors import ModelError


@exits
def doctor(
    check: Annotated[
        bool, typer.Option("--verify", help="Read all models that are here and compare their hashes.")
    ] = False,
    form: PlainFormOption = PlainForm.TERMINAL,
) -> None:
    """Say what this installation can do, and what is wrong with it.

    Nothing is fetched and no model loaded. The exit code is 4 if llama.cpp does not load, or a model that is
    here is damaged.

    Example: judge doctor --verify
    """
    from judgecli.cli.diagnosis_json import diagnosis_object
    from judgecli.cli.diagnosis_text import diagnosis_lines
    from judgecli.cli.transfer_progress import transfer_progress
    from judgecli.diagnosis import diagnose

    diagnosis = diagnose(_named_default(), rehash=check, progress=transfer_progress())
    if form is PlainForm.JSON:
        show(json.dumps(diagnosis_object(diagnosis), indent=2, allow_nan=False) + "\n")
    else:
        width = report_width()
        show(
            "".join(f"{line}\n" for line in diagnosis_lines(diagnosis, width, color=wants_color(sys.stdout)))
        )
    if not diagnosis.can_judge:
        raise ModelError("judging is not possible as things are; the problems in the report say what to do")


def _named_default() -> tuple[str, str] | None:
    """Return the judge that a run without --model asks, and what names it."""
    from_environment = os.environ.get("JUDGE_MODEL")
    if from_environment:
        return from_environment, "JUDGE_MODEL"
    found = default_of("model", Path.cwd())
    return (str(found[0]), str(found[1])) if found else None
