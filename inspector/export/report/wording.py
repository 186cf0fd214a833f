"""Words that both forms of a report use."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from msgspec import Struct

from inspector.answers.inspection import Compared
from inspector.core.places import place_name
from inspector.core.shares import dollars, kept_of, percent, plural
from inspector.core.signs import CHANGE_SIGNS, EXCERPT_WORDS, FATE_SIGNS
from inspector.core.text import safe_title
from inspector.export import facts, generations
from inspector.export.document import Document
from inspector.export.report.values import CompactionPart, DiffPart, Report, ReportedFact, TokenCourse
from inspector.export.requests import price_words, recorded_words, unlisted_words
from inspector.quality.facts.fact import Kind, Life
from inspector.quality.facts.risk import AtRisk
from inspector.quality.facts.survival import KindSurvival
from inspector.quality.finding import Severity, severity_words
from inspector.quality.measures import Share
from inspector.summaries.summary import ItemChange

_LINE_SIGNS = {**CHANGE_SIGNS, "removed": "-", "moved": ">"}
_WRITTEN = {"": "{}", "del": "[-{}-]", "ins": "{{+{}+}}"}
#: The longest text of a fact, an item or a finding that is shown, in characters.
LONGEST = 600


def moment(seconds: float) -> str:
    """Return a time in UTC for people; "" if it is unknown."""
    if seconds <= 0:
        return ""
    try:
        at = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return ""
    return f"{at.day} {at:%B %Y, %H:%M} UTC"


def period(start: float, end: float) -> str:
    """Return the time of the beginning and of the end; "" if neither is known."""
    return " to ".join(dict.fromkeys(filter(None, (moment(start), moment(end)))))


def severities(counts: Mapping[Severity, int]) -> str:
    """Return the number of findings by severity."""
    return severity_words(counts) or "nothing to tell"


def cut(text: str, limit: int = LONGEST) -> str:
    """Return the text in at most `limit` characters."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def number(value: float) -> str:
    """Return a number of a derivation: a whole number with separators, a share unchanged."""
    return f"{value:,.0f}" if abs(value) > 1 or value in (0, 1) else f"{value:g}"


def later_words(entry: ReportedFact) -> tuple[str, ...]:
    """Return sentences about the later fates of a fact."""
    lines = () if isinstance(entry, AtRisk) else facts.later_words(entry, entry.fate.compaction)
    return tuple(f"{line[:1].upper()}{line[1:]}." for line in lines)


def boundary_words(compared: Compared) -> str:
    """Return the recorded and the planned boundaries in sentences."""
    recorded, planned = generations.boundary_words(compared)
    if not compared.recorded.before:
        return f"{recorded.capitalize()}; {planned}."
    return f"Recorded: {recorded}{'' if compared.recorded.exact else ' (inferred)'}; {planned}."


def diff_counts(part: DiffPart) -> str:
    """Return the number of items of each change: "12 kept, 3 added"."""
    return (
        ", ".join(f"{number:,} {change}" for change, number in part.diff.counts().items() if number)
        or "nothing"
    )


def kind_name(kind: Kind, number: int = 2) -> str:
    """Return the name of a kind, singular or plural."""
    name = "exact value" if kind == "value" else kind
    return name if number == 1 else f"{name}s"


def summaries_words(report: Report) -> str:
    """Return whether every compaction made a summary."""
    fallbacks = sum(part.recorded.fallback for part in report.compactions)
    encrypted = sum(part.recorded.encrypted for part in report.compactions)
    if fallbacks:
        return f"{fallbacks} without a summary"
    if encrypted:
        return (
            "each with a summary that cannot be read"
            if encrypted == len(report.compactions)
            else f"{encrypted} with a summary that cannot be read"
        )
    return "each with a summary" if report.compactions else "never compacted"


def threshold_words(report: Report) -> str:
    """Return the live list as a share of the threshold, or ""."""
    threshold = report.course.threshold
    return f"{percent(report.live_tokens, threshold)} of the threshold" if threshold else ""


def readable_words(share: Share) -> str:
    """Return the number of facts that can still be read, in words."""
    return f"{share.count:,} of {share.of:,} can still be read"


def saved_words(part: CompactionPart) -> str:
    """Return the change of the list's size: "(-52%)"; without a list before it is unknown."""
    before, after = part.recorded.tokens_before, part.recorded.tokens_after
    return f"({after / before - 1:+.0%})" if before > 0 else "(the size before is unknown)"


def reported_words(part: CompactionPart) -> str:
    """Return the sizes before and after a compaction by the agent's reports; "" if it reported none."""
    if part.reported is None:
        return ""
    before, after = part.reported
    return f"by the agent's reports ~{before:,} → ~{after:,} tokens, with the parts that are not recorded"


def live_words(report: Report) -> str:
    """Return the tokens of the live list."""
    return f"{'' if report.live_reported else '~'}{report.live_tokens:,}"


def course_words(course: TokenCourse) -> str:
    """Return the source of the sizes of a course."""
    return course.sizes or "Tokens are rough counts with the system prompt."


def regions_words(part: CompactionPart) -> str:
    """Return the tokens of the regions before the compaction, and of the pruned middle."""
    head, middle, tail = part.tokens
    pruned = part.compared.planned.middle_tokens
    agree = part.compared.agrees and bool(part.compared.planned.pruned)
    read = f" (~{pruned:,} after pruning)" if agree and pruned < middle else ""
    return f"~{middle:,} tokens summarized{read}, ~{head:,} kept in the head, ~{tail:,} in the tail"


def summary_name(part: CompactionPart) -> str:
    """Return the name of a summary: the fallback text, or the summary."""
    return "The fallback text" if part.recorded.fallback else "The summary"


def summary_length(part: CompactionPart) -> str:
    """Return the length of the summary, and its place."""
    where = ", merged into the first message of the tail" if part.recorded.merged else ""
    return f"{len(part.summary or '') + part.summary_more:,} characters{where}"


def outcome_name(entry: ReportedFact) -> str:
    """Return the fate of a fact in a word; "at risk" before a compaction."""
    return "at risk" if isinstance(entry, AtRisk) else entry.outcome


def fate_words(entry: ReportedFact) -> str:
    """Return the fate of a fact with its sign."""
    if isinstance(entry, AtRisk):
        return f"{FATE_SIGNS['at risk']} {'said once' if entry.once else 'at risk'}"
    return f"{FATE_SIGNS[entry.outcome]} {entry.outcome}"


def place_words(entry: ReportedFact) -> str:
    """Return the places of a fact and its number of mentions, after a comma."""
    saying, uses = entry.saying, entry.fact.uses
    words = [place_name(saying.index, saying.generation)]
    if isinstance(entry, Life) and entry.fate.alive and entry.fate.where:
        words.append(f"now in the {entry.fate.where}")
    if isinstance(entry, Life) and entry.fate.model:
        words.append(f"decided by {entry.fate.decided_by}")
    if entry.times > 1:
        words.append(f"said {entry.times} times")
    if uses:
        words.append("used once since" if uses == 1 else f"used {uses} times since")
    return "".join(f", {word}" for word in words)


def mention_words(entry: ReportedFact) -> str:
    """Return the label of the excerpt of a fact; "" for none."""
    if not excerpt(entry) or not isinstance(entry, Life) or entry.outcome == "verbatim":
        return ""
    return f"{EXCERPT_WORDS[entry.outcome]} in the {entry.fate.where}".capitalize()


def excerpt(entry: ReportedFact) -> str:
    """Return the text around a surviving fact, or around its subject."""
    return entry.fate.excerpt if isinstance(entry, Life) else ""


def marked(entry: ReportedFact) -> list[tuple[str, bool]]:
    """Return the words of a fact in pieces: (text, whether it is an exact value)."""
    shown = cut(entry.text)
    there = "|".join(re.escape(value) for value in _longest_first(entry) if value)
    pieces = re.split(f"({there})", shown) if there else [shown]
    return [(piece, at % 2 == 1) for at, piece in enumerate(pieces) if piece]


def values_apart(entry: ReportedFact) -> str:
    """Return the exact values of a fact that its text lacks."""
    return ", ".join(value for value in _longest_first(entry) if value not in entry.text)


def _longest_first(entry: ReportedFact) -> list[str]:
    return sorted(set(entry.values), key=lambda text: (-len(text), text))


class ChangedSection(Struct, frozen=True):
    """A section of a comparison: the changed items that are shown, how many more there are, and how many were kept."""

    title: str
    items: tuple[ItemChange, ...]
    more: int
    kept: int


def changed_sections(part: DiffPart) -> list[ChangedSection]:
    """Return the changed, added and removed sections of a comparison."""
    sections = []
    for section in part.diff.sections:
        changed = [item for item in section.items if item.change != "kept"]
        if changed or section.gone or section.was is None:
            state = " (gone)" if section.gone else " (new)" if section.was is None else ""
            renamed = f" (was: {section.was})" if section.was not in (None, section.name) else ""
            sections.append(
                ChangedSection(
                    f"{section.name or 'Before the first heading'}{state}{renamed}",
                    tuple(changed[: part.limit]),
                    max(0, len(changed) - part.limit),
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


def diff_lines(part: DiffPart) -> list[str]:
    """Return a comparison as lines of text: a sign before each item, and in it [-removed-] and {+added+} words."""
    lines = []
    for section in changed_sections(part):
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
        f"context, {risk['once']:,} of them said there once; those come first."
    )


def made_words(report: Report) -> str:
    """Return the subject and the time of the report."""
    time = moment(report.made_at)
    return (
        f"Conversation {report.row.id}, {plural(len(report.row.sessions), 'session')}, from {report.database}. "
        f"Written by compaction-inspector {report.version}{f' on {time}' if time else ''}. Token counts are rough "
        "estimates. This file holds words of the conversation: read it before you pass it on."
    )


def attempt_name(line: Document) -> str:
    """Return the name of a summary among the summaries of its compaction."""
    return f"#{line['id']} {safe_title(line['name'])}" if line["id"] else "recorded"


def survival_words(kinds: Sequence[KindSurvival], kind: Kind | None = None) -> str:
    """Return the number of facts of a kind, or of all, that a summary keeps; a dash if all are unknown."""
    chosen = [survival for survival in kinds if kind in (None, survival.kind)]
    if not chosen:
        return "–"
    sums = [
        sum(getattr(survival, name) for survival in chosen) for name in ("kept", "of", "weakened", "open")
    ]
    return kept_of(*sums)


def money(amount: float | None) -> str:
    """Return US dollars; a dash if they are unknown."""
    return "–" if amount is None else dollars(amount)


def requests_words(costs: Document) -> str:
    """Return the number of requests, their tokens, and their cost."""
    sent, reported = costs["sent_tokens"], costs["reported_tokens"]
    sentence = f"{plural(costs['requests'], 'request')} sent {sent:,} tokens, "
    sentence += f"{percent(costs['cache_read_tokens'], sent)} of them read from the cache."
    if costs["modelled"]:
        sentence += " They are estimated from the messages, because the store keeps no usage of single calls"
        sentence += f"; the provider reported {reported:,} tokens in all." if reported else "."
    if costs["cost"] is None:
        sentence += f" What they cost is not known: {'; '.join(costs['cost_notes'])}."
    else:
        amount = dollars(costs["cost"]["amount"])
        sentence += f" They cost {amount} US dollars{price_words(costs['prices_of'])}."
    if costs["recorded_cost"]:
        sentence += f" {recorded_words(costs['recorded_cost'])}"
    unlisted = costs["unlisted_summaries"]
    return f"{sentence} {unlisted_words(unlisted)}" if unlisted else sentence
