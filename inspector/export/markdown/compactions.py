"""One compaction in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.export.markdown.escaping import fenced, line, table
from inspector.export.report.values import (
    CompactionPart,
    DiffPart,
    FactGroup,
    FactLine,
    FactsPart,
    FindingGroup,
)
from inspector.export.report.wording import (
    KIND_NAMES,
    LONGEST,
    OUTCOME_SIGNS,
    SEVERITY_SIGNS,
    boundary_words,
    cut,
    diff_counts,
    moment,
)
from inspector.quality.facts.fact import KINDS, OUTCOMES
from inspector.summaries.summary import ItemChange

_SIGNS = {"kept": " ", "added": "+", "removed": "-", "reworded": "~", "moved": ">"}


def compaction_lines(part: CompactionPart) -> Iterator[str]:
    """What a compaction did: boundaries, what was lost, the summary and how it differs from the one before."""
    recorded = part.compared.recorded
    saved = 1 - recorded.tokens_after / recorded.tokens_before if recorded.tokens_before > 0 else 0.0
    head, middle, tail = part.tokens
    at = moment(recorded.at)
    yield from ("", f"## Compaction {recorded.index}", "")
    yield (
        f"**{recorded.tokens_before:,} → {recorded.tokens_after:,} tokens** ({-saved:+.0%}), "
        f"{recorded.before:,} → {recorded.after:,} messages; {middle:,} tokens summarized, {head:,} kept in the head, "
        f"{tail:,} in the tail{f'; {at}' if at else ''}"
    )
    yield ""
    if recorded.fallback:
        yield "**No summary was made: a fallback text stands in its place, and no model read what was left out.**"
        yield ""
    yield line(boundary_words(part.compared))
    if recorded.note:
        yield from ("", line(recorded.note))
    if part.findings:
        yield from ("", "### Findings", "")
        yield from finding_lines(part.findings)
    yield from ("", "### What was lost", "")
    yield from _lost(part.facts)
    yield from _summary(part)
    if part.diff is not None:
        yield from (
            "",
            f"### Compared with summary {part.diff.against}",
            "",
            f"{diff_counts(part.diff)}.",
            "",
        )
        yield from _diff(part.diff)
    if part.measures:
        yield from ("", "### Measures", "")
        yield table(
            ("measure", "of this compaction", "of all so far"),
            ((line(one.title), line(one.now), line(one.so_far or "–")) for one in part.measures),
        )


def finding_lines(found: Sequence[FindingGroup]) -> Iterator[str]:
    """Findings by rule: its sign and title, a sentence for each finding, then what to do."""
    for group in found:
        yield f"- **{SEVERITY_SIGNS[group.severity]} {group.severity}: {line(group.title)}**"
        for sentence, place in group.told:
            yield f"    - {line(sentence)}{f' ({line(place)})' if place else ''}"
        if group.more:
            yield f"    - and {group.more:,} more of this rule (the findings command lists all)"
        yield f"    - → {line(group.advice)}"


def _lost(facts: FactsPart) -> Iterator[str]:
    rows = [
        (KIND_NAMES[kind][1], *(f"{facts.counts[kind][outcome]:,}" for outcome in OUTCOMES))
        for kind in KINDS
        if any(facts.counts[kind].values())
    ]
    if not rows:
        yield "No facts were found in the messages that were summarized."
    else:
        yield table(("kind", *(f"{OUTCOME_SIGNS[o]} {o}" for o in OUTCOMES)), rows, (1, 2, 3, 4))
    if rows and not facts.lost:
        yield from ("", "Nothing of what this compaction summarized is lost.")
    yield from group_lines(facts.lost, 4)
    if facts.died:
        yield from ("", "### What earlier summaries still had")
        yield from group_lines(facts.died, 4)
    if facts.kept:
        yield from ("", "### Kept")
        yield from group_lines(facts.kept, 4)
    if facts.pruned:
        yield from ("", "### From pruned tool results, lost")
        yield from group_lines(facts.pruned, 4)


def group_lines(found: Sequence[FactGroup], level: int) -> Iterator[str]:
    """Facts by kind, with how many were left out."""
    for group in found:
        name = KIND_NAMES[group.kind][0 if group.total == 1 else 1]
        yield from ("", f"{'#' * level} {group.total:,} {name}", "")
        for one in group.lines:
            yield from _fact(one)
        if group.more:
            yield f"- and {group.more:,} more (the facts command and the app list all)"


def _fact(one: FactLine) -> Iterator[str]:
    if one.outcome is None:
        fate = "! said once" if one.said == 1 else "! at risk"
    else:
        where = f" in the {one.where}" if one.where and one.outcome in ("verbatim", "paraphrased") else ""
        fate = f"{OUTCOME_SIGNS[one.outcome]} {one.outcome}{where}"
    place = f", message {one.message}" if one.message >= 0 else ""
    times = f", said {one.said} times" if one.said > 1 else ""
    yield f"- **{fate}** {line(cut(one.text))} ({line(one.role)}{place}, list {one.generation} #{one.index}{times})"
    apart = [value for value in one.values if value not in one.text]
    if apart:
        yield f"    - values: {line(cut(', '.join(apart), 200))}"
    if one.excerpt and one.outcome in ("value lost", "paraphrased"):
        lead = "mentioned" if one.outcome == "value lost" else "now"
        yield f"    - {lead} in the {one.where}: “{line(cut(one.excerpt, 200))}”"
    for sentence in one.later:
        yield f"    - → {line(sentence)}"


def _summary(part: CompactionPart) -> Iterator[str]:
    recorded = part.compared.recorded
    if part.summary is None:
        yield from ("", "**No summary is to be found in the list after.**")
        return
    length = len(part.summary) + part.summary_more
    where = ", merged into the first message of the tail" if recorded.merged else ""
    name = "The fallback text" if recorded.fallback else "The summary"
    yield from ("", f"### {name}", "", f"{length:,} characters{where}", "", fenced(part.summary, "markdown"))
    if part.summary_more:
        yield from ("", f"and {part.summary_more:,} more characters")


def _diff(part: DiffPart) -> Iterator[str]:
    lines: list[str] = []
    for section in part.diff.sections:
        changed = [item for item in section.items if item.change != "kept"]
        if not changed and not section.gone and section.was is not None:
            continue
        state = " (gone)" if section.gone else " (new)" if section.was is None else ""
        lines.append(f"@@ {section.name or 'Before the first heading'}{state} @@")
        lines += [_change(item) for item in changed[: part.limit]]
        if len(changed) > part.limit:
            lines.append(f"  and {len(changed) - part.limit:,} more changes")
        if len(section.items) > len(changed):
            lines.append(f"  = {len(section.items) - len(changed)} kept")
    if not lines:
        yield "Every item was kept, word for word."
        return
    yield "`+` added, `-` removed, `~` reworded, `>` moved; in reworded items [-what went-] and {+what came+}."
    yield ""
    yield fenced("\n".join(lines), "diff")


def _change(item: ItemChange) -> str:
    lead = f"(from {item.from_section}) " if item.change == "moved" else ""
    if item.was is None or len(item.was) > 4 * LONGEST or len(item.text) > 4 * LONGEST:
        text = cut(item.text, 4 * LONGEST)
    else:
        parts, at = [], 0
        for change in item.words:
            parts.append(item.text[at : change.start])
            went, came = item.was[change.was_start : change.was_end], item.text[change.start : change.end]
            parts.append(f"[-{went}-]" if went else "")
            parts.append(f"{{+{came}+}}" if came else "")
            at = change.end
        text = "".join(parts) + item.text[at:]
    # Only the first line of an item has its sign; the others stand below its text.
    return f"{_SIGNS[item.change]} {lead}{text}".replace("\n", "\n  ")
