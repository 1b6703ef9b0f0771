"""The report of a ranking, in every format, from a complete one to one with hostile names."""

import json
from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest
from rich.cells import cell_len

from judgecli import reports
from judgecli.analysis import summarise_ranking
from judgecli.reports.rank import facts
from judgecli.types import DecidedBy, Failure, RunRecord
from tests.analysis.ranked import by_pairs, jointly
from tests.reports.runs import HOSTILE

pytestmark = pytest.mark.filterwarnings("error")

WON = {
    "AB": ["BB"] * 30 + ["AB"] * 6 + ["AA"] * 4,
    "AC": ["BB"] * 18 + ["TT"] * 4 + ["AA"] * 18,
    "BC": ["AA"] * 26 + ["BB"] * 13 + ["uB"],
}
SCORED = [[[8.0, 6.0, 4.0], [7.0, 7.0, 4.0], [8.0, 7.0, 5.0 - k % 3]] for k in range(39)]


def with_hostile_names(run: RunRecord) -> RunRecord:
    """Return a ranking whose every name is hostile, and the same for all models."""
    items = tuple(replace(item, flags=(HOSTILE,)) for item in run.items)
    judgments = {key: replace(one, detail=HOSTILE) for key, one in run.judgments.items()}
    told = {
        **run.header,
        "models": [HOSTILE] * 3,
        "model": {"name": HOSTILE, "file": HOSTILE, "demo": True},
        "prompt": {"family": HOSTILE, "hash": HOSTILE},
        "input": {
            "files": [HOSTILE] * 3,
            "paired_by": HOSTILE,
            "formats": [HOSTILE],
            "turn": HOSTILE,
            "missing": {HOSTILE: [HOSTILE] * 20},
            "notes": [HOSTILE] * 20,
        },
    }
    return replace(run, header=told, items=items, judgments=judgments, notes=(HOSTILE,))


RUNS = {
    "pairs": by_pairs(WON),
    "pairs, partial": by_pairs({"AB": ["BB", ".."], "AC": ["AA", "AA"], "BC": ["TT", "u."]}),
    "pairs, separated": by_pairs({letters: ["AA"] * 30 for letters in ("AB", "AC", "BC")}),
    "pairs, two groups": by_pairs(
        {"AB": ["AA"] * 30, "CD": ["BB", "AA"] * 15, "AC": ["uu"] * 30}, models=[*"wxyz"]
    ),
    "pairs, all failed": by_pairs({letters: ["uu"] * 3 for letters in ("AB", "AC", "BC")}),
    "pairs, all level": by_pairs({letters: ["AB"] * 3 for letters in ("AB", "AC", "BC")}),
    "pairs, one item": by_pairs({letters: ["AA"] for letters in ("AB", "AC", "BC")}),
    "pairs, by rule": by_pairs({letters: [DecidedBy.EQUAL] * 3 for letters in ("AB", "AC", "BC")}),
    "pairs, no items": replace(by_pairs({"AB": [], "AC": [], "BC": []}), items=()),
    "pairs, no header": replace(by_pairs(WON), header={"mode": "rank"}),
    "pairs, hostile": with_hostile_names(by_pairs(WON)),
    "joint": jointly(SCORED, 3),
    "joint, two rotations": jointly([one[:2] for one in SCORED], 3, rotations=2),
    "joint, one rotation": jointly([one[:1] for one in SCORED], 3, rotations=1),
    "joint, failures": jointly(
        [*SCORED[:3], [Failure.UNREADABLE, None, [8.0, 6.0, 4.0]], DecidedBy.EQUAL], 3
    ),
    "joint, all failed": jointly([[Failure.TRUNCATED] * 3], 3),
    "joint, by rule": jointly([DecidedBy.EQUAL] * 2, 3),
    "joint, no items": jointly([], 3),
    "joint, hostile": with_hostile_names(jointly([*SCORED, [Failure.UNREADABLE] * 3], 3)),
}


def rendered(run: RunRecord, form: str = "terminal", **layout: Any) -> str:
    return reports.render(form, run, summarise_ranking(run), **layout)


def said(run: RunRecord) -> dict[str, str]:
    """Return the labelled lines of a wide report, continuation lines joined."""
    found: dict[str, str] = {}
    label = ""
    for line in rendered(run, width=200).splitlines():
        label = line[:13].strip() or label
        found[label] = f"{found.get(label, '')} {line[13:].strip()}".strip()
    return found


def parsed(run: RunRecord) -> Any:
    def refuse(constant: str) -> None:
        pytest.fail(f"{constant} is not JSON")

    return json.loads(rendered(run, "json"), parse_constant=refuse)


@pytest.mark.parametrize("form", ["json", "markdown", "terminal"])
@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_every_ranking_renders_without_nan_or_escape_codes(form: str, run: RunRecord) -> None:
    text = rendered(run, form)
    assert "\x1b" not in text
    assert "\u2028" not in text
    assert "nan" not in text.lower()
    assert "None" not in text


@pytest.mark.parametrize("width", [30, 40, 80])
@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_no_line_is_wider_than_the_terminal(width: int, run: RunRecord) -> None:
    for line in rendered(run, width=width).splitlines():
        assert cell_len(line) <= width
        assert line == line.rstrip()


def test_the_first_model_and_every_place_are_said() -> None:
    run = RUNS["pairs"]
    assert rendered(run).startswith("bison first: 1125 [1059, 1210] on the Elo scale, n=40 items\n")
    rows = said(run)
    assert rows["1  B"] == "bison, 1125 [1059, 1210], rank 1, win rate 74.7% [62.5, 85.9]"
    assert rows["2  C"].startswith("cohere, 957 [")
    assert rows["3  A"].startswith("alpaca, 917 [")
    assert rows["in front"] == "bison in 100.0% of resamples"
    assert rows["A"] == "alpaca, from a.jsonl"
    assert rows["compared"] == "every two models on 40 items, 120 comparisons (240 judgments)"


def test_who_met_whom_is_said_from_the_higher_ones_side() -> None:
    rows = said(RUNS["pairs"])
    assert rows["B against C"] == "66.7% [51.0, 79.4], won 26 tied 0 lost 13, consistent 100.0%, 1 failed"
    assert rows["B against A"].startswith("82.5% [")
    assert "won 30 tied 6 lost 4, consistent 85.0%" in rows["B against A"]
    assert rows["C against A"] == "50.0% [35.9, 64.1], won 18 tied 4 lost 18, consistent 100.0%"


def test_the_outcomes_are_drawn_and_add_up() -> None:
    lines = rendered(RUNS["pairs"]).splitlines()[9:]
    bars = {
        name: int(next(line for line in lines if line.startswith(f"{name} "))[len(name) :].split()[0])
        for name in ("bison", "cohere", "alpaca", "tie", "order-dependent", "unreadable")
    }
    assert bars == {
        "bison": 56,
        "cohere": 31,
        "alpaca": 22,
        "tie": 4,
        "order-dependent": 6,
        "unreadable": 1,
    }
    assert sum(bars.values()) == 120


def test_the_judge_stands_beside_the_ranks() -> None:
    rows = said(RUNS["pairs"])
    assert rows["consistency"].startswith("95.0% [")
    assert rows["consistency"].endswith("same verdict in both orders, n=40 items, 119 comparisons")
    assert rows["lean"].startswith("first seat +5.0 points [")
    assert rows["failed"] == "1 of 120 unreadable, in 1 judgment"
    assert rows["for example"] == "q40 in order BC: unreadable"


def test_a_close_race_has_no_clear_first() -> None:
    close = by_pairs(
        {"AB": ["AA"] * 20 + ["BB"] * 19, "AC": ["AB", "AA", "BB"] * 13, "BC": ["AA", "BB", "TT"] * 13}
    )
    text = rendered(close, width=200)
    assert text.startswith(
        "no clear first: alpaca is ahead with 1003 [955, 1051] on the Elo scale, n=39 items; "
    )
    assert text.splitlines()[0].endswith("; cohere and bison may be first too")
    level = rendered(RUNS["pairs, all level"], width=200)
    assert level.startswith("no clear first: alpaca, bison and 1 more are level with 1000 on the Elo scale")


def test_separation_is_said() -> None:
    text = rendered(RUNS["pairs, separated"], width=200)
    assert "! alpaca never lost a point, cohere never won a point: strengths have no bound. Each two" in text
    assert "given one tie more; read the ranks, not the distances.\n" in text


def test_groups_that_were_never_compared_are_named() -> None:
    text = rendered(RUNS["pairs, two groups"], width=200)
    assert text.startswith("no first: the models fall into groups that were never compared\n")
    assert "! no verdict links these groups of models: (w and x), (y and z); ranks across them mean" in text
    assert "never lost a point" not in text
    assert parsed(RUNS["pairs, two groups"])["fit"]["groups"] == ["AB", "CD"]
    many = {f"{a}{b}": ["AA"] * 30 for a, b in ("AB", "CD", "EF", "GH")} | {"AC": ["uu"] * 30}
    named = rendered(by_pairs(many, models=[*"stuvwxyz"]), width=200)
    assert "models: (s and t), (u and v), (w and x), 1 more; ranks across" in named


def test_rules_are_counted_in_words() -> None:
    rule = DecidedBy.EMPTY_A
    by_rule = by_pairs({"AB": [rule] * 2, "AC": [rule] * 3, "BC": [DecidedBy.BOTH_EMPTY] * 3})
    assert said(by_rule)["no judge"] == "8 comparisons decided by rule: 5 empty answers, 3 both empty"
    jointly_empty = jointly([DecidedBy.BOTH_EMPTY] * 2, 3)
    assert said(jointly_empty)["no judge"] == "2 items decided by rule: 2 all empty"
    assert "from rules, not from the judge: 2 all empty." in rendered(jointly_empty, width=200)


def test_a_partial_run_says_so() -> None:
    text = rendered(RUNS["pairs, partial"])
    assert "(partial run)" in " ".join(text.splitlines()[:3])
    assert "! partial run: 1 of 6 comparisons not judged yet;" in text


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("pairs, all failed", "no ranking: 9 of 9 unreadable\n"),
        ("pairs, no items", "no ranking: no comparisons\n"),
        ("joint, all failed", "no ranking: 1 of 1 truncated\n"),
        ("joint, no items", "no ranking: no items\n"),
    ],
)
def test_nothing_ranked_says_why(name: str, start: str) -> None:
    assert rendered(RUNS[name]).startswith(start)


def test_scores_of_one_prompt_are_said() -> None:
    run = RUNS["joint"]
    rows = said(run)
    assert rendered(run).startswith("alpaca first: mean score 7.67, n=39 items\n")
    assert rows["1  A"].startswith("alpaca, 7.67, rank 1, best on 100.0%, mean rank 1.00")
    assert rows["3  C"].startswith("cohere, 4.")
    assert rows["compared"] == "39 items (117 judgments), all answers in one prompt, 3 rotations"
    assert rows["seats"].startswith("they move a score by up to ")
    assert "(permutation test), n=39" in rows["seats"]
    assert rows["seat 1"].startswith("mean 6.")
    assert ", effect +" in rows["seat 1"]


def test_uneven_seats_are_said() -> None:
    assert "! each answer sat in 2 seats of 3: what the seats do to a score is in these numbers." in rendered(
        RUNS["joint, two rotations"], width=200
    )
    assert said(RUNS["joint, one rotation"])["seats"] == "not measured (one rotation)"


def test_models_of_one_name_are_told_apart() -> None:
    run = RUNS["pairs"]
    twins = replace(run, header={**run.header, "models": ["gpt", "gpt", "llama"]})
    rows = said(twins)
    assert rows["1  B"].startswith("gpt (B), ")
    assert rows["3  A"].startswith("gpt (A), ")
    assert rows["2  C"].startswith("llama, ")


def test_of_many_models_only_neighbours_in_rank_are_listed() -> None:
    letters = [a + b for n, a in enumerate("ABCDEF") for b in "ABCDEF"[n + 1 :]]
    many = by_pairs({pair: ["AA", "AA", "BB"] for pair in letters})
    rows = said(many)
    assert sum("against" in label for label in rows) == 5
    assert "neighbours only; 10 more with --format json" in rows["E against F"]
    assert len(parsed(many)["meetings"]) == 15


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_json_has_the_same_names_for_every_ranking(run: RunRecord) -> None:
    report = parsed(run)
    assert report.keys() == parsed(RUNS["pairs"]).keys() == parsed(RUNS["joint"]).keys()
    assert report["mode"] == "rank"
    for model in report["models"]:
        merits = {"pairs": {"strength", "win_rate"}, "joint": {"score", "mean_rank", "best"}}
        assert model["estimates"].keys() == merits[report["ranking"]]


def test_every_json_name_is_documented() -> None:
    documented = import_module("judgecli.reports.rank.facts").__doc__ or ""
    for run in (RUNS["pairs"], RUNS["joint"]):
        report = parsed(run)
        own = facts(summarise_ranking(run))
        model, counts = report["models"][0], report["counts"]
        for name in (*own, *report["estimates"], *model, *model["estimates"], *counts):
            assert name in documented, name


def test_json_facts_of_pairs() -> None:
    report = parsed(RUNS["pairs"])
    assert [model["letter"] for model in report["models"]] == ["B", "C", "A"]
    first = report["models"][0]
    assert (first["model"], first["file"], first["rank"], first["p_first"]) == ("bison", "b.jsonl", 1, 1.0)
    assert report["counts"] == {
        "items": 40,
        "compared": 120,
        "judgments": 240,
        "verdicts": 119,
        "failed": 1,
        "failed_judgments": 1,
        "open": 0,
        "failures": {"unreadable": 1},
        "without_judge": {},
    }
    meeting = report["meetings"][0]
    assert (meeting["letters"], meeting["models"]) == ("AB", ["alpaca", "bison"])
    assert meeting["counts"]["win"] == 30
    assert meeting["counts"]["order_dependent"] == 6
    assert meeting["estimates"]["win_rate"]["value"] == 0.825
    assert report["position_table"] == [[48, 0, 6], [0, 4, 0], [0, 0, 61]]
    assert report["fit"]["resamples"] == 2000
    assert (report["rotations"], report["seats"]) == (None, [])


def test_json_facts_of_scores() -> None:
    report = parsed(RUNS["joint, failures"])
    assert (report["meetings"], report["fit"], report["position_table"]) == ([], None, None)
    assert report["rotations"] == 3
    assert [one["seat"] for one in report["seats"]] == [1, 2, 3]
    assert report["counts"]["failed"] == 1
    assert report["counts"]["without_judge"] == {"equal answers": 1}
    assert report["estimates"]["seat_test"]["p_value"] is not None
