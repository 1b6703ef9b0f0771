"""What a plan holds beside its pairs is little, and no more for long answers than for short ones."""

import gc
import tracemalloc

import pytest

from judgecli.backends.scripted import ScriptedBackend
from judgecli.run.given import Comparison, Given
from judgecli.run.judge_choice import chosen_judge
from judgecli.run.planning import make_plan
from judgecli.types import BOTH_ORDERS, Item, Order
from tests.made_up import make_pair
from tests.run.made_up import by_seat, pair_options, words

N_PAIRS = 1_000
BOTH = Comparison(letters=Order.AB, orders=BOTH_ORDERS)


def made_up_pairs(n_words: int) -> list[Item]:
    text = words(n_words)
    return [
        make_pair(f"a{n} {text}", f"b{n} {text}", id=f"q{n}", instruction=f"{n}?") for n in range(N_PAIRS)
    ]


def given(pairs: list[Item]) -> Given:
    return Given(
        mode="pair", items=tuple(pairs), comparisons=lambda _: (BOTH,), recorded={}, asked={"orders": "both"}
    )


def planned_bytes(n_words: int) -> tuple[float, float]:
    """Return the bytes a request that planning leaves behind, and that it takes at its height."""
    pairs = made_up_pairs(n_words)
    options = pair_options(ScriptedBackend(by_seat))
    with chosen_judge(options) as judge:
        make_plan(given(pairs[:1]), judge, options)
        gc.collect()
        tracemalloc.start()
        try:
            plan = make_plan(given(pairs), judge, options)
            gc.collect()
            held, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert len(plan.requests) == 2 * N_PAIRS
    return held / len(plan.requests), peak / len(plan.requests)


def test_a_plan_holds_neither_prompts_nor_tokens() -> None:
    short, long = planned_bytes(10), planned_bytes(100)
    assert max(*short, *long) < 2_000
    assert long == pytest.approx(short, rel=0.15)  # numbers over 256 are objects of their own
