"""What `judge pair` says before it judges: on stderr what is about to happen, with --dry-run what would."""

import json
from collections.abc import Iterator
from typing import Any

from judgecli.cli.console import say, warn, write
from judgecli.cli.options import Form
from judgecli.cli.run_progress import duration
from judgecli.run import Overflow, PreparedRun, measure_speed, stale
from judgecli.types import DoubtRule, EngineOptions

_MAX_IDS = 5


def announce(run: PreparedRun, *, dry: bool) -> None:
    """Say what was read, which judge is asked, on what device, and where the run file is, or would go on."""
    for line in (*_input_lines(run), *_judge_lines(run)):
        say(line)
    if run.existing is not None or not dry:
        for line in _file_lines(run):
            say(line)


def _input_lines(run: PreparedRun) -> Iterator[str]:
    yield from run.given.lines
    counted = f"{_counted(len(run.plan.planned), _noun(run))}{run.given.joined}"
    yield f"{counted}, {run.plan.n_decided} decided without the judge"
    yield from (f"note: {note}" for note in run.given.notes)


def _judge_lines(run: PreparedRun) -> Iterator[str]:
    header, plan = run.header, run.plan
    limit = f" of {plan.n_ctx_limit:,}" if plan.n_ctx_limit else ""
    is_endpoint = header["backend"].get("device") == "endpoint"  # whose context is not known
    context = "" if is_endpoint else f"context {plan.n_ctx:,}{limit} tokens"
    how = "one answer at a time" if plan.n_seats == 1 else run.given.how
    asked = (f"prompt {header['prompt']['family']}", how, context)
    yield f"judge {header['model']['name']}, {', '.join(filter(None, asked))}"
    too_long = _ids(run)
    if too_long:
        listed = ", ".join(too_long[:_MAX_IDS]) + (", ..." if len(too_long) > _MAX_IDS else "")
        hint = "however short the answers" if run.options.overflow is Overflow.TRUNCATE else "see --overflow"
        yield f"too long for the context: {_counted(len(too_long), _noun(run))} ({listed}); {hint}"
    yield from _device_lines(run)
    yield from _trust_lines(run)


def _trust_lines(run: PreparedRun) -> Iterator[str]:
    """Say which verdicts are doubted, who is asked about them, and where their pairs are sent."""
    rule = DoubtRule.recorded(run.header.get("doubt"))
    if rule is None:
        return
    if run.second is None:
        yield f"doubtful: {rule}"
        return
    place = run.header["escalation"]["backend"].get("base_url")
    yield f"doubtful pairs go to {run.second.name}{f' at {place}' if place else ''}: {rule}"


def _device_lines(run: PreparedRun) -> Iterator[str]:
    settings = run.header["backend"]
    if settings.get("base_url"):
        yield f"every pair is sent to {settings['base_url']}"
    if settings["name"] != "llama_cpp":
        return
    if settings.get("gpu_offload") is not False:
        yield f"device {settings['device']}"
        return
    yield f"device cpu, {settings['n_threads']} threads (this build of llama.cpp cannot use a GPU)"
    idle = list(_gpu_flags(run.options.engine))
    if idle:
        does = "does" if len(idle) == 1 else "do"
        warn(f"this build of llama.cpp cannot use a GPU here, so {', '.join(idle)} {does} nothing")


def _gpu_flags(engine: EngineOptions) -> Iterator[str]:
    """Name the options given that mean something on a GPU only."""
    usual = EngineOptions()
    if engine.n_gpu_layers:
        yield "--n-gpu-layers"
    for name in ("split_mode", "tensor_split", "main_gpu"):
        if getattr(engine, name) != getattr(usual, name):
            yield f"--{name.replace('_', '-')}"


def _file_lines(run: PreparedRun) -> Iterator[str]:
    if run.existing is None:
        yield f"run file {run.path}"
        return
    yield f"going on in {run.path}: {run.n_kept} of {_counted(len(run.plan.requests), 'judgment')} there"
    if run.existing.torn_at is not None:
        yield f"note: the last line of {run.path} was cut off and is dropped"
    if run.n_stale:
        yield f"note: {stale(run.n_stale)} ignored"


def describe(run: PreparedRun, form: Form, *, quiet: bool = False) -> None:
    """Write what a run would do to stdout: as JSON if that is asked for, else as lines.

    Raises:
        ModelError: the judge does not load.
    """
    facts = _facts(run, quiet=quiet)
    if form is Form.JSON:
        write(json.dumps(facts, indent=2, allow_nan=False) + "\n")
        return
    too_long, shared = facts["too_long"], "(shared beginnings count once)"
    by_rule = facts["decided_without_judge"]
    lines = [
        f"{_noun(run) + 's':<13}{facts[f'{_noun(run)}s']}, {by_rule} of them decided without the judge",
        f"judgments    {facts['judgments']}, {facts['judgments_open']} of them still to make",
        f"tokens       {facts['prompt_tokens']:,} in prompts, {facts['tokens_to_evaluate']:,} new {shared}",
        f"context      {facts['n_ctx']:,} tokens",
        f"too long     {len(too_long)}{': ' if too_long else ''}{', '.join(too_long[:_MAX_IDS])}",
    ]
    if facts["estimated_s"] is not None:
        speed = f"at {facts['tokens_per_s']:,.0f} tokens/s for one prompt"
        on_top = ", and what the judge writes on top" if run.plan.writes_text else ""
        lines.append(f"time         about {duration(facts['estimated_s'])}, {speed}{on_top}")
    write("\n".join(lines) + "\n")


def _facts(run: PreparedRun, *, quiet: bool) -> dict[str, Any]:
    n_new = sum(item.n_new_tokens for item in run.open)
    is_here = run.header["backend"].get("device") != "endpoint"  # a dry run sends nothing anywhere
    if run.open and is_here and not quiet:
        say("measuring the speed on one prompt, whose answer is thrown away")
    speed = measure_speed(run) if is_here else None
    return {
        "dry_run": True,
        f"{_noun(run)}s": len(run.plan.planned),
        "decided_without_judge": run.plan.n_decided,
        "judgments": len(run.plan.requests),
        "judgments_open": len(run.open),
        "prompt_tokens": run.plan.n_tokens,
        "tokens_to_evaluate": n_new,
        "n_ctx": run.plan.n_ctx,
        "too_long": _ids(run),
        "tokens_per_s": speed,
        "estimated_s": n_new / speed if speed else None,
        "estimate_includes_reasons": False,
    }


def _ids(run: PreparedRun) -> list[str]:
    """Return the ids of the pairs that are too long, each once, in the input's order."""
    return list(dict.fromkeys(failure.item_id for failure in run.too_long))


def _noun(run: PreparedRun) -> str:
    return run.given.noun


def _counted(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
