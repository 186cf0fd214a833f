"""The exact things that a wording says (versions, paths, addresses, names with digits, numbers) and what it denies."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from inspector.core.scan.exact import PATTERNS, is_path, plain_number

#: What can change between two wordings of one item.
Kind = Literal["number", "version", "path", "name", "negation"]
KINDS: tuple[Kind, ...] = ("number", "version", "path", "name", "negation")

_BEFORE = r"(?<![A-Za-z0-9_/.<])"
# Behind a call's name stands a bracket; a file's ending ends the name.
_BEHIND = r"(?![A-Za-z0-9_(]|\.\w)"


def _form(before: str, behind: str, *names: str) -> re.Pattern[str]:
    return re.compile(f"{before}(?:{'|'.join(PATTERNS[name] for name in names)}){behind}", re.ASCII)


#: Characters of a word that are looked at: no path or address is longer.
_LONGEST = 1_000

# In the order in which they are looked for; what one found the next ones do not see.
_FORMS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("path", _form(_BEFORE, _BEHIND, "url", "path", "file")),
    ("version", _form(r"\b", r"\b", "version", "release")),
    ("name", _form(r"(?:\b|(?=#))", r"\b", "uuid", "digest", "colour", "ticket")),
    ("number", _form("", "", "number")),
)
# What each of them has one of.
_SIGN = re.compile(r"[/.#\d]")
# Words that turn what is said round, by language; English words stand alone, others need no space around them.
_DENIES = re.compile(
    r"\b(?:not|never|no|none|without|cannot|neither|nor)\b|\b\w+n['’]t\b|(?:不要|不得|不能|不可|不|没有|没|別|别|切勿|勿|禁止|无需)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Exact:
    """The exact things of a text by kind, each as often as it stands there, and how often something is denied."""

    things: dict[Kind, dict[str, int]]
    denials: int


@dataclass(frozen=True, slots=True)
class Turn:
    """A difference after which an item says something else.

    changed: `was` became `now`. gone: `was` is no longer said. come: `now` is said since. For negations `was` and
    `now` are the words that deny.
    """

    kind: Kind
    how: Literal["changed", "gone", "come"]
    was: str = ""
    now: str = ""


@lru_cache(maxsize=4096)
def exact_of(text: str) -> Exact:
    """The exact things of a text."""
    things: dict[Kind, dict[str, int]] = {}
    for token in text.split():
        if len(token) > _LONGEST:
            token = token[:_LONGEST]
        for kind, thing in _in_token(token):
            found = things.setdefault(kind, {})
            found[thing] = found.get(thing, 0) + 1
    return Exact(things, len(_DENIES.findall(text)) if _may_deny(text) else 0)


@lru_cache(maxsize=32_768)
def _in_token(token: str) -> tuple[tuple[Kind, str], ...]:
    """The exact things of what stands between two spaces: none of the forms has a space in it."""
    return tuple(_things(token)) if _SIGN.search(token) else ()


def _things(text: str) -> Iterator[tuple[Kind, str]]:
    """The exact things of a text, kind by kind."""
    for kind, form in _FORMS:
        found: list[str] = []
        text = form.sub(lambda match, kind=kind, found=found: _taken(match[0], kind, found), text)  # type: ignore[misc]
        yield from ((kind, thing) for thing in found)


def _taken(written: str, kind: Kind, found: list[str]) -> str:
    """What is left of a match for the kinds that come later: nothing, unless it only looks like a path."""
    if kind == "path" and not _is_path(written):
        return written
    found.append(_canon(kind, written))
    return " "


def _may_deny(text: str) -> bool:
    """Whether a text has a part of a word that denies; most have none, and need not be looked through."""
    low = text.lower()
    return not text.isascii() or "no" in low or "ne" in low or "n't" in low or "without" in low


def _is_path(written: str) -> bool:
    # A single name behind a slash ("class/`def`") is as often none.
    named = "/" not in written or written.strip("/").count("/") > 0
    return "://" in written or (named and is_path(written))


def paths_in(text: str) -> list[str]:
    """The paths, file names and addresses of a text, in order."""
    found: list[str] = []
    for match in _FORMS[0][1].finditer(text):
        _taken(match[0], "path", found)
    return found


def _canon(kind: Kind, text: str) -> str:
    if kind == "number":
        return plain_number(text)
    if kind == "path" and "/" not in text:
        # A command reads a file into an argument by an @ before its name.
        return text.removeprefix("@")
    return text.removeprefix("v") if kind == "version" else text


def turns_of(was: str, now: str) -> tuple[Turn, ...]:
    """What the newer wording says otherwise: exact things exchanged or gone, denials gone or come.

    What only came is more precise, not otherwise; so a thing counts as changed where one went and one of its kind
    came. A "not" counts where one wording denies something and the other nothing.
    """
    before, after = exact_of(was), exact_of(now)
    found: list[Turn] = []
    for kind in KINDS:
        gone = _left(before, after, kind, now)
        come = _left(after, before, kind, was)
        for at, thing in enumerate(gone):
            if at < len(come):
                found.append(Turn(kind, "changed", thing, come[at]))
            else:
                found.append(Turn(kind, "gone", thing))
    if bool(before.denials) != bool(after.denials):
        if before.denials:
            found.append(Turn("negation", "gone", was=_denial(was)))
        else:
            found.append(Turn("negation", "come", now=_denial(now)))
    return tuple(found)


def _left(one: Exact, other: Exact, kind: Kind, text: str) -> list[str]:
    """What one has of a kind and the other has not, in order; a number inside a name or path is still there."""
    mine = one.things.get(kind)
    if not mine:
        return []
    theirs = other.things.get(kind, ())
    return [
        thing
        for thing in mine
        if thing not in theirs and not (kind == "path" and thing in text) and not _inside(thing, text)
    ]


def _inside(thing: str, text: str) -> bool:
    """Whether a thing stands in a text by itself: no word or full stop before it, no word or decimal behind it."""
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
    found = _DENIES.search(text)
    return found.group() if found else ""
