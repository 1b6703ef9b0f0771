"""Looking before a run: one prompt as it is sent, and how fast this machine reads prompts."""

from __future__ import annotations

from dataclasses import dataclass, replace

from judgecli import prompts
from judgecli.errors import DataError, UsageError
from judgecli.run.execution import PreparedRun
from judgecli.run.judge_choice import chosen_judge
from judgecli.run.pair import PairOptions, read_pairs
from judgecli.types import BOTH_ORDERS, Item, Order


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPrompt:
    """A rendered prompt, and a line on its tokens, units, family and flags."""

    text: str
    facts: str


def show_prompt(options: PairOptions, *, item_id: str | None, order: str) -> ShownPrompt:
    """Return the prompt that a pair would be judged with.

    Raises:
        DataError: no pair has this id.
        UsageError: there is no such order.
    """
    if order.upper() not in BOTH_ORDERS:
        raise UsageError(f"--order must be ab or ba, not {order!r}")
    pair = _find(read_pairs(options).items, item_id)
    with chosen_judge(options) as judge:
        prompt = prompts.render(judge.family, pair, Order(order.upper()), judge.template)
        units = judge.tokenizer.encode(prompt)
        limit = f" of {judge.n_ctx_limit:,}" if judge.n_ctx_limit else ""
        counts = " + ".join(str(len(unit)) for unit in units)
        facts = f"{sum(map(len, units)):,} tokens{limit} ({counts}), family {judge.family.name}, {judge.name}"
        facts += f", pair {pair.id}, order {order.upper()}"
        return ShownPrompt(text=prompt.text, facts="; ".join([facts, *prompt.flags]))


def _find(pairs: tuple[Item, ...], item_id: str | None) -> Item:
    if item_id is None:
        return pairs[0]
    for pair in pairs:
        if pair.id == item_id:
            return pair
    raise DataError(f"no pair has the id {item_id!r}; there are {len(pairs)}, the first is {pairs[0].id!r}")


def measure_speed(run: PreparedRun) -> float | None:
    """Load the judge and read one prompt; return tokens a second, None if nothing is left or no time passed.

    The answer to it is thrown away, and no reasons are asked for.

    Raises:
        ModelError: the judge does not load.
    """
    if not run.open:
        return None
    item = run.open[0]
    with run.load() as backend:
        (completion,) = backend.judge([replace(item.request, n_reason_tokens=0)])
    return item.n_tokens / completion.elapsed_s if completion.elapsed_s > 0 else None
