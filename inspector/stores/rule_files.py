"""Rule files (CLAUDE.md, AGENTS.md and the like) that a conversation loaded, with their times and
texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

from inspector.agents import agents, declared, row_of
from inspector.core.conversations import Conversation, ConversationRow
from inspector.core.messages import Message, ToolCall
from inspector.core.patterns import late_pattern
from inspector.stores.base import Store
from inspector.stores.lines import mapping
from inspector.stores.values import mappings_in, texts_of

#: Names of rule files of several agents.
_NAMES = r"AGENTS\.md|CONVENTIONS\.md|\.cursorrules|[^/\\]+\.instructions\.md"
_NUMBER = late_pattern(r"^[ \t]{0,12}\d{1,9}(?:\u2192|\t| \| )", re.MULTILINE)
#: All lines with the numbers of Copilot.
_DOTTED = late_pattern(r"(?:\d{1,9}\. [^\n]*(?:\n|\Z))+\Z")
_DOT = late_pattern(r"^\d{1,9}\. ", re.MULTILINE)
#: The memory of an agent: its files, and folders for them.
_MEMORY = late_pattern(
    r"(?:^|[/\\\"])(?:(?:MEMORY|USER)\.md\b|memor(?:y|ies)[/\\][^\"\n]*\.(?:md|json)\b)", re.IGNORECASE
)
_WRITTEN = (
    "content", "text", "fact", "memory", "new_string", "newString", "newText", "file_text", "new_str", "insert_text",
)  # fmt: skip
#: Arguments of calls that change a part of a file.
_EDITS = frozenset({
    "old_string", "oldString", "oldText", "old_str", "edits", "new_string", "newString", "newText", "new_str",
    "insert_text", "insert_line", "append",
})  # fmt: skip
_PATHS = ("file_path", "path", "filePath", "absolute_path", "filename", "file")
#: Arguments with the texts that an edit replaces, and with the new texts.
_OLD, _NEW = (
    ("old_string", "oldString", "oldText", "old_str"),
    ("new_string", "newString", "newText", "new_str"),
)
#: Arguments of a call that reads a part of a file.
_PART = frozenset({"offset", "limit", "view_range", "start_line", "end_line"})
#: The result of a call that failed, in tools that do not mark it.
_FAILED = late_pattern(r"\s*\{\s*\"status\":\s*\"error\"")


class RuleForm(NamedTuple):
    """The form in which an agent puts rule files into a text, below a line `below` if there is one.

    `pattern` finds each file: its `text`, and its `path`, or its `name` in a `folder`, by default that of the
    conversation. `without` is no part of the text. A cut has `characters` and `sent` in place of a text.
    """

    pattern: re.Pattern[str]
    below: str
    without: re.Pattern[str] | None


def rule_form(pattern: str, below: str = "", without: str = "") -> RuleForm:
    """Return a form with these patterns."""
    removed = late_pattern(without) if without else None
    return RuleForm(late_pattern(pattern, re.DOTALL | re.MULTILINE), below, removed)


@lru_cache(maxsize=2)
def _forms(name: str) -> tuple[RuleForm, ...]:
    return tuple(declared("rule_files", name))


@lru_cache(maxsize=1)
def _file() -> re.Pattern[str]:
    """Return the pattern of the path of a rule file."""
    names = "|".join(re.escape(name) for agent in agents() for name in agent.rules)
    return re.compile(rf"(?:^|[/\\])(?:{_NAMES}|{names})$", re.IGNORECASE)


class FileCut(NamedTuple):
    """A file with a number of `characters`. The agent `sent` only a part of it."""

    characters: int
    sent: int


class RuleFile(NamedTuple):
    """A rule file in a list: message `place` of `generation` has its text.

    `how` says how it got there: the agent loaded it ("loaded"), a tool read it ("read"), the agent wrote it into its
    memory ("written"), or the system prompt has it ("prompt"; then `place` is -1). `whole`: the agent wrote or read the
    whole file, so this text replaces earlier texts. `edits`: the texts that it replaced in the file, each with the new
    text. `cut`: the message only shows that the agent sent a part of the file ("sent")."""

    path: str
    text: str
    generation: int
    place: int
    message: int
    at: float
    how: str
    whole: bool = False
    edits: tuple[tuple[str, str], ...] = ()
    cut: FileCut | None = None

    @property
    def is_memory(self) -> bool:
        """Whether it is the agent's memory rather than a file of rules."""
        return _file().search(self.path) is None and (
            self.how == "written" or bool(_MEMORY.search(self.path))
        )


def rule_files(store: Store, conversation: Conversation) -> tuple[RuleFile, ...]:
    """Return every rule file in every list of a conversation, in order. Reads the lists; raises StoreErrors.

    A file whose last entry is of the live generation is still in the context.
    """
    files: list[RuleFile] = []
    folder, sends = conversation.row.folder, bool(row_of(conversation.row.agent).sends)
    for generation in conversation.generations:
        prompt = store.system_prompt(generation.session)
        for path, text in _in_text(prompt, folder):
            files.append(RuleFile(path, text, generation.number, -1, -1, 0.0, "prompt"))
        files += _in_list(store.iterate(generation), generation.number, folder, sends)
    return tuple(files)


def cut_files(store: Store, conversation: Conversation) -> tuple[RuleFile, ...]:
    """Return the last recorded cut of each rule file that the agent sent in part. Reads nothing if the agent records no
    cuts; raises StoreErrors."""
    if not row_of(conversation.row.agent).sends:
        return ()
    return tuple({file.path: file for file in rule_files(store, conversation) if file.cut}.values())


def texts_after(entries: Iterable[RuleFile]) -> list[RuleFile]:
    """Return the texts of a file after these entries about it, the oldest first. A whole text replaces the texts before
    it, and an edit changes them. A message that several lists have counts once."""
    texts: list[RuleFile] = []
    seen: set[tuple[int, str]] = set()
    for file in entries:
        if (file.message, file.text) in seen:
            continue
        seen.add((file.message, file.text))
        is_whole = file.whole or file.how in ("loaded", "prompt")
        texts = [] if is_whole else [_edited(before, file) for before in texts]
        if not any(file.text in before.text for before in texts):
            texts.append(file)
    return texts


def _edited(before: RuleFile, file: RuleFile) -> RuleFile:
    """Return a text of a file after the edits of a later entry."""
    text = before.text
    for old, new in file.edits:
        # Another list may have the same edit in a copy of its message.
        text = text if old in new and new in text else text.replace(old, new)
    return before._replace(text=text)


def is_sent(path: str, row: ConversationRow) -> bool:
    """Return whether the agent of a conversation sends a file with each request: one of its workspace, by its name."""
    parent, _, name = path.replace("\\", "/").rpartition("/")
    names = row_of(row.agent).sends if row.kind == "conversation" else ()
    return name in names and parent in ("", row.folder.replace("\\", "/"))


def _in_list(messages: Iterable[Message], generation: int, folder: str, sends: bool) -> list[RuleFile]:
    files: list[RuleFile] = []
    reads: dict[str, tuple[str, bool]] = {}
    writes: dict[str, int] = {}
    failed: set[int] = set()
    for index, message in enumerate(messages):
        if message.summary:
            continue
        if message.role == "assistant":
            for call in message.tool_calls:
                values = _arguments_about_files(call)
                path = _path_of(values, folder)
                if text := _remembered(call, path, values, folder):
                    edits = tuple(_edits(values))
                    is_whole = bool(path) and not _EDITS.intersection(values)
                    writes[call.id] = len(files)
                    files.append(
                        RuleFile(
                            path or call.name, text, generation, index, message.id, message.timestamp, "written",
                            is_whole, edits,
                        )
                    )  # fmt: skip
                elif _is_read(path, values):
                    reads[call.id] = path, _PART.isdisjoint(values)
        elif message.role == "tool":
            if message.wire.get("is_error") or _FAILED.match(message.text):
                failed.add(writes.get(message.tool_call_id, -1))
            elif message.tool_call_id in reads:
                read, is_whole = reads[message.tool_call_id]
                text, at = _without_numbers(message.text), message.timestamp
                files.append(RuleFile(read, text, generation, index, message.id, at, "read", is_whole))
        else:
            at = message.timestamp
            for path, text in _in_text(message.text, folder):
                files.append(RuleFile(path, text, generation, index, message.id, at, "loaded"))
            cuts = _forms("CUTS") if sends else ()
            for match in chain.from_iterable(_matches(form, message.text, last=True) for form in cuts):
                path, cut = f"{folder}/{match['name']}", FileCut(int(match["characters"]), int(match["sent"]))
                files.append(RuleFile(path, "", generation, index, message.id, at, "sent", cut=cut))
    return [file for number, file in enumerate(files) if number not in failed]


def _without_numbers(text: str) -> str:
    """Return a read text without the numbers of its lines."""
    return _DOT.sub("", text) if _DOTTED.match(text) else _NUMBER.sub("", text)


def _arguments_about_files(call: ToolCall) -> Mapping[str, Any]:
    """Return the arguments of a call that may be about a rule file or the memory, else none."""
    # Parsing every call of a long conversation takes seconds.
    named = "memor" in call.name.lower() or ".md" in call.arguments or "rules" in call.arguments
    return (mapping(call.arguments) or {}) if named or _MEMORY.search(call.arguments) else {}


def _remembered(call: ToolCall, path: str, values: Mapping[str, Any], folder: str) -> str:
    """Return the text that a call writes into the agent's memory or into a rule file for `folder`, or ""."""
    named = "memor" in call.name.lower()
    if not (named or _MEMORY.search(path) or (_file().search(path) and _is_loaded(path, folder))):
        return ""
    texts = [values[name] for name in _WRITTEN if isinstance(values.get(name), str)]
    listed = [new for _, new in _edits(values)] if isinstance(values.get("edits"), list) else []
    return "\n".join(texts + [new for new in listed if new not in texts])


def _edits(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the texts that a call replaces in a file, each with the new text."""
    for change in (values, *mappings_in(values.get("edits"))):
        old, new = (next(filter(None, texts_of(change, *names)), "") for names in (_OLD, _NEW))
        if old:
            yield old, new


def _path_of(values: Mapping[str, Any], folder: str) -> str:
    """Return the file that the arguments of a call name, with its folder, or ""."""
    path = next(filter(None, texts_of(values, *_PATHS)), "")
    at_home, _, name = path.rpartition("/")
    if at_home.startswith("~/") and folder.endswith(at_home[1:]):
        return f"{folder}/{name}"
    is_absolute = not path or not folder or path.startswith(("/", "\\", "~")) or path[1:2] == ":"
    return path if is_absolute else f"{folder}/{path.removeprefix('./')}"


def _is_read(path: str, values: Mapping[str, Any]) -> bool:
    """Return whether a call only reads a rule file or a file of the memory."""
    return bool(_file().search(path) or _MEMORY.search(path)) and not {*_WRITTEN, *_EDITS}.intersection(
        values
    )


def _is_loaded(path: str, folder: str) -> bool:
    """Return whether an agent in `folder` loads a rule file: from this folder, a folder above it, or its configuration.

    A file in a folder below is for another agent, or for work in that folder.
    """
    parent, below = path.replace("\\", "/").rpartition("/")[0], f"{folder}/".replace("\\", "/")
    if not parent or below.startswith(f"{parent}/"):
        return True
    return "/." in parent and not (folder and f"{parent}/".startswith(below))


def _in_text(text: str, folder: str) -> Iterator[tuple[str, str]]:
    """Yield the paths and texts of the rule files in a text. A file without a path is of `folder`."""
    for form in _forms("FORMS"):
        for number, match in enumerate(_matches(form, text), start=1):
            groups = match.groupdict()
            within = (groups.get("folder") or folder).strip()
            path = groups.get("path") or _path_of({"path": groups.get("name", "").strip()}, within)
            content = match["text"] if form.without is None else form.without.sub("", match["text"])
            yield path.strip() or f"custom instruction {number}", content.strip()


def _matches(form: RuleForm, text: str, last: bool = False) -> Iterator[re.Match[str]]:
    """Yield the files in a text, below the first or last line of the form."""
    if form.below and form.below in text:
        text = (text.rpartition if last else text.partition)(form.below)[2]
    elif form.below:
        return
    yield from form.pattern.finditer(text)
