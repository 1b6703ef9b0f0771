"""A report rendered and read back."""

import json
import re
from importlib import import_module
from typing import Any

import pytest

from judgecli import reports
from judgecli.reports import json as json_report
from judgecli.types import RunRecord, Summary

ESTIMATE = {"name", "value", "low", "high", "n", "p_value", "method"}


def text(record: RunRecord, summary: Summary, form: str = "terminal", **layout: Any) -> str:
    return reports.render(form, record, summary, **layout)


def lines(record: RunRecord, summary: Summary, *, width: int = 80) -> list[str]:
    return text(record, summary, width=width).splitlines()


def flat(record: RunRecord, summary: Summary, *, width: int = 80) -> str:
    """Return the terminal report with every run of blanks and line breaks as one blank."""
    return " ".join(text(record, summary, width=width).split())


def parsed(record: RunRecord, summary: Summary) -> dict[str, Any]:
    report = text(record, summary, "json")
    assert report.isascii()
    return json.loads(report, parse_constant=lambda constant: pytest.fail(f"{constant} is not JSON"))


def documented(about: str) -> set[str]:
    """Return the words in the docstrings that say what a JSON report on this holds."""
    facts = import_module(f"judgecli.reports.{about}.facts")
    return set(re.findall(r"\w+", f"{json_report.__doc__}{facts.__doc__}")) | ESTIMATE


def every_name(report: Any) -> set[str]:
    """Return the names in a report at any depth, its header and counts by reason aside."""
    if isinstance(report, list):
        return set().union(*map(every_name, report))
    if not isinstance(report, dict):
        return set()
    inner = (value for key, value in report.items() if key not in {"header", "failures", "flags", "judge"})
    return set(report) | set().union(*map(every_name, inner))
