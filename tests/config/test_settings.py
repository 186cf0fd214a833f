"""Settings from flags, Hermes' config.yaml, the store and defaults."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.config.settings import ConfigReading, config_beside, read_config, resolve_settings
from inspector.core.errors import BadInput, UsageProblem
from inspector.engines.settings import RANGES, SETTING_NAMES, Settings

FULL = """
model:
  default: anthropic/claude-sonnet-4.5
  context_length: 128000
  max_tokens: 4096
  cache_ttl: 1h
compression:
  enabled: true
  threshold: 0.65
  target_ratio: 0.3
  protect_last_n: 12
  protect_first_n: 2
  summary_model: google/gemini-flash
auxiliary:
  compression:
    provider: openrouter
    context_length: 64000
"""


def reading(tmp_path: Path, text: str) -> ConfigReading:
    path = tmp_path / "config.yaml"
    path.write_text(text, encoding="utf-8")
    return read_config(path)


def test_every_key_is_read_with_its_source(tmp_path: Path) -> None:
    found = reading(tmp_path, FULL)
    assert found.values == {
        "threshold": 0.65,
        "target_ratio": 0.3,
        "protect_first_n": 2,
        "protect_last_n": 12,
        "context_length": 128_000,
        "max_tokens": 4_096,
        "summary_context": 64_000,
    }
    assert found.other == {
        "enabled": True,
        "summary_model": "google/gemini-flash",
        "summary_provider": "openrouter",
        "cache_ttl": "1h",
    }
    assert found.sources["threshold"] == "config.yaml: compression.threshold"
    assert found.sources["summary_model"] == "config.yaml: compression.summary_model"
    assert found.notes == ()


def test_newer_keys_beat_older_ones(tmp_path: Path) -> None:
    found = reading(
        tmp_path,
        "compression: {summary_model: old}\nauxiliary: {compression: {model: new}}\n"
        "prompt_caching: {cache_ttl: 1h}\nmodel: {cache_ttl: 5m}\ncontext_length: 99000\n",
    )
    assert found.other["summary_model"] == "new"
    assert found.other["cache_ttl"] == "1h"
    assert found.values == {"context_length": 99_000}


@pytest.mark.parametrize(
    ("line", "name", "value", "note"),
    [
        ("compression: {threshold: '0.7'}", "threshold", 0.7, ""),
        ("compression: {threshold: 85}", "threshold", 1.0, "such as 0.85"),
        ("compression: {threshold: -1}", "threshold", 0.01, "0.01 is used"),
        ("compression: {threshold: 0}", "threshold", 0.01, "outside 0.01 to 1; 0.01 is used"),
        ("compression: {threshold: true}", "threshold", 1.0, "reads as 1"),
        ("compression: {threshold: high}", "threshold", None, "Hermes does not start"),
        ("compression: {threshold: }", "threshold", None, "empty"),
        ("compression: {threshold: .nan}", "threshold", None, "not a number"),
        ("compression: {threshold: .inf}", "threshold", 1.0, "1 is used"),
        ("compression: {threshold: [0.5]}", "threshold", None, "not a number"),
        ("compression: {target_ratio: 30}", "target_ratio", 1.0, "such as 0.3"),
        ("compression: {protect_first_n: -3}", "protect_first_n", 0, "0 is used"),
        ("compression: {protect_last_n: 20.9}", "protect_last_n", 20, ""),
        ("compression: {protect_last_n: '20'}", "protect_last_n", 20, ""),
        ("compression: {protect_last_n: '20.5'}", "protect_last_n", None, "not a number"),
        ("compression: {protect_last_n: .inf}", "protect_last_n", None, "not a number"),
        ("compression: {protect_last_n: 0}", "protect_last_n", 1, "1 is used"),
        ("model: {context_length: 256K}", "context_length", None, "Hermes ignores it"),
        ("model: {context_length: 0}", "context_length", None, "outside"),
        ("model: {context_length: }", "context_length", None, ""),
        ("model: {max_tokens: true}", "max_tokens", None, "not a whole number"),
        ("model: {max_tokens: 0}", "max_tokens", None, "outside"),
        ("model: just/a-name", "context_length", None, ""),
        ("auxiliary: {compression: {context_length: -5}}", "summary_context", None, "outside"),
        ("auxiliary: {compression: {context_length: many}}", "summary_context", None, "whole number"),
        ("compression: off", "threshold", None, ""),
    ],
)
def test_values_are_read_as_the_release_reads_them(
    tmp_path: Path, line: str, name: str, value: float | None, note: str
) -> None:
    found = reading(tmp_path, line + "\n")
    assert found.values.get(name) == value
    assert bool(found.notes) == bool(note)
    assert note in " ".join(found.notes)
    assert (name in found.sources) == (value is not None)


@pytest.mark.parametrize(
    ("line", "name", "value", "note"),
    [
        ("compression: {enabled: 'no'}", "enabled", False, "never compacts"),
        ("compression: {enabled: 1}", "enabled", True, ""),
        ("prompt_caching: {cache_ttl: 2h}", "cache_ttl", None, "uses 5m"),
        ("auxiliary: {compression: {model: ''}}", "summary_model", None, ""),
    ],
)
def test_other_values(tmp_path: Path, line: str, name: str, value: Any, note: str) -> None:
    found = reading(tmp_path, line + "\n")
    assert found.other.get(name) == value
    assert note in " ".join(found.notes)
    assert bool(found.notes) == bool(note)


@pytest.mark.parametrize(
    "text", ["- a\n- b\n", "just text", "a: [", "a: {b: \x01}", "\ta: 1", "a: 2024-13-45\n"]
)
def test_a_file_without_a_mapping_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadInput, match=r"config\.yaml"):
        reading(tmp_path, text)


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"The configuration .* does not exist"):
        read_config(tmp_path / "config.yaml")
    with pytest.raises(BadInput, match="cannot be read"):
        read_config(tmp_path)
    (tmp_path / "config.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInput, match="cannot be read"):
        read_config(tmp_path / "config.yaml")
    (tmp_path / "config.yaml").write_text("[" * 600, encoding="utf-8")
    with pytest.raises(BadInput):
        read_config(tmp_path / "config.yaml")


def test_an_empty_file_sets_nothing(tmp_path: Path) -> None:
    assert reading(tmp_path, "# nothing\n").values == {}
    assert reading(tmp_path, "\ufeffcompression: {threshold: 0.6}\n").values == {"threshold": 0.6}


def test_the_file_next_to_a_database(tmp_path: Path) -> None:
    assert config_beside(tmp_path / "state.db") == ConfigReading()
    (tmp_path / "config.yaml").write_text("a: [", encoding="utf-8")
    broken = config_beside(tmp_path / "state.db")
    assert broken.values == {}
    assert "not valid YAML" in broken.notes[0]


def test_a_flag_has_priority_over_the_file_and_the_file_over_recorded_values(tmp_path: Path) -> None:
    config = reading(tmp_path, "compression: {threshold: 0.6, target_ratio: 0.4}\n")
    facts = {
        "threshold": (0.9, "the store"),
        "context_length": (128_000, "genai-prices"),
        "profile": ("hermes-0.13", "detected"),
    }
    resolved = resolve_settings({"target_ratio": 0.5, "protect_last_n": None}, config, facts)
    assert resolved.settings == Settings(0.6, 0.5, 3, 20, 128_000, profile="hermes-0.13")
    assert resolved.sources == dict.fromkeys(SETTING_NAMES, "default") | {
        "threshold": "config.yaml: compression.threshold",
        "target_ratio": "--target-ratio",
        "context_length": "genai-prices",
        "profile": "detected",
    }


def test_settings_of_newer_releases(tmp_path: Path) -> None:
    config = reading(
        tmp_path,
        "compression: {threshold_tokens: 120000, tail_mode: legacy, min_tail_user_messages: 2, in_place: false,\n"
        "  model_thresholds: {glm-5.2: 0.6, glm-5.2-1M: 0.3, other: high}}\n",
    )
    assert any("in_place is off" in note for note in config.notes)
    assert any("some values are not shares" in note for note in config.notes)
    for profile, share in (("hermes-0.20", 0.3), ("hermes-current", 0.3), ("hermes-0.19", 0.5)):
        facts = {"profile": (profile, "detected")}
        resolved = resolve_settings({}, config, facts, "z-ai/glm-5.2-1M")
        wanted = Settings(
            share, threshold_cap=120_000, tail_mode="legacy", min_tail_user_messages=2, profile=profile
        )
        assert resolved.settings == wanted
    assert resolve_settings({"threshold": 0.9}, config, facts, "glm-5.2").settings.threshold == 0.9
    assert reading(tmp_path, "compression: {threshold_tokens: null, tail_mode: wide}\n").values == {}


@pytest.mark.parametrize(
    ("profile", "model", "share"),
    [
        ("hermes-0.16", "gpt-5.5", 0.5), ("hermes-0.17", "gpt-5.5", 0.85),
        ("hermes-0.17", "openai/gpt-5.5-pro", 0.85), ("hermes-0.18.0", "gpt-5.4", 0.5),
        ("hermes-0.18", "gpt-5.4", 0.85), ("hermes-0.18.1", "gpt-5.4", 0.85),
        ("hermes-0.18", "gpt-5.3-codex-spark", 0.7), ("hermes-0.18", "gpt-5.6-sol", 0.5),
        ("hermes-0.19", "gpt-5.6-sol", 0.85), ("hermes-current", "gpt-5.5", 0.85),
        ("hermes-0.19", "gpt-5.3-codex", 0.5), ("hermes-0.19", "gpt-5.50", 0.5),
        ("documented", "gpt-5.5", 0.5), ("codex", "gpt-5.5", 0.5),
    ],
)  # fmt: skip
def test_releases_raise_the_threshold_on_the_codex_backend(
    profile: str, model: str, share: float, tmp_path: Path
) -> None:
    facts = {"profile": (profile, "detected")}

    def threshold(config: ConfigReading, provider: str = "openai-codex", **flags: float) -> float:
        return resolve_settings(flags, config, facts, model, "", provider).settings.threshold

    assert threshold(ConfigReading()) == share
    assert threshold(ConfigReading(), "openai") == 0.5
    assert threshold(ConfigReading(), threshold=0.6) == 0.6
    assert threshold(reading(tmp_path, "compression: {threshold: 0.9}\n")) == 0.9
    off = reading(tmp_path, "compression: {codex_gpt55_autoraise: false}\n")
    assert threshold(off) == (share if "spark" in model else 0.5)


def test_a_threshold_of_a_model_may_be_for_one_provider(tmp_path: Path) -> None:
    config = reading(
        tmp_path, "compression: {model_thresholds: {glm: 0.6, 'zai:glm': 0.3, 'other:glm-5': 0.4}}\n"
    )
    facts = {"profile": ("hermes-0.20", "detected")}
    for provider, share in (("zai", 0.3), ("other", 0.4), ("", 0.6)):
        assert resolve_settings({}, config, facts, "glm-5.2", "", provider).settings.threshold == share


def test_a_custom_provider_gives_its_models_a_window(tmp_path: Path) -> None:
    config = reading(
        tmp_path,
        "custom_providers:\n- name: mine\n  base_url: http://localhost:8080/v1/\n"
        "  models: {my-model: {context_length: 50000}, other: {context_length: x}}\n- not a mapping\n",
    )
    facts = {"context_length": (200_000, "assumed")}
    resolved = resolve_settings({}, config, facts, "my-model", "http://localhost:8080/v1")
    assert resolved.settings.context_length == 50_000
    assert resolved.sources["context_length"] == "config.yaml: the custom provider's my-model"
    assert (
        resolve_settings({}, config, facts, "other", "http://localhost:8080/v1").settings.context_length
        == 200_000
    )
    assert resolve_settings({}, config, facts, "my-model", "").settings.context_length == 200_000


@pytest.mark.parametrize("name", sorted(RANGES))
def test_a_flag_out_of_range_is_a_usage_problem(name: str) -> None:
    low, high = RANGES[name]
    with pytest.raises(UsageProblem, match=f"--{name.replace('_', '-')}"):
        resolve_settings({name: high + 1}, ConfigReading(), {})
    with pytest.raises(UsageProblem):
        resolve_settings({name: low - 1}, ConfigReading(), {})
    assert getattr(resolve_settings({name: high}, ConfigReading(), {}).settings, name) == high


yaml_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


@given(yaml_values, yaml_values, yaml_values, yaml_values)
def test_any_file_gives_settings_in_range(
    tmp_path_factory: pytest.TempPathFactory, a: Any, b: Any, c: Any, d: Any
) -> None:
    import yaml

    document = {
        "compression": {
            "threshold": a,
            "target_ratio": b,
            "protect_first_n": c,
            "protect_last_n": d,
            "enabled": a,
        },
        "model": {"context_length": b, "max_tokens": a},
        "prompt_caching": {"cache_ttl": c},
        "custom_providers": d,
        "auxiliary": {"compression": {"context_length": a, "model": b}},
    }
    path = tmp_path_factory.mktemp("config") / "config.yaml"
    path.write_text(yaml.safe_dump(document), encoding="utf-8")
    found = read_config(path)
    resolve_settings({}, found, {}).settings.check()
    assert all(note.endswith(".") and "\n" not in note for note in found.notes)


@pytest.mark.parametrize(
    ("lines", "notes"),
    [
        ("hygiene_hard_message_limit: 400", []),
        ("hygiene_hard_message_limit: many", ["is 'many', which is not a whole number"]),
        (
            "hygiene_timeout_seconds: 30",
            ["compression.hygiene_timeout_seconds limits the time of a compaction"],
        ),
        (
            "hygiene_timeout_seconds: 30\n  context_timeout_seconds: 120",
            ["compression.hygiene_timeout_seconds, compression.context_timeout_seconds limit the time"],
        ),
        ("hygiene_timeout_seconds:", []),
        (
            "idle_compact_after_seconds: 600\n  micro_compact: true\n  proactive_prune_tokens: 0",
            [
                "compression.idle_compact_after_seconds, compression.micro_compact shorten the list at other times"
            ],
        ),
        ("micro_compact: off\n  idle_compact_after_seconds: 0\n  proactive_prune_tokens:", []),
    ],
)
def test_keys_that_plans_do_not_model_are_named(lines: str, notes: list[str], tmp_path: Path) -> None:
    found = reading(tmp_path, f"compression:\n  {lines}\n").notes
    assert len(found) == len(notes)
    assert all(part in note for part, note in zip(notes, found, strict=True))
