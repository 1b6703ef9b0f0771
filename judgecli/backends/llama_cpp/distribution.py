"""Reading the judge's probabilities over verdicts off its tokens, with short branches on a shared prefix.

Places of the grammar's trie are opened by falling probability, all those of a level in one decode call,
until 99% of the grammar's mass is followed to complete verdicts. What a prompt opens depends on its own
logits alone, so its numbers do not depend on what else is judged.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from judgecli.backends.llama_cpp.context import LlamaContext, Rows, Want
from judgecli.backends.llama_cpp.token_trie import TrieNode
from judgecli.backends.llama_cpp.tokenizer import LlamaTokenizer
from judgecli.types import Distribution

COVERED_SHARE = 0.99
NEGLIGIBLE = (
    1e-3  # mass below this is not worth branches: a judge outside its grammar opens the greedy path only
)
BRANCHES_A_LEVEL = 16
MAX_BRANCHES = 64


@dataclass(slots=True)
class _Place:
    """A reached place of the trie: its probability so far, and where its tokens lie in the cache."""

    node: TrieNode
    logprob: float
    token: int  # the token that leads here, not evaluated yet
    parent_sequence: int
    parent_length: int
    children: list[_Place] = field(default_factory=list)


@dataclass(slots=True)
class DistributionReader:
    """Reads the distribution at the end of the prompt in sequence 0, and leaves only that prompt behind."""

    context: LlamaContext
    tokenizer: LlamaTokenizer
    covered_share: float = COVERED_SHARE
    negligible: float = NEGLIGIBLE
    max_branches: int = MAX_BRANCHES

    def read(
        self, trie: TrieNode, logits: NDArray[np.float32], n_prompt_tokens: int
    ) -> tuple[Distribution, list[int]]:
        """Return the distribution over verdicts, and the tokens of the greedy one.

        `logits` are those after the prompt's last token, one a vocabulary entry.

        Raises:
            EngineError: a branch failed.
        """
        logprobs = log_softmax(logits)
        top = int(np.argmax(logprobs))
        preferred = self.tokenizer.text_of([top]).decode("utf-8", errors="replace")
        root = _Place(node=trie, logprob=0.0, token=-1, parent_sequence=0, parent_length=n_prompt_tokens)
        pending = self._expand(root, logprobs, sequence=0, length=n_prompt_tokens)
        complete = _take_complete(pending)
        used = 0
        while batch := self._choose(root, pending, complete, self.max_branches - used):
            pending = [place for place in pending if not any(place is opened for opened in batch)]
            pending.extend(self._open(batch, first_sequence=used + 1))
            complete.update(_take_complete(pending))
            used += len(batch)
        for sequence in range(1, used + 1):
            self.context.truncate(sequence, 0)
        greedy, path = _greedy(root)
        unopened = math.fsum(math.exp(place.logprob) for place in pending)
        distribution = Distribution(
            p=complete, greedy=greedy, p_unopened=unopened, preferred=(preferred, math.exp(logprobs[top]))
        )
        return distribution, path

    def _choose(
        self, root: _Place, pending: list[_Place], complete: dict[str, float], room: int
    ) -> list[_Place]:
        """Return the places to open next: the greedy path's, then the most probable ones."""
        ranked = sorted(pending, key=lambda place: -place.logprob)
        left = math.fsum(math.exp(place.logprob) for place in ranked)
        allowed = (1 - self.covered_share) * (left + math.fsum(complete.values()))
        allowed = max(allowed, self.negligible)
        end = _greedy_end(root)
        chosen = [end] if end.node.text is None else []
        left -= sum(math.exp(place.logprob) for place in chosen)
        for place in ranked:
            if left <= allowed or len(chosen) >= min(room, BRANCHES_A_LEVEL):
                break
            if place is not end:
                chosen.append(place)
                left -= math.exp(place.logprob)
        return chosen

    def _open(self, places: list[_Place], *, first_sequence: int) -> list[_Place]:
        """Evaluate places, each in a sequence of its own, in one call; return the places they lead to."""
        rows = Rows()
        paths = []
        for sequence, place in enumerate(places, first_sequence):
            path = [place.token, *place.node.likely_path()]
            self.context.copy(place.parent_sequence, sequence, place.parent_length)
            rows.extend(path, start=place.parent_length, sequence=sequence, want=Want.ALL)
            paths.append(path)
        self.context.decode(rows)
        reached: list[_Place] = []
        row = 0
        for sequence, (place, path) in enumerate(zip(places, paths, strict=True), first_sequence):
            reached.extend(self._follow(place, path, row, sequence))
            row += len(path)
        return reached

    def _follow(self, place: _Place, path: list[int], row: int, sequence: int) -> list[_Place]:
        """Return the unevaluated places along an evaluated path."""
        reached: list[_Place] = []
        for offset, next_token in enumerate([*path[1:], None]):
            logprobs = log_softmax(self.context.logits(row + offset))
            length = place.parent_length + 1
            children = self._expand(place, logprobs, sequence=sequence, length=length)
            onward = [child for child in children if child.token == next_token]
            reached.extend(child for child in children if child.token != next_token)
            if onward:
                place = onward[0]
        return reached

    def _expand(
        self, place: _Place, logprobs: NDArray[np.float64], *, sequence: int, length: int
    ) -> list[_Place]:
        place.children = [
            _Place(
                node=child,
                logprob=place.logprob + float(logprobs[token]),
                token=token,
                parent_sequence=sequence,
                parent_length=length,
            )
            for token, child in place.node.children.items()
        ]
        return place.children.copy()


def log_softmax(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return log-probabilities (nats) of logits, computed in double precision."""
    shifted = logits.astype(np.float64) - float(logits.max())
    return shifted - math.log(float(np.exp(shifted).sum()))


def _take_complete(pending: list[_Place]) -> dict[str, float]:
    """Move complete verdicts out of the pending places; return their probabilities."""
    complete = {p.node.text: math.exp(p.logprob) for p in pending if p.node.text is not None}
    pending[:] = [place for place in pending if place.node.text is None]
    return complete


def _greedy_end(root: _Place) -> _Place:
    """Follow the most probable child from the root; return the last place reached so far."""
    place = root
    while place.children:
        place = max(place.children, key=lambda child: child.logprob)
    return place


def _greedy(root: _Place) -> tuple[str, list[int]]:
    """Return the text and the tokens of the most probable path, which is complete by now."""
    place, path = root, []
    while place.children:
        place = max(place.children, key=lambda child: child.logprob)
        path.append(place.token)
    return place.node.text or "", path
