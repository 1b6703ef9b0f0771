"""Every noun of judgecli, and the two protocols a backend implements.

A is the baseline and B the candidate, always. "First" and "second" name seats in a prompt only:
in order AB the first seat holds A's answer, in order BA it holds B's.
"""

from judgecli.types.answers import Order, Pair, Response, Source
from judgecli.types.engine import CacheType, EngineOptions, SplitMode
from judgecli.types.estimates import (
    Caution,
    CautionKind,
    Conclusion,
    Counts,
    Estimate,
    Lengths,
    Position,
    Side,
    Soft,
    Split,
    Summary,
)
from judgecli.types.grammar import Grammar, LabelsGrammar, Reading, ScoresGrammar, Seat, read_scores
from judgecli.types.judgments import DecidedBy, Failure, Judgment, RunRecord, Verdict, Winner
from judgecli.types.prompts import Completion, Distribution, Piece, PieceKind, Prompt, Request
from judgecli.types.protocols import Backend, Tokenizer
from judgecli.types.sharing import depth_first, n_shared

__all__ = [
    "Backend",
    "CacheType",
    "Caution",
    "CautionKind",
    "Completion",
    "Conclusion",
    "Counts",
    "DecidedBy",
    "Distribution",
    "EngineOptions",
    "Estimate",
    "Failure",
    "Grammar",
    "Judgment",
    "LabelsGrammar",
    "Lengths",
    "Order",
    "Pair",
    "Piece",
    "PieceKind",
    "Position",
    "Prompt",
    "Reading",
    "Request",
    "Response",
    "RunRecord",
    "ScoresGrammar",
    "Seat",
    "Side",
    "Soft",
    "Source",
    "Split",
    "SplitMode",
    "Summary",
    "Tokenizer",
    "Verdict",
    "Winner",
    "depth_first",
    "n_shared",
    "read_scores",
]
