"""Memory that is free goes back to the system."""

from __future__ import annotations

import ctypes
import sys

#: glibc's name for the size, in bytes, from which a block is mapped by itself; what it starts with.
_M_MMAP_THRESHOLD, _LARGE = -3, 128 * 1024


def give_back() -> None:
    """Have large blocks mapped one by one for good: such a block goes back to the system as soon as it is free.

    glibc begins like that, but maps only larger ones each time that one is freed. Soon what is large and short-lived
    lies among what stays, in a heap a thread, and of a heap only the end goes back: a fifth of what reading and
    counting a long conversation takes. Other C libraries have no such call.
    """
    if sys.platform == "linux":
        set_option = getattr(ctypes.CDLL(None), "mallopt", None)
        if set_option is not None:
            set_option(_M_MMAP_THRESHOLD, _LARGE)
