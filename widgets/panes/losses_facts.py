"""What became of what was said: the facts of the chosen compaction by filters, and one of them in full."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message

from widgets.bars.fact_filters import FactFilters
from widgets.bars.mode_bar import Mode, ModeBar
from widgets.base.headline import Headline
from widgets.base.text_lines import TextLine
from widgets.lists.fact_list import FactList, FactView
from widgets.lists.measure_table import MeasuresView
from widgets.lists.survival_table import SurvivalTable
from widgets.panes.choices import CompactionChosen, PlaceChosen
from widgets.panes.fact_lines import fact_lines
from widgets.panes.losses_view import FactScope, LossesView, head_lines
from widgets.panes.text_view import TextView

#: Below this height filters are told in a line, the chosen fact in few, and the table of survival goes.
LOW = 18
#: The height from which on there is room for the table, and the most rows that it takes.
_ROOMY, _TABLE = 24, 6


class LossesFacts(Vertical):
    """Shows the facts of a LossesView: those of the chosen compaction, or others.

    Posts PlaceChosen for a place that the user wants to see, CopyWanted for a list, CompactionChosen for a column.
    """

    DEFAULT_CSS = """
    LossesFacts { background: $surface; }
    LossesFacts > Headline { padding: 0 1; }
    LossesFacts > SurvivalTable { margin: 0 0 1 0; }
    LossesFacts > ModeBar, LossesFacts > FactFilters { padding: 0 1; }
    LossesFacts > FactList { margin: 1 0 0 0; }
    LossesFacts > TextView { height: 1fr; padding: 0 0 0 1; margin: 1 0 0 0; }
    LossesFacts.-low > ModeBar, LossesFacts.-low > FactFilters { display: none; }
    LossesFacts.-low > TextView, LossesFacts.-low > FactList { margin: 0; }
    LossesFacts.-empty > ModeBar, LossesFacts.-empty > FactFilters { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c", "step('kind')", "Kind", id="facts.kind", tooltip="Only facts of a kind"),
        Binding("f", "step('fate')", "Fate", id="facts.fate", tooltip="Only facts with a fate"),
        Binding("w", "step('role')", "Who", id="facts.role", tooltip="Only what somebody said"),
        Binding("s", "survivor", "Survivor", id="facts.survivor", tooltip="Go to where the fact survives"),
        Binding("J", "next(1)", "Next fact", id="facts.next", show=False),
        Binding("K", "next(-1)", "Previous fact", id="facts.previous", show=False),
        Binding("C", "copy", "Checklist", id="facts.copy", tooltip="Copy the facts on show as a checklist"),
    ]

    class CopyWanted(Message):
        """The user wants the facts with these keys as a checklist; `scope` names where they are from."""

        def __init__(self, keys: tuple[str, ...], scope: str) -> None:
            super().__init__()
            self.keys = keys
            self.scope = scope

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._view = LossesView()
        self._headline = Headline(3)
        self._table = SurvivalTable()
        self._scopes = ModeBar(title="facts".ljust(FactFilters.TITLE_CELLS))
        self._filters = FactFilters()
        self._list = FactList()
        self._body = TextView()

    def compose(self) -> ComposeResult:
        """How many there are, survival, the filters, the list, the chosen one."""
        yield self._headline
        yield self._table
        yield self._scopes
        yield self._filters
        yield self._list
        yield self._body

    def on_mount(self) -> None:
        """Show the value that was set before."""
        self._fill()

    @property
    def headline(self) -> str:
        """What stands on top."""
        return self._headline.text

    @property
    def table(self) -> SurvivalTable:
        """The table of survival."""
        return self._table

    @property
    def filters(self) -> FactFilters:
        """The filters by kind, fate and speaker."""
        return self._filters

    @property
    def facts(self) -> FactList:
        """The list of facts."""
        return self._list

    @property
    def body(self) -> TextView:
        """The explanation on show."""
        return self._body

    @property
    def scope(self) -> str:
        """The name of the scope on show; "" where there is none."""
        return self._scopes.mode

    def set_view(self, view: LossesView) -> None:
        """Show facts. The filters stay; with another compaction its own facts come up."""
        if view == self._view:
            return
        other = view.chosen != self._view.chosen
        self._view = view
        if self.is_mounted:
            self._fill(first=other)
            self.refresh_bindings()

    def next_scope(self) -> None:
        """Turn to what was pruned, to what is at risk, and back to the facts of the compaction."""
        self._scopes.step(1)

    def _fill(self, first: bool = False) -> None:
        modes = [Mode(s.name, f"{s.short} ({len(s.facts):,})", s.note) for s in self._view.offered]
        names = [mode.name for mode in modes]
        wanted = self._view.first_scope if first or self.scope not in names else self.scope
        self._scopes.set_modes(modes, wanted)
        measures = self._view.measures or MeasuresView()
        self._table.set_view(measures)
        self._table.set_column(measures.column_of(self._view.chosen))
        self._refilter()

    def _scope(self) -> FactScope | None:
        return next((scope for scope in self._view.offered if scope.name == self.scope), None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without facts there is nothing to choose among, and the keys are free for others."""
        if action in ("step", "next", "survivor", "copy"):
            return any(scope.facts for scope in self._view.offered)
        return True

    @on(ModeBar.ModeChosen)
    def _scope_chosen(self, event: ModeBar.ModeChosen) -> None:
        event.stop()
        self._refilter()

    def _refilter(self) -> None:
        scope = self._scope()
        self._filters.set_facts(scope.facts if scope is not None else ())
        self._show_facts()

    @on(FactFilters.Filtered)
    def _show_facts(self) -> None:
        self._list.set_entries(self._filters.shown)
        self._arrange()

    def on_resize(self) -> None:
        """Fit into the new size."""
        self._arrange()

    def _arrange(self) -> None:
        """The list is as high as it needs to be, at most half of the pane; where room is short, gaps and words go."""
        height, scope = self.size.height, self._scope()
        low = height < LOW
        self.set_class(low, "-low")
        self.set_class(scope is None, "-empty")
        rows = self._table.line_count
        self._table.display = height >= _ROOMY and rows > 0
        self._table.styles.height = min(_TABLE, rows + self._table.header_height)
        self._list.display = scope is not None and bool(scope.facts)
        self._headline.set_lines(
            head_lines(self._view, scope, low, self._filters.chosen, self._list.row_count)
        )
        self._explain()
        self._list.styles.height = max(2, min(self._list.row_count, height // 2 - (1 if low else 3)))

    @on(SurvivalTable.ColumnPointed)
    def _column_pointed(self, event: SurvivalTable.ColumnPointed) -> None:
        event.stop()
        columns = self._view.measures.columns if self._view.measures is not None else ()
        if event.column < len(columns):
            self.post_message(CompactionChosen(columns[event.column].number))

    @on(FactList.Selected)
    def _selected(self, event: FactList.Selected) -> None:
        event.stop()
        self._explain()

    @on(FactList.Opened)
    def _opened(self, event: FactList.Opened) -> None:
        event.stop()
        fact = self._chosen()
        if fact is not None and fact.source is not None:
            self.post_message(PlaceChosen(fact.source))

    def action_survivor(self) -> None:
        """Go to where the fact stands after the compaction."""
        fact = self._chosen()
        if fact is None:
            return
        if fact.survivor is None:
            self.app.notify("It stands nowhere in that list.", timeout=2)
        else:
            self.post_message(PlaceChosen(fact.survivor))

    def action_step(self, name: str) -> None:
        """The next choice of a filter, round and round."""
        self._filters.step(name)

    def action_next(self, by: int) -> None:
        """Go to the next fact, or the one before."""
        self._list.move_cursor(self._list.cursor + by)

    def action_copy(self) -> None:
        """Ask for the facts on show as a checklist."""
        keys = tuple(fact.key for fact in self._list.entries)
        if keys:
            self.post_message(self.CopyWanted(keys, self.scope))

    def _chosen(self) -> FactView | None:
        facts = self._list.entries
        return facts[self._list.cursor] if self._list.cursor < len(facts) else None

    def _explain(self) -> None:
        fact, scope = self._chosen(), self._scope()
        if fact is not None:
            lines = fact_lines(fact, self.size.height < LOW)
        elif scope is not None and scope.facts:
            lines = [TextLine("No fact passes these filters.", "muted")]
        else:
            lines = [TextLine("")]
        self._body.set_lines(lines)
