"""Find gaps in a summary: omissions that its text and the earlier messages show, without a model."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

from inspector.quality.facts.extract import ARROW, points_of
from inspector.quality.facts.fact import Life
from inspector.quality.facts.passages import plain
from inspector.quality.facts.rules import CLAIMS, ELISIONS, REFERENCES, load_stemmer
from inspector.quality.limits import CROWDED, LATE_MESSAGES
from inspector.summaries.parse import parse_summary

#: left out: the summary's list of user messages lacks a message. elided: brackets replace a text.
#: dangling: a reference to a list that is gone. claimed: the summary says that all is done, and requests are gone.
GapKind = Literal["left out", "elided", "dangling", "claimed"]
#: The texts of the messages before a place (generation, index), the nearest first.
Before = Callable[[int, int], Sequence[str]]

_LISTED = "user messages"
#: A note in brackets. "...[truncated]" is the mark of a program that quotes the start of a message.
_BRACKETS = re.compile(r"(?<![\w\]!])(?<!\.\.\.)(?<!…)\[(?P<text>[^\[\]\n]{4,160})\](?![(\[])")
#: JSON, such as a line of a log. A list of messages does not repeat it.
_DATA = re.compile(r"\s*[{\[]\s*[\"{\[]")
_SIGNS = re.compile(r"[\W_]+")
#: A heading, or a line that introduces the lines below it.
_LABEL = re.compile(r"^\s*#{1,6}\s|:\W*$")
_FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
#: Likeness (0 to 100) from which a list has a message in nearly the same words.
_NEARLY = 80
#: Minimum share of the words of a list item in one line for the line to mention it.
_TOLD = 0.5


@dataclass(frozen=True, slots=True)
class Gap:
    """A sign of an omission in a summary.

    `text` is the original text, or the text in the brackets. `more` is the replacement or the missing part. The message
    is None if the place is the summary itself."""

    kind: GapKind
    text: str
    more: str = ""
    generation: int | None = None
    index: int | None = None


def gaps_of(summary: str, lives: Sequence[Life], before: Before) -> Iterator[Gap]:
    """Yield the gaps of a summary. `lives` are the lives that begin with its compaction."""
    own = _typed(life for life in lives if life.role == "user" and not life.fact.pasted and not life.pruned)
    yield from _unlisted(summary, own)
    yield from _elided(summary)
    yield from _dangling(summary, own, before)
    yield from _claimed(summary, own)


def _typed(lives: Iterable[Life]) -> list[Life]:
    """Return lives without those of crowded messages, which are documents."""
    own = list(lives)
    counts = Counter(map(_place, own))
    return [life for life in own if counts[_place(life)] <= CROWDED]


def _unlisted(summary: str, own: Sequence[Life]) -> Iterator[Gap]:
    """Yield user messages that the summary's list of user messages leaves out."""
    from rapidfuzz import fuzz

    sections = [one for one in parse_summary(summary).sections if _LISTED in one.name.casefold()]
    listed = _bare(" ".join(item.text for section in sections for item in section.items))
    if not listed:
        return
    said: dict[tuple[int, int], list[Life]] = defaultdict(list)
    for life in own:
        # An answer to a question of the agent's is no message of its own.
        if _DATA.match(life.text) or ARROW in life.text:
            continue
        said[_place(life)].append(life)
    stands = {place: [_bare(life.text) in listed for life in lives] for place, lives in said.items()}
    if not any(any(found) for found in stands.values()):
        # The list paraphrases the messages.
        return
    for (generation, index), found in sorted(stands.items()):
        # A message of which the new list has the beginning, or may have it, need not be listed again.
        lives = sorted(said[generation, index], key=lambda life: life.saying.span)
        if not lives[0].fate.gone or any(found):
            continue
        gone = [
            life
            for life in lives
            if life.fate.gone
            and (life.fact.standing or life.kind == "preference")
            and fuzz.partial_ratio(_bare(life.text), listed) < _NEARLY
        ]
        if gone:
            worst = max(gone, key=lambda life: life.fact.rank)
            yield Gap("left out", worst.text, "", generation, index)


def _bare(text: str) -> str:
    """Return the letters and digits of a text alone: a list may break lines and lose spaces."""
    return _SIGNS.sub("", plain(text))


def _elided(summary: str) -> Iterator[Gap]:
    label = ""
    for line in _FENCED.sub("", summary).split("\n"):
        label = line if _LABEL.search(line) else label
        # A list of the user's messages always shortens a pasted text, and another section retells it.
        if _LISTED in label.casefold():
            continue
        for found in _BRACKETS.finditer(line):
            if ELISIONS.search(found["text"]):
                yield Gap("elided", found["text"])


def _dangling(summary: str, own: Sequence[Life], before: Before) -> Iterator[Gap]:
    """Yield choices by number or letter whose chosen option the summary does not mention."""
    single = [frozenset(load_stemmer().words(line)) for line in summary.split("\n") if line.strip()]
    # The meaning of a number may be on the line after it.
    lines = [one | after for one, after in zip_longest(single, single[1:], fillvalue=frozenset[str]())]
    for life in own:
        chosen = life.fate.alive and not life.fact.rule.endswith((".told", ".fact"))
        choice = REFERENCES.search(life.text) if chosen else None
        if choice is None:
            continue
        labels = re.findall(r"\d{1,3}|[A-H]", choice["labels"])
        points = points_of(labels, before(life.saying.generation, life.saying.index))
        gone = [
            label for label, text in points.items() if not (_told(text, lines) or _explained(label, summary))
        ]
        if gone:
            yield Gap("dangling", life.text, ", ".join(gone), life.saying.generation, life.saying.index)


def _explained(label: str, summary: str) -> bool:
    """Return whether a summary explains a number or letter at once: "#5 (the slow query)", "B: keep both"."""
    return (
        re.search(rf"(?<![\w.])#?{label}\*{{0,2}}(?:\s*[:–—=]|\s+-|\s*\()\s*[^\W\d]{{2}}", summary)
        is not None
    )


def _told(point: str, lines: Sequence[frozenset[str]]) -> bool:
    words = frozenset(load_stemmer().words(point))
    return not words or any(len(words & line) >= max(1, _TOLD * len(words)) for line in lines)


def _claimed(summary: str, own: Sequence[Life]) -> Iterator[Gap]:
    claim = CLAIMS.search(summary)
    if claim is None:
        return
    late = sorted({_place(life) for life in own})[-LATE_MESSAGES:]
    for life in own:
        asked = life.fact.rule.endswith((".request", ".errand"))
        if asked and life.lost and _place(life) in late:
            yield Gap("claimed", life.text, claim.group(), life.saying.generation, life.saying.index)


def _place(life: Life) -> tuple[int, int]:
    """Return the message of a life: its generation and index."""
    return life.saying.generation, life.saying.index
