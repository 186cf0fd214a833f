"""Phase 4: the summary's role, where it goes, and mended tool pairs (releases from 0.20.0 on, `compress`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from inspector.engines.base import Output
from inspector.engines.hermes.assembly import mended, merged_with, without_old_images
from inspector.engines.hermes.direct.handoffs import plain_text
from inspector.engines.hermes.direct.restating import restated, visible_role
from inspector.engines.hermes.policies import Policies

Wire = Mapping[str, Any]
#: Minimum characters of results that a lean tail demotes, and the number of newest rounds of calls that keep theirs.
_DEMOTED_FROM, _ROUNDS_KEPT = 1_500, 6
#: In place of a session's id, and as long.
_SESSION = "<the session's own id>"


class Kept(NamedTuple):
    """Message of the old list that stays, in its new form."""

    source: int
    wire: Wire


class Role(NamedTuple):
    """Role of the summary, or the tail message that it is merged into; `before` says that it precedes the
    message's text."""

    role: str
    target: int | None = None
    before: bool = False


def demoted(tail: Sequence[Kept]) -> list[Kept]:
    """The tail with a line in place of long results of all but its newest rounds of calls (current sources, a
    lean tail). The line names the session, which is not part of the list: placeholder words of the same length
    as an id are used."""
    rounds, newest = 0, len(tail)
    while newest > 0 and rounds <= _ROUNDS_KEPT:
        newest -= 1
        role, before = (
            tail[newest].wire.get("role"),
            tail[newest + 1].wire.get("role") if newest + 1 < len(tail) else "",
        )
        rounds += role == "tool" and before != "tool"
    return [
        Kept(source, _demoted(wire)) if at <= newest and rounds > _ROUNDS_KEPT else Kept(source, wire)
        for at, (source, wire) in enumerate(tail)
    ]


def _demoted(wire: Wire) -> Wire:
    content = wire.get("content")
    if wire.get("role") != "tool" or not isinstance(content, str) or len(content) < _DEMOTED_FROM:
        return wire
    if "[SKILL_PRUNED:" in content:
        return wire
    tool = wire.get("tool_name") or "tool"
    line = (
        f"[{tool} output demoted at compaction — {len(content):,} chars preserved in session history. Recover with "
        f"session_search(query=..., session_id='{_SESSION}')]"
    )
    return {**wire, "content": line}


def role_of(head: Sequence[Kept], tail: Sequence[Kept], headless: bool) -> Role:
    """Role that does not repeat a neighbour's, as templates count roles; `headless`: the head is unprotected."""
    last: str | None = "user"
    if head:
        last = next((role for kept in reversed(head) if (role := visible_role(kept.wire)) is not None), None)
    first, visible = None, None
    for at, kept in enumerate(tail):
        first = visible_role(kept.wire)
        if first is not None:
            visible = at
            break
    forced = headless or last == "system" or not any(map(_asks, (*head, *tail)))
    role = "user" if last is None or last in ("assistant", "tool") or forced else "assistant"
    if first is None or role != first:
        return Role(role)
    flipped = "assistant" if role == "user" else "user"
    if flipped != last and last is not None and not forced:
        return Role(flipped)
    return Role(role, visible if forced and visible is not None else 0, forced and role == "user")


def _asks(kept: Kept) -> bool:
    return kept.wire.get("role") == "user" and bool(plain_text(kept.wire.get("content")).strip())


def assembled(
    head: Sequence[Kept],
    tail: Sequence[Kept],
    headless: bool,
    summary: str,
    policies: Policies,
    request: Kept | None = None,
) -> list[Output]:
    """The list after, with `summary` as the handoff's text, and behind it the unfinished `request`."""
    chosen = role_of(head, tail, headless)
    output = [Output(wire, source) for source, wire in head]
    if chosen.target is None:
        output.append(Output({"role": chosen.role, "content": summary}, "summary"))
    where = replace(policies, merges_behind=not chosen.before)
    for at, (source, wire) in enumerate(tail):
        merged = at == chosen.target
        output.append(Output(merged_with(wire, summary, where) if merged else wire, source, merged))
    output = mended(output, policies, keeps_pending=policies.restates)
    # If the summary comes first in a message, the model reads the rest as the request.
    if request is not None and not (
        chosen.before and plain_text(tail[chosen.target or 0].wire.get("content")).strip()
    ):
        output = restated(output, request.wire, request.source, policies)
    return without_old_images(output)
