"""Change of every item between two summaries.

Items are matched by content, not by position: items with the same words first, then similar items, the most
similar first. Each item is matched at most once. A finished item that moves to another section, or gets a new
number or position, stays the same item.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heapreplace

from msgspec import Struct

from inspector.summaries.anchors import Opcode
from inspector.summaries.headings import meaning, plain
from inspector.summaries.summary import (
    Change,
    Item,
    ItemChange,
    Rewording,
    Section,
    SectionDiff,
    Summary,
    SummaryDiff,
)
from inspector.summaries.words import Weights, Words, changes, like, match

#: Minimum likeness of two wordings of one item, within a section and across sections.
ALIKE = 0.65
ALIKE_ELSEWHERE = 0.7
#: Minimum likeness for sections that are one paragraph in both summaries (Goal, Active Task).
ALIKE_ALONE = 0.45
#: A word in more items than this is too common to look for candidates by it.
_COMMON = 24
#: Maximum number of candidates of a new item, and of its rarest words that they are looked for by.
_MAX_CANDIDATES = 6
_MAX_RARE_WORDS = 8
_ROUNDING = 1e-9
#: Of equally similar candidates, prefer the same section, then the nearest position.
_SAME_SECTION = 0.05
_NEAR = 0.01


class _PlacedItem(Struct, frozen=True):
    """An item, the index of its section, and its relative position in its list (0 to 1)."""

    item: Item
    section: int
    key: str
    position: float


class Matching(Struct, frozen=True):
    """Matched items and sections of two summaries.

    All values are indexes; items count in the order of `Summary.items`. `items` maps new → old, `sections` maps
    old → new. `rewordings` has the new items with another wording.
    """

    sections: Mapping[int, int]
    items: Mapping[int, int]
    rewordings: Mapping[int, Rewording]

    def new_of(self) -> dict[int, int]:
        """Map old items to new items."""
        return {old: new for new, old in self.items.items()}


def diff_summaries(old: Summary, new: Summary) -> SummaryDiff:
    """Compare two summaries. Every item of both appears exactly once. Takes a few ms for 10,000 tokens each."""
    return _Assembly(
        old, new, match_items(old, new), _placed_items(old.sections), _placed_items(new.sections)
    ).diff()


def match_items(old: Summary, new: Summary, read: Callable[[str], Words] = Words) -> Matching:
    """Match the items of two summaries, each at most once. `read` splits a text into words; it may cache."""
    pairs = _pair_sections(old.sections, new.sections)
    olds, news = _placed_items(old.sections), _placed_items(new.sections)
    matched = _same_words(olds, news, pairs)
    rewordings = _alike(olds, news, matched, pairs, read)
    return Matching(pairs, matched, rewordings)


def _placed_items(sections: Sequence[Section]) -> list[_PlacedItem]:
    listed = [(item, index) for index, section in enumerate(sections) for item in section.items]
    return [
        _PlacedItem(item, section, " ".join(item.text.split()), at / len(listed))
        for at, (item, section) in enumerate(listed)
    ]


def _pair_sections(old: Sequence[Section], new: Sequence[Section]) -> dict[int, int]:
    """Return old section → new section: by name first, then by meaning, then by a majority of equal items."""
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for name_of in (plain, meaning):
        waiting: dict[str, list[int]] = defaultdict(list)
        for index, section in enumerate(new):
            if index not in taken:
                waiting[name_of(section.name)].append(index)
        for index, section in enumerate(old):
            same = waiting.get(name_of(section.name))
            if index not in pairs and same:
                pairs[index] = same.pop(0)
                taken.add(pairs[index])
    contents = [
        (index, Counter(i.text for i in s.items)) for index, s in enumerate(new) if index not in taken
    ]
    for index, section in enumerate(old):
        if index in pairs or not section.items:
            continue
        content = Counter(item.text for item in section.items)
        for at, (other, others) in enumerate(contents):
            if 2 * (content & others).total() > max(content.total(), others.total()):
                pairs[index] = other
                del contents[at]
                break
    return pairs


def _same_words(olds: list[_PlacedItem], news: list[_PlacedItem], pairs: dict[int, int]) -> dict[int, int]:
    """Return new item → old item with the same words, preferring the same section, then the order."""
    matched: dict[int, int] = {}
    used: set[int] = set()
    for same_section in (True, False):
        waiting: dict[tuple[str, int | None], list[int]] = defaultdict(list)
        for at in range(len(olds) - 1, -1, -1):
            if at not in used:
                section = pairs.get(olds[at].section) if same_section else -1
                waiting[olds[at].key, section].append(at)
        for at, placed in enumerate(news):
            if at in matched:
                continue
            equal = waiting.get((placed.key, placed.section if same_section else -1))
            if equal:
                matched[at] = equal.pop()
                used.add(matched[at])
    return matched


def _alike(
    olds: list[_PlacedItem],
    news: list[_PlacedItem],
    matched: dict[int, int],
    pairs: dict[int, int],
    read: Callable[[str], Words],
) -> dict[int, Rewording]:
    """Match the remaining items, most similar first, and add them to `matched`. Return the new items' rewordings."""
    used = set(matched.values())
    if len(used) == len(olds) or len(matched) == len(news):
        return {}
    old_words = [read(placed.item.text) for placed in olds]
    new_words = [read(placed.item.text) for placed in news]
    weights = Weights([*old_words, *new_words])
    left = {at: words for at, words in enumerate(old_words) if at not in used}
    right = {at: words for at, words in enumerate(new_words) if at not in matched}
    least_likeness = _least_likeness(olds, news, pairs)
    heap = _candidates(olds, news, left, right, pairs, weights, least_likeness)
    rewordings: dict[int, Rewording] = {}
    waiting: dict[tuple[int, int], list[Opcode]] = {}
    # The heap is ordered by an upper bound. The top pair is measured and put back with its likeness.
    while heap:
        _, measured, new, old, likeness, bonus = heap[0]
        if old not in left or new not in right:
            heappop(heap)
        elif measured:
            heappop(heap)
            matched[new] = old
            words = changes(left.pop(old), right.pop(new), waiting.pop((old, new)))
            rewordings[new] = Rewording(likeness, words)
        else:
            same = match(left[old], right[new])
            likeness = weights.likeness(left[old], right[new], same)
            if likeness < least_likeness(old, new):
                heappop(heap)
            else:
                waiting[old, new] = same
                heapreplace(heap, (-(likeness + bonus), 1, new, old, likeness, bonus))
    return rewordings


def _least_likeness(
    olds: list[_PlacedItem], news: list[_PlacedItem], pairs: dict[int, int]
) -> Callable[[int, int], float]:
    """Return a function of an old and a new item: the minimum likeness of the two."""
    old_sizes, new_sizes = (
        Counter(placed.section for placed in placed_items) for placed_items in (olds, news)
    )

    def least_likeness(old: int, new: int) -> float:
        old_section, new_section = olds[old].section, news[new].section
        if pairs.get(old_section) != new_section:
            return ALIKE_ELSEWHERE
        is_alone = old_sizes[old_section] == 1 == new_sizes[new_section]
        return ALIKE_ALONE if is_alone else ALIKE

    return least_likeness


#: A pair in the heap: its rank (negative likeness plus bonus), whether its likeness is measured and not a bound, the
#: new item, the old item, the likeness, and the bonus.
_Entry = tuple[float, int, int, int, float, float]


def _candidates(
    olds: list[_PlacedItem],
    news: list[_PlacedItem],
    left: dict[int, Words],
    right: dict[int, Words],
    pairs: dict[int, int],
    weights: Weights,
    least_likeness: Callable[[int, int], float],
) -> list[_Entry]:
    """Return pairs that share rare words, the best few of each new item, as a heap."""
    items_with: dict[str, list[int]] = defaultdict(list)
    for old, words in left.items():
        for word in words.bag:
            items_with[word].append(old)
    heap: list[_Entry] = []
    positions = [placed.position for placed in olds]
    wholes = {old: weights.whole(words) for old, words in left.items()}
    for new, words in right.items():
        placed, whole = news[new], weights.whole(words)
        scores: dict[int, float] = {}
        shared = sorted([(len(items_with[word]), word) for word in words.bag if word in items_with])
        # Upper bound of the weight of the shared words, minus the score.
        beyond = sum([weights.of(word) * words.bag[word] for _, word in shared])
        for count, word in shared[:_MAX_RARE_WORDS]:
            holders = items_with[word]
            if count > _COMMON:
                if scores:
                    break
                # Only common words: look at the items at about the same relative position.
                middle = bisect_left(holders, placed.position, key=positions.__getitem__)
                holders = holders[max(0, middle - _COMMON // 2) : middle + _COMMON // 2]
            weight = weights.of(word)
            beyond -= weight
            for old in holders:
                scores[old] = scores.get(old, 0.0) + weight
        ranked = sorted(
            [(-score, abs(positions[old] - placed.position), old) for old, score in scores.items()]
        )
        for score, away, old in ranked[:_MAX_CANDIDATES]:
            # This bound rules out most pairs without comparing all of their words.
            at_most = like(beyond - score, wholes[old], whole) + _ROUNDING
            if at_most < ALIKE_ALONE:
                continue
            least = least_likeness(old, new)
            if at_most < least:
                continue
            bound = weights.bound(left[old], words)
            if bound < least:
                continue
            is_same_section = pairs.get(olds[old].section) == placed.section
            bonus = (_SAME_SECTION if is_same_section else 0.0) + _NEAR * (1 - away)
            heap.append((-(bound + bonus), 0, new, old, bound, bonus))
    heapify(heap)
    return heap


class _Assembly(Struct, frozen=True):
    """Builds the changes of each section from the matches."""

    old: Summary
    new: Summary
    matching: Matching
    olds: list[_PlacedItem]
    news: list[_PlacedItem]

    def diff(self) -> SummaryDiff:
        """Return the sections of the new summary in order. A removed section keeps its place after its former
        neighbour."""
        new_of = self.matching.new_of()
        olds, news = _by_section(self.olds), _by_section(self.news)
        old_sections = {new: old for old, new in self.matching.sections.items()}
        #: The removed sections after each new section; -1 before the first.
        behind: dict[int, list[SectionDiff]] = defaultdict(list)
        last = -1
        for index, section in enumerate(self.old.sections):
            if index in self.matching.sections:
                last = self.matching.sections[index]
            elif not _hollow(self.old.sections, index):
                removed = tuple(self._removed(old) for old in olds[index] if old not in new_of)
                behind[last].append(SectionDiff(section.name, removed, section.name, gone=True))
        sections = behind[-1]
        for index, section in enumerate(self.new.sections):
            if not _hollow(self.new.sections, index) or index in old_sections:
                was = old_sections.get(index)
                items = self._items(olds[was] if was is not None else [], news[index], new_of)
                name = None if was is None else self.old.sections[was].name
                sections.append(SectionDiff(section.name, tuple(items), name))
            sections.extend(behind[index])
        return SummaryDiff(tuple(sections))

    def _items(self, olds: list[int], news: list[int], new_of: dict[int, int]) -> Iterator[ItemChange]:
        """Yield a section's items; each removed item follows the item that it followed before."""
        of_section = set(news)
        anchor = -1
        removed: dict[int, list[int]] = defaultdict(list)
        for old in olds:
            if old not in new_of:
                removed[anchor].append(old)
            elif new_of[old] in of_section:
                anchor = new_of[old]
        for new in (-1, *news):
            if new >= 0:
                yield self._became(new)
            for old in removed[new]:
                yield self._removed(old)

    def _removed(self, at: int) -> ItemChange:
        item, name = self.olds[at].item, self.old.sections[self.olds[at].section].name
        return ItemChange(item.text, "removed", name, None, likeness=0.0, kind=item.kind, depth=item.depth)

    def _became(self, at: int) -> ItemChange:
        placed = self.news[at]
        item, to = placed.item, self.new.sections[placed.section].name
        if at not in self.matching.items:
            return ItemChange(item.text, "added", None, to, likeness=0.0, kind=item.kind, depth=item.depth)
        old = self.olds[self.matching.items[at]]
        rewording = self.matching.rewordings.get(at)
        likeness, words = rewording or Rewording()
        change: Change = "kept" if rewording is None else "reworded"
        if self.matching.sections.get(old.section) != placed.section:
            change = "moved"
        return ItemChange(
            item.text,
            change,
            self.old.sections[old.section].name,
            to,
            was=None if rewording is None else old.item.text,
            words=words,
            likeness=likeness,
            kind=item.kind,
            depth=item.depth,
        )


def _by_section(placed_items: list[_PlacedItem]) -> dict[int, list[int]]:
    places: dict[int, list[int]] = defaultdict(list)
    for at, placed in enumerate(placed_items):
        places[placed.section].append(at)
    return places


def _hollow(sections: Sequence[Section], index: int) -> bool:
    """Return whether a heading has only sub-headings below it."""
    section = sections[index]
    below = sections[index + 1].path if index + 1 < len(sections) else ()
    empty = not section.items and not section.says_none
    return empty and len(below) > len(section.path) and below[: len(section.path)] == section.path
