"""What reports say of a gate."""

from dataclasses import replace

import pytest

from judgecli import reports
from judgecli.reports.pair.gate import ruling
from judgecli.types import (
    ControlCounts,
    ControlKind,
    ControlResult,
    FitnessCheck,
    FitnessName,
    GateDecision,
    GateKind,
    GateOptions,
    GatePart,
    GateReason,
    ReasonKind,
    SensitivityLine,
    SensitivityName,
    StopReason,
    StopRecord,
)
from tests.reports.gates import gate, gated
from tests.reports.runs import COMPLETE, HOSTILE
from tests.reports.said import parsed

pytestmark = pytest.mark.filterwarnings("error")
PASS, FAIL, INCONCLUSIVE = GateDecision.PASS, GateDecision.FAIL, GateDecision.INCONCLUSIVE


def part(name: str, decision: GateDecision, **more: object) -> GatePart:
    given = {"theta": 0.4, "lower": 0.3, "upper": 0.5, "p_value": 0.5, "holm_p": 0.9, "regressed": False}
    return GatePart(name=name, n=40, decision=decision, **{**given, **more})


CONTROL = FitnessCheck(name=FitnessName.CONTROL, passed=False, value=0.7, limit=0.65, n=30)
UNFIT = FitnessCheck(name=FitnessName.FAILURES, passed=False, value=0.1, limit=0.02, n=200)


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        (
            gate(PASS),
            "gate PASS (no worse by 5 points): win rate bound 49.0% over 45.0% (one-sided p=0.0008, n=200)",
        ),
        (
            gate(FAIL),
            "gate FAIL (no worse by 5 points): win rate bound 36.0% under 45.0% (one-sided p=0.0004, n=200)",
        ),
        (
            gate(INCONCLUSIVE),
            (
                "gate INCONCLUSIVE (no worse by 5 points): 42.0% to 54.0% holds 45.0%; "
                "about 291 more pairs would decide if the models are equal"
            ),
        ),
        (
            gate(INCONCLUSIVE, reason=GateReason(kind=ReasonKind.UNFIT, name="failures"), fitness=(UNFIT,)),
            "gate INCONCLUSIVE (no worse by 5 points): not fit to decide: failures 10.0% (at most 2%)",
        ),
        (
            gate(
                FAIL,
                options=GateOptions(by="topic"),
                reason=GateReason(kind=ReasonKind.PART_BELOW, value=0.36, limit=0.45, name="math"),
            ),
            "gate FAIL (no worse by 5 points): topic math: win rate bound 36.0% under 45.0%",
        ),
        (
            gate(
                INCONCLUSIVE,
                options=GateOptions(by="topic"),
                reason=GateReason(kind=ReasonKind.PART_UNDECIDED, limit=0.45, name="law"),
                parts=(part("law", INCONCLUSIVE, n_failed=30),),
            ),
            "gate INCONCLUSIVE (no worse by 5 points): topic law: 30 of 70 pairs failed",
        ),
        (
            # the exact test does not go as far as the bound, which is for display
            gate(INCONCLUSIVE, test=replace(gate(INCONCLUSIVE).test, lower=0.454, p_above=0.0537)),
            (
                "gate INCONCLUSIVE (no worse by 5 points): one-sided p=0.054 is over 0.05; "
                "about 291 more pairs would decide if the models are equal"
            ),
        ),
        (
            gate(PASS, options=GateOptions(kind=GateKind.BETTER)),
            # the bound, which is for display, says less than the exact test that decided
            "gate PASS (better): win rate over 50.0% (one-sided p=0.0008, n=200)",
        ),
    ],
)
def test_the_sentence_says_what_was_asked_and_why(made, sentence):
    assert ruling(made).sentence == sentence


@pytest.mark.parametrize("kind", ReasonKind)
@pytest.mark.parametrize("decision", GateDecision)
def test_every_reason_has_a_sentence(kind, decision):
    said = ruling(gate(decision, reason=GateReason(kind=kind))).sentence
    assert said.startswith(f"gate {decision.upper()} (no worse by 5 points): ")
    assert not said.endswith(": ")


FULL = {
    "control": ControlResult(
        counts=ControlCounts(n_win=25, n_tie=2, n_loss=3, lower=0.75),
        bound=0.71,
        kinds=(
            ControlCounts(n_win=15, n_tie=0, n_loss=0, kind=ControlKind.QUARTER, lower=0.8),
            ControlCounts(n_win=10, n_tie=2, n_loss=3, kind=ControlKind.OTHER_ANSWER, lower=0.6),
        ),
        n_failed=1,
        n_open=0,
        level=0.65,
        passed=True,
    ),
    "sensitivity": (
        SensitivityLine(
            name=SensitivityName.DECIDED,
            decision=INCONCLUSIVE,
            theta=0.53,
            lower=0.44,
            upper=0.6,
            n=160,
            method="",
            flips=True,
        ),
    ),
    "parts": (
        part("math", PASS),
        part("writing", FAIL, regressed=True),
        part("other", PASS, pooled=("code", "law")),
    ),
    "stop": StopRecord(
        unit=95,
        n_planned=429,
        n=94,
        decision=PASS,
        reason=StopReason.BETTING,
        e_value=104.0,
        limit=100.0,
    ),
}


def test_the_report_shows_all_that_it_rests_on():
    text = reports.render("terminal", COMPLETE, gated(COMPLETE, PASS, **FULL), width=100)
    flat = " ".join(text.split())
    assert text.splitlines()[0].startswith("gate PASS (no worse by 5 points): ")
    assert "the whole answer wins 86.7% against its degraded copy (n=30)" in flat
    assert "consistency 71.0% (at least 60%) ok" in flat
    assert "groups not checked" in flat
    assert "decided only 53.0% [44.0, 60.0], n=160, inconclusive by itself, NOT THE SAME" in flat
    assert "after 95 of 429, the evidence is enough: e-value 104, and 100 were needed" in flat
    assert "491 pairs prove it" not in flat  # it is proved
    assert "writing 40 40.0% 30.0% to 50.0% fail" in flat
    assert "regressed writing" in flat
    assert 'pooled "other" is code, law, values of under 30 pairs, tested together' in flat


def test_an_undecided_gate_says_what_it_takes():
    flat = " ".join(reports.render("terminal", COMPLETE, gated(COMPLETE, INCONCLUSIVE), width=100).split())
    assert "491 pairs show no worse in 80% of runs" in flat
    assert "with 200 pairs the least margin is 7.8 points" in flat


def test_markdown_with_a_full_gate_stays_under_sixty_lines():
    parts = tuple(part(f"category {n}", PASS) for n in range(30))
    summary = gated(COMPLETE, PASS, **{**FULL, "parts": parts})
    text = reports.render("markdown", COMPLETE, summary)
    assert len(text.splitlines()) < 60
    assert "### gate PASS (no worse by 5 points)" in text
    assert "| and 17 more |" in text


@pytest.mark.parametrize("form", ["terminal", "markdown", "html", "junit"])
def test_the_name_of_a_part_is_text(form):
    reason = GateReason(kind=ReasonKind.PART_BELOW, value=0.3, name=HOSTILE)
    summary = gated(COMPLETE, FAIL, reason=reason, parts=(part(HOSTILE, FAIL, regressed=True),))
    text = reports.render(form, COMPLETE, summary)
    assert "\x1b" not in text
    assert "\u2028" not in text
    assert "<img src" not in text or form == "terminal"


@pytest.mark.parametrize("decision", GateDecision)
def test_html_marks_the_decision(decision):
    page = reports.render("html", COMPLETE, gated(COMPLETE, decision))
    assert f'<p class="ruling {decision}">gate {decision.upper()} ' in page


def test_json_holds_the_gate():
    told = parsed(COMPLETE, gated(COMPLETE, PASS, **FULL))["gate"]
    assert (told["decision"], told["threshold"], told["lower"], told["p_value"]) == (
        "pass",
        0.45,
        0.49,
        0.0008,
    )
    assert told["sentence"].startswith("gate PASS (no worse by 5 points): ")
    assert told["parts"][1]["regressed"] is True
    assert told["control"]["kinds"][0]["kind"] == "quarter"
    assert parsed(COMPLETE, gated(COMPLETE, PASS))["gate"]["stop"] is None


@pytest.mark.parametrize(
    ("n_open", "bound", "said"),
    [
        (0, 0.7, "control bound of one kind of degraded answer not over 50%"),
        (2, 0.7, "2 control items not judged"),
        (0, 0.6, "control bound 60.0% (at least 65%)"),
    ],
)
def test_a_control_that_did_not_pass_says_which_of_its_conditions(n_open, bound, said):
    control = replace(FULL["control"], n_open=n_open, bound=bound, passed=False)
    check = replace(CONTROL, value=bound)
    made = gate(INCONCLUSIVE, reason=GateReason(kind=ReasonKind.UNFIT), control=control, fitness=(check,))
    assert ruling(made).sentence.endswith(f"not fit to decide: {said}")
