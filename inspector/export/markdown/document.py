"""The Markdown document of a report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.core.shares import percent
from inspector.core.text import safe_title
from inspector.export.markdown.compactions import compaction_lines, finding_lines, group_lines
from inspector.export.markdown.escaping import code, fenced, line, table
from inspector.export.report.charting import course_lines
from inspector.export.report.values import Derivation, DriftLine, Report
from inspector.export.report.wording import (
    KIND_NAMES,
    count,
    cut,
    moment,
    number,
    period,
    severities,
    share_percent,
)


def render_markdown(report: Report) -> str:
    """The whole document. Every text of the report is escaped or fenced."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    yield from _head(report)
    yield from _course(report)
    yield from _survival(report)
    for part in report.compactions:
        yield from compaction_lines(part)
    yield from _drift(report)
    yield from _risk(report)
    if report.findings or report.notes:
        yield from ("", "## Findings about the whole conversation", "")
        yield from finding_lines(report.findings)
        yield from (f"- {line(note)}" for note in report.notes)
    yield from _settings(report)
    made = moment(report.made_at)
    yield from (
        "",
        "---",
        "",
        f"Conversation {code(report.conversation)}, {count(len(report.sessions), 'session')}, from "
        f"{code(report.database)}. Written by compaction-inspector {line(report.version)}"
        f"{f' on {made}' if made else ''}. Token counts are rough estimates. This file holds words of the "
        "conversation: read it before you pass it on.",
    )


def _head(report: Report) -> Iterator[str]:
    threshold = report.course.threshold
    share = f" ({percent(report.live_tokens, threshold)} of the threshold)" if threshold else ""
    fallbacks = sum(part.compared.recorded.fallback for part in report.compactions)
    yield f"# {line(safe_title(report.title or report.conversation))}"
    yield ""
    yield (
        f"What compaction kept and lost · {line(safe_title(report.model) or 'no model is named')} · "
        f"{report.context_length:,} tokens of context · profile {line(report.profile)}"
    )
    yield ""
    yield line(report.profile_reason)
    when = period(report.started_at, report.last_active)
    if when:
        yield ""
        yield when
    yield ""
    yield f"- {count(len(report.course.tokens), 'message')}, {report.generations[-1].messages:,} in the live list"
    told = f", {fallbacks} without a summary" if fallbacks else ""
    yield f"- {count(len(report.compactions), 'compaction')}{told}"
    yield f"- {report.live_tokens:,} tokens now{share}"
    yield f"- findings: {severities(report.finding_counts)}"
    for curve in report.curves:
        last = curve.shares[-1] if curve.shares else None
        if last is not None and last.of:
            name = KIND_NAMES[curve.kind][1]
            yield f"- {name}: {last.count:,} of {last.of:,} can still be read ({share_percent(last)})"


def _course(report: Report) -> Iterator[str]:
    yield from ("", "## The course of the conversation", "")
    lines = course_lines(report.course)
    if lines:
        yield fenced("\n".join(lines))
        yield ""
        yield (
            "Tokens in the context after each message; the dashed line is the threshold, numbers are compactions "
            "(`!`: no summary was made)."
        )
        yield ""
    yield table(
        ("generation", "messages said", "in the list", "tokens", "session"),
        (
            (
                f"{g.number}{' (live)' if g.live else ''}",
                f"{g.said:,}",
                f"{g.messages:,}",
                f"{g.tokens:,}",
                line(g.session),
            )
            for g in report.generations
        ),
        (1, 2, 3),
    )  # fmt: skip


def _survival(report: Report) -> Iterator[str]:
    if not report.compactions:
        return
    numbers = [str(part.compared.recorded.index) for part in report.compactions]
    yield from ("", "## What survives", "")
    yield "Of all facts that were summarized so far, the share whose value can still be read after each compaction:"
    yield ""
    yield table(
        ("kind", *numbers),
        ((KIND_NAMES[curve.kind][1], *map(share_percent, curve.shares)) for curve in report.curves),
        tuple(range(1, len(numbers) + 1)),
    )
    yield from ("", "Every measure, by compaction:", "")
    yield table(
        ("measure", *numbers, "all"),
        (
            (line(row.title), *(line(cell or "–") for cell in row.cells), line(row.whole or "–"))
            for row in report.measures
        ),
    )


def _drift(report: Report) -> Iterator[str]:
    drift = report.drift
    if not drift.lengths:
        return
    yield from ("", "## How the summaries drifted", "")
    yield table(
        ("summary", "tokens", "budget", "items of the first one left"),
        (
            (
                str(one.compaction),
                "–" if one.tokens is None else f"{one.tokens:,}",
                "–" if one.budget is None else f"{one.budget:,}",
                "–"
                if one.items is None
                else f"{one.items.count} of {one.items.of} ({share_percent(one.items)})",
            )
            for one in drift.lengths
        ),
        (1, 2, 3),
    )
    yield from _drifted("Says something else", drift.otherwise, drift.otherwise_more)
    yield from _drifted("Stale: still listed as open", drift.stale, drift.stale_more)


def _drifted(title: str, lines: Sequence[DriftLine], more: int) -> Iterator[str]:
    if not lines:
        return
    yield from ("", f"### {title}", "")
    for one in lines:
        yield f"- summary {one.compaction}: {line(cut(one.text))}"
        if one.was:
            yield f"    - was: {line(cut(one.was))}"
        yield f"    - {line(cut(one.note, 300))}"
    if more:
        yield f"- and {more:,} more such items"


def _risk(report: Report) -> Iterator[str]:
    risk = report.risk
    yield from ("", "## At risk now", "")
    if risk.reason:
        yield f"A compaction of the live list would change nothing now: {line(risk.reason)}."
        return
    if not risk.total:
        yield "The next compaction would take no fact out of the list."
        return
    yield (
        f"A compaction now would put messages {risk.head_end} to {risk.tail_start - 1} of "
        f"{count(risk.length, 'message')} through a summary. {count(risk.total, 'fact')} would leave verbatim context, "
        f"{risk.once:,} of them said there once; those come first."
    )
    yield from group_lines(risk.groups, 3)
    yield from (
        "",
        "A checklist for the focus of a manual compaction:",
        "",
        fenced(risk.checklist.rstrip(), "markdown"),
    )


def _settings(report: Report) -> Iterator[str]:
    yield from ("", "## Settings in force", "")
    yield f"Profile {line(report.profile)}. {line(report.profile_reason)}"
    yield ""
    yield table(
        ("setting", "value", "from"),
        ((line(one.name), line(one.value), line(one.source)) for one in report.settings),
        (1,),
    )
    for derivation in report.derivations:
        yield from _derivation(derivation)


def _derivation(derivation: Derivation) -> Iterator[str]:
    yield from ("", f"### {line(derivation.title)}: {derivation.value:,} tokens", "")
    for step in derivation.steps:
        bound = " (this changed the number)" if step.bound else ""
        yield f"- {line(step.rule)}: {number(step.value)}. {line(step.why)}{bound}"
