"""Where the branches of an evaluated prompt are decoded: beside it, or in a context for calls of few rows.

On a CPU, flash attention is faster for the many rows of a prompt and slower for the few of a branch: measured
with SmolLM2-135M after 400 tokens, 6 rows take 52 ms with it and 26 ms without, and a row of each of 8 texts
about twice as long too. So there the prompt is copied into a context without flash attention when its first
branch is opened. A text that was written, in a context for calls of few rows as well, is copied in too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from judgecli.backends.llama_cpp.context import EngineError, LlamaContext, Rows, Want
from judgecli.backends.llama_cpp.evaluation import Evaluated
from judgecli.backends.llama_cpp.moving import StateMover
from judgecli.backends.llama_cpp.sequence_state import Bytes, StateLayout, UnknownLayoutError, laid_out


class BranchPlace(Protocol):
    """A context for branches; `first_branch` is the first sequence that they may take."""

    context: LlamaContext
    first_branch: int

    def bring(self, prompts: Sequence[Evaluated]) -> None:
        """Make sure that prompts are there, in the sequences they are said to be in.

        Raises:
            EngineError: there is no room, or the context failed.
        """

    def take_over(self, text: WrittenText) -> Evaluated | None:
        """Let a text be there as it was written; None where it has to be evaluated anew.

        Raises:
            EngineError: there is no room, or the context failed.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenText:
    """A prompt and the first tokens of a text written from it, `n_tokens` in all.

    `copy_state` copies the state of all but `last_tokens` out of the context it was written in.
    """

    n_tokens: int
    last_tokens: tuple[int, ...]
    copy_state: Callable[[], Bytes]


class Beside:
    """The context of the prompts themselves."""

    def __init__(self, context: LlamaContext, n_prompts: int) -> None:
        """Take the context, and how many prompts are in it at once."""
        self.context = context
        self.first_branch = n_prompts

    def bring(self, prompts: Sequence[Evaluated]) -> None:
        """Do nothing: they are there."""

    def take_over(self, text: WrittenText) -> Evaluated | None:
        """Return None: this context is for other prompts too, and evaluates them fast enough."""


class Apart:
    """A context of its own, into which one prompt at a time is copied."""

    first_branch = 1

    def __init__(self, prompts: LlamaContext, context: LlamaContext, layout: StateLayout) -> None:
        """Take the prompts' context and this one, which keeps sequences as `layout` says."""
        self._prompts, self.context, self._layout = prompts, context, layout
        self._brought: Evaluated | None = None
        self._mover = StateMover(context, layout)

    def bring(self, prompts: Sequence[Evaluated]) -> None:
        """Copy a prompt into sequence 0, unless it was the last one copied."""
        [prompt] = prompts
        if self._brought is prompt:
            return
        self._brought = None
        self.context.clear()
        try:
            state = laid_out(self._prompts.state_of(prompt.sequence), self._layout)
        except UnknownLayoutError as error:
            raise EngineError(f"a prompt's state cannot be moved: {error}") from error
        self.context.restore(0, state)
        self._brought = prompt

    def take_over(self, text: WrittenText) -> Evaluated | None:
        """Copy a text's state into sequence 0 and evaluate its last tokens, for the logits after them."""
        if self._mover.has_failed:
            return None
        self._brought = None
        self.context.clear()
        if not self._mover.move(text.copy_state(), 0):
            return None
        rows = Rows()
        n_last = len(text.last_tokens)
        rows.extend(text.last_tokens, start=text.n_tokens - n_last, sequences=(0,), want=Want.LAST)
        self.context.decode_accompanied(rows, self.first_branch)
        taken = Evaluated(sequence=0, n_tokens=text.n_tokens, logits=self.context.logits(n_last - 1))
        self._brought = taken
        return taken

    def works(self) -> bool:
        """Whether a state that is moved here is the one that is read back; leaves both contexts empty."""
        rows = Rows()
        rows.extend([0, 1, 2], start=0, sequences=(0,), want=Want.LAST)
        try:
            self._prompts.decode(rows)
            moved = laid_out(self._prompts.state_of(0), self._layout)
            self.context.restore(0, moved)
            return np.array_equal(self.context.state_of(0), moved)
        except (EngineError, UnknownLayoutError):
            return False
        finally:
            self._prompts.clear()
            self.context.clear()
