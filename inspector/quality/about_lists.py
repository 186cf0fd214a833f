"""Rules about the list that the agent holds now, and the system prompts before it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from inspector.core.conversations import ROLE_NAMES
from inspector.quality.evidence import ConversationEvidence
from inspector.quality.finding import Violation
from inspector.quality.limits import MOST

_AT = re.compile(r" at message (\d+)$")


def _each(
    evidence: ConversationEvidence, indexes: Sequence[int], one: str, rest: str, behind: int = 0
) -> Iterator[Violation]:
    """A finding for each message, up to MOST of them, then one about the others; so many messages `behind` it shows."""
    number, length = evidence.live.number, len(evidence.live.roles)
    shown = indexes if len(indexes) <= MOST else indexes[: MOST - 1]
    for index in shown:
        text, seen = one.format(index=index, role=_role(evidence, index)), min(index + 1 + behind, length)
        yield Violation(text, generation=number, index=index, since=(number, seen))
    if len(indexes) > len(shown):
        others = len(indexes) - len(shown)
        seen = min(indexes[-1] + 1 + behind, length)
        text = rest.format(others=others)
        yield Violation(text, generation=number, index=indexes[len(shown)], since=(number, seen))


def _role(evidence: ConversationEvidence, index: int) -> str:
    return ROLE_NAMES[min(evidence.live.roles[index], len(ROLE_NAMES) - 1)]


def orphaned_results(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Tool results whose call is not in the list."""
    yield from _each(
        evidence,
        evidence.live.links.orphans,
        "Message {index:,} is a tool result, and no call before it has its id.",
        "{others:,} more tool results have no call before them.",
    )


def unanswered_calls(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Calls whose results never came."""
    yield from _each(
        evidence,
        evidence.live.links.unanswered,
        "Message {index:,} calls a tool, and no result answers it, though the conversation went on.",
        "{others:,} more messages have calls that nothing answers.",
        behind=1,
    )


def repeated_roles(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Two messages of one role in a row. How an agent that was observed sends its list is not known."""
    if evidence.budgets.observed:
        return
    yield from _each(
        evidence,
        evidence.live.links.repeated,
        "Message {index:,} is from the {role}, and so is the one before it.",
        "{others:,} more messages have the role of the one before them.",
    )


def stored_twice(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Messages that are in the live list twice."""
    twice = evidence.live.links.twice
    if twice:
        first, earlier = twice[0]
        yield Violation(
            f"{len(twice):,} messages are in the live list twice: from message {first:,} on they repeat those from "
            f"{earlier:,} on. They cost ~{evidence.live.twice_tokens:,} tokens with every request.",
            None,
            evidence.live.number,
            first,
            evidence.live.end,
        )


def huge_messages(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Messages larger than the tail budget where no boundary can leave them out."""
    budget = evidence.budgets.tail_token_budget
    head = evidence.live.plan.regions()[0]
    for index, tokens in evidence.live.protected[:MOST]:
        where = "head" if index < head else "tail"
        yield Violation(
            f"Message {index:,} has {tokens:,} tokens, more than the whole tail may have ({budget:,}), and a "
            f"compaction now would keep it in the {where}.",
            generation=evidence.live.number,
            index=index,
            since=evidence.live.end,
        )


def _failing(evidence: ConversationEvidence) -> tuple[str, int | None]:
    plan = evidence.live.plan
    where = _AT.search(plan.raises)
    index = int(where[1]) if where else None
    return plan.raises, index if index is not None and index < len(evidence.live.roles) else None


def compaction_fails(evidence: ConversationEvidence) -> Iterator[Violation]:
    """The release raises on the list, and its turn has come."""
    plan = evidence.live.plan
    if plan.raises and plan.tokens_before >= evidence.budgets.threshold_tokens:
        raises, index = _failing(evidence)
        yield Violation(
            f"{plan.profile} fails on this list instead of compacting it ({raises}), and the list has reached the "
            f"threshold ({plan.tokens_before:,} of {evidence.budgets.threshold_tokens:,} tokens).",
            generation=evidence.live.number,
            index=index,
            since=evidence.live.end,
        )


def compaction_would_fail(evidence: ConversationEvidence) -> Iterator[Violation]:
    """The release would raise on the list as it stands."""
    plan = evidence.live.plan
    if plan.raises and plan.tokens_before < evidence.budgets.threshold_tokens:
        raises, index = _failing(evidence)
        yield Violation(
            f"If this list were compacted as it stands, {plan.profile} would fail ({raises}).",
            generation=evidence.live.number,
            index=index,
            since=evidence.live.end,
        )


def prompt_changed(evidence: ConversationEvidence) -> Iterator[Violation]:
    """A session of the conversation began with another system prompt."""
    for old, new in pairwise(evidence.prompts):
        if old.text and new.text and old.text != new.text:
            yield Violation(
                f"The system prompt before generation {new.generation} ({new.tokens:,} tokens) is not the one before "
                f"it ({old.tokens:,} tokens).",
                new.generation - 1 or None,
                new.generation,
            )
