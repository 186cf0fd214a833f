"""Attempts: orders and results, facts that each summary keeps, lives and recall."""

from __future__ import annotations

from inspector.answers.attempt_survival import SummaryOutcome
from inspector.answers.recall import Recall
from inspector.export.documents.document import Document, fields_of
from inspector.models.attempt import Attempt
from inspector.models.consent import Sending


def attempt_document(attempt: Attempt, full: bool = False) -> Document:
    """An attempt; with `full` its prompt and the whole summary too."""
    place = attempt.place
    told: Document = {
        "id": attempt.id,
        "conversation": place.root,
        "title": attempt.title,
        "agent": attempt.agent,
        "store": place.store,
        **fields_of(place, "compaction", "step"),
        **fields_of(attempt, "life", "at", "state", "problem", "kind"),
        "to": attempt.where,
        "model": attempt.model or None,
        "prompt": attempt.prompt_name,
        "budget": attempt.budget,
        "settings": dict(attempt.settings),
        "summary_tokens": attempt.tokens,
        "sent_tokens": attempt.sent,
        "received_tokens": attempt.received,
        "tokens_reported": attempt.reported,
        "seconds": round(attempt.seconds, 3),
        "cost": None
        if attempt.cost is None
        else {"currency": "USD", "amount": attempt.cost, "prices_of": attempt.prices},
    }
    return {**told, "summary": attempt.summary, "prompt_text": attempt.prompt} if full else told


def outcome_document(outcome: SummaryOutcome) -> Document:
    """Facts that a summary keeps, with its attempt (null for the recorded one)."""
    return {
        "compaction": outcome.compaction,
        "attempt": None if outcome.attempt is None else attempt_document(outcome.attempt),
        "summary_tokens": outcome.tokens,
        "retained_tokens": outcome.retained,
        **fields_of(outcome, "kept", "of", "open"),
        "survival": {
            one.kind: fields_of(one, "kept", "weakened", "lost", "open", "of") for one in outcome.survival()
        },
        "facts": [
            {"key": life.fact.key, "category": life.fact.kind, "text": life.fact.text, "fate": life.outcome}
            for life in outcome.lives
        ],
    }


def sending_document(sending: Sending) -> Document:
    """An order, sent or not."""
    cost = sending.cost
    return {
        "to": [
            {
                "to": one.to,
                "prompts": one.requests,
                "tokens": one.tokens,
                "cost": None if one.cost is None else one.cost.amount,
            }
            for one in sending.recipients
        ],
        "prompts": sending.requests,
        "tokens": sending.tokens,
        "cost": None if cost is None else cost.amount,
        "masking": sending.masking,
        "masked": dict(sending.masked),
    }


def recall_document(recall: Recall) -> Document:
    """Answers from one list."""
    agreed = recall.agreement
    return {
        "compaction": recall.outcome.compaction,
        "attempt": None if recall.outcome.attempt is None else recall.outcome.attempt.id,
        "asked": len(recall.answered),
        "right": recall.right,
        "agreement": {
            **fields_of(agreed, "share", "of", "both", "neither"),
            "judged_there_not_answered": agreed.told,
            "judged_gone_answered": agreed.answered,
            "open": agreed.open,
        },
        "questions": [
            {
                "question": one.question.text,
                "value": one.question.value.text,
                "answer": one.answer,
                "right": one.right,
                "fate": one.fate.outcome,
                "key": one.question.fact.key,
            }
            for one in recall.answered
        ],
    }
