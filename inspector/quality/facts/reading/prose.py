"""Which lines of a text people wrote: not code, commands, logs, traces, tables or what a program printed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from inspector.core.scan.words import has_unspaced

# What a fence of prose names, and among how many lines it begins a whole prompt.
_FIRST = 3
_PROSE = frozenset(["markdown", "md", "text", "txt", "plaintext", "prompt"])
# A short line may be mostly its value ("Budget: $4,500.").
_SHORT = 40
_FENCE = re.compile(r"\s*(?P<mark>`{3,}|~{3,})(?P<info>.*)")
_CODE = re.compile(
    r"\s*(?:#{1,6}\s|\$ |>>> |\.\.\. |In \[\d|Out\[\d|[{}\[\]]|\\(?:begin|end)\{|File \"|Traceback|at [\w.$]+\(|"
    r"[+-]{3} |\+ {3}|- {3}(?: |//|#|/\*)|@@|<!--|import \w|from [\w.]+ import|@[\w.]+\(|[\w.]+\(\s*$|"
    r"(?:\([\w.-]+\) ?)*\S+@\S+[ :][~/\w.-]+ ?[%$#](?:\s|$)|Last login: |"
    r"(?:def|class|return|if|for|while|elif|else|try|except|with|raise|assert|print)\b.*[:()\]=]\s*$|(?:func|fn|public|private|static|const|type|impl|struct|export)\b.*[{(;]\s*$|[\w.]+\s*=\s*\S+$|#!|//|/\*|"
    r"[\w. ]+ = (?:await )?[\w.]+\((?:.*\)[;,]?)?\s*$|async (?:def|with|for) |"
    r"\w+(?:\.\w+)+\([\w\"', =.]*\)[;,]?\s*$|[\"']?\w+[\"']?:\s?\S+,\s*$)"
)
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
    r"[~./][\w./~-]*:(?:\S+:)? ?(?:line )?\d+: |\[[\w.:-]+\] [A-Z])|.{0,80}?\b\d\d:\d\d:\d\d[.,]\d{3}|"
    r"[|*/\\ ]*(?:commit [0-9a-f]{7,40}\b|Author: .+<.*>|Date:\s+\w{3} \w{3} \d)|"
    r"\s*(?:create|delete) mode \d{6} |\s*\d+ files? changed, \d+ (?:ins|del)|Initialized empty Git |"
    r"\[\S+(?: \(root-commit\))? [0-9a-f]{7,40}\] "
)
# What a script puts over each of its steps, and how many of them make it a run of one.
_BANNER = re.compile(r"\s*={3,} \S.{0,120} ={3,}\s*$")
_BANNERS = 2
# A field of a schema alone on its line, or its type: "subscription_id", "string <date-time>".
_FIELD = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)+|[A-Za-z]+ (?:<[\w.:-]+>|\([A-Z]\w*\.\w+\))")
# The name of a section above what it is about: its words begin with capitals.
_NUMBER = re.compile(r"\s*(?:\(?(?:[A-Z][a-z]+ )?\d{1,2}(?:\.\d{1,2})*[.):]\s+(?:[A-Z]+:\s+)?)?")
_NAMED = re.compile(r"[A-Za-z][\w'’-]*")
# Words that begin with small letters in a heading too.
_SMALL = re.compile("an?|and|as|at|by|for|from|in|of|on|or|the|to|vs|with|your")
# What no such heading has; in Cyrillic they are written as sentences are.
_NO_HEADING = re.compile(r"[.!?:;,`\"_=@Ѐ-ӿ]|[a-z][A-Z]|\d")
# What stands in a line beside paths and hashes: enough words are prose.
_CODED = re.compile(r"\S*[/\\]\S*|\S*\d\S{6,}")
_WORDS = re.compile(r"(?<!\S)[A-Za-z]{2,}[,.;:!?]?(?!\S)")
_FEW = 4
_LETTERS = re.compile(r"[^\W\d_]")


def reported(lines: Sequence[str]) -> frozenset[int]:
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


def fenced(lines: Sequence[str]) -> frozenset[int]:
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


def traced(lines: Sequence[str]) -> frozenset[int]:
    """The numbers of the lines that stand in one block with a trace: all of it, in the first such block from the trace
    on, since somebody may say before it what happened. What a script printed goes from its first banner to its last."""
    banners = [number for number, line in enumerate(lines) if _BANNER.match(line)]
    found = set(range(banners[0], banners[-1] + 1)) if len(banners) >= _BANNERS else set()
    for block in _blocks(lines):
        first = next((one for one in block if one in found or _TRACED.match(lines[one])), None)
        if first is not None:
            found.update(block if found else range(first, block[-1] + 1))
    return frozenset(found)


def is_heading(lines: Sequence[str], number: int) -> bool:
    """Whether a line names what stands below it: "Step 4: Add Your First Boat", "Medium Severity"; in capitals alone,
    which may be a rule that is shouted, only behind a number. It has an empty line above or below, or none above; short
    words ("Use Cases") have both."""
    line = lines[number]
    behind = _NUMBER.match(line)
    rest = line[behind.end() :] if behind is not None else line
    words = _NAMED.findall(rest)
    if len(words) < 2 or has_unspaced(rest) or _NO_HEADING.search(rest) or (rest.isupper() and rest == line):
        return False
    if number + 1 == len(lines) or not all(word[0].isupper() or _SMALL.fullmatch(word) for word in words):
        return False
    above, below = number == 0 or not lines[number - 1].strip(), not lines[number + 1].strip()
    return (above or below) and ((number > 0 and above and below) or sum(len(w) > 3 for w in words) > 1)


def is_printed(line: str) -> bool:
    """Whether a program printed a line: of a log or of a checker."""
    return _LOGGED.match(line) is not None or _CHECKED.match(line) is not None


def is_prose(line: str) -> bool:
    """Whether people wrote a line, by itself."""
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
        or _FIELD.fullmatch(stripped)
        or _DRAWN.search(stripped)
        or is_printed(line)
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
