"""Rules about recorded compactions and their boundaries."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from inspector.core.conversations import SYSTEM, Compaction
from inspector.core.shares import plural
from inspector.engines.registry import words_of
from inspector.quality import limits
from inspector.quality.aftermath import size_words
from inspector.quality.evidence import CompactionEvidence, ConversationEvidence
from inspector.quality.finding import Violation


def planned_not_recorded(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield compactions whose recorded boundaries differ from the plan of the profile."""
    for compaction in evidence.compactions:
        recorded, planned = compaction.recorded, compaction.planned
        if not recorded.exact or planned.agrees_with(recorded) or planned.budgets.observed:
            continue
        if planned.compacts:
            would = f"plans head_end {planned.head_end:,} and tail_start {planned.tail_start:,}"
        else:
            would = f"would not have compacted ({planned.reason})"
        yield compaction.before(
            f"Compaction {recorded.index} has head_end {recorded.head_end:,} and tail_start "
            f"{recorded.tail_start:,}; {words_of(planned.profile)} {would} under these settings.",
            min(recorded.head_end, recorded.before - 1),
        )


def boundaries_inferred(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield compactions whose boundaries the store does not prove."""
    for compaction in evidence.compactions:
        recorded = compaction.recorded
        if not recorded.exact:
            yield compaction.before(
                f"The boundaries of compaction {recorded.index} are inferred. {recorded.note}".rstrip(),
                min(recorded.head_end, recorded.before - 1),
            )


def stray_result(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield compactions whose tail starts with a result of a summarized call."""
    for compaction in evidence.compactions:
        if compaction.stray is not None:
            yield Violation(
                f"After compaction {compaction.index} a tool result follows the summary, and its call "
                "is gone.",
                compaction.index,
                compaction.index + 1,
                compaction.stray,
            )


def saved_little(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield compactions that saved less than LEAST_SAVED of the tokens."""
    for compaction in evidence.compactions:
        before, after = compaction.recorded.tokens_before, compaction.recorded.tokens_after
        if before <= 0 or compaction.recorded.after == 0 or (before - after) / before >= limits.LEAST_SAVED:
            continue
        if not compaction.recorded.whole:
            continue
        saved = (
            f"saved {(before - after) / before:.1%} of ~{before:,} tokens"
            if after <= before
            else f"made the list larger, from ~{before:,} to ~{after:,} tokens"
        )
        yield compaction.at_summary(
            f"Compaction {compaction.index} {saved} (estimated, without the system prompt).{_mostly_fixed(compaction)}",
        )


def quick_succession(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield compactions that followed the previous one after few messages or tokens, unless the user asked for them."""
    for old, new in pairwise(evidence.compactions):
        messages = new.recorded.before - old.recorded.after
        # An agent's own figure after a compaction may be an estimate, or leave parts out.
        grown = max(_growth(old.recorded, new.recorded), new.requests_grew)
        # The threshold in force may be lower than the planned one.
        size = new.recorded.tokens_before_reported or new.recorded.tokens_before
        counts_events = new.recorded.events is not None
        enough = messages >= limits.QUICK_MESSAGES and (
            counts_events or grown >= limits.QUICK_SHARE * min(size, evidence.budgets.threshold_tokens)
        )
        # The first list may have later messages, so the number of messages between them is unknown.
        if enough or new.recorded.trigger == "manual" or old.recorded.may_have_later:
            continue
        count = plural(max(0, messages), "message")
        added = count if counts_events else f"{count} and {max(0, grown):,} tokens"
        why = _few_events(new.recorded) if counts_events else _mostly_fixed(new)
        yield new.before(
            f"Compaction {new.index} came {added} after compaction {old.index}.{why}",
            min(old.recorded.after, new.recorded.before - 1),
        )


def _few_events(recorded: Compaction) -> str:
    """Return a sentence about the number of events that the agent's settings allow; "" if it is unknown."""
    limit = recorded.events.limit if recorded.events is not None else 0
    return f" The settings allow {limit:,} events." if limit else ""


def _mostly_fixed(compaction: CompactionEvidence) -> str:
    """Return a sentence if the fixed prompt is most of the reported size, with its advice; else ""."""
    reported = compaction.last_size if compaction.doubted else compaction.recorded.tokens_before_reported
    listed = compaction.recorded.tokens_before
    if reported is None or not compaction.recorded.whole or reported <= 2 * listed:
        return ""
    return (
        " Most of the prompt is not the list: the fixed part (system prompt, tools, memory) had about "
        f"{reported - listed:,} of the {reported:,} tokens before compaction {compaction.index}. Make it smaller "
        "(fewer tools, MCP servers and memory files), or use a larger window."
    )


def _growth(old: Compaction, new: Compaction) -> int:
    """Return the tokens that the list grew by between two compactions: as the agent reports, else rough."""
    before, after = new.tokens_before_reported, old.tokens_after_reported
    return new.tokens_before - old.tokens_after if before is None or after is None else before - after


def tail_over_budget(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield compactions whose tail is larger than the tail walk allows."""
    budget = evidence.budgets.tail_token_budget
    for compaction in evidence.compactions:
        allowed = compaction.tail_tokens <= limits.TAIL_CEILING * budget or evidence.budgets.observed
        if allowed or compaction.largest is None:
            continue
        index, tokens = compaction.largest
        if tokens >= budget / 2:
            why = f"#{index:,} alone has {tokens:,}"
        else:
            index = compaction.recorded.tail_start
            why = f"it starts at #{index:,}{_moved(compaction)}"
        yield compaction.before(
            f"The tail of compaction {compaction.index} has {compaction.tail_tokens:,} tokens, its budget is "
            f"{budget:,}; {why}.",
            index,
        )


def _moved(compaction: CompactionEvidence) -> str:
    """Return why the tail starts there: the last rule that moved it, or "" if the plan differs from the record."""
    bound = [step for step in compaction.planned.steps if step.bound and step.rule != "walk"]
    return (
        f", because {bound[-1].why}" if bound and compaction.planned.agrees_with(compaction.recorded) else ""
    )


def request_summarized(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield compactions that summarized the user's last request, where the summary does not mention it.

    Observed agents are skipped: they do not aim at keeping it.
    """
    if evidence.budgets.observed:
        return
    for compaction in evidence.compactions:
        recorded, index = compaction.recorded, compaction.last_request
        stays = recorded.tail_start < recorded.before
        # A user who compacts by hand does so between two tasks.
        chosen = recorded.trigger == "manual"
        if compaction.request_mentioned or chosen or not stays:
            continue
        if index is not None and recorded.region(index) == "middle":
            yield compaction.before(
                f"The user's last request before compaction {recorded.index} (#{index:,}) was summarized "
                "with the middle.",
                index,
            )


def in_mid_task(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield automatic compactions that kept nothing of the list during a task."""
    for compaction in evidence.compactions:
        recorded = compaction.recorded
        kept = recorded.head_end > 0 or recorded.tail_start < recorded.before or bool(recorded.kept)
        at_work = compaction.at_work or 0
        if at_work < limits.MID_TASK or kept or recorded.trigger == "manual":
            continue
        asked = "" if compaction.last_request is None else f" on #{compaction.last_request:,}"
        yield compaction.before(
            f"Compaction {recorded.index} came while the agent was working{asked}: {at_work:,} messages "
            "followed the request without a final answer, and the summary names no file of their calls.",
            recorded.before - 1,
        )


def read_again(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield compactions after which the agent, going on with its task, opened many files and pages again."""
    for compaction in evidence.compactions:
        again = [
            event
            for event in compaction.aftermath
            if event.kind in ("read again", "fetched again")
            and event.place.generation == compaction.index + 1
            and (compaction.turn_end is None or event.place.index < compaction.turn_end)
        ]
        names = list(dict.fromkeys(event.text for event in again))
        tokens = sum(event.tokens for event in again)
        size = size_words(tokens, any(event.in_part for event in again))
        if len(names) >= limits.READ_AGAIN and tokens >= limits.READ_AGAIN_TOKENS:
            when = f"After compaction {compaction.index}"
            if compaction.turn_end is not None:
                when = f"Between compaction {compaction.index} and the user's next request,"
            yield Violation(
                f"{when} {len(names):,} files or pages were opened again "
                f"({size}): {', '.join(names[:3])}, and {len(names) - 3:,} more.",
                compaction.index,
                again[0].place.generation,
                again[0].place.index,
                (again[-1].place.generation, again[-1].place.index),
            )


def head_fossilized(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield the first messages that stayed through FOSSIL_COMPACTIONS or more compactions."""
    compactions = evidence.compactions
    system = int(evidence.live.roles[:1] == bytes([SYSTEM]))
    if len(compactions) < limits.FOSSIL_COMPACTIONS:
        return
    carried, count = compactions[-1].recorded.head_end, 0
    for compaction in reversed(compactions):
        if min(carried, compaction.recorded.head_end) <= system:
            break
        carried = min(carried, compaction.recorded.head_end)
        count += 1
    if count < limits.FOSSIL_COMPACTIONS:
        return
    messages = carried - system
    tokens = sum(evidence.live.fossils[system:carried])
    which = "message has" if messages == 1 else f"{messages:,} messages have"
    yield Violation(
        f"The first {which} stayed in the list through {count} compactions (about {tokens:,} tokens). They are "
        "never summarized.",
        generation=evidence.live.number,
        index=system,
    )


def gave_up(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield the guard of the release that stops it from compacting by itself."""
    guard = evidence.guard()
    since = guard.since
    blocked = why = guard.blocked()
    if evidence.streak is not None and guard.judged_by == "usage":
        # The release counts fallback texts, and resets the count when the user compacts by hand.
        if evidence.streak >= 2:
            why = why or f"the last {evidence.streak} compactions had no summary"
        elif guard.ineffective < 2:
            why = ""
    if not why:
        return
    since = since or len(evidence.compactions)
    last = next((c for c in evidence.compactions if c.index == since), None)
    again = len(evidence.compactions) - since
    later = f" (the {again} after it were manual, or made by a restarted agent)" if again > 0 else ""
    yield Violation(
        f"Since compaction {since} no compaction runs by itself: {why}{later}.",
        since or None,
        since + 1 if last else evidence.live.number,
        last.recorded.summary_at if last else None,
        # Later compactions, and the count of the release, are known only in the last list.
        (evidence.live.number, 0) if again > 0 or not blocked else None,
    )
