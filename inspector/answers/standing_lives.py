"""The rules of files that the agent loaded and that later lists lack, as facts with their fates."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from inspector.answers.inspection import Inspection
from inspector.answers.lists_after import ListsAfter
from inspector.core.text import safe
from inspector.quality.facts.fact import STANDING, Fact, Life, Saying, is_concise
from inspector.quality.facts.lives import Following, fates_of
from inspector.quality.facts.rules import load_stemmer
from inspector.quality.facts.values import values_of
from inspector.quality.prohibitions import prohibitions_of
from inspector.replay.transcript import transcript_of
from inspector.stores.rule_files import RuleFile, is_sent, texts_after

#: The rule of these facts, as in Fact.rule.
RULE = "standing"
_MARK = re.compile(r"(?:[-*+•]|\d{1,3}[.)])\s+")


@lru_cache(maxsize=2)
def standing_lives(inspection: Inspection) -> tuple[Life, ...]:
    """Return a life for each prohibition of a rules file that was loaded, from the compaction that removed the file on.

    Reads the lists again if a file left them. Raises StoreErrors. The results of the last two conversations stay in
    memory, because the aftermath and the losses of a conversation both need them.
    """
    compactions = inspection.compactions()
    by_path: dict[str, list[RuleFile]] = {}
    for file in inspection.rule_files():
        if file.cut is None and not file.is_memory:
            by_path.setdefault(file.path, []).append(file)
    places = transcript_of(inspection.conversation, compactions).places
    steps = {(place.generation, place.index): step for step, place in enumerate(places)}
    facts: dict[str, Fact] = {}
    left: dict[str, int] = {}
    for path, entries in by_path.items():
        lists = {file.generation for file in entries}
        removed = (one.index for one in compactions if one.index in lists and one.index + 1 not in lists)
        compaction = next(removed, 0)
        before = [file for file in entries if file.generation <= compaction]
        loaded = next((file for file in reversed(before) if file.how in ("loaded", "prompt")), None)
        if loaded is None or is_sent(path, inspection.conversation.row):
            continue
        step = steps.get((loaded.generation, loaded.place), 0)
        session = inspection.generation(loaded.generation).session
        saying = Saying(
            step, loaded.generation, max(loaded.place, 0), loaded.message, session, "user", (0, 0), compaction
        )
        for text in _prohibitions(texts_after(before)):
            fact = _fact(path, text, saying)
            facts[fact.key], left[fact.key] = fact, compaction
    if not facts:
        return ()
    asked = Following(facts, {key: {left[key]} for key in facts}, frozenset(), frozenset(), "none")
    fates = fates_of(asked, ListsAfter(inspection, compactions))
    return tuple(Life(fact, left[key], tuple(fates[key])) for key, fact in facts.items() if fates[key])


def _prohibitions(texts: Sequence[RuleFile]) -> Iterator[str]:
    """Yield the lines of a file that forbid something by name."""
    for line in dict.fromkeys(safe("\n".join(file.text for file in texts)).splitlines()):
        text = _MARK.sub("", line.strip(), count=1)
        if is_concise(text) and prohibitions_of(text):
            yield text


def _fact(path: str, text: str, saying: Saying) -> Fact:
    key = hashlib.blake2b(
        f"{path}\0{text}".encode("utf-8", errors="surrogatepass"), digest_size=8
    ).hexdigest()
    values = tuple(values_of(text))
    things = tuple(load_stemmer().words(text))
    return Fact(
        key, "constraint", text, text, values, things, RULE, STANDING, (0, 0), "user", (saying,), 0, 0.0,
        why=f"a line of {path}",
    )  # fmt: skip
