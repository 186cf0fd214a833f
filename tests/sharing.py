"""Results that the tests of a process share because they are always the same: parsed style sheets, facts, digests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import pytest
from textual.css import stylesheet
from textual.css.model import RuleSet
from textual.css.tokenize import Token, tokenize_values

from inspector.answers import fact_reading, scoring
from inspector.answers.fact_reading import FactsReading
from inspector.answers.inspection import Inspection
from inspector.answers.kept_results import Basis, basis_of
from inspector.config.cache import Cache
from inspector.core.watching import OnProgress
from inspector.quality.facts import lives
from inspector.quality.facts.fact import Fact, Fate
from inspector.quality.facts.fate import fate
from inspector.quality.facts.lives import Following, PlacedFates
from inspector.quality.facts.passages import ListText, PassageIndex
from inspector.stores import detect

_FATES: dict[tuple[Any, ...], dict[str, tuple[Fate, ...]]] = {}
_READINGS: dict[Basis, FactsReading] = {}
_fates_of = lives.fates_of
_read_facts = fact_reading.read_facts
_judged = cache(fate)
_LISTS: dict[tuple[ListText, ...], PassageIndex] = {}


class _Variables(dict[str, list[Token]]):
    """Tokens of a theme's variables, and their texts."""

    def __init__(self, tokens: dict[str, list[Token]], values: tuple[tuple[str, str], ...]) -> None:
        super().__init__(tokens)
        self.values_of = values


def share_parsed_styles() -> None:
    """Parse each style sheet once for all apps of this process. Parsing is half of the time to start an app."""
    parse, tokenize = stylesheet.parse, cache(lambda *values: tokenize_values(dict(values)))

    @cache
    def rules(
        source: tuple[Any, ...], variables: tuple[tuple[str, str], ...], **options: Any
    ) -> list[RuleSet]:
        return list(parse(*source, variable_tokens=tokenize(*variables), **options))

    def tokens(values: dict[str, str]) -> _Variables:
        return _Variables(tokenize(*values.items()), tuple(values.items()))

    def parsed(*source: Any, variable_tokens: _Variables, **options: Any) -> list[RuleSet]:
        """Return the rules of a style sheet, which nothing changes later."""
        return rules(source, variable_tokens.values_of, **options)

    stylesheet.tokenize_values, stylesheet.parse = tokens, parsed  # type: ignore[assignment]


def share_fates(patch: pytest.MonkeyPatch) -> None:
    """Follow the same facts through the same lists once. That is half of the time to read the bundled sessions.

    Tests of `fates_of` call it directly.
    """
    patch.setattr(scoring, "fate", _judge_once)
    patch.setattr(lives, "fates_of", _follow_once)
    patch.setattr(fact_reading, "fates_of", _follow_once)


def share_digests(patch: pytest.MonkeyPatch) -> None:
    """Cache the digests of the bundled sessions, like those of the user's sessions; the demo does not."""
    open_folder = detect.open_folder
    patch.setattr(detect, "open_folder", lambda folder, keep=True: open_folder(folder))


def share_readings(patch: pytest.MonkeyPatch) -> None:
    """Read the facts of the same conversation once for all apps of this process."""
    patch.setattr(fact_reading, "read_facts", _read_once)


def _read_once(
    inspection: Inspection, cache: Cache | None = None, watch: OnProgress | None = None,
    pruned: Mapping[int, Sequence[int]] | None = None, placed_fates: PlacedFates = "every", all_facts: bool = False,
    by_rules: bool = False,
) -> FactsReading:  # fmt: skip
    # Only the app asks for all facts.
    if not all_facts or watch is None or by_rules:
        return _read_facts(inspection, cache, watch, pruned, placed_fates, all_facts, by_rules)
    basis = basis_of(inspection.store, inspection.conversation.id, "facts", options=placed_fates)
    lengths = [len(generation) for generation in inspection.conversation.generations]
    basis = basis.with_inputs(repr((pruned, lengths)).encode())
    watch("messages", 0, sum(lengths))
    if basis not in _READINGS:
        _READINGS[basis] = _read_facts(inspection, cache, watch, pruned, placed_fates, all_facts)
    return _READINGS[basis]


def _judge_once(
    fact: Fact, after: PassageIndex, compaction: int, numbers: frozenset[tuple[str, str]]
) -> Fate:
    return _judged(fact, _LISTS.setdefault(after.parts, after), compaction, numbers)


def _follow_once(
    asked: Following, lists_after: Mapping[int, PassageIndex], watch: Callable[[int], None] | None = None
) -> dict[str, list[Fate]]:
    lists = {number: lists_after[number] for number in sorted(lists_after)}
    key = (
        frozenset((name, fact, frozenset(asked.taken_by[name])) for name, fact in asked.facts.items()),
        frozenset(asked.fact_numbers),
        frozenset(asked.unreadable),
        asked.placed_fates,
        tuple((number, after.parts) for number, after in lists.items()),
    )
    if key not in _FATES:
        fates = _fates_of(asked, lists, watch)
        _FATES[key] = {name: tuple(found) for name, found in fates.items()}
    elif watch is not None:
        watch(0)
    return {name: list(found) for name, found in _FATES[key].items()}
