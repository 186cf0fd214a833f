"""Return of free memory to the system."""

from __future__ import annotations

import sys

#: Option of glibc for the minimum size in bytes of a block that is mapped separately, and its initial value.
_M_MMAP_THRESHOLD, _LARGE = -3, 128 * 1024


def give_back() -> None:
    """Return free memory to the system now, and map large blocks separately from now on.

    A block that is mapped separately returns to the system as soon as it is freed. glibc starts with this rule, but
    raises the size limit each time a larger block is freed. Large short-lived blocks then share a heap with
    long-lived ones, and only the end of a heap is returned: a fifth of the memory for reading and counting a long
    conversation stays in use. Other C libraries have no such calls.
    """
    if sys.platform == "linux":
        import ctypes

        library = ctypes.CDLL(None)
        set_option, trim = getattr(library, "mallopt", None), getattr(library, "malloc_trim", None)
        if set_option is not None and trim is not None:
            set_option(_M_MMAP_THRESHOLD, _LARGE)
            trim(0)
