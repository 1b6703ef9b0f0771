"""Reports on fitting a calibration."""

from dataclasses import replace

import pytest

from judgecli.types import BaselineKind, Calibration, Caution, CautionKind, ProbabilityScores
from tests.reports.said import documented, every_name, flat, lines, parsed, text
from tests.reports.trust_summaries import CASCADE, absent, baseline, calibration, estimate, run, steps

pytestmark = pytest.mark.filterwarnings("error")

NOTHING = calibration(
    None,
    cautions=(Caution(kind=CautionKind.NOTHING_CERTIFIED),),
    steps=steps(0),
    agreement=absent("agreement", "no threshold is certified"),
)


@pytest.mark.parametrize(
    ("summary", "sentence"),
    [
        (
            calibration(),
            (
                "judgelm-7b on labels.jsonl: trusted from confidence 0.675 on, "
                "77.6% [72.0, 82.3] of verdicts, for at least 80% agreement with 90% confidence"
            ),
        ),
        (
            NOTHING,
            (
                "judgelm-7b on labels.jsonl: every verdict is doubtful, "
                "80% agreement with 90% confidence is not certified"
            ),
        ),
    ],
)
def test_headline(summary, sentence):
    assert parsed(run(), summary)["headline"] == sentence
    assert flat(run(), summary, width=200).startswith(f"{sentence} ")


def test_it_is_the_first_judge_of_a_cascade_that_is_calibrated():
    assert flat(run(CASCADE), calibration()).startswith("judgelm-7b on labels.jsonl: trusted")


def test_what_was_fitted_on_what():
    said = flat(run(), calibration())
    assert "labels made/labels.jsonl" in said
    assert "fitted temperature on 250 pairs, the rest on 250 others" in said
    assert "groups" not in said
    grouped = flat(run(), calibration(group="topic", n_left_out=1_230))
    assert "groups one pair of each topic, 1,230 others left out" in grouped


def test_probabilities_before_and_after():
    said = flat(run(), calibration())
    assert "temperature 2.65, the judge is surer than it should be" in said
    assert "Brier 0.537 -> 0.474, squared error of the probabilities, n=250" in said
    assert "NLL 1.019 -> 0.799, minus the logarithm of the label's probability" in said
    assert "ECE not shown under 300 labels, where it is biased upward" in said


def test_the_calibration_error_is_shown_where_there_are_labels_for_it():
    summary = calibration(
        before=ProbabilityScores(n=300, brier=0.5, nll=1.0, ece=0.192),
        after=ProbabilityScores(n=300, brier=0.4, nll=0.8, ece=0.0315),
    )
    assert "ECE 0.192 -> 0.032, distance of confidence and agreement" in flat(run(), summary)


@pytest.mark.parametrize(
    ("temperature", "meaning"),
    [
        (2.6512, "2.65, the judge is surer than it should be"),
        (0.5, "0.5, the judge is less sure than it could be"),
        (1, "1, nothing to mend"),
    ],
)
def test_what_a_temperature_means(temperature, meaning):
    fitted = Calibration(temperature=temperature, threshold=None, agree=0.8, confidence=0.9)
    assert f"temperature {meaning}" in flat(run(), calibration(calibration=fitted))


def test_scores_of_nothing_say_so():
    none = ProbabilityScores(n=0, brier=None, nll=None, ece=None)
    assert "Brier no probabilities" in flat(run(), calibration(before=none, after=none))


def test_the_guarantee_says_exactly_what_holds():
    said = flat(run(), calibration())
    assert (
        "guarantee with 90% confidence over the labels drawn, verdicts at confidence 0.675 or more "
        "agree with people in at least 80% of cases like these coverage" in said
    )
    fitted = Calibration(temperature=1, threshold=0.99, agree=0.925, confidence=0.95)
    other = flat(run(), calibration(calibration=fitted))
    assert "with 95% confidence over the labels drawn, verdicts at confidence 0.99 or more" in other
    assert "in at least 92.5% of cases like these" in other


def test_coverage_and_what_was_observed():
    said = flat(run(), calibration())
    assert "threshold 0.675, of the confidence after the temperature" in said
    assert "coverage 77.6% [72.0, 82.3] of verdicts are at it or above, n=250" in said
    assert "agreement 82.7% [76.8, 87.3] of these agree with people, n=194" in said
    assert "on the pairs that certified it, so rather high; the guarantee allows for that" in said


def test_the_last_steps_and_the_one_that_failed():
    shown = lines(run(), calibration())
    assert shown[-9:] == [
        "0.85      96     10  14.4%         yes",
        "0.825    110     12  15.0%         yes",
        "0.8      124     14  15.6%         yes",
        "0.775    138     16  16.2%         yes",
        "0.75     152     18  16.8%         yes",
        "0.725    166     20  17.4%         yes",
        "0.7      180     22  18.0%         yes",
        "0.675    194     24  18.6%         yes",
        "0.65     208     39  22.6%          no",
    ]
    assert shown[-10] == "from   pairs  wrong  bound  within 20%"


@pytest.mark.parametrize(("n_passed", "n_left_out"), [(9, 0), (10, 0), (11, 3), (12, 4)])
def test_steps_that_are_left_out_are_counted(n_passed, n_left_out):
    said = flat(run(), calibration(steps=steps(n_passed)))
    told = f"errors bound with 90% confidence, the first {n_left_out} thresholds, all passed, left out"
    assert (told in said) == (n_left_out > 0)
    assert ("left out" in said) == (n_left_out > 0)
    shown = lines(run(), calibration(steps=steps(n_passed)))
    rows = [line for line in shown if line.endswith((" yes", " no"))]
    assert len(rows) == n_passed + 1 - n_left_out


def test_a_judge_that_is_no_better_than_a_baseline_is_told_so():
    one = baseline(BaselineKind.MAJORITY, 0.9, 0.0)
    caution = Caution(kind=CautionKind.NOT_BETTER, name=BaselineKind.MAJORITY, value=0.9)
    summary = calibration(cautions=(caution,), baselines=(one,), accuracy=estimate("accuracy", 0.9))
    assert parsed(run(), summary)["warnings"][0]["text"] == (
        "not better than always naming the commonest label: 90.0% right, and 90.0% that way; "
        "a judge that is no better than that is not a judge."
    )
    assert parsed(run(), summary)["baselines"][0]["kind"] == "majority class"


def test_few_steps_are_all_shown_and_none_is_no_table():
    few = lines(run(), calibration(steps=steps(3, fails=False)))
    assert [line.split()[0] for line in few[-3:]] == ["0.95", "0.925", "0.9"]
    assert "within 20%" not in flat(run(), calibration(steps=()))


def test_where_nothing_is_certified_every_verdict_is_doubtful():
    said = flat(run(), NOTHING)
    assert (
        "! no threshold is certified for 80% agreement with 90% confidence: "
        "with this calibration every verdict is doubtful." in said
    )
    assert "guarantee none: no threshold is certified for 80% agreement with 90% confidence" in said
    assert "coverage" not in said
    assert "at confidence" not in said
    assert lines(run(), NOTHING)[-1].split() == ["0.95", "208", "39", "22.6%", "no"]


def test_few_labels_and_notes():
    few = Caution(kind=CautionKind.FEW_LABELS, value=120, limit=200)
    said = flat(run(), calibration(cautions=(few,), notes=("2 labelled verdicts are left out",)))
    assert "! only 120 labelled pairs (under 200): take the result as a hint." in said
    assert said.endswith("notes 2 labelled verdicts are left out")


def test_facts():
    report = parsed(run(), calibration())
    assert report["about"] == "calibrate"
    assert report["calibration"] == {
        "temperature": 2.6512,
        "threshold": 0.675,
        "agree": 0.8,
        "confidence": 0.9,
        "judge": {},
    }
    assert (report["fitted"], report["tested"], report["group"], report["left_out"]) == (250, 250, None, 0)
    assert report["before"] == {"n": 250, "brier": 0.537, "nll": 1.019, "ece": None}
    assert len(report["steps"]) == 13
    assert report["estimates"]["coverage"]["value"] == pytest.approx(0.776)
    assert report.keys() == parsed(run(), NOTHING).keys()
    assert parsed(run(), NOTHING)["calibration"]["threshold"] is None
    assert parsed(run(), NOTHING)["warnings"][0]["code"] == "nothing_certified"
    assert every_name(report) - documented("calibrate") == set()


def test_the_steps_in_markdown():
    report = text(run(), replace(calibration(), steps=steps(1)), "markdown")
    assert report.endswith(
        "\n\n| from | pairs | wrong | bound | within 20% |\n| --- | ---: | ---: | ---: | ---: |\n"
        "| 0.95 | 40 | 2 | 12.0% | yes |\n| 0.925 | 208 | 39 | 22.6% | no |\n"
    )
