"""Threads that need the same token index: one reads, the others wait."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Barrier, Event, Thread

import pytest

from inspector.answers.inspection import Inspection
from inspector.config.bundled import demo_databases
from inspector.core.conversations import Generation
from inspector.core.errors import InspectorError
from inspector.core.messages import Message
from inspector.engines.base import TokenIndex
from inspector.stores.detect import open_store


@pytest.fixture
def inspection() -> Iterator[Inspection]:
    database: Path = demo_databases()[0]
    store = open_store(database)
    yield Inspection.open(store, store.conversations()[0].id)
    store.close()


def test_a_list_is_read_once_for_simultaneous_threads(
    inspection: Inspection, monkeypatch: pytest.MonkeyPatch
) -> None:
    readings: list[Generation] = []
    begun, go_on = Event(), Event()
    iterate = inspection.store.iterate

    def slow(generation: Generation) -> Iterator[Message]:
        readings.append(generation)
        begun.set()
        assert go_on.wait(10)
        yield from iterate(generation)

    monkeypatch.setattr(inspection.store, "iterate", slow)
    live, profile = inspection.conversation.live, inspection.store.info.profile
    found: list[TokenIndex] = []
    ready = Barrier(4)

    def ask() -> None:
        ready.wait(10)
        found.append(inspection.token_index(live, profile))

    threads = [Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    ready.wait(10)
    assert begun.wait(10)
    go_on.set()
    for thread in threads:
        thread.join(10)
    assert len(readings) == 1
    assert len(found) == 3
    assert all(index is found[0] for index in found)


def test_a_cancelled_reading_does_not_block_other_threads(inspection: Inspection) -> None:
    class LeftEarly(InspectorError):
        """The reading was cancelled."""

    def leave(done: int) -> None:
        raise LeftEarly("left")

    live, profile = inspection.conversation.live, inspection.store.info.profile
    with pytest.raises(LeftEarly):
        inspection.token_index(live, profile, leave)
    assert len(inspection.token_index(live, profile)) == len(live)
