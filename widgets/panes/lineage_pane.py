"""The life of every item of the summaries: items as rows, compactions as columns, and the chosen item in full."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message

from inspector.summaries.drift import Drift, Otherwise, Stale
from inspector.summaries.lineage import Cell, Lineage, State
from inspector.summaries.lineage import LineageRow as ItemRow
from widgets.bars.mode_bar import Mode, ModeBar
from widgets.base import human
from widgets.base.headline import Headline
from widgets.base.strips import one_line
from widgets.base.text_lines import Span, TextLine, line_of
from widgets.lists.lineage_list import SIGNS, LineageList
from widgets.panes.text_view import TextView

LOW = 18
_COLUMN = Binding.Group("Column", compact=True)

MODES = (
    Mode("all", "all", "Every item of every summary"),
    Mode("dropped", "dropped", "Items that a summary dropped"),
    Mode("reworded", "reworded", "Items whose words changed, or that were split or merged"),
    Mode("moved", "moved", "Items that moved to another section, or were done"),
    Mode("back", "back", "Items that were gone and came back"),
    Mode("otherwise", "otherwise", "Items that say something else: a number, a path or a “not” changed"),
    Mode("stale", "stale", "Open items that were done long ago, or that nobody takes up"),
)
_SHOWN: dict[str, frozenset[State]] = {
    "dropped": frozenset({"dropped"}),
    "reworded": frozenset({"reworded", "split", "merged"}),
    "moved": frozenset({"moved", "done"}),
    "back": frozenset({"back"}),
}


@dataclass(frozen=True, slots=True)
class LineageView:
    """A lineage and its drift, for the pane. `column` is the one to begin with; `note` a sentence about all of it."""

    lineage: Lineage
    drift: Drift
    column: int = 0
    note: str = ""


class LineagePane(Vertical):
    """Shows a LineageView. Posts CellChosen for an item that the user wants to see in its two summaries."""

    DEFAULT_CSS = """
    LineagePane { background: $surface; }
    LineagePane > Headline { padding: 0 1; }
    LineagePane > ModeBar { padding: 0 1; margin: 0 0 1 0; }
    LineagePane > LineageList { height: 1fr; }
    LineagePane > TextView { height: 1fr; padding: 0 0 0 1; margin: 1 0 0 0; }
    LineagePane.-low > ModeBar { margin: 0; }
    LineagePane.-low > TextView { height: 3; margin: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("m", "mode(1)", "Next filter", id="lineage.next_mode", tooltip="All items, dropped, reworded …"),
        Binding("M", "mode(-1)", "Filter before", id="lineage.previous_mode", show=False),
        Binding(
            "left_square_bracket,left,h", "column(-1)", "Earlier column", id="lineage.earlier", key_display="[",
            group=_COLUMN,
        ),
        Binding(
            "right_square_bracket,right,l", "column(1)", "Later column", id="lineage.later", key_display="]",
            group=_COLUMN,
        ),
        Binding("J", "section(1)", "Next section", id="lineage.next_section", show=False),
        Binding("K", "section(-1)", "Previous section", id="lineage.previous_section", show=False),
    ]  # fmt: skip

    class CellChosen(Message):
        """The user wants to see an item where the summary of a compaction differs from the one before."""

        def __init__(self, compaction: int, text: str) -> None:
            super().__init__()
            self.compaction = compaction
            self.text = text

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._view: LineageView | None = None
        self._otherwise: dict[int, list[Otherwise]] = {}
        self._stale: dict[int, Stale] = {}
        self._headline = Headline(5)
        self._modes = ModeBar(MODES)
        self._list = LineageList()
        self._body = TextView()

    def compose(self) -> ComposeResult:
        """Drift, filters, items, the chosen one."""
        yield self._headline
        yield self._modes
        yield self._list
        yield self._body

    def on_mount(self) -> None:
        """Show the value that was set before."""
        self.set_view(self._view)

    @property
    def items(self) -> LineageList:
        """The list of items."""
        return self._list

    @property
    def body(self) -> TextView:
        """The chosen item's life."""
        return self._body

    @property
    def headline(self) -> str:
        """What stands on top."""
        return self._headline.text

    @property
    def mode(self) -> str:
        """The filter: all, dropped, reworded, moved, back, otherwise or stale."""
        return self._modes.mode

    @property
    def column(self) -> int:
        """The column of the cursor, from 0."""
        return self._list.column

    def set_view(self, view: LineageView | None) -> None:
        """Show a lineage; None while it is being worked out."""
        fresh = self._view is None or view is None or view.lineage is not self._view.lineage
        moved = self._view is None or view is None or view.column != self._view.column
        before, self._view = self._filled, view
        if self.is_mounted and before != self._filled:
            self.refresh_bindings()
        if not self.is_mounted:
            return
        # The list keeps its place, and so the focus, while nothing is in it.
        self._modes.display = self._body.display = view is not None and bool(view.lineage.rows)
        if view is None:
            self._list.set_rows(Lineage(), self._shown, {})
            self._headline.set_lines([TextLine("Following the items of the summaries …", "muted")])
            return
        if moved:
            self._list.set_column(max(0, min(view.column, len(view.lineage.columns) - 1)))
        if fresh:
            self._otherwise, self._stale = {}, {stale.row: stale for stale in view.drift.stale}
            for turn in view.drift.otherwise:
                self._otherwise.setdefault(turn.row, []).append(turn)
            self._modes.set_modes(MODES)
            self._filter()
        self._arrange()

    @property
    def _filled(self) -> bool:
        return self._view is not None and bool(self._view.lineage.rows)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without an item there is nothing to filter or to go through. Arrows stay here: elsewhere they replay."""
        return self._filled or action not in ("mode", "section")

    def set_mode(self, mode: str) -> None:
        """Show only some items; see `mode`."""
        self._modes.choose(mode)

    def set_column(self, column: int) -> None:
        """Put the cursor into a column, as far as there is one."""
        if self._view is None or not self._view.lineage.columns:
            return
        column = max(0, min(column, len(self._view.lineage.columns) - 1))
        if column != self._list.column:
            self._list.set_column(column)
            self._arrange()

    def action_mode(self, by: int) -> None:
        """Show other items."""
        self._modes.step(by)

    def action_column(self, by: int) -> None:
        """Go to the next column, or the one before."""
        self.set_column(self._list.column + by)

    def action_section(self, by: int) -> None:
        """Go to the first item of the next section, or of the one before."""
        rows = [
            row
            for row in range(self._list.row_count)
            if self._list.row_at(self._list.line_of(row) - 1) is None
        ]
        cursor = self._list.cursor
        near = [row for row in rows if (row > cursor if by > 0 else row < cursor)]
        if near:
            self._list.move_cursor(near[0] if by > 0 else near[-1])

    def on_resize(self) -> None:
        """Fit into the new size."""
        self._arrange()

    @on(ModeBar.ModeChosen)
    def _mode_chosen(self, event: ModeBar.ModeChosen) -> None:
        event.stop()
        self._filter()
        self._arrange()

    @on(LineageList.Selected)
    def _selected(self, event: LineageList.Selected) -> None:
        event.stop()
        self._explain()

    @on(LineageList.ColumnPointed)
    def _column_pointed(self, event: LineageList.ColumnPointed) -> None:
        event.stop()
        self.set_column(event.column)

    @on(LineageList.Opened)
    def _opened(self, event: LineageList.Opened) -> None:
        event.stop()
        item = self._list.item
        if self._view is not None and item is not None:
            column = self._view.lineage.columns[self._list.column]
            cell = item.cells[self._list.column]
            self.post_message(self.CellChosen(column.compaction, cell.text if cell is not None else ""))

    def _filter(self) -> None:
        if self._view is None:
            return
        flags = dict.fromkeys(self._stale, "◷")
        flags |= {row: "!" for row, turns in self._otherwise.items() if any(turn.settled for turn in turns)}
        self._list.set_rows(self._view.lineage, self._shown, flags)

    def _shown(self, row: ItemRow) -> bool:
        mode = self._modes.mode
        if mode == "otherwise":
            return any(turn.settled for turn in self._otherwise.get(row.number, ()))
        if mode == "stale":
            return row.number in self._stale
        states = _SHOWN.get(mode)
        return states is None or any(cell is not None and cell.state in states for cell in row.cells)

    def _arrange(self) -> None:
        """Where room is short, gaps and figures go."""
        low = self.size.height < LOW
        self.set_class(low, "-low")
        if self._view is not None:
            self._headline.set_lines(self._told(low))
        # The list is as high as it needs to be, at most two thirds of what there is.
        lines = self._list.line_count + self._list.header_height
        self._list.styles.height = "1fr" if low else max(4, min(lines, 2 * (self.size.height - 7) // 3))
        self._explain()

    def _told(self, low: bool) -> list[TextLine]:
        view = self._view
        assert view is not None
        lineage, at = view.lineage, self._list.column
        if not lineage.rows:
            return [TextLine("No compaction has left a summary to follow so far.", "muted")]
        column = lineage.columns[at]
        counts = lineage.counts(at)
        parts = [(f"compaction {column.compaction} of {len(lineage.columns)}   ", "strong")]
        parts += [
            (f"{SIGNS[state][0]} {counts[state]} {state}   ", SIGNS[state][1])
            for state in SIGNS
            if counts[state]
        ]
        if column.summary is None:
            parts.append(("no summary was found", "warning"))
        elif column.fallback:
            parts.append(("a fallback text, which no model wrote", "warning"))
        lines = [line_of(*parts), line_of(*self._left(at))]
        if not low:
            lines.append(line_of(*self._trouble()))
            if view.note:
                lines.append(TextLine(view.note, "muted"))
        return lines

    def _left(self, at: int) -> list[tuple[str, str]]:
        view = self._view
        assert view is not None
        parts: list[tuple[str, str]] = []
        left = next((left for left in view.drift.left if left.column == at), None)
        if left is not None and left.of_items:
            parts.append(("left of the first: ", "muted"))
            share = human.percent(left.words, left.of_words)
            parts.append((f"{left.items} of {left.of_items} items, {share} of words   ", ""))
        length = view.drift.lengths[at] if at < len(view.drift.lengths) else None
        if length is not None and length.tokens is not None:
            of = f" of {human.tokens(length.budget)}" if length.budget else ""
            over = length.share is not None and length.share > 1
            parts.append(
                (
                    f"{human.tokens(length.tokens)}{of} tokens{' — over budget' if over else ''}",
                    "warning" if over else "",
                )
            )
        return parts

    def _trouble(self) -> list[tuple[str, str]]:
        turned = sum(any(turn.settled for turn in turns) for turns in self._otherwise.values())
        return [
            (
                f"! {human.plural(turned, 'item says', 'items say')} something else   ",
                "warning" if turned else "muted",
            ),
            (f"◷ {human.plural(len(self._stale), 'open item')} stale", "changed" if self._stale else "muted"),
        ]

    def _explain(self) -> None:
        item = self._list.item
        if self._view is None or item is None:
            self._body.set_lines([TextLine("No item is like that.", "muted")])
            return
        lines = self._warnings(item)
        place = len(lines)
        text = ""
        for at, (column, cell) in enumerate(zip(self._view.lineage.columns, item.cells, strict=True)):
            here = at == self._list.column
            if here:
                place = len(lines)
            lines += self._life(at, column.compaction, cell, here, text)
            text = cell.text if cell is not None and cell.stands else text
        self._body.set_lines(lines)
        self._body.set_active(place)

    def _warnings(self, item: ItemRow) -> list[TextLine]:
        assert self._view is not None
        columns = self._view.lineage.columns
        lines = []
        for turn in self._otherwise.get(item.number, ()):
            told = ", ".join(_turned(one.how, one.was, one.now) for one in turn.turns)
            text = f"since compaction {columns[turn.column].compaction} it says something else: {told}"
            lines.append(
                TextLine(
                    one_line(text, 600),
                    "warning" if turn.settled else "muted",
                    prefix="! ",
                    prefix_style="warning",
                )
            )
        stale = self._stale.get(item.number)
        if stale is not None:
            since = columns[stale.since].compaction
            if stale.by is not None:
                done = self._view.lineage.rows[stale.by].text
                text = f"stale: done since compaction {since} (“{one_line(done, 160)}”), and still listed as open"
            else:
                text = f"stale: {stale.times} summaries list it in the same words, since compaction {since}"
            lines.append(TextLine(one_line(text, 600), "changed", prefix="◷ ", prefix_style="warning"))
        return lines

    def _life(self, at: int, compaction: int, cell: Cell | None, here: bool, before: str) -> list[TextLine]:
        """The lines of one column: what the item is there, where it stands, its words where they are others."""
        mark = "›" if here else " "
        if cell is None:
            return [line_of((f"{mark}{compaction:>3}  ", "muted"), ("not there", "muted"))] if here else []
        sign, style = SIGNS[cell.state]
        parts = [(f"{mark}{compaction:>3}  ", "strong" if here else "muted"), (f"{sign} {cell.state}", style)]
        source, section = one_line(cell.from_section, 80), one_line(cell.section, 80)
        parts.append((f"   {source} → {section}" if source else f"   {section}", "muted"))
        lines = [line_of(*parts)]
        if cell.text != before and cell.stands:
            text = one_line(cell.text)
            lines.append(TextLine(text, spans=_changed(cell, text), prefix="      "))
        for other in cell.others:
            assert self._view is not None
            kin = self._view.lineage.rows[other]
            told = kin.standing(at)
            word = "with" if cell.state == "merged" else "and"
            lines.append(
                TextLine(one_line(told.text if told else kin.text, 400), "muted", prefix=f"      {word} ")
            )
        return lines


def _changed(cell: Cell, text: str) -> tuple[Span, ...]:
    """The words of a wording that are other ones; none where making it safe moved them."""
    if len(text) != len(cell.text):
        return ()
    return tuple(Span(word.start, word.end, "added-word") for word in cell.words if word.end > word.start)


def _turned(how: str, was: str, now: str) -> str:
    was, now = one_line(was, 120), one_line(now, 120)
    return {"changed": f"{was} became {now}", "gone": f"{was} is gone", "come": f"{now} has come"}[how]
