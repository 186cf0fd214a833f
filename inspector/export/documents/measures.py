"""Measures."""

from __future__ import annotations

from inspector.answers.measures import MeasuredConversation
from inspector.core.text import safe_title
from inspector.export.documents.document import Document, built, fields_of
from inspector.quality.measures.definitions import DEFINITIONS
from inspector.quality.measures.measure import Evidence, Measure, Share

#: Maximum length of evidence, in characters.
_TOLD = 300


def measures_document(answer: MeasuredConversation) -> Document:
    """The answer of `measures`: definitions, the whole conversation, every compaction with its evidence."""
    whole = {}
    for identity in DEFINITIONS:
        share, last, numbers = answer.measures.whole(identity)
        whole[identity] = {
            "share": _share(share),
            "last": _share(last),
            "numbers": dict(numbers),
            "curve": [_share(measure.so_far) for measure in answer.measures.curve(identity)],
        }
    return {
        "conversation": answer.row.id,
        "title": safe_title(answer.row.title),
        "profile": answer.profile,
        "definitions": [built(definition) for definition in DEFINITIONS.values()],
        "whole": whole,
        "compactions": [
            {
                "compaction": recorded.index,
                "fallback": recorded.fallback,
                "measures": [_measure(measure) for measure in answer.measures.of(recorded.index)],
            }
            for recorded in answer.compactions
        ],
    }


def _share(share: Share | None) -> Document | None:
    return None if share is None else {**built(share), "value": share.value}


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
        **fields_of(entry, "known", "role", "note", "said"),
        "found": None if entry.found is None else {**built(entry.found), "where": entry.where},
    }
