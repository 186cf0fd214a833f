"""What is resolved for a conversation from its profile."""

from __future__ import annotations

import pytest

from inspector.answers.resolving import caching_release


@pytest.mark.parametrize(
    ("profile", "rules"),
    [
        ("documented", "hermes-0.13"),
        ("hermes-0.17", "hermes-0.13"),
        ("hermes-0.18.0", "hermes-0.13"),
        ("hermes-0.18.1", "hermes-0.19"),
        ("hermes-0.18", "hermes-0.19"),
        ("hermes-0.20", "hermes-0.19"),
        ("hermes-current", "hermes-0.19"),
        ("claude-code", "hermes-0.13"),
    ],
)
def test_breakpoints_skip_what_cannot_carry_one_from_0_18_1_on(profile: str, rules: str) -> None:
    assert caching_release(profile) == rules
