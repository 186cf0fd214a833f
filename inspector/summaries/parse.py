"""Parser of a summary's body: headings, lists, paragraphs. Accepts any headings and requires none."""

from __future__ import annotations

import re

from inspector.core.patterns import late_pattern
from inspector.core.refusals import AROUND, CONTINUED
from inspector.summaries.summary import Item, Kind, Section, Summary

_HEADING = late_pattern(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")
_BULLET = late_pattern(r"([ \t]*)([-*+•–])(?:[ \t]+(.*)|)$")
_NUMBER = late_pattern(r"([ \t]*)(\d{1,9}[.)])(?:[ \t]+(.*)|)$")
_FENCE = late_pattern(r"[ \t]*(`{3,}|~{3,})")
_RULE = late_pattern(r"[ \t]*([-*_])(?:[ \t]*\1){2,}[ \t]*$")
# Texts that models write below an empty heading: "None.", "(none yet)", "N/A", "- None at this time", "[]",
# "No critical context".
_NONE = late_pattern(
    r"[\s(\[*_]*(?:none|nothing|n/?a|not applicable|"
    r"no (?:critical |relevant |prior )?(?:context|history|constraints?|blockers?|files?))"
    r"(?:\s+(?:yet|so far|known|identified|currently|noted|provided|specified|mentioned|recorded|captured|"
    r"reported|at (?:this|the) (?:time|moment|point)|recoverable from [\w ]+))?[\s.)\]*_]*"
    r"|\s*\[\s*\]\s*",
    re.IGNORECASE,
)
_LABELS = late_pattern(r"[:*]+")
_EMPHASIS = late_pattern(r"^(\*\*|__)(.+)\1$")
#: The number of a heading. Without it a section has one name in every summary.
_ORDINAL = late_pattern(r"^\d{1,2}[.)][ \t]+(?=\S)")


# Claude Code's summaries: an introduction, an analysis, then numbered sections, which differ from lists by their names.
_SECTION = late_pattern(
    r"(?:\d{1,2}\.[ \t]+)?(?:\*\*)?(Analysis|Summary|Primary Request and Intent|Key Technical Concepts|"
    r"Files and Code Sections|Errors and fixes|Problem Solving|All user messages|Pending Tasks|Current Work|"
    r"Optional Next Step)(?::\*\*|\*\*:|:)[ \t]*(.*)$",
    re.IGNORECASE,
)


#: The heading under which OpenClaw copies the latest turns, file lists and rules behind a summary.
_RECENT_TURNS = "## Recent turns preserved verbatim"


def written_by_model(body: str) -> tuple[int, int]:
    """Return the range [start, end) of the summary in a body, without the text that the agent adds around it."""
    lines = body.split("\n")
    first, last = 0, lines.index(_RECENT_TURNS) if _RECENT_TURNS in lines else len(lines)
    while first < last and _is_around(lines[first]):
        first += 1
    while last > first and _is_around(lines[last - 1]):
        last -= 1
    start = sum(len(line) + 1 for line in lines[:first])
    end = sum(len(line) + 1 for line in lines[:last]) - 1
    return (start, end) if start < end else (0, 0)


def _is_around(line: str) -> bool:
    return not line.strip() or AROUND.match(line) is not None


def parse_summary(body: str) -> Summary:
    """Return the sections and items of a body without its handoff prefix. Never raises; reads the text once."""
    return _Parser(body.startswith(CONTINUED)).read(body)


class _Parser:
    """One pass over the lines. An item stays open until another item or section starts."""

    def __init__(self, numbered: bool) -> None:
        self.numbered = numbered
        self.sections: list[Section] = []
        self.path: tuple[tuple[int, str], ...] = ()
        self.section_line = 0
        self.items: list[Item] = []
        self.lines: list[str] = []
        self.kind: Kind = "paragraph"
        self.mark = ""
        self.indent = 0
        self.item_line = 0
        self.indents: list[int] = []
        self.after_blank = False

    def read(self, body: str) -> Summary:
        fence = ""
        # Only "\n" separates lines: the other separators of str.splitlines() occur in tool output.
        for number, line in enumerate(body.replace("\r\n", "\n").split("\n")):
            opening = _FENCE.match(line)
            if fence:
                self.lines.append(line)
                if opening and opening[1].startswith(fence) and not line.strip().strip(fence[0]):
                    fence = ""
            elif opening:
                fence = opening[1]
                self._open_fence(line, number)
            else:
                fence = self._line(line, number)
        self._close_section()
        return Summary(tuple(self.sections))

    def _open_fence(self, line: str, number: int) -> None:
        # A code block that is indented below a list entry belongs to it.
        inside = self.lines and self.kind in ("bullet", "number") and _width(line) > self.indent
        if not inside:
            self._start("code", "", 0, number)
        self.lines.append(line)
        self.after_blank = False

    def _line(self, line: str, number: int) -> str:
        """Read a line outside of code blocks. Return the fence that it opens behind the mark of an entry, or ""."""
        fence = ""
        if not line.strip():
            self.after_blank = True
            return fence
        heading = _HEADING.match(line)
        if heading:
            self._close_section()
            level = len(heading[1])
            kept = tuple(entry for entry in self.path if 1 < entry[0] < level)
            self.path = (*kept, (level, _plain(heading[2])))
            self.section_line = number
        elif self.numbered and AROUND.match(line):
            self._close_item()
        elif self.numbered and (section := _SECTION.match(line)):
            self._close_section()
            self.path = ((1, section[1]),) if section[1] != "Summary" else ()
            self.section_line = number
            if section[2].strip():
                self._continue(section[2], number)
        elif _RULE.match(line):
            self._close_item()
        elif entry := _BULLET.match(line) or _NUMBER.match(line):
            kind: Kind = "bullet" if _BULLET.match(line) else "number"
            self._start(kind, entry[2], _width(entry[1]), number)
            text = entry[3] or ""
            self.lines.append(text)
            opening = _FENCE.match(text)
            # Code between fences on one line is closed.
            fence = opening[1] if opening and opening[1] not in text[opening.end() :] else ""
        else:
            self._continue(line, number)
        self.after_blank = False
        return fence

    def _continue(self, line: str, number: int) -> None:
        listed = self.kind in ("bullet", "number")
        belongs = bool(self.lines) and self.kind != "code"
        if belongs and self.after_blank:
            belongs = listed and _width(line) > self.indent
        if not belongs:
            self._start("paragraph", "", _width(line), number)
        self.lines.append(line.strip() if listed and belongs else line.rstrip())

    def _start(self, kind: Kind, mark: str, indent: int, number: int) -> None:
        self._close_item()
        self.kind, self.mark, self.item_line = kind, mark, number
        if kind in ("bullet", "number"):
            while self.indents and self.indents[-1] >= indent:
                self.indents.pop()
            self.indents.append(indent)
        else:
            self.indents.clear()
        self.indent = indent

    def _close_item(self) -> None:
        text = "\n".join(self.lines).strip("\n" if self.kind == "code" else None)
        if text:
            depth = max(0, len(self.indents) - 1)
            self.items.append(Item(text, self.kind, self.mark, depth, self.item_line))
        self.lines = []
        self.kind, self.indent = "paragraph", 0

    def _close_section(self) -> None:
        self._close_item()
        self.indents.clear()
        self.after_blank = False
        items = tuple(self.items)
        self.items = []
        says_none = len(items) == 1 and _NONE.fullmatch(items[0].text) is not None
        if self.path or items:
            names = tuple(name for _, name in self.path)
            level = self.path[-1][0] if self.path else 0
            self.sections.append(
                Section(names, level, () if says_none else items, self.section_line, says_none)
            )


def is_placeholder(text: str) -> bool:
    """Return whether an entry says only that there is nothing: "None", or "**Blocked**: (none)"."""
    pieces = [piece for piece in _LABELS.split(text) if piece.strip()]
    return bool(pieces) and _NONE.fullmatch(pieces[-1].strip()) is not None


def _width(text: str) -> int:
    """Return the number of columns of leading white space."""
    expanded = text.expandtabs(4)
    return len(expanded) - len(expanded.lstrip(" "))


def _plain(heading: str) -> str:
    heading = _ORDINAL.sub("", _EMPHASIS.sub(r"\2", heading.strip()).strip())
    return heading[:-1].rstrip() if heading.endswith(":") else heading
