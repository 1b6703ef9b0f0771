"""Asking one judge: its completions are read into judgments, and each is written before the next one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from judgecli.errors import ModelError
from judgecli.ledger import LedgerWriter
from judgecli.run.fitting import shown_item
from judgecli.run.planning import Plan, PlannedRequest
from judgecli.types import Backend, Judgment, Order
from judgecli.verdicts import read_completion


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a run is: judgments and the prompt tokens they need evaluated, of what this call has to do."""

    n_done: int
    n_total: int
    n_tokens_done: int
    n_tokens_total: int
    judgment: Judgment


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What one judge is asked: the open requests of a plan. `key` is "" for the first judge."""

    plan: Plan
    open: tuple[PlannedRequest, ...]
    min_mass: float
    key: str = ""


@dataclass(slots=True, kw_only=True)
class Tally:
    """How much of what is to be done is done, in judgments and in prompt tokens."""

    n_total: int
    n_tokens_total: int
    n_done: int = 0
    n_tokens_done: int = 0

    @classmethod
    def of(cls, requests: Sequence[PlannedRequest]) -> Tally:
        """Return a tally of these requests, none of them done."""
        return cls(n_total=len(requests), n_tokens_total=sum(one.n_new_tokens for one in requests))

    def progress(self, judgment: Judgment, n_new_tokens: int) -> Progress:
        """Count a judgment and return how far the run is."""
        self.n_done += 1
        if judgment.cached:  # before anything is asked, and at no cost: no measure of what is left
            self.n_tokens_total -= n_new_tokens
        else:
            self.n_tokens_done += n_new_tokens
        return Progress(
            n_done=self.n_done,
            n_total=self.n_total,
            n_tokens_done=self.n_tokens_done,
            n_tokens_total=self.n_tokens_total,
            judgment=judgment,
        )


def judge_stage(
    stage: Stage,
    judge: Backend,
    writer: LedgerWriter,
    observe: Callable[[Progress], None],
    tally: Tally | None = None,
) -> None:
    """Ask a judge the open requests of its stage and write each judgment as it comes.

    `tally` counts on where these are a part of what is to be done.

    Raises:
        ModelError: it stops before its last answer.
        OutputError: the run file cannot be written.
    """
    planned = {one.item.id: one for one in stage.plan.planned}
    n_new_tokens = _new_tokens(stage.open)
    tally = tally or Tally.of(stage.open)
    n_before = tally.n_done
    for completion in judge.judge([item.request for item in stage.open]):
        request = completion.request
        item = shown_item(planned[request.item_id])
        rule = stage.plan.task.rule
        read = read_completion(completion, item, rule=rule, min_mass=stage.min_mass)
        judgment = replace(read, judge=stage.key)
        writer.write_judgment(judgment)
        observe(tally.progress(judgment, n_new_tokens[request.order][request.item_id]))
    n_answered = tally.n_done - n_before
    if n_answered < len(stage.open):
        message = f"the judge answered {n_answered} of {len(stage.open)} prompts and stopped"
        raise ModelError(f"{message}; the same command goes on from there")


def _new_tokens(requests: Iterable[PlannedRequest]) -> dict[Order, dict[str, int]]:
    """Return the new tokens of each request, by order and item id."""
    counted: dict[Order, dict[str, int]] = {}
    for one in requests:
        counted.setdefault(one.request.order, {})[one.request.item_id] = one.n_new_tokens
    return counted
