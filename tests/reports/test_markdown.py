"""The Markdown report."""

import pytest

from judgecli import reports
from judgecli.analysis import summarise
from judgecli.reports.markdown import escape
from tests.analysis.made_up import record
from tests.reports.runs import COMPLETE, HOSTILE, RUNS

pytestmark = pytest.mark.filterwarnings("error")


def rendered(run):
    return reports.render("markdown", run, summarise(run))


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_it_is_under_sixty_lines(run):
    assert len(rendered(run).splitlines()) < 60


def test_it_states_what_the_terminal_states():
    text = rendered(COMPLETE)
    assert text.startswith("### candidate gpt35 better: win rate 68.8% [54.8, 79.8], n=40\n")
    assert (
        "| win | tie | order-dependent | loss |\n| ---: | ---: | ---: | ---: |\n| 24 | 4 | 3 | 9 |\n" in text
    )
    assert "| win rate | 68.8% [54.8, 79.8], 95% Tango interval, a tie counts half, n=40 |" in text
    assert "| judge | judgelm-7b, judgelm-7b.Q4\\_K\\_M.gguf, sha256 3f2a9c1b7d04 |" in text


def test_warnings_come_before_the_numbers():
    text = rendered(RUNS["demo judge"])
    assert text.index("- **Warning:** demo judge") < text.index("| win |")


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_every_table_row_has_the_cells_of_its_header(run):
    table: list[int] = []
    for line in rendered(run).splitlines():
        if not line.startswith("|"):
            table = []
            continue
        table.append(line.replace("\\|", "").count("|"))
        assert table[-1] == table[0]


def test_names_cannot_break_out_of_their_cell():
    text = rendered(record(["BB"] * 9, input={"model_b": HOSTILE}))
    assert "[/INST] [result] a\\|b &lt;img src=x&gt; \\`c\\` \\*d\\* @<!-- -->e 😀" in text
    assert "<img" not in text


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("[here](javascript:1)", "[here]\\(javascript:1)"),
        ("a & b", "a &amp; b"),
        ("back\\slash", "back\\\\slash"),
        ("__init__", "\\_\\_init\\_\\_"),
        ("68.8% [54.8, 79.8], n=40", "68.8% [54.8, 79.8], n=40"),
    ],
)
def test_escape(text, escaped):
    assert escape(text) == escaped
