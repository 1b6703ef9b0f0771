"""What holds for every report: it is found by name, and renders every run."""

import re
import subprocess
import sys

import pytest

from judgecli import reports
from judgecli.analysis import summarise
from judgecli.errors import UsageError
from tests.reports.runs import RUNS

pytestmark = pytest.mark.filterwarnings("error")


def test_formats_are_the_modules_of_the_package_and_folders_with_a_page():
    assert reports.formats() == ["html", "json", "junit", "markdown", "terminal"]


@pytest.mark.parametrize("name", ["pdf", "wording", "pairs", "pair", "", "terminal.fill"])
def test_an_unknown_format_is_a_usage_error_that_lists_them(name):
    with pytest.raises(UsageError, match="html, json, junit, markdown, terminal"):
        reports.render(name, RUNS["complete"], summarise(RUNS["complete"]))


@pytest.mark.parametrize("name", ["html", "json", "junit", "markdown", "terminal"])
@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_every_run_renders_without_nan_or_escape_codes(name, run):
    text = reports.render(name, run, summarise(run))
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert "\x1b" not in text
    assert "\u2028" not in text
    assert not re.search(r"\bnan\b", text, re.IGNORECASE)
    assert "None" not in text


@pytest.mark.parametrize("name", ["html", "json", "junit", "markdown"])
def test_only_the_terminal_report_loads_rich(name):
    code = (
        "import sys; from judgecli import reports; from judgecli.analysis import summarise\n"
        "from tests.reports.runs import COMPLETE\n"
        f"reports.render({name!r}, COMPLETE, summarise(COMPLETE)); sys.exit('rich' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
