"""The values of summaries and of their differences. Texts are raw: a screen makes them safe."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

#: bullet and number are list entries; code is a fenced block, kept verbatim.
Kind = Literal["bullet", "number", "paragraph", "code"]

#: kept: the same words in the same section. reworded: other words there. moved: in another section, in the
#: same words or in others.
Change = Literal["kept", "added", "removed", "reworded", "moved"]
CHANGES: tuple[Change, ...] = ("kept", "added", "removed", "reworded", "moved")


@dataclass(frozen=True, slots=True)
class Item:
    """One entry of a section.

    `mark` is what stood before it ("-", "3."; "" for paragraphs and code) and is no part of the content;
    `depth` counts from 0. `line` is the line of the body it starts on, from 0.
    """

    text: str
    kind: Kind = "paragraph"
    mark: str = ""
    depth: int = 0
    line: int = 0


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands below it, up to the next heading of any level.

    `path` has the headings that lead to it, `level` is that of its own heading (2 for `##`); text before the
    first heading has the path () and the level 0. `says_none` marks a section whose only text says that
    there is nothing ("None."); it has no items.
    """

    path: tuple[str, ...]
    level: int
    items: tuple[Item, ...] = ()
    line: int = 0
    says_none: bool = False

    @property
    def name(self) -> str:
        """The path as one text: "Goal", "Progress / Done"; "" for the text before the first heading."""
        return " / ".join(self.path)


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary taken apart, in the order in which it was written."""

    sections: tuple[Section, ...] = ()

    def items(self) -> Iterator[tuple[Section, Item]]:
        """Every item with its section."""
        for section in self.sections:
            for item in section.items:
                yield section, item


@dataclass(frozen=True, slots=True)
class WordChange:
    """Words that differ: [was_start:was_end] of the old text became [start:end] of the new one (half-open,
    in characters; one of them may be empty)."""

    was_start: int
    was_end: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ItemChange:
    """What became of an item.

    `text` is the new wording, for removed ones the old. `was` is the old wording where it differs.
    `from_section` is None for added items, `to_section` for removed ones. `words` says where `was` and `text`
    differ. `likeness` is between 0 and 1: how much of the two wordings is the same, by weight of words.
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


@dataclass(frozen=True, slots=True)
class SectionDiff:
    """A section of either summary. `was` is its name in the old one; None where it is new. `name` is its name
    in the new one, for sections that are gone the old name. `gone` says that the new summary lacks it."""

    name: str
    items: tuple[ItemChange, ...]
    was: str | None
    gone: bool = False


@dataclass(frozen=True, slots=True)
class SummaryDiff:
    """Two summaries compared. Moved items stand where they went."""

    sections: tuple[SectionDiff, ...]

    def counts(self) -> dict[Change, int]:
        """How many items there are of each change."""
        counts = dict.fromkeys(CHANGES, 0)
        for section in self.sections:
            for item in section.items:
                counts[item.change] += 1
        return counts

    @property
    def same(self) -> bool:
        """Whether every item was kept and no section came or went."""
        return all(
            not section.gone and section.was is not None and all(i.change == "kept" for i in section.items)
            for section in self.sections
        )

    def to_json(self) -> list[dict[str, object]]:
        """The sections as the `diff` command prints them."""
        return [
            {
                "name": section.name,
                "was": section.was,
                "gone": section.gone,
                "items": [
                    {
                        "text": item.text,
                        "change": item.change,
                        "from_section": item.from_section,
                        "to_section": item.to_section,
                        "was": item.was,
                    }
                    for item in section.items
                ],
            }
            for section in self.sections
        ]
