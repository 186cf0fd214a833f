"""Wait for the output of a program, for any number of the file descriptor (`select` fails above 1,023)."""

from __future__ import annotations

import selectors


def readable(descriptor: int, seconds: float) -> bool:
    """Whether there is output to read, or its end, within these seconds."""
    with selectors.DefaultSelector() as selector:
        selector.register(descriptor, selectors.EVENT_READ)
        return bool(selector.select(seconds))
