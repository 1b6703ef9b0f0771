"""Writing reports: to stdout as they are, to files whole or not at all."""

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from judgecli import reports
from judgecli.cli.console import wants_color, write
from judgecli.errors import OutputError, UsageError
from judgecli.run.whole_file import write_whole
from judgecli.types import RunRecord, Summary

_SUFFIXES = {".md": "markdown", ".json": "json", ".txt": "terminal"}


def check_report_files(paths: Sequence[Path] | None, inputs: Sequence[str | None]) -> None:
    """Refuse report files that could not be written, or would overwrite an input, before anything is judged.

    Raises:
        UsageError: a suffix that no report has, or one of the inputs.
        OutputError: a folder that is not there, or that is there under the file's name.
    """
    for path in paths or ():
        if path.suffix.lower() not in _SUFFIXES:
            known = ", ".join(_SUFFIXES)
            raise UsageError(f"--report {path}: no report has this suffix; use one of {known}")
        if not path.parent.is_dir():
            raise OutputError(f"--report {path}: there is no folder {path.parent}; make it first")
        if path.is_dir():
            raise OutputError(f"--report {path}: this is a folder; name a file in it")
        if any(path.resolve() == Path(name).resolve() for name in inputs if name is not None):
            raise UsageError(f"--report {path}: this is an input, which a report would overwrite")


def show_report(record: RunRecord, summary: Summary, form: str, files: Sequence[Path] | None = None) -> None:
    """Write a report to stdout in one format, and to files by their suffix.

    Raises:
        OutputError: a file cannot be written.
    """
    width = shutil.get_terminal_size((80, 24)).columns
    text = reports.render(form, record, summary, width=width, color=wants_color(sys.stdout))
    for path in files or ():
        write_whole(path, reports.render(_SUFFIXES[path.suffix.lower()], record, summary, width=80))
    write(text)
