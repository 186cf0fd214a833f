"""Measure work with numbers that are the same on every machine: executed lines, calls, and reads of a store."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import pytest

from inspector.core.conversations import Generation
from inspector.core.messages import Message
from inspector.stores.base import Store


def lines_run(work: Callable[..., object], *arguments: object) -> int:
    """Count the executed lines of Python in a call; a line in a loop counts once per pass."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work(*arguments)
    finally:
        sys.settrace(before)
    return count


def calls_of(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> list[tuple[Any, ...]]:
    """Record the arguments of each later call of a function or method, and still call it."""
    made: list[tuple[Any, ...]] = []
    original = getattr(owner, name)

    def counted(*arguments: Any, **named: Any) -> Any:
        made.append(arguments)
        return original(*arguments, **named)

    monkeypatch.setattr(owner, name, counted)
    return made


class Readings:
    """Counts later reads of a store: whole lists, and messages that are read otherwise."""

    def __init__(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        self.lists = 0
        self.messages = 0
        iterate, messages = store.iterate, store.messages

        def iterating(generation: Generation) -> Iterator[Message]:
            self.lists += 1
            return iterate(generation)

        def reading(generation: Generation, start: int = 0, stop: int | None = None) -> tuple[Message, ...]:
            result = messages(generation, start, stop)
            self.messages += len(result)
            return result

        monkeypatch.setattr(store, "iterate", iterating)
        monkeypatch.setattr(store, "messages", reading)
