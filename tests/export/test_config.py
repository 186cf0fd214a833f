"""Settings in the form of each agent's configuration."""

from __future__ import annotations

import json

import pytest

from inspector.engines.base import Settings
from inspector.engines.registry import with_changes
from inspector.export.config import settings_written


def settings(profile: str, context: int, threshold: float) -> tuple[Settings, Settings]:
    force = with_changes(Settings(context_length=context), profile=profile)
    return force.with_(threshold=threshold), force


def test_hermes_has_a_comment_on_each_changed_line() -> None:
    written = settings_written(
        Settings(profile="hermes-0.19", threshold=0.65), Settings(profile="hermes-0.19")
    )
    assert written.file == "config.yaml"
    assert "  threshold: 0.65  # was 0.5" in written.text.splitlines()
    assert "  target_ratio: 0.2" in written.text.splitlines()


@pytest.mark.parametrize(
    ("profile", "context", "threshold", "line"),
    [
        ("claude-code", 200_000, 0.6, "export CLAUDE_CODE_AUTO_COMPACT_WINDOW=153000"),
        ("codex", 258_400, 0.5, "model_auto_compact_token_limit = 129200"),
        ("pi", 200_000, 0.75, '"reserveTokens": 50000'),
        ("opencode", 200_000, 0.6, '"context": 152000'),
    ],
)
def test_each_agent_has_its_own_key(profile: str, context: int, threshold: float, line: str) -> None:
    chosen, force = settings(profile, context, threshold)
    written = settings_written(chosen, force)
    assert line in written.text
    assert "instead of" in written.text
    assert "compression:" not in written.text
    assert written.file


@pytest.mark.parametrize("profile", ["opencode", "pi"])
def test_json_configurations_are_valid_json(profile: str) -> None:
    written = settings_written(*settings(profile, 200_000, 0.5))
    assert json.loads(written.text.splitlines()[-1])
