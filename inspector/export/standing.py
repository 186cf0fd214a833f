"""Standing rules, as JSON and text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from inspector.answers.standing import StandingRules
from inspector.core.text import safe, safe_line, safe_title
from inspector.export.console import StyledLines
from inspector.export.document import Document, fields_of
from inspector.quality.grouping import ranges_of

#: Lines of a file that are printed.
_SHOWN = 12


def rules_documents(answer: Iterable[StandingRules]) -> list[Document]:
    """The answer of `rules`: one entry a file and conversation."""
    return [
        {
            "conversation": rules.row.id,
            "title": safe_title(rules.row.title),
            "path": safe_line(file.path),
            "kind": "memory" if file.memory else "rules file",
            "how": list(dict.fromkeys(entry.how for entry in file.entries)),
            "text": safe(file.text),
            "generations": rules.generations,
            "in_lists": list(file.lists),
            "in_context": file.live,
            "entries": [
                {"generation": entry.generation, "index": entry.place, **fields_of(entry, "message", "how")}
                for entry in file.entries
            ],
        }
        for rules in answer
        for file in rules.files
    ]


def print_rules(documents: Sequence[Document]) -> None:
    """Each file under its conversation: where it came from, and in which lists it is."""
    lines = StyledLines()
    if not documents:
        lines.add(("No file of standing rules was recorded.", ""))
        return
    title = None
    for entry in documents:
        if entry["conversation"] != title:
            title = entry["conversation"]
            lines.add((safe_title(entry["title"] or title, 200), "bold"))
        lists, last = entry["in_lists"], entry["generations"]
        state = (
            "in the list now"
            if entry["in_context"]
            else f"not in the recorded list since compaction {lists[-1]}"
        )
        where = f"{', '.join(entry['how'])}; in list {ranges_of(lists)} of {last}"
        lines.add(
            (entry["path"], ""),
            (f"  {entry['kind']}, {where}  ", "dim"),
            (state, "green" if entry["in_context"] else "red"),
            indent=2,
        )
        texts = [line for line in entry["text"].splitlines() if line.strip()]
        for line_text in texts[:_SHOWN]:
            lines.add((safe_title(line_text, 200), "dim"), indent=6)
        if len(texts) > _SHOWN:
            lines.add((f"and {len(texts) - _SHOWN:,} lines more", "dim"), indent=6)
