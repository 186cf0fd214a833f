"""The next compaction."""

from __future__ import annotations

from dataclasses import replace

from inspector.answers.upcoming import Upcoming
from inspector.core.text import safe_title
from inspector.export.documents.document import Document, built, fields_of
from inspector.models.masking import Masker
from inspector.quality.facts.carry import plain


def upcoming_document(answer: Upcoming, masker: Masker) -> Document:
    """The answer of `next`, secrets masked."""
    bill = answer.bill
    return {
        "conversation": answer.row.id,
        "title": safe_title(answer.row.title),
        **fields_of(answer, "profile", "tokens", "reported", "threshold_tokens", "growth", "requests_left"),
        "why_not": answer.reason or None,
        **fields_of(answer, "takes", "takes_tokens"),
        "at_risk": [
            plain(replace(risk.fact, text=masker(risk.fact.text), value=masker(risk.fact.value)))
            | fields_of(risk, "once", "places")
            for risk in answer.at_risk
        ],
        "pin": masker(answer.pin),
        "cost": None
        if bill is None
        else {"currency": "USD", "amount": bill.cost.amount, "of": built(bill.cost)},
        "pays_off_after": None if bill is None else bill.requests_to_pay_off,
        **fields_of(answer, "warm", "at_boundary", "advice", "sentences"),
    }
