"""From a run record to estimates: pure functions, one statistic a function.

The item is the unit throughout: the two orders of a pair are one observation. Where n = 0 an
estimate has the value None and its `method` says why; nothing here returns NaN or warns.
What a report shows about a run of some mode is put together in the module named after it.
"""

from importlib import import_module

from judgecli.types import (
    Adjusted,
    AgreementSummary,
    CalibrationSummary,
    DiffSummary,
    Gate,
    GateKind,
    GateOptions,
    GatePower,
    GradeSummary,
    Labels,
    PairSummary,
    RankSummary,
    RunRecord,
    Summary,
    ValidationSummary,
)

_MODES = ("pair", "grade", "rank")


def summarise(record: RunRecord) -> Summary:
    """Return every number a report shows about a run, as its mode has them."""
    mode = record.header.get("mode")
    # Imported when first asked for: scipy takes 0.5 s, which `judge --help` need not wait for.
    summary: Summary = import_module(f"{__name__}.{mode if mode in _MODES else 'pair'}").summary_of(record)
    return summary


def summarise_pairs(record: RunRecord) -> PairSummary:
    """Return every number a report shows about a run of pairs."""
    from judgecli.analysis.pair import summary_of  # noqa: PLC0415 - see above

    return summary_of(record)


def summarise_grades(record: RunRecord) -> GradeSummary:
    """Return every number a report shows about a run that grades."""
    from judgecli.analysis.grade import summary_of  # noqa: PLC0415 - see above

    return summary_of(record)


def summarise_ranking(record: RunRecord) -> RankSummary:
    """Return every number a report shows about a ranking."""
    from judgecli.analysis.rank import summary_of  # noqa: PLC0415 - see above

    return summary_of(record)


def summarise_agreement(
    record: RunRecord,
    labels: Labels,
    *,
    by: str | None = None,
    group: str | None = None,
    failures_as_ties: bool = False,
) -> AgreementSummary:
    """Return how a judge agrees with labels; see `judgecli.analysis.agreement.summary`."""
    from judgecli.analysis.agreement.summary import agreement_of  # noqa: PLC0415 - see above

    return agreement_of(record, labels, by=by, group=group, failures_as_ties=failures_as_ties)


def summarise_validation(
    record: RunRecord, labels: Labels, *, epsilon: float, group: str | None = None
) -> ValidationSummary:
    """Return whether the judge may stand in for an annotator; see `judgecli.analysis.trust.validate`."""
    from judgecli.analysis.trust.validate import validation_of  # noqa: PLC0415 - see above

    return validation_of(record, labels, epsilon=epsilon, group=group)


def summarise_calibration(
    record: RunRecord,
    labels: Labels,
    *,
    agree: float,
    confidence: float,
    group: str | None = None,
    seed: int = 0,
) -> CalibrationSummary:
    """Fit a calibration and return what that showed; see `judgecli.analysis.trust.calibrate`."""
    from judgecli.analysis.trust.calibrate import calibration_of  # noqa: PLC0415 - see above

    return calibration_of(record, labels, agree=agree, confidence=confidence, group=group, seed=seed)


def adjust_by_labels(record: RunRecord, labels: Labels) -> Adjusted:
    """Return the win rate as people would have it; see `judgecli.analysis.trust.adjusted`."""
    from judgecli.analysis.trust.adjusted import adjusted_of  # noqa: PLC0415 - see above

    return adjusted_of(record, labels)


def summarise_adjusted(record: RunRecord, labels: Labels) -> PairSummary:
    """Return every number about a run of pairs, and what labels make of them; see `adjust_by_labels`."""
    from judgecli.analysis.pair import adjusted_summary_of  # noqa: PLC0415 - see above

    return adjusted_summary_of(record, labels)


def decide_gate(record: RunRecord, options: GateOptions, *, labels: Labels | None = None) -> Gate:
    """Return a gate's decision and all that it rests on; see `judgecli.analysis.gate.gate`."""
    from judgecli.analysis.gate.gate import gate_of  # noqa: PLC0415 - see above

    return gate_of(record, options, labels=labels)


def gate_power(
    kind: GateKind,
    margin: float,
    *,
    tie_rate: float,
    n: int | None = None,
    truth: float = 0.5,
    alpha: float = 0.05,
    power: float = 0.8,
    deff: float = 1.0,
) -> GatePower:
    """Return how many pairs a gate needs and what n of them prove; see `judgecli.analysis.gate.power`."""
    from judgecli.analysis.gate.power import power_of  # noqa: PLC0415 - see above

    return power_of(kind, margin, tie_rate=tie_rate, n=n, truth=truth, alpha=alpha, power=power, deff=deff)


def compare_runs(first: RunRecord, second: RunRecord, names: tuple[str, str]) -> DiffSummary:
    """Return what changed from a first run to a second one; see `judgecli.analysis.diff`."""
    from judgecli.analysis.diff import difference_of  # noqa: PLC0415 - see above

    return difference_of(first, second, names)
