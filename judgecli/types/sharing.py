"""Putting requests that begin alike next to each other.

A path has a number for each evaluation unit of a prompt; paths that begin alike share those units.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def depth_first(paths: Iterable[Sequence[int]]) -> list[int]:
    """Return the indexes of paths as a depth-first walk of their trie meets them.

    Children of a node come in the order in which they first appear, and a path before those that go on from
    its end; paths that are equal keep their order. A part of the result, or the result again, stays as it
    is. Takes time and memory in proportion to the paths' lengths together.
    """
    known = list(paths)
    walked: list[int] = []
    # groups of paths that are alike up to a depth, the next one to walk last
    groups = [(list(range(len(known))), 0)]
    while groups:
        group, depth = groups.pop()
        if len(group) == 1:
            walked += group
            continue
        children: dict[int, list[int]] = {}
        for index in group:
            if depth < len(known[index]):
                children.setdefault(known[index][depth], []).append(index)
            else:
                walked.append(index)
        groups.extend((child, depth + 1) for child in reversed(children.values()))
    return walked


def n_shared(path: Sequence[int], previous: Sequence[int]) -> int:
    """Return how many leading units two paths have in common."""
    for n, (unit, other) in enumerate(zip(path, previous, strict=False)):
        if unit != other:
            return n
    return min(len(path), len(previous))
