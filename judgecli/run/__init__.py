"""One run, whatever the mode: read, pair, render, ask, write. Knows no terminal.

A mode is one module (`pair`, ...): its `prepare_*` does everything that needs no weights. `execute` does the
rest, and `load_run` reads the result back.
"""

from judgecli.run.cached_judge import FromCache
from judgecli.run.caching import left_by_cache
from judgecli.run.conversation import Conversation, ConversationOptions, Exchange, open_conversation
from judgecli.run.doubting import Trusting
from judgecli.run.entropy import EntropyProgress, Unmeasured
from judgecli.run.execution import PreparedRun
from judgecli.run.grade import GradeOptions, prepare_grade
from judgecli.run.inspection import ShownPrompt, measure_speed, show_prompt
from judgecli.run.judging import Progress
from judgecli.run.options import Overflow, RunOptions
from judgecli.run.pair import Orders, PairOptions, prepare_pair
from judgecli.run.rank import RankOptions, prepare_rank
from judgecli.run.record import load_run, stale
from judgecli.run.stages import Left, execute

__all__ = [
    "Conversation",
    "ConversationOptions",
    "EntropyProgress",
    "Exchange",
    "FromCache",
    "GradeOptions",
    "Left",
    "Orders",
    "Overflow",
    "PairOptions",
    "PreparedRun",
    "Progress",
    "RankOptions",
    "RunOptions",
    "ShownPrompt",
    "Trusting",
    "Unmeasured",
    "execute",
    "left_by_cache",
    "load_run",
    "measure_speed",
    "open_conversation",
    "prepare_grade",
    "prepare_pair",
    "prepare_rank",
    "show_prompt",
    "stale",
]
