"""Tell prose from code, data and printed text, line by line."""

from __future__ import annotations

import re

from inspector.agents import agents
from inspector.core.patterns import any_of, late_pattern
from inspector.core.scan.exact import PATTERNS
from inspector.core.scan.words import has_unspaced
from inspector.quality.facts.fact import STANDING
from inspector.quality.facts.rules import best_cue

#: Maximum characters of a statement. A longer sentence is cut at a clause or between words.
LONGEST = 420
#: Characters of a line to examine when code and logs are separated from prose.
SCANNED = 600
#: Errors that OpenClaw and Odoo show, also behind words of a person.
_ERRORS = (
    r"Agent failed before reply: |Request timed out before a response was generated\.|"
    r"Model \"[^\"\n]{1,200}\" is not allowed\. Use /|OpenClaw: access not configured\.|"
    r"You are not allowed to [a-z]+ '[^'\n]{1,80}' \([a-z_]+(?:\.[a-z_]+)+\) records|"
    r"No group currently allows this operation\.\s*$|Contact your administrator to request access if necessary\.\s*$"
)
TOLD = late_pattern(rf"(?<![\"'“‘`«「『])(?:{_ERRORS})")
# Start of a clause that is a rule by itself.
RULE_START = (
    r"(?:please\s+)?(?:do\s?n[o']?t|do not|never|always|make sure|ensure|avoid|must not|only use|don’t|keep|"
    r"leave|use|ask|tell|show|warn|stop)\s+"
    r"(?!(?:to|in|on|at|for|by|from|with|a|an|of|before|after|during|until|and|or|it|them|that)\b)\w"
)
NORM = (
    r"must|mustn't|has to|have to|needs?|should|shall|may not|cannot|can't|requires?|is not allowed|are not "
    r"allowed"
)
#: Matches a line that a program printed: a log, a diff, a trace, a prompt of a shell, an error of a compiler.
PRINTED = late_pattern(
    r"\s*"
    + any_of(
        date_and_time=r"\W?\d{4}[-/]\d\d[-/]\d\d[ T]\d\d:\d\d:\d\d",
        syslog_time=r"(?-i:[A-Z][a-z]{2}) [ \d]\d \d\d:\d\d:\d\d",
        clock=r"(?:\[|[A-Z]\d{4} )?\d\d:\d\d:\d\d",
        container=r"[\w.-]{1,60}-\d+\s+\| ",
        log_level=r"(?:\S{1,3} ){0,3}(?:\[[\w.:-]{1,40}\] ?)?"
        r"\[?(?:INFO|DEBUG|TRACE|WARN(?:ING)?|ERROR)(?:\]|:? {2}| \[)",
        error_label=r"ERROR: ",
        class_in_brackets=r"\[(?-i:[A-Z][a-z]\w*[A-Z])\w{0,40}\] \S",
        labelled_error=r"\w{2,40}: (?:Error|Warning|Fatal|Verbose): \S",
        columns_of_numbers=r"(?:\S{1,40}[ \t]+){1,2}(?:\d[\d.,:%]*[ \t]+){4}\S",
        agent_error=rf"\W{{0,4}}(?:{_ERRORS})",
        banner=r"🦞 OpenClaw \d",
        linter=r"\d+:\d+ +(?:error|warning) {2,}\S",
        http_request=r"(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) /\S* (?:\d{3}\b|HTTP/)",
        http_error=r"[45]\d\d: (?-i:[A-Z]+_[A-Z_]+)\s*$",
        # A person says that a place is old ("boat.py:3 is old"), or gives a rule for it.
        place=rf"[\w./\\@+-]{{1,200}}\.\w{{1,5}}:\d+(?::\d+)?"
        rf"(?! (?:[-–—] )?(?:(?:is|are|{NORM})\s|{RULE_START})):?(?:\s|$)",
        script_with_query=r"[\w./-]{1,120}\.[mc]?js\?\S{1,120}:\d+(?::\d+)?(?:\s|$)",
        diff_head=r"diff --git |index [0-9a-f]{6,}\.\.|@@ |\+{3} \S|-{3} [ab]/",
        diff_line=r"[+-](?!\s)[^\n]*[;{}()=]",
        commit=r"(?:\* )?commit [0-9a-f]{7,40}\b",
        frame_of_browser=r"[\w.$<>()]{1,80} @ \S+:\d+",
        numbered_place=r"\d{0,3}\([^\W\d_]{3,12}\):\d+(?:\s|$)",
        option=r"--[a-z][\w-]{1,40}(?:[ =]\S{1,80})?\s*\\?\s*$",
        chat_command=r"/[a-z][\w-]{1,40}(?:@\w{1,40})?\s*$",
        between_errors=r"(?:During handling of the above |The above (?:\w+ ){1,3}(?:was|caused) the )[^\n:]*:\s*$",
        cause=r"Caused by: \S{0,80}(?:Error|ERROR|Exception)\b",
        uncaught=r"Uncaught (?:\(in promise\) \S{1,80}: |Promise > )\S",
        odoo_box=r"Occurr?ed on \S{1,80} (?:on model \S{1,80} )?(?:and id \d{1,9} )?on \d{4}-\d\d-\d\d ",
        sql_hint=r"(?:HINT|DETAIL):  \S",
        sql_place=r"LINE \d+: (?:\.\.\.|(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|WITH)\b)",
        error_class=r"(?:[a-z_]\w*\.)*(?:errors?|exceptions?|exc)\.[A-Z]\w+: \S",
        traceback=r"Traceback \(|File \"[^\"\n]+\", line \d+",
        stack_frame=r"at (?:async |new )?[\w.$<>]{1,80}(?: \[as \w{1,80}\])?(?: \(|\()",
        named_error=r"\S{0,80}(?:Error|Exception|Warning): \S",
        powershell=r"P?S [A-Z]:\\[^>\n]{0,200}>",
        installer_question=r"\? (?-i:[A-Z])[^\n]{3,200}[?:](?:\s|$)",
        unnamed_script=r"VM\d{1,6}:\d+(?:\s|$)",
        shell_prompt=r"(?:\(\S{1,40}\) ?)?[\w.-]+@[\w.-]+[ :][~/\w.-]{1,200} ?[%$#]",
        dollar_prompt=r"\$ (?!(?i:never|always|do not|don['’]?t) )\S",
        python_prompt=r">>> ",
        login=r"Last login: ",
        npm=r"npm (?:ERR!|WARN|error|warn) ",
        ruler=r"={3,}|={2}> ",
        go_test=r"-{3} (?:FAIL|PASS|SKIP): ",
        test_result=r"(?:PASS|FAIL|ok|FAILED|PASSED)\s{1,4}\S*[/.]\S+",
        build_step=r"#\d+ (?:\d+\.\d+ |ERROR|DONE|CACHED|\[)",
        test_count=r"\d+ (?:passed|failed)\b",
        git_summary=r"\d+ files? changed|create mode \d{6} ",
        package_manager=r"(?:Setting up|Unpacking|Get:\d+|Hit:\d+|Step \d+/\d+) \S",
        failing_command=r"[a-z][\w.-]{1,30}: "
        r"(?:unable to|cannot|can't|could not|failed to|falling back|no such|not found|\()",
        # A person gives a rule for a tool: "git: never rebase".
        shell_error=r"-?(?:(?:zsh|bash|sh|fish|make|npm|git|node|python\d?|docker|curl)(?:\[\d+\])?: "
        rf"(?!(?i:{RULE_START}|must ))|(?:fatal|error|warning|hint)(?:\[\d+\])?: )",
        mark_of_terminal=r"[⏺●⎿✻✽❯◻◼]",
        line_of_box=r"[│┃║╭╰┌└├]|[─━═]{3}",
    )
)
# Cells between bars, lines of a box, tabs, wide spaces, commas or semicolons.
_TABLE = late_pattern(
    any_of(
        cells_between_bars=r"\s*\|.*\|\s*$",
        line_of_box=r"[^│┃║\n]{1,400}\s[│┃║](?:\s|$)",
        wide_spaces=r"\S[^\t\n]*(?:(?:\t+| {3,})\S[^\t\n]*?){3,}$",
        inner_bars=r"[^|\n]*(?:\s\|\s[^|\n]*){3,}$",
        commas=r"[^\s,;：]{1,40}(?:[,;][^\s,;]{1,40}){3,}$",
    )
)
_MARKUP = late_pattern(
    r"\s*</?[A-Za-z][\w-]{0,40}(?:\s[^<>]{0,300})?/?>|"
    r".{0,200}[\w:-]=\"[^\"]*\"(?:\s+[\w:-]+=\"|\s*/?>)"
)
# Matches a whole line of code. A sentence that begins like code does not match.
_CODE = late_pattern(
    r"\s*"
    + any_of(
        brackets=r"[{}\[\]()<>;,]+",
        assignment=r"[\w.\[\]'\"]{1,80}(?:\s?:\s?\w[\w\[\], |]{0,60})?\s?(?:[-+*/|&]|:)?=(?!=)\s?\S.{0,300}",
        call=r"(?:await |return |yield |raise |throw |new |print ?|export |const |let |var )*"
        r"[\w.$]{1,120}\([^()]{0,300}\)(?: from \w+)?[;,:]?(?: {2,}# .*)?",
        python_definition=r"(?:async )?def \w+\(.*|class \w+(?:\(.*\))?[:{].*|@[\w.]+(?:\(.*\))?",
        python_import=r"import \w[\w.]*(?:,\s?\w[\w.]*)*(?: as \w+)?;?",
        script_import=r"import [\w.{}*, ]{1,200} from ['\"].*",
        import_from=r"from [\w.]+ import [\w.*, ()]+",
        block=r"(?:if|for|while|with|elif|else|try|except|switch|case)\b(?:[^.?!]|\.(?=\w)){0,200}[)\]\w'\"]\s?[:{]",
        returned=r"return (?:[\w.]+|\()",
        declaration=r"(?:export |default |public |private |protected |static |async |pub )*"
        r"(?:const|let|var|function|func|fn|interface|type|struct|impl|enum)\b.*[{(;=].*",
        code_at_end=r".{0,300}(?:\);|\) ?\{|[^\s.]\{|\};?|=> ?[{(]?|;)",
        python_dictionary=r"\{'\w+': .*,",
        key_and_value=r"[\"']?[\w-]+[\"']?:\s?(?:[\"'{\[].*|\S+,|\S+\s+# .*)",
        comment=r"#!.*|//.*|/\*.*|\*/.*|<!--.*",
        method_call=r"\w+(?:\.\w+)+\(.*",
        sql=r"(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE|ALTER|DROP)\b.*[;(,]",
    )
    + r"\s*"
)
# A command alone on its line.
_COMMAND = late_pattern(
    r"(?:sudo )?"
    + any_of(
        installs=r"(?:pip3?|npm|pnpm|yarn|bun|apt|apt-get|brew|cargo|gem|conda|poetry|uv)(?: pip)? (?:install|add|ci)",
        # "/plugin install moon@pier"
        of_agent=r"/[a-z][\w-]{1,40}(?= [a-z][\w-]{1,20} )(?= [^\n]{0,200}[/@])",
        with_option=r"(?=.* -)(?:npx|npm|pnpm|yarn|bun|docker|kubectl|uvicorn|python3?|node|curl|git|cargo|go|uv|"
        rf"{'|'.join(re.escape(agent.name.partition('-')[0]) for agent in agents() if agent.places)})",
    )
    + r"(?: (?!(?:is|are|was|the|a|to|and|or|not|for|with|when|on|in|please|must|only|but)\b)"
    r"[\w./:@=~+,\[\]{}$\"'<>^-]++)+$"
)
# A run of letters and digits that is not a word: a key, a hash, an encoded file.
_DATA = late_pattern(r"(?=\S*[\dA-Z+/])[A-Za-z0-9+/=_-]{24,}|-{3,}[A-Z ]+-{3,}")
#: A path from a drive or a dot, or a relative path of a file with an ending.
_WINDOWS_PATH = late_pattern(
    r"(?<![\w.\\-])(?:(?:[A-Za-z]:|\.{1,2})(?:\\[\w.-]{1,80}){1,20}"
    r"|[\w-]{1,80}(?:\\[\w-]{1,80}){1,20}\.[A-Za-z]\w{0,4}\b)"
)
# A name and a colon, or a string, of JSON.
_JSON = late_pattern(r"\"[^\"\n]{0,200}\"(?:\s?:)?")
_WORDS = late_pattern(r"(?<!\S)[\"'(*_`]*[^\W\d_]{2,}[\"')*_`]*[,.;:!?]*(?!\S)")
_LETTERS = late_pattern(r"[^\W\d_]")
_URL = late_pattern(PATTERNS["url"], re.ASCII)
#: Matches words with which a person speaks of oneself or to the agent.
PERSON = late_pattern(
    r"\b(?:I|we|my|me|our|please|pls|plz|let['’]?s|can you|could you)\b|我|你|请|請|幫|帮", re.IGNORECASE
)
#: Matches a word or two and a number, which a person gives in a short message: "Use 8080", "Port: 8080".
_NUMBER_GIVEN = late_pattern(r"(?:[^\W\d_]{2,}:?[ ]){1,2}\d[\d.,:/-]*\w{0,3}(?: \d\d?:\d\d)?[.!]?")
ITEM = late_pattern(r"\s*(?:[-*•●+]\s|\(?\d{1,3}(?:\+\d{1,3})*(?:[.)](?=[\s一-鿿])|、))\s*")
LABEL = late_pattern(
    r"(?:>\s*+)*+(?:\[Image #\d+\][,:，：]?\s*+)*+(?:[A-Z]、\s*+)?+(?:[-*•●+]\s++|"
    r"\(?\d{1,2}(?:\+\d{1,2}){0,9}+(?:(?:[.)]|-(?=\s))\s++|[.)](?=[一-鿿])|、\s*+))?(?:#{1,6}\s++)?"
    r"(?:\[[ xX]\]\s++)?(?:[A-Z]{3,}+(?=\s++(?:[A-Z][a-z']|I\s))\s++)?"
    r"(?:(?:\*\*)?(?:NOTE|IMPORTANT|"
    r"CRITICAL|WARNING|TODO|FYI|PS|N\.B\.|THOUGHT|注意|重要|提示|备注)\s*+[:：](?:\*\*)?\s*+)?"
)
#: Signs that plain words do not have.
_OF_CODE = frozenset("(){}[]<>=+")
#: A heading or the end of a line that forbids the items of the list below: "## Never", "please do not:".
_FORBIDS_LIST = late_pattern(
    r"(?P<heading>[#*_\s]*+)(?:[^.:!?\n]{0,80}(?<!\w))?"
    r"(?P<words>(?:never|do not|don['’]?t|must not|mustn['’]?t|avoid)(?!\w)|禁止|不要|不得|切勿)"
    r"(?: (?:do )?(?:any of )?(?:the following|these|this))?[*_\s]*+(?P<colon>[:：])?[*_\s]*+",
    re.IGNORECASE,
)


def is_prose(line: str) -> bool:
    """Return whether a person may have written a line: it is not code, a command, a log, a table or markup."""
    line = line[:SCANNED]
    stripped = line.strip()
    if len(stripped) < 2 or _LETTERS.search(stripped) is None or _DATA.fullmatch(stripped):
        return False
    words = len(_WORDS.findall(stripped))
    if _TABLE.match(stripped) or PRINTED.match(line) or _COMMAND.match(stripped) or _dumped(stripped):
        return False
    if _MARKUP.match(LABEL.sub("", stripped, count=1)) or is_code(stripped):
        return False
    # All signs of an address count as letters.
    letters = len(_LETTERS.findall(_URL.sub(lambda url: "a" * len(url.group()), stripped)))
    if has_unspaced(stripped):
        return letters + sum(sign.isdigit() for sign in stripped) >= 0.4 * len(stripped)
    return words >= 3 or letters + stripped.count(" ") >= 0.6 * len(stripped)


def has_form(line: str) -> bool:
    """Return whether a line has the form of code, data or markup. A table and a list may be a person's."""
    stripped = line[:SCANNED].strip()
    if stripped[:1] in ("", "|") or item_depth(line) == 0:
        return False
    return bool(
        is_code(stripped)
        or _MARKUP.match(stripped)
        or _TABLE.match(stripped)
        or _DATA.fullmatch(stripped)
        or _dumped(stripped)
    )


def is_code(line: str) -> bool:
    stripped = line[:SCANNED].strip()
    body = LABEL.sub("", stripped, count=1)
    # A person may end an item of a list, or a longer line, with a semicolon.
    speaks = PERSON.search(body) is not None and len(_WORDS.findall(body)) > 3
    listed = ITEM.match(stripped) is not None and " " in body
    if body.endswith(";") and (listed or speaks) and _OF_CODE.isdisjoint(body):
        body = body[:-1]
    return _CODE.fullmatch(body) is not None


def is_json(line: str) -> bool:
    """Return whether most of a line is names and values of JSON."""
    if line.count('":') + line.count('" :') < 3:
        return False
    return len(_WORDS.findall(_JSON.sub(" ", line))) <= 3


def _dumped(line: str) -> bool:
    """Return whether a line has an escaped newline. A Windows path such as C:\\new or tools\\notes.py is not one."""
    return "\\n" in line and "\\n" in _WINDOWS_PATH.sub(" ", line)


def gives_number(line: str) -> bool:
    """Return whether a line is a word or two and a number, and not printed."""
    body = LABEL.sub("", line[:SCANNED].strip(), count=1)
    return _NUMBER_GIVEN.fullmatch(body) is not None and not (PRINTED.match(line[:SCANNED]) or is_code(line))


def orders(line: str) -> bool:
    """Return whether a line has the cue of a standing order, and does not only introduce the next lines."""
    if line.rstrip().endswith((":", "：")):
        return False
    cue = best_cue(line[:SCANNED], "user", frozenset())
    return cue is not None and cue[0].strength >= STANDING


def forbids_list(line: str) -> str:
    """Return the word of a line that forbids the items of the list below it: "do not"; "" if it does not."""
    match = _FORBIDS_LIST.fullmatch(line) if len(line) <= LONGEST else None
    return match["words"] if match is not None and (match["colon"] or match["heading"].strip()) else ""


def item_depth(line: str) -> int:
    """Return the number of spaces before an item of a list; -1 for a line that is not an item."""
    return depth_of(line) if ITEM.match(line) is not None else -1


def depth_of(line: str) -> int:
    return len(line) - len(line.lstrip())
