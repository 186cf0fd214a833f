"""Calling something after a while."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from textual.message_pump import MessagePump


def later(pump: MessagePump, seconds: float, callback: Callable[[], Any]) -> asyncio.TimerHandle:
    """Call a function after some seconds, among the messages of `pump`; the handle cancels it.

    Textual's `set_timer` drops a late beat, and a single beat that is late never comes.
    """
    return asyncio.get_running_loop().call_later(seconds, pump.call_next, callback)
