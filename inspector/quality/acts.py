"""The acts of tool calls and of files that the agent puts into the list."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from inspector.core.messages import Message, ToolCall, arguments_in
from inspector.core.patterns import late_pattern
from inspector.core.rough import text_tokens
from inspector.quality.act import MAX_ARGUMENT, SOME_LINES, Act, Lines, folded, inside, is_path, plain_path
from inspector.quality.call_results import lines_seen
from inspector.quality.shell_acts import MOVES, acts_of_command, fetch_of, folder_of_files, without_cd

_MAX_URL = 2_000
_PATH_KEYS = frozenset(
    {
        "path", "file", "file_path", "filepath", "filename", "paths", "files", "target_file", "absolute_path",
        "notebook_path",
    }
)  # fmt: skip
_COMMAND_KEYS = frozenset({"command", "cmd", "script"})
_URL_KEYS = frozenset({"url", "urls", "uri", "link"})
_FOLDER_KEYS = frozenset({"workdir", "cwd", "working_directory", "workingdirectory", "working_dir"})
_QUESTION_KEYS = frozenset({"question", "questions"})
#: Arguments of tools that write, with the new content.
_CONTENT_KEYS = frozenset(
    {"content", "new_string", "new_str", "file_text", "insert_text", "newstring", "new_source", "text"}
)
#: Arguments of tools that edit, with the text that they replace.
_REPLACED_KEYS = frozenset({"old_string", "old_str", "oldstring", "old_source", "oldtext", "old_text"})
_READING = ("read", "view", "open", "cat")
_FETCHING = ("fetch", "browse", "navigate", "extract", "scrape", "visit", "open_url")
_WRITING = ("write", "patch", "edit", "create", "replace", "delete", "move", "append", "insert")
_ASKING = ("ask", "question", "clarify")
_SEARCHING = ("grep", "glob", "search")
_DELEGATING = frozenset({"task", "agent", "delegate_task", "sessions_spawn", "spawn_agent", "subagent"})
_SHELLS = frozenset({"bash", "sh", "zsh", "fish", "dash", "powershell", "pwsh", "cmd"})
_PATCHED = late_pattern(r"^\*\*\* (Add|Update|Delete) File: (.{1,400})$", re.M)
#: A call in a program, one property of its argument with a text or another simple value, and signs of such a text.
_CALLED = late_pattern(r"\btools\.(\w{1,60})\(\s*\{")
_PROPERTY = late_pattern(
    r"\s*[\"']?(\w{1,60})[\"']?\s*:\s*(?:\"((?:[^\"\\]|\\.)*+)\"|'((?:[^'\\]|\\.)*+)'|`((?:[^`\\]|\\.)*+)`"
    r"|[\w.\[\]]{1,200})\s*,?",
    re.S,
)
_ESCAPED = late_pattern(r"\\(.)", re.S)
_SIGNS = {"n": "\n", "t": "\t", "r": "\r", "\n": ""}
#: A file that Claude Code put into the list, as its reader writes it.
_ATTACHED = late_pattern(r"\(file: ([^\n]{1,400})\)\n(.*)\Z", re.S)


def acts_of_call(call: ToolCall) -> Iterator[Act]:
    """Yield the acts of one tool call, or of the calls in its program. Their tokens do not include the result."""
    values = arguments_in(call.arguments)
    for inner in () if values else _calls_in(call.arguments[:MAX_ARGUMENT]):
        yield from acts_of_call(inner)
    tokens = text_tokens(len(call.arguments))
    folder = inside("", next((text for key, text in _texts(values) if key in _FOLDER_KEYS), ""))
    for act in _acts_of_arguments(call, values, tokens):
        yield replace(act, folder=folder)
    if not _operation_of(values) and (command := command_of(values)):
        folder, line = without_cd(command, folder)
        if MOVES.search(line):
            folder = folder_of_files(line, folder)
        for act in acts_of_command(command, line, tokens):
            yield replace(act, folder=folder)


def _calls_in(program: str) -> Iterator[ToolCall]:
    """Yield the calls of tools in a program, as in the code mode of Codex. Only texts are read as arguments."""
    for called in _CALLED.finditer(program):
        values: dict[str, str] = {}
        at = called.end()
        while pair := _PROPERTY.match(program, at):
            if (text := next(filter(None, pair.groups()[1:]), None)) is not None:
                values[pair[1]] = _ESCAPED.sub(lambda sign: _SIGNS.get(sign[1], sign[1]), text)
            at = pair.end()
        yield ToolCall("", called[1], json.dumps(values))


def attached_in(message: Message) -> Act | None:
    """Return the file that the agent put into a message, or None."""
    match = _ATTACHED.match(message.text) if message.role == "system" else None
    if match is None or not is_path(match[1]):
        return None
    path, text = plain_path(match[1]), match[2]
    lines = (1, text.count("\n") + 1)
    return Act("attach", path, path, lines, tokens=text_tokens(len(text)), seen=lines_seen(text))


def _acts_of_arguments(call: ToolCall, values: Mapping[str, Any], tokens: int) -> Iterator[Act]:
    """Yield the acts of one tool call without the acts of its command."""
    name = _operation_of(values) or call.name.lower()
    writes = any(part in name for part in _WRITING)
    reads = not writes and any(part in name for part in _READING)
    gets = str(values.get("method") or "GET").upper() in ("GET", "HEAD")
    fetches = gets and any(part in name for part in _FETCHING)
    content, replaced = (
        "\n".join(text for key, text in _texts(values) if key in keys)[:MAX_ARGUMENT]
        for keys in (_CONTENT_KEYS, _REPLACED_KEYS)
    )
    for key, text in _texts(values):
        if key in _PATH_KEYS and (writes or reads) and is_path(text):
            path = plain_path(text)
            if writes:
                whole = "write" in name or "create" in name
                lines = None if whole else SOME_LINES
                yield Act("write", path, path, lines, content, replaced, tokens)
            else:
                yield Act("read", path, path, _lines_of(values), tokens=tokens)
        elif key in _URL_KEYS and (fetches or reads) and 0 < len(text.strip()) < _MAX_URL:
            yield fetch_of(text, tokens)
        elif key in _QUESTION_KEYS and any(part in name for part in _ASKING):
            yield Act("ask", folded(text).lower(), folded(text), tokens=tokens)
    patch = call.arguments[:MAX_ARGUMENT]
    for verb, named in _PATCHED.findall(patch.replace("\\n", "\n")):
        path = plain_path(named)
        yield Act("write", path, path, None if verb == "Add" else SOME_LINES, patch, tokens=tokens)
    if values and not writes and (name in _DELEGATING or any(part in name for part in _SEARCHING)):
        key = json.dumps([name, values], sort_keys=True)[:MAX_ARGUMENT]
        shown = next((text for _, text in _texts(values)), "")
        yield Act("call", key, folded(f"{call.name} {shown}"), tokens=tokens)


def _operation_of(values: Mapping[str, Any]) -> str:
    """Return the operation of an editor tool ("view", "create", "str_replace"), or "" for other tools.

    An editor tool has the operation as its "command", next to a path.
    """
    command = values.get("command")
    if not isinstance(command, str) or _PATH_KEYS.isdisjoint(values) or not command.isidentifier():
        return ""
    return command.lower() if any(part in command.lower() for part in (*_READING, *_WRITING)) else ""


def command_of(values: Mapping[str, Any]) -> str:
    """Return the shell command of a call's arguments, or ""."""
    for key in _COMMAND_KEYS:
        value = values.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip()
        if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
            if value[0].rpartition("/")[2] in _SHELLS and len(value) > 1:
                return str(value[-1]).strip()
            return shlex.join(value)
    return ""


def _texts(values: Mapping[str, Any], depth: int = 0) -> Iterator[tuple[str, str]]:
    """Yield every text of the arguments with its key in lower case, also in lists and mappings."""
    for key, value in values.items():
        for entry in value if isinstance(value, list) else [value]:
            if isinstance(entry, str):
                yield str(key).lower(), entry
            elif isinstance(entry, Mapping) and depth < 3:
                yield from _texts(entry, depth + 1)


def _lines_of(values: Mapping[str, Any]) -> Lines | None:
    """Return the lines that a reading tool asks for."""

    def number(*keys: str) -> int | None:
        return next((value for key in keys if type(value := values.get(key)) is int), None)

    span = values.get("view_range") or values.get("line_range")
    if isinstance(span, list) and len(span) == 2 and all(isinstance(line, int) for line in span):
        return span[0], None if span[1] < span[0] else span[1]
    start = number("offset", "start_line", "line_start", "line_offset", "start")
    end = number("end_line", "line_end", "end")
    limit = number("limit", "n_lines")
    if start is None and end is None and limit is None:
        return None
    if start is not None and start < 0:
        # Lines counted from the end of the file.
        return SOME_LINES
    first = start or 1
    return first, first + limit - 1 if end is None and limit is not None else end
