"""Interrupts that Python loses are raised later."""

from __future__ import annotations

import os
import signal
import weakref
from collections.abc import Iterator

import pytest

from inspector.core.interrupts import handle_interrupts, raise_interrupt


@pytest.fixture(autouse=True)
def _handler() -> Iterator[None]:
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_interrupt_in_a_callback_is_raised_later() -> None:
    class Thing:
        pass

    handle_interrupts()
    thing = Thing()
    reference = weakref.ref(thing, lambda _: os.kill(os.getpid(), signal.SIGINT))
    del thing
    assert reference() is None
    with pytest.raises(KeyboardInterrupt):
        raise_interrupt()
    raise_interrupt()


def test_ignored_interrupts_stay_ignored() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    handle_interrupts()
    os.kill(os.getpid(), signal.SIGINT)
    raise_interrupt()
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
