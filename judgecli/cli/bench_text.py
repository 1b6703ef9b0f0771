"""A benchmark as lines for people; the tables take 72 columns, all else wraps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from judgecli.cli.bench_json import NOTE
from judgecli.cli.console import printable
from judgecli.reports.terminal import fill
from judgecli.run.tuning import shown_flag
from judgecli.types.measurements import Arm, ArmTimes, Benchmark, Setup, Spread, Sweep, Trial, Tuning

_LABEL = 13
_MIN_WIDTH = 40
_RATIOS = {
    (Arm.SCORES, Arm.PREFILL): "above 1: what verdicts cost",
    (Arm.LOOP, Arm.SCORES): "above 1: judge is faster",
    (Arm.LOOP_TUNED, Arm.SCORES): "above 1: judge is faster",
    (Arm.LOOP_REASONS, Arm.REASONS): "above 1: judge is faster",
}


def benchmark_lines(benchmark: Benchmark, width: int) -> Iterator[str]:
    """Yield the comparison of arms: setup, seconds, what the arms are, ratios."""
    n_pairs, n_repeats = benchmark.arms[0].n_pairs, len(benchmark.arms[0].passes)
    yield from _setup_lines(benchmark.setup, n_pairs, n_repeats, width)
    yield ""
    yield f"{'':<{_LABEL}}pairs  seconds  range          pairs/min   tokens  tokens/s"
    yield from map(_arm_line, benchmark.arms)
    yield ""
    for one in benchmark.arms:
        yield from _row(one.arm, [_meaning(one.arm, benchmark)], width)
    yield ""
    yield f"{'ratio':<24}{'median':>6}  range"
    for ratio in benchmark.ratios:
        named = f"{ratio.over} / {ratio.under}"
        meaning = _RATIOS[ratio.over, ratio.under]
        yield f"{named:<24}{ratio.spread.median:>6.2f}  {_range(ratio.spread):<12}{meaning}"
    yield ""
    yield from fill([_sentence(NOTE)], max(width, _MIN_WIDTH))


def _arm_line(one: ArmTimes) -> str:
    seconds = f"{one.seconds.median:>8.2f}  {_range(one.seconds):<15}"
    tokens = f"{one.passes[0].n_evaluated_tokens:>9,}{one.tokens_per_s.median:>10,.0f}"
    return f"{one.arm:<{_LABEL}}{one.n_pairs:>5} {seconds}{one.pairs_per_minute.median:>9.1f}{tokens}"


def _meaning(arm: Arm, benchmark: Benchmark) -> str:
    n = benchmark.n_reason_tokens
    return {
        Arm.PREFILL: "the prompts alone, what they share once; nothing is read",
        Arm.SCORES: "judge, verdicts read off the distribution",
        Arm.LOOP: "llama-cpp-python's create_completion as it is, 4 tokens a prompt",
        Arm.LOOP_TUNED: "the same with judge's threads, batch, attention and cache",
        Arm.REASONS: f"judge, and {n} tokens of reasons a prompt",
        Arm.LOOP_REASONS: f"the tuned loop, {n} tokens a prompt",
    }[arm]


def tuning_lines(tuning: Tuning, width: int) -> Iterator[str]:
    """Yield what every value of every option took, and the flags to take."""
    n_repeats = len(tuning.sweeps[0].trials[0].passes)
    yield from _setup_lines(tuning.setup, tuning.n_pairs, n_repeats, width)
    for sweep in tuning.sweeps:
        yield ""
        yield from _sweep_lines(sweep)
    yield ""
    changing = [sweep.option for sweep in tuning.sweeps if sweep.changes_bits]
    keeping = [sweep.option for sweep in tuning.sweeps if not sweep.changes_bits]
    if tuning.flags:
        yield "best flags, to add to a command:"
        yield f"  judge pair ... {' '.join(tuning.flags)}"
    else:
        yield "best as it is: no flag is shown to be faster"
    bits = [
        f"{' and '.join(changing)} change a run's last bits, so a run file goes on with the same value only"
    ]
    if keeping:
        bits.append(f"{' and '.join(keeping)} changes none")
    yield from fill([_sentence("; ".join(bits))], max(width, _MIN_WIDTH))
    yield from fill([_sentence(NOTE)], max(width, _MIN_WIDTH))


def _sweep_lines(sweep: Sweep) -> Iterator[str]:
    yield f"{'':<20}{'seconds':>8}  range"
    for trial in sweep.trials:
        named = shown_flag(sweep.option, trial.value)
        line = (
            f"{named:<20}{trial.seconds.median:>8.2f}  {_range(trial.seconds):<15}{_compared(sweep, trial)}"
        )
        yield line.rstrip()


def _compared(sweep: Sweep, trial: Trial) -> str:
    if trial.value == sweep.present:
        return "as it is"
    if not sweep.is_different(trial):
        return "no difference"
    faster = trial.seconds.high < sweep.now.seconds.low
    if not faster:
        return "slower"
    return "faster, the best" if trial is sweep.best else "faster"


def _setup_lines(setup: Setup, n_pairs: int, n_repeats: int, width: int) -> Iterator[str]:
    model, backend = setup.model, setup.backend
    sha256 = str(model["sha256"])[:12]
    yield from _row("judge", [model["name"], model["file"], f"sha256 {sha256}"], width)
    yield from _row("prompt", [setup.prompt["family"], f"hash {setup.prompt['hash'][:12]}"], width)
    cores = setup.machine["cores"]
    yield from _row(
        "machine", [*setup.machine["devices"], f"{cores} cores", setup.machine["platform"]], width
    )
    engine = [f"llama-cpp-python {backend['llama_cpp_python']}", f"llama.cpp {backend['llama_cpp']}"]
    attention = "flash attention" if backend["flash_attn"] else "no flash attention"
    sizes = [
        f"{backend['n_threads']} threads",
        f"n_ubatch {backend['n_ubatch']}",
        f"n_ctx {backend['n_ctx']}",
    ]
    yield from _row("engine", [*engine, backend["device"], *sizes, attention], width)
    rounds = f"{counted(n_repeats, 'repeat')} after a warm-up"
    yield from _row("measured", [f"{counted(n_pairs, 'pair')} in both orders", rounds, "taking turns"], width)
    for note in setup.notes:
        yield from _row("note", [note], width)


def _row(label: str, phrases: Sequence[str], width: int) -> Iterator[str]:
    for line in fill(phrases, max(width, _MIN_WIDTH) - _LABEL):
        yield f"{label:<{_LABEL}}{printable(line)}"
        label = ""


def _range(spread: Spread) -> str:
    return f"{spread.low:.2f}-{spread.high:.2f}"


def counted(n: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
