"""OpenClaw's sessions: pi's entries in `~/.openclaw/agents/<agent>/agent/openclaw-agent.sqlite` from 2026.8 on, before
that in JSON lines below `sessions/`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from inspector.stores.entries import Entries
from inspector.stores.head import Head
from inspector.stores.lines import read_lines
from inspector.stores.openclaw.forms import fetch_of, read_events, read_prompt, session_names
from inspector.stores.openclaw.rewrites import OpenClawScanner
from inspector.stores.pi.reader import PiReader, convert
from inspector.stores.session_lists import SessionLists


class OpenClawReader(PiReader):
    """See Reader for the methods."""

    agent = "openclaw"
    limits = (
        "OpenClaw does not record the tools, the context that it adds after each message, what started a compaction, "
        "or answers that it withdrew after a compaction. It records the system prompt with shortened paths.",
    )

    def recognises(self, head: Head) -> bool:
        """Return whether the file is OpenClaw's database, or has pi's entries with entries of OpenClaw.

        Files of its earlier names (Clawdbot, Moltbot) do not have its name.
        """
        if head.is_sqlite:
            return head.tables is not None and "transcript_events" in head.tables
        if not super().recognises(head):
            return False
        has_models = any(line.get("customType") == "model-snapshot" for line in head.mappings)
        return b"openclaw" in head.raw or has_models

    def parts(self, path: Path) -> Sequence[str]:
        return session_names(path) if path.suffix == ".sqlite" else super().parts(path)

    def scan(self, path: Path, part: str, shared: bool) -> SessionLists:
        entries = Entries(path, convert, fetch=fetch_of(part)) if part else Entries(path, convert)
        lines = read_events(path, part) if part else read_lines(path)
        lists = OpenClawScanner(entries, shared=shared, session=part).run(lines)
        if part:
            lists.prompt = read_prompt(path, part)
        return lists


READER = OpenClawReader
