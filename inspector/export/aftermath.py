"""The aftermath of compactions, as JSON and text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from inspector.answers.fact_results import ConversationAftermath
from inspector.core.places import place_name
from inspector.core.text import safe_line, safe_title
from inspector.export.console import StyledLines
from inspector.export.document import Document, fields_of
from inspector.quality.aftermath import AFTERMATH_KINDS, AftermathEvent


def aftermath_documents(answer: Iterable[ConversationAftermath]) -> list[Document]:
    """The answer of `aftermath`: one entry an event."""
    return [
        {"conversation": entry.row.id, "title": safe_line(entry.row.title), **event_document(event)}
        for entry in answer
        for event in entry.events
    ]


def event_document(event: AftermathEvent) -> Document:
    """One event, with both places."""
    earlier = event.earlier
    return {
        **fields_of(event, "compaction", "kind"),
        **fields_of(event.place, "message", "generation", "index"),
        "earlier": None if earlier is None else earlier.message,
        "earlier_place": None if earlier is None else fields_of(earlier, "generation", "index"),
        "fact": event.fact or None,
        "category": event.category or None,
        "fate": event.fate or None,
        **fields_of(event, "text", "tokens"),
    }


def print_aftermath(documents: Sequence[Document]) -> None:
    """Every event under its conversation and compaction."""
    lines = StyledLines()
    if not documents:
        lines.add(("Nothing was done again after a compaction, as far as the recorded messages show.", ""))
        return
    shown: tuple[str, int] | None = None
    for entry in documents:
        place = entry["conversation"], entry["compaction"]
        if place != shown:
            if shown is not None:
                lines.add()
            shown = place
            events = [one for one in documents if (one["conversation"], one["compaction"]) == place]
            title = safe_title(entry["title"] or entry["conversation"], 200)
            counts = aftermath_counts(Counter(one["kind"] for one in events))
            lines.add((title, "bold"), (f"  compaction {entry['compaction']}  ", ""), (counts, "yellow"))
        earlier = entry["earlier_place"]
        before = (
            ""
            if earlier is None
            else f"  earlier {place_name(earlier['index'], None, earlier['generation'])}"
        )
        place_now = place_name(entry["index"], None, entry["generation"])
        head = f"{entry['kind']:<14} {place_now}{before}  ~{entry['tokens']:,} tokens"
        lines.add((head, "dim"), indent=2)
        lines.add((safe_title(entry["text"], 400), ""), indent=6)
        if entry["fact"]:
            lines.add((f"{entry['fate']}: {safe_title(entry['fact'], 400)}", "red"), indent=6)


def aftermath_counts(kinds: Counter[str] | dict[str, int]) -> str:
    """Counts in words: "2 against a rule, 5 read again"; "" where nothing was done again."""
    return ", ".join(f"{kinds[kind]:,} {kind}" for kind in AFTERMATH_KINDS if kinds.get(kind))
