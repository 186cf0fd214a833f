"""Which transcripts of Claude Code belong together: copies, files that go on from others, and forks.

A session that is resumed may go on in a new file, which begins with copies of lines (the same uuids) or with a boundary
whose list stands in the file before. Where both files go on from the shared lines, the copy is a branch of the other.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain
from pathlib import Path

from inspector.core.conversations import ConversationRow
from inspector.core.errors import StoreError
from inspector.stores.claude_code.scan import Node, scan
from inspector.stores.recorded import FileDigest, Source

#: The windows that Claude Code runs its models with. The transcript does not say which: a larger request does.
_WINDOWS = (200_000, 1_000_000)
#: How the name of a part begins that the user went back from.
_LEFT = "left by "


def join(digests: Sequence[FileDigest]) -> tuple[Source, ...]:
    """The conversations that files hold together. Raises StoreErrors."""
    found: list[Source] = []
    for group in _related([digest for digest in digests if not digest.parent]):
        found += _conversations(tuple(group)) if len({d.path for d in group}) > 1 else [_source(group)]
    tips = {session: source.row.id for source in found for session in source.row.sessions}
    agents: dict[str, list[FileDigest]] = {}
    for digest in digests:
        if digest.parent:
            agents.setdefault(digest.session, []).append(digest)
    for group in agents.values():
        source = _source(group)
        parent = tips.get(source.row.parent or "", source.row.parent)
        kind = "branch" if is_left(source.part) else source.row.kind
        found.append(replace(source, row=source.row._replace(parent=parent, kind=kind)))
    return tuple(found)


def _related(digests: Sequence[FileDigest]) -> list[list[FileDigest]]:
    """Files that share a session, a first line or a boundary, or of which one goes on from the other."""
    lasts = {digest.last for digest in digests}
    named: list[set[str]] = []
    for digest in digests:
        keys = {f"session {digest.session}", digest.first, digest.last, *digest.compactions}
        if digest.before in lasts:
            keys.add(digest.before)
        elif digest.midway and (other := _holder(digest, digests)) is not None:
            keys.add(other.last)
        named.append(keys - {""})
    # Most files share nothing with another.
    often = Counter(chain.from_iterable(named))
    leader: dict[str, str] = {}

    def lead(key: str) -> str:
        while leader.setdefault(key, key) != key:
            leader[key] = leader[leader[key]]
            key = leader[key]
        return key

    groups: dict[str, list[FileDigest]] = {}
    shared = [[key for key in keys if often[key] > 1] for keys in named]
    for number, keys_of in enumerate(shared):
        for key in keys_of:
            leader[lead(key)] = lead(f"file {number}")
    for number, digest in enumerate(digests):
        name = f"file {number}"
        groups.setdefault(lead(name) if shared[number] else name, []).append(digest)
    return list(groups.values())


def _holder(digest: FileDigest, digests: Iterable[FileDigest]) -> FileDigest | None:
    """The file beside it that holds the line which a file that begins midway goes on from."""
    folder = os.path.dirname(digest.path)
    beside = (other for other in digests if other is not digest and os.path.dirname(other.path) == folder)
    return next((other for other in beside if digest.before and _holds(other, digest.before)), None)


@lru_cache(maxsize=4_096)
def _holds(digest: FileDigest, uuid: str) -> bool:
    """Whether a file has a line's name in it; asked once while its digest is the same."""
    wanted = f'"{uuid}"'.encode()
    try:
        with open(digest.path, "rb") as file:
            return any(wanted in line for line in file)
    except OSError:
        return False


def left_name(by: str) -> str:
    """What the part of a file is called that the user went back from with the line `by`."""
    return f"{_LEFT}{by}"


def is_left(part: str) -> bool:
    """Whether a part of a file is one that the user went back from."""
    return part.startswith(_LEFT)


@dataclass(slots=True)
class _Trunk:
    """A conversation that grows by the files that go on from it."""

    files: list[FileDigest] = field(default_factory=list)
    copies: list[FileDigest] = field(default_factory=list)
    known: set[str] = field(default_factory=set)
    ends: set[str] = field(default_factory=set)

    def grow(self, digest: FileDigest, nodes: Sequence[Node]) -> None:
        """The file goes on from it."""
        self.files.append(digest)
        self.known.update(node.uuid for node in nodes)
        last = max((place for place, node in enumerate(nodes) if node.message), default=0)
        self.ends = {node.uuid for node in nodes[last:]}


@lru_cache(maxsize=512)
def _conversations(group: tuple[FileDigest, ...]) -> tuple[Source, ...]:
    """The conversation of files that belong together, and the branches of it. The files are read for it, once while
    their digests are the same."""
    trunk = _Trunk()
    branches: list[tuple[FileDigest, tuple[FileDigest, ...]]] = []
    for digest in sorted(group, key=_order):
        try:
            nodes = [node for node in scan(Path(digest.path)).nodes if not node.side]
        except StoreError:
            continue
        fresh = [node for node in nodes if node.uuid not in trunk.known]
        above = (fresh[0].parent or fresh[0].logical) if fresh else ""
        sessions = {other.session for other in trunk.files}
        if not fresh:
            trunk.copies.append(digest)
        elif not trunk.files or digest.session in sessions or above in trunk.ends or digest.midway:
            trunk.grow(digest, nodes)
        else:
            branches.append((digest, tuple(trunk.files)))
    main = _source([*trunk.copies, *trunk.files], [digest.path for digest in trunk.files])
    return (main, *(_branch(main, digest, shared) for digest, shared in branches))


def _branch(main: Source, digest: FileDigest, shared: Sequence[FileDigest]) -> Source:
    theirs = {name for other in shared for name in other.compactions}
    source = _source([digest])
    own = len(set(digest.compactions) - theirs)
    row = source.row._replace(kind="branch", parent=main.row.id, compactions=own)
    return Source(row, source.files, tuple(other.path for other in shared))


def _source(group: Sequence[FileDigest], paths: Sequence[str] | None = None) -> Source:
    """A conversation of files; `paths` are those that are read, all of them without."""
    if len(group) == 1:
        return _source_of(group, group[0], paths)
    ordered = sorted(group, key=_order)
    return _source_of(
        ordered, max(ordered, key=lambda d: (d.last_active, paths is None or d.path in paths)), paths
    )


def _source_of(ordered: Sequence[FileDigest], tip: FileDigest, paths: Sequence[str] | None) -> Source:
    largest = max([digest.largest for digest in ordered])
    earlier = [digest.session for digest in ordered if digest.session != tip.session]
    row = ConversationRow(
        id=tip.session,
        root=ordered[0].session,
        title=tip.title,
        model=tip.model,
        source=f"claude-code {tip.version}".strip(),
        sessions=tuple(dict.fromkeys([*earlier, tip.session])),
        messages=tip.messages,
        compactions=len({name for digest in ordered for name in digest.compactions}),
        started_at=ordered[0].started_at,
        last_active=tip.last_active,
        parent=tip.parent if tip.parent not in ("", tip.session) else None,
        kind="sub-agent" if tip.parent else "conversation",
        provider="anthropic",
        agent="claude-code",
        folder=tip.folder,
        window=_WINDOWS[largest > _WINDOWS[0]],
        window_source=f"told by the transcript's largest request of {largest:,} tokens",
    )
    files = paths if paths is not None else list(dict.fromkeys(digest.path for digest in ordered))
    return Source(row, tuple(files), part=tip.part)


def _order(digest: FileDigest) -> tuple[bool, bool, float, float, str]:
    """Originals before what begins with copies, earlier ones first; the same beginning by when they ended."""
    return digest.midway, digest.copied, digest.started_at, digest.last_active, digest.path
