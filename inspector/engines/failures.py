"""An engine may come from another package and raise anything: every error becomes a sentence that names the engine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from inspector.core.errors import EngineError, InspectorError
from inspector.engines.base import Engine


@contextmanager
def failures_named(engine: Engine) -> Iterator[None]:
    """Turn exceptions within into an EngineError that names the engine; InspectorErrors stay as they are."""
    try:
        yield
    except InspectorError:
        raise
    except Exception as error:  # another package's code may raise anything
        raise EngineError(f"The engine {engine.name} failed: {type(error).__name__}: {error}.") from error
