"""Reading a conversation for replay."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate

from inspector.agents import row_of
from inspector.answers.inspection import Inspection, passing, watched
from inspector.answers.resolving import caching_release
from inspector.answers.shown_settings import earlier_settings, settings_of, settings_without_tail
from inspector.caching.modelled import SentMessages
from inspector.core.conversations import ASSISTANT, Conversation, Request
from inspector.engines.capabilities import loop_of, shortens
from inspector.engines.failures import failures_named
from inspector.engines.hygiene import GATEWAYS
from inspector.engines.registry import agent_of, engine
from inspector.engines.replayable import ReadList, replayable
from inspector.replay.context_scale import Reported
from inspector.replay.earlier import EarlierSettings
from inspector.replay.recording import Recording, SessionUsage, SizeRecords, recording_of


def read_recording(
    inspection: Inspection, profile: str, watch: Callable[[int], None] | None = None
) -> Recording:
    """Read every list of a conversation once, for a replay under the rules of a profile. Raises EngineError if its
    engine fails, StoreErrors.

    `watch` gets the number of messages read; an InspectorError from it ends the reading.
    """
    rules = replayable(engine(profile))
    generations = inspection.conversation.generations
    compactions = inspection.compactions()
    lists, times = [], []
    done = 0
    for generation in generations:
        sent = SentMessages(caching_release(profile))
        listed = rules.read(watched(passing(inspection.store.iterate(generation), sent.note), watch, done))
        sent.sized(listed.chars, listed.images)
        inspection.keep_sent(generation, sent)
        lists.append(listed)
        times.append(sent.times)
        done += len(generation)
    systems = [inspection.system_tokens(generation.session) for generation in generations]
    evidence = _evidence(inspection, list(_reported(inspection, lists, systems, times)), profile)
    is_own = agent_of(profile) == inspection.conversation.row.agent
    clears = is_own and not shortens(rules.engine)
    return recording_of(inspection.conversation, compactions, rules, lists, systems, evidence, clears)


def _evidence(inspection: Inspection, requests: Sequence[Reported], profile: str) -> SizeRecords:
    """Return the records about sizes of requests, and the earlier settings of a profile."""
    conversation, store = inspection.conversation, inspection.store
    microcompactions = store.microcompactions(conversation)
    force = settings_of(inspection, {}).settings
    in_force = engine(force.profile)
    of_force = _earlier(inspection, force.profile, requests)
    with failures_named(in_force):
        threshold = in_force.budgets(force).threshold_tokens
        thresholds = [in_force.budgets(entry.of(force)).threshold_tokens for entry in of_force]
    passed = list(zip(of_force, thresholds, strict=True))
    earlier = of_force if profile == force.profile else _earlier(inspection, profile, requests)
    if requests or not row_of(conversation.row.agent).session_usage:
        return SizeRecords(requests, (), microcompactions, threshold, earlier=earlier, passed=passed)
    gateway = conversation.row.source.lower() in GATEWAYS
    sums = list(_sums(conversation))
    return SizeRecords((), sums, microcompactions, threshold, loop_of(in_force), gateway, earlier, passed)


def _earlier(inspection: Inspection, profile: str, requests: Sequence[Reported]) -> list[EarlierSettings]:
    """Return the earlier settings in force under a profile, without the current ones."""
    flags = {"profile": profile}
    lengths = {request.number: request.length for request in requests}
    last = settings_without_tail(inspection, flags).settings
    earlier = []
    for end, values in earlier_settings(inspection, flags):
        number, length = (
            (end.generation, lengths.get(end.index, 0))
            if isinstance(end, Request)
            else (end.number, len(end))
        )
        changed = {name: (values[name], getattr(last, name)) for name in values}
        earlier.append(EarlierSettings(number, length, changed))
    return _joined(earlier)


def _joined(earlier: Iterable[EarlierSettings]) -> list[EarlierSettings]:
    """Join consecutive entries with the same settings. Entries at the end that equal the current settings are left
    out."""
    joined: list[EarlierSettings] = []
    for entry in earlier:
        if joined and joined[-1].changed == entry.changed:
            joined.pop()
        joined.append(entry)
    while joined and not joined[-1].changed:
        joined.pop()
    return joined


def _sums(conversation: Conversation) -> Iterator[SessionUsage]:
    """Yield the sum of calls of each session, then the last call, which the newest session records."""
    for session in conversation.sessions:
        usage = session.usage
        yield SessionUsage(session.id, usage.calls, usage.context)
    tip = conversation.sessions[-1]
    anchor = tip.config.get("_usage_anchor")
    if isinstance(anchor, Mapping):
        tokens, length = anchor.get("prompt_tokens"), anchor.get("base_count")
        if isinstance(tokens, int) and isinstance(length, int):
            yield SessionUsage(tip.id, 1, tokens, length)


def _reported(
    inspection: Inspection,
    lists: Sequence[ReadList],
    systems: Sequence[int],
    times: Sequence[Sequence[float]],
) -> Iterator[Reported]:
    """Yield each request with its list. A request without a time is left out, because its list is not known."""
    grown = [(listed.growth(), list(accumulate(at, max))) for listed, at in zip(lists, times, strict=True)]
    calls = inspection.requests()
    # A summarizing call has another prompt than the list.
    summarizing = inspection.summarizing(calls)
    for request in calls:
        if request.index in summarizing or request.unsized or not request.at:
            continue
        sizes, until = grown[request.generation - 1]
        first, end = bisect_left(until, request.at), bisect_right(until, request.at)
        # A log may give its time to all messages of an exchange: the last answer of that time is the request's.
        roles = inspection.conversation.generations[request.generation - 1].roles
        length = max(first, roles.rfind(ASSISTANT, first, end))
        rough = sizes[length] + systems[request.generation - 1]
        yield Reported(
            request.generation,
            rough,
            request.context,
            length,
            request.output,
            request.index,
            request.reasoning,
        )


def shared_recording(
    inspection: Inspection, profile: str, watch: Callable[[int], None] | None = None
) -> Recording:
    """Return the recording, read once for each inspection and engine; two engines are kept. Raises as
    `recording_of`."""
    recordings = inspection.recordings
    with inspection.reading((profile, 0, 0)):
        recording: Recording | None = recordings.get(profile)
        if recording is None:
            recording = read_recording(inspection, profile, watch)
            while len(recordings) > 1:
                recordings.pop(next(iter(recordings)))
            recordings[profile] = recording
        return recording
