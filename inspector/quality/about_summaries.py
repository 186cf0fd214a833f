"""Rules about the summaries of compactions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from inspector.core.handoff import ANCHOR_INDEX
from inspector.core.refusals import history_in, refusal_in, without_fixed_history
from inspector.core.rough import text_tokens
from inspector.core.shares import plural
from inspector.core.text import safe_line, safe_title
from inspector.core.thinking import leading_thinking
from inspector.quality import limits
from inspector.quality.evidence import CompactionEvidence, ConversationEvidence
from inspector.quality.facts.gaps import Gap, GapKind
from inspector.quality.finding import Violation
from inspector.quality.secrets import secrets
from inspector.summaries.diff import diff_summaries
from inspector.summaries.headings import is_common
from inspector.summaries.parse import is_placeholder, written_by_model
from inspector.summaries.summary import Summary, SummaryDiff

_FENCE = re.compile(r"^[ \t]*(?:(?:[-*+•]|\d{1,9}[.)])[ \t]+)?(?:```|~~~)[\w+#.-]*[ \t]*$", re.MULTILINE)
#: A heading or a tag: the text goes on after a code block that a quote left open.
_GOES_ON = re.compile(r"^(?:#{1,6}[ \t]|</?[a-z][\w-]*>)", re.MULTILINE)
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]")
_LATER_HEADING = re.compile(rf"^{_HEADING.pattern}", re.MULTILINE)
_BARE_MARK = re.compile(r"[ \t]*(?:[-*+•]|\d{1,9}[.)])[ \t]*$")
#: Words of a model that got no conversation, or did not recognise it.
_NOTHING_SEEN = re.compile(
    r"\bno (?:specific |clear |previous |prior )?(?:conversation|messages?|content|history)\b"
    r"|nothing to summari[sz]e|(?:do not|don['’]t|cannot|can['’]t|unable to) (?:see|have|find|access) (?:any|the|a)\b"
    r"|没有(?:可|需要)?(?:总结|摘要|对话)",
    re.I,
)
#: Maximum words of a history before a split turn that says nothing.
_FEW_WORDS = 3
#: Words of a model that recognised no task; true of a short chat.
_NO_TASK = re.compile(
    r"\bno (?:specific |clear |previous |prior )?(?:task|context|information|request)\b|没有任务", re.I
)
#: The label or the tags around a summary.
_FRAME = re.compile(r"\ASummary:\s*|</?summary>")
_OPEN_END = (",", ";", "(", "[", "{", "，", "、", "（", "：")
_CLOSES = (",", ";", ")", "]", "}", "，", "、", "）", "。")
#: Matches a first line that ends bold text, but does not begin it.
_CLOSES_BOLD = re.compile(r"(?:(?!\*\*)[^\n])*\S\*\*(?!\w)(?:(?!\*\*)[^\n])*(?:\n|$)")
#: Maximum number of names in a sentence, and of characters in a quote.
_LISTED = 4
_QUOTE = 160


def fallback(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield compactions with a fallback text instead of a summary."""
    for compaction in evidence.compactions:
        recorded = compaction.recorded
        if recorded.fallback:
            gone = plural(recorded.tail_start - recorded.head_end, "message")
            window = evidence.settings.summary_context
            why = ""
            if window is not None and compaction.middle_tokens > window:
                why = f" The window of the summary model has only {window:,} tokens."
            refusal = refusal_in(recorded.summary or "")
            if refusal:
                why += f" It says “{safe_line(refusal, _QUOTE)}”."
            yield compaction.at_summary(
                f"Compaction {recorded.index} removed {gone} ({_left(compaction)}) and put a fallback text in their "
                f"place. No summary was made.{why}",
            )


def missing(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield compactions that removed messages without a summary."""
    for compaction in evidence.compactions:
        recorded = compaction.recorded
        gone = recorded.tail_start - recorded.head_end
        unreadable = recorded.summary is None and recorded.encrypted
        if (
            recorded.summary is None
            and not unreadable
            and not recorded.fallback
            and not recorded.broken
            and recorded.after > 0
            and gone > 0
        ):
            yield compaction.before(
                f"Compaction {recorded.index} removed {plural(gone, 'message')} "
                f"({_left(compaction)}), and the list after it has no summary.",
                recorded.head_end,
            )


def says_nothing(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield summaries of a model without content."""
    for compaction in evidence.compactions:
        summary = without_fixed_history(compaction.recorded.summary or "")
        body = _FRAME.sub("", summary[slice(*written_by_model(summary))]).strip()
        if not compaction.recorded.written or compaction.middle_tokens <= text_tokens(len(body)):
            continue
        large, short = (
            compaction.middle_tokens >= limits.SUMMARIZED_AT_LEAST,
            len(body) < 5 * limits.EMPTY_SUMMARY,
        )
        denies = _NOTHING_SEEN.search(body) or (large and _NO_TASK.search(body))
        is_template = compaction.summary is not None and _is_template(compaction.summary)
        history = history_in(body)
        if large and 0 < len(history.split()) <= _FEW_WORDS:
            yield compaction.at_summary(
                f"The history in summary {compaction.index} is “{safe_title(history, 80)}”, for most of "
                f"~{compaction.middle_tokens:,} tokens of messages. Its other {len(body) - len(history):,} characters "
                "are about the current turn.",
            )
            continue
        if (large and len(body) < limits.EMPTY_SUMMARY) or (short and denies) or is_template:
            quote = f": “{safe_title(body, 80)}”" if body else ""
            yield compaction.at_summary(
                f"Summary {compaction.index} has {plural(len(body), 'character')} for ~{compaction.middle_tokens:,} "
                f"tokens of messages{quote}.",
            )


def _is_template(summary: Summary) -> bool:
    """Return whether every section of a summary says only that there is nothing ("None.")."""
    return bool(summary.sections) and all(is_placeholder(item.text) for _, item in summary.items())


def _left(compaction: CompactionEvidence) -> str:
    """Return the tokens that left the list, before and after pruning, as text."""
    unpruned, pruned = compaction.left_tokens or compaction.middle_tokens, compaction.middle_tokens
    return f"~{unpruned:,} tokens" + (f", ~{pruned:,} after pruning" if pruned < unpruned else "")


def model_small(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield compactions whose middle exceeds the window of the summary model, and the plan of the live list."""
    window = evidence.settings.summary_context
    if window is None:
        return
    where = evidence.sources.get("summary_context", "")
    size = f"{window:,} tokens" + (f", from {where}" if where else "")
    for compaction in evidence.compactions:
        if compaction.middle_tokens > window:
            yield compaction.at_summary(
                f"Compaction {compaction.index} had about {compaction.middle_tokens:,} tokens to summarize, more than "
                f"the window of the summary model ({size}).",
            )
    plan = evidence.live.plan
    if plan.compacts and plan.middle_tokens > window:
        yield evidence.live.violation(
            f"A compaction now would have about {plan.middle_tokens:,} tokens to summarize, more than the window of "
            f"the summary model ({size}).",
            plan.regions()[0],
        )


def over_budget(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield summaries that are longer than their budget."""
    for compaction in evidence.compactions:
        if not (compaction.recorded.written and compaction.planned.compacts):
            continue
        # Only the model's part has this budget: the lists that a program adds have limits of their own.
        written = (compaction.recorded.summary or "").partition(ANCHOR_INDEX)[0]
        tokens, budget = text_tokens(len(written)), compaction.planned.summary_budget
        if tokens > budget and not compaction.planned.budgets.observed:
            yield compaction.at_summary(
                f"Summary {compaction.index} has about {tokens:,} tokens; its budget is {budget:,}.",
            )


def cut_off(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield summaries that seem to be cut off."""
    for compaction in evidence.compactions:
        body = compaction.recorded.summary or ""
        ends = (begins_late(body), ends_early(body)) if compaction.recorded.written else ()
        how = " and ".join(filter(None, ends))
        if how:
            yield compaction.at_summary(f"Summary {compaction.index} seems to be cut off: {how}.")


def begins_late(body: str) -> str:
    """Return how a text with headings begins in the middle of a sentence or of code; "" if it does not."""
    text = body.lstrip()
    is_late = text[:1].islower() or text.startswith(_CLOSES) or _CLOSES_BOLD.match(text) is not None
    return f"it begins with “{safe_line(text, 40)}”" if is_late and _LATER_HEADING.search(text) else ""


def ends_early(body: str) -> str:
    """Return how a text ends before it is complete; "" if it seems complete."""
    text = body.rstrip()
    if not text:
        return "it is empty"
    last = text[text.rfind("\n") + 1 :]
    fences = list(_FENCE.finditer(text))
    if len(fences) % 2 and not _GOES_ON.search(text, fences[-1].end()):
        return "a code block does not end"
    if _HEADING.match(last):
        return f"its last heading has no text, “{safe_line(last.lstrip('# '), 60)}”"
    if _BARE_MARK.match(last) and not any(map(_BARE_MARK.match, text.split("\n")[:-1])):
        return "its last entry is empty"
    if last.endswith(_OPEN_END):
        return f"it ends with “{safe_line(last[-30:], 40)}”"
    return ""


def _pairs(
    evidence: ConversationEvidence, worth: Callable[[Summary, Summary], bool]
) -> Iterator[tuple[CompactionEvidence, CompactionEvidence, SummaryDiff]]:
    """Yield consecutive summaries of models with their difference, if `worth` accepts them.

    Fallback texts are skipped.
    """
    old: CompactionEvidence | None = None
    for compaction in evidence.compactions:
        if not compaction.recorded.written or compaction.summary is None:
            continue
        if old is not None and old.summary is not None and worth(old.summary, compaction.summary):
            yield old, compaction, diff_summaries(old.summary, compaction.summary)
        old = compaction


def _says_the_same(old: Summary, new: Summary) -> bool:
    """Return whether the new summary has at least REPEATED_SHARE of its text, in characters, from the old one."""
    before = {" ".join(item.text.split()) for _, item in old.items()}
    same = sum(len(item.text) for _, item in new.items() if " ".join(item.text.split()) in before)
    return same >= limits.REPEATED_SHARE * sum(len(item.text) for _, item in new.items())


def _lacks_a_section(old: Summary, new: Summary) -> bool:
    """Return whether the new summary lacks a section name of the old one."""
    names = Counter(section.name for section in new.sections)
    return bool(Counter(section.name for section in old.sections) - names)


def repeats(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield summaries that repeat the previous summary, and the later summaries that still do."""
    # The last repeating summary, the first summary with its text, and the messages replaced since.
    last, first, since = 0, 0, 0
    for old, new, diff in _pairs(evidence, _says_the_same):
        items = [item for section in diff.sections for item in section.items if item.change != "removed"]
        same = [item for item in items if item.was is None and item.change in ("kept", "moved")]
        chars = sum(len(item.text) for item in items)
        if (
            len(items) < limits.REPEATED_ENTRIES
            or sum(len(item.text) for item in same) < limits.REPEATED_SHARE * chars
        ):
            continue
        if old.index != last:
            first, since = old.index, 0
        last = new.index
        since += new.recorded.tail_start - max(new.recorded.head_end, new.planned.summarized_from)
        than = f" than summary {first}" if first != old.index else ""
        if since >= limits.REPEATED_MESSAGES:
            yield new.at_summary(
                f"{len(same):,} of the {len(items):,} entries of summary {new.index} are word for word those of "
                f"summary {old.index}, although it replaces {since:,} more messages{than}.",
            )


def section_vanished(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield sections of a known meaning with content that the next summary lacks, unless it has the section around
    them. A heading of the model's own is for one summary.
    """
    for old, new, diff in _pairs(evidence, _lacks_a_section):
        there = {section.name for section in new.summary.sections} if new.summary else set[str]()
        lost = [
            (
                section.name,
                sum(item.change == "removed" and not is_placeholder(item.text) for item in section.items),
            )
            for section in diff.sections
            if section.gone and is_common(section.name) and section.name.partition(" / ")[0] not in there
        ]
        lost = [(name, count) for name, count in lost if count]
        if lost:
            count = sum(number for _, number in lost)
            names = ", ".join(f"“{safe_line(name, 60)}”" for name, _ in lost[:_LISTED])
            more = f" and {len(lost) - _LISTED} more" if len(lost) > _LISTED else ""
            entries = plural(count, "entry was lost", "entries were lost")
            yield new.at_summary(
                f"Summary {new.index} lacks {names}{more} of summary {old.index}. {entries}.",
            )


def secret(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield summaries with texts that look like keys or passwords, each value once."""
    seen: set[str] = set()
    for compaction in evidence.compactions:
        body = compaction.recorded.summary or ""
        new = {body[secret.start : secret.end]: secret for secret in reversed(secrets(body))}
        secret = sorted((one for value, one in new.items() if value not in seen), key=lambda one: one.start)
        seen.update(new)
        if not secret:
            continue
        named = [
            f"{one.kind} ({safe_line(one.masked, 60)}) in line {body.count(chr(10), 0, one.start) + 1:,}"
            for one in secret[:_LISTED]
        ]
        more = f" and {len(secret) - _LISTED:,} more" if len(secret) > _LISTED else ""
        later = [
            f"{after.index:,}"
            for after in evidence.compactions
            if after.index > compaction.index
            and any(value in (after.recorded.summary or "") for value in new)
        ]
        again = f" Later summaries with the same texts: {', '.join(later)}." if later else ""
        yield compaction.at_summary(
            f"Summary {compaction.index} seems to contain {', '.join(named)}{more}.{again}"
        )


def call_failed(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield the recorded error of the last summary call."""
    if evidence.failure:
        yield evidence.live.violation(
            f"The last call of the summary model failed: {safe_line(evidence.failure, 200)}",
        )


def _gaps(evidence: ConversationEvidence, *kinds: GapKind) -> Iterator[tuple[CompactionEvidence, Gap]]:
    """Yield the gaps of these kinds, at most MOST for each summary."""
    for compaction in evidence.compactions:
        gaps = [gap for gap in compaction.gaps if gap.kind in kinds]
        for gap in gaps[: limits.MOST]:
            yield compaction, gap


def elides(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield placeholders in brackets that replace a text."""
    for compaction, gap in _gaps(evidence, "elided"):
        yield compaction.at_summary(gap.sentence(compaction.index))


def quotes_prompt(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield summaries with a phrase of the prompt that asked for them."""
    for compaction, gap in _gaps(evidence, "prompted"):
        may = "The agent may take it for a rule of the user."
        follows = f"The agent follows this prompt: answer {gap.more} has the form of a summary."
        yield compaction.at_summary(f"{gap.sentence(compaction.index)} {follows if gap.more else may}")


def has_thinking(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield summaries that begin with the thinking of their model."""
    for compaction in evidence.compactions:
        body = compaction.recorded.summary or ""
        if thinking := leading_thinking(body):
            yield compaction.at_summary(
                f"{thinking:,} of the {len(body):,} characters of summary {compaction.index} "
                f"({thinking / len(body):.0%}) are the thinking of its model.",
            )


def messages_unrecorded(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield summaries that quote messages of the user that are not recorded."""
    for compaction, gap in _gaps(evidence, "unrecorded"):
        yield compaction.at_summary(gap.sentence(compaction.index))


def dangles(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield choices whose list of options the summary lacks."""
    for compaction, gap in _gaps(evidence, "dangling"):
        text = gap.sentence(compaction.index)
        yield Violation(text, compaction.index, gap.generation, gap.index, cause=gap.text)


def done_claimed(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield each summary that says that all is done although the list after it mentions a late request nowhere."""
    for compaction in evidence.compactions:
        gone = [gap for gap in compaction.gaps if gap.kind == "claimed"]
        if gone:
            yield Violation(
                f"Summary {compaction.index} says “{safe_title(gone[0].more, 60)}”, and nothing after compaction "
                f"{compaction.index} mentions {_quotes(gone)}.",
                compaction.index,
                gone[0].generation,
                gone[0].index,
                cause=gone[0].text,
            )


def _quotes(gaps: Sequence[Gap]) -> str:
    """Return the texts of the first gaps in quotation marks, and the number of the others."""
    quotes = ", ".join(f"“{safe_title(gap.text, _QUOTE)}”" for gap in gaps[:_LISTED])
    return quotes + (f" and {len(gaps) - _LISTED:,} more" if len(gaps) > _LISTED else "")
