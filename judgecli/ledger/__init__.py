"""The run file: a header, a row for each item, a row for each judgment; JSON Lines, flushed row by row.

    {"row": "header", ...}                         what was asked of which weights, and how
    {"row": "item", "id": ..., "prompt_hashes": {"AB": ..., "BA": ...}, "decided_by": ..., ...}
    {"row": "judgment", "item_id": ..., "order": "AB", "prompt_hash": ..., "winner": ..., ...}

An item's answers are whole; one with `shown_characters` was judged on that much of each. The items after the
last header are the current ones; of the judgments, the last one of each (item, order, prompt hash) counts,
wherever it stands. A run goes on in the same file as long as the headers agree in everything that can change
a verdict.
"""

from judgecli.ledger.header import KEYED, first_difference, option_name
from judgecli.ledger.reading import (
    JudgmentKey,
    LedgerFile,
    RunFileState,
    current_judgments,
    read_ledger,
    run_file_state,
    size_of,
)
from judgecli.ledger.rows import PlannedItem, same_plan
from judgecli.ledger.writing import LedgerWriter, check_writable

__all__ = [
    "KEYED",
    "JudgmentKey",
    "LedgerFile",
    "LedgerWriter",
    "PlannedItem",
    "RunFileState",
    "check_writable",
    "current_judgments",
    "first_difference",
    "option_name",
    "read_ledger",
    "run_file_state",
    "same_plan",
    "size_of",
]
