"""`judge pair`: two answers to each item, in both orders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from judgecli.answers import InputOptions, PairingReport, load_pairs
from judgecli.answers.files import file_name
from judgecli.errors import UsageError
from judgecli.prompts import PromptFamily
from judgecli.run.doubting import Trusting
from judgecli.run.execution import PreparedRun
from judgecli.run.given import Comparison, Given
from judgecli.run.options import RunOptions
from judgecli.run.preparing import prepare
from judgecli.types import BOTH_ORDERS, DRAWN_MODELS, GateOptions, Order

MODE = "pair"
_ALONE = (Order("A"), Order("B"))


class Orders(StrEnum):
    """Which orders each pair is judged in."""

    BOTH = "both"
    AB = "ab"

    @property
    def members(self) -> tuple[Order, ...]:
        """The orders to ask in."""
        return BOTH_ORDERS if self is Orders.BOTH else (Order.AB,)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairOptions(RunOptions):
    """Everything that `judge pair` can be told."""

    input: InputOptions
    orders: Orders = Orders.BOTH
    trusting: Trusting = field(default_factory=Trusting)
    gate: GateOptions | None = None

    def __post_init__(self) -> None:
        """Refuse options that contradict each other.

        Raises:
            UsageError: naming them.
        """
        super(PairOptions, self).__post_init__()
        if self.orders is Orders.AB:
            self.trusting.check_one_order()
        if self.gate is None:
            return
        if self.orders is Orders.AB:
            raise UsageError("--gate needs both orders, to see how consistent the judge is; drop --orders ab")
        if self.gate.early_stop and self.trusting.escalate is not None:
            raise UsageError("--early-stop and --escalate exclude each other: doubtful pairs come last")

    @property
    def answer_files(self) -> tuple[str, ...]:
        """The baseline's file and the candidate's, or one that holds both."""
        names = (self.input.baseline, self.input.candidate)
        return tuple(name for name in names if name is not None)


def prepare_pair(options: PairOptions) -> PreparedRun:
    """Read and pair the input, and prepare its run.

    Raises:
        DataError: the input, the prompt family or the run file is wrong.
        ModelError: the judge is unknown, missing or damaged.
        UsageError: options that contradict each other.
    """
    given = read_pairs(_with_fields_of_gate(options))
    if options.gate is not None:
        _check_limit(options, given)
        _check_models(given)
        from judgecli.run.gating import with_control  # noqa: PLC0415 - scipy takes 0.5 s, see `stages`

        given = with_control(given, options.gate)
    return prepare(options, given, options.trusting, options.gate)


def _with_fields_of_gate(options: PairOptions) -> PairOptions:
    """Return the options with the fields that a gate groups and splits by, which every pair has to have."""
    if options.gate is None:
        return options
    named = (("--group", options.gate.group), ("--by", options.gate.by))
    required = tuple((option, field) for option, field in named if field is not None)
    fields = replace(options.input.fields, required=(*options.input.fields.required, *required))
    return replace(options, input=replace(options.input, fields=fields))


def _check_limit(options: PairOptions, given: Given) -> None:
    """Refuse a gate on some of the pairs where answers are missing: which of them would count is unknown."""
    missing = (*given.recorded["only_in_a"], *given.recorded["only_in_b"])
    if missing and options.input.limit is not None:
        message = f"--gate counts missing answers ({len(missing)} here), and --limit leaves pairs out"
        raise UsageError(f"{message}; drop --limit")


def _check_models(given: Given) -> None:
    """Refuse a gate over answers that a draw seated: neither side is a model that could be worse."""
    if (given.recorded["model_a"], given.recorded["model_b"]) == DRAWN_MODELS:
        message = "--gate compares two models, and a draw seats the chosen and rejected answers of this file"
        raise UsageError(f"{message}; give the answers of two models, or drop --gate")


def read_pairs(options: PairOptions) -> Given:
    """Read and pair the input.

    Raises:
        DataError: a file is missing, damaged, empty or cannot be paired.
        UsageError: options that contradict each other or the kind of file.
    """
    paired = load_pairs(options.input)

    def comparisons(family: PromptFamily) -> tuple[Comparison, ...]:
        # a judge that grades one answer at a time grades both, and their scores are compared
        orders = options.orders.members if family.has_task(2) or not family.has_task(1) else _ALONE
        return (Comparison(letters=Order.AB, orders=orders),)

    return Given(
        mode=MODE,
        items=paired.pairs,
        comparisons=comparisons,
        recorded=_recorded_input(options, paired.report),
        asked={"orders": options.orders.value, "turn": paired.report.turn, "seed": options.input.seed},
        noun="pair",
        joined="" if options.input.candidate is None else f" by {paired.report.paired_by.value}",
        how="both orders" if options.orders is Orders.BOTH else "one order",
        lines=tuple(_lines(options, paired.report)),
        notes=paired.report.notes,
    )


def _lines(options: PairOptions, report: PairingReport) -> Iterator[str]:
    read = zip(options.answer_files, report.formats, strict=False)
    yield f"read {', '.join(f'{file_name(file)} as {form}' for file, form in read)}"
    if report.n_multi_turn:
        yield f"{report.n_multi_turn} with turns before the one that is judged (--turn {report.turn})"
    if report.only_in_a or report.only_in_b:
        only = f"{len(report.only_in_a)} only in the baseline, {len(report.only_in_b)} only in the candidate"
        yield f"left out: {only}"


def _recorded_input(options: PairOptions, report: PairingReport) -> dict[str, Any]:
    return {
        "baseline": options.input.baseline,
        "candidate": options.input.candidate,
        "reference": options.input.reference,
        "questions": options.input.questions,
        "model_a": report.model_a,
        "model_b": report.model_b,
        "formats": list(report.formats),
        "fields": {name: dict(fields) for name, fields in report.fields_used.items()},
        "paired_by": report.paired_by.value,
        "n_a": report.n_a,
        "n_b": report.n_b,
        "only_in_a": list(report.only_in_a),
        "only_in_b": list(report.only_in_b),
        "fields_of_missing": {one: dict(fields) for one, fields in report.fields_of_missing.items()},
        "turn": report.turn,
        "n_multi_turn": report.n_multi_turn,
    }
