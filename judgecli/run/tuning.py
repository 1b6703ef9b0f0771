"""Which engine options judge fastest on this machine: one option after the other, its values alternating."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from judgecli.backends.llama_cpp.benchmark import EngineTrials
from judgecli.backends.llama_cpp.context import available_cores
from judgecli.run.benchmarking import Observe, PreparedBench, alternate
from judgecli.types import BOTH_ORDERS, EngineOptions
from judgecli.types.measurements import Sweep, Trial, Tuning

_UBATCHES = (128, 256, 512, 1024)
_CPUS = Path("/sys/devices/system/cpu")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Swept:
    """An engine option, the values to try, and whether they change a run's bits."""

    field: str
    option: str
    present: int | bool
    values: tuple[int | bool, ...]
    changes_bits: bool


def tune(bench: PreparedBench, observe: Observe = lambda _: None) -> Tuning:
    """Try threads, `n_ubatch` and flash attention; each sweep goes on with the best of those before it.

    Raises:
        ModelError: the judge does not load, does not fit into memory, or fails.
    """
    given = bench.options.pair
    engine, sweeps = given.engine, []
    with EngineTrials(bench.path, bench.work, engine, verbose=given.verbose) as trials:
        for swept in _all_swept(engine):
            sweep = _sweep(swept, trials, engine, bench.options.n_repeats, observe)
            sweeps.append(sweep)
            engine = _with(engine, swept, sweep.best.value)
    return Tuning(
        setup=bench.setup,
        n_pairs=len(bench.work.requests) // len(BOTH_ORDERS),
        sweeps=tuple(sweeps),
        flags=tuple(_flags(engine, given.engine)),
    )


def _sweep(
    swept: _Swept, trials: EngineTrials, engine: EngineOptions, n_repeats: int, observe: Observe
) -> Sweep:
    variants = [_with(engine, swept, value) for value in swept.values]
    names = [shown_flag(swept.option, value) for value in swept.values]
    with trials.of(variants) as measures:
        passes = alternate(list(zip(names, measures, strict=True)), n_repeats, observe)
    found = zip(swept.values, passes, strict=True)
    return Sweep(
        option=swept.option,
        changes_bits=swept.changes_bits,
        present=swept.present,
        trials=tuple(Trial(value=value, passes=each) for value, each in found),
    )


def _with(engine: EngineOptions, swept: _Swept, value: int | bool) -> EngineOptions:
    changed: dict[str, Any] = {swept.field: value}
    return replace(engine, **changed)


def _all_swept(engine: EngineOptions) -> Iterator[_Swept]:
    """Yield the options of which there is a choice."""
    threads = engine.n_threads or available_cores()
    counts = {threads, available_cores(), *_halvings(available_cores()), physical_cores() or threads}
    if len(counts) > 1:
        yield _Swept(
            field="n_threads",
            option="--threads",
            present=threads,
            values=tuple(sorted(counts)),
            changes_bits=False,
        )
    yield _Swept(
        field="n_ubatch",
        option="--n-ubatch",
        present=engine.n_ubatch,
        values=tuple(sorted({engine.n_ubatch, *_UBATCHES})),
        changes_bits=True,
    )
    if not engine.type_v.is_quantized:  # quantized values need flash attention
        yield _Swept(
            field="flash_attn",
            option="--no-flash-attn",
            present=engine.flash_attn,
            values=(True, False),
            changes_bits=True,
        )


def _halvings(n_cores: int) -> Iterator[int]:
    """Yield the powers of two up to the number of cores."""
    n = 1
    while n <= n_cores:
        yield n
        n *= 2


def physical_cores(folder: Path = _CPUS) -> int | None:
    """Return how many cores this process may use if threads of one core count once; None where unknown.

    `folder` is where Linux keeps a `cpu0/topology/thread_siblings_list` for each.
    """
    try:
        usable = os.sched_getaffinity(0)
        lists = {
            (folder / f"cpu{n}" / "topology" / "thread_siblings_list").read_text(encoding="utf-8").strip()
            for n in usable
        }
    except (AttributeError, OSError):  # not on macOS and Windows
        return None
    return len(lists)


def shown_flag(option: str, value: int | bool) -> str:
    """Return an option with its value as they are typed; flash attention that is on needs none."""
    if isinstance(value, bool):
        return "flash attention on" if value else option
    return f"{option} {value}"


def _flags(best: EngineOptions, given: EngineOptions) -> Iterator[str]:
    """Yield what to add to a command; an option that is at its default and was before needs no word."""
    cores = available_cores()
    threads = (best.n_threads or cores, given.n_threads or cores)
    if threads != (cores, cores):
        yield f"--threads {threads[0]}"
    ubatches = (best.n_ubatch, given.n_ubatch)
    if ubatches != (EngineOptions().n_ubatch,) * 2:
        yield f"--n-ubatch {best.n_ubatch}"
    if not best.flash_attn:
        yield "--no-flash-attn"
