"""The next compaction."""

from __future__ import annotations

from dataclasses import replace

from inspector.answers.upcoming import Upcoming
from inspector.core.text import safe_title
from inspector.export.documents.document import Document
from inspector.models.masking import Masker
from inspector.quality.facts.carry import plain


def upcoming_document(answer: Upcoming, masker: Masker) -> Document:
    """The answer of `next`, secrets masked."""
    bill = answer.bill
    return {
        "conversation": answer.row.id,
        "title": safe_title(answer.row.title),
        "profile": answer.profile,
        "tokens": answer.tokens,
        "reported": answer.reported,
        "threshold_tokens": answer.threshold_tokens,
        "growth": answer.growth,
        "requests_left": answer.requests_left,
        "why_not": answer.reason or None,
        "takes": list(answer.takes),
        "takes_tokens": answer.takes_tokens,
        "at_risk": [
            plain(replace(risk.fact, text=masker(risk.fact.text), value=masker(risk.fact.value)))
            | {"once": risk.once, "places": list(risk.places)}
            for risk in answer.at_risk
        ],
        "pin": masker(answer.pin),
        "cost": None
        if bill is None
        else {"currency": "USD", "amount": bill.cost.amount, "of": bill.cost._asdict()},
        "pays_off_after": None if bill is None else bill.requests_to_pay_off,
        "warm": answer.warm,
        "at_boundary": answer.at_boundary,
        "advice": answer.advice,
        "sentences": list(answer.sentences),
    }
