"""Phase 4: role and place of the summary, repaired tool pairs (releases from 0.20.0 on, `compress`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from inspector.engines.base import Output
from inspector.engines.hermes.assembly import merged_with, with_repaired_pairs, without_old_images
from inspector.engines.hermes.direct.handoffs import plain_text
from inspector.engines.hermes.direct.restating import restated
from inspector.engines.hermes.direct.rows import DirectRow
from inspector.engines.hermes.policies import Policies

#: Minimum characters of results that a lean tail demotes, and the number of newest rounds of calls that keep theirs.
_DEMOTED_FROM, _ROUNDS_KEPT = 1_500, 6
#: Placeholder for the id of a session, with the same length.
_SESSION = "<the session's own id>"


class KeptRow(NamedTuple):
    """A message that stays: its index in the old list, and its new form."""

    source: int
    row: DirectRow


class Role(NamedTuple):
    """Role of the summary, and the tail message that it is merged into. `before`: it precedes the message's text."""

    role: str
    target: int | None = None
    before: bool = False


def demoted(tail: Sequence[KeptRow]) -> list[KeptRow]:
    """Return the tail with a line for each long result, except in the newest rounds of calls (current sources, lean
    tail). The line names the session, which is not part of the list, so a placeholder of the same length is used."""
    rounds, newest = 0, len(tail)
    while newest > 0 and rounds <= _ROUNDS_KEPT:
        newest -= 1
        before = tail[newest + 1].row.role if newest + 1 < len(tail) else ""
        rounds += tail[newest].row.role == "tool" and before != "tool"
    return [
        KeptRow(source, _demoted(row)) if at <= newest and rounds > _ROUNDS_KEPT else KeptRow(source, row)
        for at, (source, row) in enumerate(tail)
    ]


def _demoted(row: DirectRow) -> DirectRow:
    content = row.content
    if row.role != "tool" or not isinstance(content, str) or len(content) < _DEMOTED_FROM:
        return row
    if "[SKILL_PRUNED:" in content:
        return row
    tool = row.wire.get("tool_name") or "tool"
    return row.changed(
        content=f"[{tool} output demoted at compaction — {len(content):,} chars preserved in session history. Recover "
        f"with session_search(query=..., session_id='{_SESSION}')]"
    )


def role_of(head: Sequence[DirectRow], tail: Sequence[DirectRow], headless: bool) -> Role:
    """Return a role that differs from the neighbours' roles, as templates count them.

    `headless`: the head is not protected.
    """
    last: str | None = "user"
    if head:
        last = next((row.visible_role for row in reversed(head) if row.visible_role is not None), None)
    visible = next((at for at, row in enumerate(tail) if row.visible_role is not None), None)
    first = None if visible is None else tail[visible].visible_role
    forced = headless or last == "system" or not any(row.asks for row in (*head, *tail))
    role = "user" if last is None or last in ("assistant", "tool") or forced else "assistant"
    if first is None or role != first:
        return Role(role)
    flipped = "assistant" if role == "user" else "user"
    if flipped != last and last is not None and not forced:
        return Role(flipped)
    return Role(role, visible if forced and visible is not None else 0, forced and role == "user")


def assembled(
    head: Sequence[KeptRow],
    tail: Sequence[KeptRow],
    headless: bool,
    summary: str,
    policies: Policies,
    request: KeptRow | None,
) -> list[Output]:
    """Return the list after, with `summary` as the text of the handoff, followed by the unfinished `request`."""
    chosen = role_of([row for _, row in head], [row for _, row in tail], headless)
    output = [Output(row.wire, source) for source, row in head]
    if chosen.target is None:
        output.append(Output({"role": chosen.role, "content": summary}, "summary"))
    where = replace(policies, merges_behind=not chosen.before)
    for at, (source, row) in enumerate(tail):
        merged = at == chosen.target
        output.append(Output(merged_with(row.wire, summary, where) if merged else row.wire, source, merged))
    output = with_repaired_pairs(output, policies, keeps_pending=policies.restates)
    # If the summary comes first in a message, the model reads the rest as the request.
    if request is not None and not (
        chosen.before and plain_text(tail[chosen.target or 0].row.content).strip()
    ):
        output = restated(output, request.row.wire, request.source, policies)
    return without_old_images(output)
