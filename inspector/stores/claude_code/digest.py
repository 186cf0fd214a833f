"""Digest a Claude Code transcript for the list of conversations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from inspector.core.conversations import ConversationRow
from inspector.core.patterns import late_pattern
from inspector.core.text import without_pictures
from inspector.stores.assembly import named
from inspector.stores.claude_code.chain import has_main, is_abandoned, joined, messages_of, parts_of
from inspector.stores.claude_code.forms import opening_words
from inspector.stores.claude_code.queued import QUEUED
from inspector.stores.claude_code.scan import LineNode, Scan, scan
from inspector.stores.index import FileDigest
from inspector.stores.titles import titles_of
from inspector.stores.wires import texts_in

#: The name of a command that the user called.
_COMMAND_NAME = late_pattern(r"<command-name>(/[^<\n]{1,80})</command-name>")


def digests_of(path: Path) -> tuple[FileDigest, ...]:
    """Return a digest of each conversation in a file.

    These are the main conversation, each sub-agent, and each branch abandoned across a boundary. Raises StoreErrors.
    """
    scanned = scan(path)
    parts = parts_of(scanned.nodes)
    main_nodes = {node.uuid for node in parts.get("", ())}
    part_of = {node.uuid: part for part, nodes in parts.items() for node in nodes} | dict.fromkeys(
        main_nodes, ""
    )
    # The lines of each conversation alone, with their recorded parents.
    lines: dict[str, list[LineNode]] = {}
    for node in scanned.nodes:
        if node.kind != QUEUED and node.uuid in part_of:
            lines.setdefault(part_of[node.uuid], []).append(node)
    listed = {part: nodes for part, nodes in lines.items() if any(n.message or n.compacts for n in nodes)}
    main_session = _session(listed.get("", ()))
    return tuple(
        _digest(
            scanned,
            part,
            nodes,
            joined([(parts[part], False)], main_nodes if is_abandoned(part) else frozenset()),
            main_session,
        )
        for part, nodes in listed.items()
    )


def _digest(
    scanned: Scan, part: str, lines: Sequence[LineNode], whole: Sequence[LineNode], main_session: str
) -> FileDigest:
    """Return the digest of a conversation. `whole` are its lines in order, also those that it shares."""
    path = scanned.entries.path
    is_agent, abandoned = not has_main(scanned.nodes), is_abandoned(part)
    first, last, own_session = lines[0], lines[-1], _session(lines)
    session, parent = part or own_session, ""
    if abandoned:
        session, parent = f"{main_session}~{part[-8:]}", main_session
    elif is_agent:
        session, parent = _first(node.agent for node in lines) or own_session, own_session
    elif part and part != own_session:
        # Another session of a stream is marked by its own name.
        parent = main_session
    before = first.parent or first.logical
    compactions = tuple(node.uuid for node in whole if node.compacts)
    name = "" if is_agent or (part and not abandoned) else _title(scanned)
    first_words = _first(_words(scanned, node) for node in lines if node.has_words)
    title, with_secrets = titles_of(name, first_words)
    times = [node.at for node in lines if node.at]
    row = ConversationRow(
        **named(session or path.stem, parent),
        title=title,
        title_with_secrets=with_secrets,
        model=_first(node.model for node in reversed(lines)),
        source="",
        messages=messages_of(whole),
        compactions=len(compactions),
        started_at=min(times, default=0.0),
        last_active=max(times, default=0.0),
        provider="anthropic",
        folder=_first(node.folder for node in lines),
    )
    return FileDigest(
        path=str(path),
        row=row,
        version=_first(node.version for node in reversed(lines)),
        part=part,
        compactions=compactions,
        first=first.uuid,
        last=last.uuid,
        before=before,
        # Streams are in the order of their runs.
        midway=not scanned.stream and (first.compacts or (bool(before) and first.uuid in compactions)),
        # Some lines are copies of lines of another session. A fork may rename the session in others.
        copied=not part and not parent and len({node.session for node in lines} - {""}) > 1,
        stream=scanned.stream,
        largest=max(node.size for node in lines),
    )


def _first(texts: Iterable[str]) -> str:
    return next(filter(None, texts), "")


def _session(lines: Sequence[LineNode]) -> str:
    return _first(node.session for node in reversed(lines))


def _title(scanned: Scan) -> str:
    """Return the title of the session; "" if it has none."""
    uuids = {node.uuid for node in scanned.nodes} if scanned.summaries else ()
    summary_title = _first(title for title, leaf in reversed(scanned.summaries) if leaf in uuids)
    return scanned.titles.get("custom-title") or scanned.titles.get("ai-title") or summary_title


def _words(scanned: Scan, node: LineNode) -> str:
    """Return the words of the user in a line, which may be the title of a session without a title."""
    command = ""
    for message in scanned.entries.bodies(node.entries).values():
        text = "\n".join(texts_in(message.wire["content"]))
        if message.role == "user" and text:
            return without_pictures(opening_words(f"{command}{text}")).strip()
        # The words behind the name of a command are its arguments.
        named = _COMMAND_NAME.search(text)
        command = f"{named[1]} " if named is not None else command
    return ""
