"""Simulate what guarantees and intervals promise: `python -m tests.bench.simulate_trust`.

Three tables: how often what a calibration certifies is true of all pairs, and how often the interval of the
human-adjusted win rate, and that of the corrected share, hold the truth. With 2,000 repetitions, which take
some ten seconds, a share of 0.95 is off by 0.01 or less in nineteen of twenty tables.
"""

import argparse
from collections.abc import Callable, Iterator, Mapping
from math import sqrt
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from judgecli.analysis.trust.certify import certified, fixed_sequence
from judgecli.analysis.trust.correction import Rates, corrected_share
from judgecli.analysis.trust.ppi import powered_estimate, powered_mean

Array = NDArray[np.float64]

AGREE, CONFIDENCE = 0.8, 0.9
N_OTHERS = 900  # pairs of a run without a label
N_POPULATION = 200_000  # drawn once, in place of all pairs there could be
POINTS = (0.0, 0.5, 1.0)

# How often a verdict of some confidence is right.
JUDGES: Mapping[str, Callable[[Array], Array]] = {
    "as sure as it is right": lambda c: c,
    "over-confident by 0.08": lambda c: c - 0.08,
    "right in 0.79, however sure": lambda c: np.full(len(c), 0.79),
    "the less right the surer": lambda c: 1.1 - c / 2,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    draw = np.random.default_rng(given.seed)
    print(f"Monte Carlo error of a share near 0.95: {sqrt(0.95 * 0.05 / given.repetitions):.4f}\n")
    for table in (certifying, adjusting, correcting):
        for line in table(draw, given.repetitions):
            print(line, flush=True)
        print()


def certifying(draw: np.random.Generator, n_repetitions: int) -> Iterator[str]:
    """Agreement of 0.8 at a confidence of 0.9: at most 0.1 of all repetitions may certify what is not so."""
    yield f"agreement {AGREE} guaranteed at {CONFIDENCE}\n"
    yield "| judge | labels in the half that certifies | holds | certifies | verdicts kept |"
    yield "|---|---|---|---|---|"
    for name, accuracy in JUDGES.items():
        population = np.sort(confidences(draw, N_POPULATION))
        right = accuracy(population)
        agreement = right[::-1].cumsum()[::-1] / np.arange(N_POPULATION, 0, -1)
        for n in (50, 100, 250, 500):
            holds, kept = [], []
            for _ in range(n_repetitions):
                c = confidences(draw, n)
                wrong = draw.random(n) > accuracy(c)
                threshold = certified(fixed_sequence(c, wrong, agree=AGREE, confidence=CONFIDENCE))
                at = N_POPULATION if threshold is None else int(np.searchsorted(population, threshold))
                holds.append(at == N_POPULATION or agreement[at] >= AGREE)
                kept.append(1 - at / N_POPULATION)
            n_certified = sum(share > 0 for share in kept)
            shares = f"{fmean(holds):.3f} | {n_certified / n_repetitions:.3f} | {fmean(kept):.3f}"
            yield f"| {name} | {n} | {shares} |"


def confidences(draw: np.random.Generator, n: int) -> Array:
    """Draw confidences from 1/3 to 1: seven in ten of a judge who is rather sure."""
    is_sure = draw.random(n) < 0.7
    within = np.where(is_sure, draw.beta(3, 1.2, n), draw.beta(1.5, 2, n))
    return np.asarray(1 / 3 + 2 / 3 * within)


def adjusting(draw: np.random.Generator, n_repetitions: int) -> Iterator[str]:
    """People's win rate is 0.55; the judge says the same as they in some share, and favours B in the rest."""
    yield f"human-adjusted win rate, {N_OTHERS} verdicts more than labels\n"
    yield "| judge says what people say | labels | covers | half width | of labels alone | lambda |"
    yield "|---|---|---|---|---|---|"
    for same in (0.9, 0.75, 0.5, 0.0):
        for n in (20, 50, 100, 200):
            covers, widths, alone, tunings = [], [], [], []
            for _ in range(n_repetitions):
                people, judge = verdicts(draw, n, same)
                others = verdicts(draw, N_OTHERS, same)[1]
                mean = powered_mean(people, judge, others)
                bare = powered_estimate("by_people", powered_mean(people, judge, others[:0]))
                found = powered_estimate("win_rate", mean)
                assert mean is not None
                covers.append(
                    found.low is not None and found.high is not None and found.low <= 0.55 <= found.high
                )
                widths.append(_half(found.low, found.high))
                alone.append(_half(bare.low, bare.high))
                tunings.append(mean.tuning)
            means = " | ".join(f"{fmean(values):.3f}" for values in (covers, widths, alone, tunings))
            yield f"| {same:.0%} | {n} | {means} |"


def verdicts(draw: np.random.Generator, n: int, same: float) -> tuple[Array, Array]:
    """Draw what people and a judge say of n pairs, as points of B."""
    people = draw.choice(POINTS, p=[0.35, 0.2, 0.45], size=n)
    own = draw.choice(POINTS, p=[0.2, 0.2, 0.6], size=n)
    return people, np.where(draw.random(n) < same, people, own)


def _half(low: float | None, high: float | None) -> float:
    return (high - low) / 2 if low is not None and high is not None else 0.0


def correcting(draw: np.random.Generator, n_repetitions: int) -> Iterator[str]:
    """People are for B in 0.63 of the pairs; the judge is right on either side in some share."""
    yield "share corrected by sensitivity and specificity, 400 verdicts\n"
    yield "| sensitivity and specificity | labels a side | covers | refuses |\n|---|---|---|---|"
    for q in (0.9, 0.8, 0.7, 0.6):
        for n_side in (25, 50, 100):
            found = [corrected_share(_rates(draw, q, n_side)) for _ in range(n_repetitions)]
            known = [one for one in found if one.low is not None and one.high is not None]
            covers = fmean((one.low or 0) <= 0.63 <= (one.high or 0) for one in known)
            yield f"| {q} | {n_side} | {covers:.3f} | {1 - len(known) / n_repetitions:.3f} |"


def _rates(draw: np.random.Generator, q: float, n_side: int) -> Rates:
    n_yes = int(draw.binomial(400, 0.63))
    k = int(draw.binomial(n_yes, q) + draw.binomial(400 - n_yes, 1 - q))
    k1, k0 = (int(draw.binomial(n_side, q)) for _ in range(2))
    return Rates(k=k, n=400, k1=k1, n1=n_side, k0=k0, n0=n_side)


if __name__ == "__main__":
    main()
