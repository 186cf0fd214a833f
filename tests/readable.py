"""Waiting for what a program tells, whatever the number of its descriptor (`select` takes none above 1,023)."""

from __future__ import annotations

import selectors


def readable(descriptor: int, seconds: float) -> bool:
    """Whether there is something to read, or its end, before these seconds are over."""
    with selectors.DefaultSelector() as selector:
        selector.register(descriptor, selectors.EVENT_READ)
        return bool(selector.select(seconds))
