"""The exact values and names of a text, by the rules: what extraction and the search for a fact's fate look at."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import islice

from inspector.core.scan.exact import NUMBER, is_path, plain_number
from inspector.quality.facts.fact import Span, Value
from inspector.quality.facts.rules.lexicon import Form, Rules

_TOKEN = re.compile(r"[A-Za-z0-9_.@+~#/:%=*-]{4,}")
_NAMELIKE = re.compile(r"[/_.:\d-]")
_LONGEST_TOKEN = 200
#: Words with slashes between them, and the word before something.
_WORDS = re.compile(r"[A-Za-z]+(?:/[A-Za-z]+)+")
_WORD_BEFORE = re.compile(r"([A-Za-z]+)[ (]+\Z")
_LONGEST_WORD = 24
# The numbers behind a number that have its unit; a percent sign.
_MORE = re.compile(r"(?:\s?(?:,|/|of|and|or|to|–|-|、|和|或|到)\s?\d[\d.]*)+")
_PERCENT = re.compile(r"\s?[%％]")
# So far from its number may a unit stand.
_UNIT_AWAY = 60
# Two shares of a hundred.
_SHARES = re.compile(r"(?<![\w/.])(\d{1,2})\s?[/:]\s?(\d{1,2})(?![\w/])")
_DECIMALS = 3
# A unit that is written in such letters is no part of a longer word.
_LETTERS = ("[A-Za-z]", "[Ѐ-ӿ]")
_JOINED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.@+~#/:%=*-")
_EDGES = "\"'`.,;:!?()[]{}<>|*"


def values_of(text: str, rules: Rules) -> tuple[Value, ...]:
    """The exact values of a text, in order; they do not overlap."""
    if rules.worth.search(text) is None:
        return ()
    found = []
    for match in rules.value.finditer(text):
        value = _value(match, rules)
        if value is not None:
            found.append(value)
    return tuple(found)


def _value(match: re.Match[str], rules: Rules) -> Value | None:
    name = match.lastgroup or ""
    # lastgroup is the last group closed at the outermost level, which is the form's own.
    form = rules.forms.get(name)
    if form is None:
        name = next((n for n in rules.forms if match.group(n) is not None), "")
        form = rules.forms[name]
    text = match.group().strip()
    start = match.start() + len(match.group()) - len(match.group().lstrip())
    span = (start, start + len(text))
    if name.startswith("date_"):
        return Value(text, "date", _date(match, name, rules), "", False, span)
    if name == "date":
        return Value(text, name, text.replace("/", "-").replace(".", "-")[:10], "", False, span)
    if name == "weekday":
        return Value(text, name, text.lower().removesuffix("s"), "", False, span)
    if form.number:
        return _quantity(text, form, rules, span)
    if name in ("path", "file") and (
        not is_path(text) or match.string[match.start() - 1 : match.start()] == "<"
    ):
        return None
    if name == "path" and _alternates(match, rules):
        return None
    if not _is_name(text, form, rules):
        return None
    return Value(text, name, canon(text), "", form.distinctive, span)


def _alternates(match: re.Match[str], rules: Rules) -> bool:
    """Whether words with slashes between them are one or the other ("left/right"), not a path: nothing marks one, and
    the word before is none that leads to a place."""
    if _WORDS.fullmatch(match.group()) is None:
        return False
    before = _WORD_BEFORE.search(match.string, max(0, match.start() - _LONGEST_WORD), match.start())
    return before is not None and before[1].lower() not in rules.places


def _is_name(text: str, form: Form, rules: Rules) -> bool:
    """Whether a name is one that somebody gave, not a word that looks like one (UTF-8, __init__.py, http://host)."""
    return text.lower() not in rules.common and (form.unless is None or form.unless.match(text) is None)


def _date(match: re.Match[str], name: str, rules: Rules) -> str:
    groups = {
        key.removeprefix(f"{name}_"): text
        for key, text in match.groupdict().items()
        if key.startswith(f"{name}_")
    }
    month = rules.months.get((groups.get("name") or "").lower()) or int(groups.get("month") or 0)
    year = groups.get("year") or "-"
    return f"{year}-{month:02d}-{int(groups.get('day') or 0):02d}"


def _quantity(text: str, form: Form, rules: Rules, span: Span) -> Value:
    # Of a range the upper end.
    digits = next(iter(deque(NUMBER.finditer(text), maxlen=1)), None)
    if digits is None:
        word = next((w for w in sorted(rules.numerals, key=len, reverse=True) if text.startswith(w)), "")
        unit = rules.unit.match(text, len(word))
        return Value(text, "quantity", rules.numerals.get(word, text), _unit(unit, rules), False, span)
    number = plain_number(digits.group())
    sign = "-" if text.startswith("-") else ""
    if form.unit:
        return Value(text, form.name, sign + number, form.unit, False, span)
    unit = rules.unit.match(text, digits.end())
    # Nothing is counted in halves: "test 7.2 tries" has the number of a test.
    counted = "." in number and _unit(unit, rules) not in rules.measures
    named = (
        ""
        if counted
        else _unit(unit, rules)
        or next((rules.units[s] for s in ("€", "$", "£", "¥") if text[:1] == s and s in rules.units), "")
    )
    return Value(text, "quantity" if named else "number", sign + number, named, False, span)


def _unit(match: re.Match[str] | None, rules: Rules) -> str:
    return rules.units.get(match[1], match[1]) if match else ""


def scaled(value: Value, rules: Rules) -> Iterator[tuple[str, str]]:
    """The number of a value in the next smaller and the next larger unit: 200 ms are 0.2 s, 24 h are 1 day."""
    for small, large, times in rules.scales:
        if value.unit in (small, large) and value.canon.replace(".", "", 1).isdigit():
            number = Decimal(value.canon)
            number = number / times if value.unit == small else number * times
            text = f"{number:f}"
            text = text.rstrip("0").rstrip(".") if "." in text else text
            if len(text.partition(".")[2]) <= _DECIMALS:
                yield text, large if value.unit == small else small


def gives(text: str, number: str, unit: str, rules: Rules) -> bool:
    """Whether a text gives a number with its unit: behind it, or behind the numbers that follow it ("0.2, 0.4, 0.8 s",
    "34 of 40 connections"). A number with another unit is another one; one with none may have it elsewhere, or be the
    count of something that is not said again."""
    bare = False
    numbers = list(NUMBER.finditer(text))
    for found in numbers:
        if plain_number(found.group()) != number.removeprefix("-"):
            continue
        if unit == "%" and _of_hundred(found, text):
            return True
        last = _MORE.match(text, found.end())
        end = last.end() if last is not None else found.end()
        named = "%" if _PERCENT.match(text, end) else _unit(rules.unit.match(text, end), rules)
        if named == unit:
            return True
        bare = bare or not named
    if not bare or (unit not in rules.measures and sum(map(str.isdigit, number)) > 1):
        return bare
    # A unit that another number has is not this one's, nor is one far from it.
    others = {match.start(1) for one in numbers if (match := rules.unit.match(text, one.end())) is not None}
    here = [one.start() for one in numbers if plain_number(one.group()) == number.removeprefix("-")]
    return any(
        named.start() not in others and any(abs(named.start() - at) <= _UNIT_AWAY for at in here)
        for named in _units(unit, rules).finditer(text)
    )


def _of_hundred(number: re.Match[str], text: str) -> bool:
    """Whether a number is one of two shares ("a 60/40 split")."""
    return any(
        pair.start() <= number.start() < pair.end() and int(pair[1]) + int(pair[2]) == 100
        for pair in _SHARES.finditer(text)
    )


@lru_cache(maxsize=512)
def _spelled(forms: tuple[str, ...]) -> re.Pattern[str]:
    by_letters: dict[str, list[str]] = {}
    for form in forms:
        letters = next((one for one in _LETTERS if re.match(one, form)), "")
        by_letters.setdefault(letters, []).append(re.escape(form))
    parts = [
        f"(?<!{letters})(?:{'|'.join(those)})(?!{letters})" if letters else "|".join(those)
        for letters, those in by_letters.items()
    ]
    return re.compile("|".join(parts))


def _units(unit: str, rules: Rules) -> re.Pattern[str]:
    """What finds any form of a unit."""
    return _spelled(tuple(form for form, name in rules.units.items() if name == unit) or (unit,))


def canon(text: str) -> str:
    """What a distinctive value is compared by: lower case, without a closing slash or leading ./ ."""
    bare = text.strip(_EDGES.replace(".", ""))
    if bare.count("[") > bare.count("]"):
        bare += "]"  # app/[id]
    return bare.lower().removeprefix("./").rstrip("/") or text.lower()


def _vague(path: str) -> bool:
    """Whether two words with a slash between them may be no path at all: top/right, bin/test."""
    parts = [part for part in path.split("/") if part]
    if len(parts) < 2 and path.startswith("/"):
        return True
    return len(parts) < 3 and not path.startswith(("/", "~", ".")) and not any(mark in path for mark in "._-")


def names_in(text: str, rules: Rules, limit: int) -> list[tuple[Value, int]]:
    """The names (paths, ids, URLs, settings) of a text, each once with the place of its first use, `limit` at most."""
    found: dict[str, tuple[Value, int]] = {}
    # Each token once: what a text has many of (numbers of lines, words) is looked at a single time.
    for token in islice(dict.fromkeys(_TOKEN.findall(text)), 40 * limit):
        value = _name(token, rules)
        if value is None or value.text in found:
            continue
        at = _alone_at(text, token)
        if at >= 0:
            found[value.text] = (value, at + value.span[0])
            if len(found) >= limit:
                break
    return list(found.values())


def _alone_at(text: str, token: str) -> int:
    """Where a token stands by itself first, neither a tag ("</p>") nor a call ("f("); -1 where it never does."""
    at = text.find(token)
    while at >= 0:
        before, behind = text[at - 1 : at] if at else "", text[at + len(token) : at + len(token) + 1]
        if before not in _JOINED and behind not in _JOINED and before != "<" and behind != "(":
            return at
        at = text.find(token, at + 1)
    return -1


_NAMES: dict[tuple[str, str], Value | None] = {}


def _name(token: str, rules: Rules) -> Value | None:
    key = (rules.version, token)
    if key not in _NAMES:
        if len(token) > _LONGEST_TOKEN:
            return None
        if len(_NAMES) > 200_000:
            _NAMES.clear()
        _NAMES[key] = _classified(token, rules)
    return _NAMES[key]


def _classified(token: str, rules: Rules) -> Value | None:
    if _NAMELIKE.search(token) is None:
        return None
    bare = token.rstrip(_EDGES).lstrip(_EDGES.replace(".", ""))
    start = token.find(bare) if bare else 0
    match = rules.mention.fullmatch(bare) if bare else None
    if match is None:
        return None
    name = match.lastgroup or ""
    if name in ("path", "file") and (not is_path(bare) or _vague(bare)):
        return None
    if not _is_name(bare, rules.forms[name], rules):
        return None
    return Value(bare, name, canon(bare), "", True, (start, start + len(bare)))


def placed(values: Sequence[Value], by: int) -> tuple[Value, ...]:
    """Values with their spans further on."""
    return tuple(
        Value(v.text, v.form, v.canon, v.unit, v.distinctive, (v.span[0] + by, v.span[1] + by))
        for v in values
    )
