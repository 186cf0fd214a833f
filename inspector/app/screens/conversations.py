"""The list of conversations: filter, sort, full-text search, open."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Footer, Static
from textual.worker import get_current_worker

from inspector.app.screens.working import WorkingScreen
from inspector.app.work import Failed, FindingsCounted, Listed, Live, LiveFound, StoreChanged
from inspector.core.errors import InspectorError, StoreError
from inspector.core.text import safe_line
from widgets import human
from widgets.conversation_table import ConversationEntry, ConversationTable

if TYPE_CHECKING:
    from concurrent.futures import Future

    from textual.widgets import Input

    from inspector.app.app import InspectorApp
    from inspector.app.place import Place
    from inspector.core.conversations import ConversationRow
    from inspector.stores.base import Store

#: Waiting this long for an index that is being read is quicker than drawing an empty list first, in seconds.
_AHEAD_SECONDS = 0.1
#: Rows whose live list is counted in one go before what was found is shown.
_BATCH = 8
#: Findings are counted for so many conversations, the last active ones, and for none with more messages than that.
_JUDGED, _JUDGED_MESSAGES = 200, 20_000
#: The longest pause between two of them, in seconds.
_PAUSE = 0.2


class ConversationsScreen(WorkingScreen):
    """Every conversation of the store."""

    CSS_PATH = "conversations.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "filter", "Filter", id="list.filter", key_display="/"),
        Binding("ctrl+f", "search", "Search all messages", id="list.search"),
        Binding("f", "search", "Search all messages", show=False, id="list.search_key"),
        Binding("r", "reload", "Read again", show=False, id="list.reload"),
        Binding("escape", "clear_filter", "Clear the filter", show=False, id="list.clear"),
    ]
    HELP: ClassVar[str] = (
        "Every conversation of the database, the last active first. Tokens are those of the live list against the "
        "threshold at which it compacts, a rough estimate; a dot means that nobody has counted yet."
    )

    def __init__(
        self, store: Store, place: Place, index: Future[tuple[ConversationRow, ...]] | None = None
    ) -> None:
        super().__init__()
        self.store = store
        self.place = place
        self._index = index
        self._entries: dict[str, ConversationEntry] = {}
        self._rows: tuple[ConversationRow, ...] = ()
        self._judged: dict[str, int] = {}

    def compose(self) -> ComposeResult:
        """Title, table, keys. The line of the filter comes when it is wanted."""
        yield Static("", id="title", classes="bar", markup=False)
        yield ConversationTable(id="table")
        yield Static("", id="empty", markup=False)
        yield Static("", id="note", classes="note", markup=False)
        yield Footer(show_command_palette=True, compact=True)

    def on_mount(self) -> None:
        """Start reading."""
        self.query_one("#note").display = False
        self.query_one("#empty").display = False
        table = self.query_one(ConversationTable)
        if self.place.sort:
            table.set_sort(*self.place.sort)
        table.focus()
        rows = self._read_ahead()
        if rows is None:
            self._set_title("reading …")
            self.read_index()
        else:
            self._show(rows)

    def _read_ahead(self) -> tuple[ConversationRow, ...] | None:
        """What was read while the app was being imported, if there is such a thing and it is all but done."""
        if self._index is None:
            return None
        try:
            return self._index.result(_AHEAD_SECONDS)
        except (TimeoutError, InspectorError):
            return None  # read_index waits longer, and says what is wrong

    @work(thread=True, group="index", exclusive=True, exit_on_error=False, description="index")
    def read_index(self) -> None:
        """Read the index of conversations (no message)."""
        try:
            rows = self.store.conversations()
        except InspectorError as error:
            self.post_message(Failed(str(error), fatal=True))
            return
        if not get_current_worker().is_cancelled:
            self.post_message(Listed(rows))

    @on(Listed)
    def _listed(self, event: Listed) -> None:
        self._show(event.rows)

    def _show(self, rows: tuple[ConversationRow, ...]) -> None:
        known = self._entries
        self._rows = rows
        self._entries = {row.id: _entry(row, known.get(row.id)) for row in rows}
        table = self.query_one(ConversationTable)
        first = not known
        table.set_entries(tuple(self._entries.values()))
        if first and self.place.conversation:
            table.select(self.place.conversation)
        empty = self.query_one("#empty", Static)
        empty.display = table.display = not rows
        table.display = bool(rows)
        if not rows:
            empty.update(
                "There are no conversations in this database yet. They appear here when an agent writes them."
            )
        total = sum(row.messages for row in rows)
        self._set_title(f"{human.plural(len(rows), 'conversation')} · {human.plural(total, 'message')}")
        self._show_notes()
        if first or any(_stale(row, known.get(row.id)) for row in rows):
            self.read_live(rows)

    def _show_notes(self) -> None:
        notes = self.store.info.notes
        note = self.query_one("#note", Static)
        note.display = bool(notes)
        note.update("\n".join(safe_line(text) for text in notes))

    def _set_title(self, text: str) -> None:
        name = safe_line(self.store.info.path.name) if self.store.info.path.is_file() else "bundled databases"
        self.query_one("#title", Static).update(f"compaction-inspector   {name}   {text}")

    @work(thread=True, group="live", exclusive=True, exit_on_error=False, description="live")
    def read_live(self, rows: tuple[ConversationRow, ...]) -> None:
        """Count the live lists in the background, the last active first."""
        worker = get_current_worker()
        batch: list[Live] = []
        for live in _live(self.store, rows, self.app):
            if worker.is_cancelled:
                return
            batch.append(live)
            if len(batch) >= _BATCH:
                self.post_message(LiveFound(tuple(batch)))
                batch = []
        if batch:
            self.post_message(LiveFound(tuple(batch)))
        self.app.call_from_thread(self.judge_unknown)

    @on(LiveFound)
    def _live_found(self, event: LiveFound) -> None:
        table = self.query_one(ConversationTable)
        for live in event.found:
            entry = self._entries.get(live.conversation)
            if entry is None:
                continue
            changed = replace(
                entry,
                tokens=live.tokens,
                threshold=live.threshold,
                compactions=live.compactions,
            )
            self._entries[entry.id] = changed
            table.update_entry(changed)

    def on_screen_resume(self) -> None:
        """Go on counting findings where a conversation was opened meanwhile."""
        if self._judged:
            self.judge_unknown()

    def judge_unknown(self) -> None:
        """Count the findings of conversations that nobody has judged as they are now."""
        wanted = tuple(
            row
            for row in self._rows[:_JUDGED]
            if self._judged.get(row.id) != row.messages <= _JUDGED_MESSAGES
        )
        if wanted:
            self.judge(wanted)

    @work(thread=True, group="findings", exclusive=True, exit_on_error=False, description="findings")
    def judge(self, rows: tuple[ConversationRow, ...]) -> None:
        """Count findings in the background while the list is on screen."""
        from inspector.reports.findings import count_grave

        worker = get_current_worker()
        for row in rows:
            if worker.is_cancelled or self.app.screen is not self:
                return
            started = time.monotonic()
            try:
                count = count_grave(self.store, row, self.app.flags, self.app.config)
            except InspectorError:
                # One conversation that cannot be judged must not end the count; opening it says what is wrong.
                continue
            self.post_message(FindingsCounted(row.id, row.messages, count))
            # Half of the time is left to whatever the user does.
            time.sleep(min(_PAUSE, time.monotonic() - started))

    @on(FindingsCounted)
    def _findings_counted(self, event: FindingsCounted) -> None:
        self._judged[event.conversation] = event.messages
        entry = self._entries.get(event.conversation)
        if entry is not None:
            self._entries[entry.id] = replace(entry, findings=event.findings)
            self.query_one(ConversationTable).update_entry(self._entries[entry.id])

    @on(StoreChanged)
    def _changed(self) -> None:
        self.read_index()

    @on(Failed)
    def _failed(self, event: Failed) -> None:
        self.query_one("#title", Static).update("compaction-inspector")
        note = self.query_one("#note", Static)
        note.display = True
        note.update(event.sentence)

    @on(ConversationTable.Opened)
    def _opened(self, event: ConversationTable.Opened) -> None:
        self.place.conversation = event.conversation
        self.app.open_conversation(event.conversation)

    @on(ConversationTable.SortChanged)
    def _sorted(self, event: ConversationTable.SortChanged) -> None:
        self.place.sort = (event.column, event.reverse)

    async def action_filter(self) -> None:
        """Type to filter the list."""
        from textual.widgets import Input

        if not self.query("#filter"):
            box = Input(placeholder="filter by title, model or id", id="filter", compact=True)
            await self.mount(box, after="#title")
        self.query_one("#filter", Input).display = True
        self.query_one("#filter", Input).focus()

    # Found by their names, because their class is not imported before it is needed.

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show what the filter leaves."""
        self.query_one(ConversationTable).set_filter(event.value)

    def on_input_submitted(self) -> None:
        """Back to the list."""
        self.query_one(ConversationTable).focus()

    def action_clear_filter(self) -> None:
        """Show every conversation again."""
        from textual.widgets import Input

        for box in self.query("#filter").results(Input):
            box.value = ""
            box.display = False
        self.query_one(ConversationTable).focus()

    def action_reload(self) -> None:
        """Read the index again."""
        self.read_index()

    def action_search(self) -> None:
        """Search the text of every message."""
        from inspector.app.screens.search import SearchScreen

        self.app.push_screen(SearchScreen(self.store))


def _entry(row: ConversationRow, known: ConversationEntry | None) -> ConversationEntry:
    fresh = ConversationEntry(
        id=row.id,
        title=row.title or row.id,
        model=row.model,
        messages=row.messages,
        compactions=row.compactions,
        last_active=row.last_active,
        kind="" if row.kind == "conversation" else row.kind,
    )
    if known is None:
        return fresh
    return replace(
        fresh,
        tokens=known.tokens,
        threshold=known.threshold,
        compactions=fresh.compactions if fresh.compactions is not None else known.compactions,
        findings=known.findings,
    )


def _stale(row: ConversationRow, known: ConversationEntry | None) -> bool:
    return known is None or known.messages != row.messages


def _live(store: Store, rows: tuple[ConversationRow, ...], app: InspectorApp) -> Iterator[Live]:
    from inspector.reports.answers import live_of

    for row in rows:
        try:
            yield Live(row.id, *live_of(store, row, app.flags, app.config))
        except StoreError:
            # One unreadable conversation must not end the count; opening it says what is wrong.
            continue
