"""In which language a text is, by its small words or its script, and the rules that count there.

English and Chinese are always looked for. Of any other language the file is read when a text is in it, and there its
rules alone count: "no" and "do" are other words in Portuguese, "die" is one in German.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from inspector.core.scan.words import UNSPACED
from inspector.quality.facts.lexicon import Language, Rules

#: So many characters of a text tell its language.
_MOST = 60_000
_LONG = 400
# A word of prose, no part of a name, path or address.
_WORD = re.compile(r"(?<![\w./@:\\])[^\W\d_]+(?!\w|[./@:\\]\w)")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
#: Of so many different small words one may be a name or a word of code.
_SURE = 2
#: A text of no more words may have one small word alone, if that has so many letters.
_SHORT, _TELLING = 5, 3
#: Of the characters of scripts without spaces so many are at least those that no other language has.
_OWN = 10
#: Fewer letters tell no language.
_FEW = 8


@dataclass(frozen=True, slots=True, eq=False)
class Others:
    """The languages that are not always looked for, in order. `words` leads from a small word to the languages that
    have it, `also` from a language to words that English or code have too, which count beside one of those; `scripts`
    are characters that a language alone has, `any_script` those of all, `usual` the small words of those that are
    always looked for. `compiled` gives the rules of one, made of its file and of the rules that are always looked
    for."""

    names: tuple[str, ...]
    words: Mapping[str, tuple[str, ...]]
    also: Mapping[str, frozenset[str]]
    scripts: Mapping[str, re.Pattern[str]]
    any_script: re.Pattern[str]
    usual: frozenset[str]
    compiled: Callable[[str, Rules], Rules]
    _known: dict[str, Rules] = field(default_factory=dict, repr=False)

    def rules(self, name: str, base: Rules) -> Rules:
        """The rules of one of these languages; `base`, which are always looked for, for any other name."""
        if name not in self.names:
            return base
        if name not in self._known:
            self._known[name] = self.compiled(name, base)
        return self._known[name]

    def silent(self, text: str) -> bool:
        """Whether nothing of a text is in one of these languages."""
        # Of a long text in another language some words stand between spaces.
        words = text[:_MOST].lower().split() if len(text) > _LONG else _words(text)
        return self.words.keys().isdisjoint(words) and not self.by_script(text)

    def by_script(self, text: str) -> str:
        """The language whose script a text has; "" mostly."""
        if text.isascii() or self.any_script.search(text, 0, _MOST) is None:
            return ""
        for name, script in self.scripts.items():
            own = len(script.findall(text, 0, _MOST))
            if own and own * _OWN >= len(_UNSPACED.findall(text, 0, _MOST)):
                return name
        return ""

    def by_words(self, text: str, default: str = "") -> str:
        """The language whose small words a text has most of, "" for those that are always looked for; `default` where
        small words do not tell."""
        words = set(_words(text))
        usual = len(words & self.usual)
        counts = Counter(name for word in words.intersection(self.words) for name in self.words[word])
        if not counts:
            return "" if usual else default
        also = {name: len(words & self.also[name]) for name in counts}
        for name, more in also.items():
            counts[name] += min(counts[name], more)

        def order(one: tuple[str, int]) -> tuple[int, bool, int, int]:
            name, count = one
            return -count, name != default, -also[name], self.names.index(name)

        best, most = min(counts.items(), key=order)
        if most < usual:
            return ""
        if most == usual or best == default:
            return default
        alone = [*counts.values()].count(most) == 1
        short = len(words) <= _SHORT and not usual
        telling = short and alone and any(len(word) >= _TELLING for word in words.intersection(self.words))
        return best if telling or most >= _SURE else default


def _words(text: str) -> Sequence[str]:
    return _WORD.findall(text[:_MOST].lower())


def rules_of(text: str, rules: Rules) -> Rules:
    """The rules of the language that a text is in."""
    others = rules.others
    if others is None or others.silent(text):
        return rules
    return others.rules(others.by_script(text) or others.by_words(text), rules)


def by_sentence(text: str, rules: Rules) -> Callable[[str], Rules]:
    """What tells of a sentence of a text by which rules it is read: those of its own language, and where that cannot be
    told those of the language that most of the text is in."""
    others = rules.others
    if others is None or others.silent(text):
        return lambda sentence: rules
    most = others.by_words(text)

    @cache
    def spoken_in(sentence: str) -> Rules:
        return others.rules(others.by_script(sentence) or others.by_words(sentence, most), rules)

    return spoken_in


def tongue_of(text: str, rules: Rules) -> str:
    """The language that most of a text is in: its name, "?" for a script that no file knows, "" where neither script
    nor small words tell. `rules` are those that are always looked for."""
    text = text[:_MOST]
    letters = sum(map(str.isalpha, text))
    if letters < _FEW:
        return ""
    unspaced = len(_UNSPACED.findall(text))
    others = rules.others
    # Headings, names and commands are Latin in any language.
    if unspaced and unspaced >= len(_words(text)):
        return (others.by_script(text) if others is not None else "") or "zh"
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
        return rules.others.rules(name, rules)
    return rules if any(language.name == name for language in rules.languages) else rules_of(text, rules)
