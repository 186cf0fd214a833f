"""How a sentence is put, by the rules of its language: as a request, a question, an errand, a guess."""

from __future__ import annotations

import re

from inspector.core.scan.words import has_unspaced
from inspector.quality.facts.rules.lexicon import Language, Rules

_CODE = re.compile(r"`[^`\n]+`")
_TOKENS = re.compile(r"[^\s,.;:!?()\"“”*`]+")


def language_of(body: str, rules: Rules) -> Language | None:
    """The language of a sentence: one of pairs where it has such characters, else the first of the others; the only one
    where there is but one."""
    unspaced = has_unspaced(body)
    return next((one for one in rules.languages if one.pairs is unspaced or len(rules.languages) == 1), None)


def requested(body: str, rules: Rules) -> bool:
    """Whether a question is a request that is put politely."""
    return any(_stands(language, language.requests, body) for language in rules.languages)


def inquires(body: str, rules: Rules) -> bool:
    """Whether a sentence only asks to be told something ("show me where ..."), with or without its mark."""
    return any(_stands(language, language.inquiries, body) for language in rules.languages)


def _stands(language: Language, phrases: re.Pattern[str], body: str) -> bool:
    """Whether a sentence begins with one of some phrases, in a language of pairs has one anywhere."""
    if language.pairs:
        return has_unspaced(body) and phrases.search(body) is not None
    return phrases.match(body) is not None


def is_errand(body: str, rules: Rules) -> bool:
    """Whether a sentence asks for something that is done and over ("run the tests")."""
    return any(_stands(language, language.errands, body) for language in rules.languages)


def words_in(body: str) -> frozenset[str]:
    """The words of a sentence in lower case."""
    return frozenset(_TOKENS.findall(body.lower()))


def is_hedged(body: str, rules: Rules) -> bool:
    """Whether a sentence says that it may not be so ("maybe", "I think"); what stands in code marks says nothing of it
    (`if exists`)."""
    body = _CODE.sub(" ", body)
    words = words_in(body)
    for language in rules.languages:
        if language.pairs:
            if has_unspaced(body) and language.hedges.search(body):
                return True
        elif words & language.hedge_keys and language.hedges.search(body):
            return True
    return False


def is_guessed(body: str, rules: Rules) -> bool:
    """Whether all that is hedged in a sentence is that it is a guess."""
    for language in rules.languages:
        if not language.pairs or has_unspaced(body):
            body = language.guesses.sub("", body)
    return not is_hedged(body, rules)
