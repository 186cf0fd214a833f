"""Which engines there are: the releases of Hermes, the truncation baseline, and those other packages bring."""

from __future__ import annotations

from inspector.core.errors import UsageProblem
from inspector.engines.base import Engine
from inspector.engines.hermes.engine import HermesEngine
from inspector.engines.hermes.releases import RELEASES

_BUILT_IN: dict[str, Engine] = {name: HermesEngine(policies) for name, policies in RELEASES.items()}


def engine(name: str) -> Engine:
    """The engine of that name. Raises UsageProblem, naming those there are, where there is none."""
    found = _BUILT_IN.get(name)
    if found is None:
        raise UsageProblem(f"There is no profile called {name}; there are {', '.join(names())}.")
    return found


def names() -> tuple[str, ...]:
    """The names that --profile takes."""
    return tuple(_BUILT_IN)
