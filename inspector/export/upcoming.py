"""The next compaction, as JSON and text."""

from __future__ import annotations

from msgspec.structs import replace

from inspector.answers.upcoming import Upcoming
from inspector.core.shares import plural
from inspector.core.text import safe_title
from inspector.export.console import StyledLines
from inspector.export.document import Document, fields_of
from inspector.export.facts import carried_document
from inspector.models.masking import Masker

#: Facts at risk that are printed.
_SHOWN = 20


def upcoming_document(answer: Upcoming, masker: Masker) -> Document:
    """The answer of `next`, secrets masked."""
    bill = answer.bill
    return {
        **fields_of(
            answer,
            "conversation=row.id title:title=row.unmasked_title profile tokens reported threshold_tokens:null growth",
            "requests_left why_not:null=reason takes takes_tokens",
        ),
        "at_risk": [
            carried_document(replace(risk.fact, text=masker(risk.fact.text), value=masker(risk.fact.value)))
            | fields_of(risk, "once places")
            for risk in answer.at_risk
        ],
        "lost": [
            carried_document(replace(life.fact, text=masker(life.fact.text), value=masker(life.fact.value)))
            | fields_of(life, "fate=outcome")
            for life in answer.lost
        ],
        "pin": masker(answer.pin),
        "cost": bill and {"currency": "USD", **fields_of(bill, "amount=cost.amount of=cost")},
        **fields_of(answer, "pays_off_after=bill.requests_to_pay_off warm at_boundary advice sentences"),
    }


def print_upcoming(answer: Upcoming, masker: Masker) -> None:
    """Print the distance, the price, the facts at risk, the lost rules and the text to pin, secrets masked."""
    lines = StyledLines()
    for sentence in answer.sentences:
        lines.add((sentence, ""), indent=2)
    risks, pin = answer.at_risk, masker(answer.pin)
    if risks:
        lines.add((f"at risk: {plural(len(risks), 'fact')} that no kept message has", "bold"), indent=2)
    for fact in risks[:_SHOWN]:
        lines.add((f"{fact.kind:<10} {safe_title(masker(fact.text), 300)}", ""), indent=4)
    if len(risks) > _SHOWN:
        more = f"and {len(risks) - _SHOWN:,} more: facts --at-risk lists them"
        lines.add((more, "dim"), indent=4)
    if answer.lost:
        rules = plural(len(answer.lost), "lasting rule")
        lines.add((f"lost or weakened already: {rules} of the user", "bold"), indent=2)
    for life in answer.lost[:_SHOWN]:
        lines.add((f"{life.kind:<10} {safe_title(masker(life.text), 300)}", ""), indent=4)
    if pin:
        lines.add(("to pin, with /compact, in a memory file or in the next message:", "bold"), indent=2)
        for line in pin.rstrip().split("\n"):
            lines.add((line, ""), indent=4)
