"""The measures of a conversation: read from its store, as a document, and as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from inspector.answers.inspection import Inspection
from inspector.config.fact_rules import load_stemmer
from inspector.core.rough import text_tokens
from inspector.core.text import safe_title
from inspector.quality.facts.fact import ConversationFacts
from inspector.quality.measures.conversation_measures import ConversationMeasures, measures_of
from inspector.quality.measures.definitions import DEFINITIONS
from inspector.quality.measures.measure import Evidence, Measure, MeasuredCompaction, Share

if TYPE_CHECKING:
    from inspector.answers.answers import Answers
    from inspector.engines.base import Settings

Document = dict[str, Any]
#: So many characters of a message are told as evidence.
_TOLD = 300


def measure_conversation(
    inspection: Inspection, settings: Settings, facts: ConversationFacts | None = None
) -> ConversationMeasures:
    """The measures of every compaction. Reads each list once; raises StoreErrors and EngineErrors."""
    return measures_of(measured_compactions(inspection, settings), load_stemmer(), facts)


def measured_compactions(inspection: Inspection, settings: Settings) -> Iterator[MeasuredCompaction]:
    """Every recorded compaction with both its lists, one after the other."""
    store = inspection.store
    for recorded in inspection.compactions():
        before, after = inspection.generation(recorded.index), inspection.generation(recorded.index + 1)
        plan = inspection.plan(before, settings)
        same = (recorded.head_end, recorded.tail_start) == (plan.head_end, plan.tail_start)
        measures = inspection.measures(before, settings.profile)
        unpruned = measures.rough_until(recorded.tail_start) - measures.rough_until(recorded.head_end)
        yield MeasuredCompaction(
            recorded,
            store.messages(before)[: recorded.before],
            store.messages(after, 0, recorded.after),
            plan.middle_tokens if same else unpruned,
            text_tokens(len(recorded.summary or "")),
        )


def measures_document(answers: Answers, name: str) -> Document:
    """What `measures` prints: definitions, the whole conversation, every compaction with its evidence."""
    from inspector.answers.facts import facts_reading

    inspection, resolved, reading = facts_reading(answers, name)
    found = measure_conversation(inspection, resolved.settings, reading.facts)
    whole = {}
    for identity in DEFINITIONS:
        share, last, numbers = found.whole(identity)
        whole[identity] = {
            "share": _share(share),
            "last": _share(last),
            "numbers": dict(numbers),
            "curve": [_share(measure.so_far) for measure in found.curve(identity)],
        }
    return {
        "conversation": inspection.conversation.id,
        "title": safe_title(inspection.conversation.row.title),
        "profile": resolved.settings.profile,
        "definitions": [
            {"id": d.id, "title": d.title, "counts": d.counts, "practice": d.practice, "unit": d.unit}
            for d in DEFINITIONS.values()
        ],
        "whole": whole,
        "compactions": [
            {
                "compaction": recorded.index,
                "fallback": recorded.fallback,
                "measures": [_measure(measure) for measure in found.of(recorded.index)],
            }
            for recorded in inspection.compactions()
        ],
    }


def _share(share: Share | None) -> Document | None:
    return None if share is None else {"count": share.count, "of": share.of, "value": share.value}


def _measure(measure: Measure) -> Document:
    return {
        "id": measure.id,
        "share": _share(measure.share),
        "so_far": _share(measure.so_far),
        "parts": {name: _share(share) for name, share in measure.parts},
        "numbers": dict(measure.numbers),
        "evidence": [_evidence(entry) for entry in measure.evidence],
    }


def _evidence(entry: Evidence) -> Document:
    return {
        "text": safe_title(entry.text, _TOLD),
        "known": entry.known,
        "role": entry.role,
        "note": entry.note,
        "said": None
        if entry.said is None
        else {"generation": entry.said.generation, "index": entry.said.index},
        "found": None
        if entry.found is None
        else {"generation": entry.found.generation, "index": entry.found.index, "where": entry.where},
    }
