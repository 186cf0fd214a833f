"""Rules about lost, weakened and changed facts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from inspector.core.text import safe_title
from inspector.quality.aftermath import AftermathEvent, AftermathKind
from inspector.quality.evidence import ConversationEvidence, LostRule
from inspector.quality.facts.fact import is_concise
from inspector.quality.finding import Violation
from inspector.quality.limits import FEW, MOST

#: Maximum characters of a quote.
_QUOTE = 160


def gone_words(compaction: int, index: int) -> str:
    """Return the sentence about a last request, at `index` of the list before a compaction, that is gone."""
    return (
        f"The user's last request before compaction {compaction} (#{index:,}) is neither in the kept messages nor in "
        "the summary."
    )


def request_gone(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield compactions after which the last request is neither kept nor in the summary."""
    for compaction in evidence.compactions:
        recorded, index = compaction.recorded, compaction.last_request
        if compaction.request_gone and index is not None:
            yield compaction.before(
                gone_words(recorded.index, index),
                index,
            )


def constraint_lost(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield constraints of the user that are no longer in the list. More than FEW of one message are one."""
    for compaction in evidence.compactions:
        number = compaction.index
        by_message: dict[tuple[int, int], list[LostRule]] = defaultdict(list)
        for lost in compaction.lost:
            by_message[lost.generation, lost.index].append(lost)
        named: list[tuple[LostRule, str]] = []
        for rules in by_message.values():
            others = (
                f" It lost {len(rules) - 1:,} more rules of the same message." if len(rules) > FEW else ""
            )
            named += [(lost, others) for lost in (rules[:1] if others else rules)]
        for lost, others in named[:MOST]:
            how = "mentions only the subject" if lost.mentioned else "has no sentence with most of the words"
            how = f"lacks, as the model {lost.model} says," if lost.model else f"{how} of"
            stale = f" It still has the earlier {_quoted(lost.stale)}." if lost.stale else ""
            yield Violation(
                f"The list after compaction {number} {how} this constraint of the user: "
                f"{_quoted(lost.text)}.{stale}{others}",
                number,
                lost.generation,
                lost.index,
                cause=lost.text,
            )
        more = len(named) - MOST
        if more > 0:
            yield Violation(f"Compaction {number} lost {more:,} more constraints of the user.", number)


def number_changed(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield values that a summary changed."""
    for compaction in evidence.compactions:
        recorded = compaction.recorded
        for changed in compaction.exchanged[:MOST]:
            yield Violation(
                f"Summary {recorded.index} has {safe_title(changed.now, 60)} instead of "
                f"{safe_title(changed.was, 60)}, and no message says so: {_quoted(changed.text)}.",
                recorded.index,
                recorded.index + 1,
                recorded.summary_at,
                cause=changed.text,
            )


def rule_broken(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield acts of the agent that a lost or weakened rule of the user forbids."""
    for event in _events(evidence, "against a rule"):
        yield Violation(
            f"{_quoted(event.text)} is against a rule that did not survive compaction {event.compaction} "
            f"({event.fate}): {_quoted(event.fact)}.",
            event.compaction,
            event.place.generation,
            event.place.index,
            cause=event.fact,
        )


def kept_rule_broken(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield rules that the list still has and that the agent broke twice, or about which the user complained."""
    broken: dict[str, list[AftermathEvent]] = defaultdict(list)
    for event in _events(evidence, "against a kept rule"):
        broken[event.fact].append(event)
    complaints = {
        event.fact: event
        for event in _events(evidence, "told before")
        if event.is_kept and event.category in ("constraint", "preference")
    }
    for rule in dict.fromkeys((*broken, *complaints)):
        acts, complaint = broken[rule], complaints.get(rule)
        if complaint is None and len(acts) < 2:
            continue
        event = complaint or acts[0]
        times = (
            f" Acts of the agent against it: {len(acts):,}, such as {_quoted(acts[0].text)}." if acts else ""
        )
        complains = f" The user complains: {_quoted(complaint.text)}." if complaint is not None else ""
        yield Violation(
            f"The list after compaction {event.compaction} still has this rule ({event.fate}), and the agent did not "
            f"follow it: {_quoted(rule)}.{times}{complains}",
            event.compaction,
            event.place.generation,
            event.place.index,
            cause=rule,
        )


def said_again(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield rules and wishes that the user repeated and that a compaction had lost or weakened, or that are uncertain.

    A request may be repeated because its first answer is done, or did not help. A model that found the repetition was
    asked to leave such requests out.
    """
    for event in _events(evidence, "said again"):
        # Programs repeat long texts.
        lasts = event.category in ("constraint", "preference", "value") or event.model
        if is_concise(event.fact) and lasts and not event.is_kept:
            survived = "did not survive" if event.is_harmed else "may not have survived"
            yield Violation(
                f"After compaction {event.compaction} the user repeats {_quoted(event.text)}. The first "
                f"statement {survived} ({event.fate}): {_quoted(event.fact)}.",
                event.compaction,
                event.place.generation,
                event.place.index,
                cause=event.fact,
            )


def _events(evidence: ConversationEvidence, kind: AftermathKind) -> Iterator[AftermathEvent]:
    for compaction in evidence.compactions:
        yield from (event for event in compaction.aftermath if event.kind == kind)


def _quoted(text: str) -> str:
    """Return a text in quotation marks, without a full stop at its end: the sentence around it has one."""
    return f"“{safe_title(text, _QUOTE).removesuffix('.')}”"
