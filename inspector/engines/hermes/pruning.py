"""Shorten old tool results and long arguments as Hermes does.

The one-line texts are exactly the texts of the releases.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from inspector.core.messages import is_image, shrunk_arguments
from inspector.engines.hermes.policies import ARGUMENTS_OVER, LEAF_KEPT, PRUNE_OVER, Policies

PLACEHOLDER = "[Old tool output cleared to save context space]"
DUPLICATE = "[Duplicate tool output — same content as a more recent call]"
DUPLICATE_START = "[Duplicate tool output"
PICTURE_REMOVED = "[screenshot removed to save context]"

_EXIT_PATTERN = re.compile(r'"exit_code"\s*:\s*(-?\d+)')
_TOTAL_PATTERN = re.compile(r'"total_count"\s*:\s*(\d+)')
_BROWSER = frozenset(
    f"browser_{verb}" for verb in ("navigate", "click", "snapshot", "type", "scroll", "vision")
)

#: Errors that a release can raise on a malformed message: it indexes, measures and joins without a type check.
RELEASE_ERRORS = (TypeError, AttributeError, KeyError, ValueError, IndexError, RecursionError)

Tool = tuple[Any, Any]
UNKNOWN_TOOL: Tool = ("unknown", "")


class Facts(NamedTuple):
    """Facts about a tool result for its one-line form: length in characters, lines, and two numbers in it."""

    chars: int
    lines: int
    exit_code: str
    total: str


def facts_of(content: str) -> Facts:
    """Return the facts about a result's text."""
    lines = content.count("\n") + 1 if content.strip() else 0
    exit_code = _EXIT_PATTERN.search(content) if '"exit_code"' in content else None
    total = _TOTAL_PATTERN.search(content) if '"total_count"' in content else None
    return Facts(len(content), lines, exit_code[1] if exit_code else "?", total[1] if total else "?")


# _LONGER makes each fact longer by its own bit. A line shows each fact at most once, so it grows by the sum of the bits
# of its facts.
_LEAST, _LONGER = Facts(0, 0, "", ""), Facts(10, 100, "4444", "88888888")
_CHARS, _LINES, _EXIT_CODE, _TOTAL_COUNT = 1, 2, 4, 8


class Extent(NamedTuple):
    """Length in characters of the one-line form of a call, before its result is known.

    `chars` and `printed` (with quotes and escapes) are lengths with the shortest facts. `facts` is the sum of _CHARS,
    _LINES, _EXIT_CODE and _TOTAL_COUNT for the facts that the line shows. `raises` is the error's name if the release
    fails.
    """

    chars: int
    printed: int
    facts: int
    raises: str = ""

    def growth(self, chars: int, lines: int, exit_code: int, total: int) -> int:
        """Return the number of characters that facts of these lengths add."""
        added = ((_CHARS, chars), (_LINES, lines), (_EXIT_CODE, exit_code), (_TOTAL_COUNT, total))
        return sum(length for bit, length in added if self.facts & bit)


#: Extent of a line that cannot be made.
NO_LINE = Extent(0, len(repr("")), 0)


def extent_of(tool: Tool, policies: Policies) -> Extent:
    """Return the extent of the line about a call, so that the arguments of the call need not be kept."""
    if policies.placeholder:
        return Extent(len(PLACEHOLDER), len(repr(PLACEHOLDER)), 0)
    name, arguments = tool[0], arguments_of(tool[1])
    try:
        text = _line_about(name, arguments, _LEAST, policies)
        longer = _line_about(name, arguments, _LONGER, policies)
        return Extent(len(text), len(repr(text)), len(longer) - len(text))
    except RELEASE_ERRORS as error:
        return NO_LINE._replace(raises=type(error).__name__)


def fallback_raises(wires: Sequence[Mapping[str, Any]], start: int, stop: int, policies: Policies) -> str:
    """Return the error that a release raises without a summary, such as "TypeError at message 3"; "" if it raises none.

    Some releases then write a fallback text with a line for each tool result in wires[start:stop]. A malformed call
    makes such a line fail.
    """
    if not policies.tells_dropped or policies.guards_lines:
        return ""
    tools: dict[str, Tool] = {}
    for wire in wires[start:stop]:
        for call in (wire.get("tool_calls") or []) if wire.get("role") == "assistant" else []:
            identifier = str(call.get("id") or "") if isinstance(call, dict) else ""
            if identifier:
                function = call.get("function") or {}
                tools[identifier] = (
                    str(function.get("name") or "unknown"),
                    str(function.get("arguments") or ""),
                )
    for index, wire in enumerate(wires[start:stop], start):
        if wire.get("role") == "tool":
            tool = tools.get(str(wire.get("tool_call_id") or ""), UNKNOWN_TOOL)
            raises = extent_of(tool, policies).raises
            if raises:
                return f"{raises} at message {index}"
    return ""


def lengths(facts: Facts) -> tuple[int, int, int, int]:
    """Return the number of characters that each fact adds to a line with it."""
    chars, lines = len(f"{facts.chars:,}") - 1, len(str(facts.lines)) - 1
    return chars, lines, len(facts.exit_code), len(facts.total)


def digest(content: str) -> bytes:
    """Return a key for finding duplicate results: the truncated hash of the releases."""
    data = content.encode("utf-8", errors="replace")
    return hashlib.md5(data, usedforsecurity=False).digest()[:6]


def called_tools(wire: Mapping[str, Any]) -> list[tuple[Any, Tool]]:
    """Return the id and the tool of every call in an assistant message. Raises as the release does."""
    return [
        _called(call) if isinstance(call, dict) else ("", UNKNOWN_TOOL)
        for call in wire.get("tool_calls") or []
    ]


def _called(call: Mapping[str, Any]) -> tuple[Any, Tool]:
    function = call.get("function", {})
    return call.get("id", ""), (function.get("name", "unknown"), function.get("arguments", ""))


def short_result(content: Any, tool: Tool, policies: Policies) -> Any:
    """Return the content of an old tool result after pruning; the same object if nothing changes. Raises one of
    RELEASE_ERRORS as the release does."""
    if isinstance(content, list):
        return content if policies.placeholder else without_pictures(content)
    if isinstance(content, dict) and content.get("_multimodal") and not policies.placeholder:
        summary = content.get("text_summary") or PICTURE_REMOVED
        return f"[screenshot removed] {summary[:200]}"
    if not isinstance(content, str) or not is_prunable(content):
        return content
    if policies.placeholder:
        return PLACEHOLDER
    return line_about(tool, facts_of(content), policies)


def is_prunable(content: str) -> bool:
    """Return whether a result's text is long enough to prune and was not pruned before."""
    return len(content) > PRUNE_OVER and content != PLACEHOLDER and not content.startswith(DUPLICATE_START)


def without_pictures(blocks: list[Any], instead: str = PICTURE_REMOVED) -> list[Any]:
    """Return the blocks with the text `instead` in place of each picture; the same list if it has no picture."""
    if not any(is_image(part) for part in blocks):
        return blocks
    return [{"type": "text", "text": instead} if is_image(part) else part for part in blocks]


def short_calls(wire: Mapping[str, Any]) -> Any:
    """Return the tool calls with long arguments shrunk inside their JSON; the same object if nothing changes."""
    calls = wire["tool_calls"]
    short = list(map(_short_call, calls))
    return calls if all(new is old for new, old in zip(short, calls, strict=True)) else short


def _short_call(call: Any) -> Any:
    if not isinstance(call, dict):
        return call
    arguments = call.get("function", {}).get("arguments", "")
    shrunk = shrunk_arguments(arguments, LEAF_KEPT) if len(arguments) > ARGUMENTS_OVER else arguments
    return call if shrunk == arguments else {**call, "function": {**call["function"], "arguments": shrunk}}


def line_about(tool: Tool, facts: Facts, policies: Policies) -> str:
    """Return the line about the work of a tool, in the form of the releases."""
    name, raw = tool
    return _line_about(name, arguments_of(raw), facts, policies)


def _line_about(name: Any, arguments: Any, facts: Facts, policies: Policies) -> str:
    if not policies.guards_lines:
        return _line(name, arguments, facts, _raw_value)
    if not isinstance(arguments, dict):
        arguments = {}
    try:
        return _line(name, arguments, facts, _text_value)
    except RELEASE_ERRORS:
        return f"[{name}] ({facts.chars:,} chars result)"


def arguments_of(raw: Any) -> Any:
    """Return the arguments of a call as JSON, an empty mapping if they are invalid."""
    try:
        return json.loads(raw) if raw else {}
    except (ValueError, TypeError, RecursionError):
        return {}


Getter = Callable[[Any, str], Any]


def _raw_value(arguments: Any, key: str) -> Any:
    return arguments.get(key, "")


def _text_value(arguments: Any, key: str) -> str:
    value = arguments.get(key, "")
    return value if isinstance(value, str) else "" if value is None else str(value)


def _line(name: Any, arguments: Any, facts: Facts, text: Getter) -> str:
    form = _FORMS.get(name)
    if callable(form):
        return f"[{name}] {form(arguments, facts, text)}"
    if form is not None:
        words, defaults = form
        values = (arguments.get(key, default) for key, default in defaults.items())
        return f"[{name}] {words.format(*values, chars=f'{facts.chars:,}', total=facts.total)}"
    if name in _BROWSER:
        url, ref = arguments.get("url", ""), arguments.get("ref", "")
        detail = f" {url}" if url else f" ref={ref}" if ref else ""
        return f"[{name}]{detail} ({facts.chars:,} chars)"
    first = "".join(f" {key}={str(value)[:40]}" for key, value in list(arguments.items())[:2])
    return f"[{name}]{first} ({facts.chars:,} chars result)"


def _terminal(arguments: Any, facts: Facts, text: Getter) -> str:
    command = text(arguments, "command")
    if len(command) > 80:
        command = command[:77] + "..."
    return f"ran `{command}` -> exit {facts.exit_code}, {facts.lines} lines output"


def _write_file(arguments: Any, facts: Facts, text: Getter) -> str:
    path = arguments.get("path", "?")
    lines = text(arguments, "content").count("\n") + 1 if arguments.get("content") else "?"
    return f"wrote to {path} ({lines} lines)"


def _web_extract(arguments: Any, facts: Facts, text: Getter) -> str:
    urls = arguments.get("urls", [])
    shown = urls[0] if isinstance(urls, list) and urls else "?"
    if text is _text_value:
        if isinstance(shown, dict):
            shown = shown.get("url") or shown.get("href") or "?"
        elif not isinstance(shown, str):
            shown = "?"
    if isinstance(urls, list) and len(urls) > 1:
        shown += f" (+{len(urls) - 1} more)"
    return f"{shown} ({facts.chars:,} chars)"


def _delegate_task(arguments: Any, facts: Facts, text: Getter) -> str:
    goal = text(arguments, "goal")
    if len(goal) > 60:
        goal = goal[:57] + "..."
    return f"'{goal}' ({facts.chars:,} chars result)"


def _execute_code(arguments: Any, facts: Facts, text: Getter) -> str:
    code = text(arguments, "code")
    preview = (code or "")[:60].replace("\n", " ")
    if len(code) > 60:
        preview += "..."
    return f"`{preview}` ({facts.lines} lines output)"


def _vision_analyze(arguments: Any, facts: Facts, text: Getter) -> str:
    return f"'{text(arguments, 'question')[:50]}' ({facts.chars:,} chars)"


#: Rest of the line about a tool: words and arguments, each with a replacement for a missing argument.
_Words = tuple[str, Mapping[str, Any]]
_SKILL: _Words = ("name={} ({chars} chars)", {"name": "?"})
_FORMS: Mapping[Any, _Words | Callable[[Any, Facts, Getter], str]] = {
    "terminal": _terminal,
    "read_file": ("read {} from line {} ({chars} chars)", {"path": "?", "offset": 1}),
    "write_file": _write_file,
    "search_files": (
        "{} search for '{}' in {} -> {total} matches",
        {"target": "content", "pattern": "?", "path": "."},
    ),
    "patch": ("{} in {} ({chars} chars result)", {"mode": "replace", "path": "?"}),
    "web_search": ("query='{}' ({chars} chars result)", {"query": "?"}),
    "web_extract": _web_extract,
    "delegate_task": _delegate_task,
    "execute_code": _execute_code,
    "vision_analyze": _vision_analyze,
    "memory": ("{} on {}", {"action": "?", "target": "?"}),
    "todo": ("updated task list", {}),
    "clarify": ("asked user a question", {}),
    "text_to_speech": ("generated audio ({chars} chars)", {}),
    "cronjob": ("{}", {"action": "?"}),
    "process": ("{} session={}", {"action": "?", "session_id": "?"}),
    "skill_view": _SKILL,
    "skills_list": _SKILL,
    "skill_manage": _SKILL,
}
