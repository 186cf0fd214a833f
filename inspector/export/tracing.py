"""The history of a phrase, as JSON and text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from inspector.answers.tracing import FATE_WORDS, NOT_SUMMARIZED, NOWHERE, Trace
from inspector.core.places import place_name
from inspector.core.signs import FATE_SIGNS
from inspector.core.text import safe_title
from inspector.export.console import StyledLines
from inspector.export.document import Document, fields_of
from inspector.export.fact_results import event_document
from inspector.export.facts import fate_after
from inspector.quality.facts.fact import GONE


def trace_documents(answer: Iterable[Trace]) -> list[Document]:
    """The answer of `trace`: one entry for each conversation that has the phrase."""
    return [
        {
            **fields_of(
                trace, "conversation=row.id title:line=row.unmasked_title text said=places fact:null"
            ),
            "fates": list(map(fate_after, trace.fates)),
            "aftermath": list(map(event_document, trace.aftermath)),
        }
        for trace in answer
    ]


def print_traces(documents: Sequence[Document]) -> None:
    """Print the history of the phrase in each conversation, a line for each event, in order."""
    lines = StyledLines()
    for entry in lines.each(documents, NOWHERE):
        lines.add((safe_title(entry["title"] or entry["conversation"], 200), "bold"))
        if entry["fact"]:
            lines.add((f"fact: {safe_title(entry['fact'], 400)}", "dim"), indent=2)
        for _, text, style in sorted(_lines(entry), key=lambda line: line[0]):
            lines.add((text, style), indent=2)
        if not entry["fates"]:
            lines.add((NOT_SUMMARIZED, "dim"), indent=2)


def _lines(entry: Document) -> Iterator[tuple[tuple[int, int, int], str, str]]:
    """Yield lines, each with its sort key, text and style.

    The key is the generation, 0 for a message of the list or 1 for its compaction, and the index.
    """
    for number, said in enumerate(entry["said"]):
        place = place_name(said["index"], said["generation"])
        word = "said" if number == 0 else "said again"
        yield (said["generation"], 0, said["index"]), f"{word} at {place} by the {said['role']}", ""
    for fate in entry["fates"]:
        outcome = fate["fate"]
        where = f" in the {fate['where']}" if fate["where"] else ""
        quote = f": “{safe_title(fate['evidence'], 160)}”" if fate["evidence"] else ""
        sign, number = FATE_SIGNS[outcome], fate["compaction"]
        text = f"compaction {number}: {sign} {FATE_WORDS.get(outcome, outcome)}{where}{quote}"
        yield (number, 1, 0), text, "red" if outcome in GONE else ""
    for event in entry["aftermath"]:
        if event["kind"] != "said again":
            place = place_name(event["index"], event["generation"])
            text = f"{event['kind']} at {place}: {safe_title(event['text'], 160)}"
            yield (event["generation"], 0, event["index"]), text, "yellow"
