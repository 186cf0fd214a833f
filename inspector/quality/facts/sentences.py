"""A message in sentences and clauses: what is prose, what is shown (quotes, tagged blocks), what is code or a log."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from inspector.core.scan.words import has_unspaced
from inspector.quality.facts.copied import copied
from inspector.quality.facts.fact import Span

#: Longer sentences are cut, where a clause ends or between words: nobody says a fact in more characters.
LONGEST = 420
# A sentence of so many characters may be strung together of parts, none of fewer.
_STRUNG, _PART = 160, 24
_DASH = re.compile(r"\s-{1,2}\s")
# What goes on for more pieces than these is data in one line.
_MOST_PIECES = 8
#: So many characters of one message are read; the rest is data that somebody pasted.
MOST = 60_000
# What a fence of prose names, and among how many lines it begins a whole prompt.
_FIRST = 3
_PROSE = frozenset(["markdown", "md", "text", "txt", "plaintext", "prompt"])
# A short line may be mostly its value ("Budget: $4,500.").
_SHORT = 40

_FENCE = re.compile(r"\s*(?P<mark>`{3,}|~{3,})(?P<info>.*)")
_TAG = re.compile(r"\s*<(/?)([A-Za-z][\w-]*)(?:\s[^<>]*)?>\s*$")
_CODE = re.compile(
    r"\s*(?:#{1,6}\s|\$ |>>> |\.\.\. |In \[\d|Out\[\d|[{}\[\]]|\\(?:begin|end)\{|File \"|Traceback|at [\w.$]+\(|"
    r"[+-]{3} |@@|<!--|import \w|from [\w.]+ import|@[\w.]+\(|[\w.]+\(\s*$|"
    r"(?:\([\w.-]+\) ?)*\S+@\S+[ :][~/\w.-]+ ?[%$#](?:\s|$)|Last login: |"
    r"(?:def|class|return|if|for|while|elif|else|try|except|with|raise|assert|print)\b.*[:()\]=]\s*$|(?:func|fn|public|private|static|const|type|impl|struct|export)\b.*[{(;]\s*$|[\w.]+\s*=\s*\S+$|#!|//|/\*|"
    r"[\w. ]+ = (?:await )?[\w.]+\((?:.*\)[;,]?)?\s*$|async (?:def|with|for) |"
    r"\w+(?:\.\w+)+\([\w\"', =.]*\)[;,]?\s*$|[\"']?\w+[\"']?:\s?\S+,\s*$)"
)
_END = re.compile(
    r"[.!?][\"')\]*»]*\s+(?=[\"'(\[*`«]*(?:[A-Z0-9À-ÖØ-ÞЀ-Я¿¡\u3040-\u9fff\uac00-\ud7af]|[a-z]{1,3}\d))|[。！？]+[”’」』）]*"
)
# Where somebody begins with a small letter, the next sentence may too.
_SMALL_END = re.compile(rf"{_END.pattern}|(?<!\.)[.!?][\"')]*\s+(?=[a-zа-џ])")
_ABBREVIATED = re.compile(
    r"(?:\b(?:e\.g|i\.e|vs|etc|cf|approx|no|fig|dr|mr|mrs|st|z\.\s?b|d\.\s?h|bzw|ca|ggf|evtl|inkl|p\.\s?ej|"
    r"p\.\s?ex|por ej|dll|mis|т\.\s?е|т\.\s?к|напр|см|стр|(?:am|vom|zum|dem|den|ab|bis)\s\d{1,2})|^\s*\d{1,3})\.\s*$",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?<!\S)(\d{1,2})\.$")
_SHOUT = re.compile(r"[\"*_(]*[A-ZЀ-Я]{2,}(?: [A-ZЀ-Я]{2,}){1,3}\W*\Z")
_ENDS = frozenset(".!?;。！？；")
_ITEM = r"(?:[-*•]|\d{1,2}[.)])\s"
_OVER_A_LIST = re.compile(rf"[^\S\n]*\n(?:[^\S\n]*\n)?\s*{_ITEM}")
_ITEMIZED = re.compile(rf"\s*{_ITEM}")
# An abbreviation at the end of a sentence is in so many characters, with what stands behind it.
_SHORTENED = 20
_CLAUSE = re.compile(r"[,;:]\s+|\s[—–-]\s|[，；：]")
# Elements of a page with what they are given.
_MARKUP = re.compile(r"<[A-Za-z][\w-]*\s[^<>]*[\w:-]+=[\"{]|[\w:-]+=\"[^\"]*\"(?:\s+[\w:-]+=\"|\s*/?>)")
# A command alone on its line: it installs something, or has options, and no word as people put it around one.
_COMMAND = re.compile(
    r"(?:sudo )?(?:(?:pip3?|npm|pnpm|yarn|bun|apt|apt-get|brew|cargo|gem|conda|poetry|uv)(?: pip)? (?:install|add|ci)|"
    r"(?=.* -)(?:npx|npm|pnpm|yarn|bun|docker|kubectl|uvicorn|python3?|node|curl|git|cargo|go|uv)|"
    r"(?=.* --?[a-z].* --?[a-z])[a-z][\w.-]*)"
    r"(?: (?!(?:is|are|was|the|a|to|and|or|not|for|with|when|on|in|please|still|fails|works|does|must|only|but)\b)"
    r"[\w./:@=~+,\[\]{}$\"'<>^-]+)+"
)
# The names that a line of code imports, the rest of them on lines before.
_IMPORTED = re.compile(r"[\w\s,{}*$]*\}\s*from\s+[\"']")
# A row of a table without spaces: "id,created_at,country".
_ROW = re.compile(r"[^\s,;]*(?:[,;][^\s,;]*){3,}")
# A row of a drawn table or screen, not the sign itself spoken of in code marks.
_DRAWN = re.compile(r"(?<!`)[│┃║](?!`)|[─━═]{3}|^\s*[╭╰┌└├]")
# A line of a log: its date and time to the second, the name of the container that wrote it, a level that no person
# writes, what a package manager, a build or a run of tests says of itself, the source that an error shows with its
# numbers; a shell's prompt, whatever stands in it beside who, where and the folder.
_LOGGED = re.compile(
    r"\s*(?:\W?\d{4}[-/]\d\d[-/]\d\d[ T]\d\d:\d\d:\d\d|[\w.-]+-\d+\s+\| |\[?(?:INFO|DEBUG|TRACE)(?:[\]:]|\s\s)|"
    r"(?:Processing triggers for|Setting up|Unpacking|Selecting previously|Preparing to unpack|Get:\d+|Hit:\d+) \S|"
    r"(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) /\S* (?:\d{3}\b|HTTP/)|"
    r"debconf: |dpkg: |apt: |[Uu]sage: \S+ .*[\[<-]|Try '[^'\n]+ --?h\w*'|"
    r"#\d+ (?:\d+\.\d+ |ERROR|DONE|CACHED|\[)|\d+\.\d{3} \w+: |ERROR: failed to \w+: |\d{1,4} \| |"
    r".*\d{1,3}% +[\d.]+ ?[KMG]?B? +[\d.]+ ?[KMG]?i?B/s\b|(?:Step \d+: |\[\d+/\d+\] )?[A-Z][a-z]+ing .*\.\.\.$|"
    r"See (?:\S+ )?[\"'`]\S.* for (?:more )?details\.?$|"
    r"running \d+ tests?$|test result: |\d+ passed; \d+ failed|={3,} .{1,60} ={3,}$|"
    r"CREATE (?:OR REPLACE )?(?:FUNCTION|TABLE|VIEW|INDEX|TRIGGER|POLICY) \w|"
    r"[\w.-]+@[\w.-]+ (?:\S{1,40}:)?[~/]\S{0,200}(?: \([^()\n]{1,80}\))?\s*[$%#>]?\s*$)"
)
# What a program that shows an agent's work puts before its lines.
_SHOWN_BY_PROGRAM = re.compile(r"\s*[⏺●⎿✻✽❯◻◼]\s")
# A reading in a report that a program made: a picture, what is read, a number.
_READING = re.compile(
    r"\s*[*_]?[\u25a0-\u27bf\u2b00-\u2bff\U0001f300-\U0001faff]\ufe0f?\s*[^:：\n]{1,40}[:：][*_]?\s*\D{0,4}\d[\d.,%]*\s*\S{0,6}\s*$"
)
# A frame of a trace, in a line of them.
_FRAME = re.compile(r"\bat [\w.$<>]{1,80} \(\S{1,300}:\d+:\d+\)|\(https?://\S{1,300}:\d+:\d+\) at ")
# So many of them make a report.
_REPORT = 3
# A line of a compiler or checker: the file, the line in it.
_CHECKED = re.compile(r"\s*(?:\w+:\s+)?[\w./\\@+-]+\.\w{1,5}(?::\d+){1,2}:?\s")
_PROGRAMS = (
    r"-?(?:zsh|bash|sh|fish|dash|ksh)|node|npm|npx|yarn|pnpm|bun|deno|git|make|docker|curl|wget|pip3?|ssh|sudo|ruby|"
    r"python[\d.]*|cargo|go|ld|gcc|clang|tsc|javac?|rm|cp|mv|ls|cat|cd|grep|sed|awk|find|env|kubectl|brew|apt|psql|fatal"
)
# A line that no person writes and that stands in a block with others of the kind: of a browser's console or a trace in
# JavaScript (where a function stands), a shell's prompt, what it or its commands complain of, a run of tests.
_TRACED = re.compile(
    r"\s+at (?:\S+ )?\(?\S+:\d+:\d+\)?|[\w.$()<> ]+\s@\s[\w./@:-]+:\d+|[\w.-]+\.[jt]sx?:\d+\s*$|"
    r"\S+\.[cm]?jsx?\?\S*:\d+\s+\S|(?:https?:/)?\S*:\d+/\S+:\d+\s+Failed to load|\S+\.\w+ \(\d+:\d+\) @ |"
    r"\s*Show \d+ (?:ignore-listed|more) frames?|"
    r"\s*(?:\S+@\S+[ :][~/\w.-]+ ?[%$#](?:\s|$)|Last login: |Traceback \(|npm (?:ERR!|WARN|error|warn) |"
    r"=== (?:RUN|NAME|PAUSE|CONT)\b|--- (?:FAIL|PASS|SKIP)\b|={5,}|"
    rf"(?:{_PROGRAMS}|[~./][\w./~-]*):(?: ?[\w./-]+:)* .*(?:not found|[Nn]o such|[Pp]ermission denied|"
    r"not recogni[sz]ed|requires an|\*\*\*|unrecogni[sz]ed|[Ii]nvalid option|[Uu]nknown option)|"
    r"[~./][\w./~-]*:(?:\S+:)? ?(?:line )?\d+: |\[[\w.:-]+\] [A-Z])|.{0,80}?\b\d\d:\d\d:\d\d[.,]\d{3}"
)
# The name of a section above what it is about: its words begin with capitals.
_NUMBER = re.compile(r"\s*(?:\(?(?:[A-Z][a-z]+ )?\d{1,2}(?:\.\d{1,2})*[.):]\s+(?:[A-Z]+:\s+)?)?")
_NAMED = re.compile(r"[A-Za-z][\w'’-]*")
_SMALL = frozenset(
    [
        "a",
        "an",
        "and",
        "as",
        "at",
        "by",
        "for",
        "from",
        "in",
        "of",
        "on",
        "or",
        "the",
        "to",
        "vs",
        "with",
        "your",
    ]
)
# In Cyrillic they do not.
_NO_HEADING = re.compile(r"[.!?:;,`\"_=@Ѐ-ӿ]|[a-z][A-Z]|\d")
# After so many lines that programs printed, what stands right behind them is theirs too.
_PRINTED = 2
# What stands in a line beside paths and hashes: enough words are prose.
_CODED = re.compile(r"\S*[/\\]\S*|\S*\d\S{6,}")
_WORDS = re.compile(r"(?<!\S)[A-Za-z]{2,}[,.;:!?]?(?!\S)")
_FEW = 4
_LETTERS = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of prose, its span, whether it stands in something that was pasted, and whether it ends with a line
    that stands over a list, with no mark at its end."""

    start: int
    end: int
    pasted: bool
    over: bool = False


def sentences(text: str, begin: int = 0, stop: int = MOST) -> Iterator[Sentence]:
    """The sentences of text[begin:stop], a safe text. Code, logs and tables are left out; wrapped lines are read as one
    paragraph."""
    for start, end, pasted in _paragraphs(text[: min(stop, MOST)], begin):
        at = start
        ends = _SMALL_END if text[start:end].lstrip("-*• ")[:1].islower() else _END
        for found in ends.finditer(text, start, end):
            if _ABBREVIATED.search(text, max(at, found.end() - _SHORTENED), found.end()):
                continue
            stop = found.end()
            if _counts(text, start, found, end):
                # What the points of a line stand behind ends before the first.
                stop = text.rfind(":", at, stop) + 1
                if text[stop : found.start()].strip(" 0123456789"):
                    continue
            yield from _sentence(text, at, stop, pasted)
            at = stop
        over = (
            text[start:end].rstrip(" *_")[-1:] not in _ENDS
            and _OVER_A_LIST.match(text, end) is not None
            and _ITEMIZED.match(text, start) is None
        )
        yield from _sentence(text, at, end, pasted, over)


def _counts(text: str, start: int, found: re.Match[str], end: int) -> bool:
    """Whether what looks like the end of a sentence is a number that counts in a line ("check the 1. cost 2. time"), or
    stands before a shout that belongs to it ("Ask first. NO EXCEPTIONS")."""
    if _SHOUT.match(text, found.end(), end):
        return True
    number = _NUMBERED.search(text, max(start, found.start() - 3), found.start() + 1)
    if number is None:
        return False
    beside = f"{int(number[1]) - 1}|{int(number[1]) + 1}"
    return re.compile(rf"(?<!\S)(?:{beside})[.)]\s").search(text, start, end) is not None


def _sentence(text: str, start: int, end: int, pasted: bool, over: bool = False) -> Iterator[Sentence]:
    for a, b in (piece for part in _dashed(text, start, end) for piece in _cut(text, *part)):
        while a < b and text[a].isspace():
            a += 1
        # A terminal takes a stroke at its end for a line that goes on.
        while b > a and (text[b - 1].isspace() or text[b - 1] == "\\"):
            b -= 1
        if b - a >= 3:
            yield Sentence(a, b, pasted, over)


def _dashed(text: str, start: int, end: int) -> Iterator[Span]:
    """The parts of a long sentence that somebody strung together with dashes, as points of a list or as what came to
    mind next; what is too short for one stays with the part before."""
    at = start
    if end - start > _STRUNG:
        for dash in _DASH.finditer(text, start, end):
            if min(dash.start() - at, end - dash.end()) >= _PART:
                yield at, dash.start()
                at = dash.end()
    yield at, end


def _cut(text: str, start: int, end: int) -> Iterator[Span]:
    """The pieces of a sentence, none longer than a fact may be."""
    for _ in range(_MOST_PIECES):
        if end - start <= LONGEST:
            yield start, end
            return
        first, last = start + LONGEST // 2, start + LONGEST
        stop = max((mark.end() for mark in _CLAUSE.finditer(text, first, last)), default=0)
        stop = stop or text.rfind(" ", first, last) + 1 or last
        yield start, stop
        start = stop


def _paragraphs(text: str, begin: int = 0) -> Iterator[tuple[int, int, bool]]:
    """(start, end, pasted) of the runs of prose lines."""
    tags: list[str] = []
    start = end = -1
    was_pasted = False
    printed = 0
    at = begin
    lines = text[begin:].split("\n")
    traced, fenced, reported, shown = _traced(lines), _fenced(lines), _reported(lines), copied(lines)
    if not shown.whole:
        # What was handed on whole is what the user says.
        reported |= shown.lines
    for number, line in enumerate(lines):
        here, at = at, at + len(line) + 1
        printed = 0 if not line.strip() else printed + bool(_LOGGED.match(line) or _CHECKED.match(line))
        pasted = bool(tags) or line.lstrip().startswith(">") or printed >= _PRINTED or number in reported
        joins = False
        if number in fenced or number in traced:
            prose = False
        elif tag := _TAG.match(line):
            _nest(tags, tag[2], bool(tag[1]))
            prose = False
        else:
            goes_on = number in shown.wrapped
            prose = _is_prose(line.strip() if goes_on else line) and not (
                number + 1 < len(lines) and _is_heading(line) and _stands_apart(lines, number)
            )
            joins = prose and start >= 0 and pasted == was_pasted and (goes_on or _continues(text, end, line))
        if start >= 0 and not joins:
            yield start, end, was_pasted
            start = -1
        if prose:
            start = start if joins else here
            end, was_pasted = here + len(line), pasted
    if start >= 0:
        yield start, end, was_pasted


def _reported(lines: Sequence[str]) -> frozenset[int]:
    """The numbers of the lines that a program wrote: the blocks of a report that have its readings."""
    found: set[int] = set()
    if sum(_READING.match(line) is not None for line in lines) >= _REPORT:
        found.update(
            number
            for block in _blocks(lines)
            if any(_READING.match(lines[one]) for one in block)
            for number in block
        )
    return frozenset(found)


def _blocks(lines: Sequence[str]) -> Iterator[list[int]]:
    """The numbers of the lines of each block between empty ones."""
    block: list[int] = []
    for number, line in enumerate((*lines, "")):
        if line.strip():
            block.append(number)
        elif block:
            yield block
            block = []


def _fenced(lines: Sequence[str]) -> frozenset[int]:
    """The numbers of the lines of fenced code, fences included. Behind a fence that never closes people go on in prose;
    one that names a language opens another block, since none closes so. A fence of prose at the beginning, as people
    put around a whole prompt, is no code; what is fenced in it is."""
    found: set[int] = set()
    opened: tuple[int, str] | None = None
    first = next(islice((n for n, line in enumerate(lines) if line.strip()), _FIRST - 1, None), len(lines))
    for number, line in enumerate(lines):
        fence = _FENCE.match(line)
        if fence is None:
            continue
        found.add(number)
        mark, info = fence["mark"], fence["info"].strip()
        if mark in info:
            # It opens and closes on its own line ("```x```").
            continue
        if opened is None and info.lower() in _PROSE and number <= first:
            # What closes it stands alone behind the pairs in it.
            continue
        if opened is None or (info and mark[0] == opened[1][0] and len(mark) <= len(opened[1])):
            opened = number, mark
        elif not info and mark[0] == opened[1][0] and len(mark) >= len(opened[1]):
            found.update(range(opened[0], number))
            opened = None
    return frozenset(found)


def _traced(lines: Sequence[str]) -> frozenset[int]:
    """The numbers of the lines that stand in one block with a trace: all of it, in the first such block from the trace
    on, since somebody may say before it what happened."""
    found: set[int] = set()
    for block in _blocks(lines):
        first = next((one for one in block if _TRACED.match(lines[one])), None)
        if first is not None:
            found.update(block if found else range(first, block[-1] + 1))
    return frozenset(found)


def _nest(tags: list[str], name: str, closes: bool) -> None:
    if not closes:
        tags.append(name)
    elif name in tags:
        del tags[tags.index(name) :]


def _continues(text: str, end: int, line: str) -> bool:
    """Whether a line goes on with the sentence of the one before: that is open, this starts with a small letter. Lines
    of a quoted text too."""
    lead = line.lstrip(" \t>")[:1]
    return (
        lead.islower()
        and end > 0
        and text[end - 1] not in ".!?:。！？："
        and "\n" not in text[max(0, end - 40) : end]
    )


def _is_heading(line: str) -> bool:
    """Whether a line names what stands below it: "Step 4: Add Your First Boat", "Medium Severity"; in capitals alone,
    which may be a rule that is shouted, only behind a number."""
    number = _NUMBER.match(line)
    rest = line[number.end() :] if number is not None else line
    words = _NAMED.findall(rest)
    if len(words) < 2 or has_unspaced(rest) or _NO_HEADING.search(rest) or (rest.isupper() and rest == line):
        return False
    return all(word[0].isupper() or word in _SMALL for word in words) and sum(len(w) > 3 for w in words) > 1


def _stands_apart(lines: Sequence[str], number: int) -> bool:
    """Whether a line has an empty one above or below, or none above."""
    return number == 0 or not lines[number - 1].strip() or not lines[number + 1].strip()


def _is_prose(line: str) -> bool:
    stripped = line.strip()
    if (
        len(stripped) < 4
        or _CODE.match(stripped)
        or (line.startswith(("    ", "\t")) and stripped[0] not in "-*•0123456789")
    ):
        return False
    if (
        stripped.count("|") >= 2
        or "\\n" in stripped
        or _ROW.fullmatch(stripped)
        or _DRAWN.search(stripped)
        or _LOGGED.match(line)
        or _CHECKED.match(line)
        or _SHOWN_BY_PROGRAM.match(line)
        or _FRAME.search(stripped)
        or _IMPORTED.match(stripped)
        or _COMMAND.fullmatch(stripped)
        or _MARKUP.match(stripped)
    ):
        return False
    worded = len(_WORDS.findall(stripped[:600])) >= _FEW
    sample = _CODED.sub("", stripped[:600]) if worded else stripped[:600]
    letters = len(_LETTERS.findall(sample)) + sample.count(" ")
    return letters >= (0.4 if len(sample) <= _SHORT else 0.5 if worded else 0.6) * len(sample) or (
        not sample.isascii() and letters >= 0.4 * len(sample)
    )


def clauses(text: str, start: int, end: int) -> list[Span]:
    """The clauses of a sentence as spans; the signs between them belong to none."""
    found = []
    at = start
    for mark in _CLAUSE.finditer(text, start, end):
        if mark.start() > at:
            found.append((at, mark.start()))
        at = mark.end()
    if at < end:
        found.append((at, end))
    return found
