"""Tell whether a sentence states an act (it orders, permits or reports it) or only mentions it ("was discussed")."""

from __future__ import annotations

import re
from collections.abc import Set

from inspector.core.patterns import late_pattern
from inspector.quality.facts.meaning import BREAK
from inspector.quality.facts.rules import concept, load_stemmer

_WORD = late_pattern(r"[^\W\d_]{2,}")
#: Matches words after which an act is only a subject: "asked why emails are logged", "talked about caching".
_MENTIONS = late_pattern(
    r"\b(?:why|whether|how|about|ask(?:ed|s)?|question\w*|discuss\w*|talk\w*|consider\w*|mention\w*|debat\w*|"
    r"look(?:ed|ing)? (?:at|into)|investigat\w*)\b",
    re.IGNORECASE,
)
#: Matches words of an order or a permission.
_PERMITS = late_pattern(
    r"\b(?:(?-i:may)|can|could|must|should|shall|(?:needs?|has|have|free) to|allowed|permitted|approved|enabled|"
    r"required|ok(?:ay)?|fine|possible|always|please)\b",
    re.IGNORECASE,
)
#: Matches the end of the words before a participle that describes a thing: "the cached list".
_DESCRIBES = late_pattern(r"\b(?:the|an?|this|that|these|those|all|any|each|every|no)\s+\Z", re.IGNORECASE)
_IS = late_pattern(r"\b(?:am|is|are|was|were|be|been)\s+(?:\w+ly\s+)?\Z", re.IGNORECASE)
#: Matches the start of a dependent clause.
_DEPENDS = late_pattern(
    r"\b(?:that|which|who|if|when|because|since|while|after|before|until|unless|so)\b", re.IGNORECASE
)
#: Matches a verb after an act that makes the act its subject: "force push was discussed", "restart failed with E12".
_PREDICATE = late_pattern(
    r"\b(?:is|are|was|were|has|had|comes?|came|works?|breaks?|broke|fails?|"
    r"\w{3,}ed(?=\s*(?:\Z|(?:with|in|on|at|by|due|again|once|twice|and)\b)))(?!\w)",
    re.IGNORECASE,
)


def only_mentions(text: str, acts: Set[str]) -> bool:
    """Return whether a sentence has one of some acts, given as concepts, and states none of them."""
    mentioned = False
    for clause in BREAK.split(text):
        for word in _WORD.finditer(clause):
            if acts.isdisjoint(map(concept, load_stemmer().stems(word.group().lower()))):
                continue
            if _is_stated(clause, *word.span()):
                return False
            mentioned = True
    return mentioned


def _is_stated(clause: str, start: int, end: int) -> bool:
    """Return whether a clause orders, permits or reports the act at a place."""
    before, after = clause[:start], _DEPENDS.split(clause[end:], maxsplit=1)[0]
    if _MENTIONS.search(before):
        return False
    if _PERMITS.search(clause):
        return True
    word = clause[start:end].lower()
    is_predicate = _IS.search(before) is not None
    if word.endswith("ed") and (is_predicate or _DESCRIBES.search(before)):
        return is_predicate
    if word.endswith("ing") and _WORD.search(before) and not is_predicate:
        return False
    return _PREDICATE.search(after) is None
