"""Facts of the chosen compaction with filters, and the selected fact in full."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType

from inspector.quality.facts.fact import Life
from widgets.bars.fact_filters import FactFilters
from widgets.bars.mode_bar import Mode, ModeBar
from widgets.base.headline import Headline
from widgets.base.text_lines import TextLine
from widgets.intents import CopyFacts, DismissFact, TraceText
from widgets.lists.fact_list import FactList, source_of, survivor_of
from widgets.lists.survival_table import SurvivalTable
from widgets.panes.fact_lines import fact_lines
from widgets.panes.losses_view import AT_RISK, FactScope, LossesView, head_lines
from widgets.panes.part import Part
from widgets.panes.text_view import TextView

#: Minimum height for the table of survival.
_ROOMY = 24


class LossesFacts(Part[LossesView]):
    """The facts of a LossesView by scope.

    Posts GoTo for the place of a fact, TraceText for its history, DismissFact to dismiss it,
    CopyFacts for the list, ChooseCompaction for a column of the table.
    """

    DEFAULT_CSS = """
    LossesFacts > SurvivalTable { margin: 0 0 1 0; }
    LossesFacts > FactFilters { padding: 0 1; }
    LossesFacts > FactList { margin: 1 0 0 0; }
    LossesFacts > TextView { margin: 1 0 0 0; }
    LossesFacts.-low > ModeBar, LossesFacts.-low > FactFilters { display: none; }
    LossesFacts.-low > TextView, LossesFacts.-low > FactList { margin: 0; }
    LossesFacts.-empty > ModeBar, LossesFacts.-empty > FactFilters { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c", "step('kind')", "Kind", id="facts.kind", tooltip="Only facts of a kind"),
        Binding("f", "step('fate')", "Fate", id="facts.fate", tooltip="Only facts with a fate"),
        Binding("w", "step('role')", "Role", id="facts.role", tooltip="Only facts of the user or the agent"),
        Binding(
            "s",
            "survivor",
            "Evidence",
            id="facts.survivor",
            tooltip="Go to the place where the fact survives",
        ),
        Binding("d", "dismiss", "Dismiss", id="facts.dismiss", tooltip="Dismiss the fact, or restore it"),
        Binding("T", "trace", "Trace", id="facts.trace", tooltip="Show the history of the fact"),
        Binding("J", "next(1)", "Next fact", id="facts.next", show=False),
        Binding("K", "next(-1)", "Previous fact", id="facts.previous", show=False),
        Binding("C", "copy", "Checklist", id="facts.copy", tooltip="Copy the listed facts as a checklist"),
    ]

    #: Below this height the filters take one line and the selected fact fewer.
    LOW = 18
    NEEDY = frozenset({"step", "next", "survivor", "copy", "dismiss", "trace"})

    def __init__(self) -> None:
        self.head, self.table, self.filters = Headline(6), SurvivalTable(), FactFilters()
        self._scopes = ModeBar(title="facts".ljust(FactFilters.TITLE_CELLS))
        self.facts, self.body = FactList(), TextView()
        super().__init__(self.head, self.table, self._scopes, self.filters, self.facts, self.body)
        self.view = LossesView()

    @property
    def losses(self) -> LossesView:
        """The facts on screen."""
        return self.view or LossesView()

    @property
    def filled(self) -> bool:
        """Whether the scope on screen has facts."""
        scope = self._scope()
        return scope is not None and bool(scope.facts)

    @property
    def scope(self) -> str:
        """Name of the scope on screen; "" for none."""
        return self._scopes.mode

    def set_view(self, view: LossesView | None) -> None:
        """Show facts. Filters stay; another compaction shows its own scope."""
        if view is not None and view.chosen != self.losses.chosen:
            self._scopes.set_modes(())
        super().set_view(view)

    def next_scope(self) -> None:
        """Show the next scope: pruned, at risk, the compaction."""
        self._scopes.step(1)

    def next_source(self) -> None:
        """Show the facts of the next model that judged the compaction, and after the last model the facts of the
        rules."""
        names = [self.losses.first_scope, *(scope.name for scope in self.losses.judged)]
        at = names.index(self.scope) if self.scope in names else -1
        self._scopes.choose(names[(at + 1) % len(names)])

    def show_view(self) -> None:
        """Show counts, survival, filters, the list, the selected fact."""
        view = self.losses
        modes = [Mode(s.name, f"{s.label} ({len(s.facts):,})", s.note) for s in view.offered]
        stays = any(mode.name == self.scope for mode in modes)
        self._scopes.set_modes(modes, self.scope if stays else view.first_scope)
        self.table.set_survival(view.survival, view.chosen)
        self._refilter()

    def _scope(self) -> FactScope | None:
        return next((scope for scope in self.losses.offered if scope.name == self.scope), None)

    @on(ModeBar.ModeChosen)
    def _scope_chosen(self, event: ModeBar.ModeChosen) -> None:
        event.stop()
        self._refilter()

    def _refilter(self) -> None:
        scope = self._scope()
        self.filters.set_facts(scope.facts if scope is not None else ())
        self.refresh_bindings()
        self._show_facts()

    @on(FactFilters.Filtered)
    def _show_facts(self) -> None:
        self.facts.set_entries(self.filters.shown)
        self.fit()

    def fit(self) -> None:
        """Give the list as many rows as it has lines, at most half of the pane and two thirds of what is left for it
        and the selected fact; drop gaps and notes in a low pane."""
        height, scope = self.size.height, self._scope()
        self.set_class(scope is None, "-empty")
        self.table.display = height >= _ROOMY and self.table.line_count > 0
        self.table.styles.height = self.table.line_count
        self.facts.display = scope is not None and bool(scope.facts)
        self.head.set_lines(
            head_lines(self.losses, scope, self.low, self.filters.chosen, self.facts.row_count)
        )
        self._explain()
        most = height // 2 - 1 if self.low else min(height // 2 - 3, self._left() * 2 // 3)
        self.facts.styles.height = max(2, min(self.facts.row_count, most))

    def _left(self) -> int:
        """Return the number of rows below the filters, without gaps."""
        head = self.head.get_content_height(self.size, self.size, self.head.size.width or self.size.width)
        table = self.table.line_count + 1 if self.table.display else 0
        return self.size.height - head - table - 1 - len(self.filters.children) - 2

    @on(FactList.Selected)
    def _selected(self, event: FactList.Selected) -> None:
        event.stop()
        self._explain()

    @on(FactList.Opened)
    def _opened(self, event: FactList.Opened) -> None:
        event.stop()
        fact, scope = self.facts.entry, self._scope()
        if fact is not None and scope is not None:
            self.post_message(source_of(fact, scope.generation))

    def action_survivor(self) -> None:
        """Go to the place of the fact in the list after the compaction."""
        fact = self.facts.entry
        if fact is None:
            return
        place = survivor_of(fact.fact, fact.fate) if isinstance(fact, Life) else None
        if place is None:
            self.app.notify("The list after the compaction does not have this fact.", timeout=2)
        else:
            self.post_message(place)

    def action_dismiss(self) -> None:
        """Dismiss the selected fact, or restore it."""
        chosen = self.facts.entry
        if chosen is not None and not chosen.fact.judged:
            self.post_message(DismissFact(chosen.fact))

    def action_trace(self) -> None:
        """Show the history of the selected fact."""
        chosen = self.facts.entry
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

    def _explain(self) -> None:
        fact, scope = self.facts.entry, self._scope()
        if fact is not None:
            lines = fact_lines(fact, self.low, scope is not None and scope.partial)
        elif scope is not None and scope.facts:
            lines = [TextLine("No fact passes these filters.", "muted")]
        else:
            lines = [TextLine("")]
        self.body.set_lines(lines)
