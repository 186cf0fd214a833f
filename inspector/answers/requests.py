"""The API calls of a conversation."""

from __future__ import annotations

from inspector.answers.answers import Answers
from inspector.answers.inspection import Inspection
from inspector.core.conversations import Request


def list_requests(answers: Answers, name: str) -> tuple[Request, ...]:
    """Every call once, in order. Raises UnknownConversation and StoreErrors."""
    inspection = Inspection.open(answers.store, name)
    requests = answers.store.requests(inspection.conversation)
    if not requests:
        answers.note("The store keeps no usage of single calls, so there are no requests to list.")
    return requests
