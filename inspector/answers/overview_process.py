"""The questions of the list of conversations, as a worker process of low priority answers them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from inspector.answers.answers import Answers
from inspector.answers.live_events import events_since
from inspector.answers.overview import read_live, read_overview
from inspector.core.errors import InspectorError
from inspector.core.memory import give_back
from inspector.stores.base import Store

#: By question: the live list, losses and findings, events since an earlier look.
WORK: dict[str, Callable[..., Sequence[Any]]] = {
    "live": read_live,
    "overview": read_overview,
    "events": events_since,
}


def answer(
    paths: tuple[Path, ...],
    flags: Mapping[str, Any],
    config: Path | None,
    question: str,
    conversation: str,
    *more: Any,
) -> Sequence[Any] | None:
    """Return the answer to a question of WORK; None if the conversation cannot be read."""
    try:
        store = _opened(paths)
        row = next(row for row in store.conversations() if row.id == conversation)
        return WORK[question](store, row, flags, config, *more)
    except (InspectorError, StopIteration):
        return None


@lru_cache(maxsize=1)
def _opened(paths: tuple[Path, ...]) -> Store:
    give_back()
    return Answers.of(paths, {}, None).store
