"""What the engine knows of a request on its way to a completion."""

from __future__ import annotations

import time
from dataclasses import dataclass

from judgecli.backends.llama_cpp.token_trie import TrieNode
from judgecli.backends.llama_cpp.writing import Continuation, Written
from judgecli.types import Completion, Distribution, Request, VerdictPlace


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request whose turn has come: its tokens by unit, and how a verdict right after them is tokenized."""

    request: Request
    units: list[list[int]]
    trie: TrieNode | None
    started_s: float

    @property
    def n_tokens(self) -> int:
        """The number of the prompt's tokens."""
        return sum(map(len, self.units))


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """A request whose prompt is evaluated, and its verdict read if that comes first.

    `begun` is what is still to be written on, `n_written` the tokens of the verdict.
    """

    asked: Asked
    distribution: Distribution | None
    n_written: int
    begun: Continuation | None = None


def finished(read: Read, written: Written | None = None, *, at: int = 0) -> Completion:
    """Return a completion; `at` is the character of the written text where the verdict belongs."""
    return Completion(
        request=read.asked.request,
        text=_whole_text(read, written.text if written else "", at),
        distribution=read.distribution,
        finish_reason=written.finish_reason if written else "stop",
        n_prompt_tokens=read.asked.n_tokens,
        n_completion_tokens=read.n_written + (written.n_tokens if written else 0),
        elapsed_s=time.perf_counter() - read.asked.started_s,
    )


def _whole_text(read: Read, text: str, at: int) -> str:
    """Return the text with the verdict that was read.

    Where it comes last, that is mostly what the judge wrote itself. A judge that wrote no verdict of the
    grammar there has its text end with the one that is read: what it went on with belongs to another.
    """
    if read.distribution is None:
        return text
    before, after, greedy = text[:at], text[at:], read.distribution.greedy
    if read.asked.request.place is VerdictPlace.IN_TEXT:
        return text
    if read.asked.request.place is VerdictPlace.FIRST:
        return greedy + after
    if read.asked.request.conclusion:
        return text + read.asked.request.conclusion + greedy
    return text if after.startswith(greedy) else before + greedy


def failed(asked: Asked, error: Exception, written: Written | None = None) -> Completion:
    """Return the completion of a request on which the engine failed, with what was written until then."""
    return Completion(
        request=asked.request,
        text=written.text if written else "",
        error=str(error),
        finish_reason="error",
        n_prompt_tokens=asked.n_tokens,
        n_completion_tokens=written.n_tokens if written else 0,
        elapsed_s=time.perf_counter() - asked.started_s,
    )
