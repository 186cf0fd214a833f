"""The settings of a conversation, also those that only its recorded requests and compactions show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from inspector.answers.inspection import Inspection
from inspector.answers.resolving import resolve
from inspector.config.settings import ResolvedSettings
from inspector.core.conversations import Compaction, ConversationRow, Generation, Request, Session
from inspector.core.rough import wires_tokens
from inspector.core.shares import plural
from inspector.engines.base import Settings
from inspector.engines.capabilities import AT_LEAST, SHOWN, loop_of, shortens
from inspector.engines.registry import agent_of, budgets_of, engine, words_of
from inspector.engines.settings import SETTINGS, difference
from inspector.replay.recorded_tail import RecordedTail, recorded_tail
from inspector.replay.recorded_threshold import first_beyond, last_beyond, recorded_threshold
from inspector.replay.recording import FAR_BELOW

#: The end of a note about a threshold that the record contradicts.
DOUBTFUL = "is doubtful."
#: Minimum threshold in tokens that recorded compactions can show.
_MIN_THRESHOLD = 1_000


def settings_of(inspection: Inspection, flags: Mapping[str, Any]) -> ResolvedSettings:
    """Return the settings for a conversation. Raises as `resolve` does, and StoreErrors.

    If the threshold or the tail of an observed agent is not set, the recorded compactions may show it.
    """
    resolved = settings_without_tail(inspection, flags)
    tail = _shown_tail(inspection, resolved.settings)
    if tail is None:
        return resolved
    return resolved.with_value(
        "tail_tokens", tail, f"{SHOWN} the recorded compactions ({plural(tail, 'token')})"
    )


def settings_without_tail(inspection: Inspection, flags: Mapping[str, Any]) -> ResolvedSettings:
    """Return the settings without the size of the tail that the compactions show: finding it reads the messages."""
    return _resolve_row(inspection, row_in_force(inspection), flags)


def row_in_force(inspection: Inspection) -> ConversationRow:
    """Return the row of the conversation with the model and the limits of its last request. Raises StoreErrors."""
    requests = _list_requests(inspection)
    return _row_of_request(inspection, requests[-1]) if requests else inspection.conversation.row


def settings_at(
    inspection: Inspection, recorded: Compaction, resolved: ResolvedSettings
) -> tuple[ConversationRow, ResolvedSettings]:
    """Return the row and the settings for the model and the limits at a compaction. `resolved` is in force now; values
    that the user gave apply to the whole conversation. Raises as `resolve` does, and StoreErrors.

    The model may change right before a compaction or right after it. Then the model with the lower threshold counts.
    """
    row = row_in_force(inspection)
    requests = _list_requests(inspection)
    after = next((request for request in requests if request.generation > recorded.index), None)
    last = next((request for request in reversed(requests) if request.generation == recorded.index), None)
    rows = [row if after is None else _row_of_request(inspection, after)]
    rows += [] if last is None else [_row_of_request(inspection, last)]
    given = {
        name: getattr(resolved.settings, name)
        for name, setting in SETTINGS.items()
        if resolved.sources.get(name) == setting.flag
    }
    each = [
        (candidate, resolved if candidate == row else _resolve_row(inspection, candidate, given))
        for candidate in dict.fromkeys(rows)
    ]
    with_window = [one for one in each if not is_assumed(one[1])] or each[:1]
    return min(with_window, key=lambda one: budgets_of(one[1].settings).threshold_tokens)


def earlier_settings(
    inspection: Inspection, flags: Mapping[str, Any]
) -> Iterator[tuple[Request | Generation, Mapping[str, Any]]]:
    """Yield the settings that were in force before the current settings, oldest first.

    Each entry has the last request under these settings, and by name the values that differ from the current
    settings. It has the last list instead if the store has no requests. The settings follow from the recorded
    models and limits, and from the thresholds that the compactions show. Raises as `resolve` does, and StoreErrors.
    """
    rows: list[tuple[Request | Generation, ConversationRow]]
    rows = [(request, _row_of_request(inspection, request)) for request in _list_requests(inspection)]
    if not rows:
        sessions = {session.id: session for session in inspection.conversation.sessions}
        rows = [
            (generation, _row_of_session(inspection, sessions.get(generation.session)))
            for generation in inspection.conversation.generations
        ]
    current = _resolve_row(inspection, rows[-1][1], flags)
    until = _end_of_higher_threshold(inspection, rows[-1][1], current, flags)
    same: frozenset[ConversationRow] = frozenset()
    if until:
        same = _rows_like(inspection, rows[-1][1], _with_shown_window(inspection, rows[-1][1], flags), flags)
    times = [
        (entry, (row, until if row in same and _generation_of(entry) <= until else None))
        for entry, row in rows
    ]
    ends = [entry for entry, following in pairwise(times) if entry[1] != following[1]]
    resolved = {
        (row, last): _resolve_row(inspection, row, flags, last)
        for row, last in dict.fromkeys(time for _, time in ends)
    }
    for end, time in ends:
        if not is_assumed(resolved[time]):
            yield end, difference(resolved[time].settings, current.settings)


def is_assumed(resolved: ResolvedSettings) -> bool:
    """Return whether the window is assumed, because the model is unknown."""
    return resolved.sources["context_length"].startswith("assumed")


def _generation_of(entry: Request | Generation) -> int:
    return entry.generation if isinstance(entry, Request) else entry.number


def _end_of_higher_threshold(
    inspection: Inspection, row: ConversationRow, current: ResolvedSettings, flags: Mapping[str, Any]
) -> int:
    """Return the last generation for which the compactions until then show a higher threshold than later ones; 0 if
    there is none. Only the compactions of an observed agent show one."""
    if not current.sources.get("threshold", "").startswith(("observed", SHOWN)):
        return 0
    rules = engine(current.settings.profile)
    threshold, turns_end = rules.budgets(current.settings).threshold_tokens, loop_of(rules).turns_end
    until = last_beyond(threshold, _list_requests(inspection), _excused(inspection), turns_end)
    if until is None:
        return 0
    earlier = _resolve_row(inspection, row, flags, until)
    is_shown = earlier.sources["threshold"].startswith(SHOWN)
    return until if is_shown and earlier.settings.threshold > current.settings.threshold else 0


def _list_requests(inspection: Inspection) -> tuple[Request, ...]:
    """Return the requests without the summarizing calls of compactions."""
    requests = inspection.requests()
    if not any(request.summarizes for request in requests):
        return requests
    numbers = {compaction.index for compaction in _unsized_compactions(inspection)}
    return tuple(call for call in requests if not (call.summarizes and call.generation in numbers))


def _unsized_compactions(inspection: Inspection) -> tuple[Compaction, ...]:
    return inspection.store.unsized_compactions(inspection.conversation)


def _row_of_request(inspection: Inspection, request: Request) -> ConversationRow:
    """Return the row of the conversation with the model and the limits of a request.

    The window of the row is that of its model.
    """
    row = inspection.conversation.row
    is_of_row = request.model in ("", row.model)
    return row._replace(
        model=request.model or row.model,
        window=request.window or (row.window if is_of_row else None),
        max_tokens=row.max_tokens if request.max_tokens is None else request.max_tokens,
    )


def _row_of_session(inspection: Inspection, session: Session | None) -> ConversationRow:
    """Return the row of the conversation with the model of a session."""
    row = inspection.conversation.row
    if session is None or not session.model:
        return row
    return row._replace(model=session.model, provider=session.provider, base_url=session.base_url)


def _resolve_row(
    inspection: Inspection, row: ConversationRow, flags: Mapping[str, Any], until: int | None = None
) -> ResolvedSettings:
    """Return the settings for the model and the limits of `row`, with the window that its requests show and the
    threshold that its compactions show. With `until`, only the generations up to this number show a threshold."""
    resolved = _with_shown_window(inspection, row, flags)
    settings = resolved.settings
    if not _is_own(inspection, settings) or not resolved.sources.get("threshold", "").startswith("observed"):
        return resolved
    rows = [(request, _row_of_request(inspection, request)) for request in _list_requests(inspection)]
    same = _rows_like(inspection, row, resolved, flags)
    requests = [
        request
        for request, row_then in rows
        if row_then in same and (until is None or request.generation <= until)
    ]
    usual = engine(settings.profile).budgets(settings).threshold_tokens
    if inspection.conversation.sessions[-1].events is not None:
        counts = f"{words_of(settings.profile)} counts events, not tokens"
        resolved = resolved.with_note(f"{counts}: a threshold of {usual:,} tokens {DOUBTFUL}")
    if not requests:
        return resolved if rows else _doubted_by_rough_sizes(inspection, resolved, usual)
    first = {request.generation: row_then for request, row_then in reversed(rows)}
    compactions = [
        compaction
        for compaction in _unsized_compactions(inspection)
        if first.get(compaction.index + 1, first.get(compaction.index)) in same
        and (until is None or compaction.index <= until)
    ]
    loop, excused = loop_of(engine(settings.profile)), _excused(inspection)

    def shown_by(compactions: Sequence[Compaction]) -> int | None:
        return recorded_threshold(usual, requests, compactions, excused, loop.reasoning, loop.turns_end)

    shown = shown_by(compactions)
    if shown is not None:
        compactions = [item for item in compactions if not _lacks_last_message(inspection, item)]
        shown = shown_by(compactions)
    by_size = sum(item.by_size for item in compactions)
    overflown = sum(item.overflow for item in compactions)
    if overflown and not by_size and shown is None:
        why = "because a request did not fit into the window"
        note = (
            f"{plural(overflown, 'recorded compaction')} came only {why}: the usual threshold of {usual:,} "
            f"tokens {DOUBTFUL}"
        )
        return resolved.with_note(note)
    if shown is None:
        below = [item.tokens_before_reported or 0 for item in compactions if item.by_size and item.whole]
        # An agent that adds reasoning compacts at more tokens than it records.
        if loop.reasoning or not below or not 0 < min(below) <= max(below) < usual:
            return resolved
        came = f"{plural(len(below), 'recorded compaction')} came"
        return _doubted(resolved, f"{came} below the usual threshold of {usual:,} tokens, at", below)
    # A request that does not fit may be larger than the window, and the window may be larger than is known.
    is_least = has_least_window(resolved)
    share = shown / settings.context_length
    share = min(1.0, share) if is_least or not by_size else share
    if shown < _MIN_THRESHOLD or not SETTINGS["threshold"].low <= share <= 1:
        return resolved
    by = "the recorded compactions" if (by_size or overflown) > 1 else "one recorded compaction"
    return resolved.with_value("threshold", share, f"{SHOWN} {by} ({shown:,} tokens; {usual:,} is usual)")


def passed_without_compaction(
    inspection: Inspection, recorded: Compaction, settings: Settings
) -> Request | None:
    """Return the first request before a compaction that reached the threshold of these settings, without a compaction.

    None if there is none, or if the agent may have shortened results there instead. Raises StoreErrors.
    """
    rules = engine(settings.profile)
    if shortens(rules):
        return None
    threshold, requests = budgets_of(settings).threshold_tokens, _list_requests(inspection)
    return first_beyond(threshold, requests, recorded.index, _excused(inspection), loop_of(rules))


def _lacks_last_message(inspection: Inspection, compaction: Compaction) -> bool:
    """Return whether the last message of the list before is larger than the reported size of the whole list."""
    reported = compaction.tokens_before_reported
    if not reported or not compaction.before:
        return False
    generation = inspection.generation(compaction.index)
    last = inspection.store.messages(generation, compaction.before - 1, compaction.before)
    return wires_tokens([message.wire for message in last]) > reported


def _doubted_by_rough_sizes(
    inspection: Inspection, resolved: ResolvedSettings, usual: int
) -> ResolvedSettings:
    """Return the settings with a note if most compactions came far below the usual threshold, by the rough tokens of
    their messages. The agent records no sizes."""
    whole = [item for item in _unsized_compactions(inspection) if item.by_size and item.whole]
    if len(whole) < 2 or any(item.tokens_before_reported for item in whole):
        return resolved
    rough = [item.tokens_before for item in inspection.compactions() if item.by_size and item.whole]
    far = [size for size in rough if 0 < size < FAR_BELOW * usual]
    if 2 * len(far) <= len(rough):
        return resolved
    came = f"{len(far):,} of {plural(len(rough), 'recorded compaction')} came"
    return _doubted(resolved, f"{came} far below the usual threshold of {usual:,} tokens, at about", far)


def _doubted(resolved: ResolvedSettings, came: str, sizes: Sequence[int]) -> ResolvedSettings:
    """Return the settings with a note that compactions of these sizes contradict the usual threshold."""
    largest = f" to {max(sizes):,}" if min(sizes) < max(sizes) else ""
    note = f"{came} {min(sizes):,}{largest}: the usual threshold {DOUBTFUL}"
    return resolved.with_note(note)


def is_doubtful(resolved: ResolvedSettings) -> bool:
    """Return whether the record contradicts the threshold in force."""
    return any(note.endswith(DOUBTFUL) for note in resolved.notes)


def doubt_about(resolved: ResolvedSettings) -> str:
    """Return why the threshold in force is uncertain, in a few words; "" if nothing speaks against it."""
    if is_doubtful(resolved):
        return "a doubtful threshold"
    is_shown = resolved.sources.get("threshold", "").startswith(SHOWN)
    return "a threshold that only the compactions show" if is_shown else ""


def has_least_window(resolved: ResolvedSettings) -> bool:
    """Return whether only a minimum of the context length is known, so that the threshold may be higher."""
    return resolved.sources["context_length"].startswith(AT_LEAST)


def _rows_like(
    inspection: Inspection, row: ConversationRow, resolved: ResolvedSettings, flags: Mapping[str, Any]
) -> frozenset[ConversationRow]:
    """Return the rows of the requests with the limits of `row`, which has these settings. Models with the same known
    limits have the same threshold."""

    def is_like(other: ConversationRow) -> bool:
        if other == row or is_assumed(resolved):
            return other == row
        shown = _with_shown_window(inspection, other, flags)
        return shown.settings == resolved.settings and not is_assumed(shown)

    rows = {_row_of_request(inspection, request) for request in _list_requests(inspection)}
    return frozenset(filter(is_like, rows))


def _excused(inspection: Inspection) -> list[float]:
    """Return the times at which the agent cleared results or failed to compact."""
    store, conversation = inspection.store, inspection.conversation
    cleared = [microcompaction.at for microcompaction in store.microcompactions(conversation)]
    return cleared + [failure.at for failure in store.failures(conversation)]


def _is_own(inspection: Inspection, settings: Settings) -> bool:
    """Return whether the profile has the rules of the conversation's agent. Its compactions do not show the settings of
    another agent."""
    return agent_of(settings.profile) == inspection.conversation.row.agent


def _with_shown_window(
    inspection: Inspection, row: ConversationRow, flags: Mapping[str, Any]
) -> ResolvedSettings:
    """Return the settings for a row, with a wider window if the model answered two requests that are larger.

    A recorded window is never changed. A single larger request may be an error of the record.
    """
    resolved = resolve(inspection.store, row, flags, inspection.config)
    window = resolved.settings.context_length
    larger = [call for call in _list_requests(inspection) if call.context > window]
    if row.window is not None or not larger:
        return resolved
    sizes = [call.context for call in larger if _row_of_request(inspection, call) == row]
    if len(sizes) < 2:
        return resolved
    source = f"{AT_LEAST}: a request of {max(sizes):,} tokens was answered"
    wider_row = row._replace(window=max(sizes), window_source=source)
    wider = resolve(inspection.store, wider_row, flags, inspection.config)
    if wider.sources["context_length"] != source:
        return resolved
    note = (
        f"The context window is at least {max(sizes):,} tokens, because a request of this size was answered; "
        f"{window:,} are expected ({resolved.sources['context_length']}). Give --context-length to set it."
    )
    return wider.with_note(note)


def _shown_tail(inspection: Inspection, settings: Settings) -> int | None:
    """Return the tokens of the tail that the recorded compactions show, if they are not the usual ones.

    None if the tail is set, or if the compactions show no other tail.
    """
    if settings.tail_tokens is not None or not _is_own(inspection, settings):
        return None
    budgets = budgets_of(settings)
    if "tail_tokens" not in budgets.also_used:
        return None
    usual = budgets.tail_token_budget
    compactions = _unsized_compactions(inspection)
    cut = [item for item in compactions if item.whole and item.tail_start < item.before]
    # Earlier lists are read only if the newest compaction did not keep the usual tail.
    if not cut or _cut(inspection, cut[-1], settings).planned(usual) == cut[-1].tail_start:
        return None
    tried = [int(tokens) for tokens in SETTINGS["tail_tokens"].usual]
    return recorded_tail([_cut(inspection, item, settings) for item in cut], usual, tried)


def _cut(inspection: Inspection, recorded: Compaction, settings: Settings) -> RecordedTail:
    """Return the recorded start of a tail, with a function that plans the start for another number of tokens."""
    generation = inspection.generation(recorded.index)
    most = inspection.token_index(generation, settings.profile).total()

    def planned(tokens: int) -> int:
        plan = inspection.plan(generation, settings.with_(tail_tokens=tokens))
        return plan.tail_start if plan.compacts else 0

    return RecordedTail(recorded.tail_start, most, planned)
