"""The exact things that a wording says (versions, paths, addresses, names with digits, numbers) and what it denies."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

#: What can change between two wordings of one item.
Kind = Literal["number", "version", "path", "name", "negation"]
KINDS: tuple[Kind, ...] = ("number", "version", "path", "name", "negation")

# Endings of file names; other words with a full stop in them are attributes and sentences.
_ENDINGS = (
    "py|pyi|ipynb|js|jsx|ts|tsx|mjs|cjs|vue|svelte|html?|css|scss|less|json|jsonl|ya?ml|toml|ini|cfg|conf|env|lock|md|mdx|"
    "rst|txt|log|csv|tsv|parquet|xlsx?|docx?|pdf|png|jpe?g|gif|svg|webp|go|mod|sum|rs|rb|php|java|kt|kts|scala|swift|c|h|"
    "cc|cpp|hpp|cs|m|r|lua|pl|sh|bash|zsh|fish|ps1|bat|sql|db|sqlite3?|xml|proto|graphql|tf|gradle|diff|patch|zip|gz|tar|"
    "tgz|whl|service|dockerfile|rpm|deb|plist|po|tex"
)
# In the order in which they are looked for; what one found the next ones do not see.
_FORMS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        "path",
        re.compile(
            r"(?<![\w/.])(?:https?://[^\s<>\"'`)\]]+|(?:~|\.{1,2})?/?(?:[\w.@+-]+/)+[\w.@+-]*[A-Za-z][\w.@+-]*"
            rf"|[\w-]+\.(?:{_ENDINGS})\b(?![\w/(.]))"
        ),
    ),
    ("version", re.compile(r"\bv?\d+\.\d+\.\d+(?:[-.+][\w.]+)?|\bv\d+(?:\.\d+)*\b")),
    (
        "name",
        re.compile(
            r"\b[A-Z][A-Z0-9]+-\d+\b|#[0-9a-fA-F]{6}\b|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b"
        ),
    ),
    ("number", re.compile(r"\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")),
)  # fmt: skip
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
        for kind, thing in _in_token(token):
            found = things.setdefault(kind, {})
            found[thing] = found.get(thing, 0) + 1
    return Exact(things, len(_DENIES.findall(text)) if _may_deny(text) else 0)


@lru_cache(maxsize=32_768)
def _in_token(token: str) -> tuple[tuple[Kind, str], ...]:
    """The exact things of what stands between two spaces: none of the forms has a space in it."""
    found: list[tuple[Kind, str]] = []
    for kind, form in _FORMS if _SIGN.search(token) else ():
        found += [(kind, _canon(kind, match)) for match in form.findall(token)]
        token = form.sub(" ", token)
    return tuple(found)


def _may_deny(text: str) -> bool:
    """Whether a text has a part of a word that denies; most have none, and need not be looked through."""
    low = text.lower()
    return not text.isascii() or "no" in low or "ne" in low or "n't" in low or "without" in low


def paths_in(text: str) -> list[str]:
    """The paths, file names and addresses of a text, in order."""
    return [_canon("path", match) for match in _FORMS[0][1].findall(text)]


def _canon(kind: Kind, text: str) -> str:
    if kind == "number":
        text = text.replace(",", "")
        return text.rstrip("0").rstrip(".") if "." in text else text.lstrip("0") or "0"
    return text.rstrip(".").removeprefix("v") if kind == "version" else text.rstrip(".")


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
