"""Split the prose of a message into sentences and statements, and mark the pasted ones.

Spans are half-open, in characters of the safe text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from inspector.core.patterns import any_of, late_pattern
from inspector.core.scan.words import has_unspaced
from inspector.quality.facts.fact import Span
from inspector.quality.facts.line_forms import (
    ITEM,
    LABEL,
    LONGEST,
    NORM,
    RULE_START,
    SCANNED,
    depth_of,
    gives_number,
    is_json,
    is_prose,
)
from inspector.quality.facts.pasted import (
    diff_lines,
    document_in,
    fenced_lines,
    lines_of,
    passed_on,
    pasted_lines,
    printout_lines,
    quoted_lines,
)
from inspector.quality.facts.rules import best_cue, plain_rule
from inspector.quality.facts.spoken import MOST, PROGRAM_NOTE, blocks, by_program, spoken_in_tags
from inspector.quality.limits import CROWDED

#: Minimum characters of a wrapped line. The writer ended a shorter line.
_WRAPPED = 45
#: Matches a line of a printed file with its number: "14 │ text".
_NUMBERED = late_pattern(r"\s{0,8}\d{1,6}\s{1,4}[│┃]")
#: Matches a list that a person marks with "●". A terminal leaves an empty line between answers with this mark.
_ROUND_MARKS = late_pattern(r"^(?:[ \t]*●[ \t]+(?!\w{1,40}\()\S[^\n]*(?:\n|\Z)){2,}", re.MULTILINE)
#: Matches the end of a line under which an agent's terminal shows the text of a hook.
_HOOK_SAYS = late_pattern(r"\b(?:[A-Z][a-z]+){2,}(?::\w+)? says:\s*$")
#: A number of a list within a paragraph.
_IN_LINE = late_pattern(
    r"(?<![^\s：])(?P<number>\d{1,2})[.)-]\s+(?=[^\W\d])|(?<![\dA-Za-z.])(?P<glued>\d{1,2})[.)、](?=[一-鿿])"
)
_HEADING = late_pattern(r"\s*(?:[\"'“「『]?#{1,6}\s|\*\*[^*\n]{1,80}\*\*:?\s*$)")
_END = late_pattern(
    r"[.!?][\"')\]*»]*+\s++(?=[\"'(\[*`«¿¡]*+[^\W_])|(?:(?<!\d)。|。(?!\d)|[！？；])[。！？；]*+[”’」』）]*+|"
    # A list on the line of the words before it, and a paste.
    r"(?<=[:：])\s++(?=1[.)]\s)|"
    r"(?<=\w) {3,}(?=[A-Z])"
)
_ABBREVIATED = late_pattern(
    r"(?:\b(?:e\.g|i\.e|vs|etc|cf|approx|no|fig|dr|mr|mrs|(?-i:Ms)|st|z\.\s?b|d\.\s?h|"
    r"u\.\s?a|bzw|bspw|ca|evtl|geb|ggf|inkl|nr|p\.\s?ej|p\.\s?ex|incl)|^[\s(「『“\"]*\d{1,3}(?:\+\d{1,3})*)\.\s*$",
    re.IGNORECASE,
)  # fmt: skip
#: Matches an initial or a unit with a full stop, and a rule in a new sentence: "at most 40 t. Never lift two crates".
_INITIAL = late_pattern(r"(?:[\s(][A-Z]|\b(?:max|min))\.\s*$", re.IGNORECASE)
_NEW_RULE = late_pattern(rf"(?-i:(?=[A-Z])){RULE_START}", re.IGNORECASE)
_CLAUSE = late_pattern(r"[,;:]\s+|\s[—–-]\s|[，；：]")
# Start of a further statement in a sentence: after a comma, a dash, "and", "but" or "so that it", or in a bracket.
_JOINT = late_pattern(
    any_of(
        rule=any_of(
            mark=r"(?<!\s)\s*+[,;–—]\s*+(?:(?:and|but|so|also|then|yet|though)\s++)*",
            dash=r"(?<!\s)\s++-{1,2}\s++(?:(?:and|but)\s++)?",
            but=r"(?<!\s)\s++but\s++",
        )
        + rf"(?=(?:{RULE_START}|(?:(?!(?:which|who|that|because|since|if|when|unless|so|an? (?:{NORM}))\b)"
        rf"[\w'/`-]++\s++){{1,4}}(?:{NORM})\s++\w))",
        prohibition=r"(?<!\s)\s++and\s++(?=(?:never|do not|don['’]t|must not|mustn['’]t)\s)",
        result=r"(?<!\s)\s++so\s++(?:that\s++)?(?:it|they|we)\s++(?=(?:never|always|only)\s)",
        bracket=rf"(?<!\s)\s++\((?=(?:{RULE_START}|no\s++\w)[^()]*+\)\W*\Z)",
        no=r"(?<!\s)(?:\s*+[,;–—]|\s++-{1,2}(?=\s))\s*+(?=no\s++\w)",
        chinese=r"[，,;；]\s*(?:但是?|不过|而且|並且|并且)(?=[^，。]{0,12}(?:不要|不得|不能|别|勿|必须|禁止|务必|只能))",
    ),
    re.IGNORECASE,
)
# A clause that depends on the next clause.
_HANGS = late_pattern(
    any_of(
        first_word=r"\W*(?:[^\W\d_]{1,12},\s+)?(?:(?:and|but|so|also|please|ok|okay|well|then)\W+)*"
        r"(?:if|when|whenever|unless|until|before|after|once|while|because|since|for|from|in|to|as|with|on|although|"
        r"however|otherwise|你|如果|当|除非|在)\b",
        last_word=r".*\b(?:because|since|so that|that|which|who)\s*$",
    ),
    re.IGNORECASE,
)
#: Matches the end of a line whose sentence goes on in the next line.
_GOES_ON = late_pattern(
    r"(?<![\w'’-])(?:a|an|the|to|of|in|on|at|from|with|for|by|and|or|than|as|is|are|not) ?$", re.IGNORECASE
)
_FIRST = late_pattern(r"\bfirst\b", re.IGNORECASE)


class Sentence(Struct, frozen=True):
    """A sentence of prose, with its span.

    `pasted`: the speaker did not write it. `planned`: it is part of a plan, a filled template, data or a document
    that the user passes on.
    """

    start: int
    end: int
    pasted: bool = False
    heading: bool = False
    planned: bool = False


def sentences(text: str, of_user: bool = True, start: int = 0, end: int = MOST) -> Iterator[Sentence]:
    """Yield the sentences of text[start:end], a safe text, in order.

    It leaves out code, logs, diffs and tables, and with `of_user` the blocks that programs put into a user's message.
    Sentences of pages, reviews, quotes and tagged blocks are `pasted`.
    """
    end = min(len(text), end, start + MOST)
    if of_user:
        text = _ROUND_MARKS.sub(lambda items: items.group().replace("●", "•"), text)
        note = PROGRAM_NOTE.search(text, start, end)
        end = note.start() if note is not None else end
        if by_program(text[start : start + 400]):
            for inner in spoken_in_tags(text, start, end):
                yield from _of_part(text, inner, False)
            return
    handed_on = passed_on(text, start, end) if of_user else (len(text), 0)
    document, part_end = (len(text), 0), start
    for part, pasted in blocks(text, start, end) if of_user else [((start, end), False)]:
        if not text[slice(*part)].strip():
            continue
        # A document goes on behind its tags.
        if of_user:
            document = document_in(text, part, document[0] < document[1] == part_end)
        part_end, documents = part[1], (handed_on, document)
        for sentence in _of_part(text, part, pasted, of_user):
            planned = any(from_ <= sentence.start and sentence.end <= to for from_, to in documents)
            planned = planned or (of_user and is_json(_line_at(text, sentence.start)))
            yield replace(sentence, planned=True) if planned else sentence


def _of_part(text: str, span: Span, pasted: bool, of_user: bool = True) -> Iterator[Sentence]:
    """Yield the sentences of a span."""
    last = 0
    for start, end, shown, heading in _paragraphs(text, span, of_user):
        at = start
        items = _items_in_line(text, start, end, last)
        for mark in _IN_LINE.finditer(text, start, end):
            last += int(mark["number"] or mark["glued"]) == last + 1
        ends = [mark.end() for mark in _END.finditer(text, start, end)]
        for stop in sorted({*ends, *items}):
            before = text[max(at, stop - 20) : stop]
            is_initial = _INITIAL.search(before) is not None and _NEW_RULE.match(text, stop) is None
            is_end = not is_initial and _ABBREVIATED.search(before) is None
            if stop in items or is_end:
                yield from _cut(text, at, stop, pasted or shown, heading)
                at = stop
        yield from _cut(text, at, end, pasted or shown, heading)


def _items_in_line(text: str, start: int, end: int, last: int = 0) -> list[int]:
    """Return the starts of the items of a numbered list in one paragraph: "1. do X 2. do Y" has two.

    Within a sentence, two numbers make no list: "the steps are 1) to paint and 2) to dry". After a colon, three or more
    numbers may begin anywhere and have any order: "the stages are: 0. Draft 2. Sent 1. Checked". A number glued to
    Chinese words continues the numbers before it.
    """
    marks = list(_IN_LINE.finditer(text, start, end))
    numbers = [int(mark["number"] or mark["glued"]) for mark in marks]
    if last and marks and marks[0]["glued"] and numbers == list(range(last + 1, last + 1 + len(numbers))):
        return [mark.start() for mark in marks if mark.start() > start]
    before = text[start : marks[0].start()].rstrip() if marks else ""
    least = 3 if before and before[-1] not in ".!?:;。！？：；" else 2
    is_list = numbers == list(range(1, len(numbers) + 1)) and len(numbers) >= least
    is_list = is_list or (before[-1:] in (":", "：") and 2 < len(numbers) == len(set(numbers)))
    return [mark.start() for mark in marks if mark.start() > start] if is_list else []


def _cut(text: str, start: int, end: int, pasted: bool, heading: bool) -> Iterator[Sentence]:
    """Yield a sentence in pieces of at most LONGEST characters, without spaces at their ends."""
    while end - start > LONGEST:
        first, last = start + LONGEST // 2, start + LONGEST
        stop = max((mark.end() for mark in _CLAUSE.finditer(text, first, last)), default=0)
        stop = stop or text.rfind(" ", first, last) + 1 or last
        yield from _cut(text, start, stop, pasted, heading)
        start = stop
    while start < end and text[start].isspace():
        start += 1
    while end > start and (text[end - 1].isspace() or text[end - 1] == "\\"):
        end -= 1
    if end - start >= 2:
        yield Sentence(start, end, pasted, heading)


def _paragraphs(text: str, span: Span, of_user: bool) -> Iterator[tuple[int, int, bool, bool]]:
    """Yield (start, end, pasted, heading) of each run of prose lines. A wrapped line joins the line before it."""
    starts, lines = lines_of(text, span)
    coded, pasted = fenced_lines(lines) | diff_lines(lines), pasted_lines(lines)
    prosaic = frozenset(number for number, line in enumerate(lines) if number not in coded and is_prose(line))
    if of_user:
        pasted |= printout_lines(lines, coded, prosaic, pasted) | quoted_lines(lines)
        if len(lines) <= CROWDED:
            prosaic |= {
                number for number, line in enumerate(lines) if number not in coded and gives_number(line)
            }
    open_at, open_end, was = -1, -1, False
    indented = quoted = False
    for number, (here, line) in enumerate(zip(starts, lines, strict=True)):
        # Indented lines under a mark of an agent's terminal are a copy of its output.
        if line[:1] and (not line[:1].isspace() or line.lstrip()[:1] == "⎿"):
            indented = line.lstrip()[:1] in "⏺●⎿" or _HOOK_SAYS.search(line[:SCANNED]) is not None
        # The lines of a copied screen are deeper than the marked one.
        goes_on = quoted and depth_of(lines[number - 1]) < depth_of(line) > 1 and ITEM.match(line) is None
        quoted = line.lstrip().startswith(">") or _NUMBERED.match(line) is not None or goes_on
        shown = number in pasted or quoted or (indented and line[:2] == "  ")
        prose = number in prosaic
        heading = prose and _HEADING.match(line) is not None
        joins = prose and not heading and open_at >= 0 and shown == was
        joins = joins and _continues(text, open_end, line)
        if open_at >= 0 and not joins:
            yield open_at, open_end, was, False
            open_at = -1
        if heading:
            yield here, here + len(line), shown, True
        elif prose:
            open_at = open_at if joins else here
            open_end, was = here + len(line), shown
    if open_at >= 0:
        yield open_at, open_end, was, False


def _continues(text: str, end: int, line: str) -> bool:
    """Return whether a line continues the sentence of the line before it."""
    if ITEM.match(line) is not None:
        return False
    if _GOES_ON.search(text[max(0, end - 8) : end]):
        return True
    is_wrapped = end - text.rfind("\n", 0, end - 1) >= _WRAPPED
    return is_wrapped and line.lstrip(" \t>")[:1].islower() and text[end - 1 : end] not in ".!?:。！？："


def _line_at(text: str, at: int) -> str:
    """Return the first characters of the line of an index."""
    start = text.rfind("\n", 0, at) + 1
    return text[start : start + SCANNED].partition("\n")[0]


def without_label(text: str, start: int, end: int) -> int:
    """Return the start of a sentence after its bullet, number, heading mark or label ("NOTE:")."""
    label = LABEL.match(text, start, end)
    return label.end() if label is not None and label.end() < end else start


def statements(text: str, start: int, end: int) -> list[Span]:
    """Split a sentence before each further rule: "refactor X, but do not change Y" has two statements."""
    spans = []
    at = start
    for joint in _JOINT.finditer(text, start, end):
        left = text[at : joint.start()]
        left = left[left.rfind(": ") + 1 :]
        if "then" in joint.group().lower().split() and _FIRST.search(left):
            # "First A, then B" is one statement: the order.
            continue
        if len(left.split()) < 2 and not has_unspaced(left):
            continue
        if len(text[joint.end() : end].split()) < 3 and not has_unspaced(text[joint.end() : end]):
            continue
        if text.startswith(("no ", "No "), joint.end()) and not (
            plain_rule(left)[1] == "decision" and best_cue(text[joint.end() : end], "user", frozenset())
        ):
            # "No" only starts a rule behind a task.
            continue
        if _HANGS.match(left) or left.count("(") > left.count(")") or left.count('"') % 2:
            continue
        spans.append((at, joint.start()))
        at = joint.end()
    is_bracketed = spans and text[spans[-1][1] : at].endswith("(")
    spans.append((at, text.rindex(")", at, end) if is_bracketed else end))
    return spans


def clauses(text: str, start: int, end: int) -> list[Span]:
    """Return the spans of the clauses of a sentence, without the marks between them."""
    spans = []
    at = start
    for mark in _CLAUSE.finditer(text, start, end):
        if mark.start() > at:
            spans.append((at, mark.start()))
        at = mark.end()
    if at < end:
        spans.append((at, end))
    return spans
