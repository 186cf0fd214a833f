"""In which language a text is, by its small words or its script."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inspector.core.scan.words import UNSPACED

#: So many characters of a text tell its language.
MOST = 60_000
_LONG = 400
# A word of prose, no part of a name, path or address.
_WORD = re.compile(r"(?<![\w./@:\\])[^\W\d_]+(?!\w|[./@:\\]\w)")
_UNSPACED = re.compile(f"[{UNSPACED}]")
#: Of so many different small words one may be a name or a word of code.
_SURE = 2
#: A text of no more words may have one small word alone, if that has so many letters.
_SHORT, _TELLING = 5, 3
#: Of the characters of scripts without spaces so many are at least those that no other language has.
_OWN = 10
#: For each word in its letters so many names in others may stand in a text that does not begin with one.
_NAMED = 2


@dataclass(frozen=True, slots=True, eq=False)
class OtherLanguages:
    """The languages that are not always looked for, in order. `words` leads from a small word to the languages that
    have it, `also` from a language to words that English or code have too, which count beside one of those; `scripts`
    are characters that a language alone has and writes without spaces, `letters` those that it has its words of,
    `any_script` all of them, `usual` the small words of those that are always looked for."""

    names: tuple[str, ...]
    words: Mapping[str, tuple[str, ...]]
    also: Mapping[str, frozenset[str]]
    scripts: Mapping[str, re.Pattern[str]]
    letters: Mapping[str, re.Pattern[str]]
    any_script: re.Pattern[str]
    usual: frozenset[str]

    def silent(self, text: str) -> bool:
        """Whether nothing of a text is in one of these languages."""
        # Of a long text in another language some words stand between spaces.
        words = text[:MOST].lower().split() if len(text) > _LONG else words_of(text)
        if not self.words.keys().isdisjoint(words) or self.by_script(text):
            return False
        return text.isascii() or not any(one.search(text, 0, MOST) for one in self.letters.values())

    def by_script(self, text: str) -> str:
        """The language whose script a text has; "" mostly."""
        if text.isascii() or self.any_script.search(text, 0, MOST) is None:
            return ""
        for name, script in self.scripts.items():
            own = len(script.findall(text, 0, MOST))
            if own and own * _OWN >= len(_UNSPACED.findall(text, 0, MOST)):
                return name
        return self.by_letters(text)

    def by_letters(self, text: str) -> str:
        """The language whose letters a text is in, but for names and commands; "" mostly."""
        if text.isascii() or self.any_script.search(text, 0, MOST) is None:
            return ""
        words = list(dict.fromkeys(words_of(text)))
        usual = len(self.usual.intersection(words))
        for name, letters in self.letters.items():
            own = [word for word in words if letters.match(word)]
            # Many names may stand in a sentence, hardly any small word of another language.
            named = own[:1] == words[:1] or len(own) * _NAMED >= len(words) - len(own)
            if len(own) > usual and named and len(own) >= unspaced_in(text):
                return name
        return ""

    def by_words(self, text: str, default: str = "") -> str:
        """The language whose small words a text has most of, "" for those that are always looked for; `default` where
        small words do not tell."""
        words = set(words_of(text))
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


def words_of(text: str) -> Sequence[str]:
    """The words of prose in lower case, as far as they tell a language."""
    return _WORD.findall(text[:MOST].lower())


def unspaced_in(text: str) -> int:
    """How many characters of scripts without spaces there are."""
    return len(_UNSPACED.findall(text, 0, MOST))
