"""Writing reports: to stdout as they are, to files whole or not at all."""

import sys
from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path

from judgecli import reports
from judgecli.answers.files import split_choice
from judgecli.cli.console import report_width, show, wants_color, write_utf8
from judgecli.errors import JudgeError, UsageError
from judgecli.reports import PairKind
from judgecli.run.whole_file import check_place, write_whole
from judgecli.types import RunRecord, Summary
from judgecli.types.paths import is_same_place

_SUFFIXES = {
    ".md": "markdown",
    ".html": "html",
    ".xml": "junit",
    ".json": "json",
    ".txt": "terminal",
}


def check_report_files(
    paths: Sequence[Path] | None, inputs: Sequence[str | None], run_file: Path | None = None
) -> None:
    """Refuse report files that could not be written, or would overwrite an input, before anything is judged.

    Raises:
        UsageError: a suffix that no report has, one of the inputs, or the file of the run to be made.
        OutputError: a place where no file can be written.
    """
    for path in paths or ():
        if path == Path():
            raise UsageError(f"--report is empty; name a file that ends in one of {', '.join(_SUFFIXES)}")
        if path.suffix.lower() not in _SUFFIXES:
            known = ", ".join(_SUFFIXES)
            raise UsageError(f"--report {path}: no report has this suffix; use one of {known}")
        check_place(path, "--report")
        if any(is_same_place(path, Path(split_choice(name)[0])) for name in inputs if name is not None):
            raise UsageError(f"--report {path}: this is an input, which a report would overwrite")
        if run_file is not None and is_same_place(path, run_file):
            raise UsageError(f"--report {path}: this is the run file, which a report would overwrite")


def show_report(
    record: RunRecord,
    summary: Summary,
    form: str,
    files: Sequence[Path] | None = None,
    only: Collection[PairKind] = (),
    *,
    problem: JudgeError | None = None,
) -> None:
    """Write a report to stdout in one format, and to files by their suffix, with the pairs of some kinds.

    Only what is for people is written in the terminal's own encoding.

    `problem` is what the command will end with, which a CI server is told too.

    Raises:
        OutputError: a file cannot be written.
    """
    width = report_width()
    rendered = partial(reports.render, only=only, problem=None if problem is None else str(problem))
    text = rendered(form, record, summary, width=width, color=wants_color(sys.stdout))
    for path in files or ():
        write_whole(path, rendered(_SUFFIXES[path.suffix.lower()], record, summary))
    if form != "terminal":
        write_utf8()
    show(text)
