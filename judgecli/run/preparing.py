"""Everything that a run of any mode needs before its weights: judge, prompts, header, run file."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any

import judgecli
from judgecli import prompts
from judgecli.ledger import size_of
from judgecli.run.doubting import Trusting, doubt_header
from judgecli.run.entropy import base_of
from judgecli.run.escalation import check_threshold, second_judge, with_second
from judgecli.run.execution import PreparedRun, existing_run, open_requests
from judgecli.run.given import Given
from judgecli.run.judge_choice import ChosenJudge, chosen_judge
from judgecli.run.options import RunOptions
from judgecli.run.planning import Plan, make_plan
from judgecli.types import Backend, CallBudget, DoubtRule, GateOptions


def prepare(
    options: RunOptions, given: Given, trusting: Trusting | None = None, gate: GateOptions | None = None
) -> PreparedRun:
    """Find the judge, render and count all prompts, and look at the run file.

    With `trusting`, do the same for the stronger judge that it names: any item may come to be handed to it. A
    `gate` that may stop early decides how much is asked.

    Raises:
        DataError: the prompt family, a calibration or the run file is wrong, or the family has no prompt for
            this mode.
        ModelError: a judge is unknown, missing or damaged.
        UsageError: options that contradict each other.
    """
    budget = CallBudget(options.engine.max_calls)  # one, whichever judge makes the calls
    given, plan, header, load = _planned(options, given, budget)
    trusting = trusting or Trusting()
    header |= {**doubt_header(trusting, header), **({} if gate is None else {"gate": asdict(gate)})}
    second = None
    if trusting.escalate is not None:
        stronger = replace(
            options,
            model=trusting.escalate,
            prompt=trusting.escalate_prompt,
            template=None,
            n_ctx=None,
            backend=None,
        )
        _, asked, said, load_second = _planned(stronger, replace(given, notes=()), budget)
        rule = DoubtRule.recorded(header["doubt"]) or DoubtRule()
        second, header["escalation"] = second_judge(asked, said, rule, load_second)
        plan = with_second(plan, asked)
    base = base_of(options, header)
    if base is not None:
        header["base"] = base.recorded()
    seen_bytes = size_of(options.run_file)
    existing = existing_run(options, header, plan.planned)
    if second is not None and existing is not None:  # before a header is written that cannot be kept to
        check_threshold(second.doubt, existing.judgments, options.run_file)
    return PreparedRun(
        options=options,
        given=given,
        plan=plan,
        header=header,
        existing=existing,
        seen_bytes=seen_bytes,
        open=open_requests(plan.requests, existing.judgments if existing else {}, retry=options.retry),
        load=load,
        second=second,
        gate=gate,
        base=base,
    )


def _planned(
    options: RunOptions, given: Given, budget: CallBudget
) -> tuple[Given, Plan, dict[str, Any], Callable[[], AbstractContextManager[Backend]]]:
    """Return the input with what the judge's prompt tells about it, the plan, its header, and the judge."""
    with chosen_judge(options) as judge:
        n_seats = len(given.comparisons(judge.family)[0].orders[0])
        file = given.recorded.get("reference")
        prompts.check_items(judge.family, n_seats, given.items, judge.asking, reference_file=file)
        given = _with_notes(
            given, judge, uses_reference=judge.family.task(n_seats, judge.asking).uses_reference
        )
        plan = make_plan(given, judge, options)
        return given, plan, _header(options, given, judge, plan), _loader(options, judge, plan, budget)


def _with_notes(given: Given, judge: ChosenJudge, *, uses_reference: bool) -> Given:
    """Add what only the judge's prompt tells about the input."""
    if not given.n_with_reference or uses_reference:
        return given
    note = (
        f"the prompt {judge.family.name} has no place for reference answers, so the judge does not see them"
    )
    return replace(given, notes=(*given.notes, note))


def _loader(
    options: RunOptions, judge: ChosenJudge, plan: Plan, budget: CallBudget
) -> Callable[[], AbstractContextManager[Backend]]:
    module, path = judge.module, judge.path

    def load() -> AbstractContextManager[Backend]:
        if options.backend is not None:
            return nullcontext(options.backend)
        backend: AbstractContextManager[Backend] = module.open_backend(
            path,
            n_ctx=plan.n_ctx,
            engine=options.engine,
            writes_reasons=plan.writes_text,
            verbose=options.verbose,
            budget=budget,
        )
        return backend

    return load


def _header(options: RunOptions, given: Given, judge: ChosenJudge, plan: Plan) -> dict[str, Any]:
    family = judge.family
    return {
        "judgecli": judgecli.__version__,
        "started_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "mode": given.mode,
        "model": judge.recorded(),
        "prompt": {
            "family": family.name,
            "hash": family.hash,
            "source": family.source,
            "template": options.template,
            "uses_reference": plan.task.uses_reference,
            "place": plan.task.place.value,
            "n_seats": plan.n_seats,
            "off_protocol": prompts.is_off_protocol(family, judge.asking),
            **judge.asking.recorded,
        },
        "backend": _settings(options, judge, plan),
        **given.asked,
        "scale": plan.task.grammar.scale,
        "min_mass": options.min_mass,
        "reasons": options.reasons,
        "overflow": options.overflow.value,
        "sampling": "greedy",
        "n_items": len(plan.planned),
        "input": {**given.recorded, "n_with_reference": given.n_with_reference, "notes": list(given.notes)},
    }


def _settings(options: RunOptions, judge: ChosenJudge, plan: Plan) -> dict[str, Any]:
    if options.backend is not None:
        return dict(options.backend.settings)
    return dict(judge.module.describe(n_ctx=plan.n_ctx, engine=options.engine, path=judge.path))
