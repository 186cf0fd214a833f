"""Rules about what was said and is gone, or is told otherwise."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.core.text import safe_title
from inspector.quality.aftermath import AftermathEvent, AftermathKind
from inspector.quality.evidence import ConversationEvidence
from inspector.quality.finding import Violation
from inspector.quality.limits import MOST

_TOLD = 160


def request_gone(evidence: ConversationEvidence) -> Iterator[Violation]:
    """The agent can no longer know what it was asked for."""
    for compaction in evidence.compactions:
        recorded, index = compaction.recorded, compaction.last_request
        if compaction.request_gone and index is not None:
            yield Violation(
                f"What the user last asked for before compaction {recorded.index} (#{index:,}) is neither among "
                "the messages that stayed nor told of in the summary.",
                recorded.index,
                recorded.index,
                index,
            )


def constraint_lost(evidence: ConversationEvidence) -> Iterator[Violation]:
    """A rule that the user gave is nowhere in the list any more."""
    for compaction in evidence.compactions:
        number = compaction.index
        for lost in compaction.lost[:MOST]:
            how = "only speaks of its subject" if lost.mentioned else "says nothing of it"
            yield Violation(
                f"“{safe_title(lost.text, _TOLD)}” is a hard constraint of the user's; the list after compaction "
                f"{number} {how}.",
                number,
                lost.generation,
                lost.index,
                cause=lost.text,
            )
        more = len(compaction.lost) - MOST
        if more > 0:
            yield Violation(f"Compaction {number} lost {more:,} more of the user's hard constraints.", number)


def number_changed(evidence: ConversationEvidence) -> Iterator[Violation]:
    """A summary says a number that nobody said."""
    for compaction in evidence.compactions:
        recorded = compaction.recorded
        for changed in compaction.exchanged[:MOST]:
            yield Violation(
                f"Summary {recorded.index} says {safe_title(changed.now, 60)} where it was "
                f"{safe_title(changed.was, 60)}, and no message said so: “{safe_title(changed.text, _TOLD)}”.",
                recorded.index,
                recorded.index + 1,
                recorded.summary_at,
                cause=changed.text,
            )


def constraint_weakened(evidence: ConversationEvidence) -> Iterator[Violation]:
    """A rule that the user gave is told of, and no longer as a rule."""
    for compaction in evidence.compactions:
        for weak in compaction.weakened[:MOST]:
            yield Violation(
                f"“{safe_title(weak.text, _TOLD)}” is a hard constraint of the user's; the list after compaction "
                f"{compaction.index} tells of it and no longer binds.",
                compaction.index,
                weak.generation,
                weak.index,
                cause=weak.text,
            )


def rule_broken(evidence: ConversationEvidence) -> Iterator[Violation]:
    """The agent did what a lost or weakened rule of the user's forbids."""
    for event in _events(evidence, "against a rule"):
        yield Violation(
            f"“{safe_title(event.text, _TOLD)}” is against a rule that did not survive compaction {event.compaction} "
            f"({event.fate}): “{safe_title(event.fact, _TOLD)}”.",
            event.compaction,
            event.place.generation,
            event.place.index,
            cause=event.fact,
        )


def said_again(evidence: ConversationEvidence) -> Iterator[Violation]:
    """The user had to repeat something that a compaction lost or weakened."""
    for event in _events(evidence, "said again"):
        if event.fact:
            yield Violation(
                f"After compaction {event.compaction} the user says again “{safe_title(event.text, _TOLD)}”. Its first "
                f"wording did not survive ({event.fate}): “{safe_title(event.fact, _TOLD)}”.",
                event.compaction,
                event.place.generation,
                event.place.index,
                cause=event.fact,
            )


def _events(evidence: ConversationEvidence, kind: AftermathKind) -> Iterator[AftermathEvent]:
    for compaction in evidence.compactions:
        yield from (event for event in compaction.aftermath if event.kind == kind)
