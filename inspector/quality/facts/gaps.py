"""Find gaps in a summary: omissions and additions that its text and the earlier messages show, without a model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Literal

from msgspec import Struct

from inspector.core.text import safe_line, safe_title
from inspector.quality.facts.extract import ARROW, CHOICE, points_of
from inspector.quality.facts.fact import REQUESTS, Life
from inspector.quality.facts.rules import CLAIMS, ELISIONS, PROMPTS, REFERENCES, load_stemmer
from inspector.quality.limits import CROWDED, LATE_MESSAGES

#: elided: brackets replace a text. dangling: a reference to a list that is gone. claimed: the summary says that all is
#: done, and requests are gone. prompted: a phrase of the prompt that asked for the summary. unrecorded: the summary
#: quotes messages of the user that are not recorded.
GapKind = Literal["elided", "dangling", "claimed", "prompted", "unrecorded"]
#: The texts of the messages before a place (generation, index), the nearest first.
Before = Callable[[int, int], Sequence[str]]

_LISTED = "user messages"
#: A quoted message, where a quote may be shortened, and a sign that is compared.
_QUOTED = re.compile(r"[\"“]([^\"“”\n]{12,2000})[\"”]")
_SHORTENED = re.compile(r"\.\.\.|…|\[[^\]]{0,200}\]")
_SIGN = re.compile(r"[^\W_]+")
#: Minimum signs of a compared part of a quote.
_MIN_PART = 6
#: A note in brackets. "...[truncated]" is the mark of a program that quotes the start of a message.
_BRACKETS = re.compile(r"(?<![\w\]!])(?<!\.\.\.)(?<!…)\[(?P<text>[^\[\]\n]{4,160})\](?![(\[])")
#: A heading, or a line that introduces the lines below it.
_LABEL = re.compile(r"^\s*#{1,6}\s|:\W*$")
_FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
#: Maximum characters of a quote.
_QUOTE = 160
#: Minimum share of the words of a list item in one line for the line to mention it.
_MIN_MENTIONED = 0.5


class Gap(Struct, frozen=True):
    """A sign of an omission or an addition in a summary.

    `text` is the original text, the text in the brackets, the phrase of the prompt, or the first unrecorded quote.
    `more` is the replacement, the missing part, the answer of the agent in the form that the prompt asks for, or the
    number of unrecorded quotes. The message is None if the place is
    the summary itself.
    """

    kind: GapKind
    text: str
    more: str = ""
    generation: int | None = None
    index: int | None = None

    def sentence(self, compaction: int) -> str:
        """Return a sentence about this gap of the summary of a compaction."""
        quote = safe_title(self.text, _QUOTE)
        if self.kind == "claimed":
            return f"Summary {compaction} says “{safe_title(self.more, 60)}”, and does not have “{quote}”."
        if self.kind == "prompted":
            return f"Summary {compaction} has the phrase “{quote}” of the prompt that asked for it."
        if self.kind == "unrecorded":
            return (
                f"Summary {compaction} quotes {self.more} messages of the user that are not recorded, such as "
                f"“{quote}”. Facts in them are not followed."
            )
        if self.kind == "elided":
            return f"Summary {compaction} has “[{quote}]” instead of a text."
        return f"Summary {compaction} keeps “{quote}” without the meaning of {safe_line(self.more, 40)}."


def gaps_of(summary: str, lives: Sequence[Life], before: Before) -> Iterator[Gap]:
    """Yield the gaps of a summary. `lives` are the lives that begin with its compaction."""
    spoken = _typed(
        life for life in lives if life.role == "user" and not life.fact.pasted and not life.pruned
    )
    yield from _elided(summary)
    yield from _dangling(summary, spoken, before)
    yield from _claimed(summary, spoken)


def prompted(
    summary: str, is_said: Callable[[str], bool], followed: Callable[[], str] = lambda: ""
) -> Iterator[Gap]:
    """Yield the first phrase of a summary from the prompt that asked for it.

    `is_said`: whether a message has it. `followed` names the first later answer in the form of a summary, or "".
    """
    phrase = PROMPTS.search(summary)
    if phrase is not None and not is_said(phrase.group()):
        yield Gap("prompted", phrase.group(), followed())


def unrecorded(summary: str, spoken: Callable[[], str]) -> Iterator[Gap]:
    """Yield a gap if most of the user's messages that a summary quotes in its list of them are not recorded.

    `said` returns the text of all messages before the compaction. A model rewords a few quotes.
    """
    quotes = list(_listed_quotes(summary))
    if not quotes:
        return
    text = _signs(spoken())
    missing = [quote for quote, parts in quotes if not all(part in text for part in parts)]
    if len(missing) > 1 and 2 * len(missing) >= len(quotes):
        yield Gap("unrecorded", missing[0], f"{len(missing):,}")


def _listed_quotes(summary: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the quotes in the summary's list of the user's messages, each with the parts that are not shortened."""
    label = ""
    for line in summary.split("\n"):
        label = line if _LABEL.search(line) else label
        for quote in _QUOTED.findall(line) if _LISTED in label.casefold() else ():
            parts = [part for one in _SHORTENED.split(quote) if len(part := _signs(one)) >= _MIN_PART]
            if parts:
                yield quote, parts


def _signs(text: str) -> str:
    """Return the letters and digits of a text in lower case."""
    return "".join(_SIGN.findall(text.lower()))


def _typed(lives: Iterable[Life]) -> list[Life]:
    """Return lives without those of crowded messages, which are documents."""
    all_lives = list(lives)
    counts = Counter(map(_place, all_lives))
    return [life for life in all_lives if counts[_place(life)] <= CROWDED]


def _elided(summary: str) -> Iterator[Gap]:
    """Yield the brackets of a summary that replace a text."""
    label = ""
    for line in _FENCED.sub("", summary).split("\n"):
        label = line if _LABEL.search(line) else label
        # A list of the user's messages always shortens a pasted text, and another section retells it.
        if _LISTED in label.casefold():
            continue
        for match in _BRACKETS.finditer(line):
            if ELISIONS.search(match["text"]):
                yield Gap("elided", match["text"])


def _dangling(summary: str, lives: Sequence[Life], before: Before) -> Iterator[Gap]:
    """Yield choices by number or letter whose chosen option the summary does not mention."""
    single = [frozenset(load_stemmer().words(line)) for line in summary.split("\n") if line.strip()]
    # The meaning of a number may be on the line after it.
    lines = [one | after for one, after in zip_longest(single, single[1:], fillvalue=frozenset[str]())]
    for life in lives:
        wording, rule = life.text.partition(ARROW)[0], life.fact.rule
        is_kept = wording in summary if rule.endswith(CHOICE) else life.fate.alive
        may_choose = is_kept and not rule.endswith((".told", ".fact"))
        choice = REFERENCES.search(wording) if may_choose else None
        if choice is None:
            continue
        labels = re.findall(r"\d{1,3}|[A-H]", choice["labels"])
        points = points_of(labels, before(life.saying.generation, life.saying.index))
        gone = [
            label
            for label, text in points.items()
            if not (_mentions(text, lines) or _explained(label, summary))
        ]
        if gone:
            yield Gap("dangling", wording, ", ".join(gone), life.saying.generation, life.saying.index)


def _explained(label: str, summary: str) -> bool:
    """Return whether a summary explains a number or letter: "#5 (slow query)", "B: keep both", "Phase 4 Tests"."""
    at_once = rf"(?<![\w.])#?{label}\*{{0,2}}(?:(?:\s*[:–—=]|\s+-)\s*[^\W\d]{{2}}|\s*\(\s*[^\W\d])"
    named = rf"\b[^\W\d]{{4,}} {label} [A-Z][a-z]{{2}}"
    return re.search(f"{at_once}|{named}", summary) is not None


def _mentions(point: str, lines: Sequence[frozenset[str]]) -> bool:
    """Return whether one of the lines, as stems, mentions the point of a list."""
    words = frozenset(load_stemmer().words(point))
    return not words or any(len(words & line) >= max(1, _MIN_MENTIONED * len(words)) for line in lines)


def _claimed(summary: str, lives: Sequence[Life]) -> Iterator[Gap]:
    """Yield the lost late requests of a summary that says that all is done."""
    claim = CLAIMS.search(summary)
    if claim is None:
        return
    late = sorted({_place(life) for life in lives})[-LATE_MESSAGES:]
    for life in lives:
        asked = life.fact.rule.endswith(REQUESTS)
        if asked and life.lost and _place(life) in late:
            yield Gap("claimed", life.text, claim.group(), life.saying.generation, life.saying.index)


def _place(life: Life) -> tuple[int, int]:
    """Return the message of a life: its generation and index."""
    return life.saying.generation, life.saying.index
