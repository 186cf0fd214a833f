"""One generation: its messages, and the plan that the settings make of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inspector.answers.answers import Answers
from inspector.answers.cachepoints import breakpoints_of
from inspector.answers.inspection import Inspection
from inspector.answers.resolving import info_for
from inspector.caching.breakpoints import Breakpoint
from inspector.config.settings import ResolvedSettings
from inspector.core.conversations import Compaction, Conversation, Generation, Usage
from inspector.core.messages import Message
from inspector.core.rough import text_tokens
from inspector.engines.base import Plan


@dataclass(frozen=True, slots=True)
class ExactCount:
    """Tokens of a whole list with its system prompt, and the encoding that they were counted with."""

    tokens: int
    encoding: str


@dataclass(frozen=True, slots=True)
class ShownGeneration:
    """A generation as the settings in force see it.

    `recorded` is the compaction that ended it, None for the live one. `exact` is None where nothing was counted,
    `usage` where the store has none of the generation's session. `profile_reason` says why this profile.
    """

    conversation: Conversation
    generation: Generation
    messages: Sequence[Message]
    plan: Plan
    resolved: ResolvedSettings
    profile_reason: str
    system_prompt: str
    breakpoints: tuple[Breakpoint, ...]
    recorded: Compaction | None
    exact: ExactCount | None
    usage: Usage | None

    @property
    def system_tokens(self) -> int:
        """Rough tokens of the system prompt."""
        return text_tokens(len(self.system_prompt))


def show_generation(answers: Answers, name: str, number: int | None, exact: bool) -> ShownGeneration:
    """Generation `number`, the live one without; `exact` counts tokens exactly where a vocabulary is at hand. Raises
    UnknownConversation, StoreErrors and EngineErrors."""
    inspection, resolved = answers.opened(name)
    generation = inspection.generation(number)
    messages = answers.store.messages(generation)
    conversation, session = inspection.conversation, generation.session
    detected = resolved.sources["profile"] == "detected"
    return ShownGeneration(
        conversation=conversation,
        generation=generation,
        messages=messages,
        plan=inspection.plan(generation, resolved.settings),
        resolved=resolved,
        profile_reason=info_for(answers.store, session).profile_reason if detected else "chosen",
        system_prompt=inspection.system_prompt(session),
        breakpoints=breakpoints_of(inspection, generation, messages, resolved, None, None),
        recorded=next((c for c in inspection.compactions() if c.index == generation.number), None),
        exact=_exact(answers, inspection, generation, messages) if exact else None,
        usage=next((s.usage for s in conversation.sessions if s.id == session), None),
    )


def _exact(
    answers: Answers, inspection: Inspection, generation: Generation, messages: Sequence[Message]
) -> ExactCount | None:
    from inspector.tokens.tokenizers import counter_for

    counter = counter_for(inspection.conversation.row.model)
    if not counter.available:
        answers.note(counter.reason)
        return None
    system = counter.count(inspection.system_prompt(generation.session))
    return ExactCount(system + sum(map(counter.count_message, messages)), counter.encoding)
