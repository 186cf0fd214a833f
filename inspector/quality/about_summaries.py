"""Rules about the summaries that compactions left."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator

from inspector.core.refusals import refusal_in
from inspector.core.rough import text_tokens
from inspector.core.text import safe_line, safe_title
from inspector.quality.evidence import CompactionEvidence, ConversationEvidence
from inspector.quality.facts.gaps import Gap, GapKind
from inspector.quality.finding import Violation
from inspector.quality.limits import (
    EMPTY_SUMMARY,
    MOST,
    REPEATED_ENTRIES,
    REPEATED_MESSAGES,
    REPEATED_SHARE,
    SUMMARIZED_AT_LEAST,
)
from inspector.quality.secrets import secrets
from inspector.summaries.diff import diff_summaries
from inspector.summaries.summary import Summary, SummaryDiff

_FENCE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]")
_BARE_MARK = re.compile(r"[ \t]*(?:[-*+•]|\d{1,9}[.)])[ \t]*$")
#: Words of a model that had nothing in front of it, or did not take it for a conversation.
_NOTHING_SEEN = re.compile(
    r"\bno (?:specific |clear |previous |prior )?"
    r"(?:task|conversation|messages?|context|content|information|history|request)\b"
    r"|nothing to summari[sz]e|(?:do not|don['’]t|cannot|can['’]t|unable to) (?:see|have|find|access) (?:any|the|a)\b"
    r"|没有(?:可|需要)?(?:总结|摘要|任务|对话)",
    re.I,
)
_OPEN_END = (",", ";", "(", "[", "{", "，", "、", "（", "：")
_LISTED = 4
_TOLD = 160


def _at_summary(compaction: CompactionEvidence, text: str) -> Violation:
    recorded = compaction.recorded
    at = recorded.summary_at
    return Violation(text, recorded.index, recorded.index + 1, at)


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def fallback(evidence: ConversationEvidence) -> Iterator[Violation]:
    """No model wrote the summary."""
    for compaction in evidence.compactions:
        recorded = compaction.recorded
        if recorded.fallback:
            gone = _plural(recorded.tail_start - recorded.head_end, "message")
            window = evidence.settings.summary_context
            why = ""
            if window is not None and compaction.middle_tokens > window:
                why = f" The summary model takes only {window:,} tokens."
            refusal = refusal_in(recorded.summary or "")
            if refusal:
                why += f" It says “{safe_line(refusal, _TOLD)}”."
            yield _at_summary(
                compaction,
                f"Compaction {recorded.index} left out {gone} ({_left(compaction)}) and put a "
                f"fallback text in their place: no summary was made.{why}",
            )


def missing(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Messages left the list and nothing tells of them."""
    for compaction in evidence.compactions:
        recorded = compaction.recorded
        gone = recorded.tail_start - recorded.head_end
        unreadable = recorded.summary is None and recorded.encrypted
        if (
            recorded.summary is None
            and not unreadable
            and not recorded.fallback
            and recorded.after > 0
            and gone > 0
        ):
            yield Violation(
                f"Compaction {recorded.index} left out {_plural(gone, 'message')} "
                f"({_left(compaction)}), and no summary of them is in the list after it.",
                recorded.index,
                recorded.index,
                recorded.head_end,
            )


def says_nothing(evidence: ConversationEvidence) -> Iterator[Violation]:
    """A model wrote a summary, and it has no content."""
    for compaction in evidence.compactions:
        body = (compaction.recorded.summary or "").strip()
        if not compaction.written or compaction.middle_tokens < SUMMARIZED_AT_LEAST:
            continue
        denies = len(body) < 5 * EMPTY_SUMMARY and _NOTHING_SEEN.search(body) is not None
        if len(body) < EMPTY_SUMMARY or denies:
            yield _at_summary(
                compaction,
                f"Summary {compaction.index} has {_plural(len(body), 'character')} for ~{compaction.middle_tokens:,} "
                f"tokens of messages: “{safe_title(body, 80)}”.",
            )


def _left(compaction: CompactionEvidence) -> str:
    """The tokens that left the list, as they stood and as the summary model got them."""
    stood, read = compaction.left_tokens or compaction.middle_tokens, compaction.middle_tokens
    return f"~{stood:,} tokens" + (f", ~{read:,} after pruning" if read < stood else "")


def model_small(evidence: ConversationEvidence) -> Iterator[Violation]:
    """The middle does not fit into the summary model's window."""
    window = evidence.settings.summary_context
    if window is None:
        return
    where = evidence.sources.get("summary_context", "")
    known = f"{window:,} tokens" + (f", from {where}" if where else "")
    for compaction in evidence.compactions:
        if compaction.middle_tokens > window:
            yield _at_summary(
                compaction,
                f"Compaction {compaction.index} had about {compaction.middle_tokens:,} tokens to summarize, more than "
                f"the summary model takes ({known}).",
            )
    plan = evidence.live.plan
    if plan.compacts and plan.middle_tokens > window:
        yield Violation(
            f"A compaction now would have about {plan.middle_tokens:,} tokens to summarize, more than the summary "
            f"model takes ({known}).",
            generation=evidence.live.number,
            index=plan.regions()[0],
            since=evidence.live.end,
        )


def over_budget(evidence: ConversationEvidence) -> Iterator[Violation]:
    """The summary is longer than the release asked for."""
    for compaction in evidence.compactions:
        if not (compaction.written and compaction.planned.compacts):
            continue
        tokens, budget = (
            text_tokens(len(compaction.recorded.summary or "")),
            compaction.planned.summary_budget,
        )
        if tokens > budget and not compaction.planned.budgets.observed:
            yield _at_summary(
                compaction,
                f"Summary {compaction.index} is about {tokens:,} tokens long; {budget:,} were asked for.",
            )


def cut_off(evidence: ConversationEvidence) -> Iterator[Violation]:
    """The summary ends in the middle of something."""
    for compaction in evidence.compactions:
        how = ends_early(compaction.recorded.summary or "") if compaction.written else ""
        if how:
            yield _at_summary(compaction, f"Summary {compaction.index} seems to be cut off: {how}.")


def ends_early(body: str) -> str:
    """How a text ends before it is complete; an empty string where it seems whole."""
    text = body.rstrip()
    if not text:
        return "it is empty"
    last = text[text.rfind("\n") + 1 :]
    if len(_FENCE.findall(text)) % 2:
        return "a block of code never ends"
    if _HEADING.match(last):
        return f"nothing stands below its last heading, “{safe_line(last.lstrip('# '), 60)}”"
    if _BARE_MARK.match(last):
        return "its last entry is empty"
    if last.endswith(_OPEN_END):
        return f"it ends with “{safe_line(last[-30:], 40)}”"
    return ""


def _pairs(
    evidence: ConversationEvidence, worth: Callable[[Summary, Summary], bool]
) -> Iterator[tuple[CompactionEvidence, CompactionEvidence, SummaryDiff]]:
    """Successive summaries that models wrote, compared where that is worth it; fallback texts between them are passed
    over."""
    old: CompactionEvidence | None = None
    for compaction in evidence.compactions:
        if not compaction.written or compaction.summary is None:
            continue
        if old is not None and old.summary is not None and worth(old.summary, compaction.summary):
            yield old, compaction, diff_summaries(old.summary, compaction.summary)
        old = compaction


def _says_the_same(old: Summary, new: Summary) -> bool:
    """Whether so much stands word for word in both that the second may only repeat the first."""
    before = {" ".join(item.text.split()) for _, item in old.items()}
    same = sum(len(item.text) for _, item in new.items() if " ".join(item.text.split()) in before)
    return same >= REPEATED_SHARE * sum(len(item.text) for _, item in new.items())


def _lacks_a_section(old: Summary, new: Summary) -> bool:
    """Whether a name of a section is gone, so that the section may be."""
    names = Counter(section.name for section in new.sections)
    return bool(Counter(section.name for section in old.sections) - names)


def repeats(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Nothing new got into the summary."""
    for old, new, diff in _pairs(evidence, _says_the_same):
        items = [item for section in diff.sections for item in section.items if item.change != "removed"]
        same = [item for item in items if item.was is None and item.change in ("kept", "moved")]
        chars = sum(len(item.text) for item in items)
        more = new.recorded.tail_start - max(new.recorded.head_end, new.planned.summarized_from)
        if (
            len(items) >= REPEATED_ENTRIES
            and more >= REPEATED_MESSAGES
            and sum(len(item.text) for item in same) >= REPEATED_SHARE * chars
        ):
            yield _at_summary(
                new,
                f"{len(same):,} of the {len(items):,} entries of summary {new.index} stand word for word in summary "
                f"{old.index}, though it stands for {_plural(more, 'message')} more.",
            )


def section_vanished(evidence: ConversationEvidence) -> Iterator[Violation]:
    """A section that had something to say is gone, and so is what it said."""
    for old, new, diff in _pairs(evidence, _lacks_a_section):
        lost = [
            (section.name, sum(item.change == "removed" for item in section.items))
            for section in diff.sections
            if section.gone and section.name
        ]
        lost = [(name, count) for name, count in lost if count]
        if lost:
            count = sum(number for _, number in lost)
            names = ", ".join(f"“{safe_line(name, 60)}”" for name, _ in lost[:_LISTED])
            more = f" and {len(lost) - _LISTED} more" if len(lost) > _LISTED else ""
            entries = "1 entry" if count == 1 else f"{count:,} entries"
            yield _at_summary(
                new,
                f"Summary {new.index} lacks {names}{more} of summary {old.index}; {entries} went with "
                f"{'it' if len(lost) == 1 else 'them'}.",
            )


def secret(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Something that looks like a key or a password is handed on from list to list."""
    known: set[str] = set()
    for compaction in evidence.compactions:
        body = compaction.recorded.summary or ""
        for found in secrets(body):
            value = body[found.start : found.end]
            if value in known:
                continue
            known.add(value)
            line = body.count("\n", 0, found.start) + 1
            yield _at_summary(
                compaction,
                f"Line {line:,} of summary {compaction.index} holds what looks like {found.kind} "
                f"({safe_line(found.masked, 60)}).",
            )


def call_failed(evidence: ConversationEvidence) -> Iterator[Violation]:
    """The release kept the error of its last summary call."""
    if evidence.failure:
        yield Violation(
            f"The last call of the summary model failed: {safe_line(evidence.failure, 200)}",
            generation=evidence.live.number,
            since=evidence.live.end,
        )


def _gaps(evidence: ConversationEvidence, *kinds: GapKind) -> Iterator[tuple[CompactionEvidence, Gap]]:
    """The gaps of some kinds, so many of each summary."""
    for compaction in evidence.compactions:
        found = [gap for gap in compaction.gaps if gap.kind in kinds]
        for gap in found[:MOST]:
            yield compaction, gap


def message_left_out(evidence: ConversationEvidence) -> Iterator[Violation]:
    """The summary lists the user's messages, and one of them is not there, or not all of it."""
    for compaction, gap in _gaps(evidence, "left out", "cut"):
        how = "leaves out" if gap.kind == "left out" else "has only a part of the message that says"
        text = f"The list of the user's messages in summary {compaction.index} {how} “{safe_title(gap.text, _TOLD)}”."
        yield Violation(text, compaction.index, gap.generation, gap.index, cause=gap.text)


def elides(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Brackets stand where a text stood."""
    for compaction, gap in _gaps(evidence, "elided"):
        yield _at_summary(
            compaction,
            f"Summary {compaction.index} has “[{safe_title(gap.text, _TOLD)}]” where a text stood.",
        )


def dangles(evidence: ConversationEvidence) -> Iterator[Violation]:
    """A choice is kept, what it chose from is not."""
    for compaction, gap in _gaps(evidence, "dangling"):
        text = (
            f"Summary {compaction.index} keeps “{safe_title(gap.text, _TOLD)}” and does not tell what "
            f"{safe_line(gap.more, 40)} stood for."
        )
        yield Violation(text, compaction.index, gap.generation, gap.index, cause=gap.text)


def guess_told_as_fact(evidence: ConversationEvidence) -> Iterator[Violation]:
    """What the agent only supposed is told without a doubt."""
    for compaction, gap in _gaps(evidence, "sure"):
        text = (
            f"Summary {compaction.index} tells as a fact what the agent only supposed: “{safe_title(gap.text, _TOLD)}” "
            f"became “{safe_title(gap.more, _TOLD)}”."
        )
        yield Violation(text, compaction.index, gap.generation, gap.index, cause=gap.text)


def done_claimed(evidence: ConversationEvidence) -> Iterator[Violation]:
    """The summary says that all is done, beside something asked for that nothing mentions."""
    for compaction, gap in _gaps(evidence, "claimed"):
        text = (
            f"Summary {compaction.index} says “{safe_title(gap.more, 60)}”, and nothing after compaction "
            f"{compaction.index} mentions “{safe_title(gap.text, _TOLD)}”."
        )
        yield Violation(text, compaction.index, gap.generation, gap.index, cause=gap.text)
