"""Side by side in one run: every arm once a round, forwards and backwards by turns."""

import statistics
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Arm:
    """Something to measure; `before` is done before each time, unmeasured."""

    run: Callable[[], object]
    before: Callable[[], object] = lambda: None


@dataclass(frozen=True)
class Times:
    """Seconds by arm, one for each round."""

    seconds: Mapping[str, list[float]]

    def ratio(self, over: str, under: str) -> list[float]:
        """One arm's seconds over another's, round by round."""
        return [a / b for a, b in zip(self.seconds[over], self.seconds[under], strict=True)]

    def faster(self, *arms: str) -> str:
        """The arm with the lowest median."""
        return min(arms, key=lambda arm: statistics.median(self.seconds[arm]))


def measure(arms: Mapping[str, Arm], n_rounds: int) -> Times:
    seconds: dict[str, list[float]] = {name: [] for name in arms}
    for number in range(1, n_rounds + 1):
        for name in list(arms)[:: 1 if number % 2 else -1]:
            arms[name].before()
            started_s = time.perf_counter()
            arms[name].run()
            elapsed_s = time.perf_counter() - started_s
            seconds[name].append(elapsed_s)
            print(f"  round {number} {name}: {elapsed_s:.2f} s", file=sys.stderr, flush=True)
    return Times(seconds)


def spread(values: list[float]) -> str:
    return f"{statistics.median(values):.2f} ({min(values):.2f}-{max(values):.2f})"
