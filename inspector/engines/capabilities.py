"""Optional methods of an engine in addition to `Engine`, and their defaults.

An engine may have `prune(messages, plan)`, `pruned_wire(message, caller)`, `assemble(messages, plan, summary)`,
`fallback_raises(messages, plan)`, `summary_input(messages, plan, focus, mask)`,
`default_threshold(context_length)`, `shortens` with `shortened(message)`, a `loop` and `replayable()` (see
`replayable`).
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

#: Prefix of the source of a threshold that is the default of an engine; its profile in words follows.
OBSERVED_IN = "observed in"
#: Prefix of the source of a setting that only the recorded compactions show.
SHOWN = "shown by"
#: Prefix of the source of a context length that may be larger.
AT_LEAST = "at least"


def _optional_method(engine: Engine, name: str) -> Callable[..., Any] | None:
    """Return the engine's own method, whose failures name the engine; None if the engine lacks it."""
    method: Callable[..., Any] | None = getattr(engine, name, None)
    return None if method is None else failures_named(engine)(method)


def default_threshold(engine: Engine, context_length: int) -> float | None:
    """Return the default share of the window at which the engine compacts; None for the usual default.

    Raises EngineError if the engine fails.
    """
    method = _optional_method(engine, "default_threshold")
    return None if method is None else method(context_length)


def loop_of(engine: Engine) -> Loop:
    """Return the loop of the engine's agent: when it checks the size of its list. The default is before each
    request."""
    loop = getattr(engine, "loop", None)
    return loop if isinstance(loop, Loop) else BEFORE_REQUESTS


def prune(engine: Engine, messages: Sequence[Message], plan: Plan) -> Sequence[Wire]:
    """Return every message after pruning, the same mapping if unchanged. Without this method all messages are
    unchanged. Raises EngineError if the engine fails."""
    method = _optional_method(engine, "prune")
    return [message.wire for message in messages] if method is None else method(messages, plan)


def prunes(engine: Engine) -> bool:
    """Return whether the engine can show messages after pruning."""
    return hasattr(engine, "prune")


def shortens(engine: Engine) -> bool:
    """Return whether the engine shortens long results first, and compacts only if that is not enough."""
    return bool(getattr(engine, "shortens", False))


def shortened(engine: Engine, message: Message) -> Message:
    """Return a message as the engine shortens it, or the same message. Raises EngineError if the engine fails."""
    method = _optional_method(engine, "shortened")
    return message if method is None else method(message)


def pruned_wire(engine: Engine, message: Message, caller: Message | None) -> Wire | None:
    """Return one message after pruning; None if the engine lacks this method. `caller` is the assistant message with
    its call. Raises EngineError if it fails."""
    method = _optional_method(engine, "pruned_wire")
    return None if method is None else method(message, caller)


def fallback_raises(engine: Engine, messages: Sequence[Message], plan: Plan) -> str:
    """Return the error that the release raises when it writes a fallback text; "" if it raises none.

    Raises EngineError if the engine fails.
    """
    method = _optional_method(engine, "fallback_raises")
    return "" if method is None else method(messages, plan)


def assemble(engine: Engine, messages: Sequence[Message], plan: Plan, summary: str) -> Sequence[Output]:
    """Return the list after the plan's compaction, with `summary` as the text of the handoff.

    Without this method it is head, kept middle, summary and tail, unchanged. Raises EngineError if the engine fails.
    """
    method = _optional_method(engine, "assemble")
    if method is not None:
        output: Sequence[Output] = method(messages, plan, summary)
        return output
    head, tail = plan.regions()
    stay = [*range(head), *sorted(plan.kept)]
    listed = [Output(messages[index].wire, index) for index in stay]
    if plan.compacts and plan.role:
        listed.append(Output({"role": plan.role, "content": summary}, "summary"))
    return listed + [Output(message.wire, index) for index, message in enumerate(messages[tail:], tail)]


def summary_input(
    engine: Engine, messages: Sequence[Message], plan: Plan, focus: str = "", mask: Mask = unmasked
) -> SummaryInput:
    """Return the input of the summary model for the plan's compaction. Without this method it has the whole messages.

    `mask` removes secrets from each text before it is cut. Raises EngineError if the engine fails.
    """
    method = _optional_method(engine, "summary_input")
    if method is None:
        return plain_input(messages, prune(engine, messages, plan), plan, focus, mask)
    given: SummaryInput = method(messages, plan, focus, mask)
    return given
