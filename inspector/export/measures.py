"""Measures as JSON and text: a table over the compactions, then the lost facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inspector.answers.measures import MeasuredConversation
from inspector.core.places import place_name
from inspector.core.shares import percent
from inspector.core.signs import ROLE_WORDS
from inspector.core.text import safe_title
from inspector.export.console import console_for, say
from inspector.export.document import Document, built, fields_of
from inspector.quality.facts.fact import BY_MODEL
from inspector.quality.measures.definitions import DEFINITIONS
from inspector.quality.measures.measure import Measure, Measured, Share

#: Maximum length of evidence, in characters.
_LONGEST = 300

#: Maximum number of lost things per measure and compaction.
_LISTED = 5
_NAME, _CELL = 34, 18
#: Speakers that are not named.
_UNSAID = ("", "user")


def measures_document(answer: MeasuredConversation) -> Document:
    """The answer of `measures`: definitions, the whole conversation, every compaction with its evidence."""
    whole = {}
    for identity in DEFINITIONS:
        share, numbers = answer.measures.whole(identity)
        whole[identity] = {"share": _share(share), "numbers": dict(numbers)}
    return {
        **fields_of(answer, "conversation=row.id title:title=row.unmasked_title profile"),
        "definitions": [built(definition) for definition in DEFINITIONS.values()],
        "whole": whole,
        "compactions": [
            {
                **fields_of(recorded, "compaction=index fallback"),
                "measures": [_measure(measure) for measure in answer.measures.of(recorded.index)],
            }
            for recorded in answer.compactions
        ],
    }


def _share(share: Share | None) -> Document | None:
    return None if share is None else fields_of(share, "count of uncertain value")


def _measure(measure: Measure) -> Document:
    return {
        "id": measure.id,
        "share": _share(measure.share),
        "parts": {name: _share(share) for name, share in measure.parts},
        "numbers": dict(measure.numbers),
        "evidence": [_evidence(entry) for entry in measure.evidence],
    }


def _evidence(entry: Measured) -> Document:
    return {
        "text": safe_title(entry.text, _LONGEST),
        **fields_of(entry, "known=is_kept role note said=source decided_by"),
        "found": entry.survivor and {**built(entry.survivor), "where": entry.where},
    }


def print_measures(answer: MeasuredConversation) -> None:
    """Print a row for each measure, a column for each compaction, and the whole conversation in the last column."""
    if not answer.compactions:
        say("Nothing was compacted, so there is nothing to measure.")
        return
    heads = [f"{recorded.index}{'!' if recorded.fallback else ''}" for recorded in answer.compactions]
    heads.append("all")
    columns = max(1, (console_for().width - _NAME) // _CELL)
    for start in range(0, len(heads), columns):
        part = slice(start, start + columns)
        if start:
            say()
        say(_line("compaction", heads[part]), "bold")
        for identity, definition in DEFINITIONS.items():
            by_number = {measure.compaction: measure for measure in answer.measures.curve(identity)}
            measured = [by_number.get(recorded.index) for recorded in answer.compactions]
            cells = [
                "–" if one is None else _cell(one.share, dict(one.numbers), definition.unit)
                for one in measured
            ]
            cells.append(_cell(*answer.measures.whole(identity), definition.unit))
            say(_line(definition.title, cells[part]))
    if any(recorded.fallback for recorded in answer.compactions):
        say("! no summary was made: a fallback text replaced the middle")
    measures = [measure for recorded in answer.compactions for measure in answer.measures.of(recorded.index)]
    if any(measure.share and measure.share.uncertain for measure in measures):
        say("±N: N more facts are uncertain and count in no share")
    for measure in measures:
        _print_lost(measure)
    entries = [entry for measure in measures for entry in measure.evidence]
    if any(entry.decided_by.startswith(BY_MODEL) for entry in entries):
        say("\nA model decided fates that the rules leave uncertain; `facts` names it with each.", "dim")
    if any(entry.role not in _UNSAID and not entry.is_kept for entry in entries):
        say(
            "\nThe measures count facts of the agent too; losses and check count only the user's own words.",
            "dim",
        )


def _line(name: str, cells: Sequence[str]) -> str:
    return f"{name:<{_NAME}}{''.join(f'{cell:<{_CELL - 1}} ' for cell in cells)}".rstrip()


def _cell(share: Share | None, numbers: Mapping[str, int], unit: str) -> str:
    if unit == "tokens":
        return f"{numbers.get('spent', 0):,}" if numbers else "–"
    if share is None or not (share.of or share.uncertain):
        return "–"
    uncertain = f" ±{share.uncertain:,}" if share.uncertain else ""
    if share.value is None:
        return f"–{uncertain}"
    count = "" if share.of > 9_999 else f" {share.count:,}/{share.of:,}"
    return f"{percent(share.value)}{count}{uncertain}"


def _print_lost(measure: Measure) -> None:
    lost = [entry for entry in measure.evidence if not entry.is_kept]
    if not lost:
        return
    kind = DEFINITIONS[measure.id].title.removesuffix(" that survive")
    say(f"\n{kind}, lost or uncertain after compaction {measure.compaction}", "underline")
    for entry in lost[:_LISTED]:
        where = place_name(entry.source.index, entry.source.generation) if entry.source else ""
        who = "" if entry.role in _UNSAID else ROLE_WORDS.get(entry.role, entry.role)
        notes = [who, "" if entry.note == "lost" else entry.note]
        note = f" ({', '.join(filter(None, notes))})" if any(notes) else ""
        say(f"  − {safe_title(entry.text, _LONGEST)}{note}  [{where}]")
    if len(lost) > _LISTED:
        say(f"    and {len(lost) - _LISTED:,} more")
