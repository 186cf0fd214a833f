"""Families of conversations: parents with their branches and sub-agents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def families(ids: Sequence[str], parents: Mapping[str, str]) -> list[str]:
    """Order ids so that children follow their parent; `parents` leads from a child to its parent.

    A family is at the place of its first member. An id without its parent among the ids is a family.
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
    """Root of a family; in a cycle, as in a damaged store, its smallest id."""
    seen = [name]
    while (parent := parents.get(seen[-1], "")) in shown:
        if parent in seen:
            return min(seen[seen.index(parent) :])
        seen.append(parent)
    return seen[-1]


def standing_under(ids: Sequence[str], parents: Mapping[str, str]) -> frozenset[str]:
    """Ids of a list that follow their parent directly, or siblings of theirs."""
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
