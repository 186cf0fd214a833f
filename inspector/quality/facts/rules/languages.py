"""The rules that count in a text, by the language that it is in.

English and Chinese are always looked for. Of any other language the file is read when a text is in it, and there its
rules alone count: "no" and "do" are other words in Portuguese, "die" is one in German.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from inspector.quality.facts.rules.lexicon import Language, Rules
from inspector.quality.facts.rules.other_languages import MOST, unspaced_in, words_of

_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
#: Fewer letters tell no language.
_FEW = 8


def rules_of(text: str, rules: Rules) -> Rules:
    """The rules of the language that a text is in."""
    others = rules.others
    if others is None or others.silent(text):
        return rules
    return rules.of(others.by_script(text) or others.by_words(text))


def by_sentence(text: str, rules: Rules) -> Callable[[str], Rules]:
    """What tells of a sentence of a text by which rules it is read: those of its own language, and where that cannot be
    told those of the language that most of the text is in."""
    others = rules.others
    if others is None or others.silent(text):
        return lambda sentence: rules
    most = others.by_words(text)

    @cache
    def spoken_in(sentence: str) -> Rules:
        return rules.of(others.by_script(sentence) or others.by_words(sentence, most))

    return spoken_in


def tongue_of(text: str, rules: Rules) -> str:
    """The language that most of a text is in: its name, "?" for a script that no file knows, "" where neither script
    nor small words tell. `rules` are those that are always looked for."""
    text = text[:MOST]
    letters = sum(map(str.isalpha, text))
    if letters < _FEW:
        return ""
    unspaced = unspaced_in(text)
    others = rules.others
    # Headings, names and commands are Latin in any language.
    if unspaced and unspaced >= len(words_of(text)):
        return (others.by_script(text) if others is not None else "") or "zh"
    if own := others.by_letters(text) if others is not None else "":
        return own
    if len(_LATIN.findall(text)) * 2 < letters - unspaced:
        return "?"
    found = others.by_words(text, "?") if others is not None else ""
    if found == "":
        # Those that are always looked for and have words.
        return next((one.name for one in rules.languages if not one.pairs), "")
    return "" if found == "?" else found


def languages_of(rules: Rules, *texts: str) -> tuple[Language, ...]:
    """The languages that are always looked for, and those that some texts are in."""
    more = (language for text in texts for language in rules_of(text, rules).languages)
    return tuple({language.name: language for language in (*rules.languages, *more)}.values())


def rules_named(rule: str, text: str, rules: Rules) -> Rules:
    """The rules of the language that a rule is of ("es.never"), else of the one that a text is in."""
    name = rule.partition(".")[0]
    if rules.others is not None and name in rules.others.names:
        return rules.of(name)
    return rules if any(language.name == name for language in rules.languages) else rules_of(text, rules)
