"""What a run would do, for --dry-run."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from judgecli.cli.announcing import MAX_IDS, ids_too_long
from judgecli.cli.console import say, write
from judgecli.cli.options import Form
from judgecli.cli.run_progress import duration
from judgecli.run import PreparedRun, left_by_cache, measure_speed
from judgecli.run.foreseen import Foreseen, foresee, foresee_escalation


def describe(run: PreparedRun, form: Form, *, quiet: bool = False) -> None:
    """Write what a run would do to stdout: as JSON if that is asked for, else as lines.

    Raises:
        ModelError: the judge does not load.
    """
    facts = _facts(run, quiet=quiet)
    if form is Form.JSON:
        write(json.dumps(facts, indent=2, allow_nan=False) + "\n")
        return
    noun = run.given.noun
    rows = [
        (
            f"{noun}s",
            f"{facts[f'{noun}s']}, {facts['decided_without_judge']} of them decided without the judge",
        ),
        (
            "judgments",
            f"{facts['judgments']}, {facts['judgments_open']} of them still to make{_cached(facts)}",
        ),
        *(_local(run, facts) if facts["calls"] is None else _endpoint(run, facts)),
        *_escalation(run, facts["escalation"]),
    ]
    write("".join(f"{label:<12} {text}\n" for label, text in rows))


def _local(run: PreparedRun, facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    too_long, new = facts["too_long"], facts["tokens_to_evaluate"]
    yield "tokens", f"{facts['prompt_tokens']:,} in prompts, {new:,} new (shared beginnings count once)"
    yield "context", f"{facts['n_ctx']:,} tokens"
    yield "too long", f"{len(too_long)}{': ' if too_long else ''}{', '.join(too_long[:MAX_IDS])}"
    if facts["estimated_s"] is not None:
        speed = f"at {facts['tokens_per_s']:,.0f} tokens/s for one prompt"
        on_top = ", and what the judge writes on top" if run.plan.writes_text else ""
        yield "time", f"about {duration(facts['estimated_s'])}, {speed}{on_top}"


def _endpoint(run: PreparedRun, facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "calls", f"{facts['calls']:,} to {run.header['model']['name']}, further tries on top{_stop(run)}"
    yield "words", f"about {facts['prompt_words']:,} in prompts"
    if facts["estimated_cost"] is not None:
        cost = _rough(facts["estimated_cost"])
        yield "cost", f"very roughly {cost}: 4 tokens for 3 words, and all written that may be"


def _escalation(run: PreparedRun, facts: Mapping[str, Any] | None) -> Iterator[tuple[str, str]]:
    if facts is None:
        return
    if facts["calls_at_most"] is None:
        yield "handed on", f"at most {facts['judgments_at_most']:,} judgments of {facts['judge']}"
        return
    words = f"about {facts['prompt_words_at_most']:,} words in prompts{_stop(run)}"
    yield "handed on", f"at most {facts['calls_at_most']:,} calls to {facts['judge']}, {words}"
    if facts["estimated_cost_at_most"] is not None:
        cost = _rough(facts["estimated_cost_at_most"])
        yield "", f"cost very roughly {cost} at most, if every pair were doubtful"


def _rough(cost: float) -> str:
    if cost >= 1 or cost == 0:
        return f"{cost:,.2f}"
    return f"{cost:.1g}" if cost >= 0.0001 else "under 0.0001"


def _stop(run: PreparedRun) -> str:
    n = run.options.engine.max_calls
    return "" if n is None else f"; --max-calls ends it at {n:,}"


def _facts(run: PreparedRun, *, quiet: bool) -> dict[str, Any]:
    left = left_by_cache(run)
    n_new = sum(item.n_new_tokens for item in left)
    foreseen = foresee(run, left)
    is_here = foreseen.n_calls is None  # a dry run sends nothing anywhere
    if left and is_here and not quiet:
        say("measuring the speed on one prompt, whose answer is thrown away")
    speed = measure_speed(run) if left and is_here else None
    return {
        "dry_run": True,
        f"{run.given.noun}s": len(run.plan.planned),
        "decided_without_judge": run.plan.n_decided,
        "judgments": len(run.plan.requests),
        "judgments_open": len(run.open),
        "judgments_cached": len(run.open) - len(left),
        "prompt_tokens": run.plan.n_tokens if is_here else None,
        "tokens_to_evaluate": n_new if is_here else None,
        "n_ctx": run.plan.n_ctx if is_here else None,
        "too_long": ids_too_long(run) if is_here else None,
        "tokens_per_s": speed,
        "estimated_s": n_new / speed if speed else None,
        "estimate_includes_reasons": False,
        "calls": foreseen.n_calls,
        "prompt_words": foreseen.n_words,
        "estimated_cost": foreseen.cost,
        "escalation": _escalation_facts(foresee_escalation(run)),
    }


def _escalation_facts(foreseen: Foreseen | None) -> dict[str, Any] | None:
    if foreseen is None:
        return None
    return {
        "judge": foreseen.judge,
        "judgments_at_most": foreseen.n_judgments,
        "calls_at_most": foreseen.n_calls,
        "prompt_words_at_most": foreseen.n_words,
        "estimated_cost_at_most": foreseen.cost,
    }


def _cached(facts: Mapping[str, Any]) -> str:
    n = facts["judgments_cached"]
    return f", {n} of these from the cache" if n else ""
