"""Events of live conversations: near the threshold, compacted, lost facts, repeated work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from inspector.answers.answers import Answers
from inspector.answers.fact_results import read_conversation_aftermath, read_losses
from inspector.answers.inspection import Inspection
from inspector.answers.live_sizes import live_tokens
from inspector.answers.store_losses import unknown_losses
from inspector.core.conversations import Compaction, ConversationRow
from inspector.core.errors import InspectorError
from inspector.core.places import place_name
from inspector.core.shares import plural
from inspector.core.text import safe_title
from inspector.quality.aftermath import AftermathEvent
from inspector.stores.base import Store

EventKind = Literal["near", "compacted", "lost", "done again", "unreadable"]
#: Minimum share of the threshold that counts as near.
NEAR = 0.9


class LiveEvent(Struct, frozen=True):
    """One event. `text` is a sentence without the title; `compaction` is None if the event is about none."""

    kind: EventKind
    row: ConversationRow
    text: str
    compaction: int | None = None
    tokens: int | None = None
    threshold_tokens: int | None = None


class ConversationState(Struct, frozen=True):
    """The state of a conversation at the last look.

    `stamp` is the time of its last message and their number. `compactions` is None if the conversation was only listed:
    then compactions before the stamp are known. `end` is the live generation and the length of its list; if it is None,
    messages before the stamp are known.
    """

    stamp: tuple[float, int]
    compactions: int | None = 0
    near: bool = False
    end: tuple[int, int] | None = (0, 0)
    problem: str = ""


def listed(row: ConversationRow) -> ConversationState:
    """Return the state of a conversation that was listed and not read."""
    end = None if row.compactions is None else (row.compactions + 1, row.messages)
    return ConversationState(row.stamp, None, end=end)


def look(
    answers: Answers, states: Mapping[str, ConversationState] | None
) -> tuple[list[LiveEvent], dict[str, ConversationState]]:
    """Return the events since the last look, oldest conversation first, and the new state by root session.

    At the first look (`states` is None), only conversations near their threshold are events. An unchanged conversation
    is not read. Raises StoreErrors of the whole store.
    """
    events: list[LiveEvent] = []
    state: dict[str, ConversationState] = {}
    for row in reversed(answers.store.conversations()):
        before = None if states is None else states.get(row.root)
        if before is not None and before.stamp == row.stamp:
            state[row.root] = before
            continue
        new, state[row.root] = look_at(answers, row, before, first=states is None)
        events += new
    return events, state


def events_since(
    store: Store,
    row: ConversationRow,
    flags: Mapping[str, Any],
    config: Path | None,
    before: ConversationState | None,
) -> tuple[list[LiveEvent], ConversationState]:
    """Return the events of one conversation since `before`, and its new state."""
    return look_at(Answers(store, dict(flags), config), row, before)


def look_at(
    answers: Answers, row: ConversationRow, before: ConversationState | None, first: bool = False
) -> tuple[list[LiveEvent], ConversationState]:
    """Return the events of one conversation since `before`, and its new state; an unreadable one is an event."""
    try:
        return _changes(answers, row, before, first)
    except InspectorError as error:
        problem = str(error)
        now = replace(before or listed(row), stamp=row.stamp, problem=problem)
        reported = before is not None and before.problem == problem
        return [] if reported else [LiveEvent("unreadable", row, problem)], now


def _changes(
    answers: Answers, row: ConversationRow, before: ConversationState | None, first: bool
) -> tuple[list[LiveEvent], ConversationState]:
    inspection, resolved = answers.opened(row.id)
    compactions = inspection.compactions()
    plan = inspection.plan(inspection.conversation.live, resolved.settings)
    (tokens, _), threshold = live_tokens(inspection, plan), plan.budgets.threshold_tokens
    near = threshold > 0 and tokens >= NEAR * threshold
    last = _count_before(compactions, before, first)
    fresh = [compaction for compaction in compactions if compaction.index > last]
    events = [LiveEvent("compacted", row, _compacted(recorded), recorded.index) for recorded in fresh]
    if fresh and not first:
        events += _lost(answers, row, {recorded.index for recorded in fresh})
    if compactions and not first:
        events += [
            LiveEvent("done again", row, _again(event), event.compaction)
            for event in read_conversation_aftermath(answers, row.id).events
            if before is None or _is_new(inspection, event, before)
        ]
    if near and (before is None or not before.near):
        remaining = max(0, threshold - tokens)
        where, left = ("near", f", {remaining:,} left") if remaining else ("over", "")
        text = f"{where} the threshold: {tokens:,} of {threshold:,} tokens{left}"
        events.append(LiveEvent("near", row, text, None, tokens, threshold))
    live = inspection.conversation.live
    end = live.number, len(live)
    return events, ConversationState(row.stamp, len(compactions), near, end)


def _is_new(inspection: Inspection, event: AftermathEvent, before: ConversationState) -> bool:
    """Return whether the message of an event was added after a look."""
    at = event.place
    if before.end is not None:
        return (at.generation, at.index) >= before.end
    # The store may have more lists by now than were opened.
    opened = inspection.conversation.generations[at.generation - 1 : at.generation]
    return all(
        message.timestamp > before.stamp[0]
        for generation in opened
        for message in inspection.store.messages(generation, at.index, at.index + 1)
    )


def _count_before(compactions: Sequence[Compaction], before: ConversationState | None, first: bool) -> int:
    """Return the number of compactions at the last look."""
    if first or before is None:
        return len(compactions) if first else 0
    if before.compactions is None:
        return sum(compaction.at <= before.stamp[0] for compaction in compactions)
    return before.compactions


def _compacted(recorded: Compaction) -> str:
    how = " by hand" if recorded.trigger == "manual" else " automatically" if recorded.trigger else ""
    # An empty list before is an unknown list.
    before = f"{recorded.before:,}" if recorded.before else "unknown"
    after = recorded.bound + plural(recorded.after, "message")
    size = f"~{recorded.tokens_before:,}" if recorded.before else "unknown"
    sizes = f"{size} to {recorded.bound}~{recorded.tokens_after:,} tokens"
    # Rough and reported counts are not compared: only the reported ones have the fixed part of the prompt.
    sides = (recorded.tokens_before_reported, "before it"), (recorded.tokens_after_reported, "after it")
    reported = " and ".join(f"{tokens:,} {side}" for tokens, side in sides if tokens is not None)
    return f"compacted{how}: {before} to {after}, {sizes}" + (f" (reported: {reported})" if reported else "")


def _again(event: AftermathEvent) -> str:
    behind = f" ({event.behind}: “{safe_title(event.fact, 120)}”)" if event.fact else ""
    if event.earlier is None:
        return f"{event.kind}: {event.text}{behind}"
    earlier = place_name(event.earlier.index, event.earlier.generation)
    return f"{event.kind}: {event.text}, {event.earlier_words(earlier)}, {event.size}{behind}"


def _lost(answers: Answers, row: ConversationRow, compactions: set[int]) -> Iterator[LiveEvent]:
    losses = read_losses(answers, row.id)
    for loss in losses.compactions:
        parts = [f"{count:,} {kind}" for kind, count in loss.lost.items()]
        parts += [f"{loss.weakened:,} weakened"] if loss.weakened else []
        parts += [f"{loss.uncertain:,} uncertain"] if loss.uncertain else []
        if loss.compaction in compactions and parts:
            first = f"; first “{safe_title(loss.facts[0].text, 160)}”" if loss.facts else ""
            yield LiveEvent("lost", row, f"lost: {', '.join(parts)}{first}", loss.compaction)
    for sentence in unknown_losses([losses]):
        yield LiveEvent("lost", row, sentence)
