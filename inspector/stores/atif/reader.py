"""ATIF trajectories. Converters make them from the sessions of many agents.

A trajectory that was continued after a compaction names the file that continues it. That file begins with steps that
are copied for context: the summary and the kept messages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from inspector.core.conversations import ConversationRow
from inspector.core.errors import StoreDamaged
from inspector.core.shares import plural
from inspector.stores.assembly import named
from inspector.stores.atif.forms import wires_of
from inspector.stores.entries import Entries
from inspector.stores.head import Head
from inspector.stores.index import FileDigest, FileIndex
from inspector.stores.lines import place_in, read_mapping, split_place
from inspector.stores.recorded import Recorded, Source
from inspector.stores.session_lists import SessionLists
from inspector.stores.values import (
    count_of,
    mapping_at,
    mappings,
    mappings_in,
    seconds_of,
    text_at,
    usage_of,
)

#: The key of the trajectories of sub-agents in a trajectory.
_SUB_AGENTS = "subagent_trajectories"


class AtifReader:
    """Reads trajectories; see Reader for the methods."""

    agent = "atif"
    limits = (
        "ATIF does not record compactions: one is inferred where another file continues a trajectory and begins with "
        "copies of its steps.",
    )

    def recognises(self, head: Head) -> bool:
        """Return whether the file is a trajectory."""
        start = head.raw[:4096].lstrip()
        return start.startswith(b"{") and b'"schema_version"' in start and b'"ATIF-' in start

    def digests(self, path: Path) -> tuple[FileDigest, ...]:
        """Return the digests of a trajectory and of the sub-agents in it; `last` is the file that continues it."""
        document = _document(path)
        following = Path(text_at(document, "continued_trajectory_ref")).name
        digests = []
        for part in _parts(document):
            session = _scan([path], part=part)
            if session.entries.items:
                digest = session.digest(path)._replace(part=part)
                digests.append(digest if part else digest._replace(last=following))
        return tuple(digests)

    def sources(self, digests: Sequence[FileDigest], memory: FileIndex | None = None) -> tuple[Source, ...]:
        """Return a conversation for each chain of files that continue each other."""
        by_path = {digest.path: digest for digest in digests if not digest.part}
        following = {
            digest.path: str(Path(digest.path).with_name(digest.last))
            for digest in by_path.values()
            if digest.last and str(Path(digest.path).with_name(digest.last)) in by_path
        }
        chains: list[list[str]] = []
        joined: set[str] = set()
        # Files that continue each other in a ring have no first file, so they come last.
        for path in sorted(by_path, key=lambda path: path in following.values()):
            files: list[str] = []
            while path in by_path and path not in joined:
                joined.add(path)
                files.append(path)
                path = following.get(path, "")
            if files:
                chains.append(files)
        sources = []
        names: dict[str, str] = {}
        # Trajectories of one run may have the same session id.
        uses = Counter(by_path[files[-1]].row.id for files in chains)
        for files in chains:
            first, tip = by_path[files[0]], by_path[files[-1]]
            name = f"{tip.row.id}-{Path(first.path).stem}" if uses[tip.row.id] > 1 else tip.row.id
            row = _row(tip, name)._replace(
                title=first.row.title, started_at=first.row.started_at, compactions=len(files) - 1
            )
            sources.append(Source(row, tuple(files)))
            names |= dict.fromkeys(files, name)
        for digest in digests:
            if digest.part:
                parent = names.get(digest.path, digest.row.id)
                row = _row(digest, f"{parent}-{digest.part}", parent)
                sources.append(Source(row, (digest.path,), part=digest.part))
        return tuple(sources)

    def read(self, source: Source) -> Recorded:
        paths = [Path(path) for path in source.files]
        return _scan(paths, source.row.id, source.part).recorded(source)


READER = AtifReader


def _row(digest: FileDigest, session: str, parent: str | None = None) -> ConversationRow:
    """Return the row of a trajectory as this session."""
    source = f"{AtifReader.agent} {digest.version}".strip()
    return digest.row._replace(**named(session, parent), agent=AtifReader.agent, source=source)


def _scan(paths: Sequence[Path], name: str = "", part: str = "") -> SessionLists:
    """Read the conversation in files that continue each other, or the sub-agent `part` in a file.

    `name` is its id, if known. Raises StoreErrors."""
    documents = [_document(path, part) for path in paths]

    def fetch(path: Path, places: list[tuple[int, int]]) -> list[dict[str, Any] | None]:
        steps = [mappings(_document(path, part).get("steps")) for path in paths]
        numbers = (split_place(place) for place, _ in places)
        return [steps[file][number] if number < len(steps[file]) else None for file, number in numbers]

    session = SessionLists(Entries(paths[0], wires_of, fetch=fetch))
    for number, document in enumerate(documents):
        session.session = name or text_at(document, "session_id") or paths[-1].stem
        agent = mapping_at(document, "agent")
        session.model = text_at(agent, "model_name") or session.model
        session.version = " ".join(filter(None, (text_at(agent, "name"), text_at(agent, "version"))))
        steps = mappings(document.get("steps"))
        _trajectory(session, number, steps)
        session.unreadable += steps.count({})
        if aside := sum(map(_is_aside, steps)):
            session.notes.append(f"{plural(aside, 'step')} of sub-agents and their requests are left out.")
    return session


def _trajectory(session: SessionLists, number: int, steps: Sequence[Mapping[str, Any]]) -> None:
    copied: list[int] = []
    waiting = number > 0
    for place, step in enumerate(steps):
        if not step or _is_aside(step):
            continue
        at = seconds_of(step.get("timestamp"))
        session.note_time(at)
        session.begin_record(place_in(number, place), 1)
        if waiting and step.get("is_copied_context") is True:
            copied += session.make(wires_of([step]), at)
            continue
        if waiting:
            _continued(session, copied, at)
            waiting = False
        session.add(wires_of([step]), at)
        metrics = mapping_at(step, "metrics")
        if metrics and step.get("source") == "agent" and step.get("is_copied_context") is not True:
            session.call(
                f"step {count_of(step, 'step_id') or place + 1}", at,
                usage_of(
                    metrics, "prompt_tokens", "completion_tokens", "cached_tokens", input_has_cache=True,
                    cost=metrics.get("cost_usd"),
                ),
                model=text_at(step, "model_name"),
            )  # fmt: skip
    if waiting:
        _continued(session, copied, session.last_active)


def _continued(session: SessionLists, copied: Sequence[int], at: float) -> None:
    """Add the compaction between two files. Its summary is the first copied message that the list lacks."""
    hashes = {session.hashes[number] for number in session.live}
    summary = next((number for number in copied if session.hashes[number] not in hashes), None)
    text = None
    if summary is not None:
        session.entries.items[summary].summary = True
        text = session.entries.bodies([summary])[summary].text
    note = "Inferred: the trajectory is continued in another file."
    session.compact(list(copied), summary, at, text=text, head=True, note=note)


def _document(path: Path, part: str = "") -> dict[str, Any]:
    """Return the trajectory in a file, or the trajectory of a sub-agent in it. Raises StoreErrors."""
    document = read_mapping(path)
    for number in filter(None, part.split(".")):
        helpers = mappings_in((document or {}).get(_SUB_AGENTS))
        document = helpers[int(number) - 1] if int(number) <= len(helpers) else None
    if document is None:
        raise StoreDamaged(f"{path} holds no complete trajectory.")
    return document


def _parts(document: Mapping[str, Any], part: str = "") -> Iterator[str]:
    """Yield "" for a trajectory and the numbers of the sub-agents in it: 1, 1.1, 2, ..."""
    yield part
    for number, helper in enumerate(mappings_in(document.get(_SUB_AGENTS)), start=1):
        yield from _parts(helper, f"{part}.{number}".lstrip("."))


def _is_aside(step: Mapping[str, Any]) -> bool:
    """Return whether a step is of a sub-agent: conversions of Claude Code's sessions have them among the others."""
    return mapping_at(step, "extra").get("is_sidechain") is True
