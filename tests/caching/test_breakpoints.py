"""Prompt-cache breakpoints sit where the releases put them (vectors recorded by record_vectors.py)."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from inspector.caching.breakpoints import MAX_BREAKPOINTS, Breakpoint, breakpoints, measured_breakpoints
from inspector.caching.policy import cache_policy, hostname
from inspector.core.messages import Message, messages_from
from inspector.engines.registry import marks_of
from tests.caching.record_vectors import message

# A variable can name the folder of a larger recording (for example 2,500 lists).
_FOLDER = Path(os.environ.get("COMPACTION_INSPECTOR_MARKERS", Path(__file__).parent))
RELEASES = ("0.13", "0.19")


def recorded(release: str) -> dict[str, Any]:
    document = json.loads((_FOLDER / f"markers-hermes-{release}.json").read_text(encoding="utf-8"))
    assert document["release"] == f"hermes-{release}"
    return dict(document)


def texts(found: tuple[Breakpoint, ...]) -> list[str]:
    return [f"{point.message} {point.part}" for point in found if point.placed]


@pytest.mark.parametrize("layout", ["native", "envelope"])
@pytest.mark.parametrize("release", RELEASES)
def test_markers_are_where_the_release_puts_them(release: Any, layout: Any) -> None:
    vectors = recorded(release)["vectors"]
    assert len(vectors) >= 300
    for vector in vectors:
        messages = messages_from(map(message, vector["list"].split()))
        found = breakpoints(messages, "", layout, "5m", release)
        assert texts(found) == vector[layout], vector["list"]
        assert [point.number for point in found] == list(range(1, len(found) + 1))


@pytest.mark.parametrize("release", RELEASES)
def test_honored_on_the_native_layout_is_what_reaches_the_provider(release: Any) -> None:
    for code, reaches in recorded(release)["reaching"].items():
        (point,) = breakpoints(messages_from([message(code)]), "", "native", "5m", release)
        assert point.honored == reaches, code


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("layout", ["native", "envelope"])
def test_a_prompt_before_the_list_counts_like_one_in_it(release: Any, layout: Any) -> None:
    for vector in recorded(release)["vectors"]:
        codes = vector["list"].split()
        if not codes or codes[0] != "st":
            continue
        apart = breakpoints(messages_from(map(message, codes[1:])), "the prompt", layout, "5m", release)
        inside = breakpoints(messages_from(map(message, codes)), "", layout, "5m", release)
        assert apart[0].message is None
        assert apart[0].honored
        assert [(p.message, p.part, p.honored) for p in apart[1:]] == [
            (p.message - 1, p.part, p.honored) for p in inside[1:] if p.message is not None
        ]


def test_the_old_release_wastes_breakpoints_on_the_envelope_layout() -> None:
    messages = messages_from(map(message, ["ut", "anc", "tt", "anc", "tt"]))
    old = breakpoints(messages, "prompt", "envelope", "5m", "0.13")
    new = breakpoints(messages, "prompt", "envelope", "5m", "0.19")
    assert [(p.number, p.message, p.honored) for p in old] == [
        (1, None, True), (2, 2, False), (3, 3, False), (4, 4, False),
    ]  # fmt: skip
    assert [(p.number, p.message, p.honored) for p in new] == [
        (1, None, True),
        (2, 0, True),
        (3, 2, True),
        (4, 4, True),
    ]
    assert all(p.why.endswith(".") for p in (*old, *new))


class Tail:
    """A long list that records which bodies are read."""

    def __init__(self, length: int) -> None:
        self.length = length
        self.read: set[int] = set()

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> Message:
        self.read.add(index)
        return Message(message("ut"))


def test_only_the_ends_of_the_list_are_read() -> None:
    tail = Tail(1_000_000)
    assert len(breakpoints(tail, "")) == 4
    assert tail.read <= {0, *range(999_995, 1_000_000)}
    assert breakpoints(Tail(0), "") == ()
    assert [p.message for p in breakpoints(Tail(2), "p")] == [None, 0, 1]


def test_every_breakpoint_has_the_time_to_live() -> None:
    assert {p.ttl for p in breakpoints(Tail(9), "p", ttl="1h")} == {"1h"}


@pytest.mark.parametrize(
    ("model", "provider", "base_url", "enabled", "layout"),
    [
        ("claude-sonnet-4-5", "anthropic", "", True, "native"),
        ("claude-sonnet-4-5", "", "https://api.anthropic.com", True, "native"),
        ("anthropic/claude-sonnet-4.5", "openrouter", "https://openrouter.ai/api/v1", True, "envelope"),
        ("anthropic/claude-sonnet-4.5", "custom", "https://openrouter.ai.example/v1", False, "envelope"),
        ("anthropic/claude-sonnet-4.5", "", "", True, "envelope"),
        ("claude-opus-4", "", "", True, "native"),
        ("openai/gpt-5", "openrouter", "https://openrouter.ai/api/v1", False, "envelope"),
        ("moonshotai/kimi-k2.5", "openrouter", "https://openrouter.ai/api/v1", True, "envelope"),
        ("qwen3.6-plus", "nous", "https://inference-api.nousresearch.com/v1", True, "envelope"),
        ("qwen3.6-plus", "opencode-go", "https://opencode.ai/v1", True, "envelope"),
        ("claude-sonnet-4", "custom", "https://proxy.example/anthropic", True, "native"),
        ("MiniMax-M2.7", "minimax", "https://api.minimax.io/anthropic", True, "native"),
        ("gpt-4o", "openai", "https://api.openai.com/v1", False, "envelope"),
        ("claude-3", "custom", "http://[broken", False, "envelope"),
        ("", "", "", False, "envelope"),
    ],
)
def test_providers_and_models_with_markers(
    model: str, provider: str, base_url: str, enabled: bool, layout: str
) -> None:
    policy = cache_policy(model, provider, base_url)
    assert (policy.enabled, policy.layout) == (enabled, layout)
    assert policy.reason.endswith(".")


def test_the_old_release_did_not_mark_kimi() -> None:
    url = "https://openrouter.ai/api/v1"
    assert not cache_policy("moonshotai/kimi-k2.5", "openrouter", url, "0.13").enabled


def test_a_host_is_read_from_any_address() -> None:
    assert hostname("API.Anthropic.com/v1") == "api.anthropic.com"
    assert hostname("") == ""


@pytest.mark.parametrize(
    ("profile", "version", "roles", "expected"),
    [
        # The places in requests of released agents; u, a and t are messages of user, agent and tool.
        ("claude-code-2.1.20", "2.0.76", "u", [0]),
        ("claude-code-2.1.20", "2.0.76", "uat", [1, 2]),
        ("claude-code-2.1.216", "2.1.68", "uatat", [3, 4]),
        ("claude-code-2.1.216", "2.1.68", "uattu", [3, 4]),
        ("claude-code-2.1.216", "2.1.68", "uatt", [1, 3]),
        ("claude-code-2.1.216", "2.1.69", "uatat", [4]),
        ("claude-code", "2.1.331", "uau", [2]),
        ("opencode", "1.18.33", "uatat", [3, 4]),
        ("pi", "0.87.1", "uatat", [4]),
        ("openclaw", "2026.9.6", "uatat", [0, 4]),
        ("openclaw", "2026.9.6", "uatau", [4]),
        ("codex", "0.169.0", "uatat", []),
        ("gemini", "0.61.0", "ua", []),
    ],
)
def test_breakpoints_are_where_released_agents_put_them(
    profile: str, version: str, roles: str, expected: list[int]
) -> None:
    names = {"u": "user", "a": "assistant", "t": "tool"}
    marks = marks_of(profile, profile.removesuffix("-2.1.20").removesuffix("-2.1.216"), version)
    assert marks is not None
    messages = messages_from({"role": names[role], "content": "x"} for role in roles)
    found = measured_breakpoints(messages, marks.before, marks.last, marks.newest_user)
    assert [point.message for point in found if point.message is not None] == expected
    assert [point.number for point in found] == list(range(1, len(found) + 1))
    assert len(found) <= MAX_BREAKPOINTS


def test_the_version_of_another_agent_has_no_effect() -> None:
    assert marks_of("claude-code", "claude-code", "2.1.30") == marks_of("claude-code")
    assert marks_of("claude-code-2.1.216", "hermes", "0.19") == marks_of("claude-code-2.1.216")
    assert marks_of("kimi") is None
