"""The line of a pasted log that says what went wrong: the one thing of it that somebody will need again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from inspector.quality.facts.fact import Span
from inspector.quality.facts.reading.sentences import LONGEST, Sentence

# An exception by its name, of any programming language.
_RAISED = re.compile(
    r"\s*(?:Uncaught |Caused by: |Exception in thread \S+ )?"
    r"(?:[A-Za-z_]\w*[./$])*[A-Z]\w*(?:Error|Exception)(?: \[\w+\])?: \S.{7,}"
)
# What a command complains of, not the shell that knows no such command, or a program that marks its lines with signs.
_REFUSED = re.compile(
    r"\s*(?!(?:-?(?:ba|z|fi|da)?sh|[A-Z]+)\b)(?:[\w./-]+: ){1,3}"
    r".*(?:[Nn]o such file|[Pp]ermission denied|cannot |refused)|"
    r"\s*\[[!xX]\] \S.{9,}"
)
# Behind so many sentences of it a complaint only gives advice.
_SENTENCES = 2
_END = re.compile(r"[.!?]\s+(?=[A-Z0-9])")


def with_complaint(text: str, own: Span, prose: Sequence[Sentence]) -> Iterator[Sentence]:
    """The sentences of prose of a stretch of a user's text, and the line of what programs printed that says what went
    wrong. Of a line that names what was raised the advice behind it is left out."""
    said = [(one.start, one.end) for one in prose if not one.pasted]
    raised: list[Sentence] = []
    refused: list[Sentence] = []
    advice: list[Span] = []
    at = own[0]
    for line in text[slice(*own)].split("\n"):
        here, at = at, at + len(line) + 1
        names = _RAISED.match(line) is not None
        told = here + _told(line)
        if names:
            advice.append((told, at))
        if any(start < at and here < end for start, end in said):
            continue
        lead = here + len(line) - len(line.lstrip())
        if names:
            raised.append(Sentence(lead, told, pasted=False))
        elif _REFUSED.match(line):
            refused.append(Sentence(lead, told, pasted=False))
    yield from (one for one in prose if not any(a <= one.start < b for a, b in advice))
    # What was not caught is raised last, what was refused first is why the rest was.
    yield from raised[-1:] or refused[:1]


def _told(line: str) -> int:
    """How many characters of such a line say what went wrong, without the advice behind it."""
    ends = [found.start() + 1 for found in _END.finditer(line)]
    return min(ends[_SENTENCES - 1] if len(ends) >= _SENTENCES else len(line), LONGEST)
