"""One run, whatever the mode: read, pair, render, ask, write. Knows no terminal.

`prepare_pair` does everything that needs no weights, `execute` the rest, `load_run` reads the result back.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import judgecli
from judgecli.answers import PairingReport, load_pairs
from judgecli.ledger import size_of
from judgecli.run.execution import PreparedRun, Progress, execute, existing_run, open_requests
from judgecli.run.inspection import ShownPrompt, measure_speed, show_prompt
from judgecli.run.judge_choice import ChosenJudge, chosen_judge
from judgecli.run.options import Orders, Overflow, PairOptions
from judgecli.run.planning import Plan, make_plan
from judgecli.run.record import load_run, stale
from judgecli.types import Backend

__all__ = [
    "Orders",
    "Overflow",
    "PairOptions",
    "PreparedRun",
    "Progress",
    "ShownPrompt",
    "execute",
    "load_run",
    "measure_speed",
    "prepare_pair",
    "show_prompt",
    "stale",
]


def prepare_pair(options: PairOptions) -> PreparedRun:
    """Read and pair the input, find the judge, render and count all prompts, and look at the run file.

    Raises:
        DataError: the input, the prompt family or the run file is wrong.
        ModelError: the judge is unknown, missing or damaged.
        UsageError: options that contradict each other.
    """
    paired = load_pairs(options.input)
    with chosen_judge(options) as judge:
        report = _with_notes(paired.report, judge)
        plan = make_plan(paired.pairs, report, judge, options)
        header = _header(options, report, judge, plan)
        load = _loader(options, judge, plan)
        reader = judge.family.reader
    seen_bytes = size_of(options.run_file)
    existing = existing_run(options, header, plan.planned)
    return PreparedRun(
        options=options,
        plan=plan,
        header=header,
        reader=reader,
        existing=existing,
        seen_bytes=seen_bytes,
        open=open_requests(plan, existing, options),
        load=load,
    )


def _with_notes(report: PairingReport, judge: ChosenJudge) -> PairingReport:
    """Add what only the judge's prompt tells about the input."""
    if not report.n_with_reference or judge.family.uses_reference:
        return report
    note = (
        f"the prompt {judge.family.name} has no place for reference answers, so the judge does not see them"
    )
    return replace(report, notes=(*report.notes, note))


def _loader(
    options: PairOptions, judge: ChosenJudge, plan: Plan
) -> Callable[[], AbstractContextManager[Backend]]:
    module, path = judge.module, judge.path

    def load() -> AbstractContextManager[Backend]:
        if options.backend is not None:
            return nullcontext(options.backend)
        backend: AbstractContextManager[Backend] = module.open_backend(
            path,
            n_ctx=plan.n_ctx,
            engine=options.engine,
            writes_reasons=options.reasons,
            verbose=options.verbose,
        )
        return backend

    return load


def _header(options: PairOptions, report: PairingReport, judge: ChosenJudge, plan: Plan) -> dict[str, Any]:
    family = judge.family
    return {
        "judgecli": judgecli.__version__,
        "started_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "mode": "pair",
        "model": judge.recorded(),
        "prompt": {
            "family": family.name,
            "hash": family.hash,
            "source": family.source,
            "template": options.template,
            "uses_reference": family.uses_reference,
        },
        "backend": _settings(options, judge, plan),
        "orders": options.orders.value,
        "min_mass": options.min_mass,
        "reasons": options.reasons,
        "overflow": options.overflow.value,
        "sampling": "greedy",
        "seed": options.input.seed,
        "n_pairs": len(plan.planned),
        "input": _recorded_input(options, report),
    }


def _settings(options: PairOptions, judge: ChosenJudge, plan: Plan) -> dict[str, Any]:
    if options.backend is not None:
        return dict(options.backend.settings)
    return dict(judge.module.describe(n_ctx=plan.n_ctx, engine=options.engine, path=judge.path))


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
        "n_with_reference": report.n_with_reference,
        "notes": list(report.notes),
    }
