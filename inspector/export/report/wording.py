"""Words that both forms of a report use."""

from __future__ import annotations

import re
import time

from msgspec import Struct

from inspector.core.shares import plural
from inspector.core.signs import CHANGE_SIGNS, EXCERPT_WORDS
from inspector.core.text import safe_title
from inspector.core.times import calendar_time
from inspector.export.document import Document
from inspector.export.facts import ReportedFact, later_words
from inspector.export.report.parts import ITEMS, SUMMARY
from inspector.export.report.values import CompactionPart, Report, TokenCourse
from inspector.quality.facts.risk import AtRisk
from inspector.summaries.summary import ItemChange, SummaryDiff

_LINE_SIGNS = {**CHANGE_SIGNS, "removed": "-", "moved": ">"}
_WRITTEN = {"": "{}", "del": "[-{}-]", "ins": "{{+{}+}}"}
#: The longest text of a fact, an item or a finding that is shown, in characters.
LONGEST = 600


def moment(seconds: float) -> str:
    """Return a time in UTC for people; "" if it is unknown."""
    known = calendar_time(seconds)
    at = time.gmtime(known)
    return f"{at.tm_mday} {time.strftime('%B %Y, %H:%M', at)} UTC" if known else ""


def cut(text: str, limit: int = LONGEST) -> str:
    """Return the text in at most `limit` characters."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def head_lines(report: Report) -> list[str]:
    """Return the lines below the title of a report: the model and the profile, and the time of the conversation."""
    row, settings = report.row, report.settings.settings
    return [
        f"{safe_title(row.model) or 'no model is named'} · {settings.context_length:,} tokens of context · "
        f"profile {settings.profile}",
        report.profile_reason,
        " to ".join(dict.fromkeys(filter(None, (moment(row.started_at), moment(row.last_active))))),
    ]


def sections(report: Report) -> list[tuple[str, str]]:
    """Return (id, name) of the sections that a page links to."""
    # Many compactions have room only for their numbers.
    name = "Compaction " if len(report.compactions) <= 12 else "#"
    parts = [
        (f"compaction-{done.index}", f"{name}{done.index}{' !' if done.fallback else ''}")
        for done in (part.recorded for part in report.compactions)
    ]
    return [
        ("glance", "At a glance"),
        ("course-section", "Course"),
        *([("survival", "Survival"), *parts] if parts else []),
        *([("drift", "Drift")] if report.drift else []),
        *([("costs", "Costs")] if report.costs.priced else []),
        ("risk", "At risk now"),
        ("settings", "Settings"),
    ]


def region_words(part: CompactionPart, course: TokenCourse) -> str:
    """Return the tokens of the regions before a compaction, the sizes that the agent reported, and the time."""
    recorded, compared = part.recorded, part.judged.compared
    head, middle, tail = part.tokens
    planned = compared.planned
    is_pruned = compared.agrees and planned.pruned and planned.middle_tokens < middle
    pruned = f" (~{planned.middle_tokens:,} after pruning)" if is_pruned else ""
    sizes = f"~{middle:,} tokens summarized{pruned}, ~{head:,} kept in the head, ~{tail:,} in the tail"
    words = [sizes] if recorded.before else []
    fall = next((fall for fall in course.falls if fall.compaction == recorded.index), None)
    if fall is not None and course.sizes:
        reported = f"~{fall.before:,} → ~{fall.after:,} tokens"
        words.append(f"by the agent's reports {reported}, with the parts that are not recorded")
    return "; ".join(filter(None, [*words, moment(recorded.at)]))


def course_words(course: TokenCourse) -> str:
    """Return the source of the sizes of a course."""
    return course.sizes or "Tokens are rough counts with the system prompt."


def longest_summary(report: Report) -> int:
    """Return the number of characters of a summary that are shown."""
    return SUMMARY.of(len(report.compactions))


def fact_notes(entry: ReportedFact) -> list[str]:
    """Return sentences about a fact: values that its text lacks, words of the list after, later fates."""
    values = ", ".join(value for value in _longest_first(entry) if value not in entry.text)
    notes = [f"Values: {cut(values, 200)}"] if values else []
    if isinstance(entry, AtRisk):
        return notes
    fate = entry.fate
    if fate.excerpt and entry.outcome != "verbatim":
        where = f"{EXCERPT_WORDS[entry.outcome]} in the {fate.where}".capitalize()
        notes.append(f"{where}: “{cut(fate.excerpt, 200)}”")
    later = later_words(entry, fate.compaction)
    return [*notes, *(f"{words[:1].upper()}{words[1:]}." for words in later)]


def marked(entry: ReportedFact) -> list[tuple[str, bool]]:
    """Return the words of a fact in pieces: (text, whether it is an exact value)."""
    shown = cut(entry.text)
    there = "|".join(re.escape(value) for value in _longest_first(entry) if value)
    pieces = re.split(f"({there})", shown) if there else [shown]
    return [(piece, at % 2 == 1) for at, piece in enumerate(pieces) if piece]


def _longest_first(entry: ReportedFact) -> list[str]:
    return sorted(set(entry.values), key=lambda text: (-len(text), text))


def diff_counts(diff: SummaryDiff) -> str:
    """Return the number of items of each change: "12 kept, 3 added"."""
    return ", ".join(f"{count:,} {change}" for change, count in diff.counts().items() if count) or "nothing"


class ChangedSection(Struct, frozen=True):
    """A section of a comparison: the changed items that are shown, how many more there are, and how many were kept."""

    title: str
    items: tuple[ItemChange, ...]
    more: int
    kept: int


def changed_sections(diff: SummaryDiff, report: Report) -> list[ChangedSection]:
    """Return the changed, added and removed sections of a comparison."""
    sections, most = [], ITEMS.of(len(report.compactions))
    for section in diff.sections:
        changed = [item for item in section.items if item.change != "kept"]
        if changed or section.gone or section.was is None:
            state = " (gone)" if section.gone else " (new)" if section.was is None else ""
            renamed = f" (was: {section.was})" if section.was not in (None, section.name) else ""
            sections.append(
                ChangedSection(
                    f"{section.name or 'Before the first heading'}{state}{renamed}",
                    tuple(changed[:most]),
                    max(0, len(changed) - most),
                    len(section.items) - len(changed),
                )
            )
    return sections


def word_changes(item: ItemChange) -> list[tuple[str, str]]:
    """Return the wording of an item in pieces: ("del", removed), ("ins", added), ("", unchanged)."""
    longest = 4 * LONGEST
    if item.was is None or len(item.was) > longest or len(item.text) > longest:
        return [("", cut(item.text, longest))]
    pieces, at = [], 0
    for change in item.words:
        went, came = item.was[change.was_start : change.was_end], item.text[change.start : change.end]
        pieces += [("", item.text[at : change.start]), ("del", went)]
        pieces += [("", " " if went and came else ""), ("ins", came)]
        at = change.end
    pieces.append(("", item.text[at:]))
    return [(change, text) for change, text in pieces if text]


def diff_lines(diff: SummaryDiff, report: Report) -> list[str]:
    """Return a comparison as lines of text: a sign before each item, and in it [-removed-] and {+added+} words."""
    lines = []
    for section in changed_sections(diff, report):
        lines.append(f"@@ {section.title} @@")
        for item in section.items:
            lead = f"(from {item.from_section}) " if item.change == "moved" else ""
            text = "".join(_WRITTEN[change].format(text) for change, text in word_changes(item))
            # Only the first line of an item has its sign.
            lines.append(f"{_LINE_SIGNS[item.change]} {lead}{text}".replace("\n", "\n  "))
        if section.more:
            lines.append(f"  and {section.more:,} more changes")
        if section.kept:
            lines.append(f"  = {section.kept} kept")
    return lines


def risk_words(risk: Document) -> str:
    """Return a sentence about the facts that a compaction would take now."""
    if risk["reason"]:
        return f"A compaction of the live list would change nothing now: {risk['reason']}."
    if not risk["total"]:
        return "The next compaction would take no fact out of the list."
    return (
        f"A compaction now would put messages {risk['head_end']} to {risk['tail_start'] - 1} of "
        f"{plural(risk['length'], 'message')} through a summary. {plural(risk['total'], 'fact')} would leave verbatim "
        f"context, {risk['once']:,} of them are in one message only; those come first."
    )


def made_words(report: Report) -> str:
    """Return the subject and the time of the report."""
    made = moment(report.made_at)
    return (
        f"Conversation {report.row.id}, {plural(len(report.row.sessions), 'session')}, from {report.database}. "
        f"Written by compaction-inspector {report.version}{f' on {made}' if made else ''}. Token counts are rough "
        "estimates. This file holds words of the conversation: read it before you pass it on."
    )
