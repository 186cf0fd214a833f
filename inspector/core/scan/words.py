"""Words, and their stems for the subject of a text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct, field

from inspector.core.patterns import late_pattern

#: The characters of scripts that put no spaces between words, for a character class.
UNSPACED = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af"
_UNSPACED = late_pattern(f"[{UNSPACED}]")
#: The letters of scripts that do, for a character class. × and ÷ are none.
SPACED = "A-Za-zÀ-ÖØ-öø-ɏЀ-ӿ"
# Text to stem: a word or a name with its signs, or a run of a script without spaces.
_WORD = late_pattern(rf"[{SPACED}][{SPACED}0-9_'’-]*|[{UNSPACED}]+")
_PART = late_pattern(rf"[{SPACED}]{{2,}}|\d+")
#: Full-width letters, digits and signs of numbers, in order, and their ASCII forms.
_WIDE_SIGNS = "".join(
    chr(sign + 0xFEE0) for sign in range(0x21, 0x7F) if chr(sign).isalnum() or chr(sign) in "%+-./"
)
_WIDE = late_pattern(f"[{_WIDE_SIGNS}]")
_NARROW = str.maketrans({sign: chr(ord(sign) - 0xFEE0) for sign in _WIDE_SIGNS})
#: Number of words whose stems are cached.
_REMEMBERED = 50_000


def word_set(words: str) -> frozenset[str]:
    """Return the words of a text, parted by spaces, as a set."""
    return frozenset(words.split())


def narrow(text: str) -> str:
    """Return a text with each full-width letter, digit and sign of a number as its ASCII form. No place changes."""
    return text if text.isascii() or _WIDE.search(text) is None else text.translate(_NARROW)


def has_unspaced(text: str) -> bool:
    """Whether a text has characters of a script without spaces between words."""
    return not text.isascii() and _UNSPACED.search(text) is not None


def folded(text: str) -> str:
    """A text for comparing word for word: one line, lower case, without marks at its ends."""
    return " ".join(text.split()).lower().strip(" .。!！;；,，:：'\"“”‘’`*")


class Stemmer(Struct, frozen=True, eq=False):
    """Brings words to one form: `stem` takes a word in lower case; `stop` are words that speak of nothing."""

    stop: frozenset[str] = frozenset()
    stem: Callable[[str], str] = str
    _known: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def words(self, text: str, without: Sequence[tuple[int, int]] = ()) -> Iterator[str]:
        """The stems of the words that a text speaks of, in order.

        Stop words are left out, names come in their parts, scripts without spaces as pairs of characters. Words that
        start inside the spans `without` (half-open, in characters) are left out too.
        """
        for match in _WORD.finditer(text):
            if without and any(a <= match.start() < b for a, b in without):
                continue
            word = match.group()
            if word[0] >= "\u3040":
                yield from (word[at : at + 2] for at in range(max(1, len(word) - 1)))
            else:
                yield from self.stems(word)

    def stems(self, word: str) -> tuple[str, ...]:
        """The stems of one word: nothing for a stop word, several for a name such as pool_size."""
        stems = self._known.get(word)
        if stems is None:
            if len(self._known) > _REMEMBERED:
                self._known.clear()
            stems = self._known[word] = tuple(dict.fromkeys(self._stems(word)))
        return stems

    def _stems(self, word: str) -> Iterator[str]:
        # Russian is mostly typed without the dots of ё.
        lower = word.lower().replace("ё", "е").strip("'’-_").removesuffix("'s").removesuffix("’s")
        if lower in self.stop:
            return
        parts = _PART.findall(lower) if any(mark in lower for mark in "_-") else [lower]
        for part in parts:
            if len(part) > 1 and part not in self.stop:
                yield self.stem(part)
