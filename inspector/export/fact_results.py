"""Losses over a store, and the aftermath of compactions, as JSON and text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter

from inspector.answers.fact_results import Aftermath
from inspector.answers.store_losses import FOREIGN, ListedLoss, uncertain_words, words_apart
from inspector.core.conversations import ConversationRow
from inspector.core.places import place_name
from inspector.core.shares import plural
from inspector.core.text import distinct_titles, safe_line, safe_title
from inspector.core.times import local_time
from inspector.export.console import StyledLines
from inspector.export.document import Document, fields_of
from inspector.export.facts import fate_part
from inspector.quality.aftermath import AftermathEvent, aftermath_counts, counts_again
from inspector.quality.facts.fact import Kind
from inspector.quality.losses import KINDS_LOST


def loss_documents(answer: Iterable[ListedLoss]) -> list[Document]:
    """The answer of `losses`."""
    return [
        fields_of(listed.row, "conversation=id title:line=unmasked_title agent")
        | fields_of(
            listed.loss,
            "compaction at lost weakened contradicted uncertain uncertain_constraints unknown pasted others plain",
            "uncertain_apart unreadable aftermath aftermath_named=named aftermath_of_lost_rules=broken gaps facts more",
        )
        | fields_of(listed, "foreign")
        for listed in answer
    ]


def print_losses(losses: Sequence[ListedLoss], nothing: str) -> None:
    """Print every compaction that lost something, the worst first, with its worst losses; `nothing` for an empty
    list."""
    lines = StyledLines()
    names = names_of(listed.row for listed in losses)
    for listed in lines.each(losses, nothing):
        loss = listed.loss
        lines.add(
            (names[listed.row.id], "bold"),
            (f"  compaction {loss.compaction}{_when(loss.at)}: ", ""),
            *_counted(listed),
        )
        if loss.aftermath:
            lines.add((f"after it: {aftermath_counts(loss.aftermath, loss.named)}", "yellow"), indent=2)
        for gap in loss.gaps:
            lines.add((gap, "yellow"), indent=2)
        for fact in loss.facts:
            by_model = "" if fact.decided_by == "rules" else f", by {fact.decided_by}"
            lines.add(
                fate_part(fact.fate, fact.category, fact.fate),
                (f"{fact.role}, {place_name(fact.index, fact.generation)}{by_model}", "dim"),
                indent=2,
            )
            lines.add((safe_title(fact.text, 400), ""), indent=6)
            if fact.changed:
                lines.add((f"the summary says: {safe_title(fact.changed, 200)}", "yellow"), indent=6)
            if fact.stale:
                lines.add(
                    (f"the list still has the earlier: {safe_title(fact.stale, 200)}", "yellow"), indent=6
                )
            if fact.said_again:
                lines.add((f"said again later: {safe_title(fact.said_again, 200)}", "yellow"), indent=6)
        if loss.more:
            lines.add((f"and {loss.more:,} more; `facts` lists them all", "dim"), indent=2)


def _counted(listed: ListedLoss) -> list[tuple[str, str]]:
    """Return the lost, uncertain and unknown facts of a compaction in words, each with a style. Only without any of
    these, and with a readable summary, "no lost fact found" is among the words."""
    loss = listed.loss
    words = [
        (loss_words(loss.lost, loss.weakened), "red"),
        (uncertain_words(loss.uncertain, loss.uncertain_constraints), ""),
        (f"{loss.unknown:,} unknown" if loss.unknown else "", ""),
        ("its summary cannot be read" if loss.unreadable else "", ""),
        (FOREIGN if listed.foreign else "", "yellow"),
        *((part, "dim") for part in words_apart(*loss.apart)),
    ]
    parts = [part for part in words if part[0]] or [("no lost fact found", "")]
    return [(f", {text}" if number else text, style) for number, (text, style) in enumerate(parts)]


def names_of(rows: Iterable[ConversationRow], most: int = 200) -> dict[str, str]:
    """Return a distinct title of about `most` characters for each conversation, by its id."""
    return distinct_titles({row.id: safe_title(safe_line(row.unmasked_title), most) for row in rows})


def loss_words(lost: Mapping[Kind, int], weakened: int) -> str:
    """Return lost facts in words, the gravest first: "2 constraints, 1 value lost, 1 weakened"; "" without."""
    counts = ", ".join(plural(lost[kind], kind) for kind in KINDS_LOST if lost.get(kind))
    words = (f"{counts} lost" if counts else "", f"{weakened:,} weakened" if weakened else "")
    return ", ".join(filter(None, words))


def _when(at: float | None) -> str:
    time = local_time(at or 0.0)
    return f", {time}" if time else ""


def aftermath_documents(answer: Iterable[tuple[ConversationRow, Aftermath]]) -> list[Document]:
    """The answer of `aftermath`: one entry for each event."""
    return [
        fields_of(row, "conversation=id title:line=unmasked_title") | event_document(event)
        for row, aftermath in answer
        for event in aftermath.events
    ]


def event_document(event: AftermathEvent) -> Document:
    """One event, with both places."""
    earlier = event.earlier
    return {
        **fields_of(event, "compaction kind message=place.message generation=place.generation"),
        **fields_of(event, "index=place.index earlier=earlier.message"),
        "earlier_place": earlier and fields_of(earlier, "generation index"),
        **fields_of(event, "fact:null category:null fate:null text tokens written in_part named decided_by"),
    }


def print_aftermath(answer: Sequence[tuple[ConversationRow, Aftermath]], unknown: bool = False) -> None:
    """Print every event under its conversation and compaction. `unknown`: the store lacks all lists before."""
    lines = StyledLines()
    nothing = (
        "Whether something was done again after a compaction is not known."
        if unknown
        else "Nothing was done again after a compaction, as far as the recorded messages show."
    )
    names = names_of(row for row, aftermath in answer if aftermath.events)
    by_place = (
        (row.id, compaction, list(events))
        for row, aftermath in answer
        for compaction, events in groupby(
            sorted(aftermath.events, key=attrgetter("compaction")), key=attrgetter("compaction")
        )
    )
    for conversation, compaction, events in lines.each(by_place, nothing):
        counts = counts_again(events)
        lines.add((names[conversation], "bold"), (f"  compaction {compaction}: ", ""), (counts, "yellow"))
        width = max(14, *(len(event.kind) for event in events))
        for event in events:
            _print_event(lines, event, width)


def event_words(event: AftermathEvent) -> list[str]:
    """Return where an event is, where the earlier act is, the size of the repeated act, and the model that found it."""
    place, earlier = place_name(event.place.index, event.place.generation), event.earlier
    before = event.earlier_words(place_name(earlier.index, earlier.generation)) if earlier is not None else ""
    by_model = f"found by {event.decided_by}" if event.model else ""
    return [words for words in (place, before, event.size, by_model) if words]


def event_notes(event: AftermathEvent) -> list[str]:
    """Return the fact behind an event, with its fate; nothing without one."""
    return [f"{event.behind}: {safe_title(event.fact, 400)}"] if event.fact else []


def _print_event(lines: StyledLines, event: AftermathEvent, width: int) -> None:
    lines.add((f"{event.kind:<{width}} {'  '.join(event_words(event))}", "dim"), indent=2)
    lines.add((safe_title(event.text, 400), ""), indent=6)
    for note in event_notes(event):
        lines.add((note, "dim" if event.is_kept else "red"), indent=6)
