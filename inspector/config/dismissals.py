"""Findings and rules that the user dismissed, in the state folder of this program.

A dismissed finding is hidden. A fact that is dismissed as a rule stays listed and does not count as a rule.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from inspector.config.folders import read_state, state_dir, write_state

_FILE = "dismissed.json"
#: Maximum number of stored entries; the newest are kept.
MAX_ENTRIES = 5_000


@dataclass(frozen=True, slots=True)
class Dismissals:
    """Keys of dismissed findings, each as (root session, key), and of facts that are not rules."""

    findings: frozenset[tuple[str, str]] = frozenset()
    facts: frozenset[str] = frozenset()
    folder: Path | None = field(default=None, compare=False)

    @classmethod
    def load(cls, folder: Path | None = None) -> Dismissals:
        """Read the state file. A damaged or missing file has no entries."""
        folder = folder or state_dir()
        document = read_state(folder / _FILE)
        findings = _texts(document.get("findings"), 2)
        facts = _texts(document.get("facts"), 1)
        return cls(
            frozenset((root, key) for root, key in findings), frozenset(key for (key,) in facts), folder
        )

    def toggle_finding(self, root: str, key: str) -> Dismissals:
        """Dismiss a finding of a conversation, or restore it."""
        return replace(self, findings=self.findings ^ {(root, key)})

    def toggle_fact(self, key: str) -> Dismissals:
        """Mark a fact as not a rule, or as a rule again."""
        return replace(self, facts=self.facts ^ {key})

    def save(self) -> bool:
        """Write the state file; return False if the folder is not writable."""
        if self.folder is None:
            return False
        findings = [list(entry) for entry in sorted(self.findings)[-MAX_ENTRIES:]]
        facts = [[key] for key in sorted(self.facts)[-MAX_ENTRIES:]]
        return write_state(self.folder / _FILE, {"findings": findings, "facts": facts})

    @property
    def facts_stamp(self) -> str:
        """Return a text that changes with the dismissed facts; "" if there are none."""
        return (
            hashlib.blake2b("\0".join(sorted(self.facts)).encode(), digest_size=8).hexdigest()
            if self.facts
            else ""
        )


def _texts(entries: Any, count: int) -> list[tuple[str, ...]]:
    if not isinstance(entries, list):
        return []
    return [
        tuple(entry)
        for entry in entries
        if isinstance(entry, list) and len(entry) == count and all(isinstance(text, str) for text in entry)
    ]
