"""Reports on the alternative annotator test."""

import pytest

from judgecli.types import Caution, CautionKind
from tests.reports.said import documented, every_name, flat, parsed, text
from tests.reports.trust_summaries import CASCADE, absent, against, estimate, run, validation

pytestmark = pytest.mark.filterwarnings("error")

UNTESTED = validation(
    [against("ann", None, None)],
    passes=None,
    omega=absent("omega", "no annotator has 30 items"),
    rho=absent("rho", "no annotator has 30 items"),
)


@pytest.mark.parametrize(
    ("summary", "sentence"),
    [
        (
            validation(),
            (
                "judgelm-7b against 3 annotators: alt-test omega 0.33 (not shown to hold at epsilon 0.2), "
                "rho 0.77"
            ),
        ),
        (
            validation(omega=estimate("omega", 2 / 3), passes=True, epsilon=0.15),
            "judgelm-7b against 3 annotators: alt-test omega 0.67 (PASS at epsilon 0.15), rho 0.77",
        ),
        (UNTESTED, "judgelm-7b against 1 annotator: no alt-test, no annotator has 30 items"),
    ],
)
def test_headline(summary, sentence):
    assert parsed(run(), summary)["headline"] == sentence
    assert flat(run(), summary, width=200).startswith(f"{sentence} ")


def test_a_cascade_is_tested_as_a_whole():
    assert flat(run(CASCADE), validation()).startswith("judgelm-7b backed by openai:big-judge against")


def test_what_the_test_is():
    said = flat(run(), validation())
    assert "labels made/people.jsonl" in said
    assert "compared 88 items with a verdict and labels" in said
    assert (
        "omega 0.33, share of annotators against whom the judge is shown to hold, 0.50 or more passes" in said
    )
    assert "rho 0.77, how often the judge is as good as an annotator or better, mean over annotators" in said
    assert "epsilon 0.2, the judge may do 20 points worse than an annotator" in said
    assert (
        "level at most 5% of these said to hold are wrong, p adjusted for it by Benjamini-Yekutieli" in said
    )


def test_a_row_for_each_annotator():
    said = flat(run(), validation())
    assert (
        "against ann: the judge holds, as good or better on 91.0%, the annotator on 88.0%, "
        "p=0.0004, adjusted p=0.0022, n=74 "
        "ben: not shown to hold, as good or better on 70.0%, the annotator on 88.0%, "
        "p=0.310, adjusted p=0.568, n=74 cho: not shown to hold" in said
    )


def test_an_annotator_without_a_test_says_why():
    said = flat(run(), UNTESTED)
    assert "against ann: 12 items, under 30, n=12" in said
    assert "omega" not in said


def test_few_labels_and_notes():
    few = Caution(kind=CautionKind.FEW_LABELS, value=41, limit=50)
    summary = validation(cautions=(few,), notes=("3 labelled items on which the judge failed are left out",))
    said = flat(run(notes=("the last line was cut off",)), summary)
    assert "! only 41 labelled items (under 50): take the result as a hint." in said
    assert "notes 3 labelled items on which the judge failed are left out the last line was cut off" in said


def test_groups_and_instructions_that_are_shared():
    shared = Caution(kind=CautionKind.SHARED_INSTRUCTIONS, value=31)
    said = flat(run(), validation(cautions=(shared,)), width=200)
    assert (
        "! 88 items, but 31 instructions: p is too small where items share one; use --group instruction."
        in said
    )
    few = Caution(kind=CautionKind.FEW_LABELS, value=31, limit=50)
    grouped = flat(run(), validation(cautions=(few,), group="topic", n_groups=31))
    assert "! only 31 labelled groups (under 50)" in grouped
    assert (
        "compared 88 items with a verdict and labels, 31 groups by topic, each of which counts once"
        in grouped
    )


def test_facts():
    report = parsed(run(), validation())
    assert report["about"] == "validate"
    assert (report["passes"], report["epsilon"], report["q"], report["items"]) == (False, 0.2, 0.05, 88)
    assert report["estimates"]["omega"]["value"] == pytest.approx(1 / 3)
    assert report["tests"][0] == {
        "annotator": "ann",
        "n": 74,
        "advantage": 0.91,
        "human_advantage": 0.88,
        "p_value": 0.0004,
        "adjusted_p_value": 0.0022,
        "rejected": True,
        "reason": None,
    }
    assert report.keys() == parsed(run(), UNTESTED).keys()
    assert parsed(run(), UNTESTED)["passes"] is None
    assert every_name(report) - documented("validate") == set()


def test_an_annotator_is_text_never_markdown():
    summary = validation([against("[x](y) @me", 0.7, 0.2)])
    report = text(run(), summary, "markdown")
    assert "[x]\\(y) @<!-- -->me: not shown to hold" in report
