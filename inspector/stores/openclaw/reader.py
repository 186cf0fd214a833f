"""OpenClaw's sessions: pi's entries in `~/.openclaw/agents/<agent>/agent/openclaw-agent.sqlite` from 2026.8 on, before
that in JSON lines below `sessions/`."""

from __future__ import annotations

from pathlib import Path

from inspector.stores.entries import Entries
from inspector.stores.head import Head
from inspector.stores.openclaw.forms import fetch_of, read_events, session_names
from inspector.stores.pi.reader import PiReader, Scan, convert, scan_of
from inspector.stores.recorded import FileDigest


class OpenClawReader(PiReader):
    """See Reader for what every method answers."""

    agent = "openclaw"
    source = "openclaw, session version"
    limits = (
        "OpenClaw does not record what started a compaction, nor the system prompt and the context that it puts after "
        "each message. Answers that it took back after a compaction are in no record.",
    )

    def recognises(self, head: Head) -> bool:
        """Whether it is OpenClaw's database, or pi's entries with OpenClaw's own between."""
        if head.is_sqlite:
            return head.tables is not None and "transcript_events" in head.tables
        return super().recognises(head) and b"openclaw" in head.raw

    def digests(self, path: Path) -> tuple[FileDigest, ...]:
        """A digest of each session."""
        if path.suffix != ".sqlite":
            return super().digests(path)
        scans = ((name, self.scan(path, name)) for name in session_names(path))
        return tuple(self.digest(path, name, scan) for name, scan in scans if scan.entries.found)

    def scan(self, path: Path, part: str) -> Scan:
        """The session of a file that `part` names. Raises StoreErrors."""
        if not part:
            return super().scan(path, part)
        return scan_of(Entries(path, convert, fetch=fetch_of(part)), read_events(path, part))


READER = OpenClawReader
