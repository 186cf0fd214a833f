"""What an engine may bring beside `Engine`, and what stands in for it where it does not.

An engine may have `prune(messages, plan)`, `pruned_wire(message, caller)`, `assemble(messages, plan, summary)`,
`fallback_raises(messages, plan)`, `summary_input(messages, plan, focus, mask)`,
`default_threshold(context_length)`, a `loop` and `replayable()` (see `replayable`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inspector.core.messages import Message
from inspector.engines.base import Engine, Output, Plan
from inspector.engines.failures import failures_named
from inspector.engines.loop import BEFORE_REQUESTS, Loop
from inspector.engines.summary_input import Mask, SummaryInput, plain_input, unmasked

Wire = Mapping[str, Any]
_OwnInput = Callable[[Sequence[Message], Plan, str, Mask], SummaryInput]


def default_threshold(engine: Engine, context_length: int) -> float | None:
    """The share of the window at which the engine compacts where nobody set one; None where it takes the usual one.
    Raises EngineError where it fails."""
    own: Callable[[int], float] | None = getattr(engine, "default_threshold", None)
    if own is None:
        return None
    with failures_named(engine):
        return own(context_length)


def loop_of(engine: Engine) -> Loop:
    """When the engine's agent looks at the size of its list; before each request where the engine does not say."""
    loop = getattr(engine, "loop", None)
    return loop if isinstance(loop, Loop) else BEFORE_REQUESTS


def prune(engine: Engine, messages: Sequence[Message], plan: Plan) -> Sequence[Wire]:
    """Every message as it stands after pruning, the same mapping where nothing changed; all of them as they are where
    the engine does not say. Raises EngineError where it fails."""
    own: Callable[[Sequence[Message], Plan], Sequence[Wire]] | None = getattr(engine, "prune", None)
    if own is None:
        return [message.wire for message in messages]
    with failures_named(engine):
        return own(messages, plan)


def prunes(engine: Engine) -> bool:
    """Whether the engine says what pruning leaves of messages."""
    return hasattr(engine, "prune")


def pruned_wire(engine: Engine, message: Message, caller: Message | None) -> Wire | None:
    """One message as pruning leaves it, `caller` being the assistant message whose call it answers; None where the
    engine does not say. Raises EngineError where it fails."""
    own: Callable[[Message, Message | None], Wire] | None = getattr(engine, "pruned_wire", None)
    if own is None:
        return None
    with failures_named(engine):
        return own(message, caller)


def fallback_raises(engine: Engine, messages: Sequence[Message], plan: Plan) -> str:
    """What the release raises where no summary can be had and it writes a text of its own; empty where it goes on or
    the engine does not say. Raises EngineError where the engine fails."""
    own: Callable[[Sequence[Message], Plan], str] | None = getattr(engine, "fallback_raises", None)
    if own is None:
        return ""
    with failures_named(engine):
        return own(messages, plan)


def assemble(engine: Engine, messages: Sequence[Message], plan: Plan, summary: str) -> Sequence[Output]:
    """The list after the plan's compaction, `summary` being the handoff's text; head, what is kept of the middle,
    summary and tail as they stand where the engine does not say. Raises EngineError where it fails."""
    own: Callable[[Sequence[Message], Plan, str], Sequence[Output]] | None = getattr(engine, "assemble", None)
    if own is not None:
        with failures_named(engine):
            return own(messages, plan, summary)
    head, tail = plan.regions()
    stay = [*range(head), *sorted(plan.kept)]
    output = [Output(messages[index].wire, index) for index in stay]
    if plan.compacts and plan.role:
        output.append(Output({"role": plan.role, "content": summary}, "summary"))
    return output + [Output(message.wire, index) for index, message in enumerate(messages[tail:], tail)]


def summary_input(
    engine: Engine, messages: Sequence[Message], plan: Plan, focus: str = "", mask: Mask = unmasked
) -> SummaryInput:
    """What the plan's compaction hands to the model that writes the summary; the messages written out whole where the
    engine does not say. `mask` takes secrets out of each text before it is cut. Raises EngineError where it fails."""
    own: _OwnInput | None = getattr(engine, "summary_input", None)
    if own is None:
        return plain_input(messages, prune(engine, messages, plan), plan, focus, mask)
    with failures_named(engine):
        return own(messages, plan, focus, mask)
