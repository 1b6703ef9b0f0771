"""Reports on the agreement of a judge with people."""

from dataclasses import replace

import pytest

from judgecli.types import BaselineKind, Caution, CautionKind, LabelKind
from tests.analysis.made_up import header
from tests.reports.said import documented, every_name, flat, lines, parsed, text
from tests.reports.trust_summaries import (
    CASCADE,
    IMPORTED,
    absent,
    agreement,
    agrees,
    compared,
    estimate,
    full_agreement,
    not_better,
    rankings,
    run,
    scored,
)

pytestmark = pytest.mark.filterwarnings("error")

NOTHING = agrees(
    compared=compared(n=0, n_units=0),
    agreement=replace(
        agreement(n=0, table=((0, 0, 0), (0, 0, 0), (0, 0, 0)), classes=()),
        accuracy=absent("accuracy", "no items with a label and a verdict"),
    ),
    position=None,
    baselines=(),
)
PUBLISHED = replace(full_agreement(), leads_with_ties=True)


@pytest.mark.parametrize(
    ("made", "summary", "sentence"),
    [
        (
            None,
            agrees(),
            (
                "judgelm-7b agrees with labels.jsonl on 71.1% [64.1, 77.1] of 180 pairs, kappa 0.52: "
                "better than every baseline"
            ),
        ),
        (
            None,
            not_better(BaselineKind.FIRST_SEAT),
            (
                "judgelm-7b agrees with labels.jsonl on 46.0% [39.0, 52.0] of 100 pairs, kappa 0.02: "
                "not better than naming the first seat"
            ),
        ),
        (
            None,
            not_better(BaselineKind.LONGER),
            (
                "judgelm-7b agrees with labels.jsonl on 46.0% [39.0, 52.0] of 100 pairs, kappa 0.02: "
                "not shown to be better than naming the longer answer"
            ),
        ),
        (
            None,
            agrees(baselines=()),
            "judgelm-7b agrees with labels.jsonl on 71.1% [64.1, 77.1] of 180 pairs, kappa 0.52",
        ),
        (
            IMPORTED,
            agrees(baselines=()),
            "verdicts.jsonl agrees with labels.jsonl on 71.1% [64.1, 77.1] of 180 pairs, kappa 0.52",
        ),
        (
            CASCADE,
            agrees(baselines=()),
            (
                "judgelm-7b backed by openai:big-judge agrees with labels.jsonl on 71.1% [64.1, 77.1] "
                "of 180 pairs, kappa 0.52"
            ),
        ),
        (
            {},
            PUBLISHED,
            (
                "the judge agrees with labels.jsonl on 70.5% [63.5, 76.5] of 183 pairs, kappa 0.51 "
                "(failures as ties): better than every baseline"
            ),
        ),
        (
            None,
            scored(),
            "judgelm-7b against labels.jsonl: rank correlation 0.93 [0.88, 0.95] over 80 answers",
        ),
        (
            None,
            replace(
                scored(), scores=replace(scored().scores, spearman=absent("spearman", "one score for all"))
            ),
            "judgelm-7b against labels.jsonl: no agreement to measure, one score for all",
        ),
        (None, NOTHING, "no agreement with labels.jsonl to measure: no pair has a label and a verdict"),
        (
            None,
            replace(NOTHING, compared=compared(n=0, n_units=0, failures={"unreadable": 4})),
            "no agreement with labels.jsonl to measure: 4 of 4 unreadable",
        ),
        (
            None,
            replace(NOTHING, agreement=None),
            "no agreement with labels.jsonl to measure: no pair has a label and a verdict",
        ),
    ],
)
def test_headline(made, summary, sentence):
    assert flat(run(made), summary, width=400).startswith(f"{sentence} ")
    assert parsed(run(made), summary)["headline"] == sentence


def test_the_headline_names_the_best_of_the_baselines_that_were_not_beaten():
    kinds = (BaselineKind.LONGER, BaselineKind.FIRST_SEAT)
    assert ": not better than naming the first seat" in flat(run(), not_better(*kinds), width=400)


def test_a_judge_below_a_baseline_is_told_so_with_both_numbers():
    kinds = (BaselineKind.LONGER, BaselineKind.FIRST_SEAT)
    longer, first = parsed(run(), not_better(*kinds))["warnings"]
    assert longer == {
        "code": "not_better_than_baseline",
        "text": (
            "not shown to be better than naming the longer answer: 46.0% right, and 44.0% that way; "
            "label more pairs to tell."
        ),
        "value": 0.44,
        "limit": None,
    }
    assert first["text"] == (
        "not better than naming the first seat: 46.0% right, and 48.5% that way; "
        "a judge that is no better than that is not a judge."
    )


def test_only_a_judge_that_is_measured_no_better_is_no_judge():
    said = flat(run(), not_better(BaselineKind.LONGER, BaselineKind.MAJORITY), width=400)
    assert "naming the longer answer: 46.0% right, and 44.0% that way. !" in said
    assert "label: 46.0% right, and 30.0% that way; label more pairs to tell." in said
    assert "is not a judge" not in said


FEW_GROUPS = "no interval: 4 groups by topic, at least 8 are needed"


def test_few_groups_are_the_reason_why_nothing_is_shown():
    one = not_better(BaselineKind.LONGER)
    advantage = estimate("advantage", 0.02, method=FEW_GROUPS)
    few = replace(
        one,
        compared=compared(n=100, n_units=4, unit="topic", no_interval=FEW_GROUPS),
        baselines=(replace(one.baselines[0], advantage=advantage),),
    )
    sentence = f"not shown to be better than naming the longer answer, {FEW_GROUPS}"
    assert parsed(run(), few)["headline"].endswith(sentence)
    said = flat(run(), few, width=400)
    assert f"46.0% right, and 44.0% that way; {FEW_GROUPS}." in said
    assert f"compared 100 pairs with a label and a verdict, {FEW_GROUPS}" in said
    assert "intervals over" not in said
    assert "the intervals of the seats are over pairs, not groups" in said
    assert "not groups" not in flat(run(), one)


@pytest.mark.parametrize(
    ("rho", "sentence"),
    [
        (
            estimate("spearman", 0.1, -0.12, 0.31),
            (
                "the judge's scores are not shown to go with people's: rank correlation 0.10 [-0.12, 0.31]; "
                "label more answers to tell."
            ),
        ),
        (
            estimate("spearman", -0.2, -0.4, 0.02),
            "the judge's scores do not go with people's: rank correlation -0.20 [-0.40, 0.02].",
        ),
    ],
)
def test_scores_that_do_not_go_with_peoples_are_a_warning(rho, sentence):
    caution = Caution(kind=CautionKind.NOT_CORRELATED, value=rho.value)
    summary = replace(scored(), cautions=(caution,), scores=replace(scored().scores, spearman=rho))
    (warning,) = parsed(run(), summary)["warnings"]
    assert (warning["code"], warning["text"]) == ("not_correlated", sentence)


def test_the_majority_class_is_a_baseline_in_words():
    summary = not_better(BaselineKind.MAJORITY)
    assert "naming the commonest label: 46.0% right, and 30.0% that way" in flat(run(), summary, width=400)


@pytest.mark.parametrize(
    ("caution", "sentence"),
    [
        (
            Caution(kind=CautionKind.SHARED_INSTRUCTIONS, value=31),
            (
                "180 pairs, but 31 instructions: intervals are too narrow where items share one; "
                "use --group instruction."
            ),
        ),
        (
            Caution(kind=CautionKind.FEW_ITEMS, value=12, limit=30),
            "only 12 pairs (under 30): take the result as a hint.",
        ),
        (
            Caution(kind=CautionKind.FEW_LABELS, value=12, limit=30),
            "only 12 labelled pairs (under 30): take the result as a hint.",
        ),
        (
            Caution(kind=CautionKind.ONE_ORDER),
            "one order only: position bias is in these numbers, unmeasured.",
        ),
        (
            Caution(kind=CautionKind.LOW_CONSISTENCY, value=0.2, limit=0.6),
            "the judge agrees with itself on 20.0% of pairs (under 60%): it cannot agree more with people.",
        ),
        (
            Caution(kind=CautionKind.PARTIAL, value=4),
            "partial run: 4 of 184 pairs not judged yet; the same command resumes.",
        ),
        (
            Caution(kind=CautionKind.MANY_FAILURES, value=0.05, limit=0.02),
            "5.0% of pairs failed (over 2%).",
        ),
        (
            Caution(kind=CautionKind.DEMO_JUDGE),
            "demo judge, at chance: it means nothing. A real one: judge pull judgelm-7b",
        ),
    ],
)
def test_warnings(caution, sentence):
    summary = agrees(caution, compared=compared(n_without_verdict=4))
    (warning,) = parsed(run(), summary)["warnings"]
    assert warning["text"] == sentence


def test_setup_says_whose_verdicts_and_labels():
    said = flat(run(), agrees())
    assert "judge judgelm-7b, judgelm-7b.Q4_K_M.gguf, sha256 3f2a9c1b7d04" in said
    assert "labels made/labels.jsonl, one annotator" in said
    assert "compared 180 pairs with a label and a verdict agrees" in said
    assert "left out" not in said


def test_setup_of_verdicts_made_elsewhere():
    said = flat(run(IMPORTED), agrees())
    assert "judge the verdicts in elsewhere/verdicts.jsonl, made elsewhere labels" in said
    assert "prompt" not in said
    assert "engine" not in said


def test_setup_of_a_full_agreement():
    said = flat(run(CASCADE), full_agreement())
    assert "labels made/labels.jsonl, majority of annotators, 3 annotators" in said
    assert "180 pairs with a label and a verdict, intervals over 31 groups by topic" in said
    assert (
        "left out 12 without a label, 5 without a majority, 4 not judged yet, 7 labelled and not in the run"
        in said
    )


def test_bars_part_the_verdicts_by_how_they_differ():
    drawn = text(run(), full_agreement()).split("\n\n")[2].splitlines()
    bars = {line[:10].strip(): line[10:].split() for line in drawn}
    assert {name: int(n) for name, (n, _) in bars.items()} == {
        "agrees": 128,
        "judge ties": 10,
        "people tie": 22,
        "opposite": 20,
        "unreadable": 2,
        "too long": 1,
    }
    assert [bars[name][1][0] for name in bars] == [*"#~~-!!"]


def test_failures_that_count_as_ties_are_no_bars_of_their_own():
    assert "unreadable 2" not in flat(run(), PUBLISHED)


def test_measures_and_their_meaning():
    said = flat(run(), agrees())
    assert "accuracy 71.1% [64.1, 77.1], verdict and label are the same, n=180" in said
    assert "kappa 0.52 [0.42, 0.62], agreement beyond chance, 0 is chance" in said
    assert "weighted 0.59 [0.48, 0.68], kappa, a tie for a winner half an error" in said
    assert "decided 85.7% [79.0, 90.5], where neither is a tie, n=140" in said
    assert "macro F1 0.62 [0.55, 0.69], precision 0.64 [0.56, 0.71], recall 0.62 [0.55, 0.69]" in said
    assert "failed" not in said


def test_an_absent_measure_says_why():
    summary = agrees(agreement=agreement(kappa=absent("kappa", "all of one class")))
    said = flat(run(), summary)
    assert "kappa none: all of one class weighted" in said
    assert "of 180 pairs: better" in said


def test_nothing_decided_is_one_phrase():
    summary = agrees(agreement=agreement(decided=absent("decided", "no item decided by both")))
    assert "decided none: no item decided by both macro" in flat(run(), summary)


def test_failures_are_counted_three_ways():
    said = flat(run(), full_agreement())
    assert "failed 3 of 187: 2 unreadable, 1 too long, left out above" in said
    assert "as wrong 69.9% [63.0, 76.0] accuracy, each failure an error" in said
    assert "as ties 70.5% [63.5, 76.5] accuracy, kappa 0.51 [0.41, 0.61], each failure a tie" in said


def test_published_figures_stand_beside_the_honest_ones():
    said = flat(run(), PUBLISHED)
    assert "accuracy 70.5% [63.5, 76.5]" in said
    assert "failed 3 of 187: 2 unreadable, 1 too long as wrong" in said
    assert "left out 71.1% [64.1, 77.1] accuracy, kappa 0.52 [0.42, 0.62], without the failures" in said


def test_failures_that_count_as_ties_are_said_where_items_are_counted():
    said = flat(run(), PUBLISHED)
    assert (
        "compared 183 pairs with a label, 180 with a verdict, 3 failures counted as ties, intervals" in said
    )
    one = replace(PUBLISHED, compared=compared(failures={"unreadable": 1}))
    assert "180 with a verdict, 1 failure counted as a tie agrees" in flat(run(), one)


def test_baselines_are_held_against_the_verdicts_there_are():
    published = replace(
        not_better(BaselineKind.LONGER),
        failures_as_ties=agreement(0.4, 120),
        leads_with_ties=True,
        compared=compared(n=100, n_units=100, failures={"unreadable": 20}),
    )
    said = flat(run(), published)
    assert "labels.jsonl on 40.0%" in said
    assert "46.0% right, and 44.0% that way" in said
    assert "the judge 46.0% [39.0, 52.0], beside ways to judge that read nothing, n=100" in said


def test_orders():
    said = flat(run(), full_agreement())
    assert "by order 68.0% [61.0, 74.0] in AB, 64.0% [57.0, 70.0] in BA, mean 66.0% [60.0, 72.0]" in said
    assert "both right 55.0% [48.0, 62.0] right in both orders, n=180" in said


def test_the_table_of_verdicts_by_labels():
    assert (
        "\n".join(lines(run(), agrees(), width=40)).find(
            "people     judge A    tie      B  recall\n"
            "A               50      4     11   76.9%\n"
            "tie             10      8     12   26.7%\n"
            "B                9      6     70   82.3%\n"
            "precision    72.5%  44.4%  75.3%\n"
        )
        > 0
    )


def test_a_class_that_does_not_occur_has_no_precision_or_recall():
    told = agreement(table=((50, 0, 15), (0, 0, 0), (9, 0, 76)))
    told = replace(told, classes=tuple(one for one in told.classes if one.winner != "tie"))
    said = flat(run(), agrees(agreement=told))
    assert "tie 0 0 0 - B 9 0 76 82.3%" in said
    assert "precision 72.5% - 75.3%" in said


def test_a_table_too_wide_for_the_terminal_becomes_rows():
    said = flat(run(), agrees(), width=30)
    assert "tie judge A 10, tie 8, B 12, recall 26.7%" in said
    assert "precision judge A 72.5%, tie 44.4%, B 75.3%" in said


def test_baselines_stand_beside_the_judge():
    said = flat(run(), agrees())
    assert "the judge 71.1% [64.1, 77.1], beside ways to judge that read nothing, n=180" in said
    assert "longer wins 52.0% [42.0, 62.0], the judge +19.1 points [+9.1, +29.1]" in said
    assert "first seat 41.7% [31.7, 51.7], the judge +29.4 points [+19.4, +39.4]" in said
    assert "majority 47.2% [37.2, 57.2], the judge +23.9 points [+13.9, +33.9]" in said


def test_the_judge_and_its_seats_and_length():
    said = flat(run(), full_agreement())
    assert "consistency 71.0% [64.4, 76.8] same verdict in both orders, n=200" in said
    assert "lean first seat +7.0 points [-0.5, +14.4], p=0.067" in said
    assert "seats 18.0% lean to the first, 11.0% to the second, 19.0% opposite" in said
    assert (
        "lengths the longer answer wins 80.0% [72.0, 86.0] by the judge, 60.0% [51.0, 68.0] by people, n=120"
        in said
    )
    assert "right 95.0% where the longer one is (n=72), right 40.0% where the shorter one is (n=48)" in said


def test_lengths_where_one_of_the_two_never_is_right():
    lengths = replace(
        full_agreement().lengths,
        when_longer_right=estimate("when_longer_right", 0.9, 0.8, 0.95, n=72),
        when_shorter_right=absent("when_shorter_right"),
    )
    said = flat(run(), agrees(lengths=lengths))
    assert "right 90.0% [80.0, 95.0] where the longer one is (n=72), the shorter one never is right" in said


def test_lengths_that_cannot_be_told():
    none = replace(full_agreement().lengths, judge_longer=absent("judge_longer", "all answers as long"))
    assert "lengths none: all answers as long" in flat(run(), agrees(lengths=none))


def test_splits_and_stages():
    said = flat(run(CASCADE), full_agreement())
    assert "subset a, 50.0% [43.0, 56.0], kappa 0.52, n=36 b, 60.0%" in said
    assert "doubtful confidence under 0.675, order-dependent" in said
    assert "by judge judgelm-7b, 71.1% of the verdicts, 82.0% [75.0, 88.0] agree, n=128" in said
    assert (
        "openai:big-judge, 28.9% of the verdicts, 75.0% [68.0, 81.0] agree, 48.1% [41.1, 54.1] before, n=52"
        in said
    )


def test_of_many_splits_the_first_are_shown():
    one = full_agreement().splits[0]
    summary = agrees(splits_by="topic of it all", splits=tuple(replace(one, name=f"t{n}") for n in range(20)))
    said = flat(run(), summary)
    assert "by topic of it all t0, 50.0%" in said
    assert "t15, 50.0% [43.0, 56.0], kappa 0.52, n=36 and 4 more" in said
    assert "t16" not in said
    assert len(parsed(run(), summary)["splits"]["parts"]) == 20


def test_long_values_are_shortened_and_whole_in_the_json():
    name = "Summarise this.\n\n" + "word " * 40
    (one, *_) = full_agreement().splits
    summary = agrees(splits_by="instruction", splits=(replace(one, name=name),))
    said = flat(run(), summary)
    assert "instruction Summarise this. word word" in said
    assert "..., 50.0%" in said
    assert "word " * 20 not in said
    assert parsed(run(), summary)["splits"]["parts"][0]["name"] == name


def test_a_judge_without_labelled_verdicts_is_named_in_its_row():
    none = replace(agreement(n=0), accuracy=absent("accuracy", "no items"))
    first, second = full_agreement().stages
    nothing = replace(second, agreement=none, before=none)
    said = flat(run(CASCADE), agrees(stages=(first, nothing)))
    assert "agree, n=128 openai:big-judge, no verdict with a label" in said


@pytest.mark.parametrize(
    ("areas", "sentence"),
    [
        (
            ((0.2104, 0.15, 0.27), (0.2399, 0.18, 0.3)),
            "verdict probability ranks errors better here, though the intervals overlap",
        ),
        (
            ((0.3, 0.28, 0.32), (0.2, 0.18, 0.22)),
            "token entropy ranks errors better here, and the intervals do not overlap",
        ),
        (((0.2, 0.1, 0.3), (0.2, 0.1, 0.3)), "neither ranks errors better"),
    ],
)
def test_which_confidence_ranks_errors_better(areas, sentence):
    assert f"less is better {sentence}" in flat(run(), agrees(rankings=rankings(*areas)))


def test_one_confidence_alone_is_not_compared():
    said = flat(run(), agrees(rankings=rankings((0.2104, 0.15, 0.27))))
    assert (
        "confidence verdict probability 0.210 [0.150, 0.270], 0.289 in any order, n=180 "
        "area under the risk-coverage curve, less is better" in said
    )
    assert "ranks errors" not in said


def test_annotators_and_notes():
    said = flat(run(notes=("the last line was cut off",)), full_agreement())
    assert (
        "annotators 3, mean kappa 0.65 [0.58, 0.72] of every two, alpha 0.65 [0.57, 0.72] "
        "alpha 0.59 [0.52, 0.65] with the judge as one more" in said
    )
    assert "notes three labels name no pair the last line was cut off" in said


def test_scores():
    said = flat(run(header(mode="grade")), scored())
    assert "labels made/labels.jsonl, mean of annotators, 2 annotators" in said
    assert "compared 80 answers with a label and a verdict" in said
    assert "Pearson 0.92 [0.87, 0.95], of judge's and people's scores, n=80" in said
    assert "Spearman 0.93 [0.88, 0.95], of their ranks" in said
    assert "Kendall 0.82 [0.74, 0.87], of their order, two by two (tau-b)" in said
    assert "annotators 2, alpha 0.81 [0.70, 0.90] alpha 0.78 [0.70, 0.86] with the judge" in said


def test_numbers_without_an_interval_have_no_brackets():
    few = replace(agreement(kappa=estimate("kappa", -0.001)), accuracy=estimate("accuracy", 0.5))
    said = flat(run(), agrees(agreement=few))
    assert "accuracy 50.0%, verdict" in said
    assert "kappa 0.00, agreement" in said


def test_facts():
    report = parsed(run(CASCADE), full_agreement())
    assert (report["mode"], report["about"]) == ("pair", "agree")
    assert report["labels"] == {
        "file": "made/labels.jsonl",
        "kind": "winners",
        "source": "majority of annotators",
    }
    assert report["compared"]["n_failed"] == 3
    assert report["compared"]["failures"] == {"unreadable": 2, "too_long": 1}
    assert report["agreement"]["table"] == [[50, 4, 11], [10, 8, 12], [9, 6, 70]]
    assert report["agreement"]["kappa"]["value"] == pytest.approx(0.5193)
    assert report["agreement"]["classes"][1]["winner"] == "tie"
    assert report["failures_as_ties"]["n"] == 183
    assert list(report["by_order"]["orders"]) == ["AB", "BA"]
    assert report["baselines"][1]["kind"] == "first seat"
    assert report["baselines"][1]["advantage"]["value"] == pytest.approx(0.294)
    assert report["splits"]["by"] == "subset"
    assert [one["name"] for one in report["stages"]] == ["judgelm-7b", "openai:big-judge"]
    assert report["stages"][0]["before"] is None
    assert report["rankings"][1]["kind"] == "token entropy"
    assert report["remarks"] == ["three labels name no pair"]


def test_what_is_absent_is_null():
    report = parsed(run(), scored())
    absent_here = ("agreement", "failures_as_ties", "failures_wrong", "by_order", "position", "lengths")
    assert [report[name] for name in absent_here] == [None] * len(absent_here)
    assert report["scores"]["kendall"]["value"] == pytest.approx(0.8198)
    assert report["labels"]["kind"] == LabelKind.SCORES


def test_names_are_the_same_whatever_was_found_and_documented():
    full = parsed(run(), full_agreement())
    assert full.keys() == parsed(run(), scored()).keys() == parsed(run(), NOTHING).keys()
    assert every_name(full) - documented("agree") == set()


@pytest.mark.parametrize("summary", [agrees(), full_agreement(), PUBLISHED, scored(), NOTHING])
def test_markdown_says_it_too(summary):
    report = text(run(CASCADE), summary, "markdown")
    assert report.startswith("### ")
    assert len(report.splitlines()) < 80


def test_the_table_in_markdown():
    report = text(run(), agrees(), "markdown")
    assert (
        "\n\n| people | judge A | tie | B | recall |\n| --- | ---: | ---: | ---: | ---: |\n| A | 50 |"
        in report
    )
