"""The Markdown report."""

import html
import itertools
import re
from dataclasses import replace

import pytest

from judgecli import reports
from judgecli.analysis import summarise, summarise_ranking
from judgecli.reports import PairKind, markdown
from judgecli.reports.markdown import escape
from judgecli.types import LETTERS
from tests.analysis.made_up import pair, record
from tests.analysis.ranked import by_pairs
from tests.reports.runs import COMPLETE, HOSTILE, RUNS
from tests.reports.trust_summaries import against, run, validation

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
        ("https://evil.example/x", "https:<!-- -->//evil.example/x"),
        ("www.evil.example", "www<!-- -->.evil.example"),
        ("#12, user/repo#3, GH-4", "#<!-- -->12, user/repo#<!-- -->3, GH-<!-- -->4"),
        ("$a$", "&#36;a&#36;"),
        (":tada: :+1:", ":<!-- -->tada: :<!-- -->+1:"),
        ("judgelm-7b:Q4 and C# at 4:1", "judgelm-7b:Q4 and C# at 4:1"),
    ],
)
def test_escape(text, escaped):
    assert escape(text) == escaped


def test_what_is_escaped_reads_the_same():
    text = f"see https://evil.example/x #12 $a$ user/repo#3 :tada: www.x GH-1 {HOSTILE}"
    shown = re.sub(r"\\([\\`*_|~(])", r"\1", escape(text).replace("<!-- -->", ""))
    assert html.unescape(shown) == text


def test_a_parser_of_markdown_shows_it_as_it_is():
    parser = pytest.importorskip("markdown_it").MarkdownIt("commonmark")
    text = (
        "see https://evil.example/x #12 $a$ :tada: [x](http://y.example) <b> @me *a* `c` <http://z.example>"
    )
    children = parser.parse(escape(text))[1].children
    assert {token.type for token in children} <= {"text", "text_special", "html_inline"}
    assert {token.content for token in children if token.type == "html_inline"} == {"<!-- -->"}
    assert "".join(token.content for token in children if token.type != "html_inline") == text


def test_long_tables_are_cut_and_counted():
    verdicts = {f"{a}{b}": ["AA"] for a, b in itertools.combinations(LETTERS[:19], 2)}
    ranking = by_pairs(verdicts, models=[f"model {n}" for n in range(19)])
    text = reports.render("markdown", ranking, summarise_ranking(ranking))
    assert len(text.splitlines()) <= 59
    assert re.search(r"\n\|  \| and \d+ more rows: see --format json \|\n", text)
    for row in ("A", "S", "judge", "prompt", "1  A", "19 S", "method", "consistency", "joined"):
        assert f"\n| {row} |" in text
    many = validation([against(f"annotator {n}", 0.9, 0.8) for n in range(60)])
    text = reports.render("markdown", run(), many)
    assert len(text.splitlines()) <= 59
    assert "more rows: see --format json" in text


def test_no_cut_that_is_longer_than_the_room_is_tried(monkeypatch):
    tried = []
    monkeypatch.setattr(markdown, "_cut", lambda rows, n: tried.append(n) or rows[:n])
    long, short = [("a", "b")] * 5000, [("c", "d")] * 3
    for room, lengths in ((20, [17, 3]), (2, [1, 1]), (0, [1, 1]), (-5, [1, 1]), (9000, [5000, 3])):
        tried.clear()
        assert [len(rows) for rows in markdown._fitting([long, short], room)] == lengths
        assert max(tried) <= max(room, 1)
    assert markdown._fitting([], 20) == []
    assert markdown._fitting([[]], 0) == [[]]


def test_a_report_fits_into_a_comment_whatever_it_is_about():
    """GitHub refuses comments of more than 65,536 characters."""
    long = [pair(f"{n}{'$' * 30_000}") for n in range(9)]
    made = record(["uB"] * 9, pairs=long, input={"model_b": "@" * 70_000})
    failed = [replace(one, detail="#1 " * 10_000) for one in made.verdicts]
    made = replace(made, verdicts=tuple(failed), notes=("x" * 70_000,))
    text = rendered(made)
    assert len(text) < 65_000
    assert "unreadable" in text
    views = reports.render("markdown", made, summarise(made), only=[PairKind.FAILURES])
    assert len(views) < 65_000
    assert len(views.splitlines()) <= 59
