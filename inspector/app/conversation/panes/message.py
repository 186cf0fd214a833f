"""The message under the cursor."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from inspector.app.conversation.keys import key_of
from inspector.app.conversation.panes.base import Context, Pane
from inspector.app.conversation.resources import FACTS
from inspector.app.conversation.rows import is_tool_error
from inspector.core.conversations import Generation
from inspector.core.errors import EngineError, StoreError
from inspector.core.messages import Message as StoredMessage
from inspector.core.shares import plural
from inspector.engines.base import Plan
from inspector.engines.capabilities import pruned_wire
from inspector.engines.registry import engine
from inspector.stores.base import Store
from inspector.stores.lines import text_of_file
from widgets.base.markdown_lines import is_markdown, markdown_lines
from widgets.base.text_lines import TextLine
from widgets.lists.message_list import MessageRow
from widgets.panes.message_pane import CallView, MessagePane, MessageView

if TYPE_CHECKING:
    from inspector.quality.facts.fact import Life

#: Number of messages before and after a message that are searched for its calls and results.
_AROUND = 24
#: A message is read after the cursor has rested for this time, in seconds. A held key repeats faster, so that
#: scrolling costs nothing.
_REST = 0.06
#: Maximum size of a result that is read from a file, in bytes.
_WHOLE = 4_000_000
_REASONING = ("reasoning_content", "reasoning")
_SHOWN_ELSEWHERE = frozenset(
    {"role", "content", "tool_calls", "reasoning", "reasoning_content", "reasoning_details"}
)


def _needs(context: Context) -> tuple[Any, ...] | None:
    rows, find = context.messages.rows, context.state.find
    if rows is None or not len(rows):
        return None
    generation, index = rows.place(context.state.row)
    row = rows.row(context.state.row)
    if index < 0:
        return None, generation, index, row, rows.system_prompt, None, find, ()
    plan = rows.marks.plan if generation is rows.generation and index in rows.pruned else None
    whole = context.opened.generations[generation.number - 1]
    facts = context.loaded.latest(FACTS) if context.state.moment is None else None
    lives = () if facts is None else facts.by_message.of(generation.number, index)
    return context.opened.inspection.store, whole, index, row, "", plan, find, lives


def compute(
    store: Store | None,
    generation: Generation,
    index: int,
    row: MessageRow,
    prompt: str,
    plan: Plan | None,
    find: str,
    lives: tuple[Life, ...] = (),
) -> tuple[MessageView | None, str]:
    """Return a message with the results of its calls, and the text to mark in it; without a store the system prompt.

    `plan` is a plan that prunes the message, `lives` are the facts that it says. Raises StoreErrors.
    """
    if store is None:
        return system_view(row, prompt), find
    start = max(0, index - _AROUND)
    around = store.messages(generation, start, min(len(generation), index + 1 + _AROUND))
    if index - start >= len(around):
        return None, find
    message = around[index - start]
    pruned = None
    if plan is not None:
        callers = {call.id: other for other in around[: index - start] for call in other.tool_calls}
        pruned = pruned_text(message, callers, plan)
    view = message_view(row, message, around[index - start + 1 :], pruned)
    return replace(view, statements=lives), find


def message_view(
    row: MessageRow, message: StoredMessage, following: Sequence[StoredMessage], pruned: str | None
) -> MessageView:
    """A message with the results of its calls, which are looked for in `following`."""
    # Some agents use an id again: the next result with it answers the call.
    results = {other.tool_call_id: other for other in reversed(following) if other.role == "tool"}
    calls = []
    for call in message.tool_calls:
        result = results.get(call.id)
        calls.append(
            CallView(
                name=call.name,
                arguments=call.arguments,
                id=call.id,
                result=None if result is None else result.text,
                error=result is not None and is_tool_error(result),
            )
        )
    reasoning = next(
        (value for key in _REASONING if isinstance(value := message.wire.get(key), str) and value), ""
    )
    facts = tuple(
        (key.replace("_", " "), str(value))
        for key, value in message.wire.items()
        if key not in _SHOWN_ELSEWHERE and isinstance(value, str | int | float)
    )
    notes = []
    if message.images:
        notes.append(f"holds {plural(message.images, 'picture')}")
    whole = ""
    if message.whole:
        notes.append(f"the model was sent its beginning; the whole result is in {message.whole}")
        try:
            whole = text_of_file(Path(message.whole), _WHOLE)
        except StoreError as error:
            notes.append(str(error))
    return MessageView(
        row=row,
        text=message.text,
        whole=whole,
        time=message.timestamp,
        calls=tuple(calls),
        reasoning=reasoning,
        markdown=_markdown(message.role, message.text),
        raw=json.dumps(dict(message.wire), ensure_ascii=False, indent=2, default=str),
        pruned=pruned,
        facts=(("row", str(message.id)), *facts) if message.id >= 0 else facts,
        notes=tuple(notes),
    )


def _markdown(role: str, text: str) -> tuple[TextLine, ...]:
    """The lines of a text of the user or the agent that is Markdown; none for output of tools and JSON."""
    if role == "tool" or text.lstrip()[:1] in ("{", "[") or not is_markdown(text):
        return ()
    return markdown_lines(text)


def system_view(row: MessageRow, prompt: str) -> MessageView:
    """The system prompt, which precedes the list."""
    return MessageView(
        row=row,
        text=prompt,
        markdown=_markdown("system", prompt),
        raw=json.dumps({"role": "system", "content": prompt}, ensure_ascii=False, indent=2),
        notes=("precedes the list and is never compacted",),
    )


def pruned_text(message: StoredMessage, calls: Mapping[str, StoredMessage], plan: Plan) -> str | None:
    """Return the message after pruning; None if the engine cannot show it, a sentence where it fails."""
    try:
        wire = pruned_wire(engine(plan.profile), message, calls.get(message.tool_call_id))
    except EngineError as error:
        return str(error)
    if wire is None:
        return None
    if wire.get("tool_calls") != message.wire.get("tool_calls"):
        return json.dumps(wire.get("tool_calls"), ensure_ascii=False, indent=2)
    content = wire.get("content")
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, indent=2)


PANE = Pane(
    "The message under the cursor: text, tool calls with results, reasoning, the message after pruning, the stored "
    "row, and the fates of its facts. m shows the source of rendered Markdown. "
    f"{key_of('conversation.trace')} traces a selected text, or a fact of the message, through the compactions.",
    MessagePane,
    _needs,
    compute,
    lambda state: (FACTS,),
    show=MessagePane.set_message,
    threaded=True,
    rest=_REST,
)
