"""The list of conversations: filter, sort, full-text search, open."""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from inspector.app.conversations.reading import (
    get_ready,
    import_pane,
    look_up_models,
    read_changes,
    read_index,
    read_overviews,
)
from inspector.app.events import StoreChanged
from inspector.app.job_screen import JobScreen
from inspector.config.dismissals import Dismissals
from inspector.core.errors import InspectorError
from inspector.core.text import safe_line
from widgets.bars.key_line import KeyLine
from widgets.bars.notes_bar import NotesBar
from widgets.bars.title_bar import TitleBar, TitlePart
from widgets.base import human
from widgets.base.later import later
from widgets.lists.conversation_table import COLUMN_NAMES, ConversationEntry, ConversationTable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from concurrent.futures import Future

    from textual.widgets import Input

    from inspector.answers.live_events import ConversationState, LiveEvent
    from inspector.answers.live_sizes import Live
    from inspector.answers.overview import Overview
    from inspector.app.conversation.panes.base import Tab
    from inspector.app.saved_state import SavedState
    from inspector.core.conversations import ConversationRow
    from inspector.stores.base import Store

#: Seconds to wait for a running read of the index, because drawing an empty list first takes longer.
_AHEAD_SECONDS = 0.1
#: Names of the folder with the bundled stores, in a checkout and installed.
_BUNDLED = frozenset({"fixtures", "_fixtures"})
#: Delay between the list and the import of the next screen, in seconds.
PREPARE_SECONDS = 0.02
#: Delay before the other panes are imported, in seconds, so that an opening right after the start is fast.
_LATER_SECONDS = 0.5
#: Time between a change of a conversation and the look for events, in seconds.
_FOLLOW_SECONDS = 2.0
#: Maximum number of events of a conversation in one notification.
_EVENTS = 4


class ConversationsScreen(JobScreen):
    """Every conversation of the store."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "filter", "Filter", id="list.filter", key_display="/"),
        Binding("f", "search", "Search", id="list.search", tooltip="Search the text of all messages"),
        Binding(
            "l",
            "losses",
            "Losses",
            id="list.losses",
            tooltip="The losses of all conversations, the worst first",
        ),
        Binding("r", "reload", "Reload", show=False, id="list.reload"),
        Binding(
            "escape", "clear_filter", "Clear the filter, close notifications", show=False, id="list.clear"
        ),
    ]
    HELP: ClassVar[str] = (
        "All conversations of all stores, the last active first. Messages and tokens are counts of the live list. The "
        "bar shows the rough tokens as a share of the threshold. The column “lost” counts constraints, preferences, "
        "decisions and values that the live list no longer has. Links do not count. ↳ marks branches and sub-agents "
        "of the conversation above."
    )

    def __init__(
        self, store: Store, saved: SavedState, index: Future[tuple[tuple[ConversationRow, ...], bool]] | None = None,
    ) -> None:  # fmt: skip
        """Create the screen. `index` is a running read of the conversations, with whether it is complete."""
        super().__init__()
        self.store = store
        self.saved = saved
        self._index = index
        self._entries: dict[str, ConversationEntry] = {}
        #: Whether the store changed during a read of the index.
        self._changed_again = False
        #: Whether the whole list was shown. Before that it may arrive in parts.
        self._whole = False
        self._rows: tuple[ConversationRow, ...] = ()
        #: The first selected conversation.
        self._began_at: str | None = None
        #: Rows whose live list, losses and findings have been read.
        self._read: dict[str, ConversationRow] = {}
        #: Number of messages by conversation in the store; a change means another count.
        self._stored: dict[str, int] = {}
        #: Each conversation at the last look for events, by root session: its first row, then its state.
        self._looked_at: dict[str, ConversationRow | ConversationState] = {}
        self._following = False
        #: The notes of the store that were shown last.
        self._notes_shown: tuple[str, ...] = ()
        self._left_at = self.saved.conversation
        self._dismissals = Dismissals.load()
        #: Stamps of the stored judgements when another screen was opened; None before.
        self._judged: Mapping[str, str] | None = None
        #: Whether the modules of the next screen are imported. Background work starts after that.
        self._prepared = False

    def compose(self) -> ComposeResult:
        """Yield title, table, keys. The line of the filter is made on first use."""
        yield TitleBar(id="title")
        yield ConversationTable(id="table")
        yield Static("", id="empty", markup=False)
        yield NotesBar(id="note")
        yield KeyLine()

    def on_mount(self) -> None:
        """Start reading."""
        self.query_one("#empty").display = False
        self._show_title()
        table = self.query_one(ConversationTable)
        if self.saved.sort and self.saved.sort[0] in COLUMN_NAMES:
            table.set_sort(*self.saved.sort)
        table.focus()
        rows, whole = self._read_ahead() or ((), False)
        if whole:
            self._show(rows)
            return
        self.show_progress("index", "reading")
        if rows:
            self._show_some(rows)
        # Known rows are on screen first.
        self.call_after_refresh(self._read_index)

    def _read_ahead(self) -> tuple[tuple[ConversationRow, ...], bool] | None:
        """Conversations that were read during the import of the app, if that read is nearly done."""
        if self._index is None:
            return None
        try:
            return self._index.result(_AHEAD_SECONDS)
        except (TimeoutError, InspectorError):
            return None  # The job waits longer, and reports the problem.

    def _read_index(self) -> None:
        """Read the index of conversations (no message)."""
        self.jobs.cancel("index")
        self.jobs.run(
            "index", (self.store,), read_index, self._show, some=self._show_some, failed=self._unread
        )

    def _unread(self, sentence: str) -> None:
        self.show_progress("index", "")
        self.show_failure("index", sentence)
        if self._changed_again:
            self._changed()

    @work(group="prepare", exit_on_error=False, description="prepare")
    async def prepare(self) -> None:
        """Import the modules of a first opening, which take most of its time; then start background work, then import
        the panes.
        """
        looked_up = asyncio.create_task(asyncio.to_thread(look_up_models, self._rows))
        module = await asyncio.to_thread(import_module, "inspector.app.conversation.screen")
        first, *others = sorted(module.PANES, key=lambda tab: tab.name != self.saved.pane)
        await asyncio.to_thread(import_pane, first)
        await looked_up
        here = self.query_one(ConversationTable).current
        for row in self._rows:
            if row.id == here:
                await asyncio.to_thread(get_ready, self.store, row, self.app.flags, self.app.config)
        self._prepared = True
        self._read_overviews()
        later(self, _LATER_SECONDS, lambda: self.prepare_panes(others))

    @work(group="prepare", exit_on_error=False, description="prepare panes")
    async def prepare_panes(self, tabs: Sequence[Tab]) -> None:
        """Import the panes that were not used yet."""
        for tab in tabs:
            await asyncio.to_thread(import_pane, tab)

    def _show_some(self, rows: tuple[ConversationRow, ...]) -> None:
        """Show the list while files are read for the first time. Unread files show only their name and time."""
        if self._whole:
            return
        self._rows = rows
        self._entries = {row.id: _entry(row, None, False) for row in rows}
        self.query_one(ConversationTable).set_entries(tuple(self._entries.values()))
        self._begin_at(rows)
        self._show_title()

    def _begin_at(self, rows: Sequence[ConversationRow]) -> None:
        """Select the last place, unless the user has moved."""
        table = self.query_one(ConversationTable)
        if self._began_at in (None, table.current):
            table.select(self.saved.conversation or _most_to_show(rows))
            self._began_at = table.current

    def _show(self, rows: tuple[ConversationRow, ...]) -> None:
        first, self._whole = not self._whole, True
        before = {} if first else self._entries
        self._rows = rows
        stored, self._stored = self._stored, {row.id: row.messages for row in rows}
        same = {name: entry for name, entry in before.items() if stored[name] == self._stored.get(name)}
        self._entries = {row.id: _entry(row, before.get(row.id), row.id in same) for row in rows}
        table = self.query_one(ConversationTable)
        table.set_entries(tuple(self._entries.values()))
        if first:
            self._begin_at(rows)
            later(self, PREPARE_SECONDS, self.prepare)
        table.display = bool(rows)
        self._show_empty()
        self.show_progress("index", "")
        self._show_title()
        notes_before, self._notes_shown = self._notes_shown, tuple(self.store.notes)
        self.replace_notes(notes_before, self._notes_shown)
        self.show_failure("index")
        # Its imports would delay the frame with the list.
        self.call_after_refresh(self._read_overviews)
        self._follow(first)
        if self._changed_again:
            self._changed()

    def _follow(self, first: bool) -> None:
        """Look for events of conversations that changed since the list was first shown, one look at a time."""
        if first:
            self._looked_at = {row.root: row for row in self._rows}
        elif not self._following and self._changes():
            self._following = True
            later(self, _FOLLOW_SECONDS, self._look)

    def _changes(self) -> tuple[tuple[ConversationRow, ConversationRow | ConversationState | None], ...]:
        """Return the rows that changed, each with its state at the last look."""
        return tuple(
            (row, seen)
            for row in self._rows
            if (seen := self._looked_at.get(row.root)) is None or seen.stamp != row.stamp
        )

    def _look(self) -> None:
        values = (self.store, self._changes(), self.app.flags, self.app.config)
        self.jobs.run("events", values, read_changes, self._events_came, failed=self._no_events)

    def _no_events(self, sentence: str) -> None:
        self._following = False
        self.show_notes(sentence)

    def _events_came(self, looked: tuple[list[LiveEvent], dict[str, ConversationState]]) -> None:
        events, seen = looked
        self._following = False
        self._looked_at.update(seen)
        for root in dict.fromkeys(event.row.root for event in events):
            ours = [event for event in events if event.row.root == root and event.kind != "unreadable"]
            lines = [event.text for event in ours[:_EVENTS]]
            if len(ours) > _EVENTS:
                lines.append(f"and {human.plural(len(ours) - _EVENTS, 'more event')}")
            if lines:
                worth = [event.text for event in ours if event.kind in ("near", "lost")]
                title = safe_line(ours[0].row.title or ours[0].row.id)
                self.app.show_event(
                    title,
                    "\n".join(map(safe_line, lines)),
                    "warning" if worth else "information",
                    safe_line(worth[0]) if worth else "",
                )
        if seen:
            self._follow(False)

    def _show_empty(self) -> None:
        """Show why the list is empty."""
        table, empty = self.query_one(ConversationTable), self.query_one("#empty", Static)
        empty.display = not table.row_count
        if not self._rows:
            empty.update("There are no conversations here yet. They appear here when an agent writes them.")
        elif empty.display:
            where = f" of {table.agent}" if table.agent else ""
            empty.update(
                f"No conversation{where} matches “{table.filter}”. Press escape to clear the filter."
            )

    def _show_title(self) -> None:
        table = self.query_one(ConversationTable)
        parts = [TitlePart("compaction-inspector", 5), TitlePart(self._named(), 4)]
        if self._rows:
            total = sum(entry.messages or 0 for entry in self._entries.values())
            count = human.plural(len(self._rows), "conversation")
            weight = 3
            if table.filter or table.agent:
                # A narrow line keeps this: some conversations are not in the table.
                count, weight = f"{table.row_count:,} of {count}", 6
            parts += [
                TitlePart(table.agent, weight),
                TitlePart(count, weight),
                TitlePart(human.plural(total, "message"), 2),
            ]
        self.query_one(TitleBar).parts = tuple(parts)

    def _named(self) -> str:
        """The source in words: a file, a folder, or a number of stores."""
        from inspector.stores.several import single_stores

        path, stores = self.store.path, single_stores(self.store)
        if path.name in _BUNDLED:
            return "bundled databases"
        if any(path not in (store.path, *store.path.parents) for store in stores) or path == path.home():
            return human.plural(len(stores), "store")
        return safe_line(path.name)

    def _read_overviews(self) -> None:
        """Read live lists, then losses and findings, in the background. A running read ends first. Nothing starts
        while another screen is open.
        """
        wanted = tuple(row for row in self._rows if self._read.get(row.id) != row)
        if self._prepared and wanted and self.app.screen is self and "overviews" not in self.jobs.busy():
            values = (self.store, wanted, self.app.flags, self.app.config)
            self.jobs.cancel("overviews")
            self.jobs.run(
                "overviews", values, read_overviews, self._overviews_read, some=self._overviews_came
            )

    def _overviews_read(self, rows: tuple[ConversationRow, ...]) -> None:
        self._read.update((row.id, row) for row in rows)
        self.query_one(ConversationTable).sort_again()
        self._read_overviews()

    def _overviews_came(self, overviews: Sequence[Live | Overview]) -> None:
        changed = []
        for overview in overviews:
            entry = self._entries.get(overview.conversation)
            if entry is not None:
                values = overview._asdict()
                del values["conversation"]
                self._entries[entry.id] = entry._replace(**values)
                changed.append(self._entries[entry.id])
        self.query_one(ConversationTable).update_entries(changed)
        self._show_title()

    def on_screen_suspend(self) -> None:
        """Remember the conversation under the cursor, and pause reading for the conversation that was opened."""
        self._left_at = self.saved.conversation
        from inspector.answers.kept_results import judged_since

        _, self._judged = judged_since({})
        self.jobs.cancel("overviews")

    def on_screen_resume(self) -> None:
        """Go to the conversation that was opened by its name or from a search, and go on reading."""
        if self._left_at != self.saved.conversation and self.saved.conversation:
            self.query_one(ConversationTable).select(self.saved.conversation)
        dismissals = Dismissals.load()
        changed, self._dismissals = dismissals.changed_since(self._dismissals), dismissals
        if self._judged is not None:
            from inspector.answers.kept_results import judged_since

            changed |= judged_since(self._judged)[0]
        self._read = {name: row for name, row in self._read.items() if row.root not in changed}
        self._read_overviews()

    @on(StoreChanged)
    def _changed(self) -> None:
        """Read the index again. A running read ends first, so that a live writer cannot starve it."""
        self._changed_again = "index" in self.jobs.busy()
        if not self._changed_again:
            self._read_index()

    @on(ConversationTable.Opened)
    def _opened(self, event: ConversationTable.Opened) -> None:
        self.saved.conversation = event.conversation
        # The next screen is imported before all other work.
        self.jobs.cancel("overviews")
        self.app.open_conversation(event.conversation)

    @on(ConversationTable.SortChanged)
    def _sorted(self, event: ConversationTable.SortChanged) -> None:
        self.saved.sort = (event.column, event.reverse)

    @on(ConversationTable.AgentChanged)
    def _of_agent(self) -> None:
        self._show_empty()
        self._show_title()

    def shown(self) -> tuple[str, ...]:
        """Return the ids of the conversations that pass the filter."""
        table = self.query_one(ConversationTable)
        entries = [table.entry(row) for row in range(table.row_count)]
        return tuple(entry.id for entry in entries if entry is not None)

    async def action_filter(self) -> None:
        """Type to filter the list."""
        from widgets.base.prompt import FilterPrompt

        if not self.query("#filter"):
            box = FilterPrompt(
                placeholder="filter by title, model, agent, folder or id", id="filter", compact=True
            )
            await self.mount(box, after="#title")
        self.query_one("#filter", FilterPrompt).display = True
        self.query_one("#filter", FilterPrompt).focus()

    # Found by their names, because their class is not imported before it is needed.

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show what the filter leaves."""
        self.query_one(ConversationTable).set_filter(event.value)
        self._show_empty()
        self._show_title()

    def on_input_submitted(self) -> None:
        """Back to the list."""
        self.query_one(ConversationTable).focus()

    def on_prompt_left(self) -> None:
        """Show every conversation again."""
        self.action_clear_filter()

    def action_clear_filter(self) -> None:
        """Clear the filter; without one dismiss the notes."""
        from textual.widgets import Input

        shown = [box for box in self.query("#filter").results(Input) if box.display]
        for box in shown:
            box.value = ""
            box.display = False
        self.query_one(ConversationTable).focus()
        if not shown:
            self.query_one(NotesBar).dismiss()

    def action_reload(self) -> None:
        """Read everything again, also unchanged files."""
        self._read = {}
        self.jobs.cancel("overviews")
        self._read_index()

    def action_losses(self) -> None:
        """Show the losses of the whole store."""
        from inspector.app.losses.screen import LossesScreen

        self.app.push_screen(LossesScreen(self.store, self._rows))

    def action_search(self) -> None:
        """Search the text of every message."""
        from inspector.app.search.screen import SearchScreen

        self.app.push_screen(SearchScreen(self.store))


def _most_to_show(rows: Sequence[ConversationRow]) -> str:
    """Id of the first selection of a new user: the last active conversation with messages and without a parent."""
    return next((row.id for row in rows if row.messages and row.kind == "conversation"), "")


def _entry(row: ConversationRow, before: ConversationEntry | None, same: bool) -> ConversationEntry:
    """`same`: the conversation has the same length as when it was counted."""
    fresh = ConversationEntry(
        id=row.id,
        title=row.title or row.id,
        model=row.model,
        # A file that is not read yet has no count.
        messages=None if row.compactions is None and not row.messages else row.messages,
        compactions=row.compactions,
        last_active=row.last_active,
        kind="" if row.kind == "conversation" else row.kind,
        parent=row.parent or "",
        agent=row.agent,
        folder=row.folder,
    )
    if before is None:
        return fresh
    kept = ("tokens", "threshold", "doubtful", "findings", "constraints", "weakened", "unknown", "uncertain")
    same_too = ("messages", "lost") if same else ()
    compactions = fresh.compactions if fresh.compactions is not None else before.compactions
    known_values = {name: getattr(before, name) for name in (*kept, *same_too)}
    return fresh._replace(compactions=compactions, **known_values)
