"""The language of a text, by its script and its small words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from inspector.core.patterns import late_pattern
from inspector.core.scan.words import word_set

_LATIN = late_pattern(r"[A-Za-zÀ-ɏ]{2,}")
_SMALL_WORDS: Mapping[str, frozenset[str]] = {
    "en": word_set("the and is are to of in for with not be it on must this that we you should use please when "
               "don't from"),
    "de": word_set("der die das und ist nicht wir für mit den dem ein eine im auf zu bei nur muss keine soll bitte "
               "sind wird immer auch noch als kann kannst wenn aber oder nach"),
    "es": word_set("el los las de que y en para con no se una del al siempre antes nunca por es son debe"),
    "fr": word_set("le les des et est pas pour avec sur une dans du au que qui ne la doit doivent on quand toujours"),
    "id": word_set("yang dan di ini itu tidak dengan untuk dari saya kamu ada sudah bisa akan jangan kalau juga semua"),
    "it": word_set("il gli che di della sono questo anche più deve sempre nelle quando"),
    "nl": word_set("het een niet voor moet ook maar altijd nooit naar deze worden zijn geen wel"),
    "pl": word_set("się jest że dla jak ale zawsze nigdy proszę tego tylko oraz przez"),
    "pt": word_set("o os as de que e em para com não uma do da dos das no na sempre nunca podem deve por"),
    "tr": word_set("ve bir bu için ile değil çok gibi olarak ama lütfen hiç"),
}  # fmt: skip
# A result of a tool among the turns that a summary of OpenClaw keeps, up to the next turn or section.
_TOOL_RESULT = late_pattern(
    r"^- Tool result \([^\n]*+\n?(?:(?!- (?:User|Assistant|Tool result)\b|## )[^\n]*+\n)*+", re.MULTILINE
)
# Quoted words and code in a summary. They keep the language of the user.
_QUOTED = late_pattern(r"\"[^\"\n]{1,400}\"|“[^“”\n]{1,400}”|「[^「」\n]{1,400}」|`[^`\n]{1,400}`")
#: Maximum share of words with letters outside ASCII in an English text.
_MAX_ACCENTED = 0.3


def language_of(text: str) -> str:
    """Return the language of a text by its script and its small words, "" if these do not decide.

    "other" is a language without a list of small words: many of its words have letters that English does not have.
    """
    sample = text[:4_000]
    if re.search("[\u3040-\u30ff]", sample):
        return "ja"
    if len(re.findall("[\u4e00-\u9fff]", sample)) > max(1, len(_LATIN.findall(sample))):
        return "zh"
    if re.search("[\uac00-\ud7af]", sample):
        return "ko"
    if len(re.findall("[Ѐ-ӿ]", sample)) > 8:
        return "ru"
    words = re.findall(r"[^\W\d_]+(?:'[a-z]+)?", sample.lower())
    word_counts = Counter(words)
    counts = {language: sum(word_counts[word] for word in small) for language, small in _SMALL_WORDS.items()}
    best = max(counts, key=lambda language: (counts[language], language == "en"))
    others = max(count for language, count in counts.items() if language != best)
    if counts[best] > others or (best == "en" and counts[best]):
        return best
    accented = sum(not word.isascii() for word in words)
    return "other" if accented > max(1, _MAX_ACCENTED * len(words)) else ""


def summary_language(text: str) -> str:
    """Return the language of a summary as `language_of` does. Quotes and results of tools are not its own words."""
    return language_of(_QUOTED.sub("", _TOOL_RESULT.sub("", text)))


def quoted_language(text: str) -> str:
    """Return the language of the quotes in a summary as `language_of` does."""
    return language_of("\n".join(_QUOTED.findall(_TOOL_RESULT.sub("", text))))
