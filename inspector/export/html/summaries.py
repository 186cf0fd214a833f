"""Summaries: one to be read, two compared, all of them over the conversation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from inspector.export.html.markup import Html, join, more, tag, words
from inspector.export.report.values import DiffPart, DriftLine, DriftPart
from inspector.export.report.wording import CHANGE_SIGNS, LONGEST, cut, share_percent
from inspector.summaries.parse import parse_summary
from inspector.summaries.summary import Item, ItemChange, WordChange

_SHOWN = ("removed", "reworded", "moved", "added")


def summary_body(body: str) -> Html:
    """A summary by its sections, every word of it."""
    parts: list[Html] = []
    for section in parse_summary(body).sections:
        if section.name:
            parts.append(tag("h4", section.name))
        if section.says_none:
            parts.append(tag("p", "Nothing, it says.", cls="dim"))
        parts += _items(section.items)
    return tag("div", parts or tag("p", "It is empty.", cls="dim"), cls="body")


def _items(items: Sequence[Item]) -> Iterable[Html]:
    listed: list[Html] = []
    for item in items:
        if item.kind in ("bullet", "number"):
            mark = f"{item.mark} " if item.kind == "number" else ""
            style = f"margin-left:{min(item.depth, 8) * 1.2:.1f}em" if item.depth else None
            listed.append(tag("li", words(f"{mark}{item.text}"), style=style, cls="num" if mark else None))
            continue
        if listed:
            yield tag("ul", listed)
            listed = []
        yield tag("pre", item.text, dir="auto") if item.kind == "code" else tag("p", words(item.text))
    if listed:
        yield tag("ul", listed)


def diff_body(part: DiffPart) -> Html:
    """What became of every item of the summary before: removed, reworded, moved and added ones; kept ones counted."""
    parts: list[Html | None] = []
    for section in part.diff.sections:
        changed = [item for item in section.items if item.change != "kept"]
        kept = len(section.items) - len(changed)
        if not changed and not section.gone and section.was is not None:
            continue
        state = " (gone)" if section.gone else " (new)" if section.was is None else ""
        renamed = f" (was: {section.was})" if section.was not in (None, section.name) else ""
        parts.append(tag("h4", f"{section.name or 'Before the first heading'}{state}{renamed}"))
        parts.append(tag("ul", [_change(item) for item in changed[: part.limit]], cls="items"))
        parts.append(more(len(changed) - part.limit, "changes"))
        if kept:
            parts.append(tag("p", f"= {kept} kept", cls="dim"))
    return join(parts) if parts else tag("p", "Every item was kept, word for word.", cls="calm")


def _change(item: ItemChange) -> Html:
    lead = f"{item.change}"
    if item.change == "moved":
        lead += f" from {item.from_section}"
    if item.was is None or len(item.was) > 4 * LONGEST or len(item.text) > 4 * LONGEST:
        body: Html = words(cut(item.text, 4 * LONGEST))
    else:
        body = tag("span", compared(item.was, item.text, item.words), cls="said", dir="auto")
    return tag(
        "li",
        tag("span", CHANGE_SIGNS[item.change], cls="sign", aria_hidden="true"),
        tag("span", f"{lead}: ", cls="who"),
        body,
        cls=item.change,
    )


def compared(was: str, now: str, changes: Sequence[WordChange]) -> Html:
    """The new wording with the words that went struck out and those that came underlined."""
    parts: list[str | Html] = []
    at = 0
    for change in changes:
        parts.append(now[at : change.start])
        if change.was_end > change.was_start:
            parts.append(tag("del", was[change.was_start : change.was_end]))
            parts.append(" " if change.end > change.start else "")
        if change.end > change.start:
            parts.append(tag("ins", now[change.start : change.end]))
        at = change.end
    parts.append(now[at:])
    return join(parts)


def drift_body(part: DriftPart) -> Html:
    """Lengths, what is left of the first summary, what says something else, what grew stale."""
    rows = [
        tag(
            "tr",
            tag("th", f"Summary {line.compaction}", scope="row"),
            tag("td", "–" if line.tokens is None else f"{line.tokens:,}", cls="n"),
            tag("td", "–" if line.budget is None else f"{line.budget:,}", cls="n"),
            tag("td", "–" if line.items is None else f"{line.items.count} of {line.items.of}", cls="n"),
            tag("td", share_percent(line.items), cls="n"),
        )
        for line in part.lengths
    ]
    heads = ("", "tokens", "budget", "items of the first one left", "share")
    table = tag(
        "table",
        tag("thead", tag("tr", [tag("th", head, scope="col", cls="n" if head else None) for head in heads])),
        tag("tbody", rows),
    )
    return join(
        tag("div", table, cls="scroll"),
        _lines("Says something else", part.otherwise, part.otherwise_more),
        _lines("Stale: still listed as open", part.stale, part.stale_more),
    )


def _lines(title: str, lines: Sequence[DriftLine], left_out: int) -> Html | None:
    if not lines:
        return None
    return join(
        tag("h3", title),
        tag("ul", [_drift(line) for line in lines], cls="items"),
        more(left_out, "such items"),
    )


def _drift(line: DriftLine) -> Html:
    return tag(
        "li",
        tag("span", "~", cls="sign", aria_hidden="true"),
        tag("span", f"Summary {line.compaction}: ", cls="who"),
        words(cut(line.text)),
        tag("p", "was: ", words(cut(line.was)), cls="dim") if line.was else None,
        tag("p", words(cut(line.note, 300)), cls="then"),
        cls="reworded",
    )
