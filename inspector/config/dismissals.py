"""Findings and facts that the user dismissed, in the state folder of this program.

They are listed apart and count nowhere.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from inspector.config.folders import read_state, state_dir, write_state

_FILE = "dismissed.json"
#: Maximum number of stored entries of a kind.
MAX_ENTRIES = 5_000


class Dismissals(Struct, frozen=True):
    """Keys of dismissed findings and of facts that are not rules, each as (root session, key)."""

    findings: frozenset[tuple[str, str]] = frozenset()
    facts: frozenset[tuple[str, str]] = frozenset()
    folder: Path | None = None

    @classmethod
    def load(cls, folder: Path | None = None) -> Dismissals:
        """Read the state file. A damaged or missing file has no entries."""
        folder = folder or state_dir()
        document = read_state(folder / _FILE)
        return cls(_pairs(document.get("findings")), _pairs(document.get("facts")), folder)

    def toggle_finding(self, root: str, key: str) -> Dismissals:
        """Dismiss a finding of a conversation, or restore it."""
        return replace(self, findings=self.findings ^ {(root, key)})

    def toggle_fact(self, root: str, key: str) -> Dismissals:
        """Dismiss a fact of a conversation, or restore it."""
        return replace(self, facts=self.facts ^ {(root, key)})

    def findings_of(self, root: str) -> frozenset[str]:
        """Keys of the dismissed findings of a conversation."""
        return frozenset(key for conversation, key in self.findings if conversation == root)

    def facts_of(self, root: str) -> frozenset[str]:
        """Keys of the dismissed facts of a conversation."""
        return frozenset(key for conversation, key in self.facts if conversation == root)

    def changed_since(self, earlier: Dismissals) -> frozenset[str]:
        """Root sessions of the conversations with other dismissals than before."""
        changed = (self.findings ^ earlier.findings) | (self.facts ^ earlier.facts)
        return frozenset(root for root, _ in changed)

    def facts_stamp(self, root: str) -> str:
        """Return a text that changes with the dismissed facts of a conversation; "" if there are none."""
        return _stamp(self.facts_of(root))

    def stamp(self, root: str) -> str:
        """Return a text that changes with all that is dismissed of a conversation; "" if nothing is."""
        return _stamp(self.facts_of(root) | self.findings_of(root))

    def save(self) -> bool:
        """Write the state file; return False if the folder is not writable."""
        if self.folder is None:
            return False
        findings, facts = (
            [list(entry) for entry in sorted(entries)[-MAX_ENTRIES:]]
            for entries in (self.findings, self.facts)
        )
        return write_state(self.folder / _FILE, {"findings": findings, "facts": facts})


def _stamp(keys: frozenset[str]) -> str:
    if not keys:
        return ""
    from hashlib import blake2b

    text = "\0".join(sorted(keys)).encode("utf-8", errors="surrogatepass")
    return blake2b(text, digest_size=8).hexdigest()


def _pairs(entries: Any) -> frozenset[tuple[str, str]]:
    if not isinstance(entries, list):
        return frozenset()
    return frozenset(
        (entry[0], entry[1])
        for entry in entries
        if isinstance(entry, list) and len(entry) == 2 and all(isinstance(text, str) for text in entry)
    )
