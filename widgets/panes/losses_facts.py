"""Facts of the chosen compaction with filters, and the selected fact in full."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from inspector.quality.facts.fact import Life
from widgets.bars.fact_filters import FactFilters
from widgets.bars.mode_bar import Mode, ModeBar
from widgets.base.headline import Headline
from widgets.base.text_lines import TextLine
from widgets.intents import ChooseCompaction, CopyFacts, DismissFact, TraceText
from widgets.lists.fact_list import FactList, ListedFact, source_of, survivor_of
from widgets.lists.survival_table import SurvivalTable
from widgets.panes.fact_lines import fact_lines
from widgets.panes.losses_view import AT_RISK, FactScope, LossesView, head_lines
from widgets.panes.text_view import TextView

#: Below this height the filters take one line and the selected fact fewer.
LOW = 18
#: Minimum height for the table of survival, and its maximum number of rows.
_ROOMY, _TABLE = 24, 6


class LossesFacts(Vertical):
    """The facts of a LossesView by scope.

    Posts GoTo for the place of a fact, TraceText for its history, DismissFact for a fact that does not matter,
    CopyFacts for the list, ChooseCompaction for a column of the table.
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
        Binding("w", "step('role')", "Who", id="facts.role", tooltip="Only facts of a speaker"),
        Binding(
            "s",
            "survivor",
            "Survivor",
            id="facts.survivor",
            tooltip="Go to the place where the fact survives",
        ),
        Binding("d", "dismiss", "Not a rule", id="facts.dismiss", tooltip="Dismiss the fact, or restore it"),
        Binding("T", "trace", "Trace", id="facts.trace", tooltip="Show the history of the fact"),
        Binding("J", "next(1)", "Next fact", id="facts.next", show=False),
        Binding("K", "next(-1)", "Previous fact", id="facts.previous", show=False),
        Binding("C", "copy", "Checklist", id="facts.copy", tooltip="Copy the listed facts as a checklist"),
    ]

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._view = LossesView()
        self._headline = Headline(3)
        self.table = SurvivalTable()
        self._scopes = ModeBar(title="facts".ljust(FactFilters.TITLE_CELLS))
        self.filters = FactFilters()
        self.facts = FactList()
        self.body = TextView()

    def compose(self) -> ComposeResult:
        """Yield counts, survival, filters, the list, the selected fact."""
        yield self._headline
        yield self.table
        yield self._scopes
        yield self.filters
        yield self.facts
        yield self.body

    def on_mount(self) -> None:
        """Show the value that was set before mounting."""
        self._fill()

    @property
    def view(self) -> LossesView:
        """The facts on screen."""
        return self._view

    @property
    def headline(self) -> str:
        """Text of the headline."""
        return self._headline.text

    @property
    def scope(self) -> str:
        """Name of the scope on screen; "" for none."""
        return self._scopes.mode

    def set_view(self, view: LossesView) -> None:
        """Show facts. Filters stay; another compaction brings up its own scope."""
        if view == self._view:
            return
        other = view.chosen != self._view.chosen
        self._view = view
        if self.is_mounted:
            self._fill(first=other)
            self.refresh_bindings()

    def next_scope(self) -> None:
        """Show the next scope: pruned, at risk, the compaction."""
        self._scopes.step(1)

    def next_source(self) -> None:
        """Show the facts of the next model that judged the compaction, then those of the rules again."""
        names = [self._view.first_scope, *(scope.name for scope in self._view.judged)]
        at = names.index(self.scope) if self.scope in names else -1
        self._scopes.choose(names[(at + 1) % len(names)])

    def _fill(self, first: bool = False) -> None:
        modes = [Mode(s.name, f"{s.short} ({len(s.facts):,})", s.note) for s in self._view.offered]
        names = [mode.name for mode in modes]
        wanted = self._view.first_scope if first or self.scope not in names else self.scope
        self._scopes.set_modes(modes, wanted)
        self.table.set_survival(self._view.survival)
        self.table.set_column(self._view.survival.column_of(self._view.chosen))
        self._refilter()

    def _scope(self) -> FactScope | None:
        return next((scope for scope in self._view.offered if scope.name == self.scope), None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the keys while there are no facts."""
        if action in ("step", "next", "survivor", "copy", "dismiss", "trace"):
            return any(scope.facts for scope in self._view.offered)
        return True

    @on(ModeBar.ModeChosen)
    def _scope_chosen(self, event: ModeBar.ModeChosen) -> None:
        event.stop()
        self._refilter()

    def _refilter(self) -> None:
        scope = self._scope()
        self.filters.set_facts(scope.facts if scope is not None else ())
        self._show_facts()

    @on(FactFilters.Filtered)
    def _show_facts(self) -> None:
        self.facts.set_entries(self.filters.shown)
        self._arrange()

    def on_resize(self) -> None:
        """Fit into the new size."""
        self._arrange()

    def _arrange(self) -> None:
        """Give the list the rows it needs, at most half of the pane; drop gaps and notes in a low pane."""
        height, scope = self.size.height, self._scope()
        low = height < LOW
        self.set_class(low, "-low")
        self.set_class(scope is None, "-empty")
        rows = self.table.line_count
        self.table.display = height >= _ROOMY and rows > 0
        self.table.styles.height = min(_TABLE, rows + self.table.header_height)
        self.facts.display = scope is not None and bool(scope.facts)
        self._headline.set_lines(
            head_lines(self._view, scope, low, self.filters.chosen, self.facts.row_count)
        )
        self._explain()
        self.facts.styles.height = max(2, min(self.facts.row_count, height // 2 - (1 if low else 3)))

    @on(SurvivalTable.ColumnPointed)
    def _column_pointed(self, event: SurvivalTable.ColumnPointed) -> None:
        event.stop()
        compactions = self._view.survival.compactions
        if event.column < len(compactions):
            self.post_message(ChooseCompaction(compactions[event.column].index))

    @on(FactList.Selected)
    def _selected(self, event: FactList.Selected) -> None:
        event.stop()
        self._explain()

    @on(FactList.Opened)
    def _opened(self, event: FactList.Opened) -> None:
        event.stop()
        fact, scope = self._chosen(), self._scope()
        if fact is not None and scope is not None:
            self.post_message(source_of(fact, scope.generation))

    def action_survivor(self) -> None:
        """Go to where the fact is in the list after the compaction."""
        fact = self._chosen()
        if fact is None:
            return
        place = survivor_of(fact.fact, fact.fate) if isinstance(fact, Life) else None
        if place is None:
            self.app.notify("This fact is nowhere in the list after the compaction.", timeout=2)
        else:
            self.post_message(place)

    def action_dismiss(self) -> None:
        """Dismiss the selected fact, or restore it."""
        chosen = self._chosen()
        if chosen is not None and not chosen.fact.judged:
            self.post_message(DismissFact(chosen.fact))

    def action_trace(self) -> None:
        """Show the history of the selected fact."""
        chosen = self._chosen()
        if chosen is not None:
            self.post_message(TraceText(chosen.text))

    def action_step(self, name: str) -> None:
        """Take the next choice of a filter."""
        self.filters.step(name)

    def action_next(self, by: int) -> None:
        """Go to the next or previous fact."""
        self.facts.move_cursor(self.facts.cursor + by)

    def action_copy(self) -> None:
        """Copy the listed facts as a checklist."""
        facts = {entry.fact.key: entry.fact for entry in self.facts.entries}
        if facts:
            self.post_message(CopyFacts(tuple(facts.values()), self.scope == AT_RISK))

    def _chosen(self) -> ListedFact | None:
        facts = self.facts.entries
        return facts[self.facts.cursor] if self.facts.cursor < len(facts) else None

    def _explain(self) -> None:
        fact, scope = self._chosen(), self._scope()
        if fact is not None:
            lines = fact_lines(fact, self.size.height < LOW, scope is not None and scope.partial)
        elif scope is not None and scope.facts:
            lines = [TextLine("No fact passes these filters.", "muted")]
        else:
            lines = [TextLine("")]
        self.body.set_lines(lines)
