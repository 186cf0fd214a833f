"""Values of summaries and of their differences. Texts are raw: the screen makes them safe."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple, get_args

from msgspec import Struct

#: bullet and number are list entries; code is a code block, kept verbatim.
Kind = Literal["bullet", "number", "paragraph", "code"]

#: kept: the same words in the same section. reworded: other words in the same section. moved: in another section,
#: in the same or other words.
Change = Literal["kept", "added", "removed", "reworded", "moved"]
CHANGES: tuple[Change, ...] = get_args(Change)


class Item(Struct, frozen=True):
    """One entry of a section.

    `mark` is the list mark before it ("-", "3."; "" for paragraphs and code); it is not part of the content.
    `depth` counts from 0. `line` is the first line in the body, from 0.
    """

    text: str
    kind: Kind = "paragraph"
    mark: str = ""
    depth: int = 0
    line: int = 0


class Section(Struct, frozen=True):
    """A heading and the items below it, up to the next heading of any level.

    `path` has the headings that lead to it. `level` is the level of the last heading (2 for `##`). Text before the
    first heading has the path () and the level 0. `says_none` marks a section without items whose only text says
    that it is empty ("None.").
    """

    path: tuple[str, ...]
    level: int
    items: tuple[Item, ...] = ()
    line: int = 0
    says_none: bool = False

    @property
    def name(self) -> str:
        """Return the path as one text: "Goal", "Progress / Done"; "" for the text before the first heading."""
        return " / ".join(self.path)


class Summary(Struct, frozen=True):
    """A parsed summary, in its written order."""

    sections: tuple[Section, ...] = ()

    def items(self) -> Iterator[tuple[Section, Item]]:
        """Yield every item with its section."""
        for section in self.sections:
            for item in section.items:
                yield section, item


class WordChange(Struct, frozen=True):
    """Words that differ: [was_start:was_end] of the old text became [start:end] of the new text.

    Offsets are half-open, in characters; either range may be empty.
    """

    was_start: int
    was_end: int
    start: int
    end: int


class Rewording(NamedTuple):
    """A change of an item's wording: the likeness of both wordings, from 0 to 1, and the differing words."""

    likeness: float = 1.0
    words: tuple[WordChange, ...] = ()


class ItemChange(Struct, frozen=True):
    """Change of an item.

    `text` is the new wording; for a removed item the old one. `was` is the old wording where it differs.
    `from_section` is None for added items, `to_section` for removed ones. `words` are the differences between `was`
    and `text`. `likeness` is the share of common words by weight, 0 to 1.
    """

    text: str
    change: Change
    from_section: str | None
    to_section: str | None
    was: str | None = None
    words: tuple[WordChange, ...] = ()
    likeness: float = 1.0
    kind: Kind = "paragraph"
    depth: int = 0


class SectionDiff(Struct, frozen=True):
    """A section of either summary.

    `was` is its name in the old summary, None if it is new. `name` is its name in the new summary; for a removed
    section the old name. `gone` says that the new summary lacks it.
    """

    name: str
    items: tuple[ItemChange, ...]
    was: str | None
    gone: bool = False


class SummaryDiff(Struct, frozen=True):
    """Two summaries compared. Moved items are listed in their new section."""

    sections: tuple[SectionDiff, ...]

    def counts(self) -> dict[Change, int]:
        """Return the number of items of each change."""
        counts = dict.fromkeys(CHANGES, 0)
        for section in self.sections:
            for item in section.items:
                counts[item.change] += 1
        return counts

    @property
    def same(self) -> bool:
        """Return whether every item was kept and no section was added or removed."""
        return all(
            not section.gone and section.was is not None and all(i.change == "kept" for i in section.items)
            for section in self.sections
        )
