"""The section of one compaction."""

from __future__ import annotations

from inspector.export.html.charts import regions_chart
from inspector.export.html.facts import counts_table, groups
from inspector.export.html.markup import Html, anchor, join, more, tag, words
from inspector.export.html.summaries import diff_body, summary_body
from inspector.export.report.values import CompactionPart, FactGroup, FindingGroup, MeasureLine
from inspector.export.report.wording import SEVERITY_SIGNS, boundary_words, count, diff_counts, moment


def compaction_section(part: CompactionPart) -> Html:
    """What a compaction did: boundaries, what was lost, the summary and how it differs from the one before."""
    recorded = part.compared.recorded
    return tag(
        "section",
        tag("h2", f"Compaction {recorded.index}"),
        _headline(part),
        tag("p", "No summary was made: a fallback text stands in its place, and no model read what was left out.",
            cls="loud") if recorded.fallback else None,
        tag("p", recorded.note, cls="note") if recorded.note else None,
        _boundaries(part),
        _findings(part.findings),
        tag("h3", "What was lost"),
        _lost(part),
        _summary(part),
        _diff(part),
        _measures(part.measures),
        id=anchor(recorded.index),
        aria_label=f"Compaction {recorded.index}",
    )  # fmt: skip


def _headline(part: CompactionPart) -> Html:
    recorded = part.compared.recorded
    saved = 1 - recorded.tokens_after / recorded.tokens_before if recorded.tokens_before > 0 else 0.0
    head, middle, tail = part.tokens
    told = [
        join(tag("b", f"{recorded.tokens_before:,} → {recorded.tokens_after:,}"), f" tokens ({-saved:+.0%})"),
        join(tag("b", f"{recorded.before:,} → {recorded.after:,}"), " messages"),
        join(f"{middle:,} tokens summarized, ", f"{head:,} kept in the head, {tail:,} in the tail"),
    ]
    at = moment(recorded.at)
    if at:
        told.append(join(at))
    return tag("p", [join(tag("span", one), " ") for one in told], cls="headline")


def _boundaries(part: CompactionPart) -> Html:
    recorded, planned = part.compared.recorded, part.compared.planned
    rows = [("recorded", recorded.head_end, recorded.tail_start, recorded.before)]
    if planned.compacts:
        head, tail = planned.regions()
        rows.append(("planned", head, tail, planned.length))
    return tag(
        "figure",
        regions_chart(f"regions-{recorded.index}", rows),
        tag("figcaption", boundary_words(part.compared)),
    )


def _lost(part: CompactionPart) -> Html:
    facts = part.facts
    lost = sum(group.total for group in facts.lost)
    parts: list[Html | None] = [counts_table(facts)]
    if lost:
        parts.append(groups(facts.lost))
    elif any(sum(counts.values()) for counts in facts.counts.values()):
        parts.append(tag("p", "Nothing of what this compaction summarized is lost.", cls="calm"))
    if facts.died:
        number = sum(group.total for group in facts.died)
        told = f"Summarized earlier, gone since this compaction: {count(number, 'fact')} that could be read until now."
        parts += [
            tag("h3", "What earlier summaries still had"),
            tag("p", told, cls="dim"),
            groups(facts.died),
        ]
    parts.append(_folded("Kept", facts.kept))
    parts.append(_folded("From pruned tool results, lost", facts.pruned))
    return join(parts)


def _folded(title: str, found: tuple[FactGroup, ...]) -> Html | None:
    number = sum(group.total for group in found)
    if not number:
        return None
    return tag(
        "details",
        tag("summary", f"{title}: {count(number, 'fact')}"),
        tag("div", groups(found)),
    )


def _summary(part: CompactionPart) -> Html:
    recorded = part.compared.recorded
    if part.summary is None:
        return tag("p", "No summary is to be found in the list after.", cls="loud")
    name = "The fallback text" if recorded.fallback else "The summary"
    length = len(part.summary) + part.summary_more
    where = ", merged into the first message of the tail" if recorded.merged else ""
    return tag(
        "details",
        tag("summary", f"{name} ", tag("small", f"{length:,} characters{where}")),
        tag(
            "div",
            summary_body(part.summary),
            tag("p", f"and {part.summary_more:,} more characters", cls="more") if part.summary_more else None,
        ),
        open=len(part.summary) < 6_000,
    )


def _diff(part: CompactionPart) -> Html | None:
    if part.diff is None:
        return None
    return tag(
        "details",
        tag(
            "summary",
            f"Compared with summary {part.diff.against} ",
            tag("small", diff_counts(part.diff)),
        ),
        tag("div", diff_body(part.diff)),
    )


def findings_list(found: tuple[FindingGroup, ...]) -> Html:
    """Findings by rule: its sign and title, a sentence for each finding, then what to do."""
    return tag("ul", [_rule(group) for group in found], cls="findings")


def _rule(group: FindingGroup) -> Html:
    badge = tag("span", f"{SEVERITY_SIGNS[group.severity]} {group.severity}", cls=f"badge {group.severity}")
    number = len(group.told) + group.more
    told = [
        join(words(sentence), tag("span", f" ({place})", cls="dim") if place else None)
        for sentence, place in group.told
    ]
    return tag(
        "li",
        tag(
            "p",
            badge,
            tag("b", group.title),
            tag("span", f" × {number:,}", cls="dim") if number > 1 else None,
        ),
        tag("p", told) if number == 1 else tag("ul", [tag("li", one) for one in told]),
        more(group.more, "of this rule", "the findings command lists all"),
        tag("p", group.advice, cls="then"),
    )


def _findings(found: tuple[FindingGroup, ...]) -> Html | None:
    return join(tag("h3", "Findings"), findings_list(found)) if found else None


def _measures(lines: tuple[MeasureLine, ...]) -> Html | None:
    if not lines:
        return None
    rows = [
        tag(
            "tr",
            tag("th", line.title, scope="row", title=line.counts),
            tag("td", line.now),
            tag("td", line.so_far or "–"),
        )
        for line in lines
    ]
    heads = ("", "of this compaction", "of all so far")
    return tag(
        "details",
        tag("summary", "Measures"),
        tag(
            "div",
            tag("table", tag("thead", tag("tr", [tag("th", head, scope="col") for head in heads])),
                tag("tbody", rows)),
            cls="scroll",
        ),
    )  # fmt: skip
