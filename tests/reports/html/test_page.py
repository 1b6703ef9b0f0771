"""The HTML report as text: one file, nothing fetched, nothing of a stranger's as markup."""

from dataclasses import replace

import pytest

from judgecli import reports
from judgecli.analysis import compare_runs, summarise, summarise_pairs
from judgecli.reports.diff import document as diff_document
from judgecli.reports.html import figures, items, key_numbers
from judgecli.reports.html.pair_figures import length_bins, score_columns
from judgecli.reports.pair import document as pair_document
from judgecli.reports.wording import Document
from judgecli.types import Estimate, ReliabilityBin, RunRecord, Summary
from tests.analysis.made_up import pair, record, verdict
from tests.reports.html.hostile import ATTACK, attacking
from tests.reports.html.read import KINDS, page
from tests.reports.runs import COMPLETE, RUNS
from tests.reports.trust_summaries import adjusted, calibration, run

pytestmark = pytest.mark.filterwarnings("error")


def test_a_run_of_pairs_has_its_parts():
    found = page(COMPLETE)
    words = " ".join(found.words)
    assert "candidate gpt35 better" in words
    assert "win rate 68.8% [54.8, 79.8], n=40" in words
    for part in (
        "win rate of the candidate",
        "same verdict in both orders",
        "lean to the first seat",
        "Setup",
    ):
        assert part in words
    assert len(found.index["rows"]) == len(found.texts) == 40
    assert {one["key"]: one["n"] for one in found.index["filters"]} == {
        "wins": 24,
        "losses": 9,
        "ties": 4,
        "flips": 3,
    }


@pytest.mark.parametrize("made", RUNS.values(), ids=RUNS)
def test_every_run_of_pairs_has_a_page(made):
    found = page(made)
    assert ("index" in found.blocks) == bool(made.items)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_report_has_a_page(kind):
    found = page(*KINDS[kind])
    names = [tag for tag, _ in found.tags]
    assert names.count("h1") == 1
    assert "table" in names or "dl" in names
    assert ("index" in found.blocks) == (kind in {"grade", "rank", "joint"})


def test_nothing_is_fetched_and_nothing_is_inline():
    found = page(attacking())
    for tag, attributes in found.tags:
        assert tag not in {"link", "img", "iframe", "object", "embed", "base", "form", "a"} or (
            tag == "a" and str(attributes["href"]).startswith("#filter=")
        )
        assert not {"src", "style", "srcset", "action", "formaction", "http-equiv"} & set(attributes) or (
            attributes.get("http-equiv") == "Content-Security-Policy"
        )
        assert not [name for name in attributes if name.startswith("on")]
    scripts = [attributes for tag, attributes in found.tags if tag == "script"]
    assert [one for one in scripts if one.get("type") != "application/json"] == [{}]


def test_a_text_adds_no_tag():
    names = [tag for tag, _ in page(attacking()).tags]
    assert names.count("script") == 3  # the list, its texts and the page's own
    assert not {"img", "b>", "x"} & set(names)


def test_texts_read_back_as_they_were():
    one = page(attacking()).texts[0]
    assert dict(one["asked"]) == {"instruction": ATTACK, "input": ATTACK, "reference": ATTACK}
    assert [text for _, _, text in one["answers"]] == [f"{ATTACK} a", f"{ATTACK} b"]
    assert one["judgments"][0]["text"] == ATTACK


def test_a_template_in_a_text_is_not_filled():
    assert "{{ 7 * 7 }}{% raw %}" in " ".join(page(attacking()).words)


def test_it_can_be_encoded_whatever_an_answer_holds():
    reports.render("html", attacking(), summarise(attacking())).encode()


def test_a_chart_without_any_value_is_left_out():
    pairs = [replace(pair(f"q{n}"), metadata={"group": "ab"[n % 2]}) for n in range(1, 9)]
    assert "Win rate by group" in page(record(["BB", *["uu"] * 7], pairs=pairs)).words
    assert "Win rate by group" not in page(record(["uu"] * 8, pairs=pairs)).words


# what the charts count


def test_scores_are_counted_by_whole_numbers():
    verdicts = [verdict("q1", "BB", score_a=6.5, score_b=8.0), verdict("q2", "AA", score_a=8.0, score_b=6.0)]
    assert score_columns(verdicts) == [("6", 1, 1), ("7", 0, 0), ("8", 1, 1)]
    assert score_columns([verdict("q1", "BB")]) == []


def test_verdicts_are_counted_by_how_much_longer_b_is():
    pairs = [pair(f"q{n}", "x" * 10, "x" * (10 + n)) for n in range(1, 11)]
    bins = length_bins(record([*["AA"] * 4, *["BB"] * 6], pairs=pairs))
    assert [(one.low, one.high, one.n, one.win_rate) for one in bins] == [
        (1, 2, 2, 0.0),
        (3, 4, 2, 0.0),
        (5, 6, 2, 1.0),
        (7, 8, 2, 1.0),
        (9, 10, 2, 1.0),
    ]
    assert length_bins(record(["AA"] * 9)) == []
    assert length_bins(record(["AA"] * 30)) == []  # all of one difference


def links(made: RunRecord, summary: Summary, said: Document) -> dict[str, str | None]:
    table = items.table_of(made, summary)
    return {one.name: one.filter for one in figures.outcomes(said, table)}


def test_outcomes_link_to_the_filters_that_list_them():
    made = record(["BB", "AA", "AB", "uu", "ll", ".."])
    summary = summarise_pairs(made)
    assert links(made, summary, pair_document(made, summary)) == {
        "win": "wins",
        "tie": None,
        "order-dependent": "flips",
        "loss": "losses",
        "unreadable": "unreadable",
        "too long": "too long",
        "not judged": "open",
    }


def test_the_only_kind_of_failures_links_to_all_of_them():
    made = record(["BB", "uu"])
    summary = summarise_pairs(made)
    assert links(made, summary, pair_document(made, summary))["unreadable"] == "failures"


def test_outcomes_of_two_runs_link_to_the_filters_that_list_them():
    made = record(["AA", "uu", "BB", "uu", ".."])
    summary = compare_runs(record(["BB", "BB", "uu", "uu", "BB"]), made, ("old", "new"))
    assert links(made, summary, diff_document(made, summary)) == {
        "same verdict": None,
        "for B": None,  # no pair moved there
        "for A": "for A",
        "now failed": "now failed",
        "no longer failed": "no longer failed",
        "failed in both": "failed in both",
        "not judged": None,
    }


def test_outcomes_without_a_list_link_to_nothing():
    said = pair_document(COMPLETE, summarise_pairs(COMPLETE))
    assert {one.filter for one in figures.outcomes(said, None)} == {None}


def test_a_colon_in_a_model_s_name_ends_no_subject():
    made = record(["BB"] * 9, input={"model_a": "org/a: v1", "model_b": "org/b: v2"})
    source = reports.render("html", made, summarise(made))
    assert "<title>candidate org/b: v2 better</title>" in source
    assert '<span class="result">win rate 100.0% [' in source


def test_key_numbers_have_a_dash_where_there_is_none():
    numbers = {one.name: one for one in key_numbers.key_numbers(summarise(RUNS["all unreadable"]))}
    assert numbers["win rate of the candidate"].value == "-"
    assert numbers["failed"].value == "4"
    assert numbers["same verdict in both orders"].note


def test_people_s_labels_are_shown_on_the_page():
    summary = replace(summarise(COMPLETE), adjusted=adjusted())
    assert "human-adjusted win rate" in " ".join(page(COMPLETE, summary).words)


def test_labels_of_a_run_of_pairs_show_how_sure_the_judge_is_and_how_right():
    right = Estimate(name="right", value=0.6, low=0.4, high=0.8, n=25, method="")
    shown = adjusted(reliability=(ReliabilityBin(confidence=0.72, right=right),))
    without = page(COMPLETE, replace(summarise(COMPLETE), adjusted=adjusted())).words
    assert "Confidence and agreement" not in without
    words = page(COMPLETE, replace(summarise(COMPLETE), adjusted=shown)).words
    assert "Confidence and agreement" in words
    assert "confidence 0.72: 60.0% of 25 agree" in words


def test_a_calibration_shows_the_agreement_from_each_threshold_on():
    made = calibration()
    words = page(run(), made).words
    assert "Agreement from a confidence on" in words
    first = made.steps[0]
    right, least = 1 - first.k / first.n, 1 - first.bound
    assert f"{first.threshold:.3f}, n={first.n:,}: {right:.1%}, at least {least:.1%}" in words
    assert "Agreement from a confidence on" not in page(run(), replace(made, steps=())).words
