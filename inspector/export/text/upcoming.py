"""The next compaction, as text."""

from __future__ import annotations

from inspector.core.text import safe_title
from inspector.export.documents.document import Document
from inspector.export.text.console import StyledLines

#: Facts at risk that are printed.
_SHOWN = 20


def print_upcoming(entry: Document) -> None:
    """Print the distance, the price, the facts at risk and the text to pin."""
    lines = StyledLines()
    lines.add((safe_title(entry["title"] or entry["conversation"], 200), "bold"))
    for sentence in entry["sentences"]:
        lines.add((sentence, ""), indent=2)
    risks = entry["at_risk"]
    if risks:
        lines.add((f"at risk: {len(risks):,} facts that no other message has", "bold"), indent=2)
    for fact in risks[:_SHOWN]:
        lines.add((f"{fact['category']:<10} {safe_title(fact['text'], 300)}", ""), indent=4)
    if len(risks) > _SHOWN:
        more = f"and {len(risks) - _SHOWN:,} more: facts --at-risk lists them"
        lines.add((more, "dim"), indent=4)
    if entry["pin"]:
        lines.add(("to pin, with /compact, in a memory file or in the next message:", "bold"), indent=2)
        lines.add((entry["pin"].rstrip(), ""), indent=4)
