"""The sentences that reports share."""

import pytest

from judgecli.analysis import summarise
from judgecli.reports.pair.headline import cautions, headline, outcomes
from judgecli.reports.wording.rows import clean, p_value, points
from judgecli.reports.wording.setup import setup_rows
from tests.analysis.made_up import record
from tests.reports.runs import HOSTILE, RUNS

pytestmark = pytest.mark.filterwarnings("error")


@pytest.mark.parametrize(
    ("cases", "sentence"),
    [
        (
            [*["BB"] * 60, *["AA"] * 40],
            "candidate gpt35 better: win rate 60.0% [50.2, 69.1], n=100",
        ),
        (
            [*["AA"] * 60, *["BB"] * 40],
            "baseline alpaca-13b better: the candidate's win rate is 40.0% [30.9, 49.8], n=100",
        ),
        (
            [*["BB"] * 90, *["TT"] * 40, *["AA"] * 70],
            "no difference shown: candidate gpt35 win rate 55.0% [48.8, 61.0], n=200",
        ),
        (["uu"] * 4, "no verdicts: 4 of 4 unreadable"),
        (["uu", "uB", "ll", ".."], "no verdicts: 3 of 4: 2 unreadable, 1 too long; 1 of 4 not judged yet"),
        ([], "no verdicts: no pairs"),
    ],
)
def test_headline(cases, sentence):
    assert str(headline(summarise(record(cases)))) == sentence


def test_headline_of_a_partial_run_says_so():
    assert str(headline(summarise(record(["BB", ".."])))).endswith("n=1 (partial run)")


def test_headline_without_names():
    run = record(["BB"] * 9, input={"model_a": None, "model_b": None, "baseline": None, "candidate": None})
    assert str(headline(summarise(run))).startswith("candidate better: win rate 100.0% [")


def test_the_winner_keeps_its_name_when_the_files_are_swapped_arena_hard_14():
    swapped = {"model_a": "gpt35", "model_b": "alpaca-13b"}
    there = str(headline(summarise(record(["BB"] * 9))))
    back = str(headline(summarise(record(["AA"] * 9, input=swapped))))
    assert "gpt35 better" in there
    assert "gpt35 better" in back


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_outcomes_add_up_to_all_pairs(run):
    assert sum(n for _, n in outcomes(summarise(run))) == len(run.verdicts)


def test_outcomes_name_each_kind_of_tie_and_failure():
    rows = outcomes(summarise(record(["BB", "TT", "AB", "AA", "uu", "ll", ".."])))
    names = ["win", "tie", "order-dependent", "loss", "unreadable", "too long", "not judged"]
    assert rows == [(name, 1) for name in names]


def test_demo_judge_warning_says_how_to_pull_a_real_one():
    ((_, sentences),) = cautions(summarise(record([*["BB"] * 30], model={"demo": True})))
    assert " ".join(sentences) == (
        "demo judge, at chance: it means nothing. A real one: judge pull judgelm-7b"
    )


@pytest.mark.parametrize(
    ("settings", "phrases"),
    [
        ({}, []),
        ({"n_ubatch": 512, "type_k": "f16", "type_v": "f16", "flash_attn": True}, []),
        ({"n_ubatch": 32, "type_k": "q8_0"}, ["n_ubatch 32", "type_k q8_0"]),
        ({"type_v": "bf16", "flash_attn": False}, ["type_v bf16", "no flash attention"]),
    ],
)
def test_the_engine_line_names_what_is_not_the_default(settings, phrases):
    run = record(["BB"], backend=settings)
    rows = {row.label: row.phrases for row in setup_rows(run.header, summarise(run)) if row}
    assert list(rows["engine"]) == ["llama_cpp", "llama-cpp-python 0.3.36", "cpu", "n_ctx 2048", *phrases]


def test_clean_makes_line_breaks_and_escape_codes_visible():
    assert clean(HOSTILE) == "[/INST] [result] a|b <img src=x> `c` *d* @e 😀\\u2028\\x1b[31m\\n| x"


@pytest.mark.parametrize("text", ["名前", "naïve", "👩\u200d🔬", "a b"])
def test_clean_leaves_ordinary_text_alone(text):
    assert clean(text) == text


@pytest.mark.parametrize(
    ("p", "text"), [(0.11470, "p=0.115"), (0.0006, "p=0.0006"), (1, "p=1.000"), (0, "p<0.0001"), (None, None)]
)
def test_p_value(p, text):
    assert p_value(p) == text


@pytest.mark.parametrize(
    ("share", "text"), [(0.07, "+7.0"), (-0.0667, "-6.7"), (-0.0001, "+0.0"), (0, "+0.0")]
)
def test_points_are_signed_and_never_minus_zero(share, text):
    assert points(share) == text


def test_a_long_aspect_is_shortened():
    run = record(["BB"], prompt={"aspect": "word " * 100})
    said = [phrase for one in setup_rows(run.header, summarise(run)) if one for phrase in one.phrases]
    [aspect] = [phrase for phrase in said if phrase.startswith("aspect word")]
    assert (len(aspect), aspect[-3:]) == (len("aspect ") + 80, "...")


@pytest.mark.parametrize(
    ("orders", "said"),
    [
        ("both", "both orders"),
        ("ab", "one order (A first)"),
        ("ba", "one order (B first)"),
        ("one", "one order a pair"),
    ],
)
def test_the_orders_that_were_judged(orders, said):
    shown = record(["AA"], orders=orders)
    (prompt,) = (one for one in setup_rows(shown.header, summarise(shown)) if one and one.label == "prompt")
    assert said in prompt.phrases
