"""Two folders of sessions compared: JSON, and a table for people and reports."""

from __future__ import annotations

from inspector.answers.comparing import FolderComparison, Side
from inspector.core.shares import percent
from inspector.core.text import safe_line
from inspector.export.console import Table
from inspector.export.document import Document, built, fields_of
from inspector.quality.aftermath import AFTERMATH_KINDS
from inspector.quality.facts.fact import KINDS
from inspector.quality.measures import Share

#: Maximum characters of a label in the table, and of a line.
_LABEL, _ROOM = 40, 1_000


def comparison_document(comparison: FolderComparison) -> Document:
    """Return the answer of `check --against`."""
    return {"sides": [_side(comparison.first), _side(comparison.second)], "differs": list(comparison.differs)}


def _side(side: Side) -> Document:
    return {
        **fields_of(side, "label:line conversations compactions"),
        "kept": {kind: share_document(share) for kind, share in side.kept.items()},
        "all_kept": share_document(side.all_kept),
        **fields_of(side, "open aftermath"),
        "followed_by_repeated_work": share_document(side.hurt),
        "cost": side.cost if side.priced else None,
        "priced": side.priced,
        "unread": [safe_line(sentence) for sentence in side.unread],
    }


def share_document(share: Share) -> Document:
    """Return a share with its 95% interval."""
    low, high = share.interval
    return {**built(share), "share": share.value, "low": low, "high": high}


def comparison_table(comparison: FolderComparison) -> list[tuple[str, str, str, str]]:
    """Return rows of a name, both sides, and "differs" where the 95% intervals do not overlap.

    The first row is the heading.
    """
    first, second = comparison.first, comparison.second
    rows = [
        ("", _short(first.label), _short(second.label), ""),
        ("conversations", f"{first.conversations:,}", f"{second.conversations:,}", ""),
        ("compactions", f"{first.compactions:,}", f"{second.compactions:,}", ""),
    ]
    nothing = Share(0, 0)
    shares = [
        (f"{kind} kept", first.kept.get(kind, nothing), second.kept.get(kind, nothing)) for kind in KINDS
    ]
    shares += [
        ("facts kept", first.all_kept, second.all_kept),
        ("followed by repeated work", first.hurt, second.hurt),
    ]
    for name, share, other in shares:
        rows.append((name, _words(share), _words(other), "differs" if share.differs(other) else ""))
    rows.append(("uncertain or unknown", f"{first.open:,}", f"{second.open:,}", ""))
    rows += [
        (kind, f"{first.aftermath.get(kind, 0):,}", f"{second.aftermath.get(kind, 0):,}", "")
        for kind in AFTERMATH_KINDS
        if kind in first.aftermath or kind in second.aftermath
    ]
    rows.append(("cost of a compaction", _cost(first), _cost(second), ""))
    return rows


def _short(label: str) -> str:
    """Return the end of a label, which distinguishes two folders."""
    text = safe_line(label)
    return text if len(text) <= _LABEL else f"…{text[1 - _LABEL :]}"


def comparison_text(comparison: FolderComparison) -> str:
    """Return the table as text."""
    heading, *rows = comparison_table(comparison)
    lines = Table(*heading, rows=rows).lines(_ROOM)
    lines += [f"? {safe_line(sentence)}" for sentence in comparison.unread]
    return "\n".join(lines) + "\n"


def comparison_page(comparison: FolderComparison, html: bool) -> str:
    """Return the table as an HTML page without scripts, or as a Markdown document."""
    from inspector.export.report.rendering import filled

    heading, *rows = comparison_table(comparison)
    differs = comparison.differs
    return filled(
        "comparison",
        "html" if html else "markdown",
        labels=(comparison.first.label, comparison.second.label),
        columns=heading,
        rows=rows,
        unread=comparison.unread,
        verdict=f"They differ beyond chance in: {', '.join(differs)}."
        if differs
        else "No difference beyond chance.",
    )


def _words(share: Share) -> str:
    if share.value is None:
        return "-"
    low, high = share.interval
    return f"{share.count:,} of {share.of:,}: {percent(share.value)} ({low:.0%} to {high:.0%})"


def _cost(side: Side) -> str:
    return f"{side.cost / side.priced:.3f} US dollars, {side.priced:,} known" if side.priced else "unknown"
