"""What a report on agreement says below its headline, row by row."""

from __future__ import annotations

from collections.abc import Iterator

from judgecli.reports.agree.headline import judged, lead, noun
from judgecli.reports.agree.outcomes import confusion
from judgecli.reports.agree.parts import split_rows, stage_rows
from judgecli.reports.agree.ranking import ranking_rows
from judgecli.reports.wording.cautions import failures
from judgecli.reports.wording.rows import (
    Row,
    Section,
    coefficient,
    listed,
    plural,
    points_with_interval,
    row,
    section,
    with_interval,
)
from judgecli.reports.wording.seats import seat_rows
from judgecli.reports.wording.setup import judge_rows, notes
from judgecli.types import (
    Agreement,
    AgreementSummary,
    Annotators,
    ByOrder,
    Compared,
    Estimate,
    LengthEffect,
    RunRecord,
    ScoreAgreement,
)

_MAX_NOTES = 6


def sections(record: RunRecord, summary: AgreementSummary) -> list[Section]:
    """Return everything a report says: whose verdicts and labels, agreement, baselines, the judge, parts."""
    leading = lead(summary)
    table = confusion(leading) if leading and leading.n else None
    everything = [
        section("Setup", _setup(record, summary)),
        section("Agreement", _agreement(summary), table),
        section("Baselines", _baselines(summary)),
        section("Judge", _judge(summary)),
        section("Parts", (*split_rows(summary), *stage_rows(record, summary), *ranking_rows(summary))),
        section("Labels", (*_annotators(summary.annotators), *_notes(record, summary))),
    ]
    return [one for one in everything if one.rows or one.table]


def _setup(record: RunRecord, summary: AgreementSummary) -> Iterator[Row | None]:
    compared = summary.compared
    people = plural(summary.annotators.n, "annotator") if summary.annotators.n else None
    yield from judge_rows(record.header)
    yield row("labels", summary.labels_file, summary.source, people)
    yield row("compared", *_compared(summary), _intervals(compared))
    yield row("left out", *_left_out(compared))


def _compared(summary: AgreementSummary) -> tuple[str, ...]:
    compared = summary.compared
    if not summary.leads_with_ties:
        return (f"{plural(compared.n, noun(summary))} with a label and a verdict",)
    n_failed = compared.n_failed
    return (
        f"{plural(compared.n + n_failed, noun(summary))} with a label",
        f"{compared.n:,} with a verdict",
        f"{plural(n_failed, 'failure')} counted as {'a tie' if n_failed == 1 else 'ties'}",
    )


def _intervals(compared: Compared) -> str | None:
    if compared.unit == "item":
        return None
    return compared.no_interval or f"intervals over {compared.n_units:,} groups by {compared.unit}"


def _left_out(compared: Compared) -> Iterator[str | None]:
    for n, why in (
        (compared.n_unlabelled, "without a label"),
        (compared.n_undecided, "without a majority"),
        (compared.n_without_verdict, "not judged yet"),
        (compared.n_not_in_run, "labelled and not in the run"),
    ):
        yield f"{n:,} {why}" if n else None


def _agreement(summary: AgreementSummary) -> Iterator[Row | None]:
    if summary.scores is not None:
        yield from _scores(summary.scores)
    leading = lead(summary)
    if leading is not None and leading.n:
        yield from _measures(leading)
    yield from _failed(summary)
    if summary.by_order is not None:
        yield from _by_order(summary.by_order)


def _scores(scores: ScoreAgreement) -> Iterator[Row | None]:
    pearson = scores.pearson
    yield _coefficient("Pearson", pearson, "of judge's and people's scores", _n(pearson.n))
    yield _coefficient("Spearman", scores.spearman, "of their ranks")
    yield _coefficient("Kendall", scores.kendall, "of their order, two by two (tau-b)")


def _coefficient(label: str, estimate: Estimate, *meaning: str) -> Row | None:
    """Return a row of a number and what it means; of its absence, why."""
    return (
        row(label, coefficient(estimate), *meaning) if estimate.value is not None else _none(label, estimate)
    )


def _none(label: str, estimate: Estimate) -> Row | None:
    return row(label, f"none: {estimate.method}")


def _measures(agreement: Agreement) -> Iterator[Row | None]:
    yield row(
        "accuracy", with_interval(agreement.accuracy), "verdict and label are the same", _n(agreement.n)
    )
    yield _coefficient("kappa", agreement.kappa, "agreement beyond chance, 0 is chance")
    yield _coefficient("weighted", agreement.weighted_kappa, "kappa, a tie for a winner half an error")
    decided = agreement.decided
    if decided.value is None:
        yield _none("decided", decided)
    else:
        yield row("decided", with_interval(decided), "where neither is a tie", _n(decided.n))
    yield row(
        "macro",
        f"F1 {coefficient(agreement.f1)}",
        f"precision {coefficient(agreement.precision)}",
        f"recall {coefficient(agreement.recall)}",
    )


def _n(n: int) -> str:
    return f"n={n:,}"


def _failed(summary: AgreementSummary) -> Iterator[Row | None]:
    if not summary.compared.n_failed:
        return
    yield row("failed", failures(judged(summary)), None if summary.leads_with_ties else "left out above")
    wrong = summary.failures_wrong
    yield row("as wrong", f"{with_interval(wrong)} accuracy, each failure an error" if wrong else None)
    other = summary.agreement if summary.leads_with_ties else summary.failures_as_ties
    if other is not None:
        label, what = (
            ("left out", "without the failures")
            if summary.leads_with_ties
            else ("as ties", "each failure a tie")
        )
        yield row(label, f"{with_interval(other.accuracy)} accuracy", _named("kappa", other.kappa), what)


def _named(name: str, estimate: Estimate) -> str:
    return (
        f"{name} {coefficient(estimate)}" if estimate.value is not None else f"no {name}: {estimate.method}"
    )


def _by_order(by_order: ByOrder) -> Iterator[Row | None]:
    orders = (f"{with_interval(one.accuracy)} in {order}" for order, one in by_order.orders.items())
    yield row("by order", *orders, f"mean {with_interval(by_order.mean)}")
    yield row(
        "both right", f"{with_interval(by_order.both_right)} right in both orders", _n(by_order.both_right.n)
    )


def _baselines(summary: AgreementSummary) -> Iterator[Row | None]:
    own = summary.agreement
    if own is not None and summary.baselines:
        beside = "beside ways to judge that read nothing"
        yield row("the judge", with_interval(own.accuracy), beside, _n(own.n))
    for one in summary.baselines:
        ahead = f"the judge {points_with_interval(one.advantage)}"
        yield row(one.kind.removesuffix(" class"), with_interval(one.accuracy), ahead)


def _judge(summary: AgreementSummary) -> Iterator[Row | None]:
    if summary.position is not None:
        yield from seat_rows(summary.position)
        has_groups = summary.compared.unit != "item" and summary.position.consistency.value is not None
        yield row("", "the intervals of the seats are over pairs, not groups") if has_groups else None
    if summary.lengths is not None:
        yield from _lengths(summary.lengths)


def _lengths(lengths: LengthEffect) -> Iterator[Row | None]:
    if lengths.judge_longer.value is None:
        yield _none("lengths", lengths.judge_longer)
        return
    yield row(
        "lengths",
        f"the longer answer wins {with_interval(lengths.judge_longer)} by the judge",
        f"{with_interval(lengths.labels_longer)} by people",
        _n(lengths.judge_longer.n),
    )
    yield row("", _right("longer", lengths.when_longer_right), _right("shorter", lengths.when_shorter_right))


def _right(which: str, share: Estimate) -> str:
    """Say how often the judge is right where this answer is."""
    if share.value is None:
        return f"the {which} one never is right"
    return f"right {with_interval(share)} where the {which} one is ({_n(share.n)})"


def _annotators(people: Annotators) -> Iterator[Row | None]:
    if people.n < 2:
        return
    among = f"mean kappa {coefficient(people.kappa)} of every two" if people.kappa.value is not None else None
    yield row("annotators", f"{people.n:,}", among, _named("alpha", people.alpha))
    yield row("", f"{_named('alpha', people.alpha_with_judge)} with the judge as one more")


def _notes(record: RunRecord, summary: AgreementSummary) -> Iterator[Row | None]:
    yield from listed("notes", [*summary.notes, *notes(record)], _MAX_NOTES)
