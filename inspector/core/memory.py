"""Memory that is free goes back to the system."""

from __future__ import annotations

import sys

#: glibc's name for the size, in bytes, from which a block is mapped by itself; what it starts with.
_M_MMAP_THRESHOLD, _LARGE = -3, 128 * 1024


def give_back() -> None:
    """Give back what is free now, and have large blocks mapped one by one for good: such a block goes back to the
    system as soon as it is free.

    glibc begins like that, but maps only larger ones each time that one is freed. Soon what is large and short-lived
    lies among what stays, in a heap a thread, and of a heap only the end goes back unasked: a fifth of what reading and
    counting a long conversation takes. Other C libraries have no such calls.
    """
    if sys.platform == "linux":
        import ctypes

        library = ctypes.CDLL(None)
        set_option, trim = getattr(library, "mallopt", None), getattr(library, "malloc_trim", None)
        if set_option is not None and trim is not None:
            set_option(_M_MMAP_THRESHOLD, _LARGE)
            trim(0)
