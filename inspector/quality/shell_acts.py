"""The acts of a shell command: files read and written, pages fetched, packages installed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from inspector.core.patterns import late_pattern
from inspector.quality.act import MAX_ARGUMENT, SOME_LINES, Act, Lines, folded, inside, is_path, plain_path

#: Longest command, in characters, that is compared. Longer commands write files or have whole programs.
MAX_COMMAND = 2_000
_PRINTING = frozenset({"cat", "head", "less", "more", "nl", "bat", "sed", "get-content"})
_INSTALLERS = frozenset({
    "pip", "pip3", "npm", "pnpm", "yarn", "bun", "poetry", "gem", "apt", "apt-get", "brew", "composer", "conda",
})  # fmt: skip
_INSTALLING = frozenset({"install", "add", "i"})
_URL = late_pattern(r"https?://[^\s'\"<>|;)\]}\\`]{3,1000}")
#: PowerShell: a text in a variable, a file that is read into one, and the lines that a loop prints.
_ASSIGNED = late_pattern(r"\$(\w{1,40}) ?= ?('[^'\n]{1,400}'|\"[^\"\n]{1,400}\")")
_READ_INTO = late_pattern(
    r"\$\w{1,40} ?= ?Get-Content (?:-(?:Literal)?Path )?(?:\$(\w{1,40})|('[^'\n]{1,400}'|\"[^\"\n]{1,400}\"))",
    re.I,
)
_LOOP = late_pattern(r"\bfor ?\( ?\$(\w{1,40}) ?= ?(\d{1,7}) ?; ?\$\1 ?-le ?(\d{1,7})", re.I)
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
MOVES = late_pattern(r"(?<![\w/.-])(?:cd|pushd)(?![\w/.-])")
_IN_PLACE = late_pattern(r"-[nErsuz]{0,6}i|--in-place")
_PLAIN_TARGET = late_pattern(r">{1,2}\|?([\w./~@+-]{0,300})")
_SED_LINES = late_pattern(r"\A(\d{1,7})(?:,(\d{1,7}|\$))?p\Z")
#: A package in the arguments of a command that installs: its name, its extras, its version.
_PACKAGE = late_pattern(r"((?:@[\w.-]{1,80}/)?[A-Za-z][\w-]{0,80})(?:\[[^\]]{0,80}\])?(?:[<>=~!@].*)?")


def acts_of_command(command: str, line: str, tokens: int) -> Iterator[Act]:
    """Yield the acts of a command. `line` is the command without a leading change of folder."""
    for path, lines in _written_by(command):
        yield Act("write", path, path, lines, command[:MAX_ARGUMENT], tokens=tokens)
    if not line or len(line) > MAX_COMMAND:
        return
    yield Act("run", line, folded(line), tokens=tokens)
    for path, lines in _read_into_variables(line):
        yield Act("read", path, path, lines, tokens=tokens)
    for pipeline in pipelines(line):
        yield from _read_by(pipeline, tokens)
    for words in simple_commands(line):
        program, arguments = words[0].rpartition("/")[2], words[1:]
        text = folded(" ".join(words))
        yield from (Act("install", key, text, tokens=tokens) for key in _installed_by(words))
        if program in ("curl", "wget"):
            request = " ".join(arguments)
            if not _NO_PAGE.search(request):
                yield from (fetch_of(url, tokens) for url in _URL.findall(request))
        elif program == "git" and arguments[:1] == ["clone"]:
            address = next((word for word in arguments[1:] if not word.startswith("-")), "")
            if match := _REPOSITORY.match(address):
                yield Act("fetch", f"{match[1]}/{match[2]}".lower(), address, tokens=tokens)
        elif program == "gh" and arguments[:2] == ["repo", "clone"] and len(arguments) > 2:
            yield Act("fetch", f"github.com/{arguments[2]}".lower(), arguments[2], tokens=tokens)


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


def changes_in_place(words: Iterable[str]) -> bool:
    """Return whether a command has an option that makes sed change its files in place: "-i", "-i.bak", "-Ei"."""
    return any(_IN_PLACE.match(word) for word in words)


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


def fetch_of(url: str, tokens: int) -> Act:
    """Return the fetch of an address as an act."""
    address = url.strip().partition("#")[0].rstrip("/.,")
    return Act("fetch", re.sub(r"\Ahttps?://(?:www\.)?", "", address), address, tokens=tokens)


def without_cd(command: str, folder: str) -> tuple[str, str]:
    """Return the working directory of a command, and the command without a leading change of folder.

    `folder` is the folder that the call names. The spaces of each line of the command are folded.
    """
    lines = map(folded, command.replace("\\\n", " ").split("\n"))
    text = "\n".join(line for line in lines if line)
    while match := _CD.match(text):
        folder = inside(folder, match[1].strip("\"'"))
        text = text[match.end() :]
    return folder, text


def folder_of_files(line: str, folder: str) -> str:
    """Return the folder of the files in a command that changes its folder, or "" if not all are in the last one."""
    at = 0
    for match in _LATER_CD.finditer(line[:MAX_COMMAND]):
        before = line[at : match.start()]
        if (
            "(" in before
            or MOVES.search(before)
            or any(act.kind != "run" for act in acts_of_command(before, before, 0))
        ):
            return ""
        folder = inside(folder, match[1].strip("\"'"))
        at = match.end()
    return "" if not at or MOVES.search(line, at) else folder
