"""The acts of a message: files read and written, pages fetched, commands run, questions asked, failures.

An act has a key. Two acts with the same kind and key are the same act done twice.
"""

from __future__ import annotations

import json
import posixpath
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal
from urllib.parse import unquote

from msgspec import Struct
from msgspec.structs import replace

from inspector.core.messages import Message, ToolCall, arguments_in
from inspector.core.patterns import late_pattern
from inspector.core.rough import text_tokens
from inspector.core.text import safe
from inspector.quality.facts.sentences import sentences

#: "attach": the agent put a file into the list without a call of the model. "install": a command installs a package or
#: makes an environment. "call": a tool searches files, or another agent works.
#: "say": the user's words. "remind": the user says that they said it before. "compact": the user runs the command that
#: compacts.
ActKind = Literal[
    "read",
    "write",
    "fetch",
    "run",
    "install",
    "call",
    "ask",
    "fail",
    "say",
    "complain",
    "remind",
    "admit",
    "attach",
    "compact",
]
#: Kinds of acts that open a file or a page. The acts of one call share its result.
OPENS = ("read", "fetch")
#: First and last line of a part of a file, both included. The last is None up to the end of the file.
Lines = tuple[int, int | None]

#: Unknown lines of an edit. They overlap only with a reading of the whole file.
SOME_LINES: Lines = (0, 0)
#: Longest text of one argument, in characters, that is searched.
MAX_ARGUMENT = 20_000
#: Longest command, in characters, that is compared. Longer commands write files or have whole programs.
MAX_COMMAND = 2_000
_MAX_PATH = 400
_MAX_URL = 2_000

_PATH_KEYS = frozenset(
    {
        "path", "file", "file_path", "filepath", "filename", "paths", "files", "target_file", "absolute_path",
        "notebook_path",
    }
)  # fmt: skip
_COMMAND_KEYS = frozenset({"command", "cmd", "script"})
_URL_KEYS = frozenset({"url", "urls", "uri", "link"})
_FOLDER_KEYS = frozenset({"workdir", "cwd", "working_directory", "workingdirectory", "working_dir"})
_QUESTION_KEYS = frozenset({"question", "questions"})
#: Arguments of tools that write, with the new content.
_CONTENT_KEYS = frozenset(
    {"content", "new_string", "new_str", "file_text", "insert_text", "newstring", "new_source", "text"}
)
_READING = ("read", "view", "open", "cat")
_FETCHING = ("fetch", "browse", "navigate", "extract", "scrape", "visit", "open_url")
_WRITING = ("write", "patch", "edit", "create", "replace", "delete", "move", "append", "insert")
_ASKING = ("ask", "question", "clarify")
_SEARCHING = ("grep", "glob", "search")
_DELEGATING = frozenset({"task", "agent", "delegate_task", "sessions_spawn", "spawn_agent", "subagent"})
_PRINTING = frozenset({"cat", "head", "less", "more", "nl", "bat", "sed", "get-content"})
_INSTALLERS = frozenset({
    "pip", "pip3", "npm", "pnpm", "yarn", "bun", "poetry", "gem", "apt", "apt-get", "brew", "composer", "conda",
})  # fmt: skip
_INSTALLING = frozenset({"install", "add", "i"})
_SHELLS = frozenset({"bash", "sh", "zsh", "fish", "dash", "powershell", "pwsh", "cmd"})

_ADDRESS = late_pattern(r"(?!file:)[A-Za-z][A-Za-z0-9+.-]{0,20}://")
_URL = late_pattern(r"https?://[^\s'\"<>|;)\]}\\`]{3,1000}")
_PATCHED = late_pattern(r"^\*\*\* (Add|Update|Delete) File: (.{1,400})$", re.M)
#: PowerShell: a text in a variable, a file that is read into one, and the lines that a loop prints.
_ASSIGNED = late_pattern(r"\$(\w{1,40}) ?= ?('[^'\n]{1,400}'|\"[^\"\n]{1,400}\")")
_READ_INTO = late_pattern(
    r"\$\w{1,40} ?= ?Get-Content (?:-(?:Literal)?Path )?(?:\$(\w{1,40})|('[^'\n]{1,400}'|\"[^\"\n]{1,400}\"))",
    re.I,
)
_LOOP = late_pattern(r"\bfor ?\( ?\$(\w{1,40}) ?= ?(\d{1,7}) ?; ?\$\1 ?-le ?(\d{1,7})", re.I)
#: A call in a program, one property of its argument with a text or another simple value, and signs of such a text.
_CALLED = late_pattern(r"\btools\.(\w{1,60})\(\s*\{")
_PROPERTY = late_pattern(
    r"\s*[\"']?(\w{1,60})[\"']?\s*:\s*(?:\"((?:[^\"\\]|\\.)*+)\"|'((?:[^'\\]|\\.)*+)'|`((?:[^`\\]|\\.)*+)`"
    r"|[\w.\[\]]{1,200})\s*,?",
    re.S,
)
_ESCAPED = late_pattern(r"\\(.)", re.S)
_SIGNS = {"n": "\n", "t": "\t", "r": "\r", "\n": ""}
#: A file that Claude Code put into the list, as its reader writes it.
_ATTACHED = late_pattern(r"\(file: ([^\n]{1,400})\)\n(.*)\Z", re.S)
_REPOSITORY = late_pattern(r"(?:git@|https?://)([\w.-]{1,80})[:/]([\w.-]{1,80}/[\w.-]{1,100}?)(?:\.git)?/?\Z")
#: Match a joined descriptor ("2>&1"), and a redirection of standard error ("2>file").
_JOINED = late_pattern(r"(?:\d?>&|<&)[\d-](?=\s|[;&|)]|\Z)")
_ERRORS_TO = late_pattern(r"2>{1,2}(.*)", re.S)
#: Files of the system, which have no text of their own.
_DEVICE = late_pattern(r"/(?:dev|proc|sys)/")
#: Parts of a request of curl or wget that sends something, shows no page, or tries a server of this machine.
_NO_PAGE = late_pattern(
    r"(?:-X|--request|--method)[ =]?(?i:POST|PUT|PATCH|DELETE|HEAD)|-[dFT](?:[ '\"@{]|\Z)"
    r"|--(?:data|form|json|upload|post|head|spider)\b|(?:\A| )-[A-Za-z]{0,8}I|[oOt>][ =]?/dev/null"
    r"|https?://(?:localhost|127\.|0\.0\.0\.0|\[::1\])"
)
_REDIRECTED = late_pattern(r"(?<![0-9&=<>-])(>{1,2}) ?([\w./~$@{}+-]{1,300})")
#: A quoted text in a command. An arrow in it does not redirect.
_QUOTED = late_pattern(r"'[^']*+'|\"(?:[^\"\\]|\\.)*+\"", re.S)
_CHANGES_IN_PLACE = late_pattern(r"\b(?:tee|rm|mv|patch|truncate|sed)\b")
#: A text for the standard input of a command ("<<EOF"), up to its end mark.
_HERE_TEXT = late_pattern(
    r"(?<!<)<<-? ?(['\"]?)([A-Za-z_]\w{0,40})\1([^\n]*)\n(.*?)(?:^[ \t]*\2[ \t]*$|\Z)", re.M | re.S
)
_CD = late_pattern(r"cd (\"[^\"]{1,400}\"|'[^']{1,400}'|[^\s;&|]{1,400}) ?(?:&&|;|\n)\s*")
_LATER_CD = late_pattern(rf"(?:&& |; ?|\n){_CD.pattern}")
_MOVES = late_pattern(r"(?<![\w/.-])(?:cd|pushd)(?![\w/.-])")
_FILE = "file://"
#: Matches a path, a name, or a word.
_NAME = late_pattern(r"[a-z0-9_~./\\-]+")
#: Minimum characters of a file name without its ending that has several words.
_SEVERAL_WORDS = 6
#: A path from the root of a disk or from the folder of the user.
_ROOTED = late_pattern(r"[/~]|[A-Za-z]:[\\/]")
_IN_PLACE = late_pattern(r"-[nErsuz]{0,6}i|--in-place")
_PLAIN_TARGET = late_pattern(r">{1,2}\|?([\w./~@+-]{0,300})")
_SED_LINES = late_pattern(r"\A(\d{1,7})(?:,(\d{1,7}|\$))?p\Z")
# The lookbehind tries a sentence once, not from each of its characters.
_QUESTION = late_pattern(r"(?<![^.!?。！？\n])[^.!?。！？\n]{8,}+(?:？|\?(?![\w\"”’']))")
#: Maximum characters of a question: its end.
_LONGEST_QUESTION = 400
#: The command that compacts, as typed or as Claude Code records it.
_COMPACT = late_pattern(r"\s*(?:<command-name>)?/compact\b")
#: Words of a user who complains that the agent forgot something.
_FORGOT = late_pattern(
    r"(?<!\bif )\b(?:you|u)(?:['’]ve| have)? (?:(?:just|already|again) )?forg(?:ot(?:ten)?|et)\b"
    r"|(?<!\bif )\b(?:you|u) (?:(?:do|did|ca)n['’]?t|(?:do|did|can) ?not) remember\b"
    r"|\bdo(?:n['’]?t)? (?:you|u) remember\b"
    r"|\b(?:did|have)(?:n['’]?t)? (?:you|u) (?:already )?forg(?:et|ot)"
    r"|\b(?:you|u)(?:['’]ve| have)? missed (?:the|my) point\b"
    r"|\b(?:you|u)(?:['’]ve| have| (?:seem|appear) to have)? lost (?:(?:the|your|our|all) )?(?:context|track|memory)\b"
    r"|\bdid(?:n['’]?t)? i (?:just |already |not )?(?:tell|say)\b"
    r"|(?<!\bto )(?<!\bi )\bremember\W{0,4}$"
    r"|你.{0,8}(?:不记得|没记住|(?<!不要)(?<!不能)(?<!不会)(?<!别)(?<!勿)(?<!遗)遗?忘)|你.{0,3}(?:记忆力|记得吗)"
    r"|\bwe were just (?:talking|speaking|chatting|discussing)\b"
    r"|找回我.{0,4}(?:指令|要求|话)|我不是(?:让|叫|要求|告诉)你",
    re.I,
)
#: Words of a user who says that they said something before.
_TOLD = late_pattern(
    r"\b(?:i|we)(?:['’]ve| have)? (?:(?:already|just|clearly|explicitly|specifically|repeatedly) )*(?:told|reminded) "
    r"(?:you|u)\b"
    r"|\b(?:i|we)(?:['’]ve| have)? (?:already|clearly|explicitly|repeatedly) "
    r"(?:said|asked|mentioned|explained|stated|specified)\b"
    r"|\b(?:as|like) i(?:['’]ve| have)? (?:(?:already|just) )?(?:said|told (?:you|u)|mentioned|asked)\b"
    r"|\A\W*(?:and |so )?for the (?:second|third|fourth|fifth|last|\d{1,3}(?:nd|rd|th)) time\b"
    r"|\bhow (?:many times|often) (?:do|must|should|have|did) (?:i|we)\b"
    r"|\b(?:i|we) keep (?:telling|saying|asking|repeating|reminding)\b"
    r"|我(?:都|已[经經]|早就|之前|[刚剛]才|[刚剛]{2}|上次|不是|明明|[跟和对對]你){1,3}"
    r"(?:[说說]|[讲講]|提|[问問]|[强強][调調]|要求|告[诉訴]你?)[过過了]"
    r"|(?:[说說]|[讲講]|告[诉訴]你?|提醒你?|[强強][调調])[过過了]?(?:多少|[几幾]|[无無][数數]|[一二两兩三四五六七八九十百千万萬\d]+)"
    r"[次遍]"
    r"|第[二三四五六七八九十\d]+[次遍](?:[说說]|告[诉訴]|提醒|[强強][调調])|我再[说說]一[次遍]"
    r"|\bđã (?:nói|bảo|dặn|nhắc|quy định|yêu cầu)\b[^.?!\n]{0,60}\brồi\b",
    re.I,
)
#: Words of an agent about a compaction, and words that it lacks something since then.
_COMPACTED = late_pattern(
    r"\bcompact(?:ed|ion)\b|\bcontext (?:was|got|is|has been) (?:lost|reset|cleared|cut)\b|压缩", re.I
)
_LACKS = late_pattern(
    r"\bI(?:['’]ve| have)? lost\b|\bI no longer (?:have|see|remember|recall)\b"
    r"|\bI (?:don['’]?t|do not|can['’]?t|cannot) (?:have|remember|recall)\b"
    r"|\bstarting (?:fresh|over|from scratch)\b|\bwiped\b|丢失|不记得|看不到",
    re.I,
)
#: Longest sentence of a complaint or an admission, in characters.
_COMPLAINT = 200
#: Matches words in quotes, which are the words of another person.
_IN_QUOTES = late_pattern(r"\"[^\"]*\"|“[^”]*”|(?<!\w)'[^']*'(?!\w)|`[^`]*`|「[^」]*」")
_CODE_BLOCK = late_pattern(r"```.*?(?:```|\Z)", re.S)
#: The line of a result that names an error.
_ERROR = late_pattern(
    r"^[ \t>|]{0,8}((?:[A-Za-z_][\w.]{0,80})?(?:Error|Exception)(?:\[\w{1,10}\])?:.{1,300}"
    r"|(?:error|fatal|FAILED|panic)\b[:\[ ].{2,300}"
    r"|.{1,200}: (?:command not found|No such file or directory|Permission denied))[ \t]*$",
    re.M,
)
#: A line that names a failure without its cause.
_WITHOUT_CAUSE = late_pattern(
    r"\bexit(?:ed)? (?:with )?(?:code|status)\b|\bexpect\(received\)|\bcommand failed\b|\(no new output\)",
    re.I,
)
#: The output of a command that succeeded. Its tests may print errors.
_SUCCEEDED = late_pattern(r"\bexit(?:ed)?(?: with)? code:? 0\b|\b0 (?:fail(?:ed|ures?|s)?|errors?)\b", re.I)
_CHANGING = late_pattern(r"0x[0-9a-fA-F]{1,16}|\d[\d.,:]*|(?:/[\w.@-]{1,200}){2,40}")
#: A package in the arguments of a command that installs: its name, its extras, its version.
_PACKAGE = late_pattern(r"((?:@[\w.-]{1,80}/)?[A-Za-z][\w-]{0,80})(?:\[[^\]]{0,80}\])?(?:[<>=~!@].*)?")
#: A call that the user stopped or refused did not fail.
_REFUSED = late_pattern(
    r"user (?:doesn['’]t want|does not want|rejected|denied|declined)|interrupted by (?:the )?user", re.I
)
#: The result of a call that did nothing: another call of the message failed, or the user refused it.
_NOT_MADE = late_pattern(
    r"\A\s*(?:<tool_use_error>\s*(?:cancell?ed|sibling tool call errored)\b|cancell?ed: parallel tool call\b"
    r"|\[tool execution cancell?ed\b|exec command rejected by user|the user (?:doesn['’]t|does not) want to proceed\b)",
    re.I,
)
#: A short result about a missing file, and one about a failed call.
_MISSING = late_pattern(
    r"ENOENT|no such file or directory|no matches found|permission denied|(?:file|path) (?:does not exist|not found)"
    r"|cannot find (?:the )?(?:file|path)",
    re.I,
)
_FAILED = late_pattern(r"\A\s*\{\s*\"status\":\s*\"error\"|\A\s*\(no output\)\s*\Z")
#: Maximum characters of a short result.
_SHORT = 1_000
#: Characters of the number that a tool shows before a line of a file, and of the signs of a patch.
_AROUND_LINE = " \t\r0123456789→:|+-"
_TAG = late_pattern(r"</?[a-z_]{1,40}>")
#: Text that Codex adds to the output of a command: an id, times, the exit code.
_AROUND_OUTPUT = late_pattern(
    r"\A(?:(?:Chunk ID|Wall time|Exit code|Process|Original token count)\b.{0,80}\n)+Output:\n"
    r"|,\"metadata\":\{[^{}]{0,200}\}\}\s*\Z"
)
#: Longest part of a result, in characters from its beginning and from its end, that is searched for an error.
_ERROR_PART = 20_000
_ERROR_LINE = 300
#: Characters at the beginning and at the end of a result that show whether the command succeeded.
_EDGE = 500


class Act(Struct, frozen=True):
    """One thing that a message does.

    Acts are compared by `key`; `text` is for people. `lines` is the part of a file that was read or written
    (None: all of it). `content` is the new text of a write. `tokens` are the rough tokens of the call and
    of its result, if any. `folder` is the working directory that the call names, or "". `seen` has the hashes of the
    lines of a reading of one file, of a write, or of the output of a command.
    """

    kind: ActKind
    key: str
    text: str
    lines: Lines | None = None
    content: str = ""
    tokens: int = 0
    folder: str = ""
    seen: frozenset[int] = frozenset()

    @property
    def path(self) -> str:
        """The key as a path, in the working directory if it is known, with forward slashes."""
        path = one_spelling(self.key)
        return _inside(one_spelling(self.folder), path) or path


def acts_of_call(call: ToolCall) -> Iterator[Act]:
    """Yield the acts of one tool call, or of the calls in its program. Their tokens do not include the result."""
    values = arguments_in(call.arguments)
    for inner in () if values else _calls_in(call.arguments[:MAX_ARGUMENT]):
        yield from acts_of_call(inner)
    tokens = text_tokens(len(call.arguments))
    folder = _inside("", next((text for key, text in _texts(values) if key in _FOLDER_KEYS), ""))
    for act in _acts_of_arguments(call, values, tokens):
        yield replace(act, folder=folder)
    if not _operation_of(values) and (command := command_of(values)):
        folder, line = _without_cd(command, folder)
        if _MOVES.search(line):
            folder = _folder_of_files(line, folder)
        for act in _acts_of_command(command, line, tokens):
            yield replace(act, folder=folder)


def _calls_in(program: str) -> Iterator[ToolCall]:
    """Yield the calls of tools in a program, as in the code mode of Codex. Only texts are read as arguments."""
    for called in _CALLED.finditer(program):
        values: dict[str, str] = {}
        at = called.end()
        while pair := _PROPERTY.match(program, at):
            if (text := next(filter(None, pair.groups()[1:]), None)) is not None:
                values[pair[1]] = _ESCAPED.sub(lambda sign: _SIGNS.get(sign[1], sign[1]), text)
            at = pair.end()
        yield ToolCall("", called[1], json.dumps(values))


def attached_in(message: Message) -> Act | None:
    """Return the file that the agent put into a message, or None."""
    match = _ATTACHED.match(message.text) if message.role == "system" else None
    if match is None or not is_path(match[1]):
        return None
    path, text = plain_path(match[1]), match[2]
    lines = (1, text.count("\n") + 1)
    return Act("attach", path, path, lines, tokens=text_tokens(len(text)), seen=lines_seen(text))


def _acts_of_arguments(call: ToolCall, values: Mapping[str, Any], tokens: int) -> Iterator[Act]:
    """Yield the acts of one tool call without the acts of its command."""
    name = _operation_of(values) or call.name.lower()
    writes = any(part in name for part in _WRITING)
    reads = not writes and any(part in name for part in _READING)
    gets = str(values.get("method") or "GET").upper() in ("GET", "HEAD")
    fetches = gets and any(part in name for part in _FETCHING)
    content = "\n".join(text for key, text in _texts(values) if key in _CONTENT_KEYS)[:MAX_ARGUMENT]
    for key, text in _texts(values):
        if key in _PATH_KEYS and (writes or reads) and is_path(text):
            path = plain_path(text)
            if writes:
                whole = "write" in name or "create" in name
                yield Act("write", path, path, None if whole else SOME_LINES, content, tokens)
            else:
                yield Act("read", path, path, _lines_of(values), tokens=tokens)
        elif key in _URL_KEYS and (fetches or reads) and 0 < len(text.strip()) < _MAX_URL:
            yield _fetch(text, tokens)
        elif key in _QUESTION_KEYS and any(part in name for part in _ASKING):
            yield Act("ask", _folded(text).lower(), _folded(text), tokens=tokens)
    patch = call.arguments[:MAX_ARGUMENT]
    for verb, named in _PATCHED.findall(patch.replace("\\n", "\n")):
        path = plain_path(named)
        yield Act("write", path, path, None if verb == "Add" else SOME_LINES, patch, tokens)
    if values and not writes and (name in _DELEGATING or any(part in name for part in _SEARCHING)):
        key = json.dumps([name, values], sort_keys=True)[:MAX_ARGUMENT]
        shown = next((text for _, text in _texts(values)), "")
        yield Act("call", key, _folded(f"{call.name} {shown}"), tokens=tokens)


def questions_in(message: Message) -> Iterator[Act]:
    """Yield the questions that end an answer of the agent, without quoted questions and code blocks."""
    text = _CODE_BLOCK.sub("", safe(message.text))[-2_000:].rstrip()
    last = text.rpartition("\n\n")[2]
    for match in _QUESTION.finditer(last):
        question = _folded(match.group()[-_LONGEST_QUESTION - 1 :])
        yield Act("ask", question.lower(), question, tokens=text_tokens(len(question)))


def compacts(text: str) -> bool:
    """Return whether a message of the user is the command that compacts. Its words are for the summary."""
    return _COMPACT.match(text) is not None


def complaint_in(text: str) -> Act | None:
    """Return the user's own sentence that complains of something forgotten, or that says that they said it before.

    None if there is none.
    """
    return _sentence_with("complain", text, _FORGOT) or _sentence_with("remind", text, _TOLD)


def admission_in(text: str) -> Act | None:
    """Return the agent's own sentence that says what it lacks since a compaction; None if there is none."""
    return _sentence_with("admit", text, _COMPACTED, _LACKS) if _COMPACTED.search(text) else None


def _sentence_with(kind: ActKind, text: str, *patterns: re.Pattern[str]) -> Act | None:
    """Return the first own sentence of a text that all patterns match as an act."""
    for words in _own_sentences(text):
        unquoted = _IN_QUOTES.sub("", words) if len(words) <= _COMPLAINT else ""
        if unquoted and all(pattern.search(unquoted) for pattern in patterns):
            return Act(kind, words.lower(), words, tokens=text_tokens(len(words)))
    return None


@lru_cache(maxsize=1)
def _own_sentences(text: str) -> Sequence[str]:
    """Return the speaker's own sentences in a text, each as one line. The last result is kept for the next question."""
    text = safe(text)
    spoken = (sentence for sentence in sentences(text) if not (sentence.pasted or sentence.planned))
    return [_folded(text[one.start : one.end]) for one in spoken]


def error_in(result: str) -> str:
    """Return the first line of a result that names an error, or "". The result of a successful command names none."""
    text = result if len(result) <= 2 * _ERROR_PART else result[:_ERROR_PART] + "\n" + result[-_ERROR_PART:]
    if _SUCCEEDED.search(text[:_EDGE]) or _SUCCEEDED.search(text[-_EDGE:]):
        return ""
    lines = (match[1] for match in _ERROR.finditer(text))
    return next((_folded(line) for line in lines if not _WITHOUT_CAUSE.search(line)), "")


def marked_error(result: str) -> str:
    """Return the first line of several words of a result that is marked as an error.

    Return "" if the user stopped or refused the call, if the line does not name the error, or if it asks for a
    permission ("Exit plan mode?").
    """
    if _REFUSED.search(result[:_ERROR_PART]):
        return ""
    text = _TAG.sub("", result[:_ERROR_PART])
    line = next((line for line in text.split("\n") if len(line.split()) > 2), "")
    return "" if _WITHOUT_CAUSE.search(line) or line.rstrip().endswith("?") else _folded(line)[:_ERROR_LINE]


def was_made(result: str) -> bool:
    """Return whether a call did something, by its result: it was not cancelled or refused before it began."""
    return not _NOT_MADE.match(result)


def opened(act: Act, result: str) -> bool:
    """Return whether a reading or a fetch got something, by its result."""
    if len(result) > _SHORT:
        return True
    missing = _MISSING.search(result) and (act.key in result or "\n" not in result.strip())
    return bool(result.strip()) and not (missing or _FAILED.search(result))


def lines_seen(result: str) -> frozenset[int]:
    """Return the hashes of the lines of a result, without the numbers before them."""
    # Some agents record results as JSON.
    lines = result.replace("\\n", "\n").split("\n")
    return frozenset(hash(text) for line in lines if (text := line.strip(_AROUND_LINE)))


def output_lines(result: str) -> frozenset[int]:
    """Return the hashes of the lines that a command printed."""
    lines = _AROUND_OUTPUT.sub("", result).replace("\\n", "\n").split("\n")
    return frozenset(hash(line) for line in lines if line.strip())


def failure(act: Act, error: str) -> Act:
    """Return a failure as an act: the command (or tool) with its error, without the numbers and paths of the error."""
    key = f"{act.key}\0{_CHANGING.sub('#', error)}"
    return Act("fail", key, f"{act.text}: {error}", tokens=act.tokens)


def same_file(one: str, other: str) -> bool:
    """Return whether two paths may name the same file: equal, or one is the end of the other."""
    return one == other or path_ends(one)[0] in path_ends(other) or path_ends(other)[0] in path_ends(one)


def path_ends(path: str) -> list[str]:
    """Return a path and the ends of it that may name the same file, the longest first."""
    parts = path.replace("\\", "/").removeprefix("~/").split("/")
    return ["/".join(parts[start:]) for start in range(len(parts))]


def names_in(text: str) -> frozenset[str]:
    """Return the last part of each path in a text, in lower case. A plain word is no path.

    In pasted text, such as a log with a prompt, only a name with an ending and "folder/" count.
    """
    spoken_paths = _paths_of("\n".join(_own_sentences(text)))
    paths = spoken_paths | {
        path for path in _paths_of(text) if "." in path.strip(".") or path.endswith(("/", "\\"))
    }
    return frozenset(re.split(r"[/\\]", path.rstrip("/\\"))[-1] for path in paths) - {""}


def _paths_of(text: str) -> set[str]:
    written = (word.strip(".-") for word in _NAME.findall(text[:MAX_ARGUMENT].lower()))
    return {one for one in written if not one.isalnum()}


def is_named(path: str, names: frozenset[str]) -> bool:
    """Return whether the names of a text have a file, the folder that it is in, or its name without the ending.

    A name of several words may also begin a longer word ("harbour_lightsonodake").
    """
    parts = one_spelling(path).lower().split("/")[-2:]
    stem, ending = posixpath.splitext(parts[-1])
    several = ending and not stem.isalpha() and len(stem) >= _SEVERAL_WORDS
    return not names.isdisjoint(parts) or any(
        name == stem or (name.startswith(stem) and name[len(stem)].isalpha() and not name.endswith(ending))
        for name in names
        if several
    )


def overlap(one: Lines | None, other: Lines | None) -> bool:
    """Return whether two parts of a file have a line in common. None is the whole file."""
    if one is None or other is None:
        return True
    return (other[1] is None or one[0] <= other[1]) and (one[1] is None or other[0] <= one[1])


def covers(one: Lines | None, other: Lines | None) -> bool:
    """Return whether a part of a file has all lines of another. None is the whole file."""
    if one is None or other is None:
        return one is None
    return one[0] <= other[0] and (one[1] is None or (other[1] is not None and other[1] <= one[1]))


def is_path(text: str) -> bool:
    """Return whether an argument may be a path: one line, not empty, not a web address."""
    text = text.strip()
    return 0 < len(text) < _MAX_PATH and "\n" not in text and not _ADDRESS.match(text)


def plain_path(path: str) -> str:
    """Return a path for comparison: without quotes, without a leading ./, without line numbers."""
    path = path.strip().strip("`\"'").removeprefix("./")
    name, colon, line = path.rpartition(":")
    numbered = colon and line.replace("-", "").isdigit() and not name.endswith("/")
    return name if numbered else path.rstrip("/:,;")


def one_spelling(path: str) -> str:
    """Return a path for comparison: with forward slashes, with a large drive letter, and without "file://"."""
    bare = unquote(path[len(_FILE) :]) if path.startswith(_FILE) else path
    bare = bare.replace("\\", "/")
    letter, colon, rest = bare.removeprefix("/").partition(":/")
    return f"{letter.upper()}:/{rest}" if colon and len(letter) == 1 else bare


def changes_in_place(words: Iterable[str]) -> bool:
    """Return whether a command has an option that makes sed change its files in place: "-i", "-i.bak", "-Ei"."""
    return any(_IN_PLACE.match(word) for word in words)


def simple_commands(command: str) -> Iterator[list[str]]:
    """Yield the words of each simple command of a shell line, up to MAX_COMMAND characters.

    A line with unbalanced quotes yields nothing.
    """
    for pipeline in pipelines(command):
        yield from pipeline


@lru_cache(maxsize=64)
def pipelines(command: str) -> Sequence[Sequence[list[str]]]:
    """Return the pipelines of a shell line, each as the words of its simple commands.

    Comments and redirections of standard error are left out. The text of a "<<EOF" is one word that begins with "<<".
    simple_commands has the same limits. Every rule reads the same line, so the last results are kept.
    """
    line = _JOINED.sub(" ", _HERE_TEXT.sub(_quoted_text, command[:MAX_COMMAND]))
    lexer = shlex.shlex(line, posix=True, punctuation_chars=";&|()\n")
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, ""
    words: list[str] = []
    pipeline: list[list[str]] = []
    programs: list[list[list[str]]] = []
    try:
        parts = list(lexer)
    except ValueError:
        return ()
    for part in [*parts, ";"]:
        if not part or not set(part) <= set(";&|()\n"):
            words.append(part)
            continue
        words = _without_errors(words)
        while words and ("=" in words[0] or words[0] in ("time", "env", "nohup", "exec")):
            words = words[1:]
        if words and not words[0].startswith("#"):
            pipeline.append(words)
        words = []
        if part.strip("\n") != "|" and pipeline:
            programs.append(pipeline)
            pipeline = []
    return programs


def _quoted_text(match: re.Match[str]) -> str:
    """Return a text for the standard input as one word, without its quotes."""
    text = re.sub(r"[\"'\\]", " ", match[4])
    return f"'<<\n{text}'{match[3]}\n"


def _without_errors(words: list[str]) -> list[str]:
    """Return the words of a command without redirections of standard error."""
    kept: list[str] = []
    follows = False
    for word in words:
        match = _ERRORS_TO.fullmatch(word)
        if match is None and not follows:
            kept.append(word)
        follows = match is not None and not match[1]
    return kept


def _acts_of_command(command: str, line: str, tokens: int) -> Iterator[Act]:
    """Yield the acts of a command. `line` is the command without a leading change of folder."""
    for path, lines in _written_by(command):
        yield Act("write", path, path, lines, command[:MAX_ARGUMENT], tokens)
    if not line or len(line) > MAX_COMMAND:
        return
    yield Act("run", line, _folded(line), tokens=tokens)
    for path, lines in _read_into_variables(line):
        yield Act("read", path, path, lines, tokens=tokens)
    for pipeline in pipelines(line):
        yield from _read_by(pipeline, tokens)
    for words in simple_commands(line):
        program, arguments = words[0].rpartition("/")[2], words[1:]
        text = _folded(" ".join(words))
        yield from (Act("install", key, text, tokens=tokens) for key in _installed_by(words))
        if program in ("curl", "wget"):
            request = " ".join(arguments)
            if not _NO_PAGE.search(request):
                yield from (_fetch(url, tokens) for url in _URL.findall(request))
        elif program == "git" and arguments[:1] == ["clone"]:
            address = next((word for word in arguments[1:] if not word.startswith("-")), "")
            if match := _REPOSITORY.match(address):
                yield Act("fetch", f"{match[1]}/{match[2]}".lower(), address, tokens=tokens)
        elif program == "gh" and arguments[:2] == ["repo", "clone"] and len(arguments) > 2:
            yield Act("fetch", f"github.com/{arguments[2]}".lower(), arguments[2], tokens=tokens)


def _installed_by(words: Sequence[str]) -> Iterator[str]:
    """Yield the keys of the environment or the packages that a command makes or installs by name."""
    names = [words[0].rpartition("/")[2], *words[1:]]
    if names[0] == "sudo":
        names = names[1:]
    if names[:1] and names[0].startswith("python") and names[1:2] == ["-m"]:
        names = names[2:]
    if names[:1] == ["uv"]:
        names = names[1:]
    arguments = [word for word in names[1:] if not word.startswith("-")]
    if names[:1] in (["venv"], ["virtualenv"]) and arguments:
        yield f"venv {plain_path(arguments[-1])}"
    elif names and names[0] in _INSTALLERS and arguments[:1] and arguments[0] in _INSTALLING:
        # Two names of one program.
        program = names[0].removesuffix("3").removesuffix("-get")
        packages = map(_PACKAGE.fullmatch, arguments[1:])
        yield from (f"{program} install {package[1].lower()}" for package in packages if package)


def _read_by(pipeline: Sequence[list[str]], tokens: int) -> Iterator[Act]:
    """Yield the readings of a pipeline that prints files, none after a filter, because the lines are unknown."""
    program, arguments = pipeline[0][0].rpartition("/")[2].lower(), pipeline[0][1:]
    if program not in _PRINTING or changes_in_place(arguments):
        return
    lines = _printed_lines(program, arguments)
    for words in pipeline[1:]:
        filtered = _printed_lines(words[0].rpartition("/")[2], words[1:])
        if lines is not None or filtered is None:
            return
        lines = filtered
    for word in arguments:
        if word.startswith(">"):
            return
        if not word.startswith("-") and _is_file(word) and not _SED_LINES.match(word):
            yield Act("read", plain_path(word), plain_path(word), lines, tokens=tokens)


def _read_into_variables(line: str) -> Iterator[tuple[str, Lines]]:
    """Yield the files that a line of PowerShell reads into variables, with the lines that its loop prints."""
    named = {match[1].lower(): match[2].strip("'\"") for match in _ASSIGNED.finditer(line)}
    loop = _LOOP.search(line)
    lines = SOME_LINES if loop is None else (int(loop[2]), int(loop[3]))
    for match in _READ_INTO.finditer(line):
        path = named.get(match[1].lower(), "") if match[1] else match[2].strip("'\"")
        if _is_file(path):
            yield plain_path(path), lines


def _written_by(command: str) -> Iterator[tuple[str, Lines | None]]:
    """Yield the files that a command writes: by redirection, and in place as arguments of programs."""
    bare = _QUOTED.sub("''", _HERE_TEXT.sub(r"\3\n", command[:MAX_ARGUMENT]))
    for arrow, path in _REDIRECTED.findall(bare):
        if _is_file(path):
            yield plain_path(path), None if arrow == ">" else SOME_LINES
    if ">" not in command and not _CHANGES_IN_PLACE.search(command[:MAX_COMMAND]):
        return
    for words in simple_commands(command):
        program = words[0].rpartition("/")[2]
        yield from ((path, SOME_LINES) for path in _plain_targets(words))
        if program in ("tee", "rm", "mv", "patch", "truncate") or (
            program == "sed" and changes_in_place(words)
        ):
            paths = (plain_path(word) for word in words[1:] if not word.startswith("-") and _is_file(word))
            yield from ((path, SOME_LINES) for path in paths)


def _plain_targets(words: list[str]) -> Iterator[str]:
    """Yield the files without a folder or an ending ("Makefile", ".env") that a command redirects its output to."""
    if words[0] == "[[":
        return
    for word, following in pairwise([*words, ""]):
        if (arrow := _PLAIN_TARGET.fullmatch(word)) is not None:
            target = arrow[1] or following
            if not _is_file(target) and re.fullmatch(r"\.?[A-Za-z][\w-]{0,100}", target):
                yield target


def _printed_lines(program: str, arguments: list[str]) -> Lines | None:
    """Return the lines that a printing program shows (None: all lines)."""
    if program == "sed":
        match = next((m for word in arguments if (m := _SED_LINES.match(word))), None)
        if match is None:
            return None
        last = match[2] or match[1]
        return int(match[1]), None if last == "$" else int(last)
    if program == "head":
        count = next((word.lstrip("-n") for word in arguments if word.lstrip("-n").isdecimal()), "10")
        return 1, int(count[:7])
    return None


def _is_file(word: str) -> bool:
    """Return whether a word of a command is a file: a path with a folder or an ending, without a pattern."""
    if not is_path(word) or word.startswith("<") or _DEVICE.match(word):
        return False
    return ("/" in word or "." in word.strip(".,0123456789p$")) and "*" not in word


def _fetch(url: str, tokens: int) -> Act:
    """Return the fetch of an address as an act."""
    address = url.strip().partition("#")[0].rstrip("/.,")
    return Act("fetch", re.sub(r"\Ahttps?://(?:www\.)?", "", address), address, tokens=tokens)


def _without_cd(command: str, folder: str) -> tuple[str, str]:
    """Return the working directory of a command, and the command without a leading change of folder.

    `folder` is the folder that the call names. The spaces of each line of the command are folded.
    """
    lines = map(_folded, command.replace("\\\n", " ").split("\n"))
    text = "\n".join(line for line in lines if line)
    while match := _CD.match(text):
        folder = _inside(folder, match[1].strip("\"'"))
        text = text[match.end() :]
    return folder, text


def _folder_of_files(line: str, folder: str) -> str:
    """Return the folder of the files in a command that changes its folder, or "" if not all are in the last one."""
    at = 0
    for match in _LATER_CD.finditer(line[:MAX_COMMAND]):
        before = line[at : match.start()]
        if (
            "(" in before
            or _MOVES.search(before)
            or any(act.kind != "run" for act in _acts_of_command(before, before, 0))
        ):
            return ""
        folder = _inside(folder, match[1].strip("\"'"))
        at = match.end()
    return "" if not at or _MOVES.search(line, at) else folder


def _inside(folder: str, path: str) -> str:
    """Return a path in a folder, or "" if the path is empty, has a variable, or is relative in an unknown folder."""
    if not path.strip() or "$" in path or path == "-" or not (folder or _ROOTED.match(path)):
        return ""
    return posixpath.normpath(path if _ROOTED.match(path) else f"{folder}/{path}")


def _operation_of(values: Mapping[str, Any]) -> str:
    """Return the operation of an editor tool ("view", "create", "str_replace"), or "" for other tools.

    An editor tool has the operation as its "command", next to a path.
    """
    command = values.get("command")
    if not isinstance(command, str) or _PATH_KEYS.isdisjoint(values) or not command.isidentifier():
        return ""
    return command.lower() if any(part in command.lower() for part in (*_READING, *_WRITING)) else ""


def command_of(values: Mapping[str, Any]) -> str:
    """Return the shell command of a call's arguments, or ""."""
    for key in _COMMAND_KEYS:
        value = values.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip()
        if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
            if value[0].rpartition("/")[2] in _SHELLS and len(value) > 1:
                return str(value[-1]).strip()
            return shlex.join(value)
    return ""


def _texts(values: Mapping[str, Any], depth: int = 0) -> Iterator[tuple[str, str]]:
    """Yield every text of the arguments with its key in lower case, also in lists and mappings."""
    for key, value in values.items():
        for entry in value if isinstance(value, list) else [value]:
            if isinstance(entry, str):
                yield str(key).lower(), entry
            elif isinstance(entry, Mapping) and depth < 3:
                yield from _texts(entry, depth + 1)


def _lines_of(values: Mapping[str, Any]) -> Lines | None:
    """Return the lines that a reading tool asks for."""

    def number(*keys: str) -> int | None:
        return next((value for key in keys if type(value := values.get(key)) is int), None)

    span = values.get("view_range") or values.get("line_range")
    if isinstance(span, list) and len(span) == 2 and all(isinstance(line, int) for line in span):
        return span[0], None if span[1] < span[0] else span[1]
    start = number("offset", "start_line", "line_start", "line_offset", "start")
    end = number("end_line", "line_end", "end")
    limit = number("limit", "n_lines")
    if start is None and end is None and limit is None:
        return None
    if start is not None and start < 0:
        # Lines counted from the end of the file.
        return SOME_LINES
    first = start or 1
    return first, first + limit - 1 if end is None and limit is not None else end


def _folded(text: str) -> str:
    """Return a text as one line."""
    return " ".join(text.split())
