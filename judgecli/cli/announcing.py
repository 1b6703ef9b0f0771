"""What a command says on stderr before it judges: what was read, who is asked, and where it is written."""

from collections.abc import Iterator

from judgecli.cli.console import say, warn
from judgecli.run import Overflow, PreparedRun, stale
from judgecli.types import DoubtRule, EngineOptions, GateKind, GateOptions

MAX_IDS = 5


def announce(run: PreparedRun, *, dry: bool) -> None:
    """Say what was read, which judge is asked, on what device, and where the run file is, or would go on."""
    for line in (*_input_lines(run), *_judge_lines(run)):
        say(line)
    if run.existing is not None or not dry:
        for line in _file_lines(run):
            say(line)


def _input_lines(run: PreparedRun) -> Iterator[str]:
    yield from run.given.lines
    n_control = run.given.n_control
    counted = f"{_counted(len(run.plan.planned) - n_control, _noun(run))}{run.given.joined}"
    yield f"{counted}, {run.plan.n_decided} decided without the judge"
    if run.gate is not None:
        yield _gate_line(run.gate, n_control)
    yield from (f"note: {note}" for note in run.given.notes)


def _gate_line(gate: GateOptions, n_control: int) -> str:
    """Say what is to be shown, and what is judged beside the pairs for it."""
    is_better = gate.kind is GateKind.BETTER
    what = "better" if is_better else f"no worse by {100 * gate.margin:g} points"
    beside = f", and {_counted(n_control, 'answer')} against degraded copies of themselves"
    early = ", stopping once that is decided" if gate.early_stop else ""
    return f"gate: the candidate is {what}{early}{beside if n_control else ''}"


def _judge_lines(run: PreparedRun) -> Iterator[str]:
    header, plan = run.header, run.plan
    limit = f" of {plan.n_ctx_limit:,}" if plan.n_ctx_limit else ""
    is_endpoint = header["backend"].get("device") == "endpoint"  # whose context is not known
    context = "" if is_endpoint else f"context {plan.n_ctx:,}{limit} tokens"
    how = "one answer at a time" if plan.n_seats == 1 else run.given.how
    asked = (f"prompt {header['prompt']['family']}", how, context)
    yield f"judge {header['model']['name']}, {', '.join(filter(None, asked))}"
    too_long = ids_too_long(run)
    if too_long:
        listed = ", ".join(too_long[:MAX_IDS]) + (", ..." if len(too_long) > MAX_IDS else "")
        hint = "however short the answers" if run.options.overflow is Overflow.TRUNCATE else "see --overflow"
        yield f"too long for the context: {_counted(len(too_long), _noun(run))} ({listed}); {hint}"
    yield from _device_lines(run)
    _warn_of_idle_options(run)
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


def _warn_of_idle_options(run: PreparedRun) -> None:
    """Warn of options for endpoints where none is asked."""
    settings = (run.header["backend"], run.header.get("escalation", {}).get("backend", {}))
    if any(one.get("device") == "endpoint" for one in settings):
        return
    engine, usual = run.options.engine, EngineOptions()
    named = (("--price", "price"), ("--max-calls", "max_calls"), ("--timeout", "timeout_s"))
    idle = [option for option, name in named if getattr(engine, name) != getattr(usual, name)]
    if idle:
        does = "does" if len(idle) == 1 else "do"
        warn(f"no judge here is behind an endpoint, so {', '.join(idle)} {does} nothing")


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


def ids_too_long(run: PreparedRun) -> list[str]:
    """Return the ids of the pairs that are too long, each once, in the input's order."""
    return list(dict.fromkeys(failure.item_id for failure in run.too_long))


def _noun(run: PreparedRun) -> str:
    return run.given.noun


def _counted(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
