"""What seconds come to: medians with their ranges, ratios of the same repeat, and differences that show."""

import pytest

from judgecli.types.measurements import Arm, ArmTimes, Benchmark, Pass, Setup, Spread, Sweep, Trial

SETUP = Setup(machine={}, model={}, prompt={}, backend={})


def passes(*seconds: float, n_tokens: int = 600) -> tuple[Pass, ...]:
    return tuple(Pass(elapsed_s=one, n_evaluated_tokens=n_tokens) for one in seconds)


def sweep(**seconds: tuple[float, ...]) -> Sweep:
    trials = tuple(
        Trial(value=int(name.removeprefix("n")), passes=passes(*each)) for name, each in seconds.items()
    )
    return Sweep(option="--n-ubatch", changes_bits=True, present=512, trials=trials)


def test_figures_of_an_arm_are_medians_of_its_passes() -> None:
    times = ArmTimes(arm=Arm.SCORES, n_pairs=4, passes=passes(2.0, 8.0, 4.0))
    assert times.seconds == Spread(median=4.0, low=2.0, high=8.0)
    assert times.pairs_per_minute == Spread(median=60.0, low=30.0, high=120.0)
    assert times.tokens_per_s == Spread(median=150.0, low=75.0, high=300.0)


def test_ratios_are_taken_within_each_repeat() -> None:
    arms = (
        ArmTimes(arm=Arm.PREFILL, n_pairs=1, passes=passes(1.0, 10.0)),
        ArmTimes(arm=Arm.SCORES, n_pairs=1, passes=passes(2.0, 11.0)),
        ArmTimes(arm=Arm.LOOP, n_pairs=1, passes=passes(3.0, 11.0)),
    )
    benchmark = Benchmark(setup=SETUP, arms=arms, n_reason_tokens=0, held_together=True)
    assert [(ratio.over, ratio.under, ratio.values) for ratio in benchmark.ratios] == [
        (Arm.SCORES, Arm.PREFILL, (2.0, 1.1)),
        (Arm.LOOP, Arm.SCORES, (1.5, 1.0)),
    ]
    assert benchmark.ratios[0].spread == Spread(median=1.55, low=1.1, high=2.0)


@pytest.mark.parametrize(
    ("seconds", "best", "different"),
    [
        ({"n128": (5.0, 5.2), "n512": (6.0, 6.2)}, 128, True),
        ({"n128": (5.0, 6.0), "n512": (6.0, 6.2)}, 512, False),  # within the spread
        ({"n128": (7.0, 7.1), "n512": (6.0, 6.2)}, 512, True),  # slower
        ({"n128": (5.0, 5.2), "n256": (4.0, 4.4), "n512": (6.0, 6.2)}, 256, True),
    ],
)
def test_only_what_is_clearly_faster_is_better_than_the_present_value(
    seconds: dict[str, tuple[float, ...]], best: int, different: bool
) -> None:
    tried = sweep(**seconds)
    assert tried.best.value == best
    assert tried.is_different(tried.trials[0]) is different
    assert not tried.is_different(tried.now)
