"""The user's messages that stay after a compaction of Kimi Code: all, or the oldest and the newest.

The rule and its numbers are from its source. Release 2.1.0 has the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from inspector.stores.kimi_code.forms import text_of
from inspector.stores.values import mappings_in

#: Maximum tokens of the kept messages, and of the oldest messages if not all stay.
MAX_KEPT, MAX_OLDEST = 20_000, 2_000
#: Estimated tokens of a picture, a video or a sound, and of the role of a message.
_MEDIA, _ROLE = 2_000, 1


class Kept(NamedTuple):
    """A kept message: its place in the user's messages, and the part [start:stop] of its text in characters.

    `stop` is None if the whole message stays.
    """

    place: int
    start: int = 0
    stop: int | None = None


def kept_of(messages: Sequence[Mapping[str, Any]]) -> list[Kept]:
    """Return which of the user's messages stay, oldest first. If they are too long, the middle is left out.

    The newest messages stay up to 18,000 tokens, and the oldest up to 2,000. A message at the limit is cut.
    """
    sizes = [_ROLE + sum(map(_part_tokens, mappings_in(message.get("content")))) for message in messages]
    if sum(sizes) <= MAX_KEPT:
        return [Kept(place) for place in range(len(messages))]
    newest: list[Kept] = []
    older = [Kept(place) for place in range(len(messages))]
    room = MAX_KEPT - MAX_OLDEST
    while older and room > 0:
        place = older.pop().place
        room -= sizes[place]
        if room >= 0:
            newest.append(Kept(place))
            continue
        text = text_of(messages[place])
        start = len(text) - _fitting(reversed(text), room + sizes[place])
        newest.append(Kept(place, start, len(text)))
        if start:
            older.append(Kept(place, 0, start))
    oldest: list[Kept] = []
    room = MAX_OLDEST
    while older and room > 0:
        kept = older.pop(0)
        text = text_of(messages[kept.place])[: kept.stop]
        size = sizes[kept.place] if kept.stop is None else _ROLE + _text_tokens(text)
        oldest.append(kept if size <= room else Kept(kept.place, 0, _fitting(text, room)))
        room -= size
    return oldest + newest[::-1]


def _part_tokens(part: Mapping[str, Any]) -> int:
    texts = [part[name] for name in ("text", "think") if isinstance(part.get(name), str)]
    return sum(map(_text_tokens, texts)) if texts else _MEDIA


def _text_tokens(text: str) -> int:
    """Return Kimi Code's estimate: a token for four ASCII characters, and for each other character."""
    other = len(text) - len(text.encode("ascii", "ignore"))
    return (len(text) - other + 3) // 4 + other


def _fitting(characters: Iterable[str], most: int) -> int:
    """Return how many of the characters have at most `most` tokens."""
    plain = other = count = 0
    for character in characters:
        plain, other = (plain + 1, other) if character.isascii() else (plain, other + 1)
        if (plain + 3) // 4 + other > most:
            break
        count += 1
    return count
