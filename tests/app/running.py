"""Run the app in tests: on a database, with a separate state directory, until it is idle."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from textual.app import App
from textual.pilot import Pilot
from textual.widget import Widget
from textual.worker import WorkerError

from inspector.app.app import InspectorApp
from inspector.app.conversation.derived import Derived
from inspector.app.conversation.resources import COMPACTIONS
from inspector.app.conversation.rows import GenerationRows
from inspector.app.conversation.screen import ConversationScreen
from inspector.app.conversation.state import Opened, Resource
from inspector.app.conversations import reading
from inspector.app.conversations import screen as list_screen
from inspector.app.conversations.reading import look_up_models
from inspector.app.conversations.screen import ConversationsScreen
from inspector.app.job_screen import JobScreen
from inspector.app.saved_state import SavedState
from inspector.core.conversations import Compaction, ConversationRow
from inspector.core.errors import InspectorError
from inspector.core.watching import Watch
from inspector.engines.base import Plan
from inspector.stores.base import Store
from inspector.stores.detect import open_store
from tests.idle import draw, lines_of
from tests.stores.writer import Writer, create, talk
from widgets.bars.notes_bar import NotesBar
from widgets.bars.title_bar import TitleBar
from widgets.lists.message_list import MessageList, MessageRow
from widgets.panes.message_pane import MessagePane
from widgets.panes.part import Part

#: A time after all times of the bundled databases, in seconds since the epoch.
NOW = 1_800_000_000.0
CHECKOUT = "Move checkout to orders-v2"

#: Notifications of each app.
_TOLD: WeakKeyDictionary[App[Any], list[str]] = WeakKeyDictionary()

T = TypeVar("T")
W = TypeVar("W", bound=Widget)
Test = Pilot[None]

# Due at once, so that waiting for the app includes its preparations.
list_screen.PREPARE_SECONDS = 0.0


def ask_here(
    ask: Callable[..., T], store: Store, questions: Iterable[tuple[ConversationRow, *tuple[Any, ...]]],
    flags: Mapping[str, Any], config: Path | None, watch: Watch, what: str = "", total: int = 0,
) -> Iterator[tuple[ConversationRow, T | None]]:  # fmt: skip
    """Answer as `ask_worker` does, but in this process, which is faster."""
    for row, *more in questions:
        watch.check()
        try:
            yield row, ask(store, row, flags, config, *more)
        except InspectorError:
            yield row, None


#: What the fixture `apart` brings back.
ASK_WORKER, LOOK_UP_MODELS = reading.ask_worker, look_up_models
reading.ask_worker = ask_here
list_screen.look_up_models = lambda rows: None


def made(path: Path, **kinds: Any) -> InspectorApp:
    """Make the app on a database, with the state directory of the test and further arguments."""
    return app_on(open_store(path), SavedState.load(path), **kinds)


def app_on(store: Store, saved: SavedState, **kinds: Any) -> InspectorApp:
    """Make the app on a store."""
    app = InspectorApp(store, saved=saved, **kinds)
    app.animation_level = "none"
    messages, notify = _TOLD.setdefault(app, []), app.notify

    def tell(message: str, **how: Any) -> None:
        messages.append(message)
        notify(message, **how)

    app.notify = tell  # type: ignore[method-assign]
    return app


@asynccontextmanager
async def running(
    path: Path, name: str | None = None, size: tuple[int, int] = (120, 40), **kinds: Any
) -> AsyncIterator[Test]:
    """Run the app; yield its pilot when the first work has ended."""
    app = made(path, name=name, **kinds)
    async with app.run_test(size=size, tooltips=True) as pilot:
        await settled(pilot, drawn=False)
        yield pilot


async def settled(pilot: Test, drawn: bool = True) -> None:
    """Wait until no thread works, no job waits and all messages are handled; draw the frame if `drawn`."""
    rested = False
    for _ in range(20_000):
        await pilot.pause()
        at_work = [w for w in pilot.app.workers if not w.is_finished and w.group != "watch"]
        for worker in at_work:
            with suppress(WorkerError):
                await worker.wait()
        screens = [screen for screen in pilot.app.screen_stack if isinstance(screen, JobScreen)]
        busy = at_work or any(screen.jobs.busy() for screen in screens)
        if busy and not at_work:
            # A job may wait until the user has been idle for about 30 ms.
            await asyncio.sleep(0.005)
        # Check twice that everything is at rest.
        if rested and not busy and not (drawn and draw(pilot.app)):
            return
        rested = not busy and not rested
    raise AssertionError("the app does not come to rest")


async def until(pilot: Test, true: Callable[[], bool]) -> None:
    """Wait until a condition is true; fail if the app came to rest many times without it."""
    for _ in range(1_000):
        if true():
            return
        await settled(pilot)
        await asyncio.sleep(0.01)
    raise AssertionError("the expected state did not appear")


async def press(pilot: Test, *keys: str) -> None:
    """Press keys, and wait after each for everything that it starts; draw a frame after the last."""
    for key in keys:
        await pilot.press(key)
        await settled(pilot, drawn=False)
    await settled(pilot)


async def write(pilot: Test, text: str) -> None:
    """Type a text."""
    await press(pilot, *("space" if letter == " " else letter for letter in text))


def conversation(pilot: Test) -> ConversationScreen:
    """Return the conversation screen, which must be on top."""
    assert isinstance(pilot.app.screen, ConversationScreen)
    return pilot.app.screen


def conversations(pilot: Test) -> ConversationsScreen:
    """Return the list of conversations, which must be on top."""
    assert isinstance(pilot.app.screen, ConversationsScreen)
    return pilot.app.screen


def view_of(pilot: Test, kind: type[W]) -> W:
    """Return the view of this kind, which its pane shows."""
    view = conversation(pilot).query_one(kind)
    assert view.display
    return view


def value_of(pilot: Test, kind: type[Part[T]]) -> T:
    """Return the value that a pane shows."""
    value = conversation(pilot).query_one(kind).view
    assert value is not None
    return value


def messages(pilot: Test) -> MessageList:
    """Return the message list of the screen."""
    return pilot.app.screen.query_one("#messages", MessageList)


def opened(pilot: Test) -> Opened:
    """Return the opened conversation."""
    found = conversation(pilot).loaded.opened
    assert found is not None
    return found


def latest(pilot: Test, resource: Resource[T]) -> T:
    """Return the last value of a resource."""
    found = conversation(pilot).loaded.latest(resource)
    assert found is not None
    return found


def recorded(pilot: Test, index: int) -> Compaction:
    """Return a recorded compaction."""
    return next(done for done in latest(pilot, COMPACTIONS) if done.index == index)


def derived(pilot: Test) -> Derived:
    """Return the values derived from the state on screen."""
    found = conversation(pilot).derived
    assert found is not None
    return found


def plan(pilot: Test) -> Plan:
    """Return the plan for the list on screen."""
    found = derived(pilot).plan
    assert found is not None
    return found


def rows(pilot: Test) -> GenerationRows:
    """Return the rows of the list on screen."""
    found = conversation(pilot).messages.rows
    assert found is not None
    return found


def cursor(pilot: Test) -> int:
    """Return the index of the message under the cursor; -1 for the system prompt."""
    return rows(pilot).index(messages(pilot).cursor)


def row(pilot: Test, index: int) -> MessageRow:
    """Return the row of a message."""
    listed = rows(pilot)
    return listed.row(listed.row_of(index))


def marked(pilot: Test) -> bool:
    """Whether words are marked in the text of the message pane."""
    return bool(conversation(pilot).query_one(MessagePane).body.check_action("match", ()))


def title(pilot: Test) -> str:
    """Return the title line."""
    return pilot.app.screen.query_one(TitleBar).text


def notes(pilot: Test) -> tuple[str, ...]:
    """Return the notes at the bottom."""
    return pilot.app.screen.query_one(NotesBar).sentences


def told(pilot: Test) -> list[str]:
    """Return the notifications, oldest first."""
    return _TOLD[pilot.app]


def screen_text(pilot: Test) -> str:
    """Return the text on screen, line by line."""
    return "\n".join(lines_of(pilot.app))


def written(path: Path, wires: Sequence[dict[str, Any]], **values: Any) -> Path:
    """Write a database with one conversation of these messages."""
    writer = Writer(create(path))
    writer.begin(**{"title": "Made", "system_prompt": "You are an agent.", **values})
    writer.say(wires)
    return writer.end()


def compacted(path: Path) -> Path:
    """Write a database with one conversation that was compacted twice in place."""
    writer = Writer(create(path, journal="wal"))
    writer.begin(title="Made", system_prompt="You are an agent.")
    writer.say(talk(12))
    writer.compact(3, 40, "## Goal\nFind it\n\n## In Progress\n- look at the log\n- ask Ann")
    writer.say(talk(10, 12))
    writer.compact(3, 30, "## Goal\nFind it\n\n## Done\n- look at the log\n\n## Next\n- tell Bob")
    writer.say(talk(3, 22))
    return writer.end()


def add(path: Path, text: str, session: str = "s0") -> None:
    """Add a message to a session, from another connection."""
    db = sqlite3.connect(path)
    with db:
        db.execute(
            "INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', ?, 2e9)",
            (session, text),
        )
    db.close()
