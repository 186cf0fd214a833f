"""Plans of compactions for lists in files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from inspector.answers.resolving import observed_threshold
from inspector.config.settings import ConfigReading, read_config, resolve_settings
from inspector.core.errors import BadInput
from inspector.core.messages import Message, messages_from
from inspector.engines.base import Output, Plan, Settings
from inspector.engines.capabilities import assemble, fallback_raises
from inspector.engines.failures import measured, plan_with
from inspector.engines.registry import engine


class PlannedFile(Struct, frozen=True):
    """A file, the plan for its list, and the list after it; `fallback_raises` says where the release fails without a
    summary."""

    file: Path
    plan: Plan
    output: Sequence[Output]
    fallback_raises: str = ""


def plan_files(
    files: Sequence[Path], flags: Mapping[str, Any], config: Path | None, compactions: int
) -> list[PlannedFile]:
    """Plan a compaction of each file's list now, after `compactions` earlier ones.

    Raises BadInput naming the file, and EngineError.
    """
    settings = file_settings(flags, config)
    return [_planned(file, settings, compactions) for file in files]


def file_settings(flags: Mapping[str, Any], config: Path | None) -> Settings:
    """Return the settings for lists in files. Raises UsageProblem for one out of its range, BadInput, EngineError."""
    reading = read_config(config) if config is not None else ConfigReading()
    plain = resolve_settings(flags, reading, {}).settings
    observed = observed_threshold(plain.profile, plain.context_length)
    settings = resolve_settings(flags, reading, observed).settings
    settings.check()
    return settings


def _planned(file: Path, settings: Settings, compactions: int) -> PlannedFile:
    messages = read_messages(file)
    rules = engine(settings.profile)
    plan = plan_with(rules, measured(rules, messages), settings, compactions, 0)
    output = assemble(rules, messages, plan, "")
    return PlannedFile(file, plan, output, fallback_raises(rules, messages, plan))


def read_messages(file: Path) -> tuple[Message, ...]:
    """Return the messages of a JSON file: a list of OpenAI-style messages, or a mapping with it as "messages"."""
    try:
        document = json.loads(file.read_text(encoding="utf-8", errors="surrogatepass"))
    except FileNotFoundError:
        raise BadInput(f"There is no file {file}.") from None
    except IsADirectoryError:
        raise BadInput(f"{file} is a directory; name a JSON file of messages.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{file} cannot be read ({error}).") from error
    except json.JSONDecodeError as error:
        raise BadInput(f"{file} is not valid JSON (line {error.lineno}): {error.msg}.") from error
    except RecursionError:
        raise BadInput(f"{file} is nested too deeply to be a list of messages.") from None
    if isinstance(document, dict):
        document = document.get("messages")
    if not isinstance(document, list) or not all(isinstance(entry, dict) for entry in document):
        raise BadInput(f"{file} holds no list of messages; a JSON list of OpenAI-style messages is needed.")
    return messages_from(document)
