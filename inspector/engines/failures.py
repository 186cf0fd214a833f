"""An engine may come from another package and raise anything: every error becomes a sentence that names the engine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from msgspec.structs import replace

from inspector.core.errors import EngineError, InspectorError
from inspector.core.messages import Message
from inspector.engines.base import Engine, Plan, Settings, TokenIndex


@contextmanager
def failures_named(engine: Engine) -> Iterator[None]:
    """Turn exceptions within into an EngineError that names the engine; InspectorErrors stay as they are."""
    try:
        yield
    except InspectorError:
        raise
    except Exception as error:  # another package's code may raise anything
        raise EngineError(f"The engine {engine.name} failed: {type(error).__name__}: {error}.") from error


def measured(engine: Engine, messages: Iterable[Message]) -> TokenIndex:
    """Return the engine's token index of a list. Raises EngineErrors and StoreErrors."""
    with failures_named(engine):
        return engine.measure(messages)


def plan_with(
    engine: Engine, token_index: TokenIndex, settings: Settings, compactions: int, system_tokens: int
) -> Plan:
    """Return the engine's plan, after `compactions` earlier ones. Raises EngineErrors."""
    with failures_named(engine):
        return engine.plan(token_index, replace(settings, profile=engine.name), compactions, system_tokens)
