"""Context lengths."""

from __future__ import annotations

import subprocess
import sys

import pytest

from inspector.config.models import ASSUMED, FAMILIES, context_length


@pytest.mark.parametrize("provider", ["", "openrouter", "anthropic", "custom"])
def test_a_resellers_larger_window_does_not_count(provider: str) -> None:
    assert context_length("anthropic/claude-sonnet-4.5", provider)[0] == 200_000


@pytest.mark.parametrize(
    ("model", "tokens"),
    [
        ("claude-sonnet-4-5", 200_000),
        ("anthropic/claude-sonnet-4.5:beta", 200_000),
        ("anthropic/claude-opus-4.6", 1_000_000),
        ("us.anthropic.claude-sonnet-4-5-v1", 200_000),
        ("openai/gpt-5", 400_000),
        ("gpt-4o", 128_000),
        ("google/gemini-2.5-pro", 1_048_576),
        ("nousresearch/hermes-4-405b", 131_072),
        ("somebody/qwen-finetune", 131_072),
        ("anthropic/claude-fable-5", 1_000_000),
        ("qwen/qwen3.7-plus", 1_048_576),
        ("xiaomi/mimo-v2.5-pro", 1_048_576),
    ],
)
def test_known_models(model: str, tokens: int) -> None:
    found, source = context_length(model)
    assert found == tokens
    assert source.startswith(("genai-prices on ", "the "))


@pytest.mark.parametrize(
    ("model", "tokens"),
    [
        ("gpt-5.5", 272_000),
        ("gpt-5.3-codex", 272_000),
        ("gpt-5.3-codex-spark", 128_000),
        ("gpt-5.6-sol", 272_000),
    ],
)
def test_models_of_the_codex_backend_have_its_limits(model: str, tokens: int) -> None:
    assert context_length(model, "openai-codex") == (tokens, "the limit of ChatGPT's Codex backend")


@pytest.mark.parametrize(("provider", "tokens"), [("deepseek", 1_000_000), ("openrouter", 64_000)])
def test_names_of_deepseek_mean_its_newest_model(provider: str, tokens: int) -> None:
    assert context_length("deepseek-chat", provider)[0] == tokens
    assert context_length("deepseek-v3.2", provider)[0] == 128_000


def test_an_unknown_model_says_so() -> None:
    assert context_length("weird/thing") == (None, "the model weird/thing is unknown")
    assert context_length("")[0] is None
    assert context_length("  ")[0] is None
    assert 0 < ASSUMED < max(FAMILIES.values())


def test_importing_models_does_not_import_the_price_list() -> None:
    code = "import inspector.config.models, sys; print('genai_prices' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
