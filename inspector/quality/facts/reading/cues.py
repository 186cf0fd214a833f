"""The surest phrase of a sentence that gives away what it says."""

from __future__ import annotations

import re

from inspector.core.scan.words import has_unspaced
from inspector.quality.facts.fact import Span
from inspector.quality.facts.reading.given import EXACT
from inspector.quality.facts.reading.line import THINKING, Line
from inspector.quality.facts.reading.manner import is_guessed, words_in
from inspector.quality.facts.rules.lexicon import Cue, Language

# In what was pasted a rule is one that is put first ("Commands must be ..."); further on it tells how something works.
_LEAD = 3
#: What somebody shows rather than says is a rule where a phrase is so sure.
_SHOWN = 7
_WORD = re.compile(r"\w")


def best_cue(line: Line, body: str, hedged: bool) -> tuple[Cue, Span] | None:
    """The surest cue in a sentence. A decision with its reason beats a constraint."""
    words = words_in(body)
    best: tuple[tuple[int, int], Cue, Span] | None = None
    guessed = hedged and line.working < THINKING and is_guessed(body, line.rules)
    for language in line.rules.languages:
        known = language.keys.get(line.role, {})
        if language.pairs:
            keys = [key for key in known if key in body] if has_unspaced(body) else []
        else:
            keys = [key for key in words if key in known]
        for number in {number for key in keys for number in known[key]}:
            cue = language.cues[number]
            if hedged and not (cue.hedged and guessed):
                continue
            # Between two calls what names nothing must be the root of something.
            sure = line.working if line.named or line.working == THINKING else THINKING
            if line.working and (cue.strength < sure or (line.working == THINKING and not line.named)):
                continue
            if line.pasted and cue.strength < _SHOWN:
                continue
            order = (-cue.strength - (2 if cue.needs == "reason" else 0), cue.order)
            if best is not None and order >= best[0]:
                continue
            at = _match(cue, line, body, language)
            if at is not None:
                best = (order, cue, at)
    return None if best is None else best[1:]


def _match(cue: Cue, line: Line, body: str, language: Language) -> Span | None:
    if (
        (cue.needs == "value" and not line.values)
        or (cue.needs == "number" and not any(value.form in EXACT for value in line.values))
        or (cue.needs == "name" and not line.named)
    ):
        return None
    blocked: list[Span] | None = None
    for found in cue.find.finditer(body):
        a, b = found.span()
        if line.role == "assistant" and not a and body[:b].lower() in language.openers:
            # It joins the sentence to the one before ("But the log is empty").
            continue
        if cue.at_start and not (_starts(body, a, language) and _WORD.search(body, b)):
            continue
        if line.pasted and len(body[:a].split()) > _LEAD:
            continue
        if cue.needs == "reason" and language.reasons.search(body, b) is None:
            return None
        if blocked is None:
            blocked = [taken.span() for taken in cue.unless.finditer(body)] if cue.unless else []
        if not any(a < d and c < b for c, d in blocked):
            return a, b
    return None


def _starts(body: str, at: int, language: Language) -> bool:
    """Whether a clause starts there: the sentence, or what stands behind a comma, or a word such as "then"."""
    before = body[:at].rstrip().lower()
    if not before or before[-1] in ",;:—–-*•`¡¿，；：、":
        return True
    return before.rsplit(" ", 1)[-1] in language.openers
