"""The HTML report in a browser: where links lead, what keeps the focus, and what the address says."""

from dataclasses import replace

from judgecli.analysis import compare_runs, summarise
from judgecli.types import RunRecord
from tests.analysis.made_up import pair, record
from tests.analysis.ranked import by_pairs
from tests.reports.html.browser import drive, needs_browser

pytestmark = needs_browser


def run() -> RunRecord:
    """Return 40 pairs: 24 wins and losses, 8 unreadable, 8 too long, in categories that look the same."""
    names = ["a\x07", "a\\x07", ""]
    pairs = [replace(pair(f"q{n}"), metadata={"category": names[n % 3]}) for n in range(1, 41)]
    return record([*["BB", "AA"] * 12, *["uu"] * 8, *["ll"] * 8], pairs=pairs)


def test_escape_empties_box_list_and_address_alike(tmp_path):
    seen = drive(
        tmp_path,
        run(),
        """
        await press("/"); await type("nowhere"); look("searched");
        await press("Escape", one("#search")); look("emptied");
        await press("Escape", one("#search")); look("left");
        one("#search").value = "q12"; // as the browser's own cross does, and Enter before the wait is over
        one("#search").dispatchEvent(new view.Event("search")); look("at once");
        """,
    )
    told = {name: (one["box"], one["count"], one["hash"], one["focus"]) for name, one in seen.items()}
    assert told == {
        "searched": ("nowhere", "0 of 40 pairs", "#q=nowhere", "search"),
        "emptied": ("", "40 pairs", "", "search"),
        "left": ("", "40 pairs", "", ""),
        "at once": ("q12", "1 of 40 pairs", "#q=q12", ""),
    }


def test_an_address_with_a_pair_shows_it(tmp_path):
    for width in (400, 1280):
        opened = drive(tmp_path, run(), 'look("it");', fragment="filter=failures&pair=q30", width=width)["it"]
        assert (opened["open"], opened["sight"]) == ("q30", True)
        plain = drive(tmp_path, run(), 'look("it");', fragment="theme=dark", width=width)["it"]
        assert plain["sight"] is False


def test_a_link_leads_to_its_list_whatever_the_address_was(tmp_path):
    seen = drive(
        tmp_path,
        run(),
        """
        look("before");
        await click(".legend.large a[href$=long]"); look("too long");
        view.scrollTo(0, 0); look("back at the top");
        await click(".legend.large a[href$=long]"); look("again");
        await click(".legend.large a[href$=unreadable]"); look("unreadable");
        """,
    )
    filters = ("wins", "losses", "unreadable", "too long")
    assert seen["before"]["legend"] == [f"#filter={one}" for one in filters]
    assert [seen[name]["sight"] for name in ("before", "too long", "back at the top", "again")] == [
        False,
        True,
        False,
        True,
    ]
    assert seen["again"]["count"] == "8 of 40 pairs"
    assert (seen["too long"]["ids"][0], seen["unreadable"]["ids"][0]) == ("q33", "q25")


def test_a_button_keeps_the_focus_while_it_is_used(tmp_path):
    seen = drive(
        tmp_path,
        run(),
        """
        one("[data-go=next]").focus(); await click("[data-go=next]"); look("next");
        await press("j"); look("by key");
        one("[data-go=previous]").focus(); await click("[data-go=previous]"); look("previous");
        one("#marks").focus(); await click("#marks"); look("marks");
        one("[data-go=close]").focus(); await click("[data-go=close]"); look("closed");
        """,
        fragment="pair=q1",
    )
    assert {name: (one["open"], one["focus"]) for name, one in seen.items()} == {
        "next": ("q2", "next"),
        "by key": ("q3", "next"),
        "previous": ("q2", "previous"),
        "marks": ("q2", "marks"),
        "closed": (None, "list"),
    }
    assert (seen["marks"]["chosen"], seen["closed"]["chosen"]) == (1, 0)


def test_groups_that_look_the_same_are_told_apart(tmp_path):
    seen = drive(
        tmp_path,
        run(),
        """
        const choose = async (k) => {
          one("#group").selectedIndex = k;
          one("#group").dispatchEvent(new view.Event("change"));
          await pause();
        };
        look("all");
        await choose(1); look("first"); await choose(2); look("second"); await choose(3); look("third");
        await choose(0); look("any");
        await go("category=a\\\\x07+(2)"); look("from the address");
        """,
    )
    assert seen["all"]["groups"] == ["any category", "(empty)", "a\\x07", "a\\x07 (2)"]
    shown = {name: (one["count"], one["ids"][0]) for name, one in seen.items()}
    assert shown == {
        "all": ("40 pairs", "q1"),
        "first": ("13 of 40 pairs", "q2"),
        "second": ("13 of 40 pairs", "q3"),
        "third": ("14 of 40 pairs", "q1"),
        "any": ("40 pairs", "q1"),
        "from the address": ("14 of 40 pairs", "q1"),
    }


def test_a_narrow_list_shows_whole_words(tmp_path):
    first, second = record(["AA", "BB"]), record(["BB", "AB"])
    changes = compare_runs(first, second, ("old", "new"))
    narrow = drive(tmp_path, second, 'look("list");', width=400, summary=changes)["list"]["cells"]
    assert narrow == ["q1", "win", "loss"]
    many = by_pairs({f"A{other}": ["AA"] for other in "BCDEFGH"})
    seen = drive(tmp_path, many, 'look("list"); await press("j"); look("open");', summary=summarise(many))
    assert seen["list"]["cells"] == ["q1", "judged", "A 7, B 0, C 0", "Why?"]
    assert "modelpointsbetter thanworse than" in seen["open"]["words"]
    assert "A alpaca7B C D E F G H-" in seen["open"]["words"]


def test_a_long_id_leaves_room_for_the_place(tmp_path):
    made = record(["BB"], pairs=[pair("x" * 200)])
    seen = drive(
        tmp_path,
        replace(made, verdicts=(replace(made.verdicts[0], item_id="x" * 200),)),
        """
        await press("j"); look("open");
        seen.open.tall = one(".place").getBoundingClientRect().height;
        seen.open.line = parseFloat(view.getComputedStyle(one(".place")).lineHeight);
        """,
        width=400,
    )
    assert seen["open"]["tall"] <= seen["open"]["line"] + 1
    assert seen["open"]["wide"] == 0


def test_paper_is_never_dark(tmp_path):
    seen = drive(
        tmp_path,
        run(),
        """
        look("page");
        const darkens = (rule) => rule.style && rule.style.colorScheme === "dark";
        const rules = [...page.styleSheets[0].cssRules];
        const media = rules.filter((rule) => rule.media && [...rule.cssRules].some(darkens));
        seen.page.always = rules.filter(darkens).length;
        seen.page.media = media.map((rule) => rule.media.mediaText);
        """,
    )
    assert seen["page"]["always"] == 0
    assert len(seen["page"]["media"]) == 2
    assert all(media.startswith("screen") for media in seen["page"]["media"])
