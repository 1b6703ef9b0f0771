"""Reading the judge's probabilities over verdicts off its tokens, with short branches on a shared prefix.

Places of the grammar's trie are opened by falling probability, all those of a level, of one or several
prompts, in one decode call, until 99% of the grammar's mass is followed to complete verdicts. What a prompt
opens depends on its own logits alone, so its numbers do not depend on what else is judged.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from judgecli.backends.llama_cpp.branching import BranchPlace
from judgecli.backends.llama_cpp.context import Rows, Want
from judgecli.backends.llama_cpp.evaluation import Evaluated
from judgecli.backends.llama_cpp.token_trie import TrieNode
from judgecli.backends.llama_cpp.tokenizer import LlamaTokenizer
from judgecli.types import Distribution

COVERED_SHARE = 0.99
# Mass below this is not worth branches: a judge outside its grammar opens the greedy path only.
NEGLIGIBLE = 1e-3
BRANCHES_A_LEVEL = 16
MAX_BRANCHES = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How far the grammar is followed: until `covered_share` of its mass is, or all but `negligible`.

    `n_branches` follows that many places instead, whatever their mass, until the greedy verdict is read: for
    measuring what they cost.
    """

    covered_share: float = COVERED_SHARE
    negligible: float = NEGLIGIBLE
    a_level: int = BRANCHES_A_LEVEL
    in_all: int = MAX_BRANCHES
    n_branches: int | None = None


@dataclass(slots=True)
class _Place:
    """A reached place of the trie: its probability so far, and where its tokens lie in the cache.

    The last token of `path` (from the prompt's end) is not evaluated yet; those before it are the end of the
    first `parent_length` tokens of `parent_sequence`.
    """

    node: TrieNode
    logprob: float
    path: tuple[int, ...]
    parent_sequence: int
    parent_length: int
    children: list[_Place] = field(default_factory=list)


class _Reading:
    """One prompt's distribution, as far as it is read."""

    def __init__(self, prompt: Evaluated, trie: TrieNode, limits: Limits) -> None:
        self.prompt = prompt
        self.root = _Place(
            node=trie,
            logprob=0.0,
            path=(),
            parent_sequence=prompt.sequence,
            parent_length=prompt.n_tokens,
        )
        self._limits = limits
        self._n_opened = 0
        self._pending: list[_Place] = []
        self._complete: dict[str, float] = {}
        logprobs = log_softmax(prompt.logits)
        self._top = int(np.argmax(prompt.logits))
        self._top_logprob = float(logprobs[self._top])
        self.add(_expand(self.root, logprobs, sequence=prompt.sequence, length=prompt.n_tokens))

    def next_places(self) -> list[_Place]:
        """Take the places to open next: the greedy path's, then the most probable ones."""
        chosen = self._choose()
        self._pending = [place for place in self._pending if not any(place is one for one in chosen)]
        self._n_opened += len(chosen)
        return chosen

    def _choose(self) -> list[_Place]:
        ranked = sorted(self._pending, key=lambda place: -place.logprob)
        if self._limits.n_branches is not None:
            return self._furthest(ranked, self._limits.n_branches)
        end = _greedy_end(self.root)
        chosen = [end] if end.node.text is None else []
        most, allowed = self._room(ranked)
        left = math.fsum(math.exp(place.logprob) for place in ranked if place is not end)
        for place in ranked:
            if left <= allowed or len(chosen) >= most:
                break
            if place is not end:
                chosen.append(place)
                left -= math.exp(place.logprob)
        return chosen

    def _furthest(self, ranked: list[_Place], n_branches: int) -> list[_Place]:
        """Return the places to follow on: the greedy path's, and the best of those that are as far."""
        end = _greedy_end(self.root)
        if end.node.text is not None:
            return []
        others = [place for place in ranked if place is not end and len(place.path) == len(end.path)]
        return [end, *others[: n_branches - 1]]

    def _room(self, ranked: list[_Place]) -> tuple[int, float]:
        """Return how many places may be opened, and the mass that may stay unopened."""
        limits = self._limits
        total = math.fsum(math.exp(place.logprob) for place in ranked) + math.fsum(self._complete.values())
        allowed = max((1 - limits.covered_share) * total, limits.negligible)
        return min(limits.in_all - self._n_opened, limits.a_level), allowed

    def add(self, places: Sequence[_Place]) -> None:
        """Take in reached places: complete verdicts are kept, the others wait to be opened."""
        self._complete |= {p.node.text: math.exp(p.logprob) for p in places if p.node.text is not None}
        self._pending += [place for place in places if place.node.text is None]

    def result(self, tokenizer: LlamaTokenizer) -> tuple[Distribution, list[int]]:
        """Return the distribution, and the tokens of its greedy verdict."""
        end = _greedy_end(self.root)
        preferred = tokenizer.text_of([self._top]).decode("utf-8", errors="replace")
        distribution = Distribution(
            p=self._complete,
            greedy=end.node.text or "",
            p_unopened=math.fsum(math.exp(place.logprob) for place in self._pending),
            preferred=(preferred, math.exp(self._top_logprob)),
        )
        return distribution, list(end.path)


@dataclass(slots=True)
class DistributionReader:
    """Reads distributions at the ends of evaluated prompts, and leaves only those prompts behind.

    `can_drop_tails` says whether a branch may begin in the middle of another one; where a model cannot, every
    branch begins at its prompt's end.
    """

    place: BranchPlace
    tokenizer: LlamaTokenizer
    can_drop_tails: bool = True
    limits: Limits = Limits()

    def read(
        self, prompts: Sequence[Evaluated], tries: Sequence[TrieNode]
    ) -> list[tuple[Distribution, list[int]]]:
        """Return for each prompt its distribution over verdicts, and the tokens of the greedy one.

        Raises:
            EngineError: a branch failed.
        """
        readings = [_Reading(prompt, trie, self.limits) for prompt, trie in zip(prompts, tries, strict=True)]
        first = free = self.place.first_branch
        while level := [(reading, place) for reading in readings for place in reading.next_places()]:
            self.place.bring(prompts)
            self._open(level, free)
            if self.can_drop_tails:
                free += len(level)
            else:
                self._drop(free, len(level))
        self._drop(first, free - first)
        return [reading.result(self.tokenizer) for reading in readings]

    def _open(self, level: Sequence[tuple[_Reading, _Place]], first_sequence: int) -> None:
        """Evaluate places, each in a sequence of its own, in one call; take in the places they lead to."""
        rows = Rows()
        tails = []
        for sequence, (reading, place) in enumerate(level, first_sequence):
            parent, length, tail = place.parent_sequence, place.parent_length, place.path[-1:]
            if not self.can_drop_tails:
                parent, length, tail = reading.prompt.sequence, reading.prompt.n_tokens, place.path
            tail = (*tail, *place.node.likely_path())
            self.place.context.copy(parent, sequence, length)
            rows.extend(tail, start=length, sequences=(sequence,), want=Want.ALL)
            tails.append(tail)
        self.place.context.decode_accompanied(rows, first_sequence + len(level))
        row = 0
        for sequence, ((reading, place), tail) in enumerate(zip(level, tails, strict=True), first_sequence):
            n_ahead = len(tail) - len(place.node.likely_path()) - 1
            reading.add(self._follow(place, tail[n_ahead:], row + n_ahead, sequence))
            row += len(tail)

    def _follow(self, place: _Place, path: tuple[int, ...], row: int, sequence: int) -> list[_Place]:
        """Return the unevaluated places along an evaluated path that begins with a place's own token."""
        reached: list[_Place] = []
        for offset, next_token in enumerate([*path[1:], None]):
            logprobs = log_softmax(self.place.context.logits(row + offset))
            children = _expand(place, logprobs, sequence=sequence, length=place.parent_length + 1)
            onward = [child for child in children if child.path[-1] == next_token]
            reached.extend(child for child in children if child.path[-1] != next_token)
            if onward:
                place = onward[0]
        return reached

    def _drop(self, first_sequence: int, n_sequences: int) -> None:
        for sequence in range(first_sequence, first_sequence + n_sequences):
            self.place.context.truncate(sequence, 0)


def log_softmax(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return log-probabilities (nats) of logits; sums and results are in double precision."""
    highest = float(logits.max())
    total: float = np.exp(logits - np.float32(highest)).sum(dtype=np.float64)
    return logits.astype(np.float64) - (highest + math.log(total))


def _expand(place: _Place, logprobs: NDArray[np.float64], *, sequence: int, length: int) -> list[_Place]:
    place.children = [
        _Place(
            node=child,
            logprob=place.logprob + float(logprobs[token]),
            path=(*place.path, token),
            parent_sequence=sequence,
            parent_length=length,
        )
        for token, child in place.node.children.items()
    ]
    return place.children


def _greedy_end(root: _Place) -> _Place:
    """Follow the most probable child from the root; return the last place reached so far."""
    place = root
    while place.children:
        place = max(place.children, key=lambda child: child.logprob)
    return place
