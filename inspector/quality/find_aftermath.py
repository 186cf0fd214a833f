"""Find the repeated work after compactions: the acts of each message, then the events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from inspector.core.handoff import handoff_of
from inspector.core.messages import Message
from inspector.core.places import Place
from inspector.core.rough import text_tokens
from inspector.quality.act import MAX_ARGUMENT, OPENS, Act
from inspector.quality.acts import acts_of_call, attached_in
from inspector.quality.aftermath import AftermathEvent, Step, place_of
from inspector.quality.call_results import (
    error_in,
    failure,
    lines_seen,
    marked_error,
    opened,
    output_lines,
    was_made,
)
from inspector.quality.facts.fact import ConversationFacts
from inspector.quality.harmed_facts import HarmedFacts
from inspector.quality.repeated_acts import repeated_acts
from inspector.quality.repeated_statements import complaints, repeated_statements
from inspector.quality.spoken_acts import admission_in, compacts, complaint_in, names_in, questions_in


def steps_with_acts(messages: Iterable[tuple[Step, Message]]) -> Iterator[Step]:
    """Yield the messages that have acts. The tokens and the failure of a result belong to the call that it answers."""
    waiting: list[Step] = []
    by_call: dict[str, int] = {}
    names: dict[str, str] = {}
    asked, asked_at = frozenset[str](), -1
    for step, message in messages:
        if message.role == "tool":
            at = by_call.get(message.tool_call_id, len(waiting) - 1 if waiting and len(by_call) <= 1 else -1)
            if at >= 0:
                waiting[at] = _with_result(waiting[at], message, names.get(message.tool_call_id, ""))
            continue
        yield from waiting
        waiting, by_call, names = [], {}, {}
        if message.speaker == "user" and handoff_of(message) is None:
            asked, asked_at = names_in(message.text), step.step
            speech = Act("say", "", message.text[:MAX_ARGUMENT])
            if compacts(message.text):
                yield replace(step, acts=(Act("compact", "", ""),))
            else:
                complaint = complaint_in(message.text)
                yield replace(step, acts=(speech,) if complaint is None else (speech, complaint))
        step = replace(step, asked=asked, asked_at=asked_at)
        if (attached := attached_in(message)) is not None:
            yield replace(step, acts=(attached,))
        if message.role == "assistant":
            if handoff_of(message) is None and (act := admission_in(message.text)):
                yield replace(step, acts=(act,))
            for call in message.tool_calls:
                by_call[call.id], names[call.id] = len(waiting), call.name
                waiting.append(replace(step, acts=tuple(acts_of_call(call))))
            questions = tuple(questions_in(message)) if message.text and not message.tool_calls else ()
            if questions:
                waiting.append(replace(step, acts=questions))
    yield from waiting


def _with_result(step: Step, message: Message, tool: str) -> Step:
    """Add the result of a call to its acts: the tokens, and a failure if the agent marked one.

    A cancelled or refused call has no acts but its questions. A tool that failed wrote nothing.
    Files and pages that one call opens share the tokens of its result. A file that it could not open is left out.
    Agents do not mark every failed command, so this searches the output of commands and writes for an error. It does
    not search the text of a read file, which may have such lines.
    """
    result = message.text
    if not was_made(result):
        return replace(step, acts=tuple(act for act in step.acts if act.kind == "ask"))
    tokens = text_tokens(len(result))
    shares = sum(act.kind in OPENS for act in step.acts)
    acts = tuple(
        replace(act, tokens=act.tokens + (tokens // shares if act.kind in OPENS else tokens))
        for act in step.acts
    )
    failed = next((act for act in acts if act.kind in ("run", "write")), None)
    error = error_in(result) if failed is not None else ""
    if message.wire.get("is_error") and not error:
        error = marked_error(result)
        failed = failed or next(iter(acts), Act("run", tool, tool, tokens=tokens))
    # A command may fail after it printed a file.
    stopped = bool(message.wire.get("is_error")) and all(act.kind != "run" for act in acts)
    acts = tuple(
        replace(act, seen=_lines_of_act(act, result)) if act.kind != "read" or shares == 1 else act
        for act in acts
        if not (stopped and act.kind in (*OPENS, "write")) and (act.kind not in OPENS or opened(act, result))
    )
    return replace(step, acts=(*acts, failure(failed, error)) if failed is not None and error else acts)


def _lines_of_act(act: Act, result: str) -> frozenset[int]:
    """Return the hashes of the lines that an act read, wrote or printed."""
    if act.kind in ("run", "call"):
        return output_lines(result)
    if act.kind not in ("read", "write"):
        return act.seen
    return lines_seen(result if act.kind == "read" else act.content)


def aftermath_of(steps: Iterable[Step], facts: ConversationFacts) -> tuple[AftermathEvent, ...]:
    """Return the repeated work, the complaints and the acts against rules of a conversation, in order."""
    harmed = HarmedFacts(facts)
    # The words of the command that compacts are for the summary.
    for_summary: set[Place] = set()
    acts = list(repeated_acts(_noting(steps, for_summary, harmed), harmed))
    told_before = {event.place for event in acts if event.kind == "told before"}
    statements = [
        replace(event, kind="told before") if event.is_kept and event.place in told_before else event
        for event in repeated_statements(facts, harmed)
        if event.place not in for_summary
    ]
    # A complaint that repeats a statement is one event.
    places = {event.place for event in statements}
    acts = [event for event in acts if event.place not in places]
    events = [*complaints(acts, facts, harmed), *statements]
    return _in_order(events)


def with_repeats(
    events: Iterable[AftermathEvent], repeats: Sequence[AftermathEvent]
) -> tuple[AftermathEvent, ...]:
    """Return the events of the rules with the repeated statements that a model found, in order.

    A complaint of the rules in the same message is the same event: the statement behind it says more. A statement that
    the list still has is a complaint of repetition.
    """
    found = {event.place: replace(event, kind="told before") if event.is_kept else event for event in repeats}
    by_rules: list[AftermathEvent] = []
    for event in events:
        if event.kind == "said again" or (event.kind == "told before" and event.fact):
            found.pop(event.place, None)
        if event.kind not in ("forgot", "told before") or event.place not in found:
            by_rules.append(event)
    return _in_order((*by_rules, *found.values()))


def _in_order(events: Iterable[AftermathEvent]) -> tuple[AftermathEvent, ...]:
    return tuple(sorted(events, key=lambda event: (event.place.generation, event.place.index)))


def _noting(steps: Iterable[Step], for_summary: set[Place], harmed: HarmedFacts) -> Iterator[Step]:
    """Yield the steps with acts to compare. Add the places of commands that compact to `for_summary`, and what the user
    says and the agent asks to `harmed`."""
    for step in steps:
        for act in step.acts:
            if act.kind == "compact":
                for_summary.add(place_of(step))
            elif act.kind in ("say", "ask"):
                harmed.note(step.step, act.text)
        acts = tuple(act for act in step.acts if act.kind != "say")
        if acts:
            yield replace(step, acts=acts)
