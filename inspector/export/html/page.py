"""The page of a report."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.core.shares import percent
from inspector.core.text import safe_title
from inspector.export.html.charts import course_chart, survival_chart
from inspector.export.html.compactions import compaction_section, findings_list
from inspector.export.html.facts import groups
from inspector.export.html.markup import Html, anchor, join, tag
from inspector.export.html.style import STYLE
from inspector.export.html.summaries import drift_body
from inspector.export.report.values import Derivation, Report
from inspector.export.report.wording import (
    KIND_NAMES,
    count,
    moment,
    number,
    period,
    severities,
    share_percent,
)

#: Nothing may be loaded and nothing may run; style is inline, a picture would have to be in the file itself.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


def render_html(report: Report) -> str:
    """The whole file: one page without scripts, with nothing from elsewhere. Every text of the report is escaped."""
    title = report.title or report.conversation
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("meta", name="generator", content=f"compaction-inspector {report.version}"),
        tag("title", f"{safe_title(title)} · what compaction kept and lost"),
        # The style sheet is the program's own; `>` and quotes in it must stay as they are.
        Html(f"<style>{STYLE}</style>"),
    )
    body = tag(
        "body",
        tag("a", "To the report", cls="skip", href="#main"),
        _header(report, title),
        tag("main", _sections(report), id="main"),
        _footer(report),
    )
    return f'<!DOCTYPE html>\n<html lang="en">{head}\n{body}</html>\n'


def _sections(report: Report) -> list[Html | None]:
    return [
        _glance(report),
        _course(report),
        _survival(report),
        *[join("\n", compaction_section(part)) for part in report.compactions],
        _drift(report),
        _risk(report),
        _findings(report),
        _settings(report),
    ]


def _header(report: Report, title: str) -> Html:
    links = [("#glance", "At a glance"), ("#course-section", "Course")]
    if report.compactions:
        links.append(("#survival", "Survival"))
        # Many compactions have room for their numbers alone.
        name = "Compaction " if len(report.compactions) <= 12 else "#"
        for part in report.compactions:
            recorded = part.compared.recorded
            mark = " !" if recorded.fallback else ""
            links.append((f"#{anchor(recorded.index)}", f"{name}{recorded.index}{mark}"))
    if report.drift.lengths:
        links.append(("#drift", "Drift"))
    links += [("#risk", "At risk now"), ("#settings", "Settings")]
    return tag(
        "header",
        tag("p", "What compaction kept and lost", cls="over"),
        tag("h1", safe_title(title), dir="auto"),
        tag(
            "p",
            tag("b", safe_title(report.model) or "no model is named"),
            f" · {report.context_length:,} tokens of context · profile ",
            tag("b", report.profile),
            cls="meta",
        ),
        tag("p", report.profile_reason, cls="meta"),
        tag("p", period(report.started_at, report.last_active) or None, cls="meta"),
        tag(
            "nav",
            tag("ol", [tag("li", tag("a", label, href=to)) for to, label in links]),
            aria_label="Sections",
        ),
    )


def _glance(report: Report) -> Html:
    course, counts = report.course, report.finding_counts
    fallbacks = sum(part.compared.recorded.fallback for part in report.compactions)
    share = f"{percent(report.live_tokens, course.threshold)} of the threshold" if course.threshold else ""
    summaries = "each with a summary" if report.compactions else "never compacted"
    tiles = [
        ("Messages", f"{len(course.tokens):,}", f"{report.generations[-1].messages:,} in the live list"),
        (
            "Compactions",
            f"{len(report.compactions):,}",
            f"{fallbacks} without a summary" if fallbacks else summaries,
        ),
        ("Tokens now", f"{report.live_tokens:,}", share),
        ("Findings", f"{sum(counts.values()):,}", severities(counts)),
    ]
    kept = [
        (name[0].upper() + name[1:], share_percent(last), f"{last.count:,} of {last.of:,} can still be read")
        for name, last in (
            (KIND_NAMES[curve.kind][1], curve.shares[-1]) for curve in report.curves if curve.shares
        )
        if last is not None and last.of
    ]
    return tag(
        "section",
        tag("h2", "At a glance"),
        _tiles(tiles),
        tag("h3", "What the agent still has of what was summarized") if kept else None,
        _tiles(kept) if kept else None,
        id="glance",
        cls="plain",
    )


def _tiles(tiles: Sequence[tuple[str, str, str]]) -> Html:
    return tag(
        "dl",
        [tag("div", tag("dt", name), tag("dd", value, tag("small", told))) for name, value, told in tiles],
        cls="tiles",
    )


def _course(report: Report) -> Html:
    rows = [
        tag(
            "tr",
            tag("th", f"Generation {g.number}{' (live)' if g.live else ''}", scope="row"),
            tag("td", f"{g.said:,}", cls="n"),
            tag("td", f"{g.messages:,}", cls="n"),
            tag("td", f"{g.tokens:,}", cls="n"),
            tag("td", tag("span", g.session, cls="mono")),
        )
        for g in report.generations
    ]
    heads = (
        ("", False),
        ("messages said", True),
        ("in the list", True),
        ("tokens", True),
        ("session", False),
    )
    return tag(
        "section",
        tag("h2", "The course of the conversation"),
        tag(
            "figure",
            course_chart(report.course, report.generations),
            tag("figcaption", "Tokens in the context after each message, rough counts with the system prompt. "
                "Numbered discs are compactions, a square is one without a summary; they lead to their sections."),
        ),
        tag(
            "details",
            tag("summary", f"{count(len(rows), 'generation')} as a table"),
            tag("div", tag("table",
                tag("thead", tag("tr", [tag("th", head, scope="col", cls="n" if n else None) for head, n in heads])),
                tag("tbody", rows)), cls="scroll"),
        ),
        id="course-section",
    )  # fmt: skip


def _survival(report: Report) -> Html | None:
    if not report.compactions:
        return None
    numbers = [part.compared.recorded.index for part in report.compactions]
    rows = [
        tag(
            "tr",
            tag("th", row.title, scope="row", title=row.counts),
            [tag("td", cell or "–") for cell in row.cells],
            tag("td", tag("b", row.whole or "–")),
        )
        for row in report.measures
    ]
    heads = ["", *(f"{n}" for n in numbers), "all"]
    return tag(
        "section",
        tag("h2", "What survives"),
        tag(
            "figure",
            survival_chart(report.curves, numbers),
            tag("figcaption", "Of all facts that were summarized so far, the share whose value can still be read in "
                "the list after each compaction."),
        ),
        tag(
            "details",
            tag("summary", "Every measure"),
            tag("div", tag("table",
                tag("caption", "Of what each compaction itself summarized; the curve above is of all so far"),
                tag("thead", tag("tr", [tag("th", head, scope="col") for head in heads])),
                tag("tbody", rows)), cls="scroll"),
        ),
        id="survival",
    )  # fmt: skip


def _drift(report: Report) -> Html | None:
    if not report.drift.lengths:
        return None
    return tag("section", tag("h2", "How the summaries drifted"), drift_body(report.drift), id="drift")


def _risk(report: Report) -> Html:
    risk = report.risk
    parts: list[Html | None] = [tag("h2", "At risk now")]
    if risk.reason:
        parts.append(
            tag("p", f"A compaction of the live list would change nothing now: {risk.reason}.", cls="dim")
        )
    elif not risk.total:
        parts.append(tag("p", "The next compaction would take no fact out of the list.", cls="calm"))
    else:
        parts.append(
            tag(
                "p",
                f"A compaction now would put messages {risk.head_end} to {risk.tail_start - 1} of "
                f"{count(risk.length, 'message')} through a summary. {count(risk.total, 'fact')} would leave verbatim "
                f"context, {risk.once:,} of them said there once; those come first.",
            )
        )
        parts.append(groups(risk.groups, 3))
        parts.append(
            tag(
                "details",
                tag("summary", "A checklist for the focus of a manual compaction"),
                tag("div", tag("pre", risk.checklist)),
            )
        )
    return tag("section", parts, id="risk")


def _findings(report: Report) -> Html | None:
    if not report.findings and not report.notes:
        return None
    return tag(
        "section",
        tag("h2", "Findings about the whole conversation"),
        findings_list(report.findings) if report.findings else None,
        [tag("p", note, cls="note") for note in report.notes],
        id="findings",
    )


def _settings(report: Report) -> Html:
    lines = [
        tag(
            "tr",
            tag("th", line.name, scope="row"),
            tag("td", line.value, cls="n"),
            tag("td", line.source, cls="dim"),
        )
        for line in report.settings
    ]
    first, *others = report.derivations
    return tag(
        "section",
        tag("h2", "Settings in force"),
        tag("p", "Profile ", tag("b", report.profile), f". {report.profile_reason}"),
        tag("table",
            tag("thead", tag("tr", tag("th", "setting", scope="col"), tag("th", "value", cls="n", scope="col"),
                             tag("th", "from", scope="col"))),
            tag("tbody", lines)),
        tag("h3", f"{first.title}: {first.value:,} tokens"),
        _derivation(first),
        [
            tag("details", tag("summary", f"{other.title}: {other.value:,} tokens"), tag("div", _derivation(other)))
            for other in others
        ],
        id="settings",
    )  # fmt: skip


def _derivation(derivation: Derivation) -> Html:
    rows = [
        tag(
            "tr",
            tag("th", f"{'▸ ' if step.bound else ''}{step.rule}", scope="row"),
            tag("td", number(step.value), cls="n"),
            tag("td", step.why + (" (this changed the number)" if step.bound else "")),
            cls="bound" if step.bound else None,
        )
        for step in derivation.steps
    ]
    return tag("table", tag("tbody", rows)) if rows else tag("p", "The engine tells no steps.", cls="dim")


def _footer(report: Report) -> Html:
    made = moment(report.made_at)
    return tag(
        "footer",
        tag(
            "p",
            f"Conversation {report.conversation}, {count(len(report.sessions), 'session')}, from {report.database}. "
            f"Written by compaction-inspector {report.version}{f' on {made}' if made else ''}. Token counts are rough "
            "estimates. This file holds words of the conversation: read it before you pass it on.",
        ),
    )
