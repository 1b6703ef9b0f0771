"""A gate over a run of pairs: the control items it adds, and judging no further than the evidence needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from judgecli.analysis.gate.controls import control_plan, is_control
from judgecli.analysis.gate.evidence import planned_of
from judgecli.analysis.gate.sequential import Watch
from judgecli.ledger import LedgerWriter, current_judgments
from judgecli.run.execution import PreparedRun
from judgecli.run.given import Given
from judgecli.run.judging import Progress, Stage, Tally, judge_stage
from judgecli.run.merged import merged_verdicts
from judgecli.run.planning import PlannedRequest, count_new_tokens
from judgecli.types import Backend, GateOptions, RunRecord

# Pairs judged between two looks at the evidence: few go to waste after a stop, and they still share prompts.
_ROUND = 16


def with_control(given: Given, gate: GateOptions) -> Given:
    """Return the input with the control items of a gate after its own."""
    plan = control_plan(given.items, gate.control, gate.seed)
    return replace(given, items=(*given.items, *(one.item for one in plan)), n_control=len(plan))


class UntilDecided:
    """Asks round by round, and no more once the gate has decided; what is not asked stays open.

    The control comes first: without it there is no decision. Then the pairs come in the seeded order of the
    evidence, some at a time.
    """

    def __init__(self, run: PreparedRun, gate: GateOptions) -> None:
        """Take in what rules decide and what the run file holds.

        Raises:
            DataError: a pair lacks the field that groups pairs.
        """
        self._run = run
        existing = run.existing.judgments if run.existing else {}
        self._known = current_judgments(run.plan.planned, existing)
        for one in run.open:  # failures that are asked again are no evidence yet
            self._known.pop((one.request.item_id, one.request.order), None)
        for failure in run.plan.too_long:
            self._known.setdefault((failure.item_id, failure.order), failure)
        self._planned = {one.item.id: one for one in run.plan.planned}
        planned = [one for one in run.plan.planned if not is_control(one.item)]
        record = RunRecord(
            header=run.header,
            items=tuple(one.item for one in planned),
            judgments=self._known,
            verdicts=(),
        )
        self._watch = Watch(planned_of(record), gate)
        self._watch.add_all(merged_verdicts(planned, self._known, None))
        self._ids = set(self._watch.item_ids)

    @property
    def is_over(self) -> bool:
        """Whether the evidence decides, and the control is complete."""
        is_controlled = not any(one.request.item_id not in self._ids for one in self._run.open)
        return self._watch.stop.stopped is not None and is_controlled

    def ask(self, judge: Backend, writer: LedgerWriter, observe: Callable[[Progress], None]) -> None:
        """Ask a judge until the gate has decided.

        Raises:
            ModelError: it stops before its last answer.
            OutputError: the run file cannot be written.
        """
        run, tally = self._run, Tally.of(self._run.open)

        def noted(progress: Progress) -> None:
            self._known[progress.judgment.item_id, progress.judgment.order] = progress.judgment
            observe(progress)

        for requests in self._rounds():
            stage = Stage(plan=run.plan, open=requests, min_mass=run.options.min_mass)
            judge_stage(stage, judge, writer, noted, tally)
            asked = dict.fromkeys(one.request.item_id for one in requests)
            planned = [self._planned[item_id] for item_id in asked]
            if self._watch.add_all(merged_verdicts(planned, self._known, None)) is not None:
                return

    def _rounds(self) -> Iterator[tuple[PlannedRequest, ...]]:
        """Yield what is open in turn: the control, then the pairs of some steps of the evidence at a time."""
        run = self._run
        by_item: dict[str, list[int]] = {}
        for index, one in enumerate(run.open):
            by_item.setdefault(one.request.item_id, []).append(index)
        order = [item_id for item_id in self._watch.item_ids if item_id in by_item]
        control = [item_id for item_id in by_item if item_id not in self._ids]
        at_once = max(_ROUND, 2 * (run.options.engine.parallel or 0))
        parts = [control, *(order[k : k + at_once] for k in range(0, len(order), at_once))]
        for part in filter(None, parts):
            # as in the plan, where those that begin alike are next to each other
            indexes = sorted(index for item_id in part for index in by_item[item_id])
            yield tuple(count_new_tokens(run.open[index] for index in indexes))
            if self._watch.stop.stopped is not None:
                return
