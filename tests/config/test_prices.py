"""Prices: the user's file before genai-prices, a date for each, and no price if none is known."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

from inspector.config import prices
from inspector.config.prices import prices_stamp, rates_of, time_of
from inspector.core.errors import BadInput

NOW = time_of(0.0)


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "prices.yaml"
    monkeypatch.setattr(prices, "own_file", lambda: path)
    return path


def test_prices_are_dollars_a_million_tokens(own: Path) -> None:
    found = rates_of("anthropic/claude-sonnet-4.5", time_of(0.0), "openrouter")
    assert found is not None
    assert (found.input, found.output, found.cache_read) == (3.0, 15.0, 0.3)
    assert found.source == "genai-prices on claude-sonnet-4-5"
    assert found.date
    assert rates_of("weird/thing", time_of(0.0)) is None
    assert rates_of("", time_of(0.0)) is None


def test_the_users_prices_have_priority_from_their_day_on(own: Path) -> None:
    own.write_text(
        "- {model: sonnet-4, input: 2, output: 8, cache_read: 0.1}\n"
        "- {model: sonnet-4, from: 2026-10-07, input: 1, output: 4, cache_read: 0.05}\n",
        encoding="utf-8",
    )
    early, late = (
        rates_of("claude-sonnet-4-5", time_of(1_700_000_000.0)),
        rates_of("claude-sonnet-4-5", time_of(1_795_000_000.0)),
    )
    assert early is not None
    assert late is not None
    assert (early.input, early.cache_write_5m, early.source, early.date) == (2.0, None, str(own), "")
    assert (late.input, late.date) == (1.0, "2026-10-07")
    other = rates_of("claude-opus-4-5", time_of(0.0))
    assert other is not None
    assert other.source.startswith("genai-prices")


@pytest.mark.parametrize("day", ["", "from: 2026-10-07, "])
def test_the_longest_part_of_a_models_name_decides(own: Path, day: str) -> None:
    own.write_text(
        f"- {{model: gpt-5, {day}input: 1}}\n- {{model: gpt-5-mini, input: 2}}\n- {{model: gpt, {day}input: 3}}\n",
        encoding="utf-8",
    )
    for model, dollars in {"gpt-5": 1.0, "openai/gpt-5-mini-2026": 2.0, "gpt-4.1": 3.0}.items():
        found = rates_of(model, time_of(1_795_000_000.0))
        assert found is not None
        assert found.input == dollars


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("model: x", "not a list"),
        ("- {input: 3}", "names no model"),
        ("- {model: m, input: .inf}", "input is not a price"),
        (f"- {{model: m, output: {'9' * 400}}}", "output is not a price"),
        ("- {model: claude, input: cheap}", "input is not a price"),
        ("- {model: claude, output: -1}", "output is not a price"),
        ("- {model: claude, from: today}", "not a date"),
        ("- [", "not valid YAML"),
        ("- {model: claude, from: 2026-13-45}", "cannot be read"),
        pytest.param("[" * 500, "cannot be read", id="nested"),
    ],
)
def test_an_unusable_file_is_an_error_with_its_reason(own: Path, text: str, words: str) -> None:
    own.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=words):
        rates_of("claude-opus-4-5", NOW)


def test_prices_by_size(own: Path) -> None:
    """A prompt above a price step pays the prices of that step for all tokens."""
    listed = rates_of("claude-sonnet-4-5", NOW, "anthropic")
    assert listed is not None
    assert (listed.at(200_000).input, listed.at(200_001).input) == (3.0, 6.0)
    assert (listed.at(200_001).output, listed.at(200_001).cache_read) == (22.5, 0.6)
    own.write_text(
        "- model: sonnet\n"
        "  input: 3\n"
        "  output: 15\n"
        "  steps:\n"
        "    - {above: 500000, output: 40}\n"
        "    - {above: 200000, input: 6}\n",
        encoding="utf-8",
    )
    ours = rates_of("claude-sonnet-4-5", NOW)
    assert ours is not None
    assert [(step.input, step.output) for step in map(ours.at, (1, 200_001, 500_001))] == [
        (3.0, 15.0),
        (6.0, 15.0),
        (6.0, 40.0),
    ]


@pytest.mark.parametrize("steps", ["[200000]", "[{input: 3}]", "[{above: -1}]", "5", "all"])
def test_steps_that_cannot_be_used_say_so(own: Path, steps: str) -> None:
    own.write_text(f"- {{model: claude, input: 3, steps: {steps}}}\n", encoding="utf-8")
    with pytest.raises(BadInput, match="steps is not a list"):
        rates_of("claude-opus-4-5", NOW)


@pytest.mark.parametrize(
    ("model", "dollars"),
    [
        ("anthropic.claude-opus-4-5-20251101-v1:0", 5.5), ("eu.anthropic.claude-opus-4-5-20251101-v1:0", 5.5),
        ("global.anthropic.claude-opus-4-5-20251101-v1:0", 5.0), ("jp.anthropic.claude-sonnet-4-5-20250929-v1:0", 3.3),
        ("us-gov.anthropic.claude-3-7-sonnet-20250219-v1:0", 3.0), ("bedrock/us.amazon.nova-pro-v1:0", 0.8),
        ("arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-opus-4-5-20251101-v1:0", 5.5),
        ("arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-opus-4-5-20251101-v1:0", 5.5),
        ("claude-opus-4-5@20251101", 5.0), ("vertex_ai/claude-opus-4-5@20251101", 5.0),
        ("projects/p/locations/us-east5/publishers/anthropic/models/claude-opus-4-5@20251101", 5.0),
        ("models/gemini-2.5-pro", 1.25), ("grok-4-fast", 0.2),
        # The same model has other prices with another service, and an alias names no model.
        ("claude-opus-4-6-fast", None), ("claude-opus-4.6 (fast mode)", None), ("gpt-5-batch", None),
        ("gpt-5-priority", None), ("z-ai/glm-4.6:free", None), ("deepseek/deepseek-chat-v3.1:free", None),
        ("arn:aws:bedrock:us-east-1:1:application-inference-profile/a1", None),
    ],
)  # fmt: skip
def test_spellings_of_a_model(model: str, dollars: float | None, own: Path) -> None:
    found = rates_of(model, time_of(1_795_000_000.0))
    assert (None if found is None else found.input) == dollars


@pytest.mark.parametrize(
    ("clock", "dollars"),
    [
        ("00:00", 0.66),
        ("00:59", 0.66),
        ("01:00", 1.32),
        ("03:59", 1.32),
        ("04:00", 0.66),
        ("06:00", 1.32),
        ("10:00", 0.66),
    ],
)
def test_a_price_is_that_of_the_hour(clock: str, dollars: float, own: Path) -> None:
    """Some providers charge more at some hours."""
    found = rates_of("deepseek-v4-pro", datetime.fromisoformat(f"2026-11-20T{clock}:30+00:00"), "deepseek")
    before = rates_of("deepseek-v4-pro", datetime.fromisoformat("2026-08-16T00:00:00+00:00"), "deepseek")
    assert found is not None
    assert before is not None
    assert (found.input, found.date, before.input) == (dollars, "2026-11-20", 0.435)


def test_prices_change_at_full_and_half_hours() -> None:
    """Requests of the same half hour are priced together."""
    from genai_prices import data_snapshot

    lists = [model.prices for maker in data_snapshot.get_snapshot().providers for model in maker.models]
    limits = [
        limit
        for conditions in lists
        if isinstance(conditions, list)
        for one in conditions
        for name in ("start_time", "end_time")
        if (limit := getattr(one.constraint, name, None)) is not None
    ]
    assert limits
    assert all((limit.minute % 30, limit.second) == (0, 0) for limit in limits)


def test_kept_answers_depend_on_the_prices(own: Path) -> None:
    """The key of a kept answer has all its inputs, also the prices."""
    before = prices_stamp()
    assert prices_stamp() == before
    own.write_text("- {model: claude, input: 3}\n", encoding="utf-8")
    assert prices_stamp() != before
    own.unlink()
    assert prices_stamp() == before


def test_prices_that_were_looked_up_are_kept_between_runs(tmp_path: Path) -> None:
    """The list of prices takes 22 MB, so it is not read again for a known model."""
    code = (
        "import sys; from inspector.config.models import context_length; from inspector.config.prices import *;"
        "print(context_length('claude-sonnet-4-5')[0], rates_of('claude-sonnet-4-5', time_of(0.0)).at(200_001).input,"
        "'genai_prices' in sys.modules)"
    )
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    prices = [
        subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    ]
    assert prices == ["200000 6.0 True\n", "200000 6.0 False\n"]
