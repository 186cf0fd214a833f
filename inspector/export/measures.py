"""Measures as JSON and text: a row for each compaction."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.answers.measures import MeasuredConversation
from inspector.core.shares import percent, share_of
from inspector.core.signs import FATE_SIGNS
from inspector.export.console import Table, print_table, say
from inspector.export.document import Document, fields_of
from inspector.quality.facts.fact import KINDS
from inspector.quality.measures import Measures, Share

#: The names of the columns of a table of measures.
COLUMNS = (">compaction", ">compression", ">tokens spent", *(f">{kind}s" for kind in KINDS))


def measures_document(answer: MeasuredConversation) -> Document:
    """The answer of `measures`."""
    return {
        **fields_of(answer, "conversation=row.id title:title=row.unmasked_title profile"),
        "compactions": measure_documents(answer.measures),
    }


def measure_documents(measures: Measures) -> list[Document]:
    """Return the measures of each compaction."""
    shares = measures.survival.shares
    return [
        {
            **fields_of(recorded, "compaction=index fallback"),
            "compression": _share(measures.compression[at]),
            "spent_tokens": measures.spent[at],
            "survival": {kind: _share(shares[kind][at]) for kind in KINDS},
        }
        for at, recorded in enumerate(measures.compactions)
    ]


def _share(share: Share | None) -> Document | None:
    return None if share is None else fields_of(share, "count of uncertain value")


def print_measures(answer: MeasuredConversation) -> None:
    """Print a row for each compaction."""
    if not answer.measures.compactions:
        say("Nothing was compacted, so there is nothing to measure.")
        return
    print_table(Table(*COLUMNS, rows=measure_rows(answer.measures)))
    for note in measure_notes(answer.measures):
        say(note)


def measure_rows(measures: Measures) -> Iterator[tuple[str, ...]]:
    """Yield a row of words for each compaction, in the order of COLUMNS."""
    shares = measures.survival.shares
    for at, recorded in enumerate(measures.compactions):
        spent = measures.spent[at]
        yield (
            f"{recorded.index}{'!' if recorded.fallback else ''}",
            share_percent(measures.compression[at]),
            "–" if spent is None else f"{spent:,}",
            *(share_words(shares[kind][at]) for kind in KINDS),
        )


def measure_notes(measures: Measures) -> list[str]:
    """Return a sentence about each sign in the rows."""
    notes = ["Shares of survival count the facts of all compactions up to this one, those of the agent too."]
    if any(recorded.fallback for recorded in measures.compactions):
        notes.append("!: no summary was made. A fallback text replaced the middle.")
    shares = (share for of_kind in measures.survival.shares.values() for share in of_kind)
    if any(share.uncertain for share in shares if share is not None):
        sign = FATE_SIGNS["uncertain"]
        notes.append(f"{sign}N: N more facts are uncertain and count in no share.")
    return notes


def share_percent(share: Share | None) -> str:
    """Return a share in percent; a dash without a value."""
    return "–" if share is None or share.value is None else percent(share.value)


def share_words(share: Share | None) -> str:
    """Return a share with its counts: "67% 6/9 ±2"; a dash without any."""
    return "–" if share is None else share_of(share.count, share.of, share.uncertain)
