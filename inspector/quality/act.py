"""An act of a message, and the comparison of paths and lines of files.

An act has a key. Two acts with the same kind and key are the same act done twice.
"""

from __future__ import annotations

import posixpath
from typing import Literal
from urllib.parse import unquote

from msgspec import Struct

from inspector.core.patterns import late_pattern

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
_MAX_PATH = 400
_ADDRESS = late_pattern(r"(?!file:)[A-Za-z][A-Za-z0-9+.-]{0,20}://")
#: A path from the root of a disk or from the folder of the user.
_ROOTED = late_pattern(r"[/~]|[A-Za-z]:[\\/]")
_FILE = "file://"
#: Minimum characters of a file name without its ending that has several words.
_SEVERAL_WORDS = 6


class Act(Struct, frozen=True):
    """One thing that a message does.

    Acts are compared by `key`; `text` is for people. `lines` is the part of a file that was read or written
    (None: all of it). `content` is the new text of a write, `replaced` the text in its place before. `tokens` are the
    rough tokens of the call and of its result, if any. `folder` is the working directory that the call names, or "".
    `seen` has the hashes of the lines of a reading of one file, of a write, or of the output of a command.
    """

    kind: ActKind
    key: str
    text: str
    lines: Lines | None = None
    content: str = ""
    replaced: str = ""
    tokens: int = 0
    folder: str = ""
    seen: frozenset[int] = frozenset()

    @property
    def path(self) -> str:
        """The key as a path, in the working directory if it is known, with forward slashes."""
        path = one_spelling(self.key)
        return inside(one_spelling(self.folder), path) or path


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


def inside(folder: str, path: str) -> str:
    """Return a path in a folder, or "" if the path is empty, has a variable, or is relative in an unknown folder."""
    if not path.strip() or "$" in path or path == "-" or not (folder or _ROOTED.match(path)):
        return ""
    return posixpath.normpath(path if _ROOTED.match(path) else f"{folder}/{path}")


def same_file(one: str, other: str) -> bool:
    """Return whether two paths may name the same file: equal, or one is the end of the other."""
    return one == other or path_ends(one)[0] in path_ends(other) or path_ends(other)[0] in path_ends(one)


def path_ends(path: str) -> list[str]:
    """Return a path and the ends of it that may name the same file, the longest first."""
    parts = path.replace("\\", "/").removeprefix("~/").split("/")
    return ["/".join(parts[start:]) for start in range(len(parts))]


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


def folded(text: str) -> str:
    """Return a text as one line."""
    return " ".join(text.split())
