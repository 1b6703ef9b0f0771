"""Bringing prompts into a context: one after the other along a path, or several in one call.

One after the other, a prompt is evaluated unit by unit (its family's cuts), each unit in a call of its own
whether or not those before it were kept, and nothing else lies in the cache meanwhile: measured on CPUs, the
same prompt then gives the same bits whatever was judged before it. Several in one call keep a GPU full; their
bits can depend on each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from judgecli.backends.llama_cpp.context import LlamaContext, Rows, Want

Units = Sequence[Sequence[int]]
_LOOSE_TOKENS = 4  # a tokenizer joins the end of a text with what comes after it in fewer


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluated:
    """A prompt in the cache: its sequence, its length, and the logits after its last token."""

    sequence: int
    n_tokens: int
    logits: NDArray[np.float32]


class PromptCache(Protocol):
    """The prompts in a context's cache; `size` is how many of them are evaluated at once."""

    context: LlamaContext
    size: int

    def evaluate(self, prompts: Sequence[Units]) -> list[Evaluated]:
        """Bring up to `size` prompts in; those of the last call are not valid any more.

        Raises:
            EngineError: a call failed.
        """

    def cut_as_kept(self, ids: Sequence[int]) -> Units:
        """Cut a prompt so that as much of what is in the cache as can be need not be evaluated again."""

    def forget(self) -> None:
        """Empty the cache."""


@dataclass(slots=True)
class PathCache:
    """One prompt at a time in sequence 0; the leading units it shares with the one before are kept."""

    context: LlamaContext
    size: int = 1
    _kept: Units = field(default_factory=list)

    def evaluate(self, prompts: Sequence[Units]) -> list[Evaluated]:
        """Bring a prompt in, unit by unit, from the first that is not there."""
        units = _without_lone_tokens(prompts[0])
        shared = self._keep(units)
        position = sum(map(len, units[:shared]))
        self._kept = []  # not true again before the last unit is in
        last = len(units) - 1
        for index, unit in enumerate(units[shared:], shared):
            for part in self._parts(unit):
                rows = Rows()
                want = Want.LAST if index == last else Want.NONE
                rows.extend(part, start=position, sequences=(0,), want=want)
                self.context.decode(rows)
                position += len(part)
        self._kept = units
        return [Evaluated(sequence=0, n_tokens=position, logits=self.context.logits(len(part) - 1))]

    def cut_as_kept(self, ids: Sequence[int]) -> Units:
        """Cut a prompt into the units that are kept of it, and what comes after them.

        Its last few tokens are a unit: with more text after them, they may be others.
        """
        units: list[Sequence[int]] = []
        at = 0
        for unit in self._kept:
            if list(unit) != list(ids[at : at + len(unit)]):
                break
            units.append(unit)
            at += len(unit)
        end = max(len(ids) - _LOOSE_TOKENS, at)
        return [*units, *(unit for unit in (ids[at:end], ids[end:]) if unit)]

    def _parts(self, unit: Sequence[int]) -> list[Sequence[int]]:
        """Return a unit whole, or in two where llama.cpp would leave its last row alone in a batch."""
        if len(unit) > self.context.n_ubatch and len(unit) % self.context.n_ubatch == 1:
            return [unit[:-2], unit[-2:]]
        return [unit]

    def _keep(self, units: Units) -> int:
        """Drop what the next prompt does not begin with; return how many of its units are there."""
        shared = 0
        while shared < min(len(units) - 1, len(self._kept)) and units[shared] == self._kept[shared]:
            shared += 1
        if self.context.truncate(0, sum(map(len, units[:shared]))):
            return shared
        self.context.clear()  # a recurrent model: it cannot drop the end of a sequence
        return 0

    def forget(self) -> None:
        """Empty the cache."""
        self.context.clear()
        self._kept = []


def _without_lone_tokens(units: Units) -> Units:
    """Return units of two tokens or more: a row that is decoded alone takes another kernel."""
    joined: list[list[int]] = []
    for unit in units:
        if joined and (len(joined[-1]) == 1 or len(unit) == 1):
            joined[-1] = [*joined[-1], *unit]
        else:
            joined.append(list(unit))
    return joined


@dataclass(slots=True)
class WindowCache:
    """Several prompts in one call, each a sequence; a unit that some share belongs to all of these."""

    context: LlamaContext
    size: int

    def evaluate(self, prompts: Sequence[Units]) -> list[Evaluated]:
        """Bring prompts in, all their units in one call."""
        self.context.clear()
        rows = Rows()
        ends: dict[int, int] = {}
        _lay(rows, ends, prompts, group=range(len(prompts)), depth=0, position=0)
        self.context.decode(rows)
        return [
            Evaluated(
                sequence=index,
                n_tokens=sum(map(len, units)),
                logits=self.context.logits(ends[index]),
            )
            for index, units in enumerate(prompts)
        ]

    def cut_as_kept(self, ids: Sequence[int]) -> Units:
        """Return a prompt whole: nothing is kept."""
        return [ids]

    def forget(self) -> None:
        """Empty the cache."""
        self.context.clear()


def _lay(
    rows: Rows,
    ends: dict[int, int],
    prompts: Sequence[Units],
    *,
    group: Iterable[int],
    depth: int,
    position: int,
) -> None:
    """Add the units of prompts that are alike so far, depth first; note each prompt's last row."""
    children: dict[tuple[int, ...], list[int]] = {}
    for index in group:
        if depth < len(prompts[index]):
            children.setdefault(tuple(prompts[index][depth]), []).append(index)
    for unit, members in children.items():
        finished = [index for index in members if len(prompts[index]) == depth + 1]
        rows.extend(unit, start=position, sequences=tuple(members), want=Want.LAST if finished else Want.NONE)
        ends.update(dict.fromkeys(finished, len(rows.tokens) - 1))
        _lay(rows, ends, prompts, group=members, depth=depth + 1, position=position + len(unit))
