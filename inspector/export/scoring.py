"""The scores of compactors on a corpus: JSON, and a table for people."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.answers.corpus import CorpusConversation
from inspector.answers.scoring import ScoreRow
from inspector.core.text import safe_line, safe_title
from inspector.export.comparing import share_document
from inspector.export.console import Table, print_table, say
from inspector.export.document import Document, fields_of
from inspector.quality.facts.fact import KINDS
from inspector.quality.measures import Share

#: Columns that are left out on narrow lines, in that order.
_SPARE = ("tokens", "statement", "value", "preference", "decision")
_QUOTE = 160
#: The fields of a scored statement.
_FATE = "message=statement.message region fate=fate.outcome where=fate.where evidence:null=fate.excerpt"


def score_document(
    folder: str, corpus: Sequence[CorpusConversation], rows: Sequence[ScoreRow], sending: Document | None
) -> Document:
    """Return the answer of `score`. `sending` is None if no summarizer was named."""
    return {
        "corpus": folder,
        "conversations": [
            {
                **fields_of(conversation, "name title:title domain language"),
                "messages": len(conversation.messages),
                "statements": [
                    fields_of(statement, "message kind importance quote:line hurts:line still_holds")
                    for statement in conversation.truth
                ],
            }
            for conversation in corpus
        ],
        "rows": [_row(row) for row in rows],
        "sending": sending,
    }


def _row(row: ScoreRow) -> Document:
    before, after = row.tokens
    return {
        **fields_of(row, "label:line kind profile"),
        "conversations": len(row.conversations),
        "compacted": len(row.compacted),
        "kept": {kind: share_document(row.kept(kind)) for kind in KINDS},
        "all_kept": share_document(row.kept()),
        "important_lost": share_document(row.lost_important),
        "uncertain": row.uncertain,
        "withdrawn_kept": share_document(row.withdrawn),
        "tokens_before": before,
        "tokens_after": after,
        "ratio": row.ratio,
        "problems": [safe_line(problem) for problem in row.problems],
        "scores": [
            fields_of(
                score, "conversation=name compacted tokens_before tokens_after summary_tokens problem:line"
            )
            | {"fates": [fields_of(scored, _FATE) for scored in score.statements]}
            for score in row.conversations
        ],
    }


def print_scores(rows: Sequence[ScoreRow]) -> None:
    """Print a row for each compactor, then the lost statements of importance 3 of each summarizer."""
    columns = ["compactor", ">compacted", *(f">{kind}" for kind in KINDS), ">kept"]
    columns += [">lost (3)", ">uncertain", ">tokens", ">ratio"]
    table = Table(*columns, spare=_SPARE, cut=("compactor",))
    labels: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        labels.setdefault((row.kind, *_cells(row)), []).append(row.label)
    for (_, *cells), same in labels.items():
        table.add(", ".join(same), *cells)
    print_table(table)
    say()
    say(
        "Kept: can still be read; uncertain statements do not count. Below: 95% interval (Wilson). lost (3): lost, "
        "weakened or contradicted statements of importance 3. A row counts the conversations that it compacts."
    )
    for row in rows:
        for problem in row.problems:
            say(f"? {row.label}: {problem} Its statements count as uncertain.", "yellow")
        if row.kind == "summarizer":
            _print_lost(row)


def _cells(row: ScoreRow) -> tuple[str, ...]:
    important = row.lost_important
    compacted = f"{len(row.compacted)}/{len(row.conversations)}"
    if not row.compacted:
        return (compacted, *("–" for _ in KINDS), "–", "–", "–", "–", "–")
    return (
        compacted,
        *(_share(row.kept(kind)) for kind in KINDS),
        _share(row.kept()),
        f"{important.count}/{important.of}",
        f"{row.uncertain}",
        f"{row.tokens[1]:,}",
        "–" if row.ratio is None else f"{row.ratio:.0%}",
    )


def _share(share: Share) -> str:
    low, high = share.interval
    return f"{share.count}/{share.of}\n{low:.0%}–{high:.0%}" if share.of else "–"


def _print_lost(row: ScoreRow) -> None:
    lost = [
        (score.name, scored)
        for score in row.compacted
        for scored in score.statements
        if scored.lost and scored.statement.importance == 3 and scored.statement.still_holds
    ]
    if lost:
        say()
        say(f"Lost by {row.label}, importance 3:", "bold")
    for name, scored in lost:
        statement = scored.statement
        quote = safe_title(statement.quote, _QUOTE)
        say(f"  {name}, message {statement.message}, {scored.fate.outcome}: {quote}")
        say(f"      {safe_title(statement.hurts, _QUOTE)}")
