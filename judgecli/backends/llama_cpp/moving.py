"""Copying a sequence from one context into another that keeps sequences in another way."""

from __future__ import annotations

import numpy as np

from judgecli.backends.llama_cpp.context import EngineError, LlamaContext
from judgecli.backends.llama_cpp.sequence_state import Bytes, StateLayout, UnknownLayoutError, laid_out


class StateMover:
    """Copies states into a context; the first one is read back and compared."""

    def __init__(self, context: LlamaContext, layout: StateLayout) -> None:
        """Take the context that states go to, which keeps sequences as `layout` says."""
        self._context, self._layout = context, layout
        self._works: bool | None = None  # not known before the first state is moved

    @property
    def has_failed(self) -> bool:
        """Whether it is known that no state can be moved here."""
        return self._works is False

    def move(self, state: Bytes, sequence: int) -> bool:
        """Copy a state into a sequence; return whether that can be done here at all.

        Raises:
            EngineError: it failed this time.
        """
        if self.has_failed:
            return False
        try:
            moved = laid_out(state, self._layout)
            self._context.restore(sequence, moved)
            if self._works is None:
                self._works = np.array_equal(self._context.state_of(sequence), moved)
        except UnknownLayoutError:
            self._works = False
        except EngineError:
            if self._works:  # it could before, so this is a failure of its own
                raise
            self._works = False
        return self._works
