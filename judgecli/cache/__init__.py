"""Completions kept across runs: what a judge said to a prompt need not be asked again.

Kept are completions, not judgments, so that letters, reading and least mass stay a run's own. A cache is one
SQLite file that several processes may use at once.
"""

from judgecli.cache.contents import CacheInfo, Cleared, JudgeShare
from judgecli.cache.keys import AskedJudge, completion_key
from judgecli.cache.store import FILE_NAME, MAX_BYTES, CompletionCache
from judgecli.cache.stored import completion_text, read_completion_text

__all__ = [
    "FILE_NAME",
    "MAX_BYTES",
    "AskedJudge",
    "CacheInfo",
    "Cleared",
    "CompletionCache",
    "JudgeShare",
    "completion_key",
    "completion_text",
    "read_completion_text",
]
