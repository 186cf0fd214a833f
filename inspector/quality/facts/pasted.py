"""Find text that a user pasted: pages, reviews, logs, diffs, code, plans, documents.

Spans are half-open, in characters of the safe text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import accumulate

from inspector.core.patterns import any_of, late_pattern
from inspector.core.scan.words import has_unspaced
from inspector.quality.facts.fact import Span
from inspector.quality.facts.line_forms import (
    ITEM,
    PERSON,
    PRINTED,
    SCANNED,
    TOLD,
    depth_of,
    has_form,
    is_code,
    is_json,
    is_prose,
    orders,
)
from inspector.quality.facts.spoken import blocks
from inspector.quality.limits import CROWDED

#: Maximum characters of a message without a document, and characters at both ends of a document that the user wrote.
_DOCUMENT, _EDGE = 20_000, 2_000
#: Minimum entries of a list on a page, and minimum number of labels that come again.
_ENTRIES = 3
#: Minimum lines of a printout that no person writes, and of lines without words that no person writes together.
_FEWEST_PRINTED, _MANY = 5, 24
#: Minimum lines of a document that begin with a picture.
_FEWEST_LED = 3
#: Matches the head of a hunk of a diff, with its numbers of old and new lines.
_HUNK = late_pattern(r"@@ -\d+(?:,(?P<old>\d+))? \+\d+(?:,(?P<new>\d+))? @@")
_FENCE = late_pattern(r"\s*(?P<mark>`{3,}|~{3,})(?P<info>[^\n]{0,80})")
_PROSE_FENCES = frozenset(["markdown", "md", "text", "txt", "plaintext", "prompt"])
_OFTEN = late_pattern(
    r"\s{2,}at \S|\s*[✓✔✗✘] |[^=\n]{1,200}[,，] ?[A-Z]\w{2,40}=[^\s=]|\s*[A-Z][\w /()-]{1,40}:(?:\t+| {3,})\S"
)
#: Matches a name with its value, or a name over deeper lines.
_FIELD = late_pattern(r"\s*[^\W_][\w./()-]{0,30}(?: [\w./()-]{1,30}){0,4}:(?:\s[^\n]*)?$")
#: Matches a comment before or behind code, as in SQL.
_COMMENT = late_pattern(r"\s*--\s")
#: Matches the end of a cell in a row between commas.
_CELL_END = late_pattern(r",(?! )")
#: Matches a label with a path or an address: "Built: /srv/tool".
_PLACE = late_pattern(r"[A-Z][^:\n]{1,60}: (?:~?/|[A-Z]:\\|[a-z]{2,10}://)\S*\s*$")
#: Matches words with which a person goes on below printed text, and the wide spaces before them in its last line.
_SPEAKER = r"(?:I(?:['’][a-z]{1,2})? [a-z]+ \S|我)"
_SPEAKS, _SPOKEN_BEHIND = late_pattern(_SPEAKER), late_pattern(rf"(?<=\S) {{2,}}(?={_SPEAKER})")
#: Matches the start of printed text behind the words of a person: the place of a script, or a time.
_BEGINS = late_pattern(
    r"(?:(?<=\w[ :])|(?<=[:：] ))(?:[⏺●❯] |[\w./@-]{1,120}\.[mc]?[jt]sx?(?:\?\S{1,120})?:\d+(?::\d+)?\s|"
    r"\[?\d{4}[-/]\d\d[-/]\d\d[ T]\d\d:\d\d:\d\d)"
)
#: Matches the start of a program, or of a quote, behind the words of a person.
_IMPORTS = late_pattern(r"(?<=\w[ :]|[:：] )import [\w.{}*, ]{1,200} from ['\"]")
_QUOTES = late_pattern(r"(?<=[:：])\s+(?=>\s)")
#: Matches triple quotes at the end of a line, and alone.
_QUOTES_BEGIN, _QUOTES_END = late_pattern(r"(?<!\S)(?:\"{3}|'{3})\s*$"), late_pattern(r"\s*(?:\"{3}|'{3})\s*")
# Text of web pages that never occurs in messages.
_PAGE = late_pattern(
    r"\s*"
    + any_of(
        navigation=r"skip to (?:main )?content|footer|navigation menu|toggle navigation|back to top|table of contents|"
        r"on this page|page \d+ of \d+|(?:items|rows|results) per page",
        account=r"sign (?:in|up|out)|log ?in|subscribe|follow us|share(?: this)?",
        cookies=r"cookie|accept (?:all )?cookies|manage cookies",
        legal=r"privacy policy|terms of (?:service|use)|all rights reserved|©|do not (?:share|sell) my personal",
        article=r"read more|\d+ min read|was this (?:page )?helpful|last updated|edit this page|advertisement|"
        r"related articles|about us|contact us",
        repository=r"pull requests?|issues|stars?|forks?|watchers?|contributors?|releases?|languages|report repository",
    )
    + r"\b.{0,40}$",
    re.IGNORECASE,
)
# Text that bots write into a review, the line below a banner, and the prompt of a shell before a command.
_BOT = late_pattern(
    any_of(
        name=r"(?i:code ?rabbit|greptile|sourcery-ai|bugbot|copilot (?:ai )?reviewed|gemini-code-assist|devin-ai|"
        r"sonarcloud|codecov|dependabot|renovate\[bot\])|\w\[bot\]",
        severity=r"^\s*(?:Low|Medium|High|Critical) Severity\s*$",
        review=r"Actionable comments posted|Prompt for AI Agents|Committable suggestion|Potential issue|"
        r"Refactor suggestion|Useful\? React with|<details>|<!-- ",
        other_model=r"^(?:ChatGPT|Gemini|Grok|DeepSeek|Copilot) said:\s*$",
        banner=r"^\s*[=═]{20}",
        powershell=r"(?<!\S)P?S [A-Z]:\\[^>\n]{0,200}> ",
        shell=r"(?<![\w.-])[\w.-]{1,40}@[\w.-]{1,60}(?::[~/][^\s$#]{0,200}[$#]|"
        r" (?:[~/\w.-]{1,200} %|[~/][~/\w.-]{0,200} [$#])(?: |$))",
    )
)
_WHEN = (
    r"(?:(?:(?-i:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* \d{1,2}|\d{1,2} (?-i:[A-Z][a-z]{2,8}) \d{4}|"
    r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4})\b|\d{1,2}:\d\d|"
    r"(?:\d+|an?|last) (?:second|minute|hour|day|week|month|year)s?\b)"
)
#: Matches the line over a message on a page, in a chat or a mail: who wrote it and when.
_BY_LINE = late_pattern(
    any_of(
        act=r"\W{0,8}(?:[\w.@'’-]{1,40}+ ){0,4}(?:asked|answered|commented|edited|modified|opened|posted|replied|"
        rf"reviewed|said|updated|viewed|wrote)(?: (?:this|an?) [a-z ]{{1,20}})?(?: on| at)? {_WHEN}[^.!?:]{{0,40}}"
        r"(?::\d\d[^.!?:]{0,20})?:?\s*$",
        name_and_time=r"[\w.@'’-]{1,40}+(?: [\w.@'’-]{1,40}+){0,2}"
        rf"(?: {{2,}}|\t| [—·|] ){_WHEN}[\d:., /APM-]*\s*$",
        mail=r"\W{0,8}(?:(?:From|Von|Sent|Gesendet): \S|Date: (?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,)",
    ),
    re.IGNORECASE,
)
# The line before a plan that an agent wrote and another one carries out: a document with headings.
_LEADS_IN = late_pattern(r"\s*[^\n]{0,80}\bplan\b[^\n]{0,80}:\s*\n\s*(?=#)", re.IGNORECASE)
# The role of an agent below a line with a colon: a prompt that the user passes on.
_ROLE = late_pattern(
    r"[^\n]*[:：][^\n:：]{0,40}\n\s*(?:[^\n]{1,40}\n\s*)?(?=You are (?:an?|the) |你是(?:一[个個位名]|[资資]深))"
)
# The start of a filled template: a heading over a fence with the user's words. A heading follows.
_TEMPLATE = late_pattern(
    r"\s*+#{1,3} [^\n]{1,80}\n\s*+```(?:text|markdown|md)?[^\S\n]*+\n(?:(?!```)[^\n]*+\n)*+```[^\S\n]*+\n",
    re.IGNORECASE,
)
_FURTHER = late_pattern(r"^#{1,4} ", re.MULTILINE)
# The last colon of the first line, before a long document. Behind a label ("Note: "), or before a sentence that ends
# the line, the person goes on.
_FIRST_COLON = late_pattern(
    r"\s*+(?!\S+[:：] )[^\n]*[^\s\d][:：](?=\s)(?![^\n]*[.!?。！？][^\S\n]*+(?:\n|\Z))"
)
# A question with a colon asks about the text below.
_ASKS_ABOUT = late_pattern(r"[?？][^\S\n]?[:：][^\S\n]*+\n\s*+")
#: A heading, a rule between parts, and words of a person with a colon before a heading on the same line.
_TITLE = late_pattern(r"\s{0,3}#{1,6} \S[^\n]{0,120}$")
_RULER = late_pattern(r"\s{0,3}-{3,}\s*")
#: Code directly behind a sentence: the copy of an answer as a chat shows it.
_GLUED = late_pattern(
    r"[。：！？](?:import \w|def \w+\(|class \w+[(:]|# \S)|\w[.:](?:import \w+$|def \w+\(|class \w+[(:])"
)
_HANDS_OVER = late_pattern(r"[^\n#]{1,200}[:：]\s++(?=#{1,6} \S)")


def passed_on(text: str, start: int, end: int) -> Span:
    """Return the span of what the user passes on: a plan, a filled template, the text below a question with
    a colon, the middle of a long text. Without any of these, its end is before its start."""
    template = _TEMPLATE.match(text, start, end)
    if template is not None and _FURTHER.search(text, template.end(), end):
        return template.end(), len(text)
    if (plan := _LEADS_IN.match(text, start, end)) is not None:
        return plan.end(), len(text)
    if (role := _ROLE.match(text, start, end)) is not None:
        return role.end(), len(text)
    if len(text) > _DOCUMENT:
        spoken = (span[0] for span, _ in blocks(text, start, end) if text[slice(*span)].strip())
        hands_over = _FIRST_COLON.match(text, next(spoken, start), _EDGE)
        lists = hands_over is not None and ITEM.match(text, hands_over.end(), end) is not None
        begins = _EDGE if hands_over is None or lists else hands_over.end()
        return begins, len(text) - _EDGE
    asks = _ASKS_ABOUT.search(text, start, end)
    if asks is None or ITEM.match(text, asks.end(), end) is not None:
        return len(text), 0
    # A last paragraph in plain words belongs to the person.
    last = text.rstrip().rfind("\n\n", asks.end(), end)
    lines = text[last:].strip().split("\n") if last >= 0 else []
    return asks.end(), last if lines and _plain_words(lines, range(len(lines)), ()) else len(text)


def document_in(text: str, span: Span, goes_on: bool) -> Span:
    """Return the span of a document as a model or a file has it; without one, its end is before its start.

    It has two headings and a badge or a picture in one of them, three headings with rules between them or with code
    directly behind a sentence, three headings in a row, a heading directly after the user's colon, or several lines
    that begin with a picture. Or it `goes_on` from the span before. A last paragraph in plain words belongs to
    the person.
    """
    lines = text[slice(*span)].split("\n")
    fenced = fenced_lines(lines)
    open_lines = [
        (number, line) for number, line in enumerate(lines) if line.strip() and number not in fenced
    ]
    headings = [number for number, line in open_lines if _TITLE.match(line)]
    rules = [number for number, line in open_lines if _RULER.fullmatch(line)]
    led = [number for number, line in open_lines if _is_picture(line.lstrip()[0])]
    pictured = any(unicodedata.category(sign) == "So" for number in headings for sign in lines[number])
    pictured = pictured or any(line.startswith("[![") for _, line in open_lines)
    glued = any(_GLUED.search(line[:SCANNED]) for _, line in open_lines)
    in_a_row = any(third - first == 2 for first, third in zip(headings, headings[2:], strict=False))
    handed_over = _HANDS_OVER.match(open_lines[0][1]) if headings else None
    if handed_over is not None or (goes_on and open_lines):
        first = open_lines[0][0]
    elif (pictured and len(headings) > 1) or ((rules or glued) and len(headings) > 2) or in_a_row:
        first = min(headings[:1] + rules[:1])
    elif len(led) >= _FEWEST_LED:
        first = led[0]
    else:
        return span[1], span[0]
    last = list(_line_blocks(lines))[-1]
    ends_message = goes_on and not text[span[1] :].strip()
    has_last_words = (
        (last[0] > first or ends_message)
        and _plain_words(lines, last, headings)
        and any(is_prose(lines[n]) for n in last)
        and not any(ITEM.match(lines[n]) for n in last)
    )
    starts = list(accumulate((len(line) + 1 for line in lines), initial=span[0]))
    behind = handed_over.end() if handed_over is not None else 0
    return starts[first] + behind, starts[last[0]] if has_last_words else span[1]


def _is_picture(sign: str) -> bool:
    """Return whether a character is a picture, not a mark of a list or a line of a box."""
    return sign >= "\U0001f000" and unicodedata.category(sign) == "So"


def lines_of(text: str, span: Span) -> tuple[list[int], list[str]]:
    """Return the starts and the texts of the lines. A line is cut where printed lines begin behind a person's words."""
    starts: list[int] = []
    lines: list[str] = []
    at, whole = span[0], text[slice(*span)].split("\n")
    for number, line in enumerate(whole, 1):
        start, below = line[:SCANNED], "".join(whole[number : number + 1])[:SCANNED]
        begins = _BEGINS.search(start) if PRINTED.match(below) else None
        begins = begins or (_IMPORTS.search(start) if is_code(below) else None)
        begins = begins or (_QUOTES.search(start) if below.lstrip().startswith("> ") else None)
        begins = TOLD.search(start) or begins
        cut = begins.start() if begins is not None else 0
        if (
            not (cut or below)
            and PRINTED.match(start)
            and (speech := _SPOKEN_BEHIND.search(start)) is not None
        ):
            cut = speech.end()
        if not cut and is_json(below):
            # Rows of a log in JSON begin on the line of the person.
            data = max(start.find('{"'), 0)
            cut = data if is_json(line[data : data + SCANNED]) else 0
        for part in (line[:cut], line[cut:]) if cut else (line,):
            starts.append(at)
            lines.append(part)
            at += len(part)
        at += 1
    return starts, lines


def fenced_lines(lines: Sequence[str]) -> frozenset[int]:
    """Return the numbers of the lines of fenced code and of all fences. A fence that never closes has no code."""
    marked: set[int] = set()
    opened: tuple[int, str] | None = None
    for number, line in enumerate(lines):
        fence = _FENCE.match(line)
        if fence is None:
            continue
        marked.add(number)
        mark, info = fence["mark"], fence["info"].strip()
        if mark in info or (opened is None and info.lower() in _PROSE_FENCES and number < 3):
            continue
        if opened is None or info:
            opened = number, mark
        elif mark.startswith(opened[1]):
            marked.update(range(opened[0], number))
            opened = None
    return frozenset(marked)


def diff_lines(lines: Sequence[str]) -> frozenset[int]:
    """Return the numbers of the lines of the hunks of a diff. The head of a hunk counts its old and its new lines."""
    hunk_lines: set[int] = set()
    old = new = 0
    for number, line in enumerate(lines):
        head = _HUNK.match(line)
        if head is not None:
            old, new = int(head["old"] or 1), int(head["new"] or 1)
        elif (old > 0 or new > 0) and line[:1] in ("", " ", "\t", "+", "-", "\\"):
            old -= line[:1] in ("", " ", "\t", "-")
            new -= line[:1] in ("", " ", "\t", "+")
        else:
            # The copy of the hunk may end early.
            old = new = 0
            continue
        hunk_lines.add(number)
    return frozenset(hunk_lines)


def pasted_lines(lines: Sequence[str]) -> frozenset[int]:
    """Return the numbers of the lines of a pasted page, a bot's review or a block of printed lines or code.

    In a message with a page or a review, a first or last paragraph in plain words belongs to the person.
    """
    printed_lines: set[int] = set()
    filled = [number for number, line in enumerate(lines) if line.strip()]
    flush = any(line[:1].strip() for line in lines)
    ended, listed = False, False
    #: The depth of the last line before a block, if it is printed.
    depth: int | None = None
    for block in _line_blocks(lines):
        printed = _printed_in(lines, block)
        ends = printed[-1:] == block[-1:] and not lines[block[-1]].lstrip().startswith("-")
        if ended and ends:
            printed_lines.update(block)
        ended = ends
        # An agent's terminal begins its lines with a space. An item of a list may have further paragraphs.
        items = [number for number in block if ITEM.match(lines[number])]
        listed = bool(items) or (listed and not lines[block[0]][:1].strip())
        if flush and not listed and all(lines[number][:1] == " " != lines[number][1:2] for number in block):
            printed_lines.update(block)
        printed_lines |= _nested_fields(lines, block, items)
        printed_lines |= _from_printed(lines, block, printed, items)
        code = [number for number in block if is_code(lines[number]) and lines[number].lstrip()[:1] != "{"]
        if len(code) > 2 and len(code) * 2 >= len(block):
            # The other lines between lines of code are its comments and texts.
            printed_lines.update(range(code[0], code[-1] + 1))
        printed_lines.update(
            n for n in block if _COMMENT.match(lines[n]) and not {n - 1, n + 1}.isdisjoint(code)
        )
        printed_lines |= _rows(lines, block)
        if depth is not None and all(depth_of(lines[number]) > max(depth, 3) for number in block):
            # The text of a commit is below its author and date.
            printed_lines.update(block)
        else:
            depth = depth_of(lines[block[-1]]) if block[-1] in printed_lines else None
    return frozenset(printed_lines | _page_or_review(lines, filled))


def _printed_in(lines: Sequence[str], block: Sequence[int]) -> Sequence[int]:
    """Return the numbers of the printed lines of a block, and of deeper lines below them."""
    often = {number for number in block if _OFTEN.match(lines[number])}
    printed = frozenset(
        number
        for number in block
        if (PRINTED.match(lines[number][:SCANNED]) and not TOLD.search(lines[number][:SCANNED]))
        or (number in often and len(often) > 1)
    )
    return _with_deeper(lines, block, printed)


def _with_deeper(lines: Sequence[str], block: Sequence[int], printed: frozenset[int]) -> list[int]:
    """Return the numbers of printed lines and of the deeper lines under each: a test's output under its place."""
    deeper: list[int] = []
    depth: int | None = None
    for number in block:
        indent = depth_of(lines[number])
        if number in printed:
            depth = indent
        elif depth is None or indent <= depth:
            depth = None
            continue
        deeper.append(number)
    return deeper


def _nested_fields(lines: Sequence[str], block: Sequence[int], items: Sequence[int]) -> set[int]:
    """Return the lines of a long block of fields, some of which have fields below them."""
    if len(block) <= CROWDED:
        return set()
    fields = [number for number in block if _FIELD.match(lines[number][:SCANNED])]
    nests = any(
        lines[number].rstrip()[-1:] == ":"
        and number + 1 not in items
        and number < block[-1]
        and depth_of(lines[number + 1]) > depth_of(lines[number])
        for number in fields
    )
    return set(range(fields[0], block[-1] + 1)) if nests and len(fields) * 2 >= len(block) else set()


def _from_printed(
    lines: Sequence[str], block: Sequence[int], printed: Sequence[int], items: Sequence[int]
) -> set[int]:
    """Return the lines of a block from its first printed line on, if many lines are printed.

    A person's list may continue after printed lines. A person may give an order below them, but the output of a command
    goes on.
    """
    if len(printed) * 3 < len(block) or len(block) < 2:
        return set()
    of_command = any(lines[number].lstrip().startswith("$ ") for number in printed)
    goes_on = (
        number
        for number in block
        if number > printed[-1]
        and ((number in items and items[0] < printed[0]) or (not of_command and _is_spoken(lines[number])))
    )
    return set(range(printed[0], next(goes_on, block[-1] + 1)))


def _is_spoken(line: str) -> bool:
    """Return whether a line at the margin is an order of a person, or begins with "I"."""
    speaks = _SPEAKS.match(line) is not None
    return not line[:1].isspace() and is_prose(line) and (speaks or orders(line))


def _rows(lines: Sequence[str], block: Sequence[int]) -> set[int]:
    """Return the lines of a block that are rows with cells between commas. The first row has no spaces."""
    cells = {len(_CELL_END.findall(lines[number][:SCANNED])) for number in block}
    head = lines[block[0]].strip()
    is_table = len(block) >= _ENTRIES and len(cells) == 1 and min(cells) > 1 and " " not in head
    return set(block) if is_table else set()


def _page_or_review(lines: Sequence[str], filled: Sequence[int]) -> set[int]:
    """Return the lines of a pasted page, thread, mail or bot's review, without paragraphs of a person around it.

    A thread and a mail have at least two lines that say who wrote and when.
    """
    pages = [number for number in filled if _PAGE.match(lines[number])]
    bots = [number for number in filled if _BOT.search(lines[number][:SCANNED])]
    by_lines = [number for number in filled if _BY_LINE.match(lines[number][:SCANNED])]
    if len(by_lines) > 1:
        bots = sorted({*bots, *by_lines})
    is_page = len(pages) >= 3
    if not (is_page or bots):
        return set()
    marks = pages if is_page else bots
    first = filled[0] if is_page else marks[0]
    paste = [block for block in _line_blocks(lines) if block[-1] >= first]
    above = [number for number in paste[0] if number < first] if paste else []
    if above and _plain_words(lines, above, marks):
        paste[0] = paste[0][len(above) :]
    # A person may introduce a paste, and continue after it.
    if paste and paste[0][0] == filled[0] and len(paste) > 1 and _plain_words(lines, paste[0], marks):
        paste = paste[1:]
    # A review also has lines without a mark.
    reviewed = any(set(block) - set(marks) for block in paste[:-1])
    if reviewed and _plain_words(lines, paste[-1], marks):
        # Lines in another script than the last one end the paste.
        unspaced = has_unspaced(lines[paste[-1][-1]])
        while paste[-1] and has_unspaced(lines[paste[-1][-1]]) is unspaced:
            paste[-1].pop()
    return {number for block in paste for number in block}


def quoted_lines(lines: Sequence[str]) -> frozenset[int]:
    """Return the numbers of the lines between triple quotes that end a line, with text before or behind them."""
    quoted: set[int] = set()
    worded = [number for number, line in enumerate(lines) if line.strip(" \"'")]
    opened = -1
    for number, line in enumerate(lines if worded else ()):
        if opened >= 0 and _QUOTES_END.fullmatch(line):
            if worded[0] <= opened or number < worded[-1]:
                quoted.update(range(opened + 1, number + 1))
            opened = -1
        elif opened < 0 and _QUOTES_BEGIN.search(line):
            opened = number
    return frozenset(quoted)


def printout_lines(
    lines: Sequence[str], coded: frozenset[int], prosaic: frozenset[int], pasted: frozenset[int]
) -> frozenset[int]:
    """Return the numbers of the lines of a long printout: from its first to its last line that no person writes.

    At least a third of these lines are such lines. A paragraph of a person between them stays. `prosaic` lines may
    be of a person.
    """
    filled = [number for number, line in enumerate(lines) if line.strip() and number not in coded]
    printed = {number for number in filled if number in pasted or PRINTED.match(lines[number][:SCANNED])}
    formed = [number in printed or (number not in prosaic and has_form(lines[number])) for number in filled]
    # A person may write a single line of code between words, and a few numbers, commands or rows of a table.
    other = [number for number in filled if number not in prosaic]
    marks = {
        number
        for number, before, alike, after in zip(
            filled, [False, *formed], formed, [*formed[1:], False], strict=False
        )
        if number in printed or (alike and (before or after))
    }
    if len(other) >= _MANY:
        marks.update(other)
    if len(marks) < _FEWEST_PRINTED:
        return frozenset()
    first, last = min(marks), max(marks)
    if len(marks) * 3 < sum(first <= number <= last for number in filled):
        return frozenset()
    # The lines on both sides may give a place or be as deep. The person may go on in the last one.
    while first and (
        _PLACE.match(lines[first - 1]) or 0 < depth_of(lines[first]) == depth_of(lines[first - 1])
    ):
        first -= 1
    while last < filled[-1] and (
        _PLACE.match(lines[last + 1])
        or (last + 1 < filled[-1] and 0 < depth_of(lines[last]) == depth_of(lines[last + 1]))
    ):
        last += 1
    # Data is marked in another way.
    spoken = {number for number in filled if is_json(lines[number][:SCANNED])}
    spoken |= {
        number
        for block in _line_blocks(lines)
        if marks.isdisjoint(block)
        and any(PERSON.search(line) or orders(line) for line in (lines[n] for n in block))
        for number in block
    }
    spoken |= {number for number in prosaic - pasted if orders(lines[number])}
    return frozenset(range(first, last + 1)) - spoken


def _plain_words(lines: Sequence[str], block: Sequence[int], marks: Sequence[int]) -> bool:
    """Return whether a block is a short paragraph without marks of a page, a review or markup."""
    text = " ".join(lines[number] for number in block)
    return (
        not set(block) & set(marks)
        and len(block) <= 4
        and len(text) < 500
        and not re.search(r"[<>#|]|https?:|\*\*", text)
    )


def _line_blocks(lines: Sequence[str]) -> Iterator[list[int]]:
    """Yield the numbers of the lines of each block between empty lines."""
    block: list[int] = []
    for number, line in enumerate((*lines, "")):
        if line.strip():
            block.append(number)
        elif block:
            yield block
            block = []
