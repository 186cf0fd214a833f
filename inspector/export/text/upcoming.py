"""The next compaction, as text."""

from __future__ import annotations

from rich.padding import Padding
from rich.text import Text

from inspector.core.shares import dollars
from inspector.core.text import safe_title
from inspector.export.documents.document import Document
from inspector.export.text.console import console_for

#: Facts at risk that are printed.
_SHOWN = 20


def print_upcoming(entry: Document) -> None:
    """Distance, what goes, what is at risk, the text to pin, the price, and whether now is a good moment."""
    console = console_for()
    console.print(Text(safe_title(entry["title"] or entry["conversation"], 200), "bold"))
    for line in _lines(entry):
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


def _lines(entry: Document) -> list[str]:
    mark = "" if entry["reported"] else "~"
    threshold = entry["threshold_tokens"]
    far = threshold - entry["tokens"]
    distance = f"{far:,} tokens below the threshold" if far > 0 else "at the threshold or above"
    left = entry["requests_left"]
    requests = "" if left is None else f", about {left:,} requests at {entry['growth']:,} tokens each"
    tokens = f"{mark}{entry['tokens']:,} of {threshold:,} tokens"
    lines = [f"{tokens}: {distance}{requests if far > 0 else ''} ({entry['profile']})"]
    if entry["why_not"]:
        return [*lines, f"a compaction now would take nothing: {entry['why_not']}"]
    takes = entry["takes"]
    if takes:
        lines.append(
            f"a compaction now summarizes {len(takes):,} messages (#{takes[0]:,} to #{takes[-1]:,}), "
            f"~{entry['takes_tokens']:,} tokens"
        )
    if entry["cost"] is not None:
        cache = "unknown" if entry["warm"] is None else "warm" if entry["warm"] else "cold"
        pays = entry["pays_off_after"]
        after = "never pays off" if pays is None else f"pays off after {pays:,} requests"
        lines.append(f"cost now: {dollars(entry['cost']['amount'])} US dollars (cache {cache}); {after}")
    return [*lines, entry["advice"]] if entry["advice"] else lines
