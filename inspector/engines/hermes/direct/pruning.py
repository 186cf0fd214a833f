"""Phase 1: shorten old tool results and arguments, also in a protected end that is too large (releases from
0.20.0 on, `_prune_old_tool_results`)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, compress, islice
from operator import not_
from typing import Any

from inspector.engines.base import Budgets
from inspector.engines.hermes import pruning
from inspector.engines.hermes.direct.rows import (
    DIGEST,
    SHORT,
    SHRUNK,
    SKILLS,
    TOOLS,
    DirectRow,
    skill_of,
    tokens_from_end,
    totals_within,
)
from inspector.engines.hermes.policies import Policies

#: Maximum number of messages that protect_last_n protects from pruning.
_FLOOR = 8
#: Number of last messages that are shortened last.
_RECENT = 3
#: Number of last messages whose loaded skills keep their text.
_SKILL_WINDOW = 10
#: Number of newest pictures in tool results that stay (current sources).
_PICTURES_KEPT = 3


def pruned(
    rows: Sequence[DirectRow], policies: Policies, budgets: Budgets, protect_last_n: int
) -> tuple[int, list[DirectRow]]:
    """Return the start of the protected end, and the list with shortened old results. Raises as the release does."""
    work = _Pruner(rows)
    boundary = work.boundary(budgets.tail_token_budget, protect_last_n)
    boundary = max(0, min(boundary, work.spared(budgets.round_tokens)))
    return boundary, work.prune(policies, budgets, boundary)


def prune(rows: Sequence[DirectRow], policies: Policies, budgets: Budgets, boundary: int) -> list[DirectRow]:
    """Return the list with shortened old results. Raises as the release does."""
    return _Pruner(rows).prune(policies, budgets, boundary)


def all_pruned(rows: Sequence[DirectRow], policies: Policies) -> list[DirectRow]:
    """Return the list with every result and argument shortened, also at its end. Raises as the release does."""
    work = _Pruner(rows)
    work.deduplicate()
    for index in range(len(rows)):
        work.shorten(index)
    return [row.shrunk for row in work.rows] if policies.shrinks_arguments else work.rows


class _Pruner:
    def __init__(self, rows: Sequence[DirectRow]) -> None:
        self.rows = list(rows)
        self.tools: dict[Any, pruning.Tool] = dict(chain.from_iterable(filter(None, map(TOOLS, rows))))
        last = (at for at in range(len(rows) - 1, -1, -1) if rows[at].role == "assistant")
        self.newest = next(last, 0)

    def tokens(self, index: int) -> int:
        return self.rows[index].tokens if index >= self.newest else self.rows[index].old_tokens

    def boundary(self, budget: int, protect_last_n: int) -> int:
        """Return the start of the messages that are protected by the budget or by their number."""
        length = len(self.rows)
        if budget <= 0:
            return length - protect_last_n
        floor = min(protect_last_n, length, _FLOOR)
        fit = len(totals_within(self.rows, budget, floor))
        return length - max(min(fit + 1, length), floor)

    def spared(self, ceiling: int) -> int:
        """Return the start of the last round of calls, if it is unanswered and has at most `ceiling` tokens."""
        length = len(self.rows)
        if not ceiling or not length or self.rows[-1].role != "tool":
            return length
        first = length - 1
        while first > 0 and self.rows[first - 1].role == "tool":
            first -= 1
        first -= first > 0 and self.rows[first - 1].role == "assistant"
        return first if sum(map(self.tokens, range(first, length))) <= ceiling else length

    def prune(self, policies: Policies, budgets: Budgets, boundary: int) -> list[DirectRow]:
        spared = self.spared(budgets.round_tokens)
        self.deduplicate()
        protected = _protected_skills(self.rows, boundary)
        for index in list(compress(range(len(self.rows)), map(not_, map(SHORT, self.rows[:boundary])))):
            self.shorten(index, protected)
        if policies.shrinks_arguments:
            self.rows[:boundary] = map(SHRUNK, self.rows[:boundary])
        else:
            self.drop_pictures()
        if budgets.tail_token_budget > 0 and self.rows:
            self.relieve(boundary, budgets.tail_ceiling_tokens, spared, policies.shrinks_arguments)
        return self.rows

    def deduplicate(self) -> None:
        digests = [(index, key) for index, key in enumerate(map(DIGEST, self.rows)) if key is not None]
        newest: set[bytes] = set()
        for index, key in reversed(digests):
            if key in newest:
                self.rows[index] = self.rows[index].repeated
            newest.add(key)

    def shorten(self, index: int, protected: frozenset[str] = frozenset()) -> bool:
        """Replace a long result by a line about it. Return whether something changed."""
        row = self.rows[index]
        if row.is_short:
            return False
        tool = pruning.UNKNOWN_TOOL
        if isinstance(row.content, str):
            tool = self.tools.get(row.wire.get("tool_call_id", ""), tool)
            if protected and skill_of(tool).lower() in protected:
                return False
        self.rows[index] = row.shortened(tool)
        return True

    def drop_pictures(self) -> None:
        """Remove the pictures from all but the newest results."""
        kept = 0
        for index in range(len(self.rows) - 1, -1, -1):
            without = self.rows[index].pictureless
            if without is not self.rows[index]:
                kept += 1
                if kept > _PICTURES_KEPT:
                    self.rows[index] = without

    def relieve(self, boundary: int, soft: int, spared: int, shrinks: bool) -> None:
        """Shorten results of the protected end, the oldest first, until it fits."""
        length = len(self.rows)
        stop = length - min(_RECENT, length)
        if stop <= boundary:
            return
        used = sum(islice(tokens_from_end(self.rows), length - boundary))
        if used <= soft:
            return
        for index in range(boundary, min(stop, spared)):
            used += self._relieved(index, shrinks)
            if used <= soft:
                return
        last = next((at for at in range(length - 1, -1, -1) if self.rows[at].role == "tool"), -1)
        for index in range(boundary, min(length, spared)):
            if index != last:
                used += self._relieved(index, shrinks)
        if boundary <= last < spared and used > soft:
            self.shorten(last)

    def _relieved(self, index: int, shrinks: bool) -> int:
        """Shorten a message. Return the number of freed tokens."""
        row = self.rows[index]
        before = self.tokens(index)
        self.shorten(index)
        if shrinks:
            self.rows[index] = self.rows[index].shrunk
        return 0 if self.rows[index] is row else self.tokens(index) - before


def _protected_skills(rows: Sequence[DirectRow], boundary: int) -> frozenset[str]:
    """Return the recently loaded skills, and the loaded skills that a user message of the protected end names."""
    loading = compress(range(len(rows)), map(SKILLS, rows))
    loaded = [(index, name) for index in loading for name in rows[index].skills]
    if not loaded:
        return frozenset()
    start = max(0, boundary)
    recent = min(max(0, len(rows) - _SKILL_WINDOW), start)
    texts = [row.lower for row in rows[start:] if row.lower]
    return frozenset(name for index, name in loaded if index >= recent or any(name in text for text in texts))
