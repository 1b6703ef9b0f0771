"""From a completion to a judgment, and from two judgments to a verdict.

The hard reading (the winner) is the greedy path within the verdict grammar where the backend gives a
distribution, guarded by the grammar's mass; elsewhere it is what the family's text reader finds. The soft
reading (probabilities) never changes a winner. A failure is a value with a reason, never a number or a tie.
"""

from judgecli.verdicts.doubt import is_doubtful, with_temperature
from judgecli.verdicts.merging import decide_without_judge, merge_grades, merge_orders, verdict_by_rule
from judgecli.verdicts.reading import read_completion
from judgecli.verdicts.relabelling import as_of_pair, order_of_pair, pair_of
from judgecli.verdicts.texts import reader_names

__all__ = [
    "as_of_pair",
    "decide_without_judge",
    "is_doubtful",
    "merge_grades",
    "merge_orders",
    "order_of_pair",
    "pair_of",
    "read_completion",
    "reader_names",
    "verdict_by_rule",
    "with_temperature",
]
