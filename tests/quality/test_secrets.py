"""Texts that look like a secret, and texts that do not."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.quality.secrets import entropy, secrets
from tests.counting import lines_run

_RANDOM = "q7Rt2mZx9KcV4bNs8LdW1fHj6PyG3aTe5UioB0vQ"

SECRETS = {
    "AKIA" + "QW3ER5TY7UIOPAS2": "an AWS access key",
    "ghp_" + _RANDOM[:36]: "a GitHub token",
    "github_pat_" + _RANDOM + _RANDOM[:20]: "a GitHub token",
    "glpat-" + _RANDOM[:20]: "a GitLab token",
    "xoxb-" + "2847561930-" + _RANDOM[:24]: "a Slack token",
    "sk-ant-api03-" + _RANDOM: "an Anthropic key",
    "sk-or-v1-" + "9f3a1c7e5b2d8046" * 4: "an OpenRouter key",
    "sk-proj-" + _RANDOM: "an OpenAI key",
    "sk_live_" + _RANDOM[:24]: "a Stripe key",
    "AIza" + _RANDOM[:35]: "a Google key",
    "hf_" + _RANDOM[:34]: "a Hugging Face token",
    "npm_" + _RANDOM[:36]: "an npm token",
    "SG." + _RANDOM[:22] + "." + _RANDOM + "abc": "a SendGrid key",
    "nvapi-" + _RANDOM + "_" + _RANDOM[:23]: "an NVIDIA key",
    "tvly-dev-" + _RANDOM: "a Tavily key",
    "sk-tvly-dev-" + _RANDOM: "a Tavily key",
    "https://harbour.example/wiki/berths?token=" + _RANDOM[:24]: "a password or key",
    "BSA" + _RANDOM[:28]: "a Brave key",
    "jina_" + _RANDOM + _RANDOM[:20]: "a Jina key",
    "lsv2_pt_" + "9f3a1c7e5b2d8046" * 2 + "_9f3a1c7e5b": "a LangSmith key",
    "sbp_" + "9f3a1c7e5b2d80461f2e" * 2: "a Supabase key",
    "fc-" + "9f3a1c7e5b2d8046" * 2: "a Firecrawl key",
    "re_" + _RANDOM[:8] + "_" + _RANDOM[8:32]: "a Resend key",
    "gsk_" + _RANDOM + _RANDOM[:12]: "a Groq key",
    "hf_" + "QwErTyUiOpAsDfGhJkLzXcVbNmqWeRtYuI": "a Hugging Face token",
    "harbour_sk_" + _RANDOM[:14] + "-" + _RANDOM[14:30] + "_": "a key",
    "harbour_live_" + _RANDOM[:32].lower(): "a key",
    "918273645:AA" + _RANDOM[:33]: "a Telegram bot token",
    "eyJ" + _RANDOM[:20] + ".eyJ" + _RANDOM + "." + _RANDOM: "a JSON web token",
    "-----BEGIN RSA PRIVATE KEY-----\n" + _RANDOM: "a private key",
    "postgres://orders:" + _RANDOM[:14] + "@db.internal/orders": "a password in an address",
    'DEPLOY_API_KEY="' + _RANDOM[:24] + '"': "a password or key",
    "the admin password is " + _RANDOM[:18]: "a password or key",
    "**Harbour API key:** `" + _RANDOM[:24] + "`": "a password or key",
    "TOKEN：" + _RANDOM[:24]: "a password or key",
}

HARMLESS = (
    "The token is [REDACTED] and the password: ***",
    "AKIAIOSFODNN7EXAMPLE is the key of the handbook",
    "api_key: your_api_key_goes_here_please",
    "token_count = 128000 and max_tokens: 4096",
    "postgres://user:password@localhost/db",
    "sk-" + "x" * 40,
    "ghp_" + "0" * 36,
    "secret: tests/fixtures/certificates/server.pem",
    "authentication-token-refresh-middleware-is-next",
    "password reset flow: services/accounts/password_reset.py",
    "commit 3f2a9c1e5b7d8046a1b2c3d4e5f60718293a4b5c",
    "sk-learn-is-a-library-for-machine-learning",
    "doc_token: Qm7xJ2vLp9TbZ4kWn6Rd1Hs8",
    "page_token=Qm7xJ2vLp9TbZ4kWn6Rd1Hs8",
    "SPREADSHEET_TOKEN='Qm7xJ2vLp9TbZ4kWn6Rd1Hs8'",
    "the document (token: `Qm7xJ2vLp9TbZ4kWn6Rd1Hs8`) and an empty spreadsheet (token: `Qm7xJ2vLp9TbZ4kWn6Rd1Hs8`)",
    "App Token: Qm7xJ2vLp9TbZ4kWn6Rd1Hs8 of https://harbour.example/base/Qm7xJ2vLp9TbZ4kWn6Rd1Hs8?view=1",
    "https://docs.google.com/spreadsheets/d/Qm7xJ2vLp9TbZ4kWn6Rd1Hs8/edit has the key, token: Qm7xJ2vLp9TbZ4kWn6Rd1Hs8",
    "const dayTokens = last7DaysOfBerths.reduce((sum, day) => sum + day)",
    "type Keys = { secretKey: Ed25519PrivateKey; token: Uint8ClampedArray }",
    "harbour_live_migration_of_berths_to_the_second_quay",
    "tests/harbour_sk_locale_2026_translations_of_all_berths.py",
    "re_pattern_thatmatchesallberthsofaharbour and key-value-stores-2026",
    "hf_hub_download, npm_config_registry and secret_manager_client_of_the_harbour",
    "toolu_01Qm7xJ2vLp9TbZ4kWn6Rd1Hs8 and call_Qm7xJ2vLp9TbZ4kWn6Rd1Hs8",
)


@pytest.mark.parametrize("text", SECRETS)
def test_known_formats_are_found_where_they_stand(text: str) -> None:
    inside = f"- The deployment uses {text} for now."
    (found,) = secrets(inside)
    assert found.kind == SECRETS[text]
    assert inside[found.start : found.end] in text
    assert inside[found.start : found.end] not in found.masked


@pytest.mark.parametrize("text", HARMLESS)
def test_harmless_texts_are_not(text: str) -> None:
    assert secrets(text) == ()


def test_several_come_in_order_and_each_once() -> None:
    text = "token=ghp_" + _RANDOM[:36] + " and sk-ant-api03-" + _RANDOM
    assert [found.kind for found in secrets(text)] == ["a GitHub token", "an Anthropic key"]


@given(st.text(max_size=400))
def test_any_text_will_do(text: str) -> None:
    for found in secrets(text):
        assert 0 <= found.start < found.end <= len(text)


@given(st.text(alphabet=string.ascii_letters + string.digits, min_size=36, max_size=36))
def test_only_random_ones_count(value: str) -> None:
    found = secrets(f"ghp_{value}")
    assert not found or entropy(f"ghp_{value}") >= 3.0


@pytest.mark.parametrize("part", ["a", "token ", "x://", "key=", "eyJa.eyJa."])
def test_a_hostile_summary_takes_no_time(part: str) -> None:
    # Patterns are compiled at the first text that may match.
    secrets(part * 2)
    # Lines of patterns do not count: a pattern that searches to the end from every character would never finish.
    assert lines_run(secrets, part * 200_000) == lines_run(secrets, part * 200)
