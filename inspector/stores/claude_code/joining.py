"""Join Claude Code transcripts into conversations: copies, continuations and forks.

A resumed session may continue in a new file. That file begins with copied lines (the same uuids) or with a boundary
whose list is in the previous file. If both files continue after the shared lines, the copy is a branch.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from inspector.core.errors import StoreError
from inspector.stores.claude_code.chain import (
    is_abandoned,
    joined,
    lines_by_conversation,
    messages_of,
    split_abandoned,
)
from inspector.stores.claude_code.queued import QUEUED
from inspector.stores.claude_code.scan import LineNode, scan
from inspector.stores.compressed import open_decompressed
from inspector.stores.index import FileDigest, FileIndex
from inspector.stores.recorded import Source

#: Context windows of Claude Code. The transcript does not record the window, so the largest request decides.
_WINDOWS = (200_000, 1_000_000)
#: Role of a file in its conversation: it continues the others, repeats them, or branches off.
_TRUNK, _COPY, _BRANCH = "trunk", "copy", "branch"


def join(digests: Sequence[FileDigest], memory: FileIndex | None = None) -> tuple[Source, ...]:
    """Return the conversations of all files together. Raises StoreErrors."""
    sources: list[Source] = []
    for related in _related([digest for digest in digests if not digest.row.parent], memory):
        group = _own_files(related)
        if len({digest.path for digest in group}) == 1:
            sources.append(_source(group))
        else:
            roles = _roles_of(tuple(group), memory)
            sources += _conversations(list(zip(group, roles, strict=True)))
    tips = {session: source for source in sources for session in source.row.sessions}
    digest_of = {digest.path: digest for digest in digests if not digest.part}
    agents: dict[str, list[FileDigest]] = {}
    for digest in digests:
        if digest.row.parent:
            agents.setdefault(digest.row.id, []).append(digest)
    for group in agents.values():
        source = _source(_own_files(group))
        main = tips.get(source.row.parent or "")
        if main is not None:
            source = replace(source, row=source.row._replace(parent=main.row.id))
        if is_abandoned(source.part):
            source = replace(source, row=source.row._replace(kind="branch"))
        elif main is not None and _copies(source):
            shared = [digest_of[path] for path in main.files]
            source = _sharing(source, group, shared)
        sources.append(source)
    return tuple(sources)


def _copies(agent: Source) -> bool:
    """Return whether a sub-agent may begin with copied lines of the session that started it.

    It does if it has a file, and its name describes its work: "acompact-..." writes a summary.
    """
    return "-" in agent.row.id and not agent.part


def _own_files(group: list[FileDigest]) -> list[FileDigest]:
    """Return the files with a whole conversation; if there are none, all files."""
    return [digest for digest in group if not digest.part] or group


def _related(digests: Sequence[FileDigest], memory: FileIndex | None) -> list[list[FileDigest]]:
    """Group files that share a session, a first line or a boundary, or that continue one another."""
    lasts = {digest.last for digest in digests}
    named: list[set[str]] = []
    for digest in digests:
        keys = {f"session {digest.row.id}", digest.first, digest.last, *digest.compactions}
        if digest.before in lasts:
            keys.add(digest.before)
        elif digest.midway and (other := _holder(digest, digests, memory)) is not None:
            keys.add(other.last)
        named.append(keys - {""})
    # Most files share no key with another file.
    uses = Counter(chain.from_iterable(named))
    leader: dict[str, str] = {}

    def lead(key: str) -> str:
        while leader.setdefault(key, key) != key:
            leader[key] = leader[leader[key]]
            key = leader[key]
        return key

    groups: dict[str, list[FileDigest]] = {}
    shared = [[key for key in keys if uses[key] > 1] for keys in named]
    for number, keys_of in enumerate(shared):
        for key in keys_of:
            leader[lead(key)] = lead(f"file {number}")
    for number, digest in enumerate(digests):
        name = f"file {number}"
        groups.setdefault(lead(name) if shared[number] else name, []).append(digest)
    return list(groups.values())


def _holder(digest: FileDigest, digests: Iterable[FileDigest], memory: FileIndex | None) -> FileDigest | None:
    """Return the file in the same folder that holds the parent of this file's first line.

    Files that end closest to the start of this file are read first. The results are kept, also for files without the
    line.
    """
    if not digest.before:
        return None
    folder, began = os.path.dirname(digest.path), digest.row.started_at or float("inf")
    beside = [
        other
        for other in digests
        if other is not digest and os.path.dirname(other.path) == folder and other.row.started_at <= began
    ]
    name = f"line {digest.before} beside {digest.path}"
    recalled = memory.recall(name) if memory is not None else None
    stored: dict[str, bool] = recalled if isinstance(recalled, dict) else {}
    # Drop results for earlier states of the files.
    now = {_fingerprint((other,)): other for other in beside}
    results = {mark: stored[mark] for mark in now if mark in stored}
    holder = next((now[mark] for mark, holds in results.items() if holds), None)
    if holder is not None:
        return holder
    unknown = [mark for mark in now if mark not in results]
    for mark in sorted(unknown, key=lambda mark: abs(now[mark].row.last_active - digest.row.started_at)):
        try:
            results[mark] = holds_line(now[mark], digest.before)
        except OSError:
            # The file may be readable the next time.
            continue
        if results[mark]:
            holder = now[mark]
            break
    if memory is not None and unknown:
        memory.remember(name, results)
    return holder


@lru_cache(maxsize=4_096)
def _fingerprint(digests: tuple[FileDigest, ...]) -> str:
    """Return a short hash of the digests."""
    raw = repr(digests).encode("utf-8", errors="surrogatepass")
    return hashlib.blake2b(raw, digest_size=8).hexdigest()


@lru_cache(maxsize=4_096)
def holds_line(digest: FileDigest, uuid: str) -> bool:
    """Return whether a file mentions a line's uuid; cached while its digest is the same. Raises OSError."""
    wanted = f'"{uuid}"'.encode("utf-8", errors="surrogatepass")
    with open_decompressed(Path(digest.path)) as file:
        return any(wanted in line for line in file)


class _Trunk(Struct):
    """The joined files of a conversation.

    `uuids` are the ids of all lines. `ends` are the ids of the last message and of the lines after it. `files` has the
    digest of each file and its lines.
    """

    sessions: set[str] = field(default_factory=set)
    uuids: set[str] = field(default_factory=set)
    ends: set[str] = field(default_factory=set)
    files: list[tuple[FileDigest, Sequence[LineNode]]] = field(default_factory=list)

    def grow(self, digest: FileDigest, lines: Sequence[LineNode]) -> list[FileDigest]:
        """Add a file that continues the conversation. Remove and return the files that it repeats.

        Such a file may end within an answer, which only the new file has whole.
        """
        nodes = [node for node in lines if node.kind != QUEUED]
        uuids = set() if digest.stream else {node.uuid for node in lines}
        repeated = [other for other, held in self.files if all(node.uuid in uuids for node in held)]
        self.files = [(other, held) for other, held in self.files if other not in repeated]
        self.files.append((digest, lines))
        self.sessions.add(digest.row.id)
        self.uuids.update(node.uuid for node in nodes)
        last = max((place for place, node in enumerate(nodes) if node.message), default=0)
        self.ends = {node.uuid for node in nodes[last:]}
        return repeated

    def messages(self) -> int:
        """Return the number of messages in the last list."""
        files = [(_own_lines(digest, lines), digest.stream) for digest, lines in self.files]
        return messages_of(joined(files, frozenset()))


class _Role(NamedTuple):
    """The role of a file, "" if the file cannot be read.

    `messages` is the number of messages in the last list of a branch, or of the conversation that the file ends.
    """

    name: str
    messages: int = 0


def _roles_of(group: tuple[FileDigest, ...], memory: FileIndex | None) -> tuple[_Role, ...]:
    """Return the role of each file. Files without remembered roles are read."""
    name, mark = "files " + "\n".join(digest.path for digest in group), _fingerprint(group)
    recalled: Any = None if memory is None else memory.recall(name)
    # If nothing is stored, or another version stored it, the value has another form.
    with suppress(TypeError, ValueError):
        recalled_mark, stored = recalled
        if recalled_mark == mark:
            return msgspec.convert(stored, tuple[_Role, ...])
    roles = read_roles(group)
    if not all(role.name for role in roles):
        # A file that cannot be read now is tried again the next time.
        read_roles.cache_clear()
    elif memory is not None:
        memory.remember(name, [mark, roles])
    return roles


@lru_cache(maxsize=512)
def read_roles(group: tuple[FileDigest, ...]) -> tuple[_Role, ...]:
    """Return the role of each file."""
    trunk = _Trunk()
    roles: dict[str, _Role] = {}
    uuids: set[str] = set()
    last = ""
    for digest in sorted(group, key=_order):
        try:
            lines = dict(lines_by_conversation(scan(Path(digest.path)).nodes)).get(digest.part, ())
        except StoreError:
            continue
        # The transcript lacks some lines of a stream that have no message.
        new = [
            node
            for node in lines
            if node.kind != QUEUED
            and node.uuid not in trunk.uuids
            and (not digest.stream or node.message or node.boundary is not None)
        ]
        above = (new[0].parent or new[0].logical) if new else ""
        # A fork after a compaction begins with the boundary that it shares.
        follows = digest.midway and digest.first not in trunk.uuids
        goes_on = digest.row.id in trunk.sessions or above in trunk.ends or follows
        if not new:
            roles[digest.path] = _Role(_COPY)
        elif not trunk.sessions or goes_on:
            repeated = trunk.grow(digest, lines)
            roles |= {other.path: _Role(_COPY) for other in repeated}
            last = digest.path
            roles[last] = _Role(_TRUNK)
        else:
            files = [(_own_lines(digest, lines), digest.stream)]
            roles[digest.path] = _Role(_BRANCH, messages_of(joined(files, trunk.uuids | uuids)))
            uuids.update(node.uuid for node in lines)
    if last:
        roles[last] = _Role(_TRUNK, trunk.messages())
    return tuple(roles.get(digest.path, _Role("")) for digest in group)


def _own_lines(digest: FileDigest, lines: Sequence[LineNode]) -> Sequence[LineNode]:
    """Return the lines of a conversation without the lines of branches that it left."""
    return lines if digest.part else split_abandoned(lines)[0]


def _conversations(group: Sequence[tuple[FileDigest, _Role]]) -> list[Source]:
    """Return the conversation of a group of files, and its branches."""
    trunk: list[FileDigest] = []
    copies: list[FileDigest] = []
    branches: list[tuple[FileDigest, tuple[FileDigest, ...]]] = []
    messages = 0
    for digest, role in sorted(group, key=lambda pair: _order(pair[0])):
        if role.name == _TRUNK:
            trunk.append(digest)
            messages = role.messages or messages
        elif role.name == _COPY:
            copies.append(digest)
        elif role.name == _BRANCH:
            file = digest._replace(row=digest.row._replace(messages=role.messages))
            # A later file of the conversation may repeat the file that the branch left.
            branches.append((file, (*copies, *trunk, *(earlier for earlier, _ in branches))))
    if not trunk:
        return []
    main = _source([*copies, *trunk], [digest.path for digest in trunk])
    main = replace(main, row=main.row._replace(messages=messages))
    return [main, *(_branch(main, digest, shared) for digest, shared in branches)]


def _branch(main: Source, digest: FileDigest, shared: Sequence[FileDigest]) -> Source:
    source = _sharing(_source([digest]), [digest], shared)
    return replace(source, row=source.row._replace(kind="branch", parent=main.row.id))


def _sharing(source: Source, group: Sequence[FileDigest], shared: Sequence[FileDigest]) -> Source:
    """Return the source of a group of files that begin with lines of other files."""
    new = _compactions([*shared, *group]) - _compactions(shared)
    row = source.row._replace(compactions=len(new))
    return Source(row, source.files, tuple(other.path for other in shared), source.part)


def _compactions(digests: Sequence[FileDigest]) -> set[str]:
    """Return the compactions in files, each once: a file may begin with a summary whose boundary ends another file."""
    names = {name for digest in digests for name in digest.compactions}
    return names - {digest.first for digest in digests if digest.before in names}


def _source(group: Sequence[FileDigest], paths: Sequence[str] | None = None) -> Source:
    """Return the conversation of a group of files. Only `paths` are read; all files if `paths` is None."""
    ordered = sorted(group, key=_order)
    tip = max(ordered, key=lambda digest: (digest.row.last_active, paths is None or digest.path in paths))
    largest = max(digest.largest for digest in ordered)
    row = tip.row._replace(
        root=ordered[0].row.id,
        source=f"claude-code {tip.version}".strip(),
        sessions=tuple(dict.fromkeys([*(d.row.id for d in ordered if d.row.id != tip.row.id), tip.row.id])),
        compactions=len(
            _compactions([digest for digest in ordered if paths is None or digest.path in paths])
        ),
        started_at=ordered[0].row.started_at,
        parent=tip.row.parent if tip.row.parent != tip.row.id else None,
        agent="claude-code",
        window=window_of(largest),
        window_source=f"shown by the transcript's largest request of {largest:,} tokens",
    )
    files = paths if paths is not None else list(dict.fromkeys(digest.path for digest in ordered))
    return Source(row, tuple(files), part=tip.part)


def window_of(largest: int) -> int:
    """Return the context window of a model by the tokens of its largest request."""
    return _WINDOWS[largest > _WINDOWS[0]]


def _order(digest: FileDigest) -> tuple[bool, bool, bool, float, float, str]:
    """Return the sort key of a file.

    Transcripts come before streams, and originals before files that begin with copied lines. Then files are sorted by
    start and end.
    """
    return (
        digest.stream,
        digest.midway,
        digest.copied,
        digest.row.started_at,
        digest.row.last_active,
        digest.path,
    )
