"""Every noun of judgecli, and the two protocols a backend implements.

A is the baseline and B the candidate, always. "First" and "second" name seats in a prompt only:
in order AB the first seat holds A's answer, in order BA it holds B's.
"""

from judgecli.types.answers import Order, Pair, Response, Source
from judgecli.types.estimates import Estimate
from judgecli.types.grammar import Grammar, LabelsGrammar, Reading, ScoresGrammar, Seat, read_scores
from judgecli.types.judgments import DecidedBy, Failure, Judgment, RunRecord, Verdict, Winner
from judgecli.types.prompts import Completion, Distribution, Piece, PieceKind, Prompt, Request
from judgecli.types.protocols import Backend, Tokenizer

__all__ = [
    "Backend",
    "Completion",
    "DecidedBy",
    "Distribution",
    "Estimate",
    "Failure",
    "Grammar",
    "Judgment",
    "LabelsGrammar",
    "Order",
    "Pair",
    "Piece",
    "PieceKind",
    "Prompt",
    "Reading",
    "Request",
    "Response",
    "RunRecord",
    "ScoresGrammar",
    "Seat",
    "Source",
    "Tokenizer",
    "Verdict",
    "Winner",
    "read_scores",
]
