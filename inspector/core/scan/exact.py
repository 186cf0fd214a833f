"""Exact values: the pattern of each kind, and the form that comparisons use.

The patterns have no boundaries: callers define which characters may be next to a value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache

from inspector.core.scan.words import UNSPACED

# Extensions of file names; other words with a full stop are attributes or ends of sentences.
_ENDINGS = (
    "py|pyi|ipynb|js|jsx|ts|tsx|mjs|cjs|vue|svelte|html?|css|scss|less|wxss|wxml|json|jsonl|ya?ml|toml|ini|cfg|conf|env|"
    "lock|md|mdx|rst|txt|log|csv|tsv|parquet|xlsx?|docx?|pdf|png|jpe?g|gif|svg|webp|go|rs|rb|php|java|kt|kts|scala|swift|"
    "c|h|cc|cpp|hpp|cs|lua|pl|sh|bash|zsh|fish|ps1|bat|sql|db|sqlite3?|xml|proto|graphql|tf|gradle|zip|gz|tar|tgz|whl|"
    "service|plist|deb|rpm"
)

# Half of the day: "am", "PM", "p.m.".
_HALF = r"(?:[ap]m|[AP]M|[ap]\.m\.)"

# A part of a path: a folder, or a group or parameter of a router, as in `app/(shop)/orders/[id]/page.tsx`.
_PART = r"(?:[\w.@+-]+|\([\w.-]+\)|\[{1,2}[\w.-]+\]{1,2})/"

# A character of a URL. A word without spaces right behind a letter or digit is text, unless the URL goes on behind it:
# "x.org/docs看看" ends with "docs", but "x.org/v2版/a.html" does not end with "v2".
_IN_URL = (
    rf"(?!(?<=[A-Za-z0-9])[{UNSPACED}]++(?!/|[.\-=&#%][A-Za-z0-9]))"
    r"[^\s<>\"'`|，；：！？（）“”‘’\u3001-\u303f]"
)

#: Kind → pattern, in the order of matching: later patterns do not see text that an earlier pattern matched.
PATTERNS: Mapping[str, str] = {
    "url": rf"[a-z][a-z0-9+.-]{{1,9}}://(?:{_IN_URL})*(?:{_IN_URL})(?<![.,;:!?)\]}}])",
    "uuid": r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    "digest": r"(?:sha(?:1|256|512):)?(?=[0-9a-f]{0,38}\d)(?=\d{0,38}[a-f])[0-9a-f]{7,64}",
    "colour": r"#(?:[0-9A-Fa-f]{6}|(?=\d{0,2}[A-Fa-f])[0-9A-Fa-f]{3})",
    "channel": r"#[a-z][a-z0-9]*(?:[-_][a-z0-9]+)+",
    "date": (
        r"(?:20|19)\d\d[-/.](?:0[1-9]|1[0-2])[-/.](?:0[1-9]|[12]\d|3[01])"
        r"(?:T\d\d:\d\d(?::\d\d)?Z?)?"
    ),
    "mail": r"\w[\w.+-]*@\w[\w-]*(?:\.\w[\w-]*)+",
    "address": r"\d{1,3}(?:\.\d{1,3}){3}(?::\d{2,5})?(?:/\d{1,2})?",
    "ratio": r"\d+(?:\.\d+)?\s?:\s?1",
    "time": (
        rf"(?:1[0-2]|[1-9])\s?{_HALF}|"
        rf"(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?:\s?(?:UTC|CET|CEST|GMT|{_HALF}))?"
    ),
    "path": (
        rf"(?:(?:~|\.{{1,2}})?/(?:{_PART})*|[\w.@+-]+/(?:{_PART})*)"
        r"(?:(?:\[[\w.-]+\])?[\w.@+*-]*[\w@+*-]|\[[\w.-]+\])?"
    ),
    "file": rf"[\w@+-][\w.@+-]*\.(?:{_ENDINGS})",
    "ticket": r"[A-Z][A-Z0-9]{1,9}-\d{1,7}",
    "setting": r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?:=[^\s,;)\"'`]*[^\s,;.)\"'`])?",
    "option": r"--[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?:=[^\s,;)\"'`]+)?",
    "version": r"v?\d+\.\d+\.\d+(?:[.-]?(?:dev|rc|alpha|beta|post|a|b)\.?\d*|-[\w.]+)?",
    "release": r"v\d+(?:\.\d+)*",
    "name": r"[a-z]+(?:-[a-z0-9]+)*-v?\d+(?:\.\d+)*(?:-[a-z0-9]+)*",
    "identifier": r"[a-z]+[a-z0-9]*(?:(?:[A-Z][a-z0-9]*)+|(?:_[a-z0-9]+)+)",
    "percent": r"\d+(?:[.,]\d+)*\s?[%％]",
    "number": r"\d+(?:[.,]\d+)*(?:[eE]-?\d{1,2}(?![\w.]))?",
}
#: The line number that may follow a path.
LINE = r"(?::\d+(?:-\d+)?)?"
NUMBER = re.compile(PATTERNS["number"])
#: A number with points between its thousands and a decimal comma: 1.000,50.
_POINTED = re.compile(r"[1-9]\d{0,2}(?:\.\d{3})+,\d+")
# An edit command's pattern ("s/old/new/g") looks like a path.
_EDIT = re.compile(r"(?:\d+(?:,\d+)?)?[sy]/")


def plain_number(digits: str) -> str:
    """Return a number without thousands separators: 2,500 → 2500, 1.000,50 → 1000.5, 1,5 → 1.5, 3e-4 → 0.0003."""
    if "e" in digits.lower() and digits.count(",") + digits.count(".") < 2:
        return f"{Decimal(digits.replace(',', '.')):f}"
    if _POINTED.fullmatch(digits) is not None:
        digits = digits.replace(".", "").replace(",", ".")
    elif "," in digits:
        head, *groups = digits.split(",")
        if all(len(group.split(".")[0]) == 3 for group in groups) and len(head) <= 3 and head != "0":
            digits = digits.replace(",", "")
        elif len(groups) == 1 and "." not in digits:
            digits = digits.replace(",", ".")
    if digits.count(".") == 1:
        digits = digits.rstrip("0").rstrip(".")
    return digits.lstrip("0") or "0" if "." not in digits else digits


@lru_cache(maxsize=65_536)
def is_path(text: str) -> bool:
    """Return whether a match of the path pattern is a path: 3/4, and/or, I/O, n/a, 1.2.3.4 are not."""
    if "/" not in text:
        return text.count(".") <= 3 and not (text[0].isdigit() and text.replace(".", "").isdigit())
    if _EDIT.match(text):
        return False
    parts = [part for part in text.strip("/~.").split("/") if part]
    if not parts or all(part.isdigit() for part in parts):
        return False
    rooted = text.startswith(("/", "~", "./", "../")) and len(text) > 3
    if len(parts) == 1:
        return (rooted or text.endswith("/")) and len(parts[0]) >= 2
    typed = "." in parts[-1].strip(".") or text.endswith("/") or ":" in text
    if len(parts) == 2 and not typed and not rooted:
        marked = any(mark in text for mark in "_-")
        return len(text) >= 6 and "." not in parts[0] and (marked or parts[0].islower())
    return any(len(part) >= 2 for part in parts)
