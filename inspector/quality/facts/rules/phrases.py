"""Phrases of the rules of facts as regular expressions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from inspector.core.scan.words import SPACED

_GAP = r".{0,40}?"
_CYRILLIC = re.compile("[Ѐ-ӿ]")


def asks(
    phrases: Sequence[str], fillers: Sequence[str], stating: Sequence[str], pairs: bool
) -> re.Pattern[str]:
    """How a sentence or clause begins that asks for something, behind words that say nothing ("ok,", "and then").

    A word of `stating` behind it takes that back ("Support says")."""
    if not phrases:
        return re.compile("(?!)")
    if pairs:
        return phrases_of(phrases, pairs)
    stated = rf"(?!\s+(?:{'|'.join(_spaced(p) for p in longest(stating))})\b)" if stating else ""
    return re.compile(
        rf"\W*(?:{_filled(fillers)}){{0,4}}(?:{'|'.join(_spaced(p) for p in longest(phrases))})(?![\w'-]){stated}",
        re.IGNORECASE,
    )


def narrates(
    leads: Sequence[str], praise: Sequence[str], phrases: Sequence[str], pairs: bool
) -> re.Pattern[str]:
    """How a sentence begins in which an agent tells its next step ("Now update ..."), or finds that the last one went
    well ("Good, ...")."""
    if not leads or not praise:
        return re.compile("(?!)")
    lead, good = ("|".join(_spaced(word) for word in longest(words)) for words in ([*leads, *praise], praise))
    step = "|".join(_spaced(phrase) for phrase in longest(phrases))
    if pairs:
        # The verb stands anywhere behind it.
        return re.compile(
            rf"\W*(?:(?:{lead})[\s,.!，。！、—–-]*)+[^，。！？、,.!?]{{0,40}}(?:{step})|\W*(?:{good})\s*[,.!，。！、—–-]",
            re.IGNORECASE,
        )
    return re.compile(
        rf"\W*(?:(?:(?:{lead})\b[\s,.!—–-]+)+(?:{step})\b|(?:{good})\s*[,.!—–-])", re.IGNORECASE
    )


def contrast(phrases: Sequence[str], pairs: bool) -> re.Pattern[str]:
    """What one of these words puts against something ("instead of ..."), up to the end of the clause."""
    if not phrases:
        return re.compile("(?!)")
    return re.compile(
        f"(?:{phrases_of(phrases, pairs).pattern})" + r"[^,;.，；。\n]*(?:\.\w[^,;.，；。\n]*)*",
        re.IGNORECASE,
    )


def lead(fillers: Sequence[str]) -> re.Pattern[str]:
    """Words at the start of a sentence that say nothing."""
    return re.compile(rf"\A(?:{_filled(fillers)}){{1,4}}" if fillers else "(?!)", re.IGNORECASE)


def _filled(fillers: Sequence[str]) -> str:
    return rf"(?:{'|'.join(_spaced(word) for word in longest(fillers))})\b[\s,.:;!-]*"


def nods(phrases: Sequence[str], pairs: bool) -> re.Pattern[str]:
    """A sentence that only nods: one or several of these words and nothing else."""
    if not phrases:
        return re.compile("(?!)")
    one = "|".join(_spaced(phrase) for phrase in longest(phrases))
    behind = "" if pairs else f"(?![{SPACED}])"
    return re.compile(rf"[\W_]*(?:(?:{one}){behind}[\W_]*)+", re.IGNORECASE)


def references(
    phrases: Sequence[str], between: Sequence[str], numbering: Sequence[str], pairs: bool
) -> re.Pattern[str]:
    """A choice by numbers or letters (group `labels`) behind one of these words: "skip 5, 7, 8", "option A". Words of
    `between` may stand between the labels, of `numbering` before them."""
    if not phrases:
        return re.compile("(?!)")
    label = r"#?(?:\d{1,3}|[A-H])(?![\w.])"
    body = rf"(?P<labels>{label}(?:\s*(?:{_between(between)}|&|-)\s*{label})*)"
    lead = "|".join(_spaced(phrase) for phrase in longest(phrases))
    more = "|".join(re.escape(word) for word in (*longest(numbering), "#"))
    return re.compile(rf"{'' if pairs else chr(92) + 'b'}(?i:{lead})\s*(?i:{more})?\s*{body}")


def choices(
    phrases: Sequence[str],
    fillers: Sequence[str],
    closing: Sequence[str],
    between: Sequence[str],
    pairs: bool,
) -> re.Pattern[str]:
    """How a message begins that chooses by numbers or letters (group `labels`) and hardly says more: "2", "let's do B",
    "1 and 3 please". Words of `between` may stand between the labels; behind them it ends, or a word of `closing`
    follows."""
    label = r"#?(?:\d{1,2}|[A-Ha-h])(?![A-Za-z0-9_])"
    labels = rf"(?P<labels>{label}(?:\s*(?:{_between(between)}|&|\+)\s*{label})*)"
    words = "|".join(_spaced(word) for word in longest([*phrases, *fillers]))
    behind = "|".join(_spaced(word) for word in longest(closing))
    lead = rf"(?:(?:{words}){'' if pairs else chr(92) + 'b'}[\s,:]*)*" if words else ""
    more = rf"(?:{behind}){'' if pairs else chr(92) + 'b'}" if behind else "(?!)"
    return re.compile(rf"[\W_]*?{lead}{labels}[.)）]*\s*(?:\Z|[,，!。]|{more})", re.IGNORECASE)


def joints(words: Sequence[str]) -> re.Pattern[str]:
    """Where another sentence may begin inside one: behind a comma, one of some words, or the number of a point.
    Nothing for a language without such words."""
    if not words:
        return re.compile("(?!)")
    word = "|".join(_spaced(word) for word in longest(words))
    return re.compile(
        rf"(?:,\s+|\.{{2,}}\s*|(?<=\S)\s+(?=(?:{word}|\d{{1,2}}[,)])\s))(?:(?:{word}|\d{{1,2}}[,.)])\s+)*",
        re.IGNORECASE,
    )


def lead_on(joining: Sequence[str], words: Sequence[str]) -> re.Pattern[str]:
    """How a part of a sentence begins with one of some words, behind any that join it to the part before."""
    if not words:
        return re.compile("(?!)")
    join, word = ("|".join(_spaced(one) for one in longest(some)) for some in (joining, words))
    return re.compile(rf"\s*(?:(?:{join})\s+)*(?:{word})\b", re.IGNORECASE)


def _between(words: Sequence[str]) -> str:
    spelled = (rf"\b{re.escape(word)}\b" if word.isascii() else re.escape(word) for word in longest(words))
    return "|".join((",", "、", *spelled))


def _spaced(phrase: str) -> str:
    return r"\s+".join(re.escape(word) for word in phrase.split())


def phrases_of(phrases: Sequence[str], pairs: bool) -> re.Pattern[str]:
    """One expression for all phrases, the longest first, in any case."""
    if not phrases:
        return re.compile("(?!)")
    whole: list[str] = []
    loose: list[str] = []
    for phrase in sorted(phrases, key=len, reverse=True):
        parts = [r"\s+".join(re.escape(word) for word in part.split()) for part in phrase.split(" .. ")]
        body = (r"\b" + _GAP + r"\b").join(parts) if not pairs else _GAP.join(parts)
        end = "" if pairs or not phrase[-1:].isalnum() else r"(?![\w'-])"
        (loose if pairs or not phrase[:1].isalnum() else whole).append(body + end)
    # One look behind for all phrases: most places in a text are inside a word, and none is tried there.
    written = [r"(?<![\w'-])(?:" + "|".join(whole) + ")"] if whole else []
    return re.compile("|".join(written + loose), re.IGNORECASE)


def key_of(phrase: str, pairs: bool) -> str:
    """The longest word of the phrase's first part (for pairs the part itself): what a text must have to match."""
    part = phrase.split(" .. ")[0]
    return part if pairs else max((word.strip(",.;:!") for word in part.lower().split()), key=len)


def longest(words: Iterable[str]) -> list[str]:
    """The longest first, so that none is taken for the beginning of another."""
    return sorted(words, key=lambda word: (-len(word), word))


def whole_end(word: str) -> str:
    """What must not follow a word that ends with a letter or digit."""
    if _CYRILLIC.match(word[-1:]):
        return f"(?!{_CYRILLIC.pattern})"
    return r"(?![A-Za-z0-9])" if word[-1:].isascii() and word[-1:].isalnum() else ""
