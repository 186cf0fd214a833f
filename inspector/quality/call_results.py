"""The result of a tool call: its errors, whether it did something, and its lines."""

from __future__ import annotations

import re

from inspector.core.patterns import late_pattern
from inspector.quality.act import Act, folded

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


def error_in(result: str) -> str:
    """Return the first line of a result that names an error, or "". The result of a successful command names none."""
    text = result if len(result) <= 2 * _ERROR_PART else result[:_ERROR_PART] + "\n" + result[-_ERROR_PART:]
    if _SUCCEEDED.search(text[:_EDGE]) or _SUCCEEDED.search(text[-_EDGE:]):
        return ""
    lines = (match[1] for match in _ERROR.finditer(text))
    return next((folded(line) for line in lines if not _WITHOUT_CAUSE.search(line)), "")


def marked_error(result: str) -> str:
    """Return the first line of several words of a result that is marked as an error.

    Return "" if the user stopped or refused the call, if the line does not name the error, or if it asks for a
    permission ("Exit plan mode?").
    """
    if _REFUSED.search(result[:_ERROR_PART]):
        return ""
    text = _TAG.sub("", result[:_ERROR_PART])
    line = next((line for line in text.split("\n") if len(line.split()) > 2), "")
    return "" if _WITHOUT_CAUSE.search(line) or line.rstrip().endswith("?") else folded(line)[:_ERROR_LINE]


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
