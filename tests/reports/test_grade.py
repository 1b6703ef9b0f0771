"""Reports on grades, in all formats."""

import json
from dataclasses import replace
from importlib import import_module

import pytest
from rich.cells import cell_len

from judgecli import reports
from judgecli.analysis import summarise_grades
from judgecli.reports import json as json_report
from tests.analysis.graded import YES_OR_NO, answer, record
from tests.reports.runs import HOSTILE

pytestmark = pytest.mark.filterwarnings("error")

SCORES = [8, 6, 7, 9, 3, 8.5, 7, 10] * 10


def hostile():
    items = [
        answer(f"{HOSTILE} {n}", "<think>" if n % 3 else "x", flags=(HOSTILE, "image-not-seen"))
        for n in range(1, 9)
    ]
    items = [replace(one, metadata={"category": f"{HOSTILE}{n % 2}"}) for n, one in enumerate(items)]
    made = record(
        [10, 10, "u", "l", "", ".", 10, 10],
        items=items,
        soft=[{"10": 0.9, "1": 0.1}] * 8,
        model={"demo": True, "name": HOSTILE, "file": HOSTILE},
        prompt={"family": HOSTILE, "aspect": HOSTILE, "place": "last", "off_protocol": True},
        input={
            "models": [HOSTILE],
            "files": [HOSTILE],
            "formats": [HOSTILE],
            "n_with_reference": 3,
            "notes": [HOSTILE] * 9,
            "turn": HOSTILE,
            "n_multi_turn": 2,
        },
    )
    ids = {f"q{n}": one.id for n, one in enumerate(items, 1)}
    judgments = {
        (ids[i], order): replace(one, item_id=ids[i], detail=HOSTILE, flags=(HOSTILE,))
        for (i, order), one in made.judgments.items()
    }
    return replace(made, judgments=judgments, notes=(HOSTILE,))


RUNS = {
    "complete": record(SCORES),
    "with probabilities": record(SCORES, soft=[{"8": 0.5, "7": 0.5}] * len(SCORES)),
    "partial": record([8, 7, ".", "."]),
    "nothing judged yet": record(["."] * 3),
    "all unreadable": record(["u"] * 4),
    "no answers": record([]),
    "empty answers": record([8, 7, "", ""]),
    "only empty answers": record(["", ""]),
    "labels": record([1, 1, 0, ""], scale=YES_OR_NO, soft=[{"1": 0.9, "0": 0.1}] * 4),
    "a hundred scores": record([50, 60, 70], scale={"low": 0, "high": 100}),
    "no scale": record([8, 7, ""], scale=None),
    "no header": replace(record([8, 7]), header={"mode": "grade"}),
    "some references": record([8, 7], items=[answer("q1", reference="r"), answer("q2")]),
    "hostile": hostile(),
}


def text(run, form="terminal", **layout):
    return reports.render(form, run, summarise_grades(run), **layout)


def flat(run, **layout):
    return " ".join(text(run, **layout).split())


@pytest.mark.parametrize("width", [30, 40, 80, 120])
@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_lines_fit(run, width):
    for line in text(run, width=width).split("\n"):
        assert cell_len(line) <= width
        assert line == line.rstrip()
        assert line.isprintable()


@pytest.mark.parametrize(
    ("name", "headline"),
    [
        ("complete", "gpt35: mean score 7.3 [6.9, 7.8] of 1 to 10, n=80"),
        ("partial", "gpt35: mean score 7.5 [1.1, 10.0] of 1 to 10, n=2 (partial run)"),
        ("nothing judged yet", "no scores: 3 of 3 not judged yet"),
        ("all unreadable", "no scores: 4 of 4 unreadable"),
        ("no answers", "no scores: no answers"),
        ("only empty answers", "gpt35: mean score 1.0 of 1 to 10, n=2"),
        ("labels", "gpt35: 50.0% [15.0, 85.0] graded Yes, n=4"),
        ("no scale", "gpt35: mean score 7.5 [1.1, 13.9], n=2"),
        ("no header", "mean score 7.5 [1.1, 13.9], n=2"),
    ],
)
def test_headlines(name, headline):
    assert text(RUNS[name]).split("\n", 1)[0] == headline


def test_a_narrow_scale_is_read_to_a_hundredth():
    run = record([3, 4, 4, 5] * 10, scale={"low": 1, "high": 5})
    assert "mean score 4.00 [3.77, 4.23] of 1 to 5, n=40" in text(run)


def test_the_histogram_begins_with_the_highest_score_and_holds_every_answer():
    lines = text(record([8, 8, 9, "", "u", "."])).split("\n\n")[2].splitlines()
    bars = {line[:12].strip(): line[12:].split() for line in lines}
    assert list(bars)[:10] == [str(n) for n in range(10, 0, -1)]
    assert list(bars)[10:] == ["empty answer", "unreadable", "not judged"]
    assert sum(int(count) for count, *_ in bars.values()) == 6
    assert [bars[name][1][0] for name in ("8", "empty answer", "unreadable", "not judged")] == [*"#-!."]


def test_a_long_label_leaves_room_for_its_bar():
    run = record([1, 0], scale={"low": 0, "high": 1, "labels": {"right " * 9: 1, "wrong": 0}})
    assert max(map(len, text(run, width=40).splitlines())) <= 40


def test_rows_of_a_complete_run():
    report = flat(RUNS["with probabilities"])
    assert "answers gpt35, from answers/gpt35.jsonl" in report
    assert "scale 1 to 10, a decimal is drawn with the whole number below it" in report
    assert "graded 80 answers (80 judgments)" in report
    assert "mean score 7.3 [6.9, 7.8], t interval, 95%, n=80" in report
    assert "median 7.5" in report
    assert "soft 7.5, mean expected score, n=80" in report
    assert "spread 8: 50%, 7: 50%" in report
    assert "ends 12.5% of the judge's scores are 10, 0.0% are 1" in report
    assert "each answer graded alone" in report


def test_empty_answers_are_listed_apart():
    assert "no judge 2 empty answers count as 1 by rule" in flat(RUNS["empty answers"])
    assert "no judge 1 empty answer counts as No by rule" in flat(RUNS["labels"])
    assert "1 empty answer left out: the run file names no scale" in flat(RUNS["no scale"])


def test_failed_answers_are_listed_with_examples():
    run = record([8, "u", "u", "l", "u"])
    report = flat(run)
    assert "failed 4 of 5: 3 unreadable, 1 too long" in report
    assert "for example q2: unreadable q3: unreadable q4: too long and 1 more" in report
    assert "80.0% of answers failed (over 2%)." in report


def test_labels_have_a_share():
    report = flat(RUNS["labels"])
    assert "scale Yes or No, the first one the best" in report
    assert "share 50.0% [15.0, 85.0], 95% Wilson interval, n=4" in report
    assert "mean probability of this label" in report
    assert "mean score" not in report


def test_the_image_is_never_seen():
    items = [answer("q1", flags=("image-not-seen",)), answer("q2")]
    report = flat(record([5, 6], items=items))
    assert "images 1 item about an image, which the judge never sees" in report
    assert "flagged" not in report


def test_splits():
    items = [answer(f"q{n}", metadata={"category": name}) for n, name in enumerate("mmcc", 1)]
    report = flat(record([2, 4, 9, "u"], items=items))
    assert "category c, 9.0, n=1, 1 failed m, 3.0 [1.0, 10.0], n=2" in report
    references = flat(RUNS["some references"])
    assert "with ref. 8.0, n=1 without ref. 7.0, n=1" in references


def test_one_score_for_all_is_a_warning():
    report = flat(record([9] * 40))
    assert (
        "100.0% of the scores are the same (over 80%): the scale hardly tells these answers apart." in report
    )


def test_the_soft_reading_of_a_judge_that_reasons_first_is_conditional():
    run = record([8, 7], soft=[{"8": 1.0}, {"7": 1.0}], prompt={"place": "last"})
    assert "given the reasons it wrote" in flat(run)
    assert "given the reasons it wrote" not in flat(record([8, 7], prompt={"place": "last"}))


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_markdown_is_short_and_plain(run):
    report = text(run, "markdown")
    assert report.startswith("### ")
    assert len(report.splitlines()) < 60
    assert "<img" not in report
    assert "\x1b" not in report


def reject(constant):
    pytest.fail(f"{constant} is not JSON")


def parsed(run):
    report = text(run, "json")
    assert report.isascii()
    return json.loads(report, parse_constant=reject)


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_json_has_the_same_names_for_every_run(run):
    report = parsed(run)
    assert report.keys() == parsed(RUNS["complete"]).keys()
    assert report["estimates"].keys() == parsed(RUNS["complete"])["estimates"].keys()
    for name, estimate in report["estimates"].items():
        assert estimate["name"] == name
        assert estimate["method"]


def test_every_name_in_json_is_documented():
    facts = import_module("judgecli.reports.grade.facts")
    documented = f"{json_report.__doc__}{facts.__doc__}"
    report = parsed(RUNS["with probabilities"])
    for part in (report, report["estimates"], report["counts"], report["scale"], report["histogram"][0]):
        for name in part:
            assert name in documented


def test_json_values():
    report = parsed(record([8, 8.5, "u", ""]))
    assert report["mode"] == "grade"
    assert report["counts"] == {
        "answers": 4,
        "judgments": 3,
        "scores": 3,
        "graded": 2,
        "failed": 1,
        "open": 0,
        "failures": {"unreadable": 1},
        "without_judge": {"empty answer": 1},
    }
    assert report["scale"] == {"low": 1, "high": 10, "has_decimals": True, "labels": {}}
    assert report["histogram"][7] == {"name": "8", "low": 8, "high": 8, "n": 2, "p": None}
    assert report["estimates"]["mean_score"]["value"] == pytest.approx(17.5 / 3)
    assert report["warnings"][0]["code"] == "without_judge"
