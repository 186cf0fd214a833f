"""One generation, whole or at a step: its messages, and its plan under the settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from inspector.answers.answers import Answers
from inspector.answers.cachepoints import breakpoints_of
from inspector.answers.inspection import Inspection
from inspector.answers.live_sizes import LiveSize, live_size, reported_sizes
from inspector.answers.recordings import shared_recording
from inspector.answers.resolving import next_policy, ttl_of
from inspector.caching.breakpoints import Breakpoint
from inspector.config.settings import ResolvedSettings
from inspector.core.conversations import Compaction, Conversation, Generation, Usage
from inspector.core.errors import NoVocabulary, UsageProblem
from inspector.core.handoff import handoff_of
from inspector.core.messages import Message
from inspector.core.rough import text_tokens
from inspector.engines.base import Plan
from inspector.replay.moments import Moments
from inspector.replay.transcript import transcript_of

#: Number of messages that are counted and kept together.
_BATCH = 512


class ExactCount(Struct, frozen=True):
    """Tokens of a whole list with its system prompt, and the encoding that they were counted with."""

    tokens: int
    encoding: str


class ShownGeneration(Struct, frozen=True):
    """A generation under the settings in force.

    `step` is the number of messages of the conversation at that time, None for the whole list. `recorded` is the
    compaction that ended the list, None for the live list. `breakpoints` is empty if the requests have none.
    `exact` is None if nothing was counted, `usage` if the store has no usage of the session. `reported` is the size
    of the agent's last request and its answer, None if unknown or at a step. `at_step` is the size at the step as
    in a replay, in tokens as the agent reports them; None if unknown. `summary_at` is a message with a summary that
    its wording does not show. `profile_reason` explains the profile, `limits` are sentences about data that the
    agent never records.
    """

    conversation: Conversation
    generation: Generation
    messages: Sequence[Message]
    plan: Plan
    resolved: ResolvedSettings
    profile_reason: str
    limits: tuple[str, ...]
    system_prompt: str
    breakpoints: tuple[Breakpoint, ...]
    recorded: Compaction | None
    exact: ExactCount | None
    usage: Usage | None
    step: int | None = None
    reported: LiveSize | None = None
    at_step: int | None = None
    summary_at: int | None = None

    @property
    def system_tokens(self) -> int:
        """Rough tokens of the system prompt."""
        return text_tokens(len(self.system_prompt))


def show_generation(
    answers: Answers, name: str, number: int | None, exact: bool, step: int | None = None
) -> ShownGeneration:
    """Return generation `number` (default: the live one), or the list after `step` messages.

    `exact` counts tokens exactly if a vocabulary is available. Raises UnknownConversation, UsageProblem for an unknown
    generation or step, StoreErrors and EngineErrors.
    """
    inspection, resolved = answers.opened(name)
    generation, length = (
        list_at(inspection, step) if step is not None else (inspection.generation(number), None)
    )
    messages = answers.store.messages(generation, 0, length)
    conversation, session = inspection.conversation, generation.session
    prompt, profile = inspection.system_prompt(session), resolved.settings.profile
    detected = resolved.sources["profile"] == "detected"
    return ShownGeneration(
        conversation=conversation,
        generation=generation,
        messages=messages,
        plan=inspection.plan_of(generation, messages, resolved.settings),
        resolved=resolved,
        limits=answers.store.info_of(session).limits,
        profile_reason=answers.store.info_of(session).profile_reason if detected else "chosen",
        system_prompt=prompt,
        breakpoints=breakpoints_of(inspection, messages, prompt, profile, None, ttl_of(resolved))
        if next_policy(conversation.row, profile).enabled
        else (),
        # No compaction ended the live list, and reading the compactions reads all lists.
        recorded=next((item for item in inspection.compactions() if item.index == generation.number), None)
        if step is None and generation is not conversation.live
        else None,
        exact=_exact(answers, inspection, generation, messages) if exact else None,
        usage=next((item.usage for item in conversation.sessions if item.id == session), None)
        if step is None
        else None,
        step=step,
        reported=None if step is not None else _reported(inspection, generation, messages),
        at_step=None if step is None else _size_at(inspection, profile, step),
        summary_at=_summary_at(inspection, generation, messages),
    )


def _summary_at(inspection: Inspection, generation: Generation, messages: Sequence[Message]) -> int | None:
    """Return the index of a summary that only the compaction before the list names, or None."""
    # Reading the compactions reads all lists.
    if generation.number == 1 or any(handoff_of(message) is not None for message in messages):
        return None
    index = generation.number - 1
    return next((item.summary_at for item in inspection.compactions() if item.index == index), None)


def _size_at(inspection: Inspection, profile: str, step: int) -> int | None:
    """Return the size of the request after `step` messages, as a replay has it; None if the agent reports no sizes."""
    recording = shared_recording(inspection, profile)
    return recording.tokens[step - 1] if recording.course.scale.requests else None


def _reported(inspection: Inspection, generation: Generation, messages: Sequence[Message]) -> LiveSize | None:
    conversation, requests = inspection.conversation, inspection.requests()
    if generation.live:
        return live_size(inspection.store, conversation, requests, messages)
    size = reported_sizes(requests, conversation.live.number).get(generation.number)
    return None if size is None else LiveSize(size)


def api_messages(answer: ShownGeneration) -> list[dict[str, Any]]:
    """Return the list as OpenAI-style messages, the system prompt first."""
    wires = [dict(message.wire) for message in answer.messages]
    prompted = wires[:1] and wires[0].get("role") == "system"
    prompt = answer.system_prompt
    return wires if prompted or not prompt else [{"role": "system", "content": prompt}, *wires]


def list_at(inspection: Inspection, step: int) -> tuple[Generation, int]:
    """Return the generation that was live after that number of messages, and the length of its list then.

    Raises UsageProblem for an unknown step.
    """
    conversation, compactions = inspection.conversation, inspection.compactions()
    transcript = transcript_of(conversation, compactions)
    if not 1 <= step <= len(transcript):
        raise UsageProblem(
            f"There is no step {step:,}: {len(transcript):,} messages were said, and steps count them from 1."
        )
    moments = Moments(transcript, compactions, [len(generation) for generation in conversation.generations])
    moment = moments.of_step(step)
    return inspection.generation(moment.generation), moment.length


def _exact(
    answers: Answers, inspection: Inspection, generation: Generation, messages: Sequence[Message]
) -> ExactCount | None:
    from inspector.tokens.tokenizers import counter_for

    try:
        counter = counter_for(inspection.conversation.row.model)
    except NoVocabulary as error:
        answers.note(str(error))
        return None
    system = counter.count(inspection.system_prompt(generation.session))
    batches = (messages[at : at + _BATCH] for at in range(0, len(messages), _BATCH))
    return ExactCount(system + sum(sum(counter.count_messages(batch)) for batch in batches), counter.encoding)
