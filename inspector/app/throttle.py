"""Threads that step aside while keys are pressed.

Only one thread of a Python program runs at a time, so one that counts makes every frame wait for it. Between two
pieces of their work threads ask here whether the user is busy, and if so they rest.
"""

from __future__ import annotations

import time

#: Time after a key during which the user counts as busy, in seconds.
QUIET = 0.12
#: The longest rest between two pieces of work: they go on slowly under a key that is held.
_LONGEST = 0.5
#: Minimum pause, in seconds: waking up takes the interpreter from the drawing thread.
_NAP = 0.01

_touched = 0.0


def touched() -> None:
    """The user did something just now."""
    global _touched
    _touched = time.monotonic()


def give_way() -> None:
    """Rest while the user is busy. For threads at work, every few ms of it; costs next to nothing otherwise."""
    end = time.monotonic() + _LONGEST
    while (now := time.monotonic()) < end and now - _touched < QUIET:
        time.sleep(max(_touched + QUIET - now, _NAP))
