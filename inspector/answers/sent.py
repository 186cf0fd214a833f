"""Requests as the agent recorded that it sent them."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.answers.answers import Answers
from inspector.core.conversations import Request, SentRequest
from inspector.core.errors import UsageProblem
from inspector.stores.base import sent_of


@dataclass(frozen=True, slots=True)
class OpenedRequest:
    """A request with its number, as it was sent, and its usage (None where no answer was recorded)."""

    number: int
    of: int
    sent: SentRequest
    usage: Request | None


def open_request(answers: Answers, name: str, number: int) -> OpenedRequest:
    """The request of that number among those that were recorded as sent, from 1. Raises UsageProblem where there is
    none, UnknownConversation and StoreErrors."""
    inspection, _ = answers.opened(name)
    recorded = sent_of(answers.store, inspection.conversation)
    if not recorded:
        raise UsageProblem("The agent did not record what it sent; newer releases of Claude Code do.")
    if not 1 <= number <= len(recorded):
        raise UsageProblem(
            f"--sent must lie between 1 and {len(recorded):,}, the requests that were recorded."
        )
    sent = recorded[number - 1]
    later = recorded[number].at if number < len(recorded) else float("inf")
    calls = inspection.requests()
    usage = next((call for call in calls if sent.at <= call.at < later), None)
    return OpenedRequest(number, len(recorded), sent, usage)
