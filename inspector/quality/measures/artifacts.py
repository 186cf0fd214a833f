"""Artifact trail: files and commands named in summarized messages, and whether the list after still has them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from inspector.core.handoff import handoff_of
from inspector.core.messages import Message
from inspector.quality.facts.fact import Where
from inspector.quality.measures.measure import Evidence, Measure, MeasuredCompaction, Place, Share
from inspector.summaries.exact import paths_in

Sort = Literal["changed", "used", "command"]
#: Names of tool arguments with a path, and with a command.
PATH_KEYS = frozenset({"path", "file", "file_path", "filepath", "filename", "paths", "files", "target_file"})
COMMAND_KEYS = frozenset({"command", "cmd", "script"})
#: Parts of the names of tools that change files.
_CHANGING = ("write", "patch", "edit", "create", "replace", "delete", "move")
#: Characters that identify a command; summaries cut long commands.
COMMAND_START = 60
# A web address is not a file; an address of a file is.
_ADDRESS = re.compile(r"(?!file:)[A-Za-z][A-Za-z0-9+.-]*://")
# Maximum characters read from an argument or text, so that the content of a file does not count as a list of paths.
_READ = 4_000


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file or command, its first place, and how often it was named."""

    name: str
    sort: Sort
    said: Place
    role: str
    times: int = 1


class Trail:
    """Collects artifacts over the compactions of a conversation, oldest first."""

    def __init__(self) -> None:
        self._known: dict[tuple[bool, str], Artifact] = {}

    def measure(self, compaction: MeasuredCompaction) -> tuple[Measure, Measure]:
        """Return the measures of files and of commands for the next compaction."""
        fresh: dict[tuple[bool, str], Artifact] = {}
        for index in compaction.middle:
            message = compaction.before[index]
            for name, sort in named_in(message):
                key = (sort == "command", name)
                place = compaction.place(index)
                found = fresh.get(key)
                changed: Sort = "changed" if found and "changed" in (found.sort, sort) else sort
                fresh[key] = (
                    Artifact(name, changed, found.said, found.role, found.times + 1)
                    if found
                    else Artifact(name, sort, place, message.role)
                )
        for key, artifact in fresh.items():
            self._known.setdefault(key, artifact)
        names_after = _NamesAfter(compaction)
        return self._files(compaction, names_after, fresh), self._commands(compaction, names_after, fresh)

    def _files(
        self,
        compaction: MeasuredCompaction,
        names_after: _NamesAfter,
        fresh: dict[tuple[bool, str], Artifact],
    ) -> Measure:
        ever = [artifact for (command, _), artifact in self._known.items() if not command]
        names = Counter(_base(artifact.name) for artifact in ever)
        now = [artifact for (command, _), artifact in fresh.items() if not command]
        evidence = tuple(names_after.file(artifact, names) for artifact in _ordered(now))
        sorts = {artifact.name: artifact.sort for artifact in now}
        parts = []
        for sort in ("changed", "used"):
            entries = [entry for entry in evidence if sorts[entry.text] == sort]
            if entries:
                parts.append((sort, _share(entries)))
        so_far = _share(names_after.file(artifact, names) for artifact in ever)
        index = compaction.recorded.index
        return Measure("artifact-files", index, _share(evidence), so_far, tuple(parts), (), evidence)

    def _commands(
        self,
        compaction: MeasuredCompaction,
        names_after: _NamesAfter,
        fresh: dict[tuple[bool, str], Artifact],
    ) -> Measure:
        now = [artifact for (command, _), artifact in fresh.items() if command]
        ever = [artifact for (command, _), artifact in self._known.items() if command]
        evidence = tuple(names_after.command(artifact) for artifact in _ordered(now))
        so_far = Share(sum(names_after.running(artifact) is not None for artifact in ever), len(ever))
        index = compaction.recorded.index
        return Measure("artifact-commands", index, _share(evidence), so_far, (), (), evidence)


def named_in(message: Message) -> Iterator[tuple[str, Sort]]:
    """Yield the files and commands that a message names in its text and calls. Tool results are skipped."""
    if message.role not in ("user", "assistant"):
        return
    handoff = handoff_of(message)
    # The text around a summary is the wording of the release.
    text = message.text if handoff is None else f"{handoff.body}\n{handoff.tail_text}"
    yield from ((path, "used") for path in _paths(text[:_READ]))
    for call in message.tool_calls:
        changes = any(part in call.name.lower() for part in _CHANGING)
        sort: Sort = "changed" if changes else "used"
        for key, value in arguments(call.arguments):
            if key in COMMAND_KEYS:
                command = _folded(value[:_READ])
                if command:
                    yield command, "command"
                yield from ((path, "used") for path in _paths(value[:_READ]))
            elif key in PATH_KEYS and is_path(value):
                yield plain_path(value), sort


def arguments(text: str) -> Iterator[tuple[str, str]]:
    """Yield (key, text) of a call's arguments; nothing if they are not a JSON object."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return
    if not isinstance(values, dict):
        return
    for key, value in values.items():
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, str):
                yield str(key), item


def is_path(value: str) -> bool:
    """Return whether a value may be a path: one line under 400 characters, and not a web address."""
    return (
        bool(value.strip()) and len(value) < 400 and "\n" not in value and not _ADDRESS.match(value.strip())
    )


def _paths(text: str) -> Iterator[str]:
    for path in paths_in(text):
        if _ADDRESS.match(path):
            continue
        plain = plain_path(path)
        # Two names with a slash may not be a path: "and/or".
        if len(plain) > 3 and (
            "." in _base(plain) or plain.count("/") > 1 or path.startswith(("/", "~", "."))
        ):
            yield plain


def plain_path(path: str) -> str:
    """Return a path without quotes, a leading ./ and line numbers."""
    path = path.strip().strip("`\"'").removeprefix("./")
    name, colon, line = path.rpartition(":")
    return (
        name if colon and line.replace("-", "").isdigit() and not name.endswith("/") else path.rstrip("/:,;")
    )


def _folded(text: str) -> str:
    return " ".join(text.replace("\\n", " ").split())


def _base(path: str) -> str:
    return path.rpartition("/")[2] or path


def _ordered(artifacts: Iterable[Artifact]) -> list[Artifact]:
    """Return artifacts sorted: changed ones first, then by how often they were named."""
    return sorted(artifacts, key=lambda artifact: (artifact.sort != "changed", -artifact.times))


def _share(evidence: Iterable[Evidence]) -> Share:
    entries = list(evidence)
    return Share(sum(entry.known for entry in entries), len(entries))


class _NamesAfter:
    """The paths and texts of the list after a compaction, the summary first."""

    def __init__(self, compaction: MeasuredCompaction) -> None:
        self.compaction = compaction
        order = sorted(range(len(compaction.after)), key=lambda at: at != compaction.recorded.summary_at)
        self.paths: dict[str, int] = {}
        self.texts: list[tuple[int, str]] = []
        self.words: set[str] = set()
        for at in order:
            text = "\n".join(_said(compaction.after[at]))
            folded = _folded(text)
            self.texts.append((at, folded))
            self.words.update(folded.split())
            for path in paths_in(text):
                parts = plain_path(path).split("/")
                for start in range(len(parts)):
                    self.paths.setdefault("/".join(parts[start:]), at)

    def file(self, artifact: Artifact, names: Counter[str]) -> Evidence:
        """Return whether the list names a file; a bare file name counts only if no other file has it."""
        at = self.paths.get(artifact.name.removeprefix("/"), self.paths.get(artifact.name))
        note = ""
        if at is None and names[_base(artifact.name)] == 1:
            at = self.paths.get(_base(artifact.name))
            note = "" if at is None else "by its file name"
        return self._evidence(artifact, at, note)

    def command(self, artifact: Artifact) -> Evidence:
        """Return whether the list has the beginning of a command."""
        at = self.running(artifact)
        cut = at is not None and len(artifact.name) > COMMAND_START
        return self._evidence(artifact, at, "its beginning" if cut else "")

    def running(self, artifact: Artifact) -> int | None:
        """Return the index of the first message with the beginning of a command, or None."""
        start = artifact.name[:COMMAND_START]
        # The first and last word may be parts of longer words.
        if not self.words.issuperset(start.split()[1:-1]):
            return None
        return next((at for at, text in self.texts if start in text), None)

    def _evidence(self, artifact: Artifact, at: int | None, note: str) -> Evidence:
        found = None if at is None else self.compaction.place_after(at)
        where: Where | None = None if at is None else self.compaction.region(at)
        return Evidence(artifact.name, at is not None, artifact.said, found, where, note, artifact.role)


def _said(message: Message) -> Iterator[str]:
    yield message.text
    for call in message.tool_calls:
        yield from (value for _, value in arguments(call.arguments))
