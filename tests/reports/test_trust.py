"""What the report of a run says of trust, a stronger judge, an endpoint's cost, and people's labels."""

from dataclasses import replace

import pytest
from rich.cells import cell_len

from judgecli.analysis import summarise
from judgecli.reports.wording.setup import judge_name
from judgecli.types import Caution, CautionKind, Conclusion
from tests.analysis.made_up import header
from tests.reports.runs import COMPLETE, HOSTILE
from tests.reports.said import documented, every_name, flat, lines, parsed, text
from tests.reports.trust_summaries import (
    CASCADE,
    EFFORT,
    IMPORTED,
    absent,
    adjusted,
    agrees,
    calibration,
    estimate,
    full_agreement,
    not_better,
    run,
    scored,
    trust,
    validation,
    without_stronger,
)

pytestmark = pytest.mark.filterwarnings("error")

RUN = replace(COMPLETE, header={**COMPLETE.header, **CASCADE})
SUMMARY = summarise(COMPLETE)
FULL = replace(SUMMARY, trust=trust(), effort=(EFFORT,), adjusted=adjusted(60))
HOSTILE_NAME = "[x](y) @me"
HOSTILE_HEADER = header(
    model={"name": HOSTILE_NAME, "file": HOSTILE},
    backend={"base_url": HOSTILE, "model": HOSTILE},
    escalation={
        "model": {"name": HOSTILE},
        "prompt": {"family": HOSTILE},
        "backend": {"base_url": "http://["},
    },
    calibration={"file": HOSTILE, "temperature": "hot"},
    doubt={"below": HOSTILE},
)


def with_trust(**changes):
    return replace(SUMMARY, trust=trust(**changes))


def test_a_stronger_judge_stands_in_the_setup():
    said = flat(RUN, FULL)
    assert (
        "stronger openai:big-judge prompt chat, hash 9f8e7d6c5b4a openai, https://judges.example:8443/v1"
        in said
    )
    assert "hush" not in said
    assert (
        "calibration calibration.json, temperature 2.65, threshold 0.675, "
        "for 80% agreement with 90% confidence" in said
    )


def test_a_run_without_any_of_it_says_nothing_of_it():
    labels = {line[:13].strip() for line in lines(COMPLETE, SUMMARY)}
    assert not labels & {"stronger", "calibration", "doubtful", "trusted", "guarantee", "people", "endpoint"}


def test_an_endpoint_as_the_only_judge():
    made = header(
        model={"name": "openai:small", "file": "small", "sha256": None},
        backend={
            "name": "openai",
            "llama_cpp_python": None,
            "device": "endpoint",
            "n_ctx": None,
            "base_url": "http://127.0.0.1:8000/v1",
            "model": "qwen",
        },
    )
    said = flat(replace(COMPLETE, header=made), SUMMARY)
    assert "judge openai:small prompt" in said
    assert "engine openai, http://127.0.0.1:8000/v1, model qwen, endpoint compared" in said


def test_the_model_behind_an_endpoint_is_not_named_twice():
    made = header(model={"name": "openai:qwen"}, backend={"name": "openai", "model": "qwen"})
    assert "model qwen" not in flat(replace(COMPLETE, header=made), SUMMARY)


def test_trust():
    said = flat(RUN, FULL)
    assert "doubtful confidence under 0.675, order-dependent, 29.0% [21.0, 38.5] of 100 pairs trusted" in said
    assert "trusted 71.0% [61.5, 79.0] of 100 pairs, by judgelm-7b" in said
    assert (
        "escalated 26.0% [18.0, 35.0] of 100 pairs, to openai:big-judge, 3 not judged yet, 1 failed" in said
    )
    assert "changed 40.0% [23.0, 59.0] have another verdict by openai:big-judge, n=25" in said
    assert (
        "trusted rate 58.3% [48.0, 68.0], win rate over the pairs trusted to judgelm-7b alone, n=96" in said
    )


def test_trust_without_a_stronger_judge():
    said = flat(RUN, replace(SUMMARY, trust=without_stronger()))
    assert "doubtful confidence under 0.675, order-dependent, 29.0% [21.0, 38.5] of 100 pairs trusted" in said
    assert (
        "trusted rate 58.3% [48.0, 68.0], win rate over the pairs trusted to judgelm-7b alone, n=96" in said
    )
    assert "escalated" not in said
    assert "changed" not in said


def test_the_mass_of_a_stronger_judge_has_a_row_and_a_warning_of_its_own():
    masses = {"mass": 0.9, "stronger_mass": 0.31, "p_unopened": 0.0, "stronger_p_unopened": 0.02}
    soft = replace(SUMMARY.soft, **{name: estimate(name, value, n=24) for name, value in masses.items()})
    low = Caution(kind=CautionKind.LOW_MASS, value=0.31, limit=0.5, name="openai:big-judge")
    said = flat(RUN, replace(FULL, soft=soft, cautions=(low,)), width=200)
    assert "! only 31.0% of openai:big-judge's probability is on verdicts: it does not know" in said
    assert (
        "mass 90.0% of the judge's probability is on verdicts (n=24), 0.0% not followed to the end "
        "31.0% of openai:big-judge's probability is on verdicts (n=24), 2.0% not followed to the end" in said
    )


def test_verdicts_without_probabilities_are_not_in_the_soft_win_rate():
    said = "mean probability for the candidate, a tie counts half"
    for n, told in ((12, "of 12 pairs with probabilities"), (38, "n=38")):
        soft = replace(SUMMARY.soft, win_rate=estimate("soft_win_rate", 0.6, 0.5, 0.7, n=n))
        assert f"{said}, {told} consistency" in flat(COMPLETE, replace(SUMMARY, soft=soft))


def test_nothing_left_to_ask_and_nothing_to_compare():
    said = flat(
        RUN,
        with_trust(
            n_escalated_open=0,
            n_escalated_failed=0,
            changed=absent("changed", "no pair with a verdict of both judges"),
            win_rate=absent("win_rate", "no verdicts"),
        ),
    )
    assert "to openai:big-judge changed no pair with a verdict of both judges" in said
    assert "trusted rate no verdicts" in said


def test_a_guarantee_is_of_the_calibrated_judge_alone():
    promise = (
        "guarantee with 90% confidence over the labels drawn, verdicts at confidence 0.675 or more "
        "agree with people in at least 80% of cases like these"
    )
    assert f"{promise}, no guarantee for those by openai:big-judge" in flat(RUN, FULL)
    alone = flat(RUN, replace(SUMMARY, trust=without_stronger()))
    assert promise in alone
    assert "no guarantee for" not in alone


def test_a_rule_without_labels_guarantees_nothing():
    none = with_trust(temperature=None, threshold=None, agree=None, confidence=None)
    assert "guarantee none: this rule was not tested on labels" in flat(RUN, none)


def test_the_base_model_is_named():
    base = {"name": "llama-7b", "file": "llama.gguf", "sha256": "ab" * 32}
    assert "base llama-7b, llama.gguf, sha256 abababababab" in flat(
        replace(RUN, header={**RUN.header, "base": base}), SUMMARY
    )


def test_nothing_certified():
    summary = with_trust(threshold=None)
    warned = replace(summary, cautions=(Caution(kind=CautionKind.NOTHING_CERTIFIED),))
    said = flat(RUN, warned)
    assert "! nothing is certified: every verdict of this judge is doubtful." in said
    assert "guarantee none: no threshold is certified for 80% agreement with 90% confidence" in said


@pytest.mark.parametrize(
    ("effort", "said"),
    [
        (EFFORT, "openai:big-judge, 58 calls, 31,204 tokens read, 116 written, cost 0.0123"),
        (replace(EFFORT, n_calls=1, cost=None), "openai:big-judge, 1 call, 31,204 tokens read, 116 written"),
        (replace(EFFORT, cost=1234.5), "116 written, cost 1,234.50"),
        (replace(EFFORT, cost=0), "116 written, cost 0.00"),
        (replace(EFFORT, cost=0.00002), "116 written, cost under 0.0001"),
    ],
)
def test_what_an_endpoint_took(effort, said):
    assert f"{said} no judge" in flat(RUN, replace(SUMMARY, effort=(effort,)))


def test_two_endpoints_have_a_row_each():
    both = (replace(EFFORT, judge="openai:small"), EFFORT)
    rows = [line for line in lines(RUN, replace(SUMMARY, effort=both)) if line.startswith("endpoint")]
    assert [row.split()[1] for row in rows] == ["openai:small,", "openai:big-judge,"]


def test_the_win_rate_as_people_would_have_it():
    said = flat(RUN, replace(SUMMARY, adjusted=adjusted(200)))
    assert (
        "people 55.2% [50.3, 60.1] human-adjusted win rate (PPI++), 200 labels of made/labels.jsonl, "
        "the judge's verdicts weighted 0.76 (lambda)" in said
    )
    assert "people alone 58.0% [49.5, 66.5] by the labels without the judge, n=200" in said
    assert (
        "corrected 63.3% [51.1, 76.5] won of the 400 decided pairs without a label, "
        "corrected for the judge's errors, "
        "it finds 80.0% [71.0, 87.0] of people's wins, 81.0% [72.0, 88.0] of their losses" in said
    )
    assert "on labels this holds if the 200 labelled pairs are a random sample" in said


def test_what_cannot_be_corrected_says_why():
    why = "the judge is no better than chance: sensitivity and specificity sum to 1 or less"
    summary = replace(SUMMARY, adjusted=adjusted(tuning=None, corrected=absent("corrected", why)))
    said = flat(RUN, summary)
    assert f"corrected none: {why} on labels" in said
    assert "lambda" not in said


@pytest.mark.parametrize(
    ("conclusion", "said"),
    [
        (Conclusion.NO_DIFFERENCE, "show no difference"),
        (Conclusion.CANDIDATE_BETTER, "show the candidate better"),
        (Conclusion.BASELINE_BETTER, "show the baseline better"),
    ],
)
def test_labels_that_lead_to_another_conclusion_are_a_warning(conclusion, said):
    differ = Caution(kind=CautionKind.LABELS_DIFFER, value=0.5518, name=conclusion)
    (warning,) = parsed(RUN, replace(SUMMARY, cautions=(differ,), adjusted=adjusted(200)))["warnings"]
    assert warning["code"] == "labels_differ"
    assert warning["text"] == f"people's labels {said}: 55.2% [50.3, 60.1], human-adjusted."


def test_answers_seated_by_a_draw_compare_nothing():
    drawn = {**COMPLETE.header["input"], "model_a": "A (drawn)", "model_b": "B (drawn)"}
    made = replace(COMPLETE, header={**COMPLETE.header, "input": drawn})
    text = flat(made, summarise(made))
    n = SUMMARY.win_rate.n
    assert text.startswith(f"no models compared: a draw seated the answers of {n} pairs")
    assert "so the win rate compares nothing" in text
    assert parsed(made, summarise(made))["conclusion"] == "not_compared"
    assert "drawn_seats" in [one["code"] for one in parsed(made, summarise(made))["warnings"]]
    assert "compares nothing" not in flat(COMPLETE, SUMMARY)


def test_few_labels_are_a_warning():
    few = Caution(kind=CautionKind.FEW_LABELS, value=99, limit=100)
    summary = replace(SUMMARY, cautions=(few,), adjusted=adjusted(99))
    assert parsed(RUN, summary)["warnings"] == [
        {
            "code": "few_labels",
            "text": "only 99 labelled pairs (under 100): take the human-adjusted win rate as a hint.",
            "value": 99,
            "limit": 100,
        }
    ]


def test_facts():
    report = parsed(RUN, FULL)
    told = report["trust"]
    assert told["rule"] == "confidence under 0.675, order-dependent"
    assert (told["first_judge"], told["judge"]) == ("judgelm-7b", "openai:big-judge")
    assert (told["escalated_open"], told["escalated_failed"]) == (3, 1)
    assert (told["threshold"], told["agree"], told["confidence"]) == (0.675, 0.8, 0.9)
    assert set(told["estimates"]) == {"trusted", "doubtful", "escalated", "changed", "win_rate"}
    assert report["effort"] == [
        {
            "judge": "openai:big-judge",
            "calls": 58,
            "prompt_tokens": 31_204,
            "completion_tokens": 116,
            "cost": 0.01234,
        }
    ]
    assert (report["adjusted"]["labelled"], report["adjusted"]["lambda"]) == (60, 0.7621)
    assert report["adjusted"]["estimates"]["corrected"]["value"] == pytest.approx(0.6333)
    assert report["adjusted"]["remarks"][0].startswith("this holds if the 60")
    assert report["about"] == "pair"


def test_facts_without_any_of_it_are_null():
    report = parsed(COMPLETE, SUMMARY)
    assert (report["trust"], report["effort"], report["adjusted"]) == (None, [], None)
    assert report.keys() == parsed(RUN, FULL).keys()


def test_every_name_is_documented():
    told = {key: parsed(RUN, FULL)[key] for key in ("trust", "effort", "adjusted")}
    assert every_name(told) - documented("pair") == set()


SUMMARIES = {
    "pair": FULL,
    "pair, no stronger judge": replace(SUMMARY, trust=without_stronger()),
    "agree": full_agreement(),
    "agree, not better": not_better("longer wins", "first seat", "majority class"),
    "agree, scores": scored(),
    "validate": validation(),
    "calibrate": calibration(),
}
HEADERS = {"cascade": CASCADE, "imported": IMPORTED, "nothing": {}, "hostile": HOSTILE_HEADER}


@pytest.mark.parametrize("width", [30, 40, 80, 120])
@pytest.mark.parametrize("made", HEADERS.values(), ids=HEADERS)
@pytest.mark.parametrize("summary", SUMMARIES.values(), ids=SUMMARIES)
def test_lines_fit(summary, made, width):
    for line in text(run(made), summary, width=width).split("\n"):
        assert cell_len(line) <= width
        assert line == line.rstrip()
        assert line.isprintable()


@pytest.mark.parametrize("made", HEADERS.values(), ids=HEADERS)
@pytest.mark.parametrize("summary", SUMMARIES.values(), ids=SUMMARIES)
def test_markdown_is_text_and_its_tables_are_whole(summary, made):
    report = text(run(made), summary, "markdown")
    assert "[x](y)" not in report
    assert "@me" not in report
    assert "<img" not in report
    cells: list[int] = []
    for line in report.splitlines():
        if not line.startswith("|"):
            cells = []
            continue
        cells.append(line.replace("\\|", "").count("|"))
        assert cells[-1] == cells[0]


@pytest.mark.parametrize("summary", SUMMARIES.values(), ids=SUMMARIES)
def test_a_judge_with_a_hostile_name_is_named_as_it_is(summary):
    report = text(run(HOSTILE_HEADER), summary, "markdown")
    assert "[x]\\(y) @<!-- -->me" in report


def test_a_field_to_split_by_is_text_in_markdown():
    split = full_agreement().splits[0]
    report = text(run(), agrees(splits_by="a|b [x](y)", splits=(split,)), "markdown")
    assert "| a\\|b [x]\\(y) | a, 50.0%" in report


@pytest.mark.parametrize(
    ("made", "name"),
    [
        (CASCADE, "judgelm-7b backed by openai:big-judge"),
        (IMPORTED, "verdicts.jsonl"),
        ({"imported": "C:\\made\\verdicts.jsonl"}, "verdicts.jsonl"),
        ({}, "the judge"),
        ({"model": {"name": "a\x1bb"}}, "a\\x1bb"),
    ],
)
def test_what_a_judge_is_called(made, name):
    assert judge_name(made) == name
