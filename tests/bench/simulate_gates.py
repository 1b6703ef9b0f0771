"""Simulate what gates promise: `python -m tests.bench.simulate_gates`.

Four tables: how often a candidate at the margin passes all the same, with and without early stopping; the
power of the gate beside the one that its number of pairs was planned for; what early stopping saves; and how
often a judge passes a candidate that does not look at the answers. With 2,000 repetitions, which take some
minutes, a share of 0.05 is off by 0.01 or less in nineteen of twenty tables.
"""

import argparse
from collections.abc import Iterator
from math import sqrt
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from judgecli.analysis.gate.control import control_counts, control_result
from judgecli.analysis.gate.evidence import Outcome
from judgecli.analysis.gate.exact import rejection
from judgecli.analysis.gate.power import power_of
from judgecli.analysis.gate.sequential import EarlyStop
from judgecli.types import ControlKind, GateDecision, GateKind, GateOptions

Array = NDArray[np.float64]

POINTS = np.array([1.0, 0.5, 0.0])
N_CONTROL = 30
N_CHANCE = 100  # repetitions of a chance judge for each of the others, since it passes so rarely


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    draw = np.random.default_rng(given.seed)
    error = sqrt(0.05 * 0.95 / given.repetitions)
    print(f"Monte Carlo error of a share near 0.05: {error:.4f}, so up to {0.05 + 2 * error:.4f} is 5%\n")
    for table in (at_the_margin, in_groups, powers, stopping, chance):
        for line in table(draw, given.repetitions):
            print(line, flush=True)
        print()


def outcomes(draw: np.random.Generator, n: int, theta: float, ties: float) -> Array:
    return draw.choice(POINTS, p=[theta - ties / 2, ties, 1 - theta - ties / 2], size=n)


def decide(values: Array, threshold: float, alpha: float = 0.05) -> GateDecision:
    """Decide from all pairs."""
    wins, losses, n = int((values == 1).sum()), int((values == 0).sum()), len(values)
    if rejection(n, threshold, alpha).holds(wins, losses):
        return GateDecision.PASS
    failed = rejection(n, 1 - threshold, alpha).holds(losses, wins)
    return GateDecision.FAIL if failed else GateDecision.INCONCLUSIVE


def decide_early(values: Array, options: GateOptions) -> tuple[GateDecision, int]:
    """Decide as a run that may stop early does, and return after how many pairs."""
    stop = EarlyStop(options=options, sizes=[1] * len(values))
    for unit, value in enumerate(values.tolist()):
        record = stop.add(unit, [Outcome(value=value, consistent=True)])
        if record is not None:
            return record.decision, record.unit
    return decide(values, options.threshold, options.final_alpha), len(values)


def at_the_margin(draw: np.random.Generator, n_repetitions: int) -> Iterator[str]:
    """The candidate is worse by exactly the margin: 5% may pass."""
    yield "a candidate at the margin: share that passes\n"
    yield "| margin | pairs | ties | all pairs | early stop | groups of 5 |"
    yield "|---|---|---|---|---|---|"
    for margin, n, ties in (
        (0.05, 100, 0.3),
        (0.05, 429, 0.0),
        (0.05, 429, 0.3),
        (0.05, 429, 0.6),
        (0.1, 105, 0.3),
    ):
        options = GateOptions(margin=margin, early_stop=True)
        fixed, early = 0, 0
        for _ in range(n_repetitions):
            values = outcomes(draw, n, options.threshold, ties)
            fixed += decide(values, options.threshold) is GateDecision.PASS
            early += decide_early(values, options)[0] is GateDecision.PASS
        grouped = by_group(draw, n_repetitions, margin, n // 5, ties)
        shares = f"{fixed / n_repetitions:.4f} | {early / n_repetitions:.4f} | {grouped:.4f}"
        yield f"| {margin} | {n} | {ties} | {shares} |"


def by_group(
    draw: np.random.Generator, n_repetitions: int, margin: float, n_groups: int, ties: float
) -> float:
    """Return how often it passes where groups of five share half of what decides about them."""
    from judgecli.analysis.gate.testing import outcome_test

    keys = [str(k // 5) for k in range(5 * n_groups)]
    passed = 0
    for _ in range(n_repetitions):
        shared = np.repeat(outcomes(draw, n_groups, 0.5 - margin, ties), 5)
        own = outcomes(draw, 5 * n_groups, 0.5 - margin, ties)
        values = np.where(draw.random(5 * n_groups) < 0.5, shared, own)
        test = outcome_test(values.tolist(), keys, "topic", 0.5 - margin)
        passed += test.decide(0.05) is GateDecision.PASS
    return passed / n_repetitions


def in_groups(draw: np.random.Generator, n_repetitions: int) -> Iterator[str]:
    """The candidate is worse by exactly the margin of 0.05, and groups differ in rate or size."""
    from judgecli.analysis.gate.testing import outcome_test

    yield "groups that are not alike, at the margin: share that passes, and that fails\n"
    yield "| groups | passes | fails |"
    yield "|---|---|---|"
    for name, sizes, rates in (
        ("30 of 10, rates spread", [10] * 30, "spread"),
        ("one of 200, 29 of 10, rates spread", [200, *[10] * 29], "spread"),
        ("one of 1,000, 49 of 20, rates spread", [1000, *[20] * 49], "spread"),
        ("30 of 300 to 10, rates spread", [300 // k for k in range(1, 31)], "spread"),
        ("50 of 20, a fifth lose everything", [20] * 50, "broken"),
        ("100 of 5, a fifth lose everything", [5] * 100, "broken"),
    ):
        keys = [str(g) for g, size in enumerate(sizes) for _ in range(size)]
        found = []
        for _ in range(n_repetitions):
            if rates == "spread":
                of_group = draw.beta(0.9, 1.1, len(sizes))
            else:
                of_group = np.where(draw.random(len(sizes)) < 0.2, 0.0, 0.45 / 0.8)
            wins = draw.random(len(keys)) < np.repeat(of_group, sizes)
            found.append(outcome_test(wins.astype(float).tolist(), keys, "topic", 0.45).decide(0.05))
        shares = (fmean(one is end for one in found) for end in (GateDecision.PASS, GateDecision.FAIL))
        yield f"| {name} | {' | '.join(f'{share:.4f}' for share in shares)} |"


def powers(draw: np.random.Generator, n_repetitions: int) -> Iterator[str]:
    """As many pairs as are planned for 80%: how often does the gate pass?"""
    yield "power with the planned number of pairs, planned 0.80\n"
    yield "| margin | true win rate | ties | pairs | passes |"
    yield "|---|---|---|---|---|"
    for margin, truth in ((0.03, 0.5), (0.05, 0.5), (0.1, 0.5), (0.05, 0.55)):
        for ties in (0.0, 0.3, 0.6):
            n = power_of(GateKind.NO_WORSE, margin, tie_rate=ties, truth=truth).n_needed or 0
            runs = (decide(outcomes(draw, n, truth, ties), 0.5 - margin) for _ in range(n_repetitions))
            share = fmean(one is GateDecision.PASS for one in runs)
            yield f"| {margin} | {truth} | {ties} | {n} | {share:.3f} |"


def stopping(draw: np.random.Generator, n_repetitions: int) -> Iterator[str]:
    """429 pairs, three in ten of them ties, at a margin of 0.05."""
    yield "early stopping, 429 pairs planned\n"
    yield "| true win rate | all pairs: passes | early stop: passes | fails | pairs | of those planned |"
    yield "|---|---|---|---|---|---|"
    options, n = GateOptions(early_stop=True), 429
    for theta in (0.30, 0.40, 0.45, 0.50, 0.52, 0.55, 0.60, 0.65):
        fixed, early = [], []
        for _ in range(n_repetitions):
            values = outcomes(draw, n, theta, 0.3)
            fixed.append(decide(values, 0.45) is GateDecision.PASS)
            early.append(decide_early(values, options))
        passed = fmean(one is GateDecision.PASS for one, _ in early)
        failed = fmean(one is GateDecision.FAIL for one, _ in early)
        taken = fmean(unit for _, unit in early)
        shares = f"{fmean(fixed):.3f} | {passed:.3f} | {failed:.3f}"
        yield f"| {theta} | {shares} | {taken:.0f} | {taken / n:.0%} |"


def chance(draw: np.random.Generator, n_repetitions: int) -> Iterator[str]:
    """Judges that do not look: 200 pairs at a margin of 0.10, which equal models mostly pass."""
    n_repetitions *= N_CHANCE
    yield f"judges that do not look, {n_repetitions:,} runs: share that passes\n"
    yield "| judge | without a control | control passes | gate passes |"
    yield "|---|---|---|---|"
    judges = {
        "a coin for each pair, the same in both orders": (0.5, 0.0),
        "the same, three in ten ties": (0.35, 0.3),
        "a coin for each order": (0.25, 0.5),
        "always a tie": (0.0, 1.0),
    }
    for name, (p_win, p_tie) in judges.items():
        p = [p_win, p_tie, 1 - p_win - p_tie]
        pairs = draw.multinomial(200, p, size=n_repetitions)
        kinds = draw.multinomial(N_CONTROL // 2, p, size=(n_repetitions, 2))
        # with a coin for each order half the ties are the orders' doing
        is_fit = draw.binomial(200, 0.5, n_repetitions) >= 120 if "order" in name and p_tie == 0.5 else True
        yield chance_row(name, pairs, kinds, is_fit)
    taste = draw.multinomial(N_CONTROL // 2, [0.5, 0, 0.5], size=n_repetitions)
    cut = np.broadcast_to([N_CONTROL // 2, 0, 0], taste.shape)
    pairs = draw.multinomial(200, [0.5, 0, 0.5], size=n_repetitions)
    yield chance_row("the longer one", pairs, np.stack([cut, taste], axis=1), True)


def chance_row(name: str, pairs: NDArray[np.int64], kinds: NDArray[np.int64], is_fit: object) -> str:
    """Return a judge's row, from wins, ties and losses: shape (runs, 3), and of its control (runs, 2, 3)."""
    known: dict[tuple[int, ...], bool] = {}
    for counts in {tuple(map(int, row)) for row in kinds.reshape(len(kinds), 6)}:
        made = zip((counts[:3], counts[3:]), ControlKind, strict=True)
        known[counts] = control_result([control_counts(*one, kind) for one, kind in made], level=0.65).passed
    control = np.array([known[tuple(map(int, row))] for row in kinds.reshape(len(kinds), 6)])
    shown = np.array([rejection(200, 0.4, 0.05).holds(int(w), int(k)) for w, _, k in pairs])
    passes = shown & control & np.asarray(is_fit)
    return f"| {name} | {shown.mean():.3f} | {control.mean():.5f} | {passes.mean():.5f} |"


if __name__ == "__main__":
    main()
