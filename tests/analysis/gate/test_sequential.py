"""Early stopping: evidence in the seeded order only, valid under peeking."""

import random
from dataclasses import replace

import numpy as np
import pytest

from judgecli.analysis.gate.evidence import Outcome, planned_pairs
from judgecli.analysis.gate.exact import p_above
from judgecli.analysis.gate.sequential import EarlyStop, Watch
from judgecli.errors import DataError
from judgecli.types import GateDecision, StopReason
from tests.analysis.gate.made_up import grouped, options
from tests.analysis.made_up import pair, verdict

STOPPING = options(early_stop=True)
LETTERS = {1.0: "BB", 0.5: "TT", 0.0: "AA"}


def says(value: float | None, *, consistent: bool = True) -> list[Outcome]:
    return [Outcome(value=value, consistent=None if value is None else consistent)]


def drawn(seed: int, n: int, theta: float, ties: float = 0.3) -> list[float]:
    p = [theta - ties / 2, ties, 1 - theta - ties / 2]
    return np.random.default_rng(seed).choice([1, 0.5, 0], p=p, size=n).tolist()


def taken(values, order=None, stop=None, **changes):
    stop = stop or EarlyStop(options=options(early_stop=True, **changes), sizes=[1] * len(values))
    for unit in order if order is not None else range(len(values)):
        stop.add(unit, says(values[unit]))
    return stop


def test_a_clearly_better_candidate_stops_early_with_an_e_value_over_its_limit() -> None:
    record = taken(drawn(0, 429, 0.65)).stopped
    assert record is not None
    assert (record.decision, record.reason, record.limit) == (GateDecision.PASS, StopReason.BETTING, 100)
    assert record.e_value >= 100
    assert 30 <= record.unit < 150
    assert record.n == record.unit
    assert record.n_planned == 429


def test_a_clearly_worse_one_fails_early() -> None:
    record = taken(drawn(0, 429, 0.25)).stopped
    assert record is not None
    assert (record.decision, record.reason) == (GateDecision.FAIL, StopReason.BETTING)


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_arrival_is_no_matter(seed) -> None:
    values = drawn(1, 200, 0.62)
    order = list(range(200))
    random.Random(seed).shuffle(order)
    assert taken(values, order).stopped == taken(values).stopped


def test_what_arrives_before_its_turn_waits() -> None:
    values = [1.0] * 100
    stop = EarlyStop(options=STOPPING, sizes=[1] * 100)
    for unit in range(1, 100):
        assert stop.add(unit, says(values[unit])) is None
    assert stop.n_taken == 0
    record = stop.add(0, says(1.0))
    assert record is not None
    assert record.unit == 30


def test_nothing_is_taken_in_after_the_stop() -> None:
    values = [1.0] * 60 + [0.0] * 140
    stop = taken(values)
    assert stop.stopped is not None
    assert len(stop.values) == stop.stopped.n == 30


def test_no_stop_before_the_gates_least_number_of_pairs() -> None:
    assert taken([1.0] * 100).stopped.unit == 30
    assert taken([1.0] * 100, min_items=50).stopped.unit == 50


def test_an_inconsistent_judge_does_not_stop_the_run() -> None:
    stop = EarlyStop(options=STOPPING, sizes=[1] * 500)
    for unit in range(100):
        stop.add(unit, says(1.0 if unit % 2 else 0.5, consistent=bool(unit % 2)))
    assert stop.stopped is None  # 50% consistent
    for unit in range(100, 200):
        stop.add(unit, says(1.0))
    assert stop.stopped is not None
    assert stop.stopped.unit == 125  # 75 of 125 are 60%


def test_failures_have_no_value_and_hold_up_a_stop() -> None:
    values: list[float | None] = [None, None, *[1.0] * 300]
    record = taken(values).stopped
    assert record is not None
    assert (record.unit, record.n) == (100, 98)  # 2 of 100 are 2%


def test_a_test_that_no_outcome_can_change_ends_the_run() -> None:
    values = [1.0, 0.0] * 100
    record = taken(values, margin=0.1).stopped
    assert record is not None
    assert (record.decision, record.reason) == (GateDecision.PASS, StopReason.CURTAILMENT)
    assert record.unit == 185
    worst = [(values[:unit].count(1.0), 200 - values[:unit].count(1.0)) for unit in range(30, 186)]
    p_values = [p_above(wins, losses, 200, 0.4) for wins, losses in worst]
    assert p_values[-1] == record.p_value <= 0.04
    assert all(p > 0.04 for p in p_values[:-1])


def test_so_does_one_that_none_can_make_decide() -> None:
    stopped = [taken(drawn(seed, 200, 0.45)).stopped for seed in range(20)]
    undecided = [one for one in stopped if one and one.decision is GateDecision.INCONCLUSIVE]
    assert undecided
    assert all(one.reason is StopReason.CURTAILMENT and one.p_value > 0.04 for one in undecided)
    assert all(one.unit < 200 for one in undecided)


@pytest.mark.parametrize("theta", [0.45, 0.5, 0.55])
def test_a_curtailed_run_says_what_the_whole_one_would(theta) -> None:
    for seed in range(15):
        values = drawn(seed, 120, theta)
        record = taken(values).stopped
        if record is None or record.reason is not StopReason.CURTAILMENT:
            continue
        wins, losses = values.count(1.0), values.count(0.0)
        whole = {
            GateDecision.PASS: p_above(wins, losses, 120, 0.45) <= 0.04,
            GateDecision.FAIL: p_above(losses, wins, 120, 0.55) <= 0.04,
            GateDecision.INCONCLUSIVE: p_above(wins, losses, 120, 0.45) > 0.04
            and p_above(losses, wins, 120, 0.55) > 0.04,
        }
        assert whole[record.decision]


def test_at_the_last_pair_there_is_nothing_to_stop() -> None:
    assert taken([0.5] * 29 + [1.0]).stopped is None


def watched(values, **changes) -> Watch:
    items = [pair(f"q{k}") for k in range(len(values))]
    return Watch(planned_pairs(items), options(early_stop=True, **changes))


def test_a_run_is_watched_by_its_verdicts_in_any_order() -> None:
    values = drawn(2, 150, 0.65)
    verdicts = [verdict(f"q{k}", LETTERS[value]) for k, value in enumerate(values)]
    first, second = watched(values), watched(values)
    assert first.add_all(verdicts) == second.add_all(reversed(verdicts))
    assert first.stop.stopped is not None
    by_order = [values[int(item_id[1:])] for item_id in first.item_ids]
    assert first.stop.values == by_order[: first.stop.stopped.unit]


def test_the_seed_decides_the_order_and_the_files_do_not() -> None:
    ids = [f"q{k}" for k in range(50)]
    orders = {
        (seed, backwards): tuple(
            Watch(
                planned_pairs(map(pair, reversed(ids) if backwards else ids)),
                options(early_stop=True, seed=seed),
            ).item_ids
        )
        for seed in (0, 1)
        for backwards in (False, True)
    }
    assert orders[0, False] == orders[0, True] != orders[1, False] == orders[1, True]
    assert orders[0, False] != tuple(ids)


def test_an_open_verdict_says_nothing_and_a_strangers_is_ignored() -> None:
    watch = watched([1.0] * 40)
    for item_id in watch.item_ids:
        watch.add(verdict(item_id, "."))
        watch.add(verdict("stranger", "AA"))
    assert watch.stop.n_taken == 0
    assert watch.add_all(verdict(item_id, "BB") for item_id in watch.item_ids) is not None


def test_missing_answers_are_known_from_the_beginning() -> None:
    watch = Watch(planned_pairs([], [f"a{k}" for k in range(40)], ["b0"]), STOPPING)
    assert watch.stop.values.count(0.0) == len(watch.stop.values) == 40


def test_whole_groups_are_the_unit_with_their_mean() -> None:
    watch = Watch(planned_pairs(grouped(60, 5)), options(early_stop=True, group="topic"))
    ids = list(watch.item_ids)
    for item_id in ids[:4]:
        watch.add(verdict(item_id, "BB"))
    assert watch.stop.n_taken == 0
    watch.add(verdict(ids[4], "AA"))
    assert watch.stop.values == [0.8]
    assert {int(item_id[1:]) - 1 for item_id in ids[:5]} in [set(range(k, k + 5)) for k in range(0, 60, 5)]


def test_a_group_waits_for_as_many_groups_as_the_gate_needs() -> None:
    watch = Watch(planned_pairs(grouped(200, 10)), options(early_stop=True, group="topic"))
    record = watch.add_all(verdict(item_id, "BB") for item_id in watch.item_ids)
    assert record is not None
    assert record.unit >= 8
    assert (record.n_planned, record.reason) == (20, StopReason.BETTING)


def test_an_item_without_the_field_is_named() -> None:
    items = [*grouped(3, 1), replace(pair("odd"), metadata={"lang": "de"})]
    with pytest.raises(DataError, match=r"--group topic: item 'odd' has no such field; there are .*lang"):
        Watch(planned_pairs(items), options(early_stop=True, group="topic"))


def test_groups_are_bet_on_by_their_size() -> None:
    """Nine in ten groups win, and they are one pair each; the others are thirty, and lose."""
    draw = np.random.default_rng(2)
    sizes = [1 if draw.random() < 0.9 else 30 for _ in range(120)]
    names = [f"{g}-{k}" for g, size in enumerate(sizes) for k in range(size)]
    items = [replace(pair(name), metadata={"topic": name.split("-")[0]}) for name in names]
    won = {item.id: sizes[int(item.metadata["topic"])] == 1 for item in items}
    for seed in range(8):
        watch = Watch(planned_pairs(items), options(early_stop=True, group="topic", seed=seed))
        stopped = watch.add_all(verdict(item.id, "BB" if won[item.id] else "AA") for item in items)
        assert stopped is None or stopped.decision is GateDecision.FAIL
