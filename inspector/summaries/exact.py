"""Exact values of a wording (versions, paths, addresses, names with digits, numbers) and its negations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, get_args

from msgspec import Struct

from inspector.core.scan.exact import PATTERNS, is_path, plain_number

#: Kinds of values that can change between two wordings of one item.
Kind = Literal["number", "version", "path", "name", "negation"]
KINDS: tuple[Kind, ...] = get_args(Kind)

_BEFORE = r"(?<![A-Za-z0-9_/.<])"
# A call's name is followed by a bracket; a file name ends with its extension.
_BEHIND = r"(?![A-Za-z0-9_(]|\.\w)"


def _form(before: str, behind: str, *names: str) -> re.Pattern[str]:
    return re.compile(f"{before}(?:{'|'.join(PATTERNS[name] for name in names)}){behind}", re.ASCII)


#: Maximum number of characters of a word that the patterns read; paths and addresses are shorter.
_LONGEST = 1_000

# In this order: text that one pattern matched is hidden from the next patterns.
_FORMS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("path", _form(_BEFORE, _BEHIND, "url", "path", "file")),
    ("version", _form(r"\b", r"\b", "version", "release")),
    ("name", _form(r"(?:\b|(?=#))", r"\b", "uuid", "digest", "colour", "ticket")),
    ("number", _form("", "", "number")),
)
# A character that every match of the kind contains.
_SIGN = re.compile(r"[/.#\d]")
# Negations by language. English needs whole words; Chinese and Japanese have no spaces around words.
DENIES = re.compile(
    r"\b(?:not|never|no|none|without|cannot|neither|nor)\b|\b\w+n['’]t\b|(?:不要|不得|不能|不可|不|没有|没|別|别|切勿|勿|禁止|无需)",
    re.IGNORECASE,
)


class Exact(Struct, frozen=True):
    """Exact values of a text by kind, with repetitions, and its number of negations."""

    things: dict[Kind, dict[str, int]]
    denials: int


class Turn(Struct, frozen=True):
    """A difference that changes the meaning of an item.

    changed: `was` became `now`. gone: `was` was removed. come: `now` was added. For negations `was` and `now` are
    the negating words.
    """

    kind: Kind
    how: Literal["changed", "gone", "come"]
    was: str = ""
    now: str = ""


def turn_words(was: str | None, now: str | None) -> str:
    """Return the difference from one wording to another in words."""
    if not was:
        return f"{now} was added"
    return f"{was} became {now}" if now else f"{was} is gone"


@lru_cache(maxsize=4096)
def exact_of(text: str) -> Exact:
    """Return the exact values of a text."""
    things: dict[Kind, dict[str, int]] = {}
    for token in text.split():
        if len(token) > _LONGEST:
            token = token[:_LONGEST]
        for kind, thing in _in_token(token):
            counts = things.setdefault(kind, {})
            counts[thing] = counts.get(thing, 0) + 1
    return Exact(things, len(DENIES.findall(text)) if _may_deny(text) else 0)


@lru_cache(maxsize=32_768)
def _in_token(token: str) -> tuple[tuple[Kind, str], ...]:
    """Return the exact values of a text without spaces; no pattern contains a space."""
    return tuple(things_in(token)) if _SIGN.search(token) else ()


def things_in(text: str) -> Iterator[tuple[Kind, str]]:
    """Yield the exact values of a text, kind by kind."""
    for kind, form in _FORMS:
        things: list[str] = []
        text = form.sub(lambda match, kind=kind, things=things: _taken(match[0], kind, things), text)  # type: ignore[misc]
        yield from ((kind, thing) for thing in things)


def _taken(written: str, kind: Kind, values: list[str]) -> str:
    """Return the rest of a match for later kinds: an empty text, unless the match only looks like a path."""
    if kind == "path" and not _is_path(written):
        return written
    values.append(_canon(kind, written))
    return " "


def _may_deny(text: str) -> bool:
    """Return whether a text contains part of a negating word. This fast check rules out most texts."""
    low = text.lower()
    return not text.isascii() or "no" in low or "ne" in low or "n't" in low or "without" in low


def _is_path(written: str) -> bool:
    # A single name after a slash ("class/`def`") is often not a path.
    named = "/" not in written or written.strip("/").count("/") > 0
    return "://" in written or (named and is_path(written))


def _canon(kind: Kind, text: str) -> str:
    if kind == "number":
        return plain_number(text)
    if kind == "path" and "/" not in text:
        # In a command, @ before a file name reads the file into an argument.
        return text.removeprefix("@")
    return text.removeprefix("v") if kind == "version" else text


def turns_of(was: str, now: str) -> tuple[Turn, ...]:
    """Return the differences that change the meaning: values exchanged or removed, negations added or removed.

    An added value alone makes a wording more precise. So a value counts as changed only if one was removed and one of
    its kind was added. A negation counts only if exactly one wording has negations.
    """
    before, after = exact_of(was), exact_of(now)
    turns: list[Turn] = []
    for kind in KINDS:
        gone = _left(before, after, kind, now)
        come = _left(after, before, kind, was)
        for at, thing in enumerate(gone):
            if at < len(come):
                turns.append(Turn(kind, "changed", thing, come[at]))
            else:
                turns.append(Turn(kind, "gone", thing))
    if bool(before.denials) != bool(after.denials):
        if before.denials:
            turns.append(Turn("negation", "gone", was=_denial(was)))
        else:
            turns.append(Turn("negation", "come", now=_denial(now)))
    return tuple(turns)


def _left(one: Exact, other: Exact, kind: Kind, text: str) -> list[str]:
    """Return the values of a kind that only `one` has, in order; a number inside a name or path still counts."""
    mine = one.things.get(kind)
    if not mine:
        return []
    theirs = other.things.get(kind, ())
    return [
        thing
        for thing in mine
        if thing not in theirs and not (kind == "path" and thing in text) and not within(thing, text)
    ]


def within(thing: str, text: str) -> bool:
    """Return whether a value occurs by itself: no word or full stop before it, no word or decimal after it."""
    at = text.find(thing)
    while at >= 0:
        before, after = text[at - 1 : at] if at else "", text[at + len(thing) : at + len(thing) + 2]
        if not (
            _joins(before)
            or before == "."
            or _joins(after[:1])
            or (after[:1] == "." and after[1:].isdecimal())
        ):
            return True
        at = text.find(thing, at + 1)
    return False


def _joins(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


def _denial(text: str) -> str:
    denial = DENIES.search(text)
    return denial.group() if denial else ""
