"""Losses over a store, and the aftermath of compactions, as JSON and text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from operator import itemgetter

from inspector.answers.fact_results import Aftermath
from inspector.answers.store_losses import FOREIGN, ListedLoss, uncertain_words, words_apart
from inspector.core.conversations import ConversationRow
from inspector.core.places import place_name
from inspector.core.shares import plural
from inspector.core.signs import FATE_SIGNS
from inspector.core.text import distinct_titles, safe_title
from inspector.core.times import calendar_time
from inspector.export.console import StyledLines
from inspector.export.document import Document, fields_of
from inspector.quality.aftermath import AftermathEvent, aftermath_counts, earlier_words, size_words
from inspector.quality.facts.fact import Kind
from inspector.quality.losses import APART, KINDS_LOST


def loss_documents(answer: Iterable[ListedLoss]) -> list[Document]:
    """The answer of `losses`."""
    return [
        fields_of(listed.row, "conversation=id title:line=unmasked_title agent")
        | fields_of(
            listed.loss,
            "compaction at lost weakened contradicted uncertain uncertain_constraints unknown pasted others plain",
            "uncertain_apart aftermath aftermath_of_lost_rules=broken gaps facts more",
        )
        | fields_of(listed, "foreign")
        for listed in answer
    ]


def print_losses(documents: Sequence[Document], nothing: str) -> None:
    """Print every compaction that lost something, the worst first, with its worst losses; `nothing` for an empty
    list."""
    lines = StyledLines()
    names = _names(documents)
    for entry in lines.each(documents, nothing):
        lines.add(
            (names[entry["conversation"]], "bold"),
            (f"  compaction {entry['compaction']}{_when(entry['at'])}: ", ""),
            *_counted(entry),
        )
        if entry["aftermath"]:
            lines.add((f"after it: {aftermath_counts(entry['aftermath'])}", "yellow"), indent=2)
        for gap in entry["gaps"]:
            lines.add((gap, "yellow"), indent=2)
        for fact in entry["facts"]:
            lines.add(
                (f"{FATE_SIGNS[fact['fate']]} {kind_word(fact['category']):<10} {fact['fate']}  ", "red"),
                (f"{fact['role']}, {place_name(fact['index'], fact['generation'])}{_by_model(fact)}", "dim"),
                indent=2,
            )
            lines.add((safe_title(fact["text"], 400), ""), indent=6)
            if fact["changed"]:
                lines.add((f"the summary says: {safe_title(fact['changed'], 200)}", "yellow"), indent=6)
        if entry["more"]:
            lines.add((f"and {entry['more']:,} more; `facts` lists them all", "dim"), indent=2)


def _counted(entry: Document) -> list[tuple[str, str]]:
    """Return the lost, uncertain and unknown facts of a compaction in words, each with a style. Only without any of
    these, "no lost fact found" is among the words."""
    lost = loss_words(entry["lost"], entry["weakened"])
    unsure = uncertain_words(entry["uncertain"], entry["uncertain_constraints"])
    unknown = f"{entry['unknown']:,} unknown" if entry["unknown"] else ""
    words = [(lost, "red"), (unsure, ""), (unknown, ""), (FOREIGN if entry["foreign"] else "", "yellow")]
    words += ((part, "dim") for part in words_apart(*(entry[name] for name in APART)))
    parts = [part for part in words if part[0]] or [("no lost fact found", "")]
    return [(f", {text}" if number else text, style) for number, (text, style) in enumerate(parts)]


def _by_model(fact: Document) -> str:
    return "" if fact["decided_by"] == "rules" else f", by {fact['decided_by']}"


def _names(documents: Sequence[Document]) -> dict[str, str]:
    """Return a distinct title for each conversation."""
    return distinct_titles({entry["conversation"]: safe_title(entry["title"], 200) for entry in documents})


def loss_words(lost: Mapping[Kind, int], weakened: int) -> str:
    """Return lost facts in words, the gravest first: "2 constraints, 1 value lost, 1 weakened"; "" without."""
    counts = ", ".join(plural(lost[kind], kind_word(kind)) for kind in KINDS_LOST if lost.get(kind))
    words = (f"{counts} lost" if counts else "", f"{weakened:,} weakened" if weakened else "")
    return ", ".join(filter(None, words))


def kind_word(kind: Kind) -> str:
    """Return the word for a kind of lost facts. A link is a statement without another kind."""
    return "statement" if kind == "link" else kind


def _when(at: float | None) -> str:
    time = calendar_time(at or 0.0)
    return f", {datetime.fromtimestamp(time):%Y-%m-%d %H:%M}" if time else ""


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
        **fields_of(event, "fact:null category:null fate:null text tokens written in_part"),
    }


def print_aftermath(documents: Sequence[Document], unknown: bool = False) -> None:
    """Print every event under its conversation and compaction. `unknown`: the store lacks all lists before."""
    lines = StyledLines()
    nothing = (
        "Whether something was done again after a compaction is not known."
        if unknown
        else "Nothing was done again after a compaction, as far as the recorded messages show."
    )
    ordered = [
        event
        for _, events in groupby(documents, key=itemgetter("conversation"))
        for event in sorted(events, key=itemgetter("compaction"))
    ]
    names = _names(documents)
    by_place = groupby(ordered, key=itemgetter("conversation", "compaction"))
    for (conversation, compaction), group in lines.each(by_place, nothing):
        events = list(group)
        counts = aftermath_counts(Counter(event["kind"] for event in events))
        lines.add((names[conversation], "bold"), (f"  compaction {compaction}: ", ""), (counts, "yellow"))
        for event in events:
            _print_event(lines, event)


def _print_event(lines: StyledLines, event: Document) -> None:
    place, earlier = place_name(event["index"], event["generation"]), event["earlier_place"]
    if earlier is not None:
        before = place_name(earlier["index"], earlier["generation"])
        place += f"  {earlier_words(before, event['written'])}"
    size = size_words(event["tokens"], event["in_part"])
    lines.add((f"{event['kind']:<14} {place}  {size}", "dim"), indent=2)
    lines.add((safe_title(event["text"], 400), ""), indent=6)
    if event["fact"]:
        lines.add((f"{event['fate']}: {safe_title(event['fact'], 400)}", "red"), indent=6)
