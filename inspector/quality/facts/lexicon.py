"""Rules as data: what the data files say, compiled. The files are read elsewhere; here they are plain mappings."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from inspector.core.errors import BadInput
from inspector.core.scan.exact import LINE, PATTERNS
from inspector.core.scan.words import Stemmer
from inspector.quality.facts.fact import KINDS, Kind

_GAP = r".{0,40}?"
# The place before and behind a value: no letter, digit or joining sign, so that no value is cut out of a longer one.
_BEFORE = r"(?<![A-Za-z0-9_./@#%&+-])"
_BEHIND = r"(?![A-Za-z0-9_%])"
# Nothing that is a value lacks all of these, but for numbers in words and days.
_WORTH = r"[0-9/_#]|--|\.[a-z]|(?-i:[a-z][A-Z])"
_NEEDS = ("", "reason", "value")
_ROLES = frozenset({"user", "assistant", "tool"})
# What is exchanged: something in quotes, or one word (in a script without spaces, up to the end of the clause).
_QUOTED = r"[\"'`“‘「][^\"'`”’」\n]{1,40}[\"'`”’」]"
_TERM = rf"(?:(?:all|every|each|the|a|an|our|your|any)\s+)*?(?:{_QUOTED}|[\w+#@/][\w.+#@/-]*[\w+#]|\w)"
_PAIRED_TERM = (
    rf"(?:{_QUOTED}|[A-Za-z0-9_.+#@/-]+|[\u3400-\u9fff]{{1,6}}?(?=[，。；：！、,.;:!\s]|$|改|换|而|不))"
)


@dataclass(frozen=True, slots=True)
class Form:
    """How an exact value is written. See any.yaml for the fields."""

    name: str
    distinctive: bool
    mention: bool
    number: bool
    unit: str
    unless: re.Pattern[str] | None = None


@dataclass(frozen=True, slots=True)
class Cue:
    """Phrases that give a kind of fact away. `unless` takes back a match that it overlaps. A `hedged` one counts in a
    guess of the agent's too."""

    id: str
    kind: Kind
    strength: int
    clause: bool
    at_start: bool
    needs: str
    roles: frozenset[str]
    find: re.Pattern[str]
    unless: re.Pattern[str] | None
    order: int
    hedged: bool = False


@dataclass(frozen=True, slots=True)
class Wish:
    """Phrases that ask for one manner of doing things; asked for again they are a preference."""

    id: str
    find: re.Pattern[str]
    unless: re.Pattern[str] | None


@dataclass(frozen=True, slots=True)
class Voices:
    """Who speaks where several do. `starts` begins a message that a program wrote in the user's name, `block` opens a
    tagged block (group `tag`) of the same, `note` what it put behind what the user said; `own` finds what of such
    the user said (group `said`). A tool's result that begins with `hint` hands on the user's words, which `spoken`
    finds. `thinking` begins what an agent thinks aloud."""

    starts: re.Pattern[str]
    block: re.Pattern[str]
    note: re.Pattern[str]
    own: re.Pattern[str]
    hint: re.Pattern[str]
    spoken: tuple[re.Pattern[str], ...]
    thinking: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Language:
    """One language. `keys` leads, by role, from a word (or a piece of text, for a language of pairs) that a phrase
    cannot do without to the cues that have such a phrase; `hedge_keys` are such words of the hedges. `swaps` find a
    word (group `new`) that is wanted in the place of another (`old`). `asks` find a sentence that asks for something:
    how it begins (a verb that tells somebody to do it, a polite question); `nods` are answers that say nothing alone,
    `lead` words at a start that say nothing, `pointing` what points back at something said before, `backward` how a
    sentence begins that goes on with the one before, `showing` what shows something beside it. `binding` are words
    that make a sentence a rule, `because` begins a reason. Of summaries: `elisions` are words of brackets in
    which a text was left out, `references` find a choice by numbers or letters, `claims` that all is done."""

    name: str
    pairs: bool
    labels: re.Pattern[str]
    cues: tuple[Cue, ...]
    keys: Mapping[str, Mapping[str, tuple[int, ...]]]
    reasons: re.Pattern[str]
    hedges: re.Pattern[str]
    hedge_keys: frozenset[str]
    negations: re.Pattern[str]
    joins: re.Pattern[str]
    openers: frozenset[str]
    requests: re.Pattern[str]
    asks: re.Pattern[str]
    nods: re.Pattern[str]
    lead: re.Pattern[str]
    pointing: re.Pattern[str]
    backward: re.Pattern[str]
    showing: re.Pattern[str]
    binding: re.Pattern[str]
    because: re.Pattern[str]
    elisions: re.Pattern[str]
    references: re.Pattern[str]
    claims: re.Pattern[str]
    wishes: tuple[Wish, ...]
    swaps: tuple[re.Pattern[str], ...]
    instead: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Rules:
    """Everything that extraction goes by. `version` changes with every change of the data.

    `tool` finds the commands of tools, each of which has one of `tool_words`; `tools` leads from a command to the id of
    those that do the same and to which of them it is.
    """

    version: str
    languages: tuple[Language, ...]
    value: re.Pattern[str]
    mention: re.Pattern[str]
    forms: Mapping[str, Form]
    units: Mapping[str, str]
    worth: re.Pattern[str]
    unit: re.Pattern[str]
    numerals: Mapping[str, str]
    months: Mapping[str, int]
    quantities: frozenset[str]
    common: frozenset[str]
    fleeting: frozenset[str]
    places: frozenset[str]
    scales: tuple[tuple[str, str, int], ...]
    stemmer: Stemmer = field(default_factory=Stemmer)
    voices: Voices = field(default_factory=lambda: _voices({}))
    tool: re.Pattern[str] = field(default_factory=lambda: re.compile("(?!)"))
    tools: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    tool_words: tuple[str, ...] = ()


def rules_from(documents: Iterable[Mapping[str, Any]]) -> Rules:
    """Compile the documents of the data files: the shared one ("any") and one a language, in order.

    Raises BadInput with a sentence that names the rule that cannot be used.
    """
    found = list(documents)
    text = json.dumps([*found, dict(PATTERNS)], sort_keys=True, ensure_ascii=False, default=str)
    version = hashlib.blake2b(text.encode("utf-8", errors="surrogatepass"), digest_size=8).hexdigest()
    shared = next((one for one in found if one.get("language") == "any"), None)
    if shared is None:
        raise BadInput(
            "The rules of facts have no document for the language any, which says how values are written."
        )
    tongues = [one for one in found if one is not shared]
    languages = tuple(_language(one, 1000 * at) for at, one in enumerate(tongues))
    return _rules(version, shared, tongues, languages)


def _rules(
    version: str,
    shared: Mapping[str, Any],
    tongues: Sequence[Mapping[str, Any]],
    languages: tuple[Language, ...],
) -> Rules:
    units = {str(w): str(line[0]) for one in tongues for line in one.get("units", ()) for w in line}
    numerals = {str(k): str(v) for one in tongues for k, v in one.get("numerals", {}).items()}
    months = {str(k): int(v) for one in tongues for k, v in one.get("months", {}).items()}
    prefixes = [str(sign) for one in tongues for sign in one.get("prefixes", ())]
    spelled = "|".join(f"{re.escape(w)}{_end(w)}" for w in _longest(units))
    forms: dict[str, Form] = {}
    patterns: list[str] = []
    mentions: list[str] = []
    for name, pattern in _dates(tongues):
        forms[name] = Form(name, False, False, False, "")
        patterns.append(f"(?P<{name}>{pattern})")
    words = "|".join(map(re.escape, _longest(numerals)))
    if words and spelled:
        forms["numeral"] = Form("numeral", False, False, True, "")
        patterns.append(f"(?P<numeral>(?:{words})\\s?(?:{spelled}))")
    days = _longest(str(day) for one in tongues for day in one.get("weekdays", ()))
    if days:
        forms["weekday"] = Form("weekday", False, False, False, "")
        spoken = (
            f"{re.escape(d.capitalize())}s?|{re.escape(d)}s?" if d.isascii() else re.escape(d) for d in days
        )
        patterns.append(f"(?P<weekday>{'|'.join(spoken)})")
    for entry in shared.get("values", ()):
        name = str(entry["name"])
        form = Form(
            name,
            bool(entry.get("distinctive")),
            bool(entry.get("mention")),
            bool(entry.get("number")),
            str(entry.get("unit", "")),
            re.compile(str(entry["unless"]), re.ASCII) if "unless" in entry else None,
        )
        forms[name] = form
        pattern = _pattern(entry)
        if name == "number":
            sign = f"(?:(?:{'|'.join(map(re.escape, prefixes))})\\s?)?" if prefixes else ""
            pattern = f"{sign}{pattern}(?:[\\s-]?(?:{spelled}))?" if spelled else pattern
        patterns.append(f"(?P<{name}>{pattern})")
        if form.mention:
            mentions.append(f"(?P<{name}>{pattern})")
    tools = {
        str(command): (str(family["id"]), str(tool))
        for family in shared.get("tools", ())
        for tool, commands in family.get("commands", {}).items()
        for command in commands
    }
    try:
        return Rules(
            version=version,
            languages=languages,
            value=re.compile(f"{_BEFORE}(?:{'|'.join(patterns)}){_BEHIND}", re.ASCII),
            mention=re.compile("|".join(mentions), re.ASCII),
            forms=forms,
            units=units,
            worth=re.compile(
                "|".join([_WORTH, *map(re.escape, numerals), *map(re.escape, days)]), re.IGNORECASE
            ),
            unit=re.compile(f"[\\s-]?({spelled})" if spelled else "(?!)"),
            numerals=numerals,
            months=months,
            quantities=frozenset(map(str, shared.get("quantities", ()))),
            common=frozenset(map(str, shared.get("common", ()))),
            places=frozenset(str(word) for one in tongues for word in one.get("places", ())),
            scales=tuple((str(a), str(b), int(n)) for a, b, n in shared.get("scales", ())),
            fleeting=frozenset(str(word) for one in tongues for word in one.get("fleeting", ())),
            stemmer=stemmer_of(tongues),
            voices=_voices(shared.get("voices", {})),
            tool=_commands(tools),
            tools=tools,
            tool_words=tuple(dict.fromkeys(command.split()[0] for command in tools)),
        )
    except re.error as error:
        raise BadInput(
            f"A pattern of values in the rules of facts is no regular expression: {error}."
        ) from error


def _voices(entry: Mapping[str, Any]) -> Voices:
    def either(what: str, lead: str = "") -> re.Pattern[str]:
        patterns = [str(pattern) for pattern in entry.get(what, ())]
        return re.compile(f"{lead}(?:{'|'.join(patterns)})" if patterns else "(?!)")

    tags = [re.escape(str(tag)) for tag in entry.get("tags", ())]
    own = [re.escape(str(tag)) for tag in entry.get("own", ())]
    return Voices(
        starts=either("starts", r"\s*"),
        block=re.compile(rf"<(?P<tag>{'|'.join(tags)})(?:\s[^<>]*)?>" if tags else "(?!)"),
        note=either("notes"),
        own=re.compile(rf"<(?:{'|'.join(own)})>(?P<said>[^<>]+)<" if own else "(?!)"),
        hint=either("hints", r"\s*"),
        spoken=tuple(re.compile(str(pattern)) for pattern in entry.get("spoken", ())),
        thinking=either("thinking", r"\s*"),
    )


def _pattern(entry: Mapping[str, Any]) -> str:
    """How a form is written: as it says itself, else as the scanner knows it."""
    name = str(entry["name"])
    if "pattern" not in entry and name not in PATTERNS:
        raise BadInput(f"The form {name} in the rules of facts is none that is known, and has no pattern.")
    return str(entry.get("pattern") or PATTERNS[name]) + (LINE if entry.get("line") else "")


def _commands(tools: Mapping[str, object]) -> re.Pattern[str]:
    """What finds the commands of tools, the longest first, as whole words: `uv pip install` is no `pip install`."""
    if not tools:
        return re.compile("(?!)")
    written = (r"[ \t]+".join(map(re.escape, command.split())) for command in _longest(tools))
    return re.compile(rf"(?<![\w./@-])(?:{'|'.join(written)})(?![\w@-]|\.\w)")


def _dates(tongues: Sequence[Mapping[str, Any]]) -> Iterable[tuple[str, str]]:
    """The date patterns of every language, their groups renamed so that all fit into one expression."""
    for one in tongues:
        months = "|".join(
            re.escape(form) for m in _longest(one.get("months", {})) for form in (m.capitalize(), m)
        )
        for at, pattern in enumerate(one.get("dates", ())):
            name = f"date_{one['language']}_{at}"
            whole = str(pattern).replace("{months}", months)
            yield name, re.sub(r"\(\?P<(\w+)>", lambda found, name=name: f"(?P<{name}_{found[1]}>", whole)  # type: ignore[misc]


def _language(document: Mapping[str, Any], order: int) -> Language:
    name = str(document.get("language", "?"))
    pairs = document.get("words") == "pairs"
    cues: list[Cue] = []
    keys: dict[str, dict[str, list[int]]] = {}
    for entry in document.get("rules", ()):
        cue = _cue(entry, pairs, order + len(cues))
        for phrase in entry["phrases"]:
            for role in cue.roles:
                keys.setdefault(role, {}).setdefault(_key(phrase, pairs), []).append(len(cues))
        cues.append(cue)

    def words(what: str) -> list[str]:
        return _words(document, what)

    def lexicon(what: str) -> re.Pattern[str]:
        return _phrases(words(what), pairs)

    return Language(
        name=name,
        pairs=pairs,
        labels=re.compile(str(document.get("labels", ""))),
        cues=tuple(cues),
        keys={
            role: {key: tuple(dict.fromkeys(numbers)) for key, numbers in found.items()}
            for role, found in keys.items()
        },
        reasons=lexicon("reasons"),
        hedges=lexicon("hedges"),
        hedge_keys=frozenset(_key(phrase, pairs) for phrase in words("hedges")),
        negations=lexicon("negations"),
        joins=lexicon("joins"),
        openers=frozenset(words("openers")),
        requests=lexicon("requests"),
        asks=_asks([*words("requests"), *words("asks")], words("fillers"), pairs),
        nods=_nods(words("nods"), pairs),
        lead=_lead(words("fillers")),
        pointing=lexicon("pointing"),
        backward=lexicon("backward"),
        showing=lexicon("showing"),
        binding=lexicon("binding"),
        because=lexicon("because"),
        elisions=lexicon("elisions"),
        references=_references(words("references"), pairs),
        claims=lexicon("claims"),
        wishes=tuple(_wish(entry, pairs) for entry in document.get("wishes", ())),
        swaps=tuple(_swap(template, pairs) for template in words("swaps")),
        instead=lexicon("instead"),
    )


def _asks(phrases: Sequence[str], fillers: Sequence[str], pairs: bool) -> re.Pattern[str]:
    """How a sentence begins that asks for something, behind words that say nothing ("ok,", "and then")."""
    if not phrases:
        return re.compile("(?!)")
    if pairs:
        return _phrases(phrases, pairs)
    return re.compile(
        rf"\A\W*(?:{_filled(fillers)}){{0,4}}(?:{'|'.join(_spaced(p) for p in _longest(phrases))})(?![\w'-])",
        re.IGNORECASE,
    )


def _lead(fillers: Sequence[str]) -> re.Pattern[str]:
    """Words at the start of a sentence that say nothing."""
    return re.compile(rf"\A(?:{_filled(fillers)}){{1,4}}" if fillers else "(?!)", re.IGNORECASE)


def _filled(fillers: Sequence[str]) -> str:
    return rf"(?:{'|'.join(_spaced(word) for word in _longest(fillers))})\b[\s,.:;!-]*"


def _nods(phrases: Sequence[str], pairs: bool) -> re.Pattern[str]:
    """A sentence that only nods: one or several of these words and nothing else."""
    if not phrases:
        return re.compile("(?!)")
    one = "|".join(_spaced(phrase) for phrase in _longest(phrases))
    return re.compile(rf"[\W_]*(?:(?:{one}){'' if pairs else '(?![A-Za-z])'}[\W_]*)+", re.IGNORECASE)


def _references(phrases: Sequence[str], pairs: bool) -> re.Pattern[str]:
    """A choice by numbers or letters (group `labels`) behind one of these words: "skip 5, 7, 8", "option A"."""
    if not phrases:
        return re.compile("(?!)")
    label = r"#?(?:\d{1,3}|[A-H])(?![\w.])"
    body = rf"(?P<labels>{label}(?:\s*(?:,|、|和|and|or|&|to|-)\s*{label})*)"
    lead = "|".join(_spaced(phrase) for phrase in _longest(phrases))
    return re.compile(
        rf"{'' if pairs else chr(92) + 'b'}(?i:{lead})\s*(?i:no\.?|number|numbers|items?|#)?\s*{body}"
    )


def _spaced(phrase: str) -> str:
    return r"\s+".join(re.escape(word) for word in phrase.split())


def _words(document: Mapping[str, Any], what: str) -> list[str]:
    words = list(document.get(what, ()))
    if wrong := [word for word in words if not isinstance(word, str)]:
        language = document.get("language", "?")
        raise BadInput(
            f"The words {what} of the language {language} have {wrong[0]!r}, which is no text; quote it."
        )
    return words


def stemmer_of(documents: Iterable[Mapping[str, Any]]) -> Stemmer:
    """The stemmer of the documents' languages. Raises BadInput for a stop word that is no text."""
    tongues = list(documents)
    return Stemmer(
        frozenset(word for one in tongues for word in _words(one, "stop")),
        tuple((str(ending), str(other)) for one in tongues for ending, other in one.get("suffixes", ())),
    )


def _wish(entry: Mapping[str, Any], pairs: bool) -> Wish:
    identity = str(entry.get("id", "?"))
    phrases, unless = list(entry.get("phrases", ())), list(entry.get("unless", ()))
    if not phrases or not all(isinstance(phrase, str) for phrase in (*phrases, *unless)):
        raise BadInput(
            f"The wish {identity} has no phrases, or one that is no text (quote words such as no)."
        )
    return Wish(identity, _phrases(phrases, pairs), _phrases(unless, pairs) if unless else None)


def _swap(template: str, pairs: bool) -> re.Pattern[str]:
    if template.count("{old}") != 1 or template.count("{new}") != 1:
        raise BadInput(f"The swap {template!r} must have {{old}} and {{new}}, each once.")
    term = _PAIRED_TERM if pairs else _TERM
    body = re.escape(template).replace(r"\ ", r"\s+")
    for name in ("old", "new"):
        body = body.replace(rf"\{{{name}\}}", f"(?P<{name}>{term})")
    behind = "" if pairs else r"(?![\w'-])"
    return re.compile((r"(?<![\w'-])" if not pairs else "") + body + behind, re.IGNORECASE)


def _cue(entry: Mapping[str, Any], pairs: bool, order: int) -> Cue:
    identity = str(entry.get("id", "?"))
    kind = entry.get("kind")
    needs = str(entry.get("needs", ""))
    roles = frozenset(map(str, entry.get("roles", ("user",))))
    strength = entry.get("strength")
    if kind not in KINDS:
        raise BadInput(f"The rule {identity} has the kind {kind}; kinds are {', '.join(KINDS)}.")
    if needs not in _NEEDS:
        raise BadInput(f"The rule {identity} needs {needs}; it can need reason or value.")
    if not roles <= _ROLES:
        raise BadInput(
            f"The rule {identity} is for {', '.join(sorted(roles))}; roles are user, assistant, tool."
        )
    if not isinstance(strength, int) or not 1 <= strength <= 10:
        raise BadInput(f"The rule {identity} has the strength {strength}; it must be a number from 1 to 10.")
    phrases = [str(phrase) for phrase in entry.get("phrases", ())]
    if not phrases or not all(isinstance(phrase, str) for phrase in entry["phrases"]):
        raise BadInput(
            f"The rule {identity} has no phrases, or one that is no text (quote words such as no and on)."
        )
    unless = list(entry.get("unless", ()))
    if not all(isinstance(phrase, str) for phrase in unless):
        raise BadInput(
            f"The rule {identity} is taken back by something that is no text; quote words such as no and on."
        )
    return Cue(
        id=identity,
        kind=cast(Kind, kind),
        strength=strength,
        clause=entry.get("scope") == "clause",
        at_start=entry.get("at") == "start",
        needs=needs,
        roles=roles,
        find=_phrases(phrases, pairs),
        unless=_phrases(unless, pairs) if unless else None,
        order=order,
        hedged=bool(entry.get("hedged")),
    )


def _phrases(phrases: Sequence[str], pairs: bool) -> re.Pattern[str]:
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


def _key(phrase: str, pairs: bool) -> str:
    """The longest word of the phrase's first part (for pairs the part itself): what a text must have to match."""
    part = phrase.split(" .. ")[0]
    return part if pairs else max(part.lower().split(), key=len)


def _longest(words: Iterable[str]) -> list[str]:
    return sorted(words, key=lambda word: (-len(word), word))


def _end(word: str) -> str:
    return r"(?![A-Za-z0-9])" if word[-1:].isascii() and word[-1:].isalnum() else ""
