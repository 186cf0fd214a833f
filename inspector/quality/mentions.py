"""Mentions of a request in a summary."""

from __future__ import annotations

from inspector.core.scan.words import Stemmer
from inspector.summaries.content import content_words
from inspector.summaries.parse import parse_summary

#: Minimum share of words that a request and an entry of the summary share, and minimum content words of a request.
MIN_WORD_OVERLAP = 0.6
MIN_WORDS = 3
#: Minimum number of shared words if the entry is shorter than the request.
MIN_SHARED_WORDS = 4
#: Characters of a request that identify a quote. A quote of at least FUZZY characters may have typos; its minimum
#: likeness (0 to 100) is LIKE.
QUOTED, FUZZY, LIKE = 60, 20, 80
#: Minimum share of a request's words in a whole summary. A request with fewer is absent.
SOME_WORDS = 1 / 3


def mention_of(text: str, summary: str, stemmer: Stemmer) -> str:
    """Return how a summary mentions a request: quoted, or by shared words; "" if it does not."""
    from rapidfuzz import fuzz

    start, whole = " ".join(text.split())[:QUOTED].strip().casefold(), " ".join(summary.split()).casefold()
    if start and (start in whole or (len(start) >= FUZZY and fuzz.partial_ratio(start, whole) >= LIKE)):
        return "quoted"
    words = content_words(text, stemmer)
    if len(words) < MIN_WORDS:
        return ""
    entries = [item for _, item in parse_summary(summary).items()]
    for item in entries:
        entry = content_words(item.text, stemmer)
        there = len(words & entry)
        if there >= MIN_WORD_OVERLAP * len(words):
            return f"{there} of its {len(words)} words"
        # An entry may shorten a long request: most words of the entry are from the request.
        if there >= MIN_SHARED_WORDS and there >= MIN_WORD_OVERLAP * len(entry):
            return f"an entry has {there} of its {len(entry)} words from it"
    return ""


def is_absent(text: str, summary: str, stemmer: Stemmer) -> bool:
    """Return whether a summary has less than SOME_WORDS of the words of a request with at least MIN_WORDS."""
    words = content_words(text, stemmer)
    there = words & content_words(summary, stemmer)
    return len(words) >= MIN_WORDS and len(there) < SOME_WORDS * len(words)
