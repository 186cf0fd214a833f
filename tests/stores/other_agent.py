"""A distribution that adds an agent by entry point: a reader, a profile, forms of rule files and a hook."""

from __future__ import annotations

import json
from pathlib import Path

ROW = """
from inspector.agents import Agent

AGENT = Agent(
    "harbour", "Harbour Master", "harbour_agent", ("${HARBOUR_HOME:-~/.harbour}/logs",), endings=(".log",),
    hook="hook.ini",
)
"""
READER = """
import json

from inspector.core.conversations import Compaction, Conversation, ConversationRow
from inspector.stores.assembly import bodies_of, generations_of, identity, named, session_of
from inspector.stores.entries import Entries
from inspector.stores.index import FileDigest
from inspector.stores.lines import read_lines
from inspector.stores.recorded import Recorded, Source


class HarbourReader:
    agent = "harbour"
    limits = ("Harbour Master records no usage.",)

    def recognises(self, head):
        return head.first.get("harbour") == 1

    def digests(self, path):
        entries, lists, compactions = scan(path)
        row = ConversationRow(
            **named(path.stem), title="Berths", model="", source="harbour 1", messages=len(lists[-1]),
            compactions=len(compactions), started_at=0.0, last_active=0.0, agent=self.agent,
        )
        return (FileDigest(str(path), row),)

    def sources(self, digests, memory=None):
        return tuple(Source(digest.row, (digest.path,)) for digest in digests)

    def read(self, source):
        from pathlib import Path

        entries, lists, compactions = scan(Path(source.files[0]))
        generations = generations_of(lists, (entries,), source.row.id)
        session = session_of(source.row, source.row.id, ())
        return Recorded(
            Conversation(source.row, (session,), generations), tuple(compactions), (), (),
            bodies_of((entries,), source.row.id),
        )


def scan(path):
    entries, lists, compactions = Entries(path, lambda lines: [lines[0]["said"]] if lines else []), [[]], []
    for line in read_lines(path):
        if "said" not in line.value:
            continue
        entries.spans.append((line.start, line.length))
        summary = bool(line.value.get("summary"))
        (number,) = entries.add([line.value["said"]], 0.0, summary)
        if summary:
            before = len(lists[-1])
            lists.append([])
            text = line.value["said"]["content"]
            compactions.append(
                Compaction(len(lists) - 1, path.stem, before, 1, 0, before, 0, 1, 0, text, False, False, 0, 0, 0.0)
            )
        lists[-1].append(identity(0, number))
    return entries, lists, compactions


READER = HarbourReader
"""
PROFILE = """
from inspector.engines.observed.rules import Observed

PROFILES = (
    Observed(
        name="harbour", summary="Harbour Master: the list becomes a summary.", share=0.5, reserve=0,
        why_threshold="Observed", tail_tokens=0, why_tail="Observed", summary_tokens=500, why_summary="Observed",
        written=lambda limits: ("harbour.ini", f"compact_at = {limits.threshold} ; {limits.comment}\\n"),
    ),
)
"""
RULE_FILES = r"""
from inspector.stores.rule_files import rule_form

FORMS = (rule_form(r"^Posted in (?P<path>[^\n]+):\n(?P<text>[^\n]+)$"),)
"""
HOOK = """
from inspector.stores.hook_events import HookEvent


def read(event):
    return HookEvent("keep", transcript=event["log"])
"""


def install(folder: Path) -> None:
    """Put the distribution into a folder of the module path."""
    package = folder / "harbour_agent"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(ROW)
    (package / "reader.py").write_text(READER)
    (package / "profile.py").write_text(PROFILE)
    (package / "rule_files.py").write_text(RULE_FILES)
    (package / "hook.py").write_text(HOOK)
    (package / "hook.ini").write_text("before_full = compaction-inspector hook harbour\n")
    info = folder / "harbour_agent-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: harbour-agent\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[compaction_inspector.agents]\nharbour = harbour_agent:AGENT\n", encoding="utf-8"
    )


def session(path: Path) -> Path:
    """Write a session with one compaction."""
    path.parent.mkdir(parents=True, exist_ok=True)
    messages = [
        {"role": "user", "content": "Posted in QUAY.md:\nNever moor at berth 9."},
        {"role": "user", "content": "Never let a ferry wait. Which berth is free?"},
        {"role": "assistant", "content": "Berth 4 is free."},
    ]
    lines: list[dict[str, object]] = [{"harbour": 1}, *({"said": wire} for wire in messages)]
    lines.append({"said": {"role": "user", "content": "Summary: berth 4 is free."}, "summary": True})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path
