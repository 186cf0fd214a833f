"""Rows of tables and entries of lists in a report, in words."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.answers.summaries import SummaryLives
from inspector.core.places import place_name
from inspector.core.shares import percent
from inspector.core.signs import SEVERITY_SIGNS
from inspector.engines.base import BUDGET_NAMES
from inspector.engines.settings import SETTINGS
from inspector.export.config import explained, setting_words, step_value
from inspector.export.measures import share_percent
from inspector.export.report.parts import FINDINGS
from inspector.export.report.values import FactsPart, Report
from inspector.export.report.wording import cut
from inspector.export.summaries import changed_words, stale_words
from inspector.quality.catalogue import RULES, advice_of
from inspector.quality.facts.fact import OUTCOMES
from inspector.quality.finding import Finding, Severity, severity_words
from inspector.quality.grouping import FindingGroup, grouped

#: Added to the number of messages of an incomplete conversation.
_LACKING = "; a part is missing or cannot be read"


def generation_rows(report: Report) -> list[tuple[str, ...]]:
    """Return a row for each generation."""
    return [
        (
            f"{generation.number}{' (live)' if generation.live else ''}",
            f"{generation.said:,}",
            f"{generation.messages:,}",
            f"~{generation.tokens:,}",
            generation.session,
        )
        for generation in report.generations
    ]


def changed_items(lives: SummaryLives) -> list[tuple[str, list[str]]]:
    """Return (text, notes) of the items of summaries that say something else since a compaction."""
    return [
        (cut(change.text), [changed_words(lives.lineage, change), f"was: {cut(change.was)}"])
        for change in lives.drift.changed_meanings
        if change.settled
    ]


def stale_items(lives: SummaryLives) -> list[tuple[str, list[str]]]:
    """Return (text, notes) of the items of summaries that should be closed."""
    rows = lives.lineage.rows
    return [
        (
            cut(item.text),
            [
                stale_words(lives.lineage, item),
                *([f"done: {cut(rows[item.by].text, 300)}"] if item.by is not None else []),
            ],
        )
        for item in lives.drift.stale
    ]


def fate_rows(part: FactsPart) -> list[tuple[str, ...]]:
    """Return a row for each kind of fact, with the number of facts of each fate and of all."""
    return [
        (f"{kind}s", *(f"{counts[outcome] or '·'}" for outcome in OUTCOMES), f"{sum(counts.values()):,}")
        for kind, counts in part.counts.items()
        if kind in part.kinds
    ]


def setting_rows(report: Report) -> list[tuple[str, ...]]:
    """Return a row for each setting in force: its value and its source."""
    settings, sources = report.settings.settings, report.settings.sources
    return [
        (row.label, setting_words(getattr(settings, name)), sources[name])
        for name, row in SETTINGS.items()
        if name != "profile"
    ]


def derivations(report: Report) -> list[tuple[str, list[tuple[str, str, str]]]]:
    """Return (name with the value, rows of its steps) of each derived number."""
    budgets, steps = report.budgets, explained(report.budgets, report.settings.sources)
    drawn = []
    for name, title in BUDGET_NAMES.items():
        if getattr(budgets, name) or steps.get(name):
            title = "usual summary" if budgets.observed and name == "max_summary_tokens" else title
            rows = [
                (
                    f"{'▸ ' if step.bound else ''}{step.rule}",
                    step_value(step),
                    f"{step.why}{' (this changed the number)' if step.bound else ''}",
                )
                for step in steps.get(name, ())
            ]
            drawn.append((f"{title.capitalize()}: {getattr(budgets, name):,} tokens", rows))
    return drawn


def finding_items(findings: Sequence[Finding]) -> list[tuple[str, Severity, str, list[str]]]:
    """Return (sign with severity and number, severity, title, notes) of the findings of each rule, in order."""
    by_rule: dict[str, list[FindingGroup]] = {}
    for group in grouped(findings):
        by_rule.setdefault(group.first.rule, []).append(group)
    items = []
    for rule, same in by_rule.items():
        first, more = same[0].first, len(same) - FINDINGS
        count = f" × {len(same):,}" if len(same) > 1 else ""
        notes = [_finding_words(group) for group in same[:FINDINGS]]
        if more > 0:
            notes.append(f"and {more:,} more of this rule (the findings command lists all)")
        badge = f"{SEVERITY_SIGNS[first.severity]} {first.severity}{count}"
        items.append((badge, first.severity, RULES[rule].title, [*notes, advice_of(first)]))
    return items


def _finding_words(group: FindingGroup) -> str:
    place = place_name(group.first.index, group.first.generation)
    return f"{group.text}{f' ({place})' if place else ''}"


def tiles(report: Report) -> list[tuple[str, str, str]]:
    """Return (name, number, words) of the figures at a glance."""
    share = f"{percent(report.live_tokens, report.budgets.threshold_tokens)} of the threshold"
    tokens = f"{'' if report.live_reported else '~'}{report.live_tokens:,}"
    findings = sum(report.finding_counts.values())
    kept = [
        (
            f"{kind.capitalize()}s kept",
            share_percent(kept_share),
            f"{kept_share.count:,} of {kept_share.of:,}",
        )
        for kind, kept_share in report.measures.survival.last.items()
        if kept_share is not None and kept_share.of
    ]
    return [
        (
            "Messages",
            f"{len(report.course.tokens):,}",
            f"{report.generations[-1].messages:,} in the live list{_LACKING if report.has_unread else ''}",
        ),
        ("Compactions", f"{len(report.compactions):,}", _summaries(report)),
        ("Tokens now", tokens, share),
        ("Findings", f"{findings:,}", severity_words(report.finding_counts) or "nothing to tell"),
        *kept,
    ]


def _summaries(report: Report) -> str:
    """Return whether every compaction made a summary."""
    fallbacks = sum(part.recorded.fallback for part in report.compactions)
    encrypted = sum(part.recorded.encrypted for part in report.compactions)
    if fallbacks:
        return f"{fallbacks} without a summary"
    if encrypted:
        which = "each" if encrypted == len(report.compactions) else f"{encrypted}"
        return f"{which} with a summary that cannot be read"
    if report.compactions:
        return "each with a summary"
    return "none is recorded" if report.has_unread else "never compacted"
