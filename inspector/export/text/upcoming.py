"""The next compaction, as text."""

from __future__ import annotations

from rich.padding import Padding
from rich.text import Text

from inspector.core.text import safe_title
from inspector.export.documents.document import Document
from inspector.export.text.console import console_for

#: Facts at risk that are printed.
_SHOWN = 20


def print_upcoming(entry: Document) -> None:
    """Print the distance, the price, the facts at risk and the text to pin."""
    console = console_for()
    console.print(Text(safe_title(entry["title"] or entry["conversation"], 200), "bold"))
    for line in entry["sentences"]:
        console.print(Padding(Text(line), (0, 0, 0, 2), expand=False))
    risks = entry["at_risk"]
    if risks:
        console.print(
            Padding(Text(f"at risk: {len(risks):,} facts that no other message has", "bold"), (0, 0, 0, 2))
        )
    for fact in risks[:_SHOWN]:
        text = f"{fact['category']:<10} {safe_title(fact['text'], 300)}"
        console.print(Padding(Text(text), (0, 0, 0, 4), expand=False))
    if len(risks) > _SHOWN:
        console.print(
            Padding(
                Text(f"and {len(risks) - _SHOWN:,} more: facts --at-risk lists them", "dim"), (0, 0, 0, 4)
            )
        )
    if entry["pin"]:
        console.print(
            Padding(
                Text("to pin, with /compact, in a memory file or in the next message:", "bold"), (0, 0, 0, 2)
            )
        )
        console.print(Padding(Text(entry["pin"].rstrip()), (0, 0, 0, 4), expand=False))
