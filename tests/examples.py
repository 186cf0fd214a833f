"""How many examples property tests try: few in the test command, many where all tests run."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

# Examples are slow on a busy machine and fixtures are only read here: neither says anything about a test.
_COMMON = settings(
    deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)


def set_budget(everything: bool) -> None:
    """Choose for this process; modules of tests are imported afterwards."""
    settings.register_profile("default", _COMMON, max_examples=7)
    settings.register_profile("all", _COMMON, max_examples=200)
    settings.load_profile("all" if everything else "default")


def also(*values: object) -> list[object]:
    """For a parameter with several values of a kind: the first in every run, the others where all tests run."""
    return [values[0], *(pytest.param(value, marks=pytest.mark.slow) for value in values[1:])]


def fewer(by: int = 5) -> settings:
    """For a test whose examples take long each: a fifth of the others', or less."""
    return settings(max_examples=max(2, settings.default.max_examples // by))
