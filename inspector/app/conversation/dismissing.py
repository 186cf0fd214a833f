"""Dismissing facts and findings from the screen, and restoring them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.config.dismissals import Dismissals

if TYPE_CHECKING:
    from inspector.app.conversation.host import Host
    from inspector.quality.facts.fact import Fact
    from inspector.quality.finding import Finding


class Dismissing:
    """Keeps the dismissals of the conversation in the state folder, and assigns them to the state."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def fact(self, fact: Fact) -> None:
        """Dismiss a fact, or restore it."""
        gone = fact.key in self._host.state.dismissed_facts
        words = (
            "Restored the fact."
            if gone
            else "Dismissed: not counted. r shows dismissed facts, d restores one."
        )
        self._take(Dismissals.load().toggle_fact(self._root, fact.key), words)

    def finding(self, finding: Finding) -> None:
        """Dismiss the findings of one cause, or restore them."""
        from inspector.quality.grouping import dismissal_key

        key = dismissal_key(finding)
        gone = key in self._host.state.dismissed_findings
        words = "Restored the finding." if gone else "Dismissed. D shows dismissed findings, d restores one."
        self._take(Dismissals.load().toggle_finding(self._root, key), words)

    @property
    def _root(self) -> str:
        opened = self._host.loaded.opened
        return "" if opened is None else opened.inspection.conversation.row.root

    def _take(self, dismissals: Dismissals, words: str) -> None:
        if not dismissals.save():
            words = f"{words} The state folder is not writable: this is forgotten at the end."
        root = self._root
        self._host.change(
            dismissed_facts=dismissals.facts_of(root), dismissed_findings=dismissals.findings_of(root)
        )
        self._host.app.notify(words, timeout=3)
