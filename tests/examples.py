"""Number of examples of property tests: few in the test command, many with --slow."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

# Slow examples (a busy machine) and fixtures of function scope (only read) are no failures.
_COMMON = settings(
    deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)


def set_budget(everything: bool) -> None:
    """Set the number for this process, before test modules are imported."""
    settings.register_profile("default", _COMMON, max_examples=7)
    settings.register_profile("all", _COMMON, max_examples=200)
    settings.load_profile("all" if everything else "default")


def also(*values: object) -> list[object]:
    """Return values of a parameter: the first runs always, the others only with --slow."""
    return [values[0], *(pytest.param(value, marks=pytest.mark.slow) for value in values[1:])]


def fewer(by: int = 5) -> settings:
    """Return settings for a test with slow examples: a fifth of the number, or less."""
    return settings(max_examples=max(2, settings.default.max_examples // by))
