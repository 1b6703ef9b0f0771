"""The list of the HTML report in a browser: filters, search, order, keys, and nothing that runs."""

import pytest

from judgecli import reports
from judgecli.analysis import summarise
from judgecli.types import RunRecord
from tests.analysis.made_up import pair, record
from tests.reports.html.browser import browse, drive, needs_browser
from tests.reports.html.hostile import attacking

pytestmark = needs_browser

# q1 to q60: wins, losses, ties and order-dependent pairs by turns, and two failures
CASES = [*["BB", "AA", "TT", "AB"] * 15, "uu", "uB"]


def run() -> RunRecord:
    endings = {9: " zebra"}
    return record(
        CASES,
        pairs=[
            pair(f"q{n}", f"the answer {n} is plain", f"the answer {n} is better{endings.get(n, '')}")
            for n in range(1, len(CASES) + 1)
        ],
    )


def test_filters_search_and_order(tmp_path):
    seen = drive(
        tmp_path,
        run(),
        """
        look("all");
        await click("[data-key=losses]"); look("losses");
        await click("[data-key=flips]"); look("losses and flips");
        await click("[data-key=losses]"); await click("[data-key=flips]");
        await click("[data-key=failures]"); look("failures");
        await click("[data-key=failures]");
        await type("ZEBRA"); look("search");
        await type("nowhere"); look("nothing");
        await type("");
        await click("#head [data-name=length]");
        await click("#head [data-name=length]"); look("longest first");
        await click("#head [data-name=length]"); look("as it was");
        await go("filter=wins&q=answer+1&sort=-pair"); look("from the address");
        await go("filter=nonsense"); look("nonsense");
        """,
    )
    counts = {name: (one["count"], one["ids"][:3]) for name, one in seen.items()}
    assert counts == {
        "all": ("62 pairs", ["q1", "q2", "q3"]),
        "losses": ("15 of 62 pairs", ["q2", "q6", "q10"]),
        "losses and flips": ("30 of 62 pairs", ["q2", "q4", "q6"]),
        "failures": ("2 of 62 pairs", ["q61", "q62"]),
        "search": ("1 of 62 pairs", ["q9"]),
        "nothing": ("0 of 62 pairs", []),
        "longest first": ("62 pairs", ["q9", "q1", "q2"]),
        "as it was": ("62 pairs", ["q1", "q2", "q3"]),
        "from the address": ("3 of 62 pairs", ["q17", "q13", "q1"]),
        "nonsense": ("62 pairs", ["q1", "q2", "q3"]),
    }
    assert seen["losses and flips"]["hash"] == "#filter=losses,flips"


def test_a_pair_opens_and_the_keyboard_goes_on(tmp_path):
    seen = drive(
        tmp_path,
        run(),
        """
        look("opened");
        await press("j"); look("next");
        await press("k"); await press("k"); await press("k"); look("first");
        await click("[data-go=next]"); look("button");
        await press("/"); look("search");
        await press("Escape", one("#search")); look("search left");
        await press("Escape"); look("closed");
        await press("j"); look("again");
        await click("#marks"); look("unmarked");
        await click("#theme"); look("dark");
        """,
        fragment="filter=losses&pair=q6&theme=light",
    )
    opened = seen["opened"]
    assert opened["open"] == "q6"
    assert "2 of 15" in opened["words"]
    assert "the answer 6 is plain" in opened["words"]
    assert "A first" in opened["words"]
    assert opened["marks"] == ["plain", "better"]
    assert [seen[name]["open"] for name in ("next", "first", "button", "again")] == ["q10", "q2", "q6", "q2"]
    assert seen["search"]["focus"] == "search"
    assert (seen["search left"]["open"], seen["search left"]["focus"]) == ("q6", "")
    assert seen["closed"]["open"] is None
    assert seen["button"]["hash"] == "#filter=losses&pair=q6"
    assert seen["unmarked"]["marks"] == []
    assert (opened["theme"], seen["dark"]["theme"]) == ("light", "dark")


def test_nothing_in_a_text_runs(tmp_path):
    seen = drive(
        tmp_path,
        attacking(),
        """
        look("opened");
        await type("script"); look("search");
        await press("j"); look("next");
        await click("#head [data-name=verdict]"); look("sorted");
        """,
        fragment="pair=q0",
    )
    for one in seen.values():
        assert one["title"] != "RAN"
        assert one["foreign"] == 0
        assert len(one["ids"]) == 12
    assert "<img src=x onerror=" in seen["opened"]["words"]
    assert seen["next"]["open"].startswith("</script><script>")


def test_a_script_that_is_not_ours_is_refused_by_the_policy(tmp_path):
    text = reports.render("html", run(), summarise(run()))
    smuggled = "<script>document.title='RAN'</script><img src=x onerror=\"document.title='RAN'\">"
    path = tmp_path / "smuggled.html"
    path.write_text(text.replace("</main>", f"</main>{smuggled}"), encoding="utf-8")
    page = browse(tmp_path, "--dump-dom", path.as_uri())
    assert smuggled[:40] in page
    assert "<title>RAN" not in page
    assert 'id="count">62 pairs<' in page


def test_of_5000_pairs_only_those_in_sight_are_drawn(tmp_path):
    cases = ["BB", "AA", "TT", "AB"] * 1250
    texts = [f"answer {n} " + "word " * 150 for n in range(len(cases))]
    made = record(cases, pairs=[pair(f"q{n}", text, text) for n, text in enumerate(texts, 1)])
    seen = drive(
        tmp_path,
        made,
        """
        look("all");
        one("#list").scrollTop = 100000;
        one("#list").dispatchEvent(new view.Event("scroll")); // it may wait for a frame that nobody draws
        look("scrolled");
        await type("answer 4321 "); look("found");
        await go("pair=q5000"); look("last");
        """,
    )
    assert seen["all"]["count"] == "5,000 pairs"
    assert all(len(one["ids"]) < 100 for one in seen.values())
    assert "q2941" in seen["scrolled"]["ids"]
    assert seen["found"]["ids"] == ["q4322"]
    assert seen["last"]["open"] == "q5000"
    assert "q5000" in seen["last"]["ids"]  # the list has scrolled to it


@pytest.mark.parametrize("width", [400, 1280])
def test_a_page_is_never_wider_than_the_screen(tmp_path, width):
    seen = drive(tmp_path, attacking(), 'look("closed"); await press("j"); look("open");', width=width)
    assert [one["wide"] for one in seen.values()] == [0, 0]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_screenshot_shows_a_page_in_either_theme(tmp_path, theme):
    (tmp_path / "report.html").write_text(reports.render("html", run(), summarise(run())), encoding="utf-8")
    # tall enough that nothing has to scroll: of a scrolled page Chromium makes an empty picture
    shot, url = tmp_path / "shot.png", (tmp_path / "report.html").as_uri()
    browse(tmp_path, f"--screenshot={shot}", "--window-size=1280,2600", f"{url}#theme={theme}&pair=q2")
    assert shot.read_bytes().startswith(b"\x89PNG")
    assert shot.stat().st_size > 30_000  # an empty page has a few kilobytes
