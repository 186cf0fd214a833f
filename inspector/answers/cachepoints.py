"""The prompt-cache breakpoints of a generation."""

from __future__ import annotations

from msgspec import Struct

from inspector.answers.answers import Answers
from inspector.answers.inspection import Inspection
from inspector.answers.resolving import caching_release, marks_for, next_policy, ttl_of
from inspector.caching.breakpoints import Breakpoint, Layout, Messages, Ttl, breakpoints, measured_breakpoints
from inspector.caching.policy import CachePolicy
from inspector.config.settings import ResolvedSettings
from inspector.core.messages import Message
from inspector.engines.base import TokenIndex


class PlacedBreakpoint(Struct, frozen=True):
    """A breakpoint, the message that carries it (None: the system prompt), and the rough tokens up to its end (None:
    unknown)."""

    breakpoint: Breakpoint
    message: Message | None
    tokens: int | None


class CachePoints(Struct, frozen=True):
    """The breakpoints of the next request of a generation, by the rules of a profile; none if these are unknown.

    `recorded` are the breakpoints of its last request, as paths; None if they are not recorded.
    """

    conversation: str
    generation: int
    layout: Layout
    ttl: Ttl
    profile: str
    policy: CachePolicy
    points: tuple[PlacedBreakpoint, ...]
    recorded: tuple[tuple[str | int, ...], ...] | None = None


def cache_points(
    answers: Answers, name: str, number: int | None, layout: Layout | None, ttl: Ttl | None
) -> CachePoints:
    """Return the breakpoints of generation `number` (default: the live one). The default layout and time to live are
    those in force. Raises UnknownConversation, UsageProblem for an unknown generation, and StoreErrors."""
    inspection, resolved = answers.opened(name)
    generation = inspection.generation(number)
    messages = answers.store.messages(generation)
    profile = resolved.settings.profile
    policy = next_policy(inspection.conversation.row, profile)
    layout = layout or policy.layout
    ttl = ttl or ttl_for(inspection, resolved)
    system = inspection.system_tokens(generation.session)
    token_index = inspection.token_index(generation, profile)
    return CachePoints(
        inspection.conversation.id,
        generation.number,
        layout,
        ttl,
        profile,
        policy,
        tuple(
            PlacedBreakpoint(
                point,
                None if point.message is None else messages[point.message],
                _tokens_until(point, token_index, system),
            )
            for point in breakpoints_of(
                inspection, messages, inspection.system_prompt(generation.session), profile, layout, ttl
            )
        ),
        _recorded(answers, inspection, generation.number),
    )


def _recorded(
    answers: Answers, inspection: Inspection, number: int
) -> tuple[tuple[str | int, ...], ...] | None:
    """Return the breakpoints of the last request of a generation as it was sent."""
    ends = {compaction.index: compaction.at for compaction in inspection.compactions()}
    began, ended = ends.get(number - 1, 0.0), ends.get(number, float("inf"))
    requests = answers.store.sent(inspection.conversation)
    sent = [request for request in requests if began <= request.at < ended]
    return sent[-1].breakpoints if sent else None


def _tokens_until(point: Breakpoint, token_index: TokenIndex, system: int) -> int | None:
    """Return the rough tokens up to a breakpoint. None for a part before the messages that may include the tools."""
    if point.message is None:
        return system if point.part == "text" else None
    return system + token_index.rough_until(point.message + 1)


def breakpoints_of(
    inspection: Inspection, messages: Messages, prompt: str, profile: str, layout: Layout | None, ttl: Ttl
) -> tuple[Breakpoint, ...]:
    """Return the breakpoints of a list under a profile; none if its rules are unknown.

    A layout of None is the profile's. A system prompt in the list replaces `prompt`.
    """
    policy = next_policy(inspection.conversation.row, profile)
    if policy.enabled is None:
        return ()
    if len(messages) and messages[0].role == "system":
        prompt = ""
    marks = marks_for(inspection.conversation.row, profile)
    if marks is not None:
        return measured_breakpoints(messages, marks.before, marks.last, marks.newest_user, ttl)
    release = caching_release(profile)
    return breakpoints(messages, prompt, layout=layout or policy.layout, ttl=ttl, release=release)


def ttl_for(inspection: Inspection, resolved: ResolvedSettings) -> Ttl:
    """Return the time to live of the cache: of the last request of an agent with measured breakpoints, else as
    configured. Raises StoreErrors."""
    if marks_for(inspection.conversation.row, resolved.settings.profile) is None:
        return ttl_of(resolved)
    requests = reversed(inspection.requests())
    for_an_hour = next((request.cache_write_1h for request in requests if request.cache_write), None)
    return "1h" if for_an_hour else ttl_of(resolved)
