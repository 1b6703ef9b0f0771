"""The run file: a header, a row for each item, a row for each judgment; JSON Lines, flushed row by row.

    {"row": "header", ...}                         what was asked of which weights, and how
    {"row": "item", "id": ..., "prompt_hashes": {"AB": ..., "BA": ...}, "decided_by": ..., ...}
    {"row": "judgment", "item_id": ..., "order": "AB", "prompt_hash": ..., "winner": ..., ...}
    {"row": "entropy", "item_id": ..., "order": "AB", "prompt_hash": ..., "entropy": ..., ...}

An item's answers are whole; one with `shown_characters` was judged on that much of each. The items after the
last header are the current ones; of the judgments, the last one of each (item, order, prompt hash, judge)
counts, wherever it stands. A run goes on in the same file as long as the headers agree in everything that can
change a verdict of its judge; a stronger judge that doubtful items are handed to has a key of its own in the
header (`escalation`) and in its judgments (`judge`), so that another one begins anew without losing a row.
The entropy of a judgment's text comes after that judgment, and counts until another one follows.
"""

from judgecli.ledger.header import KEYED, first_difference, judge_key, judge_settings, option_name
from judgecli.ledger.locking import run_lock
from judgecli.ledger.reading import (
    JudgmentKey,
    LedgerFile,
    RunFileState,
    current_entropies,
    current_judgments,
    escalated_judgments,
    is_run_file,
    read_ledger,
    run_file_state,
    size_of,
)
from judgecli.ledger.rows import PlannedItem, SecondAsking, same_plan
from judgecli.ledger.writing import LedgerWriter, check_writable

__all__ = [
    "KEYED",
    "JudgmentKey",
    "LedgerFile",
    "LedgerWriter",
    "PlannedItem",
    "RunFileState",
    "SecondAsking",
    "check_writable",
    "current_entropies",
    "current_judgments",
    "escalated_judgments",
    "first_difference",
    "is_run_file",
    "judge_key",
    "judge_settings",
    "option_name",
    "read_ledger",
    "run_file_state",
    "run_lock",
    "same_plan",
    "size_of",
]
