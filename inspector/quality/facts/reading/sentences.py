"""The prose of a message in sentences and clauses, and what of it is shown (quotes, tagged blocks) rather than said."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from inspector.quality.facts.fact import Span
from inspector.quality.facts.reading.copied import copied
from inspector.quality.facts.reading.prose import fenced, is_heading, is_printed, is_prose, reported, traced
from inspector.quality.facts.reading.run_ons import PART, Spoken, parted

#: Longer sentences are cut, where a clause ends or between words: nobody says a fact in more characters.
LONGEST = 420
# A sentence of more characters may be strung together of parts.
_STRUNG = 160
_DASH = re.compile(r"\s-{1,2}\s")
# What goes on for more pieces than these is data in one line.
_MOST_PIECES = 8
#: So many characters of one message are read; the rest is data that somebody pasted.
MOST = 60_000

_TAG = re.compile(r"\s*<(/?)([A-Za-z][\w-]*)(?:\s[^<>]*)?>\s*$")
_END = re.compile(
    r"[.!?][\"')\]*»]*\s+(?=[\"'(\[*`«]*(?:[A-Z0-9À-ÖØ-ÞЀ-Я¿¡\u3040-\u9fff\uac00-\ud7af]|[a-z]{1,3}\d))|[。！？]+[”’」』）]*"
)
# Where somebody begins with a small letter, the next sentence may too.
_SMALL_END = re.compile(rf"{_END.pattern}|(?<!\.)[.!?][\"')]*\s+(?=[a-zа-џ])")
_ABBREVIATED = re.compile(
    r"(?:\b(?:e\.g|i\.e|vs|etc|cf|approx|no|fig|dr|mr|mrs|st|z\.\s?b|d\.\s?h|bzw|ca|ggf|evtl|inkl|p\.\s?ej|"
    r"p\.\s?ex|por ej|dll|mis|т\.\s?е|т\.\s?к|напр|см|стр|(?:am|vom|zum|dem|den|ab|bis)\s\d{1,2})|^\s*\d{1,3})\.\s*$",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?<!\S)(\d{1,2})\.$")
_SHOUT = re.compile(r"[\"*_(]*[A-ZЀ-Я]{2,}(?: [A-ZЀ-Я]{2,}){1,3}\W*\Z")
_ENDS = frozenset(".!?;。！？；")
_ITEM = r"(?:[-*•]|\d{1,2}[.)])\s"
_OVER_A_LIST = re.compile(rf"[^\S\n]*\n(?:[^\S\n]*\n)?\s*{_ITEM}")
_ITEMIZED = re.compile(rf"\s*{_ITEM}")
# An abbreviation at the end of a sentence is in so many characters, with what stands behind it.
_SHORTENED = 20
# What the user says behind the end of code that was pasted: "}); is the await needed here?"
_BEHIND_CODE = re.compile(r"\s*[)}\]][)}\];,]*\s+(?=(?:[^\W\d_]+\s+){3}[^{}=<>]*$)")
_CLAUSE = re.compile(r"[,;:]\s+|\s[—–-]\s|[，；：]")
# After so many lines that programs printed, what stands right behind them is theirs too.
_PRINTED = 2


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of prose, its span, whether it stands in something that was pasted, and whether it ends with a line
    that stands over a list, with no mark at its end."""

    start: int
    end: int
    pasted: bool
    over: bool = False


def sentences(
    text: str, begin: int = 0, stop: int = MOST, spoken_in: Spoken | None = None
) -> Iterator[Sentence]:
    """The sentences of text[begin:stop], a safe text. Code, logs and tables are left out; wrapped lines are read as one
    paragraph. What runs on without marks is parted where `spoken_in` tells by which rules a sentence is read."""
    for start, end, pasted in _paragraphs(text[: min(stop, MOST)], begin):
        at = start
        ends = _SMALL_END if text[start:end].lstrip("-*• ")[:1].islower() else _END
        for found in ends.finditer(text, start, end):
            if _ABBREVIATED.search(text, max(at, found.end() - _SHORTENED), found.end()):
                continue
            stop = found.end()
            if _counts(text, start, found, end):
                # What the points of a line stand behind ends before the first.
                stop = text.rfind(":", at, stop) + 1
                if text[stop : found.start()].strip(" 0123456789"):
                    continue
            yield from _sentence(text, at, stop, pasted, spoken_in)
            at = stop
        over = (
            text[start:end].rstrip(" *_")[-1:] not in _ENDS
            and _OVER_A_LIST.match(text, end) is not None
            and _ITEMIZED.match(text, start) is None
        )
        yield from _sentence(text, at, end, pasted, spoken_in, over)


def _counts(text: str, start: int, found: re.Match[str], end: int) -> bool:
    """Whether what looks like the end of a sentence is a number that counts in a line ("check the 1. cost 2. time"), or
    stands before a shout that belongs to it ("Ask first. NO EXCEPTIONS")."""
    if _SHOUT.match(text, found.end(), end):
        return True
    number = _NUMBERED.search(text, max(start, found.start() - 3), found.start() + 1)
    if number is None:
        return False
    beside = f"{int(number[1]) - 1}|{int(number[1]) + 1}"
    return re.compile(rf"(?<!\S)(?:{beside})[.)]\s").search(text, start, end) is not None


def _sentence(
    text: str, start: int, end: int, pasted: bool, spoken_in: Spoken | None, over: bool = False
) -> Iterator[Sentence]:
    parts = (part for dashed in _dashed(text, start, end) for part in parted(text, *dashed, spoken_in))
    for a, b in (piece for part in parts for piece in _cut(text, *part)):
        while a < b and text[a].isspace():
            a += 1
        # A terminal takes a stroke at its end for a line that goes on.
        while b > a and (text[b - 1].isspace() or text[b - 1] == "\\"):
            b -= 1
        if b - a >= 3:
            yield Sentence(a, b, pasted, over)


def _dashed(text: str, start: int, end: int) -> Iterator[Span]:
    """The parts of a long sentence that somebody strung together with dashes, as points of a list or as what came to
    mind next; what is too short for one stays with the part before."""
    at = start
    if end - start > _STRUNG:
        for dash in _DASH.finditer(text, start, end):
            if min(dash.start() - at, end - dash.end()) >= PART:
                yield at, dash.start()
                at = dash.end()
    yield at, end


def _cut(text: str, start: int, end: int) -> Iterator[Span]:
    """The pieces of a sentence, none longer than a fact may be."""
    for _ in range(_MOST_PIECES):
        if end - start <= LONGEST:
            yield start, end
            return
        first, last = start + LONGEST // 2, start + LONGEST
        stop = max((mark.end() for mark in _CLAUSE.finditer(text, first, last)), default=0)
        stop = stop or text.rfind(" ", first, last) + 1 or last
        yield start, stop
        start = stop


def _paragraphs(text: str, begin: int = 0) -> Iterator[tuple[int, int, bool]]:
    """(start, end, pasted) of the runs of prose lines."""
    tags: list[str] = []
    start = end = -1
    was_pasted = False
    printed = 0
    at = begin
    lines = text[begin:].split("\n")
    none, told, shown = traced(lines) | fenced(lines), reported(lines), copied(lines)
    if not shown.whole:
        # What was handed on whole is what the user says.
        told |= shown.lines
    for number, line in enumerate(lines):
        here, at = at, at + len(line) + 1
        printed = 0 if not line.strip() else printed + is_printed(line)
        pasted = bool(tags) or line.lstrip().startswith(">") or printed >= _PRINTED or number in told
        joins = False
        if number in none:
            prose = False
        elif tag := _TAG.match(line):
            _nest(tags, tag[2], bool(tag[1]))
            prose = False
        else:
            if closed := _BEHIND_CODE.match(line):
                here += closed.end()
                line = line[closed.end() :]
            goes_on = number in shown.wrapped
            prose = is_prose(line.strip() if goes_on else line) and not is_heading(lines, number)
            joins = prose and start >= 0 and pasted == was_pasted and (goes_on or _continues(text, end, line))
        if start >= 0 and not joins:
            yield start, end, was_pasted
            start = -1
        if prose:
            start = start if joins else here
            end, was_pasted = here + len(line), pasted
    if start >= 0:
        yield start, end, was_pasted


def _nest(tags: list[str], name: str, closes: bool) -> None:
    if not closes:
        tags.append(name)
    elif name in tags:
        del tags[tags.index(name) :]


def _continues(text: str, end: int, line: str) -> bool:
    """Whether a line goes on with the sentence of the one before: that is open, this starts with a small letter. Lines
    of a quoted text too."""
    lead = line.lstrip(" \t>")[:1]
    return (
        lead.islower()
        and end > 0
        and text[end - 1] not in ".!?:。！？："
        and "\n" not in text[max(0, end - 40) : end]
    )


def clauses(text: str, start: int, end: int) -> list[Span]:
    """The clauses of a sentence as spans; the signs between them belong to none."""
    found = []
    at = start
    for mark in _CLAUSE.finditer(text, start, end):
        if mark.start() > at:
            found.append((at, mark.start()))
        at = mark.end()
    if at < end:
        found.append((at, end))
    return found
