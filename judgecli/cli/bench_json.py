"""A benchmark as the one object of `judge bench --format json`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import judgecli
from judgecli.types.measurements import Benchmark, Pass, Setup, Spread, Sweep, Tuning

NOTE = "seconds are this machine's at this moment; only ratios within one run can be compared"


def benchmark_object(benchmark: Benchmark) -> dict[str, Any]:
    """Return the object of a comparison of arms; its keys are always the same."""
    return {
        **_setup(benchmark.setup),
        "n_reason_tokens": benchmark.n_reason_tokens,
        "held_together": benchmark.held_together,
        "arms": [
            {
                "arm": one.arm.value,
                "n_pairs": one.n_pairs,
                **_passes(one.passes),
                "seconds": _spread(one.seconds),
                "pairs_per_minute": _spread(one.pairs_per_minute),
                "tokens_per_s": _spread(one.tokens_per_s),
            }
            for one in benchmark.arms
        ],
        "ratios": [
            {
                "over": ratio.over.value,
                "under": ratio.under.value,
                "values": list(ratio.values),
                **_spread(ratio.spread),
            }
            for ratio in benchmark.ratios
        ],
    }


def tuning_object(tuning: Tuning) -> dict[str, Any]:
    """Return the object of `--tune`; its keys are always the same."""
    return {
        **_setup(tuning.setup),
        "n_pairs": tuning.n_pairs,
        "sweeps": [_sweep(sweep) for sweep in tuning.sweeps],
        "flags": list(tuning.flags),
    }


def _setup(setup: Setup) -> dict[str, Any]:
    return {
        "judgecli": judgecli.__version__,
        "machine": dict(setup.machine),
        "model": dict(setup.model),
        "prompt": dict(setup.prompt),
        "backend": dict(setup.backend),
        "notes": [*setup.notes, NOTE],
    }


def _passes(passes: Sequence[Pass]) -> dict[str, Any]:
    return {
        "elapsed_s": [one.elapsed_s for one in passes],
        "n_evaluated_tokens": [one.n_evaluated_tokens for one in passes],
        "n_written_tokens": [one.n_written_tokens for one in passes],
    }


def _spread(spread: Spread) -> dict[str, float]:
    return {"median": spread.median, "low": spread.low, "high": spread.high}


def _sweep(sweep: Sweep) -> dict[str, Any]:
    return {
        "option": sweep.option,
        "changes_bits": sweep.changes_bits,
        "present": sweep.present,
        "best": sweep.best.value,
        "trials": [
            {
                "value": trial.value,
                "is_different": sweep.is_different(trial),
                **_passes(trial.passes),
                "seconds": _spread(trial.seconds),
            }
            for trial in sweep.trials
        ],
    }
