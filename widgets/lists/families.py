"""Families of conversations: parents with their branches and sub-agents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def families(ids: Sequence[str], parents: Mapping[str, str]) -> list[str]:
    """Order ids so that children follow their parent; `parents` maps a child to its parent.

    A family takes the place of its first id. If the parent of an id is not in the list, the id starts a family.
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
    """Return the root of a family. In a cycle, which a damaged store may have, it is the smallest id."""
    seen = [name]
    while (parent := parents.get(seen[-1], "")) in shown:
        if parent in seen:
            return min(seen[seen.index(parent) :])
        seen.append(parent)
    return seen[-1]


def standing_under(ids: Sequence[str], parents: Mapping[str, str]) -> frozenset[str]:
    """Return the ids that directly follow their parent or a descendant of their parent."""
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
