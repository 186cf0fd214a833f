"""The history of a phrase, as JSON and text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from inspector.answers.tracing import NOWHERE, Trace, TraceStep, steps_of
from inspector.core.text import safe_title
from inspector.export.console import StyledLines
from inspector.export.document import Document, fields_of
from inspector.export.fact_results import event_document, names_of
from inspector.export.facts import fate_after


def trace_documents(answer: Iterable[Trace]) -> list[Document]:
    """The answer of `trace`: one entry for each conversation that has the phrase."""
    return [
        {
            **fields_of(
                trace, "conversation=row.id title:line=row.unmasked_title text said=places fact:null"
            ),
            "fates": list(map(fate_after, trace.fates)),
            "aftermath": list(map(event_document, trace.aftermath)),
            "now": [fields_of(place, "message index role") for place in trace.live] if trace.fates else None,
        }
        for trace in answer
    ]


def print_traces(traces: Sequence[Trace]) -> None:
    """Print the history of the phrase in each conversation, a line for each event, in order."""
    lines = StyledLines()
    names = names_of(trace.row for trace in traces)
    for trace in lines.each(traces, NOWHERE):
        lines.add((names[trace.row.id], "bold"))
        if trace.fact:
            lines.add((f"fact: {safe_title(trace.fact, 400)}", "dim"), indent=2)
        for step in steps_of(trace):
            lines.add(_line(step), indent=2)


def _line(step: TraceStep) -> tuple[str, str]:
    """Return the line of an entry, and its style."""
    quote = safe_title(step.evidence, 160)
    if step.compaction is None:
        return (f"{step.text}: {quote}", "yellow") if quote else (step.text, "")
    text = step.text.replace(": ", f": {step.sign} ", 1)
    return f"{text}: “{quote}”" if quote else text, "red" if step.grave else ""
