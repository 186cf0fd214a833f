"""The losses of the whole store: every compaction by its lost facts, the worst first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from inspector.answers.store_losses import ListedLoss, LostFact, worst_first
from inspector.app.conversations.reading import read_store_losses
from inspector.app.job_screen import JobScreen
from inspector.config.dismissals import Dismissals
from inspector.core.signs import FATE_SIGNS
from inspector.core.text import safe_title
from inspector.stores.base import Store
from widgets.bars.key_line import KeyLine
from widgets.bars.notes_bar import NotesBar
from widgets.bars.title_bar import TitleBar, TitlePart
from widgets.base import human
from widgets.lists.loss_list import LossEntry, LossList

if TYPE_CHECKING:
    from inspector.core.conversations import ConversationRow

_LONGEST = 300


class LossesScreen(JobScreen):
    """Losses by compaction. Enter opens the conversation there."""

    CSS_PATH = "losses.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "app.pop_screen", "Back", id="losses.back"),
    ]
    HELP: ClassVar[str] = (
        "Every compaction that lost something for good, the worst first: ‼ constraints, then preferences, decisions "
        "and values; ↓ counts what was only weakened. A fact counts once, at the compaction since which it is gone; "
        "what was said again, taken back or changed later is no loss. Enter opens the conversation at that compaction."
    )

    def __init__(self, store: Store, rows: Sequence[ConversationRow], apart: bool) -> None:
        """`rows` are the conversations to read; `apart` has another process work out what is not known."""
        super().__init__()
        self.store = store
        self._rows = tuple(rows)
        self._apart = apart
        self._losses: list[ListedLoss] = []
        self._resting = False
        self._dismissals = Dismissals.load()

    def compose(self) -> ComposeResult:
        """The list, the facts of its row, keys."""
        yield TitleBar(id="title")
        yield LossList(id="losses")
        yield Static("", id="none", markup=False)
        yield Static("", id="facts", markup=False)
        yield NotesBar(id="note")
        yield KeyLine()

    def on_mount(self) -> None:
        """Begin to read."""
        self.query_one(LossList).focus()
        self._show(done=False)
        self._read()

    def _read(self) -> None:
        values = (self.store, self._rows, self.app.flags, self.app.config, self._apart)
        self.jobs.run("losses", values, read_store_losses, self._read_all, some=self._came)

    def on_screen_suspend(self) -> None:
        """Pause reading for the conversation that was opened."""
        self._resting = "losses" in self.jobs.busy()
        self.jobs.cancel("losses")

    def on_screen_resume(self) -> None:
        """Go on reading; read again after a fact was dismissed or restored."""
        dismissals = Dismissals.load()
        changed, self._dismissals = dismissals.changed_since(self._dismissals), dismissals
        if self._resting or changed:
            self._resting = False
            self._losses = []
            self._read()

    def _came(self, found: Iterable[ListedLoss]) -> None:
        self._losses = worst_first([*self._losses, *found])
        self._show(done=False)

    def _read_all(self, unread: int) -> None:
        if unread:
            self.tell(
                f"{human.plural(unread, 'conversation')} could not be read; opening one says what is wrong."
            )
        self._show(done=True)

    def _show(self, *, done: bool) -> None:
        count = human.plural(len(self._losses), "compaction")
        parts = [TitlePart("Losses of the whole store", 5), TitlePart(count, 3)]
        roots = {row.root for row in self._rows}
        dismissed = sum(root in roots for root, _ in self._dismissals.facts)
        if dismissed:
            parts.append(TitlePart(f"{human.plural(dismissed, 'fact')} dismissed", 2))
        self.query_one(TitleBar).set_parts(parts)
        table, none = self.query_one(LossList), self.query_one("#none", Static)
        table.display, none.display = bool(self._losses), not self._losses
        none.update("No compaction lost anything that was found." if done else "reading …")
        table.set_entries(tuple(map(_entry, self._losses)))
        self._show_facts()

    @on(LossList.Selected)
    def _show_facts(self) -> None:
        at = self.query_one(LossList).cursor
        panel = self.query_one("#facts", Static)
        panel.display = bool(self._losses)
        if at < len(self._losses):
            loss = self._losses[at].loss
            unsure = [_uncertain(loss.uncertain)] if loss.uncertain else []
            panel.update(Text("\n").join([*map(_line, loss.facts), *unsure]))

    @on(LossList.Opened)
    def _opened(self, event: LossList.Opened) -> None:
        chosen = self._losses[event.row]
        self.app.open_conversation(chosen.row.id, compaction=chosen.loss.compaction)


def _entry(one: ListedLoss) -> LossEntry:
    lost = one.loss.lost
    return LossEntry(
        key=(one.row.id, one.loss.compaction),
        title=one.row.title or one.row.id,
        compaction=one.loss.compaction,
        at=one.loss.at,
        lost=sum(lost.values()),
        constraints=lost.get("constraint", 0),
        weakened=one.loss.weakened,
        worst=one.loss.facts[0].text if one.loss.facts else "",
    )


def _uncertain(count: int) -> Text:
    return Text(f"{FATE_SIGNS['uncertain']} {human.plural(count, 'fact')} more, uncertain", "dim")


def _line(fact: LostFact) -> Text:
    sign = FATE_SIGNS[fact.fate]
    return Text.assemble(
        (f"{sign} {fact.category:<11}{fact.fate:<12}", "bold"),
        f"{safe_title(fact.text, _LONGEST)}  ",
        (f"{fact.role}, #{fact.index} (row {fact.message})", "dim"),
    )
