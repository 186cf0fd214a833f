"""Join the files of one conversation of Hermes: each compaction begins a new file, which has the time of the start."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from inspector.stores.assembly import named
from inspector.stores.index import FileDigest
from inspector.stores.recorded import Source

#: The start of the release of the files that Hermes writes.
_HERMES = "Hermes Agent"
#: Matches the name of a session of Hermes: its time and a number.
_NAME = re.compile(r"\d{8}_\d{6}_[0-9a-f]+")


def without_transcripts(digests: Sequence[FileDigest]) -> list[FileDigest]:
    """Return the digests without the transcripts of the gateway whose messages a file of Hermes has too."""
    files = {digest.row.id: digest for digest in digests if _is_hermes(digest)}
    return [
        digest
        for digest in digests
        if (file := files.get(digest.row.id)) is None
        or _is_hermes(digest)
        or digest.row.messages > file.row.messages
        or _is_after(digest, file)
    ]


def _is_after(transcript: FileDigest, file: FileDigest) -> bool:
    """Return whether a transcript is the list after a compaction, and the file of its session the list before it."""
    return bool(transcript.first) and not file.first and transcript.row.last_active > file.row.last_active


def with_lists_before(sources: Iterable[Source], digests: Sequence[FileDigest]) -> Iterator[Source]:
    """Yield the sources. A transcript with the list after a compaction follows the file with the list before it."""
    files = {digest.row.id: digest for digest in digests if _is_hermes(digest)}
    transcripts = {digest.path: digest for digest in digests if not _is_hermes(digest)}
    for source in sources:
        transcript, file = transcripts.get(source.files[0]), files.get(source.row.id)
        if transcript is not None and file is not None and _is_after(transcript, file):
            row = source.row
            row = row._replace(started_at=file.row.started_at, model=row.model or file.row.model)
            source = replace(source, row=row, files=(file.path, *source.files))
        yield source


def _is_hermes(digest: FileDigest) -> bool:
    """Return whether a file is a session as Hermes writes it, with the time of its start."""
    return digest.version.startswith(_HERMES) and digest.path.endswith(".json") and digest.row.started_at > 0


def with_own_name(digest: FileDigest) -> FileDigest:
    """Return the digest of a fork with its own name: Hermes writes the session that it reviews into its file."""
    name = Path(digest.path).stem.removeprefix("session_")
    row = digest.row
    is_fork = _is_hermes(digest) and row.id != name and bool(_NAME.fullmatch(name))
    return digest._replace(row=row._replace(**named(name, row.id))) if is_fork else digest


def joined(sources: Iterable[Source], digests: Sequence[FileDigest]) -> tuple[Source, ...]:
    """Return the conversations in these files. Names of sessions of Hermes begin with their time, so they are in order.

    Files with the same start and the same first words are one conversation, if all but the first have a summary. A
    fork keeps the start of its session, which the session loses when it is resumed. Of other files with the same
    summary, the first one is the conversation, and the others are branches.
    """
    others: list[Source] = []
    files: dict[tuple[str, str, float], list[Source]] = defaultdict(list)
    began: dict[str, float] = {}
    handoffs: dict[str, str] = {}
    for digest in digests:
        if _is_hermes(digest):
            row = digest.row
            handoffs[row.id] = digest.first or handoffs.get(row.id, "")
            name = row.parent or row.id
            began[name] = min(row.started_at, began.get(name, row.started_at))
    conversations: list[tuple[str, str, list[Source]]] = []
    for source in sorted(sources, key=lambda source: source.row.id):
        row = source.row
        folder = str(Path(source.files[0]).parent)
        if row.id not in handoffs:
            others.append(source)
        elif row.parent:
            conversations.append((folder, row.title, [source]))
        else:
            files[folder, row.title, began[row.id]].append(source)
    for (folder, title, _), same in files.items():
        for number, source in enumerate(same):
            if number and handoffs[source.row.id]:
                conversations[-1][2].append(source)
            else:
                conversations.append((folder, title, [source]))
    owners: dict[tuple[str, str, str], Source] = {}
    tips: dict[str, str] = {}
    for folder, title, parts in sorted(conversations, key=lambda item: item[2][0].row.id):
        tip = _conversation(parts)
        keys = [(folder, title, handoff) for part in parts if (handoff := handoffs[part.row.id])]
        owner = next((owners[key] for key in keys if key in owners), None)
        if owner is not None and len(parts) == 1:
            row = tip.row._replace(kind="branch", parent=owner.row.id, compactions=0)
            tip = replace(tip, row=row, shared=owner.files[-1:])
        elif tip.row.parent:
            parent = tips.get(tip.row.parent, tip.row.parent)
            tip = replace(tip, row=tip.row._replace(kind="branch", parent=parent))
        else:
            owners.update(dict.fromkeys(keys, tip))
            tips.update(dict.fromkeys(tip.row.sessions, tip.row.id))
        others.append(tip)
    return tuple(others)


def _conversation(parts: Sequence[Source]) -> Source:
    """Return the conversation of several files, the oldest first."""
    rows = [part.row for part in parts]
    row = rows[-1]._replace(
        root=rows[0].id,
        sessions=tuple(row.id for row in rows),
        compactions=sum(row.compactions or 0 for row in rows),
        started_at=min(row.started_at for row in rows),
    )
    return replace(parts[-1], row=row, files=tuple(path for part in parts for path in part.files))
