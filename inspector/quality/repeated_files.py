"""Files that are read again: the earlier readings and writes of a file, and the lines that they had."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from operator import itemgetter
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from inspector.quality.act import SOME_LINES, Act, covers, overlap, path_ends, same_file
from inspector.quality.aftermath import Step

#: Minimum share of the lines of a reading that earlier acts had.
_MIN_OVERLAP = 0.75


class Before(Struct, frozen=True):
    """An earlier step, the kind of its act, and whether the earlier acts had all lines."""

    step: Step
    kind: str
    covered: bool = True


class FileAct(NamedTuple):
    """A reading or a write: its number, its step and the path of its file."""

    number: int
    step: Step
    act: Act
    path: str


class FileActs:
    """Earlier readings and writes of files, by file name. A path may be relative."""

    def __init__(self) -> None:
        self._count = 0
        self._by_key: dict[str, list[FileAct]] = defaultdict(list)
        self._by_path: dict[str, list[FileAct]] = defaultdict(list)
        #: The acts by each end of their path, also by the path.
        self._by_end: dict[str, list[FileAct]] = defaultdict(list)

    def add(self, step: Step, act: Act) -> None:
        """Add the next act."""
        done = FileAct(self._count, step, act, act.path)
        self._count += 1
        ends = path_ends(done.path)
        self._by_key[act.key].append(done)
        self._by_path[ends[0]].append(done)
        for end in ends:
            self._by_end[end].append(done)

    def about(self, act: Act) -> list[FileAct]:
        """Return the acts on a file that may be the file of an act, the newest first."""
        path = act.path
        ends = path_ends(path)
        acts = [
            done
            for done in self._by_key.get(act.key, ())
            if done.path != path and in_one_folder(act, done.act) and not same_file(path, done.path)
        ]
        for end in ends[1:]:
            acts += self._by_path.get(end, ())
        acts += self._by_end.get(ends[0], ())
        return sorted(acts, key=itemgetter(0), reverse=True)


def left_file(step: Step, act: Act, earlier: Iterable[FileAct]) -> Before | None:
    """Return the last earlier step that read or wrote the lines of a reading, if it has left the list.

    If one compaction removed several such steps, a step with all lines has priority over a later step with some. An
    edit moves the lines of a file: after it, parts are compared by their text, also with several earlier parts
    together. An edit or a part that is still in the list has only its own lines. If most lines of a file have changed
    without an edit of the agent, a sub-agent or the user wrote the file, and the reading does not count.
    """
    reading = _Reading(step, act)
    for done in earlier:
        if done.step.step != step.step and reading.is_kept_by(done):
            return None
    return reading.left()


class _Reading:
    """A reading of a file while it is compared with the earlier acts on the file, the newest first."""

    def __init__(self, step: Step, act: Act) -> None:
        self.step, self.act = step, act
        #: The last act with the lines that left the list.
        self.last: Before | None = None
        #: The lines of the reading that no act in the list has, and the lines of acts that left the list.
        self.new, self.gone = act.seen, frozenset[int]()
        #: Moved parts with a few of the lines (number of lines, act), and the lines of all parts together.
        self.parts: list[tuple[int, Before]] = []
        self.in_parts = frozenset[int]()
        #: The last act with half of the lines that left before an edit moved them.
        self.newest: Before | None = None
        #: Whether acts that left had all lines, such an act left with the last step, a later act wrote the file, and an
        #: act in the list has a part of the lines.
        self.covered = self.whole = self.edited = self.partly = False

    def is_kept_by(self, earlier: FileAct) -> bool:
        """Compare with an earlier act. Return whether the list has this act and with it the lines of the reading."""
        act, done = self.act, earlier.act
        # A reading of other lines has no effect before an edit moves the lines.
        if not self.edited and done.kind == "read" and not overlap(act.lines, done.lines):
            return False
        is_edit = done.kind == "write" and done.lines == SOME_LINES
        moved = (self.edited or is_edit) and act.lines is not None and done.lines is not None
        self.edited = self.edited or done.kind == "write"
        # A result of one line is not comparable: it may be cut, or in a format of the tool.
        comparable = len(act.seen) > 1 and len(done.seen) > 1
        shared = act.seen & done.seen if moved and comparable else frozenset()
        overlaps = (
            len(shared) >= _MIN_OVERLAP * len(act.seen)
            if moved and comparable
            else overlap(act.lines, done.lines)
        )
        if in_list(earlier.step, self.step):
            part = comparable and (moved or not covers(done.lines, act.lines))
            if overlaps and not (part or is_edit):
                return True
            if part and (moved or overlaps):
                self.new -= done.seen
                self.partly = self.partly or not (moved or is_edit)
                return 2 * len(self.new) < len(act.seen)
        elif overlaps and (comparable or not moved):
            self._add_left(earlier, has_all=moved or covers(done.lines, act.lines))
        elif self._is_same(earlier):
            if 2 * len(shared) >= len(act.seen) if comparable else moved and overlaps:
                self.newest = self.newest or Before(earlier.step, done.kind, covered=False)
            if shared:
                self.in_parts |= shared
                self.parts.append((len(shared), Before(earlier.step, done.kind)))
        return False

    def _is_same(self, earlier: FileAct) -> bool:
        """Return whether an earlier act was on the same file."""
        act, done = self.act, earlier.act
        return act.path == earlier.path or (act.key == done.key and in_one_folder(act, done))

    def _add_left(self, earlier: FileAct, has_all: bool) -> None:
        """Add an act with lines of the reading that left the list."""
        self.gone |= earlier.act.seen
        if self._is_same(earlier):
            with_last = self.last is None or earlier.step.left == self.last.step.left
            is_better = with_last and has_all and not self.covered
            if self.last is None or (is_better and self.last.kind == "read"):
                self.last = Before(earlier.step, earlier.act.kind)
            self.covered = self.covered or has_all
            self.whole = self.whole or (with_last and has_all)

    def left(self) -> Before | None:
        """Return the last act with the lines, if the lines have left the list."""
        size = len(self.act.seen)
        if self.last is None and self.parts and len(self.in_parts) >= _MIN_OVERLAP * size:
            _, self.last = max(self.parts, key=itemgetter(0))
            self.gone, self.covered, self.whole = self.gone | self.in_parts, True, True
        last, newest = self.last, self.newest
        if last is None or (self.partly and not self.gone):
            return None
        least = len(self.new) if self.covered else min(len(self.new), len(self.gone))
        is_other = 2 * len(self.new & self.gone) < least and min(size, len(self.gone)) > 1
        if is_other and (self.partly or not self.edited):
            return None
        # The compaction of the newest act removed the lines.
        if newest is not None and last.step.left is not None and (newest.step.left or 0) > last.step.left:
            return newest
        return replace(last, covered=self.whole and not self.partly)


def in_list(other: Step, step: Step) -> bool:
    """Return whether the list of a step has an earlier step."""
    return other.left is None or other.left >= step.generation


def in_one_folder(act: Act, done: Act) -> bool:
    """Return whether two commands ran in one working directory, or one directory is unknown."""
    return act.folder == done.folder or not (act.folder and done.folder)
