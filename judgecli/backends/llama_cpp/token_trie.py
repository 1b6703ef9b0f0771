"""A verdict grammar as paths of tokens under one model's tokenizer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from judgecli.errors import ModelError


@dataclass(slots=True)
class TrieNode:
    """A place in the trie: the tokens that may follow, or the verdict's text where it is complete."""

    children: dict[int, TrieNode] = field(default_factory=dict)
    text: str | None = None
    depth_left: int = 0  # tokens to the nearest complete verdict

    def likely_path(self) -> list[int]:
        """Return tokens to evaluate along with this place because they lead to the next real choice.

        After `8` a blank is the one short way on (a decimal point is a longer one), so both are evaluated in
        one call; the token that completes a verdict needs no evaluation.
        """
        path: list[int] = []
        node = self
        while step := node._only_short_step():
            token, node = step
            if node.text is not None:
                break
            path.append(token)
        return path

    def _only_short_step(self) -> tuple[int, TrieNode] | None:
        ranked = sorted(self.children.items(), key=lambda item: item[1].depth_left)
        if not ranked or (len(ranked) > 1 and ranked[0][1].depth_left == ranked[1][1].depth_left):
            return None
        return ranked[0]


def build_trie(paths: Iterable[tuple[str, list[int]]]) -> TrieNode:
    """Return the trie of verdict texts and their token paths.

    Raises:
        ModelError: one verdict is the beginning of another, so reading one would be a guess.
    """
    root = TrieNode()
    for text, path in paths:
        node = root
        for token in path:
            if node.text is not None:
                raise ModelError(f"the verdicts {node.text!r} and {text!r} begin with the same tokens")
            node = node.children.setdefault(token, TrieNode())
        if node.children or node.text is not None:
            raise ModelError(f"the verdict {text!r} is the beginning of another one under this tokenizer")
        node.text = text
    _measure(root)
    return root


def _measure(node: TrieNode) -> int:
    depths = [_measure(child) for child in node.children.values()]
    node.depth_left = 1 + min(depths) if depths else 0
    return node.depth_left
