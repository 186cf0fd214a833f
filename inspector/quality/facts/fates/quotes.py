"""What a user said, to be known again where a summary quotes it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection

from inspector.quality.facts.fates.word_for_word import plain, stands

#: A sentence is a quote where so much of it is what somebody said.
QUOTED = 0.6
#: Fewer characters may stand anywhere.
_SHORTEST = 12
_PIECES = re.compile(r"[^\W\u3040-\u9fff]+|[\u3040-\u9fff]")


class Quotes:
    """Sentences as plain texts, each found by the rarest of its words."""

    def __init__(self, said: Collection[str] = ()) -> None:
        pieces = {one: frozenset(_PIECES.findall(one)) for one in said if len(one) >= _SHORTEST}
        common = Counter(piece for some in pieces.values() for piece in some)
        self._by_piece: dict[str, list[str]] = defaultdict(list)
        for one, some in pieces.items():
            self._by_piece[min(some, key=lambda piece: (common[piece], piece), default="")].append(one)

    def have(self, sentence: str) -> bool:
        """Whether most of a sentence of a summary is one of them, word for word."""
        if not self._by_piece:
            return False
        text = plain(sentence)
        return any(
            len(one) >= QUOTED * len(text) and stands(one, text)
            for piece in ("", *dict.fromkeys(_PIECES.findall(text)))
            for one in self._by_piece.get(piece, ())
        )
