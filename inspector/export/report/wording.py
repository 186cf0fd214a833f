"""Words that both renderers use."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from inspector.answers.inspection import Compared
from inspector.core.shares import percent
from inspector.export.report.values import DiffPart
from inspector.quality.facts.fact import Kind, Life, Outcome
from inspector.quality.finding import Severity
from inspector.quality.measures.measure import Share

#: Kind → (one, several).
KIND_NAMES: Mapping[Kind, tuple[str, str]] = {
    "constraint": ("hard constraint", "hard constraints"),
    "preference": ("preference", "preferences"),
    "decision": ("decision", "decisions"),
    "value": ("exact value", "exact values"),
    "link": ("link between tasks", "links between tasks"),
}
#: The sign of each outcome; it stands beside the word, so that colour is never the only sign.
OUTCOME_SIGNS: Mapping[Outcome, str] = {"verbatim": "=", "paraphrased": "≈", "value lost": "?", "lost": "✗"}
CHANGE_SIGNS = {"kept": "=", "added": "+", "removed": "−", "reworded": "~", "moved": "→"}
SEVERITY_SIGNS = {"error": "✗", "warning": "!", "info": "i"}
#: The longest text of a fact, an item or a finding that is shown, in characters.
LONGEST = 600


def moment(seconds: float) -> str:
    """A time as people read it, in UTC; "" where it is not known."""
    if seconds <= 0:
        return ""
    try:
        at = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return ""
    return f"{at.day} {at:%B %Y, %H:%M} UTC"


def period(start: float, end: float) -> str:
    """From when to when; "" where neither is known."""
    return " to ".join(dict.fromkeys(filter(None, (moment(start), moment(end)))))


def count(number: int, one: str, several: str = "") -> str:
    """ "1 message", "2 messages"."""
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def severities(counts: Mapping[Severity, int]) -> str:
    """ "1 error, 8 warnings, 2 notes"."""
    names = {"error": "error", "warning": "warning", "info": "note"}
    told = ", ".join(count(found, names[severity]) for severity, found in counts.items() if found)
    return told or "nothing to tell"


def share_percent(share: Share | None) -> str:
    """A share in percent; a dash of nothing."""
    return "–" if share is None or share.value is None else percent(share.value)


def share_words(share: Share | None, unit: str = "share") -> str:
    """A share as "67% (6 of 9)"; "yes" or "no" for a single question; "" where there is nothing to tell."""
    if share is None or share.value is None:
        return ""
    if unit == "yes or no" and share.of == 1:
        return "yes" if share.count else "no"
    if share.of > 9_999:
        return percent(share.value)
    return f"{percent(share.value)} ({share.count:,} of {share.of:,})"


def cut(text: str, limit: int = LONGEST) -> str:
    """The text in at most `limit` characters."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def number(value: float) -> str:
    """A number of a derivation: whole ones with separators, shares as they are."""
    return f"{value:,.0f}" if abs(value) > 1 or value in (0, 1) else f"{value:g}"


def later_words(life: Life, here: int) -> tuple[str, ...]:
    """Sentences about a fact's life after it was summarized, told in the part of compaction `here`."""
    told = []
    first = life.fate
    if first.changed:
        told.append(f"The summary says {first.changed} instead of {life.fact.value}.")
    if life.died not in (None, life.compaction, here):
        told.append(f"Gone after compaction {life.died}.")
    if life.died is not None:
        again = next((f for f in life.fates if f.compaction > (life.died or 0) and f.alive), None)
        if again is not None:
            told.append(f"In the list again after compaction {again.compaction} ({again.where}).")
    if life.back is not None:
        told.append(f"Said again in message {life.back.message} ({life.back.role}).")
    if life.contradicted is not None:
        other = life.contradicted
        told.append(f"Later said otherwise: {cut(other.text, 160)} (message {other.saying.message})")
    return tuple(told)


def boundary_words(compared: Compared) -> str:
    """Recorded beside planned in a sentence."""
    recorded, planned = compared.recorded, compared.planned
    told = f"Recorded: head_end {recorded.head_end}, tail_start {recorded.tail_start}"
    told += "" if recorded.exact else " (inferred)"
    if not planned.compacts:
        return f"{told}. {planned.profile} would not have compacted this list: {planned.reason}."
    if compared.agree:
        return f"{told}. Planned by {planned.profile}: the same."
    return (
        f"{told}. Planned by {planned.profile}: head_end {planned.head_end}, tail_start {planned.tail_start}."
    )


def diff_counts(part: DiffPart) -> str:
    """How many items there are of each change: "12 kept, 3 added"."""
    return (
        ", ".join(f"{number:,} {change}" for change, number in part.diff.counts().items() if number)
        or "nothing"
    )
