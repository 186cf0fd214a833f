"""Facts and lists for tests."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from inspector.core.text import safe
from inspector.quality.facts.extract import facts_of
from inspector.quality.facts.fact import Fact, Saying, SpokenMessage, Statement, Where
from inspector.quality.facts.gather import gather
from inspector.quality.facts.passages import ListText, PassageIndex


def said(text: str, role: str = "user") -> tuple[Statement, ...]:
    return facts_of(safe(text), role).statements


def step(
    number: int,
    text: str,
    role: str = "user",
    calls: Sequence[tuple[str, str]] = (),
    compaction: int | None = 1,
) -> SpokenMessage:
    saying = Saying(number, 1, number, 100 + number, "s", role, (0, 0), compaction)
    return SpokenMessage(saying, number, facts_of(safe(text), role, calls))


def steps(*messages: str | tuple[str, str]) -> list[SpokenMessage]:
    """Return one step per text; a pair is (role, text)."""
    pairs = [("user", one) if isinstance(one, str) else one for one in messages]
    task, found = 0, []
    for number, (role, text) in enumerate(pairs):
        task += role == "user"
        found.append(replace(step(number, text, role), task=task))
    return found


def facts(*messages: str | tuple[str, str]) -> tuple[Fact, ...]:
    return gather(steps(*messages))


def fact(text: str, role: str = "user") -> Fact:
    """Return the only or the best fact of a text."""
    return facts((role, text))[0]


def searchable(
    summary: str = "", head: Sequence[str] = (), tail: Sequence[str] = (), role: str = "user"
) -> PassageIndex:
    parts = [ListText("head", at, role, safe(text)) for at, text in enumerate(head)]
    where: Where = "summary"
    parts.append(ListText(where, len(head), "summary", safe(summary)))
    parts += [ListText("tail", len(head) + 1 + at, role, safe(text)) for at, text in enumerate(tail)]
    return PassageIndex(parts)
