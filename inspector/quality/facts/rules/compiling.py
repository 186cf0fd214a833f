"""The data files of the rules of facts, compiled. The files are read elsewhere; here they are plain mappings."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, cast

from inspector.core.errors import BadInput
from inspector.core.scan.exact import LINE, PATTERNS
from inspector.core.scan.words import Stemmer
from inspector.quality.facts.fact import KINDS, Kind
from inspector.quality.facts.rules.lexicon import Cue, Form, Language, Rules, Voices, Wish
from inspector.quality.facts.rules.other_languages import OtherLanguages
from inspector.quality.facts.rules.phrases import (
    asks,
    choices,
    contrast,
    joints,
    key_of,
    lead,
    lead_on,
    longest,
    narrates,
    nods,
    phrases_of,
    references,
    whole_end,
)

# The place before and behind a value: no letter, digit or joining sign, so that no value is cut out of a longer one.
_BEFORE = r"(?<![A-Za-z0-9_./@#%&+-])"
_BEHIND = r"(?![A-Za-z0-9_%])"
# Nothing that is a value lacks all of these, but for numbers in words and days.
_WORTH = r"[0-9/_#]|--|\.[a-z]|(?-i:[a-z][A-Z])"
_NEEDS = ("", "reason", "value", "number", "name")
_ROLES = frozenset({"user", "assistant", "tool"})
# What is exchanged: something in quotes, or one word (in a script without spaces, up to the end of the clause).
_QUOTED = r"[\"'`“‘「][^\"'`”’」\n]{1,40}[\"'`”’」]"
_TERM = rf"(?:{_QUOTED}|[\w+#@/][\w.+#@/-]*[\w+#]|\w)"
_PAIRED_TERM = (
    rf"(?:{_QUOTED}|[A-Za-z0-9_.+#@/-]+|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{{1,6}}?"
    r"(?=[，。；：！、,.;:!\s]|$|改|换|而|不))"
)


def rules_from(
    documents: Iterable[Mapping[str, Any]],
    others: Mapping[str, Callable[[], Mapping[str, Any]]] | None = None,
    state: str = "",
) -> Rules:
    """Compile the documents of the data files: the shared one ("any") and those of the languages that are looked for in
    every text, in order. `others` read the document of another language, where a text is in it; `state` changes with
    what they read.

    Raises BadInput with a sentence that names the rule that cannot be used.
    """
    found = list(documents)
    text = json.dumps([*found, dict(PATTERNS)], sort_keys=True, ensure_ascii=False, default=str) + state
    version = hashlib.blake2b(text.encode("utf-8", errors="surrogatepass"), digest_size=8).hexdigest()
    shared = next((one for one in found if one.get("language") == "any"), None)
    if shared is None:
        raise BadInput(
            "The rules of facts have no document for the language any, which says how values are written."
        )
    tongues = [one for one in found if one is not shared]
    languages = tuple(_language(one, 1000 * at) for at, one in enumerate(tongues))
    rules = _rules(version, shared, tongues, languages)
    if not others:
        return rules
    names = [*others]

    @cache
    def read(name: str) -> Rules:
        return _narrowed(rules, others[name](), 1000 * (len(languages) + names.index(name)))

    return replace(rules, others=_others(shared, rules, names), read=read)


def _others(shared: Mapping[str, Any], rules: Rules, names: Sequence[str]) -> OtherLanguages:
    """The languages that are looked for where a text is in them, by what the shared document says of each."""
    known = shared.get("known", {})
    words: dict[str, tuple[str, ...]] = {}
    scripts, letters = (
        {name: re.compile(f"[{known[name][what]}]") for name in names if what in known.get(name, {})}
        for what in ("script", "letters")
    )
    for name in names:
        entry = known.get(name, {})
        for word in _words({"language": name, **entry}, "words"):
            words[word] = (*words.get(word, ()), name)
    also = {name: frozenset(_words({"language": name, **known.get(name, {})}, "also")) for name in names}
    usual = rules.stemmer.stop.difference(words, *also.values(), _words(shared, "ambiguous"))

    every = [one.pattern for one in (*scripts.values(), *letters.values())]
    any_script = re.compile("|".join(every) or "(?!)")
    return OtherLanguages(tuple(names), words, also, scripts, letters, any_script, usual)


def _narrowed(base: Rules, document: Mapping[str, Any], order: int) -> Rules:
    """The rules with one other language alone. What is compared (endings, units) stays that of all."""
    stemmer = Stemmer(base.stemmer.stop.union(_words(document, "stop")), base.stemmer.suffixes)
    return replace(
        base,
        languages=(_language(document, order),),
        stemmer=stemmer,
        quantities=base.quantities.union(stemmer.words(" ".join(_words(document, "quantities")))),
        asking=base.asking.union(stemmer.words(" ".join(_words(document, "asking")))),
        places=base.places.union(_words(document, "places")),
    )


def _rules(
    version: str,
    shared: Mapping[str, Any],
    tongues: Sequence[Mapping[str, Any]],
    languages: tuple[Language, ...],
) -> Rules:
    spoken = (*tongues, shared)
    units = {str(w): str(line[0]) for one in spoken for line in one.get("units", ()) for w in line}
    numerals = {str(k): str(v) for one in tongues for k, v in one.get("numerals", {}).items()}
    months = {str(k): int(v) for one in spoken for k, v in one.get("months", {}).items()}
    prefixes = [str(sign) for one in tongues for sign in one.get("prefixes", ())]
    spelled = _spelled(units)
    forms: dict[str, Form] = {}
    patterns: list[str] = []
    mentions: list[str] = []
    for name, pattern in _dates(spoken, longest(months)):
        forms[name] = Form(name, False, False, False, "")
        patterns.append(f"(?P<{name}>{pattern})")
    words = "|".join(map(re.escape, longest(numerals)))
    if words and spelled:
        forms["numeral"] = Form("numeral", False, False, True, "")
        counted = _spelled(str(w) for one in tongues for line in one.get("units", ()) for w in line)
        patterns.append(f"(?P<numeral>(?:{words})\\s?(?:{counted}))")
    days = longest(str(day) for one in tongues for day in one.get("weekdays", ()))
    if days:
        forms["weekday"] = Form("weekday", False, False, False, "")
        named = (
            f"{re.escape(d.capitalize())}s?|{re.escape(d)}s?" if d.isascii() else re.escape(d) for d in days
        )
        patterns.append(f"(?P<weekday>{'|'.join(named)})")
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
            # The lower end of a range ("5-10 minutes").
            lower = f"(?:{pattern}\\s?[-–]\\s?(?={pattern}[\\s-]?(?:{spelled})))?"
            pattern = f"{sign}{lower}{pattern}(?:[\\s-]?(?:{spelled}))?" if spelled else pattern
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
            quantities=frozenset(stemmer_of(spoken).words(" ".join(map(str, shared.get("quantities", ()))))),
            common=frozenset(map(str, shared.get("common", ()))),
            places=frozenset(str(word) for one in tongues for word in one.get("places", ())),
            measures=frozenset(map(str, shared.get("measures", ()))),
            scales=tuple((str(a), str(b), int(n)) for a, b, n in shared.get("scales", ())),
            fleeting=frozenset(str(word) for one in tongues for word in one.get("fleeting", ())),
            asking=frozenset(
                stemmer_of(spoken).words(" ".join(w for one in tongues for w in _words(one, "asking")))
            ),
            stemmer=stemmer_of(spoken),
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
    wraps = [re.escape(str(tag)) for tag in entry.get("wraps", ())]
    return Voices(
        starts=either("starts", r"\s*"),
        block=re.compile(rf"<(?P<tag>{'|'.join(tags)})(?:\s[^<>]*)?>" if tags else "(?!)"),
        note=either("notes"),
        own=re.compile(rf"<(?:{'|'.join(own)})>(?P<said>[^<>]+)<" if own else "(?!)"),
        wrap=re.compile(rf"</?(?:{'|'.join(wraps)})(?:\s[^<>]*)?>" if wraps else "(?!)"),
        hint=either("hints", r"\s*"),
        spoken=tuple(re.compile(str(pattern)) for pattern in entry.get("spoken", ())),
        answers=tuple(re.compile(str(pattern), re.MULTILINE) for pattern in entry.get("answers", ())),
        onward=either("onward"),
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
    written = (r"[ \t]+".join(map(re.escape, command.split())) for command in longest(tools))
    return re.compile(rf"(?<![\w./@-])(?:{'|'.join(written)})(?![\w@-]|\.\w)")


def _spelled(units: Iterable[str]) -> str:
    """What matches the longest of some units, alike ones together: a place in a text is in few of them."""
    by_end: dict[str, dict[str, list[str]]] = {}
    for unit in longest(units):
        by_end.setdefault(whole_end(unit), {}).setdefault(unit[0], []).append(re.escape(unit[1:]))
    alike = {
        end: "|".join(f"{re.escape(first)}(?:{'|'.join(rest)})" for first, rest in by_first.items())
        for end, by_first in by_end.items()
    }
    return "|".join(f"(?:{those}){end}" for end, those in alike.items())


def _dates(spoken: Sequence[Mapping[str, Any]], every: Sequence[str]) -> Iterable[tuple[str, str]]:
    """The date patterns of every language, their groups renamed so that all fit into one expression. `every` has the
    months of all languages."""
    for one in spoken:
        for at, pattern in enumerate(one.get("dates", ())):
            name = f"date_{one['language']}_{at}"
            whole = str(pattern).replace("{months}", _either(longest(one.get("months", {}))))
            whole = whole.replace("{every}", _either(every))
            yield name, re.sub(r"\(\?P<(\w+)>", lambda found, name=name: f"(?P<{name}_{found[1]}>", whole)  # type: ignore[misc]


def _either(months: Iterable[str]) -> str:
    return "|".join(re.escape(form) for month in months for form in (month.capitalize(), month))


def _language(document: Mapping[str, Any], order: int) -> Language:
    name = str(document.get("language", "?"))
    pairs = document.get("words") == "pairs"
    cues: list[Cue] = []
    keys: dict[str, dict[str, list[int]]] = {}
    for entry in document.get("rules", ()):
        cue = _cue(entry, pairs, order + len(cues))
        for phrase in entry["phrases"]:
            for role in cue.roles:
                keys.setdefault(role, {}).setdefault(key_of(phrase, pairs), []).append(len(cues))
        cues.append(cue)

    def words(what: str) -> list[str]:
        return _words(document, what)

    def lexicon(what: str) -> re.Pattern[str]:
        return phrases_of(words(what), pairs)

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
        hedge_keys=frozenset(key_of(phrase, pairs) for phrase in words("hedges")),
        guesses=lexicon("guesses"),
        hopes=lexicon("hopes"),
        negations=lexicon("negations"),
        denials=phrases_of([*words("negations"), *words("denials")], pairs),
        declines=lexicon("declines"),
        joins=lexicon("joins"),
        openers=frozenset(words("openers")),
        requests=lexicon("requests"),
        asks=asks([*words("requests"), *words("asks")], words("fillers"), words("stating"), pairs),
        inquiries=asks(
            words("inquiries"), [*words("fillers"), *words("requests"), *words("wanting")], [], pairs
        ),
        errands=asks(
            words("errands"),
            [*words("fillers"), *words("requests"), *words("wanting")],
            words("stating"),
            pairs,
        ),
        narrates=narrates(words("narrating"), words("praise"), words("asks"), pairs),
        agrees=nods(words("agrees"), pairs),
        approvals=lexicon("approvals"),
        nods=nods(words("nods"), pairs),
        lead=lead(words("fillers")),
        pointing=lexicon("pointing"),
        backward=lexicon("backward"),
        showing=lexicon("showing"),
        because=lexicon("because"),
        elisions=lexicon("elisions"),
        references=references(
            words("references"), [*words("between"), *words("ranging")], words("numbering"), pairs
        ),
        claims=lexicon("claims"),
        choices=choices(
            [*words("references"), *words("choosing")],
            words("fillers"),
            words("closing"),
            words("between"),
            pairs,
        ),
        wishes=tuple(_wish(entry, pairs) for entry in document.get("wishes", ())),
        swaps=tuple(_swap(template, words("articles"), pairs) for template in words("swaps")),
        instead=lexicon("instead"),
        contrast=contrast(words("contrast"), pairs),
        locators=re.compile("|".join(words("locators")) or "(?!)", re.IGNORECASE),
        joints=joints(words("joints")),
        subjects=lexicon("subjects"),
        conditions=lead_on(words("joints"), words("conditions")),
    )


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
    return Wish(identity, phrases_of(phrases, pairs), phrases_of(unless, pairs) if unless else None)


def _swap(template: str, articles: Sequence[str], pairs: bool) -> re.Pattern[str]:
    if template.count("{old}") != 1 or template.count("{new}") != 1:
        raise BadInput(f"The swap {template!r} must have {{old}} and {{new}}, each once.")
    before = rf"(?:(?:{'|'.join(map(re.escape, longest(articles)))})\s+)*?" if articles else ""
    term = _PAIRED_TERM if pairs else before + _TERM
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
        raise BadInput(f"The rule {identity} needs {needs}; it can need reason, value, number or name.")
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
        find=phrases_of(phrases, pairs),
        unless=phrases_of(unless, pairs) if unless else None,
        order=order,
        hedged=bool(entry.get("hedged")),
    )
