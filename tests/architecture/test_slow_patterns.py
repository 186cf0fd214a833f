"""No regular expression of the program takes more than a few steps per character on any text.

The tests count steps and measure no time. A pattern with quadratic steps takes minutes for a message of a megabyte.
So every repetition has a bound, is possessive, or cannot begin in the middle of its own matches.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

import inspector
import widgets
from inspector.core.patterns import LatePattern
from tests.conftest import ROOT
from tests.pattern_steps import Counter, TooManySteps, hostile_texts

_SHORT, _LONG = 75, 150
#: Maximum growth of the steps if the text doubles: 2 is linear, 4 is quadratic.
_MAX_GROWTH = 2.6
#: Steps per character that are always acceptable.
_FEW_STEPS = 20
_USE = re.compile(r"(?<![\w.])(\w+)\.([a-z]+)")
#: Patterns that only read short texts, each with its bound.
SHORT_TEXTS = {
    "inspector.quality.facts.values._VALUE": "runs of at most 400 characters without a space: longer ones are blanked",
    "inspector.quality.facts.values._WORD_BEFORE": "the 24 characters before a value",
    "inspector.quality.spoken_acts._IN_QUOTES": "a complaint of at most 200 characters",
    "inspector.agents._VARIABLE": "the places of agents, which a package declares",
    "inspector.summaries.exact._FORMS[0][1]": "words, of which the first 1,000 characters are looked at",
}


@cache
def patterns() -> dict[str, re.Pattern[str]]:
    """Return every pattern in a module of the program by its path."""
    found: dict[str, re.Pattern[str]] = {}
    for package in (inspector, widgets):
        for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if info.name.endswith("__main__"):
                continue
            for name, value in sorted(vars(importlib.import_module(info.name)).items()):
                for path, pattern in _inside(f"{info.name}.{name}", value):
                    if pattern not in found.values():
                        found[path] = pattern
    return found


def _inside(path: str, value: Any, depth: int = 0) -> Iterator[tuple[str, re.Pattern[str]]]:
    if isinstance(value, LatePattern):
        value = value.compiled
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        yield path, value
    elif depth < 4 and isinstance(value, dict):
        yield from (
            found for key, one in value.items() for found in _inside(f"{path}[{key}]", one, depth + 1)
        )
    elif depth < 4 and isinstance(value, tuple | list | set | frozenset):
        yield from (
            found for at, one in enumerate(value) for found in _inside(f"{path}[{at}]", one, depth + 1)
        )


@cache
def uses() -> dict[str, set[str]]:
    """Return the called methods (match, sub, ...) of each name. A private name has its module as prefix."""
    called: dict[str, set[str]] = defaultdict(set)
    for folder in ("inspector", "widgets"):
        for path in (ROOT / folder).rglob("*.py"):
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            for name, method in set(_USE.findall(path.read_text(encoding="utf-8"))):
                called[f"{module}.{name}" if name.startswith("_") else name].add(method)
    return called


def is_slow(pattern: re.Pattern[str], once: bool = False) -> str:
    """Return a text on which the steps grow faster than the text; "" if there is none."""
    counter = Counter(pattern, 0)
    count = counter.match_once if once else counter.search_all
    for short, long in zip(hostile_texts(pattern, _SHORT), hostile_texts(pattern, _LONG), strict=True):
        if not short:
            continue
        counter.most = 20 * _FEW_STEPS * len(long)
        try:
            many = count(long)
            if (
                many > _FEW_STEPS * len(long)
                and many > _MAX_GROWTH * count(short) * len(long) / len(short) / 2
            ):
                return long
        except TooManySteps:
            return long
    return ""


@pytest.mark.slow
def test_a_pattern_takes_few_steps_per_character() -> None:
    slow = []
    for name, pattern in patterns().items():
        if name in SHORT_TEXTS:
            continue
        last = name.rpartition(".")[2]
        methods = uses()[name if last.startswith("_") else last]
        if text := is_slow(pattern, once=bool(methods) and methods <= {"match", "fullmatch"}):
            slow.append(f"{name}: {pattern.pattern!r} is slow on {text[:40]!r} and so on")
    assert not slow, "\n".join(slow)
    assert set(SHORT_TEXTS) <= set(patterns())


@pytest.mark.parametrize(
    ("slow", "quick"),
    [
        (r"\s+$", r"(?<!\s)\s++$"),
        (r"(?:a+)+b", r"(?<!a)(?:a++)++b"),
        (r"\w+@\w+", r"(?<!\w)\w++@\w+"),
        (r"<think>.*?</think>", r"<think>[^<]{0,20}</think>"),
        # A large bound, and a later way.
        (r"x|<think>.{0,20000}?</think>", r"x|<think>(?:(?!<think>).){0,20000}?</think>"),
    ],
)
def test_slow_and_fast_patterns_are_distinguished(slow: str, quick: str) -> None:
    assert is_slow(re.compile(slow))
    assert not is_slow(re.compile(quick))
