"""The losses of all conversations: every compaction with its lost facts, the worst first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.style import Style
from rich.text import Text
from textual import on
from textual.binding import Binding, BindingType
from textual.strip import Strip

from inspector.answers.kept_results import judged_since
from inspector.answers.store_losses import (
    FOREIGN,
    LOSSES_UNKNOWN,
    CompactionLoss,
    ListedLoss,
    LostFact,
    sort_worst_first,
    uncertain_words,
    words_apart,
)
from inspector.app.conversations.reading import read_index, read_store_losses
from inspector.app.events import StoreChanged
from inspector.app.list_screen import ListScreen
from inspector.config.dismissals import Dismissals
from inspector.core.places import place_name
from inspector.core.signs import FATE_SIGNS
from inspector.core.text import distinct_titles, safe_line, safe_title
from inspector.quality.aftermath import aftermath_counts
from inspector.stores.base import Store
from widgets.bars.title_bar import TitleBar, TitlePart
from widgets.base import human
from widgets.base.signs import Sign
from widgets.base.strips import Row, fit, one_line
from widgets.lists.entry_list import EntryList
from widgets.lists.loss_counts import draw_loss_counts, loss_signs

if TYPE_CHECKING:
    from inspector.core.conversations import ConversationRow

_LONGEST = 300


_LOST, _COMPACTION, _AGAIN, _WHEN = 12, 5, 5, 11
#: Minimum widths for the columns “again” and “when”, and for “worst loss”.
_WITH_WHEN, _WITH_WORST = 90, 60


class LossList(EntryList[ListedLoss]):
    """One line for each compaction."""

    header_height = 1
    TOOLTIP = "Compactions, the worst first. Enter opens the conversation at that compaction."

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        #: Current time for ages; None is the clock. Tests and pictures set it.
        self.now: float | None = None

    def key(self, entry: ListedLoss) -> object:
        """Key of the compaction. Until the cursor moves, it stays on the worst one."""
        return (entry.row.id, entry.loss.compaction) if self.cursor else None

    def signs(self) -> Iterator[Sign]:
        """The signs of the counts."""
        return loss_signs(
            constraints=any("constraint" in entry.loss.lost for entry in self.entries),
            weakened=any(entry.loss.weakened for entry in self.entries),
            unknown=any(entry.unjudged for entry in self.entries),
            uncertain=any(entry.loss.uncertain for entry in self.entries),
        )

    def _title_width(self, width: int) -> int:
        taken = 1 + _LOST + 2 + _COMPACTION + 2 + (_AGAIN + 2 + _WHEN + 2 if width >= _WITH_WHEN else 0)
        room = max(8, width - taken)
        return room if width < _WITH_WORST else min(32, room // 3)

    def draw_header(self, y: int, width: int) -> Strip:
        """The headings."""
        row = Row().add(" ", Style())
        ink = self.ink("header")
        row.add(fit("lost", _LOST, right=True) + "  ", ink)
        row.add(fit("title", self._title_width(width)) + "  ", ink)
        row.add(fit("comp.", _COMPACTION, right=True) + "  ", ink)
        if width >= _WITH_WHEN:
            row.add(fit("again", _AGAIN, right=True) + "  ", ink)
            row.add(fit("when", _WHEN, right=True) + "  ", ink)
        if width >= _WITH_WORST:
            row.add("worst loss, or repeated work", ink)
        return row.strip(width, self.base_style + self.ink("header"))

    def draw_line(self, line: int, width: int) -> Strip:
        """A compaction."""
        row_of, entry = self.entries[line].row, self.entries[line].loss
        worst = _worst(entry)
        muted = self.ink("quiet")
        row = self.begin(line)
        draw_loss_counts(
            row, self.ink, _LOST,
            lost=entry.total, constraints=entry.lost.get("constraint", 0), weakened=entry.weakened,
            unknown=self.entries[line].unjudged, uncertain=entry.uncertain,
        )  # fmt: skip
        row.add("  ", Style())
        row.add(fit(one_line(row_of.title or row_of.id, 500), self._title_width(width)) + "  ", Style())
        row.add(fit(f"c{entry.compaction}", _COMPACTION, right=True) + "  ", muted)
        if width >= _WITH_WHEN:
            again = entry.again
            row.add(fit(f"{again:,}" if again else "", _AGAIN, right=True) + "  ", Style())
            when = "" if entry.at is None else human.ago(entry.at, self.now)
            row.add(fit(when, _WHEN, right=True) + "  ", muted)
        if width >= _WITH_WORST:
            row.add(fit(one_line(worst, 500), max(0, width - row.width)), muted)
        return self.end(row, line, width)


class LossesScreen(ListScreen[ListedLoss]):
    """Losses by compaction. Enter opens the conversation there."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "app.pop_screen", "Back", id="losses.back")]
    HELP_TITLE = "Losses of all conversations"
    HELP: ClassVar[str] = (
        "Each line is a compaction with lost or uncertain facts, a gap in its summary, an unreadable summary, or "
        "repeated work after it. The column “lost” counts lost facts. The column “again” counts what was done again, "
        "without files that the user names. A fact counts once, at the compaction that removed it. It is no loss if "
        "the live list has it again, or if the user repeats, withdraws or changes it later. Requests and plain "
        "statements count if the user repeated them or the agent never mentioned them."
    )

    def __init__(self, store: Store, rows: Sequence[ConversationRow]) -> None:
        """`rows` are the conversations to read."""
        super().__init__(LossList(id="losses"))
        self.store = store
        self._rows = tuple(rows)
        self._losses: list[ListedLoss] = []
        #: Losses of a read that is not on screen yet, None if what comes is shown at once.
        self._coming: list[ListedLoss] | None = None
        self._resting = False
        #: Whether the store changed during a read, or while another screen was open.
        self._changed_again = False
        #: The sentences about unknown losses that were shown last.
        self._notes_shown: list[str] = []
        self._dismissals = Dismissals.load()
        self._judged: Mapping[str, str] = {}

    def on_mount(self) -> None:
        """Begin to read."""
        self.list.focus()
        self._read()
        self._show()

    def _read(self) -> None:
        values = (self.store, self._rows, self.app.flags, self.app.config)
        self.jobs.run(
            "losses", values, read_store_losses, self._read_all, some=self._came, failed=self._unread
        )

    def on_screen_suspend(self) -> None:
        """Pause reading for the conversation that was opened."""
        self._resting = "losses" in self.jobs.busy()
        _, self._judged = judged_since(self._judged)
        self.jobs.cancel("losses")

    def on_screen_resume(self) -> None:
        """Go on reading; read again after a fact was dismissed, restored or judged."""
        dismissals = Dismissals.load()
        changed, self._dismissals = dismissals.changed_since(self._dismissals), dismissals
        changed |= judged_since(self._judged)[0]
        if self._resting or changed:
            self._resting = False
            self._losses, self._coming = [], None
            self._read()
        if self._changed_again:
            self._changed()

    @on(StoreChanged)
    def _changed(self) -> None:
        """Read the losses again, and keep the old ones on screen until then. A running read ends first."""
        busy = not {"index", "losses"}.isdisjoint(self.jobs.busy())
        self._changed_again = busy or self.app.screen is not self
        if not self._changed_again:
            self.jobs.cancel("index")
            self.jobs.run("index", (self.store,), read_index, self._indexed, failed=self._unread)

    def _indexed(self, rows: tuple[ConversationRow, ...]) -> None:
        self._rows, self._coming = rows, []
        self._read()

    def _came(self, losses: Iterable[ListedLoss]) -> None:
        if self._coming is not None:
            self._coming += losses
            return
        self._losses = sort_worst_first([*self._losses, *losses])
        self._show()

    def _read_all(self, read: tuple[int, list[str], list[str], str]) -> None:
        unread, open_losses, others, nothing = read
        if self._coming is not None:
            self._losses, self._coming = sort_worst_first(self._coming), None
        if unread:
            conversations = human.plural(unread, "conversation")
            open_losses = [
                f"{conversations} could not be read. Open one to see why.",
                *open_losses,
            ]
        self.show_failure("losses")
        before, self._notes_shown = self._notes_shown, [*open_losses, *others]
        self.replace_notes(before, self._notes_shown)
        self._show(nothing=nothing)
        if self._changed_again:
            self._changed()

    def _unread(self, sentence: str) -> None:
        # The rows may be the same at the next read.
        self.jobs.cancel("losses")
        self.show_failure("losses", sentence)
        self._show(nothing=LOSSES_UNKNOWN)
        if self._changed_again:
            self._changed()

    def _show(self, *, nothing: str = "reading …") -> None:
        count = f"{human.plural(len(self._losses), 'compaction')} listed"
        so_far = " so far …" if "losses" in self.jobs.busy() else ""
        parts = [TitlePart("Losses of all conversations", 5), TitlePart(f"{count}{so_far}", 3)]
        roots = {row.root for row in self._rows}
        dismissed = sum(root in roots for root, _ in self._dismissals.facts)
        if dismissed:
            parts.append(TitlePart(f"{human.plural(dismissed, 'fact')} dismissed", 2))
        self.query_one(TitleBar).parts = tuple(parts)
        self.show(self._losses, nothing)

    def explained(self, entry: ListedLoss) -> list[Text]:
        """Return lines about repeated work, gaps of the summary, the worst facts, and facts that no column counts."""
        loss = entry.loss
        again = [Text(f"after it: {aftermath_counts(loss.aftermath, loss.named)}")] if loss.aftermath else []
        more = (
            [Text(f"and {human.plural(loss.more, 'more fact')} lost or weakened", "dim")] if loss.more else []
        )
        unsure = uncertain_words(loss.uncertain, loss.uncertain_constraints)
        uncertain = [Text(f"{FATE_SIGNS['uncertain']} {unsure}", "dim")] if unsure else []
        apart = [Text(", ".join(words), "dim")] if (words := words_apart(*loss.apart)) else []
        unread = [Text("the summary cannot be read", "dim")] if loss.unreadable else []
        foreign = [Text(f"unknown in part: {FOREIGN}", "dim")] if entry.foreign else []
        names = distinct_titles({row.id: safe_line(row.title) for row in self._rows})
        name = names.get(entry.row.id, "")
        which = [Text(f"{entry.row.agent}: {name}", "dim")] if name != safe_line(entry.row.title) else []
        return [
            *which, *again, *map(Text, loss.gaps), *map(_line, loss.facts), *more, *uncertain, *apart, *unread,
            *foreign,
        ]  # fmt: skip

    @on(LossList.Opened)
    def _opened(self, event: LossList.Opened) -> None:
        chosen = self._losses[event.row]
        self.app.open_conversation(chosen.row.id, compaction=chosen.loss.compaction)


def _worst(loss: CompactionLoss) -> str:
    """Return the worst lost fact. Without one, return a gap of the summary, the repeated work, that the fates are
    unknown, the uncertain facts, or the losses that no column counts."""
    if loss.facts:
        return loss.facts[0].text
    unknown = "the summary cannot be read" if loss.unreadable else ""
    unsure = uncertain_words(loss.uncertain, loss.uncertain_constraints)
    apart = ", ".join(words_apart(*loss.apart))
    return (
        loss.gaps[0]
        if loss.gaps
        else aftermath_counts(loss.aftermath, loss.named) or unknown or unsure or apart
    )


def _line(fact: LostFact) -> Text:
    sign = FATE_SIGNS[fact.fate]
    return Text.assemble(
        (f"{sign} {fact.category:<11}{fact.fate:<13}", "bold"),
        f"{safe_title(fact.text, _LONGEST)}  ",
        (f"the summary says: {safe_title(fact.changed, _LONGEST)}  " if fact.changed else "", "yellow"),
        (
            f"the list still has the earlier: {safe_title(fact.stale, _LONGEST)}  " if fact.stale else "",
            "yellow",
        ),
        (f"said again later: {safe_title(fact.said_again, _LONGEST)}  " if fact.said_again else "", "yellow"),
        (f"{fact.role}, {place_name(fact.index, fact.generation)}", "dim"),
    )
