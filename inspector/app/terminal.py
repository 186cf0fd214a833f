"""Where the app draws: on the terminal of standard output, wherever standard error goes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.driver import Driver


def drawing_driver() -> type[Driver] | None:
    """Textual's own driver, but that it writes to standard output; None where Textual's own does so already.

    Textual writes to standard error: `2>file` would have the whole screen in the file.
    """
    if sys.platform == "win32":
        return None
    from textual.drivers.linux_driver import LinuxDriver

    class OutputDriver(LinuxDriver):
        def __init__(self, *words: Any, **kinds: Any) -> None:
            super().__init__(*words, **kinds)
            if sys.__stdout__ is not None:
                self._file = sys.__stdout__

    return OutputDriver
