"""Safe text for the screen. Session text is hostile: every string passes through here on its way to the screen.

Characters that a terminal could act on become visible (ESC as ␛, NUL as ␀, bidi controls as ⇄). Characters that only
make widths uncertain (zero-width characters, variation selectors) are removed. Markup stays text; the screen escapes
it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from posixpath import commonprefix

from inspector.core.patterns import late_pattern

#: A character of a word, in scripts with spaces between words.
LETTER = r"[^\W\u2e80-\U0003ffff]"

TAB_WIDTH = 4

#: Replacement of C1 controls, tag characters and other format characters without a picture.
INVISIBLE = "·"
#: Replacement of a character that changes the direction of the text around it.
DIRECTION = "⇄"
REPLACEMENT = "\ufffd"

_BIDI = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
# Characters that only join, separate or vary their neighbours. Terminals disagree about the resulting width.
_DROPPED = (
    0x00AD, 0x034F, 0x180E, *range(0x180B, 0x180E), 0x180F, *range(0x200B, 0x200E), *range(0x2060, 0x2066),
    *range(0xFE00, 0xFE10), 0xFEFF, *range(0xE0100, 0xE01F0),
)  # fmt: skip
# Deprecated and special format characters; tags (from U+E0000) can hide a whole text, so each of these is visible.
_SHOWN = (
    *range(0x80, 0xA0), *range(0x206A, 0x2070), *range(0xFFF0, 0xFFFC), *range(0x13430, 0x13440),
    *range(0x1BCA0, 0x1BCA4), *range(0x1D173, 0x1D17B), *range(0xE0000, 0xE0080),
)  # fmt: skip
_NEWLINES = (0x2028, 0x2029)
_BROKEN = (*range(0xD800, 0xE000), 0xFFFE, 0xFFFF)
#: Leading lines with an empty or zero element, or a single tag; then the closing tags and white space after the text.
_WRAPPING = late_pattern(r"\A(?:[ \t]*(?:<([\w-]+)>(?:0|None)?</\1>|<[\w-]+>)[ \t]*\n)+")
_ENDS = late_pattern(r"(?:\s|</[\w-]+>)*")
_WRAPPED = 2_000


def _table() -> dict[int, str]:
    table: dict[int, str] = {}
    for codes, shown in (
        (_BIDI, DIRECTION),
        (_DROPPED, ""),
        (_SHOWN, INVISIBLE),
        (_NEWLINES, "\n"),
        (_BROKEN, REPLACEMENT),
    ):
        table.update(dict.fromkeys(codes, shown))
    table.update((code, chr(0x2400 + code)) for code in range(0x20) if chr(code) not in "\n\t")
    table[0x7F] = "␡"
    return table


def _character_class(codes: Iterable[int]) -> str:
    """Return a character class with the codes as ranges, which a regular expression searches faster."""
    ranges: list[list[int]] = []
    for code in sorted(codes):
        if ranges and code == ranges[-1][1] + 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "[" + "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges) + "]"


_TABLE = _table()
_UNSAFE = late_pattern(_character_class(_TABLE))
_ASCII_CONTROLS = bytes(code for code in (*range(0x20), 0x7F) if code != 0x0A)
# With at most this number of different characters, replacing each beats translating the whole text.
_FEW = 8
# A line of other characters only (a fence, a rule, an opening brace) does not describe its text.
_MEANINGFUL = late_pattern(r"[^\s!-/:-@\[-`{-~\u2500-\u259f]")
_SOLID = late_pattern(r"\S")
#: Placeholders of pictures in the text of a message.
_PICTURE = late_pattern(r"\[(?:image|picture|screenshot)\b[^\]\n]{0,300}\]|</?image\b[^>\n]{0,300}>", re.I)


def is_safe(text: str) -> bool:
    """Return whether `safe` would return the text unchanged."""
    if text.isascii():
        data = text.encode("ascii")
        return len(data.translate(None, _ASCII_CONTROLS)) == len(data)
    return "\t" not in text and _UNSAFE.search(text) is None


def safe(text: str) -> str:
    """Return the text without characters that a terminal could act on; newlines stay, tabs become spaces.

    Idempotent; a safe text is returned as the same object. Takes a few ms for a megabyte.
    """
    if is_safe(text):
        return text
    if "\r\n" in text:
        text = text.replace("\r\n", "\n")
    unsafe = set(_UNSAFE.findall(text))
    if len(unsafe) > _FEW:
        text = text.translate(_TABLE)
    else:
        for character in unsafe:
            text = text.replace(character, _TABLE[ord(character)])
    return text.expandtabs(TAB_WIDTH) if "\t" in text else text


def safe_line(text: str, limit: int = 400) -> str:
    """Return the first meaningful line, safe, with collapsed spaces and at most `limit` characters.

    Lines of punctuation are skipped if other lines follow. A cut line ends with an ellipsis. Reads only the necessary
    part of a long text. Idempotent.
    """
    if limit <= 0:
        return ""
    first = _SOLID.search(text)
    if first is None:
        return ""
    # Room for dropped characters and collapsed spaces; later text cannot be the start of the first line.
    window = text[first.start() : first.start() + 4 * limit + 200]
    fallback = ""
    for line in safe(window).split("\n"):
        if _MEANINGFUL.search(line):
            return _cut(" ".join(line.split()), limit)
        fallback = fallback or " ".join(line.split())
    return _cut(fallback, limit)


def unwrapped(text: str) -> str:
    """Return the text without the lines that some tools put around their output: a return code of 0, an opening tag.

    Other codes stay, and so does the whole text if it has nothing else.
    """
    rest = _WRAPPING.sub("", text[:_WRAPPED], count=1)
    return text if _ENDS.fullmatch(rest) else rest + text[_WRAPPED:]


def without_pictures(text: str) -> str:
    """Return the text without the placeholders that agents write for pictures: "[Image #1]", "<image ...>"."""
    return _PICTURE.sub("", text) if _PICTURE.search(text) else text


#: A line of a document that opens or closes a fence, or has a comment.
_MARKUP = late_pattern(r"\s*(?:(?:`{3,}|~{3,})[\w-]*|<!--.*-->)\s*")
#: Matches a line with the role of the agent.
_ROLE = late_pattern(r"You are (?:an?|the) [^.\n]*\.\s*")


def opening_title(text: str, limit: int = 120) -> str:
    """Return a title from the start of a conversation: its first line, safe, in at most `limit` characters.

    A line that ends with a colon is joined with the next line, so that titles such as "Implement the following plan:"
    differ. Heading marks, placeholders of pictures, tags, fences and comments in the first lines are left out, and so
    is a line that only gives the agent a role, before other lines.
    """
    window = without_pictures(unwrapped(text[: 8 * limit + 400]))
    title = ""
    lines = [
        line for line in safe(window).split("\n") if _MEANINGFUL.search(line) and not _MARKUP.fullmatch(line)
    ]
    for line in lines[1:] if len(lines) > 1 and _ROLE.fullmatch(lines[0]) else lines:
        title = f"{title} {' '.join(line.lstrip('# ').split())}".strip()
        if not title.endswith((":", "：")):
            break
    return _cut(title, limit) if title and limit > 0 else ""


def safe_title(text: str | None, limit: int = 120) -> str:
    """Return a title as one line: all lines, safe and joined by spaces, in at most `limit` characters."""
    if not text or limit <= 0:
        return ""
    first = _SOLID.search(text)
    if first is None:
        return ""
    return _cut(" ".join(safe(text[first.start() : first.start() + 4 * limit + 200]).split()), limit)


def _cut(line: str, limit: int) -> str:
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def desktop_notification(title: str, text: str) -> str:
    """Return the escape sequences (OSC 9 and 777) of a desktop notification, and the bell."""
    line = safe_title(f"{title}: {text}", 120).replace(";", ",")
    return f"\x1b]9;{line}\x07\x1b]777;notify;compaction-inspector;{line}\x07\x07"


def distinct_titles(titles: Mapping[str, str]) -> dict[str, str]:
    """Return a name for each conversation, by its id: its title, or its id if it has none. Equal titles
    are followed by the beginning of the id. `titles` are by id."""
    named = {name: title or name for name, title in titles.items()}
    counts = Counter(named.values())
    names = sorted(titles)
    return {
        name: title if counts[title] == 1 or title == name else f"{title} ({_beginning(name, names)})"
        for name, title in named.items()
    }


def _beginning(name: str, names: Sequence[str]) -> str:
    """Return the shortest beginning of an id that no other of the sorted ids has, of 8 characters or more."""
    at = bisect_left(names, name)
    # Of all other ids, a neighbour has the longest common beginning.
    neighbours = (*names[max(0, at - 1) : at], *names[at + 1 : at + 2])
    shared = max((len(commonprefix([name, other])) for other in neighbours), default=0)
    return name[: max(8, shared + 1)]


def first_words(text: str, most: int) -> str:
    """Return the first `most` characters of a text, without a word that is cut."""
    cut = text[:most]
    if re.match(LETTER, text[most : most + 1]):
        cut = re.sub(f"{LETTER}+\\Z", "", cut) or cut
    return cut.strip()
