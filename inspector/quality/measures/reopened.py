"""Files and pages that the agent opened before a compaction and again after it.

They are the clearest sign, without a model, of text that a summary did not keep.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

from inspector.core.conversations import Compaction
from inspector.core.messages import Message
from inspector.quality.measures.artifacts import COMMAND_KEYS, PATH_KEYS, arguments, is_path, plain_path
from inspector.quality.measures.measure import Evidence, Measure, Place, Share

#: Parts of the names of tools that read and that change, and names of arguments with an address.
_OPENING = ("read", "view", "open", "cat", "fetch", "browse", "navigate", "extract", "scrape", "visit")
_CHANGING = ("write", "patch", "edit", "create", "replace", "delete", "move", "append")
_ADDRESS_KEYS = frozenset({"url", "urls", "uri", "link"})
#: Commands that print files, and the separators of commands in a line.
_PRINTING = frozenset({"cat", "head", "tail", "less", "more", "nl", "bat", "sed"})
_NEXT_COMMAND = re.compile(r"&&|\|\||[;|\n]")
# Maximum characters of a command. A longer one writes a whole file, which is not a list of files.
_LONGEST_COMMAND = 2_000


#: Files opened by a list: (index of the message, name), in order.
Openings = Sequence[tuple[int, str]]


class Reopened:
    """Collects opened files over the compactions of a conversation, oldest first."""

    def __init__(self) -> None:
        self._left: dict[str, Place] = {}

    def measure(self, recorded: Compaction, before: Openings, after: Openings) -> Measure:
        """Measure the files and pages opened since a compaction that removed messages had opened before.

        `before` are the openings of the list before it, `after` those of the list after it up to the next compaction.
        """
        number = recorded.index
        for index, name in before:
            if recorded.head_end <= index < recorded.tail_start:
                self._left[name] = Place(number, index)
        opened: dict[str, Place] = {}
        for index, name in after:
            if index < recorded.after:
                # A file that is still in the list does not count.
                self._left.pop(name, None)
            else:
                opened.setdefault(name, Place(number + 1, index))
        summary = recorded.summary or ""
        evidence = tuple(
            Evidence(
                name,
                False,
                earlier,
                place,
                None,
                "the summary cannot be read"
                if recorded.encrypted
                else "the summary names it"
                if _named(name, summary)
                else "the summary does not name it",
                "assistant",
            )
            for name, place in opened.items()
            if (earlier := self._left.get(name)) is not None
        )
        share = Share(len(evidence), len(opened)) if opened else None
        return Measure("read-again", number, share, None, (), (), evidence)


def opened_in(message: Message) -> Iterator[str]:
    """Yield the files and pages that a message opens, by reading tools and by commands that print files."""
    if message.role != "assistant":
        return
    for call in message.tool_calls:
        name = call.name.lower()
        opens = any(part in name for part in _OPENING) and not any(part in name for part in _CHANGING)
        for key, value in arguments(call.arguments):
            if key in COMMAND_KEYS:
                yield from _printed_by(value)
            elif opens and key in PATH_KEYS and is_path(value):
                yield plain_path(value)
            elif opens and key in _ADDRESS_KEYS and 0 < len(value.strip()) < 2_000:
                yield value.strip().partition("#")[0]


def _printed_by(line: str) -> Iterator[str]:
    for command in _NEXT_COMMAND.split(line[:_LONGEST_COMMAND]):
        first = command.split(maxsplit=1)
        # shlex costs a hundred times as much as reading the first word.
        if ">" in command or not first or first[0].rpartition("/")[2] not in _PRINTING:
            continue
        try:
            words = shlex.split(command)
        except ValueError:
            continue
        for word in words[1:]:
            if (
                not word.startswith("-")
                and is_path(word)
                and ("/" in word or "." in word.strip(".,0123456789p$"))
            ):
                yield plain_path(word)


def _named(name: str, summary: str) -> bool:
    return name in summary or (len(base := name.rpartition("/")[2]) > 3 and base in summary)
