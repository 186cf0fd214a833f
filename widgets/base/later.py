"""Calling something after a while."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from textual.message_pump import MessagePump


def later(pump: MessagePump, seconds: float, callback: Callable[[], Any]) -> asyncio.TimerHandle:
    """Call a function after so many seconds, among the messages of `pump`; the handle cancels it.

    Textual's `set_timer` leaves out a beat that is late as soon as it begins, and has no other: where the machine gives
    the process no time just then, it never calls.
    """
    return asyncio.get_running_loop().call_later(seconds, pump.call_next, callback)
