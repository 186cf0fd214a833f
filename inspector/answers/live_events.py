"""Events of live conversations: near the threshold, compacted, what was lost, what was done again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from inspector.answers.answers import Answers
from inspector.answers.fact_results import read_aftermath_results, read_losses
from inspector.answers.inspection import Inspection
from inspector.answers.kept_results import KeptResults
from inspector.config.settings import ResolvedSettings
from inspector.core.conversations import Compaction, ConversationRow
from inspector.core.errors import InspectorError
from inspector.core.text import safe_title
from inspector.quality.aftermath import AftermathEvent

EventKind = Literal["near", "compacted", "lost", "done again", "unreadable"]
#: Share of the threshold from which on a conversation is near it.
NEAR = 0.9


@dataclass(frozen=True, slots=True)
class LiveEvent:
    """One event. `text` is a sentence without the title; `compaction` is None where the event is about none."""

    kind: EventKind
    row: ConversationRow
    text: str
    compaction: int | None = None
    tokens: int | None = None
    threshold_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class SeenConversation:
    """The state of a conversation at the last look. `end` is the live generation and the length of its list."""

    stamp: tuple[float, int]
    compactions: int = 0
    near: bool = False
    end: tuple[int, int] = (0, 0)
    problem: str = ""


def look(
    answers: Answers, kept: KeptResults, seen: Mapping[str, SeenConversation] | None
) -> tuple[list[LiveEvent], dict[str, SeenConversation]]:
    """The events since the last look, oldest conversation first, and the new state by root session.

    At the first look (`seen` is None) only conversations near their threshold are events. A conversation that did not
    change is not read. Raises StoreErrors of the whole store.
    """
    events: list[LiveEvent] = []
    state: dict[str, SeenConversation] = {}
    for row in reversed(answers.store.conversations()):
        before = None if seen is None else seen.get(row.root)
        stamp = row.last_active, row.messages
        if before is not None and before.stamp == stamp:
            state[row.root] = before
            continue
        try:
            found, now = _changes(answers, kept, row, before, first=seen is None)
        except InspectorError as error:
            problem = str(error)
            now = replace(before or SeenConversation(stamp), stamp=stamp, problem=problem)
            found = (
                []
                if before is not None and before.problem == problem
                else [LiveEvent("unreadable", row, problem)]
            )
        events += found
        state[row.root] = now
    return events, state


def _changes(
    answers: Answers, kept: KeptResults, row: ConversationRow, before: SeenConversation | None, first: bool
) -> tuple[list[LiveEvent], SeenConversation]:
    inspection, resolved = answers.opened(row.id)
    compactions = inspection.compactions()
    tokens, threshold = _size(inspection, resolved)
    near = threshold > 0 and tokens >= NEAR * threshold
    known = len(compactions) if first else 0 if before is None else before.compactions
    fresh = [one for one in compactions if one.index > known]
    events = [LiveEvent("compacted", row, _compacted(recorded), recorded.index) for recorded in fresh]
    if fresh and not first:
        events += _lost(answers, kept, row, {one.index for one in fresh})
    if compactions and not first:
        start = (0, 0) if before is None else before.end
        events += [
            LiveEvent("done again", row, _again(event), event.compaction)
            for event in read_aftermath_results(answers.store, row.id, kept)[1]
            if (event.place.generation, event.place.index) >= start
        ]
    if near and (before is None or not before.near):
        left = max(0, threshold - tokens)
        text = f"near the threshold: {tokens:,} of {threshold:,} tokens, {left:,} left"
        events.append(LiveEvent("near", row, text, None, tokens, threshold))
    live = inspection.conversation.live
    end = live.number, len(live)
    return events, SeenConversation((row.last_active, row.messages), len(compactions), near, end)


def _size(inspection: Inspection, resolved: ResolvedSettings) -> tuple[int, int]:
    """Tokens of the live list, reported by its last request or rough, and the threshold in force."""
    live = inspection.conversation.live
    plan = inspection.plan(live, resolved.settings)
    contexts = [
        request.context + request.output
        for request in inspection.requests()
        if request.generation == live.number and request.context
    ]
    return contexts[-1] if contexts else plan.tokens_before, plan.budgets.threshold_tokens


def _compacted(recorded: Compaction) -> str:
    who = "by hand" if recorded.trigger == "manual" else "automatically" if recorded.trigger else "compacted"
    before = recorded.tokens_before_reported or recorded.tokens_before
    after = recorded.tokens_after_reported or recorded.tokens_after
    verb = "compacted" if who == "compacted" else f"compacted {who}"
    return f"{verb}: {recorded.before:,} to {recorded.after:,} messages, ~{before:,} to ~{after:,} tokens"


def _again(event: AftermathEvent) -> str:
    behind = f" ({event.fate}: “{safe_title(event.fact, 120)}”)" if event.fact else ""
    return f"{event.kind}: {event.text}{behind}"


def _lost(
    answers: Answers, kept: KeptResults, row: ConversationRow, compactions: set[int]
) -> Iterator[LiveEvent]:
    losses = read_losses(answers.store, row.id, kept)
    for loss in losses.compactions:
        if loss.compaction not in compactions or not (loss.lost or loss.weakened):
            continue
        counts = ", ".join(f"{count:,} {kind}" for kind, count in loss.lost.items())
        weak = f"{loss.weakened:,} weakened" if loss.weakened else ""
        first = f"; first “{safe_title(loss.facts[0].text, 160)}”" if loss.facts else ""
        yield LiveEvent(
            "lost", row, f"lost: {', '.join(filter(None, (counts, weak)))}{first}", loss.compaction
        )
    if losses.unknown:
        yield LiveEvent(
            "lost", row, f"the fate of {losses.unknown:,} facts is unknown: the summary is encrypted"
        )
