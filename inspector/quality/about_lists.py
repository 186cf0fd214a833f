"""Rules about the live list and the system prompts of the sessions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from inspector.core.conversations import ASSISTANT, ROLE_NAMES
from inspector.core.shares import plural
from inspector.engines.registry import words_of
from inspector.quality.evidence import ConversationEvidence
from inspector.quality.finding import Violation
from inspector.quality.limits import HUGE_TOKENS, MOST

_AT = re.compile(r" at message (\d+)$")


def _each(
    evidence: ConversationEvidence, indexes: Sequence[int], text: str, rest: str, later: int = 0
) -> Iterator[Violation]:
    """Yield a violation for each message, at most MOST; the last one counts the others.

    Each is visible `later` messages after its own.
    """
    number, length = evidence.live.number, len(evidence.live.roles)
    shown = indexes if len(indexes) <= MOST else indexes[: MOST - 1]
    for index in shown:
        seen = min(index + 1 + later, length)
        sentence = text.format(index=index, role=ROLE_NAMES[evidence.live.roles[index]])
        yield Violation(sentence, generation=number, index=index, since=(number, seen))
    if len(indexes) > len(shown):
        others = len(indexes) - len(shown)
        seen = min(indexes[-1] + 1 + later, length)
        yield Violation(
            rest.format(others=others), generation=number, index=indexes[len(shown)], since=(number, seen)
        )


def orphaned_results(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield tool results whose call is not in the list. Observed agents repair their lists."""
    if evidence.budgets.observed:
        return
    yield from _each(
        evidence,
        evidence.live.links.orphans,
        "Message {index:,} is a tool result, and no call before it has its id.",
        "{others:,} more tool results have no call before them.",
    )


def unanswered_calls(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield calls without results, unless they may be in what cannot be read. Observed agents are skipped too."""
    if evidence.budgets.observed or evidence.live.unread:
        return
    yield from _each(
        evidence,
        evidence.live.links.unanswered,
        "Message {index:,} calls a tool and has no result, although the conversation went on.",
        "{others:,} more messages have calls without results.",
        later=1,
    )


def repeated_roles(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield messages with the role of the previous one. Observed agents are skipped: how they send lists is unknown."""
    if evidence.budgets.observed:
        return
    yield from _each(
        evidence,
        evidence.live.links.repeated,
        "Message {index:,} is from the {role}, like the previous message.",
        "{others:,} more messages have the role of the previous message.",
    )


def stored_twice(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield the messages that are in the live list twice."""
    twice = evidence.live.links.twice
    if twice:
        first, earlier = twice[0]
        yield Violation(
            f"{plural(len(twice), 'message is', 'messages are')} in the live list twice: message "
            f"{first:,} and later repeat message "
            f"{earlier:,} and later. They cost ~{evidence.live.twice_tokens:,} tokens with every request.",
            None,
            evidence.live.number,
            first,
            evidence.live.end,
        )


def huge_messages(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield messages of the user and results in head and tail that are larger than the tail budget."""
    budget = evidence.budgets.tail_token_budget
    head = evidence.live.plan.regions()[0]
    roles = evidence.live.roles
    # Agents rarely send the thoughts of an old answer again.
    huge = [
        (index, tokens)
        for index, tokens in evidence.live.protected
        if tokens >= HUGE_TOKENS and roles[index] != ASSISTANT
    ]
    for index, tokens in huge[:MOST]:
        where = "head" if index < head else "tail"
        yield evidence.live.violation(
            f"Message {index:,} has {tokens:,} tokens, more than the tail budget ({budget:,}), and a compaction "
            f"now would keep it in the {where}.",
            index,
        )


def _failing(evidence: ConversationEvidence) -> tuple[str, int | None]:
    plan = evidence.live.plan
    where = _AT.search(plan.raises)
    index = int(where[1]) if where else None
    return plan.raises, index if index is not None and index < len(evidence.live.roles) else None


def compaction_fails(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield the live list if it is over the threshold and the release fails on it."""
    plan = evidence.live.plan
    if plan.raises and plan.tokens_before >= evidence.budgets.threshold_tokens:
        raises, index = _failing(evidence)
        yield evidence.live.violation(
            f"{words_of(plan.profile)} fails on this list instead of compacting it ({raises}), and the list has "
            f"reached the threshold ({plan.tokens_before:,} of {evidence.budgets.threshold_tokens:,} tokens).",
            index,
        )


def compaction_would_fail(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield the live list if it is under the threshold and the release would fail on it."""
    plan = evidence.live.plan
    if plan.raises and plan.tokens_before < evidence.budgets.threshold_tokens:
        raises, index = _failing(evidence)
        yield evidence.live.violation(
            f"{words_of(plan.profile)} would fail if it compacted this list now ({raises}).",
            index,
        )


def prompt_changed(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield sessions that began with another system prompt."""
    for old, new in pairwise(evidence.prompts):
        if old.text and new.text and old.text != new.text:
            yield Violation(
                f"The system prompt changed before generation {new.generation}, from {old.tokens:,} to {new.tokens:,} "
                "tokens.",
                new.generation - 1 or None,
                new.generation,
            )
