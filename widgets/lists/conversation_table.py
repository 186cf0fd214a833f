"""The list of conversations: sortable columns, a filter, a row drawn only when it is seen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from rich.style import Style
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from inspector.core.text import distinct_titles
from widgets.base import human
from widgets.base.signs import Sign
from widgets.base.strips import Row, find_spans, fit, one_line, width_of
from widgets.lists.families import families, standing_under
from widgets.lists.line_list import LineList
from widgets.lists.loss_counts import draw_loss_counts, loss_signs


class ConversationEntry(NamedTuple):
    """A row. None means "unknown yet" and is shown as · .

    `tokens` and `threshold` belong to the live list; `last_active` is in seconds since the epoch. `kind` is
    "branch" or "sub-agent" for a child of the conversation `parent`. `agent` and `folder` (the project) are "" if
    unknown. `lost` counts facts that can no longer be read, `constraints` the constraints among them. `weakened`,
    `unknown` and `uncertain` facts are counted apart. `doubtful`: the threshold is uncertain.
    """

    id: str
    title: str
    model: str = ""
    messages: int | None = None
    tokens: int | None = None
    threshold: int | None = None
    compactions: int | None = None
    last_active: float = 0.0
    findings: int | None = None
    kind: str = ""
    lost: int | None = None
    constraints: int = 0
    weakened: int = 0
    unknown: int = 0
    uncertain: int = 0
    parent: str = ""
    agent: str = ""
    folder: str = ""
    doubtful: bool = False

    @property
    def pressure(self) -> float | None:
        """Tokens as a share of the threshold."""
        if self.tokens is None or not self.threshold:
            return None
        return self.tokens / self.threshold


class TableColumn(NamedTuple):
    """A column: heading, width in cells (0: the rest), minimum width of the widget."""

    name: str
    heading: str
    width: int
    from_width: int
    key: Callable[[ConversationEntry], Any]
    #: Numbers read best from the largest down, words from A up.
    descending: bool = True
    right: bool = True


COLUMNS: tuple[TableColumn, ...] = (
    TableColumn(
        "title", "title", 0, 0, lambda e: (e.title or e.id).casefold(), descending=False, right=False
    ),
    TableColumn("agent", "agent", 11, 92, lambda e: e.agent, descending=False, right=False),
    TableColumn(
        "folder", "project", 18, 150, lambda e: (_project(e), -e.last_active), descending=False, right=False
    ),
    TableColumn("model", "model", 22, 138, lambda e: e.model.casefold(), descending=False, right=False),
    TableColumn("messages", "messages", 9, 94, lambda e: -1 if e.messages is None else e.messages),
    TableColumn("tokens", "~tokens", 20, 72, lambda e: -1.0 if e.pressure is None else e.pressure),
    TableColumn("compactions", "comp.", 6, 44, lambda e: -1 if e.compactions is None else e.compactions),
    TableColumn("lost", "lost", 12, 0, lambda e: _gravity(e)),
    TableColumn("active", "active", 11, 79, lambda e: e.last_active),
    TableColumn("findings", "findings", 9, 54, lambda e: -1 if e.findings is None else e.findings),
)
#: From this width on tokens have a bar.
_ROOMY = 112
_BY_NAME = {column.name: column for column in COLUMNS}
#: Interval at which ages are drawn again, in seconds.
AGE_SECONDS = 5.0
#: What `set_sort` takes.
COLUMN_NAMES = frozenset(_BY_NAME)


class ConversationTable(LineList):
    """Up to 100,000 conversations. Posts Opened with the conversation's id, and SortChanged."""

    header_height = 1

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "sort_next", "Sort", id="table.sort", tooltip="Sort by the next column to the left"),
        Binding("S", "sort_reverse", "Reverse the order", id="table.reverse", show=False),
        Binding("a", "next_agent", "Show only the next agent", id="table.agent", show=False),
        Binding("p", "by_project", "Group by project folder", id="table.project", show=False),
    ]
    TOOLTIP = (
        "Conversations. Tokens: the live list as a share of its threshold, with ? if the threshold is uncertain. Lost: "
        "facts that can no longer be read; ‼ constraints among them, ↓ weakened facts, ? unknown and ± uncertain "
        "ones.\n"
        "Click a heading to sort, again to reverse; double-click a row to open it."
    )

    @dataclass
    class Opened(Message):
        """A conversation was opened (enter, double click)."""

        conversation: str

    @dataclass
    class SortChanged(Message):
        """The user sorted by another column, or the other way round."""

        column: str
        reverse: bool

    @dataclass
    class AgentChanged(Message):
        """The agent that the table shows, "" for all."""

        agent: str

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._entries: list[ConversationEntry] = []
        self._needles: list[str] = []
        self._order: list[int] = []
        #: Ids of the rows below their parent.
        self._under: frozenset[str] = frozenset()
        self._titles: dict[str, str] = {}
        #: Beginnings of ids that tell equal titles apart, by id.
        self._which: dict[str, str] = {}
        #: The text that the shown conversations contain, and the agent whose conversations alone are shown ("": all).
        self.filter = ""
        self.agent = ""
        self._agents: tuple[str, ...] = ()
        #: Cells that the texts of some columns need. The titles get the rest.
        self._needed: dict[str, int] = {}
        self._column = _BY_NAME["active"]
        self._reverse = True
        #: The conversation under the cursor before the last filter.
        self._left: str | None = None
        #: The current time for ages; None is the clock. Tests and pictures set it.
        self.now: float | None = None

    def on_mount(self) -> None:
        """Draw the ages again while nothing else changes."""
        self.set_interval(AGE_SECONDS, self.refresh)

    def signs(self) -> Iterator[Sign]:
        """The signs of the visible rows."""
        entries = [entry for row in self.visible_rows if (entry := self.entry(row)) is not None]
        yield from loss_signs(
            constraints=any(entry.constraints for entry in entries),
            weakened=any(entry.weakened for entry in entries),
            unknown=any(entry.unknown for entry in entries),
            uncertain=any(entry.uncertain for entry in entries),
        )
        for sign, text, shown in (
            ("%?", "the threshold is uncertain", any(entry.doubtful for entry in entries)),
            ("!", "errors and warnings", any(entry.findings for entry in entries)),
            ("↳", "branch or sub-agent of the conversation above", bool(self._under)),
            ("·", "not read yet", any(entry.lost is None for entry in entries)),
            ("–", "no compaction is recorded", any(entry.compactions == 0 for entry in entries)),
        ):
            if shown:
                yield sign, text

    # Values in.

    def set_entries(self, entries: Sequence[ConversationEntry]) -> None:
        """Show these conversations; the cursor stays on its conversation where that is still there."""
        keep = self.current
        self._entries = list(entries)
        self._needles = []
        self._which = _which(self._entries)
        self._agents = tuple(sorted({entry.agent for entry in entries}))
        texts = {
            "agent": self._agents,
            "folder": {_project(entry) for entry in entries},
            "model": {entry.model.rpartition("/")[2] for entry in entries},
        }
        self._needed = {
            name: max((width_of(one_line(text, 200)) for text in shown), default=0)
            for name, shown in texts.items()
        }
        if self.agent not in self._agents:
            self.agent = ""
        self._arrange(keep)

    def update_entries(self, entries: Iterable[ConversationEntry]) -> None:
        """Replace rows in place by id, without sorting. Unknown ids are ignored."""
        fresh = {entry.id: entry for entry in entries}
        before = self._entries
        self._entries = [fresh.get(entry.id, entry) for entry in before]
        if any(
            now.title != old.title for now, old in zip(self._entries, before, strict=True) if now is not old
        ):
            self._which = _which(self._entries)
        self._needles = []
        self.refresh()

    def sort_again(self) -> None:
        """Sort rows that were replaced in place; the cursor stays on its conversation."""
        self._arrange(self.current)

    def set_filter(self, text: str) -> None:
        """Show only conversations whose title, model, agent, folder or id contain every word of the text."""
        if text != self.filter:
            # A filter that leaves nothing does not lose the place.
            self._left = self.current or self._left
            self.filter = text
            self._arrange(self._left)

    def set_sort(self, column: str, reverse: bool) -> None:
        """Sort by a column (a name of COLUMNS). Raises KeyError for any other name. Posts nothing."""
        keep = self.current
        self._column, self._reverse = _BY_NAME[column], reverse
        self._arrange(keep)

    @property
    def current(self) -> str | None:
        """The id of the conversation under the cursor; None in an empty list."""
        entry = self.entry(self.cursor)
        return entry.id if entry else None

    @property
    def sort(self) -> tuple[str, bool]:
        """The column sorted by, and whether from the largest down."""
        return self._column.name, self._reverse

    @property
    def row_count(self) -> int:
        """Number of shown conversations."""
        return len(self._order)

    def entry(self, row: int) -> ConversationEntry | None:
        """The conversation of a row."""
        return self._entries[self._order[row]] if 0 <= row < len(self._order) else None

    def select(self, conversation: str) -> bool:
        """Put the cursor on a conversation, posting nothing; False if it is not shown."""
        for row, index in enumerate(self._order):
            if self._entries[index].id == conversation:
                self.move_cursor(row, notify=False, centre=True)
                return True
        return False

    def _arrange(self, keep: str | None) -> None:
        entries, key = self._entries, self._column.key
        shown: Sequence[int] = range(len(entries))
        if self.agent:
            shown = [i for i in shown if entries[i].agent == self.agent]
        words = self.filter.lower().split()
        if words:
            if not self._needles:
                self._needles = [
                    f"{e.title}\n{e.model}\n{e.id}\n{e.kind}\n{e.agent}\n{e.folder}".lower() for e in entries
                ]
            needles = self._needles
            shown = [i for i in shown if all(word in needles[i] for word in words)]
        self._order = sorted(shown, key=lambda i: key(entries[i]), reverse=self._reverse)
        self._group()
        self.resized()
        if keep is None or not self.select(keep):
            self.move_cursor(0 if words else self.cursor, notify=False)

    def _group(self) -> None:
        """By date, children follow their parent; in any other order they are sorted like all rows."""
        entries = self._entries
        hanging = {entries[i].id: entries[i].parent for i in self._order if entries[i].parent}
        if not hanging:
            self._under = frozenset()
            return
        ids = [entries[i].id for i in self._order]
        if self._column.name == "active":
            places = dict(zip(ids, self._order, strict=True))
            ids = families(ids, hanging)
            self._order = [places[name] for name in ids]
        self._under = standing_under(ids, hanging)
        self._titles = {entry.id: entry.title or entry.id for entry in entries}

    # Messages out.

    def opened(self, row: int) -> None:
        """Post that a conversation was opened."""
        entry = self.entry(row)
        if entry:
            self.post_message(self.Opened(entry.id))

    def action_sort_next(self) -> None:
        """Sort by the next column to the left: after the date by the losses."""
        names = [column.name for column, _, _ in self._layout(self.scrollable_content_region.width)]
        place = names.index(self._column.name) if self._column.name in names else 0
        self.action_sort_by(names[place - 1])

    def action_sort_reverse(self) -> None:
        """Reverse the order."""
        self.action_sort_by(self._column.name)

    def action_next_agent(self) -> None:
        """Show only the next agent; after the last one all agents."""
        if len(self._agents) < 2:
            return
        steps = ("", *self._agents)
        keep = self.current
        self.agent = steps[(steps.index(self.agent) + 1) % len(steps)]
        self._arrange(keep)
        self.post_message(self.AgentChanged(self.agent))

    def action_by_project(self) -> None:
        """Group by project folder, the last active of each first; again: by date."""
        self.set_sort(*(("active", True) if self._column.name == "folder" else ("folder", False)))
        self.post_message(self.SortChanged(*self.sort))

    def action_sort_by(self, name: str) -> None:
        """Sort by a column; again: the other way round."""
        same = name == self._column.name
        reverse = not self._reverse if same else _BY_NAME[name].descending
        self.set_sort(name, reverse)
        self.post_message(self.SortChanged(name, reverse))

    # Drawing.

    def _layout(self, width: int) -> list[tuple[TableColumn, int, int]]:
        """The columns that fit, with the half-open cells each takes; that of the agent where there are several."""
        several = len(self._agents) > 1
        shown = [
            c for c in COLUMNS if width >= c.from_width and (several or c.name not in ("agent", "folder"))
        ]
        if width < _ROOMY:
            # Titles say most; the bars of the tokens give way to them.
            shown = [column._replace(width=12) if column.name == "tokens" else column for column in shown]
        shown = [
            # One cell for the arrow of the sorted column.
            column._replace(width=min(column.width, max(len(column.heading) + 1, self._needed[column.name])))
            if column.name in self._needed
            else column
            for column in shown
        ]
        taken = sum(column.width + 1 for column in shown if column.width)
        places, start = [], 1
        for column in shown:
            stop = start + (column.width or max(8, width - taken - 2))
            places.append((column, start, stop))
            start = stop + 1
        return places

    def draw_header(self, y: int, width: int) -> Strip:
        """Draw the headings; the sorted column has an arrow."""
        row = Row().add(" ", Style())
        chosen, layout = self.ink("mark"), self._layout(width)
        # Without their column, the projects are in front of the titles.
        grouped = self._column.name == "folder" and all(column.name != "folder" for column, _, _ in layout)
        for column, start, stop in layout:
            in_titles = grouped and column.name == "title"
            sorted_by = in_titles or column.name == self._column.name
            text = (
                ("project · " if in_titles else "")
                + column.heading
                + (("▾" if self._reverse else "▴") if sorted_by else "")
            )
            click = Style(meta={"@click": f"sort_by('{column.name}')"})
            text = fit(text, stop - start, right=column.right) + " "
            row.add(text, click + (chosen if sorted_by else Style()))
        return row.strip(width, self.base_style + self.ink("header"))

    def draw_line(self, line: int, width: int) -> Strip:
        """A conversation."""
        entry = self.entry(line)
        if entry is None:
            return Strip.blank(width, self.base_style)
        row = self.begin(line)
        for column, start, stop in self._layout(width):
            self._draw_cell(row, column.name, entry, stop - start)
            row.add(" ", Style())
        return self.end(row, line, width)

    def _draw_cell(self, row: Row, name: str, entry: ConversationEntry, width: int) -> None:
        muted = self.ink("quiet")
        if name == "title":
            self._draw_title(row, entry, width)
        elif name == "model":
            row.add(fit(one_line(entry.model, 200).rpartition("/")[2], width), muted)
        elif name == "agent":
            row.add(fit(one_line(entry.agent, 40), width), muted)
        elif name == "folder":
            row.add(fit(one_line(_project(entry), 200), width), muted)
        elif name == "messages":
            row.add(fit(_known(entry.messages), width, right=True), muted)
        elif name == "tokens":
            self._draw_tokens(row, entry, width)
        elif name == "compactions":
            text = _known(entry.compactions)
            row.add(fit(text, width, right=True), muted if not entry.compactions else Style())
        elif name == "lost":
            self._draw_lost(row, entry, width)
        elif name == "active":
            row.add(fit(human.ago(entry.last_active, self.now), width, right=True), muted)
        else:
            grave = bool(entry.findings)
            text = f"!{entry.findings}" if grave else _known(entry.findings)
            row.add(fit(text, width, right=True), self.ink("warning") if grave else muted)

    def _draw_title(self, row: Row, entry: ConversationEntry, width: int) -> None:
        under = entry.id in self._under
        sign = "↳ " if under else ""
        kind = f"  {one_line(entry.kind, 20)}" if entry.kind and (width > 40 or not under) else ""
        whose = "" if under or width <= 36 else one_line(self._titles.get(entry.parent, ""), width // 3)
        kind += f" of {whose}" if whose else ""
        title = one_line(entry.title, 500) or one_line(entry.id, 200)
        # The part of the id that tells equal titles apart stays: a narrow title gives way to it.
        which = one_line(self._which.get(entry.id, ""), 200)
        room = width - len(sign) - len(kind)
        room -= min(width_of(title), room // 2)
        # Its last characters differ.
        which = which if len(which) <= room else f" …{which[-5:-1]}"
        if self._column.name == "folder" and _project(entry):
            title = f"{one_line(_project(entry), 40)} · {title}"
        if which:
            title = (
                fit(title, min(width_of(title), max(0, width - len(sign) - len(kind) - len(which)))) + which
            )
        text = fit(title, width - len(sign) - len(kind))
        words = self.filter.split()
        spans = tuple(find_spans(text, words[0])) if words else ()
        row.add(sign, self.ink("accent"))
        mark = self.ink("found")
        row.marked(text, self.ink(""), spans, mark)
        row.add(kind, self.ink("accent"))

    def _draw_lost(self, row: Row, entry: ConversationEntry, width: int) -> None:
        if entry.lost is None or not (entry.compactions or entry.unknown):
            row.add(fit("·" if entry.lost is None else "–", width, right=True), self.ink("quiet"))
            return
        draw_loss_counts(
            row, self.ink, width,
            lost=entry.lost, constraints=entry.constraints, weakened=entry.weakened,
            unknown=entry.unknown, uncertain=entry.uncertain,
        )  # fmt: skip

    def _draw_tokens(self, row: Row, entry: ConversationEntry, width: int) -> None:
        muted = self.ink("quiet")
        share = entry.pressure
        number = "·" if entry.tokens is None else human.tokens(entry.tokens)
        if share is None:
            row.add(fit(number, width, right=True), muted)
            return
        doubt = "?" if entry.doubtful else ""
        percent = human.percent(entry.tokens or 0, entry.threshold or 0) + doubt
        bar = width - 12
        full = min(bar, round(share * bar))
        if entry.tokens and not full and bar:
            full = 1
        level = "removed" if share >= 1 else "changed" if share >= 0.85 else "key"
        row.add(fit(number, 6, right=True) + " ", muted)
        row.add("▓" * full, self.ink(level)).add("░" * (bar - full), self.ink("rest"))
        row.add(fit(percent, 5, right=True), muted if level == "key" else self.ink(level))


def _which(entries: Iterable[ConversationEntry]) -> dict[str, str]:
    """Return what distinct titles add to equal titles, by id: " (20260312)"."""
    titles = {entry.id: entry.title for entry in entries}
    names = distinct_titles(titles)
    return {
        name: names[name][len(title) :] for name, title in titles.items() if title and names[name] != title
    }


def _project(entry: ConversationEntry) -> str:
    """The name of the project folder; "" if there is none."""
    return entry.folder.replace("\\", "/").rstrip("/").rpartition("/")[2]


def _gravity(entry: ConversationEntry) -> tuple[int, ...]:
    """Sort key: lost constraints, then lost facts, then weakened ones."""
    if entry.lost is None:
        return (-1,)
    return (entry.constraints, entry.lost, entry.weakened, entry.unknown, entry.uncertain)


def _known(number: int | None) -> str:
    return "·" if number is None else f"{number:,}"
