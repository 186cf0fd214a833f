"""Standing rules."""

from __future__ import annotations

from collections.abc import Iterable

from inspector.answers.standing import StandingRules
from inspector.core.text import safe, safe_line, safe_title
from inspector.export.documents.document import Document, fields_of


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
