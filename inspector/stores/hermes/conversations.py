"""Link sessions to conversations.

A compaction with rotation ends a session with the reason `compression`, and a child session continues. Branches and
sub-agents are children too. Newer releases mark them in `model_config`. In older releases only the times differ: a
sub-agent starts while its parent lives, a continuation after the parent has ended.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from inspector.core.conversations import ConversationRow
from inspector.core.errors import UnknownConversation
from inspector.stores.hermes.sessions import SessionNode
from inspector.stores.names import resolve
from inspector.stores.titles import without_secrets

#: From this schema on every sub-agent is marked, so times are not compared.
_MARKED_SINCE = 16
#: A child may be written a moment before the end of its parent.
_RACE_SECONDS = 2.0
_NUMBERED = re.compile(r"^(?P<base>.*) #\d+$", re.DOTALL)


class Chains(NamedTuple):
    """Every conversation of a store. The tip of a conversation is its newest session."""

    rows: tuple[ConversationRow, ...]
    tip_of: Mapping[str, str]
    nodes: Mapping[str, SessionNode]
    by_tip: Mapping[str, ConversationRow]

    def row(self, session: str) -> ConversationRow:
        """Return the conversation that a session belongs to. Raises UnknownConversation."""
        tip = self.tip_of.get(session)
        if tip is None:
            raise UnknownConversation(f"No conversation has the id {session!r}.")
        return self.by_tip[tip]

    def resolve(self, name: str) -> str:
        """Return the tip for an id, a unique prefix of an id, a title, or a part of one title, in any case.

        Raises UnknownConversation.
        """
        titles = ((node.title, self.tip_of[node.id]) for node in self.nodes.values())
        return resolve(name, self.rows, titles)


def chains(
    nodes: Sequence[SessionNode], active: Mapping[str, float], schema: int | None, in_place: bool
) -> Chains:
    """Link sessions to conversations. `active` has the time of the last message of a session, if known."""
    by_id = {node.id: node for node in nodes}
    children: dict[str, list[SessionNode]] = {}
    for node in nodes:
        if node.parent:
            children.setdefault(node.parent, []).append(node)
    marked = (schema or 0) >= _MARKED_SINCE
    following: dict[str, str] = {}
    for node in nodes:
        if node.end_reason == "compression" and node.id in children:
            child = _continuation(node, children[node.id], active, marked)
            if child is not None:
                following[node.id] = child.id
    preceded = set(following.values())
    order = [node.id for node in nodes if node.id not in preceded]
    order.extend(node.id for node in nodes if node.id in preceded)  # A ring has no first session.
    tip_of: dict[str, str] = {}
    members: list[list[SessionNode]] = []
    for start in order:
        if start in tip_of:
            continue
        chain: list[SessionNode] = []
        at: str | None = start
        while at is not None and at not in tip_of:
            chain.append(by_id[at])
            tip_of[at] = ""
            at = following.get(at)
        for node in chain:
            tip_of[node.id] = chain[-1].id
        members.append(chain)
    rows = [_row(chain, by_id, tip_of, active, in_place, preceded) for chain in members]
    rows.sort(key=lambda row: (row.last_active, row.id), reverse=True)
    return Chains(tuple(rows), tip_of, by_id, {row.id: row for row in rows})


def _continuation(
    parent: SessionNode, children: Sequence[SessionNode], active: Mapping[str, float], marked: bool
) -> SessionNode | None:
    """Return the child session that continues a compacted session."""
    candidates = [
        child
        for child in children
        if child.id != parent.id
        and child.branched_from is None
        and child.agent_of is None
        and child.source != "tool"
        and (marked or _after(child, parent))
    ]
    if not candidates:
        return None
    # Hermes prefers a compacted child, then a child that still lives, then the last active child.
    return max(
        candidates,
        key=lambda child: (
            2 if child.end_reason == "compression" else 1 if child.ended_at is None else 0,
            active.get(child.id, child.ended_at or child.started_at),
            child.started_at,
            child.id,
        ),
    )


def _after(child: SessionNode, parent: SessionNode) -> bool:
    """Return whether a child started after its parent ended or just before, or the parent has not ended."""
    if parent.ended_at is None:
        return True
    if child.started_at >= parent.ended_at:
        return True
    ended_before = child.ended_at is not None and child.ended_at <= parent.ended_at
    return child.started_at >= parent.ended_at - _RACE_SECONDS and not ended_before


def _row(
    chain: Sequence[SessionNode],
    by_id: Mapping[str, SessionNode],
    tip_of: Mapping[str, str],
    active: Mapping[str, float],
    in_place: bool,
    preceded: set[str],
) -> ConversationRow:
    root, tip = chain[0], chain[-1]
    kind, parent = _relation(root, by_id, preceded)
    unmasked = _title(chain)
    title = without_secrets(unmasked)
    return ConversationRow(
        id=tip.id,
        root=root.id,
        title=title,
        model=tip.model or next((node.model for node in reversed(chain) if node.model), ""),
        source=tip.source or root.source,
        sessions=tuple([node.id for node in chain]),
        messages=tip.messages,
        compactions=None if in_place else len(chain) - 1,
        started_at=root.started_at,
        last_active=max(active.get(tip.id, 0.0), tip.ended_at or 0.0, tip.started_at),
        parent=tip_of.get(parent) if parent else None,
        kind=kind,
        agent="hermes",
        title_with_secrets="" if title == unmasked else unmasked,
    )


def _relation(
    root: SessionNode, by_id: Mapping[str, SessionNode], preceded: set[str]
) -> tuple[str, str | None]:
    """Return whether a conversation is a branch or of a sub-agent, and its parent session."""
    if root.branched_from is not None:
        return "branch", root.parent or root.branched_from
    if root.agent_of is not None:
        return "sub-agent", root.parent or root.agent_of
    if root.parent is None or root.id in preceded:
        return "conversation", None
    if root.source in {"tool", "subagent"}:
        return "sub-agent", root.parent
    parent = by_id.get(root.parent)
    if parent is None:
        return "conversation", None
    after = parent.ended_at is not None and root.started_at >= parent.ended_at
    # A release without marks ends a session as branched before the branch begins; a sub-agent's parent lives on.
    if after or parent.end_reason == "branched":
        return "branch", root.parent
    return "sub-agent", root.parent


def _title(chain: Sequence[SessionNode]) -> str:
    """Return the newest title, without the number that a release appends at each compaction."""
    title = chain[-1].title or next((node.title for node in reversed(chain) if node.title), "")
    numbered = _NUMBERED.match(title) if len(chain) > 1 else None
    if numbered and any(node.title == numbered["base"] for node in chain):
        return numbered["base"]
    return title
