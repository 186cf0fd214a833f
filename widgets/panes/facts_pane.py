"""What became of what was said: facts to filter by kind, fate and speaker, and the chosen one with its evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message

from widgets.bars.mode_bar import Mode, ModeBar
from widgets.base.headline import Headline
from widgets.base.text_lines import TextLine, line_of
from widgets.lists.fact_list import OUTCOMES, FactList, FactPlace, FactView
from widgets.panes.fact_lines import fact_lines
from widgets.panes.losses_view import FactScope
from widgets.panes.text_view import TextView

__all__ = ["ALL", "FactScope", "FactsPane"]

#: Below this height the filters are told in a line and the chosen fact in few.
LOW = 18
ALL = "all"


class FactsPane(Vertical):
    """Shows the facts of a scope. Posts PlaceChosen for a place that the user wants to see, CopyWanted for a list."""

    DEFAULT_CSS = """
    FactsPane { background: $surface; }
    FactsPane > Headline { padding: 0 1; }
    FactsPane > ModeBar { padding: 0 1; }
    FactsPane > FactList { margin: 1 0 0 0; }
    FactsPane > TextView { height: 1fr; padding: 0 0 0 1; margin: 1 0 0 0; }
    FactsPane.-low > ModeBar { display: none; }
    FactsPane.-low > TextView { margin: 0; }
    FactsPane.-low > FactList { margin: 0; }
    FactsPane.-empty > ModeBar { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "m", "step('scope')", "Compaction", id="facts.scope", tooltip="Another compaction, at risk now"
        ),
        Binding("c", "step('kind')", "Kind", id="facts.kind", tooltip="Only facts of a kind"),
        Binding("f", "step('fate')", "Fate", id="facts.fate", tooltip="Only facts with a fate"),
        Binding("w", "step('role')", "Who", id="facts.role", tooltip="Only what somebody said"),
        Binding("s", "survivor", "Survivor", id="facts.survivor", tooltip="Go to where the fact survives"),
        Binding("J", "next(1)", "Next fact", id="facts.next", show=False),
        Binding("K", "next(-1)", "Previous fact", id="facts.previous", show=False),
        Binding("C", "copy", "Checklist", id="facts.copy", tooltip="Copy the facts on show as a checklist"),
    ]

    class PlaceChosen(Message):
        """The user wants to see where words stand."""

        def __init__(self, place: FactPlace) -> None:
            super().__init__()
            self.place = place

    class CopyWanted(Message):
        """The user wants the facts with these keys as a checklist; `scope` names where they are from."""

        def __init__(self, keys: tuple[str, ...], scope: str) -> None:
            super().__init__()
            self.keys = keys
            self.scope = scope

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._scopes: tuple[FactScope, ...] | None = None
        self._note = ""
        self._shown: tuple[FactView, ...] = ()
        self._headline = Headline(3)
        self._bars = {
            "scope": ModeBar(title="compaction"),
            "kind": ModeBar(title="kind      "),
            "fate": ModeBar(title="fate      "),
            "role": ModeBar(title="who       "),
        }
        self._list = FactList()
        self._body = TextView()

    def compose(self) -> ComposeResult:
        """How many there are, the filters, the list, the chosen one."""
        yield self._headline
        yield from self._bars.values()
        yield self._list
        yield self._body

    def on_mount(self) -> None:
        """Show the value that was set before."""
        self.set_scopes(self._scopes, self._note)

    @property
    def body(self) -> TextView:
        """The explanation on show."""
        return self._body

    @property
    def facts(self) -> FactList:
        """The list of facts."""
        return self._list

    @property
    def shown(self) -> tuple[FactView, ...]:
        """The facts that the filters leave."""
        return self._shown

    @property
    def scope(self) -> str:
        """The name of the scope on show."""
        return self._bars["scope"].mode

    def choice(self, bar: str) -> str:
        """What a filter stands at: of "scope", "kind", "fate", "role"."""
        return self._bars[bar].mode

    def set_scopes(self, scopes: Sequence[FactScope] | None, note: str = "") -> None:
        """Show facts (None: they are being looked for); `note` says so, or what goes on. The filters stay."""
        self._scopes = None if scopes is None else tuple(scopes)
        self._note = note
        if self.is_mounted:
            modes = [Mode(s.name, f"{s.short} ({len(s.facts):,})", s.note) for s in self._scopes or ()]
            self._bars["scope"].set_modes(modes)
            self._refilter()
            self.refresh_bindings()

    def show_scope(self, name: str) -> None:
        """Show the facts of that scope, where there is one."""
        self._bars["scope"].choose(name)

    def on_resize(self) -> None:
        """Fit into the new size."""
        self._arrange()

    @on(ModeBar.ModeChosen)
    def _filtered(self, event: ModeBar.ModeChosen) -> None:
        event.stop()
        self._refilter()

    def _refilter(self) -> None:
        scope = self._scope()
        facts = scope.facts if scope is not None else ()
        for name, of in _FILTERS.items():
            others = [fact for fact in facts if self._passes(fact, without=name)]
            counts = Counter(of(fact) for fact in others)
            names = [n for n in _ORDER[name] if counts[n]] + sorted(set(counts) - set(_ORDER[name]))
            chosen = self._bars[name].mode
            if chosen not in (ALL, "", *names):
                names.append(chosen)
            modes = [Mode(ALL, ALL), *(Mode(n, f"{n} ({counts[n]:,})") for n in names)]
            self._bars[name].set_modes(modes)
        self._shown = tuple(fact for fact in facts if self._passes(fact))
        self._list.set_facts(self._shown)
        self._arrange()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without facts there is nothing to choose among, and the keys are free for others."""
        scopes = self._scopes or ()
        if parameters == ("scope",):
            return len(scopes) > 1
        return action not in ("step", "next", "survivor", "copy") or any(scope.facts for scope in scopes)

    def _scope(self) -> FactScope | None:
        return next((s for s in self._scopes or () if s.name == self._bars["scope"].mode), None)

    def _passes(self, fact: FactView, without: str = "") -> bool:
        return all(
            name == without or self._bars[name].mode in (ALL, "", of(fact)) for name, of in _FILTERS.items()
        )

    def _arrange(self) -> None:
        """The list is as high as it needs to be, at most half of the pane; where room is short, gaps and words go."""
        height = self.size.height
        low = height < LOW
        self.set_class(low, "-low")
        self.set_class(not self._scopes, "-empty")
        self._list.display = bool(self._shown)
        self._headline.set_lines(self._head(low))
        self._explain()
        self._list.styles.height = max(2, min(len(self._shown), height // 2 - (1 if low else 3)))

    def _head(self, low: bool) -> list[TextLine]:
        scope = self._scope()
        if self._scopes is None or scope is None:
            return [TextLine(self._note or "Looking for facts …", "muted")]
        counts = Counter(fact.outcome for fact in scope.facts)
        parts: list[tuple[str, str]] = [(scope.label, "strong")]
        for outcome, (sign, style) in OUTCOMES.items():
            if counts[outcome]:
                parts.append((f"   {sign} {counts[outcome]:,} {outcome}", style))
        if not scope.facts:
            parts.append(("   no facts", "muted"))
        lines = [line_of(*parts)]
        chosen = [self._bars[name].mode for name in _FILTERS if self._bars[name].mode not in (ALL, "")]
        if low and chosen:
            lines.append(TextLine(f"only {', '.join(chosen)} ({len(self._shown):,})", "muted"))
        elif not low and scope.note:
            lines.append(TextLine(scope.note, "muted"))
        return lines

    @on(FactList.Selected)
    def _selected(self, event: FactList.Selected) -> None:
        event.stop()
        self._explain()

    @on(FactList.Opened)
    def _opened(self, event: FactList.Opened) -> None:
        event.stop()
        fact = self._chosen()
        if fact is not None and fact.source is not None:
            self.post_message(self.PlaceChosen(fact.source))

    def action_survivor(self) -> None:
        """Go to where the fact stands after the compaction."""
        fact = self._chosen()
        if fact is None:
            return
        if fact.survivor is None:
            self.app.notify("It stands nowhere in that list.", timeout=2)
        else:
            self.post_message(self.PlaceChosen(fact.survivor))

    def action_step(self, bar: str) -> None:
        """The next choice of a filter, round and round."""
        self._bars[bar].step(1)

    def action_next(self, by: int) -> None:
        """Go to the next fact, or the one before."""
        self._list.move_cursor(self._list.cursor + by)

    def action_copy(self) -> None:
        """Ask for the facts on show as a checklist."""
        if self._shown:
            self.post_message(self.CopyWanted(tuple(fact.key for fact in self._shown), self.scope))

    def _chosen(self) -> FactView | None:
        return self._shown[self._list.cursor] if self._list.cursor < len(self._shown) else None

    def _explain(self) -> None:
        fact = self._chosen()
        scope = self._scope()
        if fact is not None:
            lines = fact_lines(fact, self.size.height < LOW)
        elif scope is not None and scope.facts:
            lines = [TextLine("No fact passes these filters.", "muted")]
        else:
            lines = [TextLine("")]
        self._body.set_lines(lines)


_FILTERS: dict[str, Callable[[FactView], str]] = {
    "kind": lambda fact: fact.kind,
    "fate": lambda fact: fact.outcome,
    "role": lambda fact: fact.role,
}
_ORDER: dict[str, tuple[str, ...]] = {
    "kind": ("constraint", "preference", "decision", "value", "link"),
    "fate": tuple(OUTCOMES),
    "role": ("user", "assistant", "tool"),
}
