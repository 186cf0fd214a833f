"""Exact values and the words around them: what both extraction and the search for a fact's fate look at."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice

from inspector.quality.facts.fact import Span, Value
from inspector.quality.facts.lexicon import Form, Rules

_WORD = re.compile(
    r"[A-Za-zÀ-ɏЀ-ӿ][A-Za-zÀ-ɏЀ-ӿ0-9_'’-]*|[\u3400-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af]+"
)
_PART = re.compile(r"[A-Za-zÀ-ɏЀ-ӿ]{2,}|\d+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_TOKEN = re.compile(r"[A-Za-z0-9_.@+~#/:%=*-]{4,}")
_NAMELIKE = re.compile(r"[/_.:\d-]")
_LONGEST_TOKEN = 200
# An edit command's pattern ("s/old/new/g") looks like a path.
_EDIT = re.compile(r"(?:\d+(?:,\d+)?)?[sy]/")
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
        _no_path(text) or match.string[match.start() - 1 : match.start()] == "<"
    ):
        return None
    if not _is_name(text, form, rules):
        return None
    return Value(text, name, canon(text), "", form.distinctive, span)


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
    digits = _NUMBER.search(text)
    if digits is None:
        word = next((w for w in sorted(rules.numerals, key=len, reverse=True) if text.startswith(w)), "")
        unit = rules.unit.match(text, len(word))
        return Value(text, "quantity", rules.numerals.get(word, text), _unit(unit, rules), False, span)
    number = number_of(digits.group())
    sign = "-" if text.startswith("-") else ""
    if form.unit:
        return Value(text, form.name, sign + number, form.unit, False, span)
    unit = rules.unit.match(text, digits.end())
    named = _unit(unit, rules) or next(
        (rules.units[s] for s in ("€", "$", "£", "¥") if text[:1] == s and s in rules.units), ""
    )
    return Value(text, "quantity" if named else "number", sign + number, named, False, span)


def _unit(match: re.Match[str] | None, rules: Rules) -> str:
    return rules.units.get(match[1], match[1]) if match else ""


def number_of(digits: str) -> str:
    """A number without the commas that part thousands: 2,500 → 2500, 0.50 → 0.5, 1,5 → 1.5."""
    if "," in digits:
        head, *groups = digits.split(",")
        if all(len(group.split(".")[0]) == 3 for group in groups) and len(head) <= 3 and head != "0":
            digits = digits.replace(",", "")
        elif len(groups) == 1 and "." not in digits:
            digits = digits.replace(",", ".")
    if digits.count(".") == 1:
        digits = digits.rstrip("0").rstrip(".")
    return digits.lstrip("0") or "0" if "." not in digits else digits


def canon(text: str) -> str:
    """What a distinctive value is compared by: lower case, without a closing slash or leading ./ ."""
    return text.strip(_EDGES.replace(".", "")).lower().removeprefix("./").rstrip("/") or text.lower()


@lru_cache(maxsize=65_536)
def _no_path(text: str) -> bool:
    """Whether something with a slash is no path: 3/4, and/or, I/O, n/a."""
    if "/" not in text:
        return text.count(".") > 3 or (text[0].isdigit() and text.replace(".", "").isdigit())
    if _EDIT.match(text):
        return True
    parts = [part for part in text.strip("/~.").split("/") if part]
    if not parts or all(part.isdigit() for part in parts):
        return True
    rooted = text.startswith(("/", "~", "./", "../")) and len(text) > 3
    if len(parts) == 1:
        return not (rooted or text.endswith("/")) or len(parts[0]) < 2
    typed = "." in parts[-1].strip(".") or text.endswith("/") or ":" in text
    if len(parts) == 2 and not typed and not rooted:
        marked = any(mark in text for mark in "_-")
        return len(text) < 6 or "." in parts[0] or not (marked or parts[0].islower())
    return all(len(part) < 2 for part in parts)


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
    if name in ("path", "file") and (_no_path(bare) or _vague(bare)):
        return None
    if not _is_name(bare, rules.forms[name], rules):
        return None
    return Value(bare, name, canon(bare), "", True, (start, start + len(bare)))


def words_of(text: str, rules: Rules, without: Sequence[Span] = ()) -> Iterator[str]:
    """The stems of the words that a text speaks of: stop words left out, names in their parts, scripts without spaces
    as pairs of characters. Words inside the spans `without` are left out."""
    for match in _WORD.finditer(text):
        if without and any(a <= match.start() < b for a, b in without):
            continue
        word = match.group()
        if word[0] >= "\u3040" and not word[0].isascii():
            yield from _pairs(word)
        else:
            yield from stems(word, rules)


_STEMS: dict[tuple[str, str], tuple[str, ...]] = {}


def _pairs(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    for at in range(len(run) - 1):
        yield run[at : at + 2]


def stems(word: str, rules: Rules) -> tuple[str, ...]:
    """The stems of one word: nothing for a stop word, several for a name such as pool_size."""
    key = (rules.version, word)
    known = _STEMS.get(key)
    if known is None:
        if len(_STEMS) > 200_000:
            _STEMS.clear()
        known = _STEMS[key] = tuple(dict.fromkeys(_stemmed(word, rules)))
    return known


def _stemmed(word: str, rules: Rules) -> Iterator[str]:
    lower = word.lower().strip("'’-_").removesuffix("'s").removesuffix("’s")
    if lower in rules.stop:
        return
    parts = _PART.findall(lower) if any(mark in lower for mark in "_-") else [lower]
    for part in parts:
        if len(part) > 1 and part not in rules.stop:
            yield _stem(part, rules)


def _stem(word: str, rules: Rules) -> str:
    for language in rules.languages:
        for ending, other in language.suffixes:
            if word.endswith(ending) and len(word) - len(ending) >= 3:
                return word[: len(word) - len(ending)] + other
    return word


def folded(text: str) -> str:
    """A text for comparing word for word: one line, lower case, without marks at its ends."""
    return " ".join(text.split()).lower().strip(" .。!！;；,，:：'\"“”‘’`*")
