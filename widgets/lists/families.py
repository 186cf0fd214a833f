"""Conversations that hang on others (branches, sub-agents): which stand together, and which under their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def families(ids: Sequence[str], parents: Mapping[str, str]) -> list[str]:
    """The ids in their order, each with those that hang on it right behind it; `parents` says on which one one hangs.

    A family stands where the first of it did. One whose parent is not among the ids stands for itself.
    """
    shown = set(ids)
    children: dict[str, list[str]] = {}
    for name in ids:
        children.setdefault(_root(name, parents, shown), []).append(name)
    below: dict[str, list[str]] = {}
    for name in ids:
        parent = parents.get(name, "")
        if parent in shown and name != _root(name, parents, shown):
            below.setdefault(parent, []).append(name)
    ordered: list[str] = []
    for root in children:
        waiting = [root]
        while waiting:
            name = waiting.pop()
            ordered.append(name)
            waiting += reversed(below.get(name, ()))
    return ordered


def _root(name: str, parents: Mapping[str, str], shown: set[str]) -> str:
    """The one that a family begins with; in a ring, which a damaged store may have, its smallest name."""
    seen = [name]
    while (parent := parents.get(seen[-1], "")) in shown:
        if parent in seen:
            return min(seen[seen.index(parent) :])
        seen.append(parent)
    return seen[-1]


def standing_under(ids: Sequence[str], parents: Mapping[str, str]) -> frozenset[str]:
    """Those of a list that stand under the one they hang on, with none but its own between."""
    under = set()
    path: list[str] = []
    for name in ids:
        parent = parents.get(name, "")
        if parent in path:
            under.add(name)
            path = [*path[: path.index(parent) + 1], name]
        else:
            path = [name]
    return frozenset(under)
