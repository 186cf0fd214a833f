"""A message with all properties that plans use, computed on first use. Rows never change: pruning a row always returns
the same other row. So lists that share rows share the results, and a sweep reads each text once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain, islice, takewhile
from operator import attrgetter
from typing import Any

from inspector.core.conversations import role_code
from inspector.core.messages import Message
from inspector.engines.hermes import pruning
from inspector.engines.hermes.direct.estimates import THOUGHT, message_tokens, rough_tokens
from inspector.engines.hermes.direct.handoffs import (
    is_blank,
    is_handoff,
    is_synthetic,
    plain_text,
    without_handoff,
)
from inspector.engines.hermes.estimates import call_id, check_serializable, has_text
from inspector.engines.hermes.policies import PRUNE_OVER, Policies

Wire = Mapping[str, Any]
#: Skills whose lost text is longer than this many characters are named.
_SKILL_OVER = 5_000


class DirectRow:
    """One message under the rules of one release. Its properties raise the errors of the release."""

    def __init__(self, wire: Wire, policies: Policies) -> None:
        self.wire = wire
        self.policies = policies
        self.role = wire.get("role")
        self.content = wire.get("content")
        #: The last tool passed to `shortened`, and its result.
        self._short: tuple[pruning.Tool, DirectRow] | None = None

    def changed(self, **changed: Any) -> DirectRow:
        """Return the message with other values under some keys."""
        return DirectRow({**self.wire, **changed}, self.policies)

    @cached_property
    def tokens(self) -> int:
        """Tokens in walks over the list if no assistant message follows."""
        return message_tokens(self.wire, self.policies)

    @cached_property
    def old_tokens(self) -> int:
        """Tokens in walks over the list if an assistant message follows."""
        if not self.policies.lean_tail or THOUGHT.isdisjoint(self.wire):
            return self.tokens
        return message_tokens(self.wire, self.policies, newest=False)

    @cached_property
    def rough(self) -> int:
        """Tokens in the rough estimate of a list."""
        return rough_tokens(self.wire)

    @cached_property
    def handoff(self) -> bool:
        """Whether the message is or holds a handoff."""
        return is_handoff(self.wire, self.policies)

    @cached_property
    def remainder(self) -> DirectRow | None:
        """The message without the handoff that was merged with it; None if nothing is left."""
        wire = without_handoff(self.wire, self.policies)
        return self if wire is self.wire else None if wire is None else DirectRow(wire, self.policies)

    @cached_property
    def blank(self) -> bool:
        """Whether it is a user message without content."""
        return is_blank(self.wire, self.policies)

    @cached_property
    def is_personal(self) -> bool:
        """Whether a person wrote it."""
        return self.role == "user" and not self.blank and not is_synthetic(self.wire, self.policies)

    @cached_property
    def has_text(self) -> bool:
        """Whether it has a text that is not empty."""
        return has_text(self.content)

    @cached_property
    def asks(self) -> bool:
        """Whether it is a user message with a text."""
        return self.role == "user" and bool(plain_text(self.content).strip())

    @cached_property
    def visible_role(self) -> str | None:
        """The role as templates count it for alternation; None if they skip the message."""
        return visible_role(self.wire)

    @cached_property
    def code(self) -> int:
        """The code of its role."""
        return role_code(self.role)

    @cached_property
    def calls(self) -> bool:
        """Whether it makes tool calls."""
        return bool(self.wire.get("tool_calls"))

    @cached_property
    def tools(self) -> list[tuple[Any, pruning.Tool]]:
        """The calls of an assistant message with their tools."""
        return pruning.called_tools(self.wire) if self.role == "assistant" else []

    @cached_property
    def skills(self) -> list[str]:
        """The names of the skills that an assistant message loads, in lower case."""
        if self.role != "assistant":
            return []
        names = []
        for call in self.wire.get("tool_calls") or []:
            function = call.get("function", {}) if isinstance(call, dict) else {}
            if not isinstance(function, dict) or function.get("name") != "skill_view":
                continue
            arguments = function.get("arguments", "")
            if isinstance(arguments, str) and (name := skill_of(("skill_view", arguments)).lower()):
                names.append(name)
        return names

    @cached_property
    def lower(self) -> str:
        """The text of a user message in lower case."""
        return self.content.lower() if self.role == "user" and isinstance(self.content, str) else ""

    @cached_property
    def is_written(self) -> bool:
        """True: the release can write the message out for the summary model."""
        check_serializable(self.wire, self.policies)
        return True

    @cached_property
    def mended(self) -> DirectRow | None:
        """The message as it stays: `remainder`. Raises if the release cannot compare the ids of its calls."""
        if self.remainder is not None and self.role == "assistant":
            for call in self.wire.get("tool_calls") or []:
                hash(call_id(call))
        elif self.remainder is not None and self.role == "tool":
            hash(self.wire.get("tool_call_id"))
        return self.remainder

    # Pruning.

    @cached_property
    def digest(self) -> bytes | None:
        """Key of a result that a later result may repeat; None for other messages."""
        if self.role != "tool" or not isinstance(self.content, str) or len(self.content) < PRUNE_OVER:
            return None
        return pruning.digest(self.content)

    @cached_property
    def repeated(self) -> DirectRow:
        """A result as a reference to a later one with the same text."""
        return self.changed(content=pruning.DUPLICATE)

    @cached_property
    def is_short(self) -> bool:
        """Whether pruning has no shorter form of its content."""
        if self.role != "tool":
            return True
        if isinstance(self.content, str):
            return len(self.content) <= PRUNE_OVER or _is_short_already(self.content)
        return self._plain is self

    @cached_property
    def _plain(self) -> DirectRow:
        """Return a result without its pictures if its content is not a text."""
        content = self.wire.get("content", "")
        short = pruning.short_result(content, pruning.UNKNOWN_TOOL, self.policies)
        return self if short is content else self.changed(content=short)

    def shortened(self, tool: pruning.Tool) -> DirectRow:
        """Return a result as a line about it."""
        if not isinstance(self.content, str):
            return self._plain
        if self._short is None or self._short[0] is not tool:
            line = pruning.short_result(self.content, tool, self.policies)
            self._short = tool, self.changed(content=_with_marker(line, self.content, tool))
        return self._short[1]

    @cached_property
    def shrunk(self) -> DirectRow:
        """The assistant message with short arguments; itself if no argument is long."""
        if self.role != "assistant" or not self.calls:
            return self
        calls = pruning.short_calls(self.wire)
        return self if calls is self.wire["tool_calls"] else self.changed(tool_calls=calls)

    @cached_property
    def pictureless(self) -> DirectRow:
        """The result without its pictures; itself if it has none."""
        if self.role != "tool" or not isinstance(self.content, list):
            return self
        remaining = pruning.without_pictures(self.content)
        return self if remaining is self.content else self.changed(content=remaining)


def rows_of(messages: Iterable[Message], policies: Policies) -> list[DirectRow]:
    """Return a row for each message."""
    return [DirectRow(message.wire, policies) for message in messages]


#: Properties of a row, to map over a list.
TOKENS, OLD_TOKENS, ROUGH = attrgetter("tokens"), attrgetter("old_tokens"), attrgetter("rough")
DIGEST, TOOLS, SKILLS, SHORT, SHRUNK = map(attrgetter, ("digest", "tools", "skills", "is_short", "shrunk"))
CODE, CALLS = attrgetter("code"), attrgetter("calls")
HANDOFF, WRITTEN, MENDED = map(attrgetter, ("handoff", "is_written", "mended"))


def tokens_from_end(rows: Sequence[DirectRow]) -> Iterator[int]:
    """Yield the tokens of each message in a walk over the list, from its end on."""
    last = (at for at in range(len(rows) - 1, -1, -1) if rows[at].role == "assistant")
    newest = next(last, 0)
    return chain(map(TOKENS, reversed(rows[newest:])), map(OLD_TOKENS, reversed(rows[:newest])))


def totals_within(rows: Sequence[DirectRow], ceiling: int, floor: int) -> list[int]:
    """Return the running totals from the end that are at most `ceiling` tokens. The last `floor` - 1 messages always
    count."""
    totals = accumulate(tokens_from_end(rows))
    fit = list(islice(totals, max(0, floor - 1)))
    fit += takewhile(ceiling.__ge__, totals)
    return fit


class RowNumbers(Sequence[int]):
    """A number of each row, read where a rule asks for it."""

    def __init__(self, rows: Sequence[DirectRow], number: Callable[[DirectRow], int]) -> None:
        self._rows, self._number = rows, number

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: Any) -> Any:
        return self._number(self._rows[index])


def last_user(rows: Sequence[DirectRow], start: int) -> int:
    """Return the last message of a person from `start` on, or -1."""
    for index in range(len(rows) - 1, start - 1, -1):
        if rows[index].is_personal:
            return index
    return -1


def echoes_after(rows: Sequence[DirectRow], user: int) -> range:
    """Return the blank user messages right after a message, if an answer of the assistant follows them."""
    if user < 0:
        return range(0)
    stop = user + 1
    while stop < len(rows) and rows[stop].blank:
        stop += 1
    return range(user + 1, stop) if stop < len(rows) and rows[stop].role == "assistant" else range(0)


def visible_role(wire: Wire) -> str | None:
    """Return the role of a message as templates count it for alternation; None if they skip it."""
    role = wire.get("role")
    if role == "tool" or (role == "assistant" and wire.get("tool_calls")):
        return None
    return role


def skill_of(tool: pruning.Tool) -> str:
    """Return the name of the skill that a call loads; "" if it loads none."""
    if tool[0] != "skill_view":
        return ""
    arguments = pruning.arguments_of(tool[1])
    name = arguments.get("name", "") if isinstance(arguments, dict) else ""
    return name if isinstance(name, str) else ""


def _is_short_already(content: str) -> bool:
    if content == pruning.PLACEHOLDER or content.startswith((pruning.DUPLICATE_START, "[screenshot removed")):
        return True
    return content.startswith("[") and " chars)" in content and len(content) < 400


def _with_marker(line: Any, content: str, tool: pruning.Tool) -> Any:
    """Return the line with the name of the lost skill and the way to load it again."""
    if tool[0] != "skill_view" or len(content) <= _SKILL_OVER or not isinstance(line, str):
        return line
    arguments = pruning.arguments_of(tool[1])
    name = arguments.get("name", "?") if isinstance(arguments, dict) else "?"
    return f"{line} [SKILL_PRUNED: content lost in compression; reload with skill_view(name='{name}')]"
