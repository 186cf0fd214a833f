"""The observed rules of every agent, as its own package declares them."""

from __future__ import annotations

import re
from functools import lru_cache

from inspector.agents import declared
from inspector.engines.observed.rules import Observed


@lru_cache(maxsize=1)
def observed_rules() -> tuple[Observed, ...]:
    """Return the rules of every agent, in the order of the agents, the newest release of each first."""
    return tuple(declared("profile", "PROFILES"))


def observed_of(agent: str, version: str) -> Observed | None:
    """Return the rules of an agent's release, such as "2.1.7": the newest rules if the version is unknown, None if
    nothing was observed."""
    rules = [rule for rule in observed_rules() if rule.owner == agent]
    numbers = numbers_of(version)
    earlier = [one for one in rules if numbers and one.until is not None and numbers <= one.until]
    return min(earlier, key=lambda one: one.until or (), default=rules[0] if rules else None)


def numbers_of(version: str) -> tuple[int, ...]:
    """Return the numbers of a version such as "2.1.7"; empty if there are none."""
    return tuple(map(int, re.findall(r"\d+", version)[:3]))
