"""Starting the app: the index is read while Textual is still being imported."""

from __future__ import annotations

import gc
import io
import os
import sys
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path
from threading import Thread
from typing import Any

from inspector.config.bundled import fixtures_dir
from inspector.core.conversations import ConversationRow
from inspector.core.errors import DETAILS, FAULT, InspectorError
from inspector.stores.base import Store

#: Conversations, and whether these are all.
Ahead = tuple[tuple[ConversationRow, ...], bool]
#: Seconds for which a busy thread may hold the interpreter while another waits. With Python's 5 ms, keys feel slow
#: while messages are counted.
_SWITCH_SECONDS = 0.000_5
#: Maximum frames a second: changes wait for the next frame. Nothing is drawn where nothing
#: changed. Textual reads this when it is imported.
_FRAMES = "240"


#: Textual's variable that names the driver. A server sets it.
SERVED = "TEXTUAL_DRIVER"
#: Characters of a line of a fault's details.
_LONGEST_LINE = 300


class AppBroke(InspectorError):
    """A fault of the app itself ended it."""

    exit_code = FAULT


def launch(
    store: Store,
    name: str | None,
    flags: dict[str, Any],
    config: Path | None,
    theme: str | None,
    compaction: int | None,
) -> None:
    """Run the app until the user leaves it, opened at `compaction` of the conversation `name`. Raises AppBroke."""
    os.environ.setdefault("TEXTUAL_FPS", _FRAMES)
    index = read_ahead(store)
    # Imported modules stay; scanning them for garbage costs a tenth of the start.
    gc.disable()
    from rich.console import Console

    from inspector.app.app import InspectorApp
    from inspector.app.saved_state import SavedState
    from inspector.app.terminal import Leaving, drawing_driver, end_with_terminal

    saved = SavedState.load(store.path.resolve())
    if not saved.conversation and store.path == fixtures_dir():
        saved.conversation = shows_most(store.conversations())
    leaving = Leaving()
    served = None
    if SERVED in os.environ:
        from inspector.app.served import PlaceTeller

        served = PlaceTeller()
    app = InspectorApp(
        store, saved=saved, name=name, flags=flags, config=config, theme=theme, index=index,
        driver=drawing_driver(leaving) if served is None else served.driver, compaction=compaction, tell_place=served,
        outside=leaving.write,
    )  # fmt: skip
    app.theme = theme_on(app.console.color_system, app.theme, chosen=bool(theme or saved.theme))
    be_prompt()
    end_with_terminal()
    leaving.leave = lambda: app.call_next(app.action_quit)
    details = io.StringIO()
    if not os.environ.get(DETAILS):
        app.error_console = Console(file=details, markup=False, highlight=False, width=_LONGEST_LINE)
    try:
        app.run()
    finally:
        leaving.end()
    if app.return_code:
        reason = next((line for line in reversed(details.getvalue().splitlines()) if line.strip()), "")
        raise AppBroke(
            f"The app failed{f' ({reason.strip()})' if reason else ''}. This is a fault of the program; the sessions "
            f"were only read. Set {DETAILS}=1 and run it again to see where it failed."
        )


def theme_on(colours: str | None, theme: str, chosen: bool) -> str:
    """Return the theme of a terminal with these `colours` (of rich): with 16 colours the theme for 16 colours, unless
    the user has `chosen` another."""
    from inspector.app.themes import SIXTEEN

    return SIXTEEN.name if colours == "standard" and not chosen else theme


def shows_most(rows: Sequence[ConversationRow]) -> str:
    """Return the id of the first bundled conversation on screen, which has the most compactions; "" for none."""
    return max(rows, key=lambda row: (row.compactions or 0, row.messages)).id if rows else ""


def be_prompt() -> None:
    """Let Python answer keys first: switch threads often, and do not scan imported modules for garbage."""
    sys.setswitchinterval(_SWITCH_SECONDS)
    gc.freeze()
    # Frequent small collections: a usual one would take 75 ms with an open conversation.
    gc.set_threshold(5_000, 5, 100)
    gc.enable()


def read_ahead(store: Store) -> Future[Ahead]:
    """Start a thread that reads the conversations, without reading files if possible. The result says whether they are
    complete.
    """
    ahead: Future[Ahead] = Future()

    def read() -> None:
        try:
            listed = store.at_once()
            ahead.set_result(listed or (store.conversations(), True))
        except InspectorError as error:
            ahead.set_exception(error)

    Thread(target=read, name="index", daemon=True).start()
    return ahead
