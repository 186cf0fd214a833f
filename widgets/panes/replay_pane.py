"""A whole conversation: tokens over the steps, recorded beside what the settings would have done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical

from widgets.base import human
from widgets.base.headline import Headline
from widgets.base.text_lines import TextLine, line_of
from widgets.panes.run_lines import ReplayView, RunView
from widgets.panes.token_graph import GraphState, TokenGraph

__all__ = ["ReplayPane", "ReplayView", "RunView"]

#: A pane of fewer rows is low.
LOW = 24


class ReplayPane(Vertical):
    """Shows a ReplayView; the graph posts StepChosen."""

    DEFAULT_CSS = """
    ReplayPane { background: $surface; }
    ReplayPane > Headline { padding: 0 1; margin: 0 0 1 0; }
    ReplayPane > TokenGraph { height: 1fr; margin: 0 1 1 0; }
    ReplayPane.-low > Headline { margin: 0; }
    ReplayPane.-low > TokenGraph { margin: 0 1 0 0; }
    """

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._view: ReplayView | None = None
        self._why = ""
        self._headline = Headline(16)
        self._graph = TokenGraph()

    def compose(self) -> ComposeResult:
        """Numbers over the graph."""
        yield self._headline
        yield self._graph

    def on_mount(self) -> None:
        """Show the value that was set before."""
        self.set_view(self._view, self._why)

    @property
    def view(self) -> ReplayView | None:
        """What is shown."""
        return self._view

    @property
    def graph(self) -> TokenGraph:
        """The graph: to focus, or to move its cursor."""
        return self._graph

    def set_view(self, view: ReplayView | None, why: str = "") -> None:
        """Show a conversation; None while it is being read, or `why` there is nothing to show."""
        self._view, self._why = view, why
        if not self.is_mounted:
            return
        if view is None:
            self._headline.set_lines([TextLine(self._why or "Reading the conversation …", "muted")])
            self._graph.state = GraphState()
            return
        self._headline.set_lines(_short(view, self.size.width - 2) if self._low else _lines(view))
        self._graph.state = view.graph

    @property
    def _low(self) -> bool:
        return 0 < self.size.height < LOW

    def on_resize(self, event: events.Resize) -> None:
        """Where there are few rows the runs take one each, so that the graph keeps the others."""
        low = event.size.height < LOW
        if low or self.has_class("-low"):
            self.set_class(low, "-low")
            self.set_view(self._view, self._why)

    def set_step(self, step: int) -> None:
        """Move the graph's cursor to a step, counted from 1 (0: nowhere)."""
        state = self._graph.state
        if state.step != step:
            self._graph.state = replace(state, step=step)


def _of_facts(run: RunView) -> str:
    return (
        _READ if run.facts is None or run.facts_at_risk is None else f"{run.facts_at_risk:,} of {run.facts:,}"
    )


def _of_constraints(run: RunView) -> str:
    return _READ if run.constraints_at_risk is None else f"{run.constraints_at_risk:,}"


_READ = "being read"
_ROWS: tuple[tuple[str, Callable[[RunView], str]], ...] = (
    ("compactions", lambda run: f"{run.compactions}"),
    ("peak", lambda run: human.tokens(run.peak)),
    ("mean", lambda run: human.tokens(run.mean)),
    ("input, all calls", lambda run: human.tokens(run.input)),
    ("summarized", lambda run: human.percent(run.summarized)),
    ("more than once", lambda run: human.percent(run.resummarized)),
    ("user verbatim", lambda run: f"{run.user_steps:.0f} steps"),
    ("facts at risk", _of_facts),
    ("constraints", _of_constraints),
)


def _in_a_line(run: RunView, *, short: bool = False, facts: bool = True) -> str:
    """A run on one line; while the facts are being read it says nothing of them."""
    compactions = f"{run.compactions} comp." if short else human.plural(run.compactions, "compaction")
    text = f"{compactions}, peak {human.tokens(run.peak)}, input {human.tokens(run.input)}, "
    text += f"{human.percent(run.summarized)} summarized"
    if not facts or run.facts is None or run.facts_at_risk is None:
        return text
    return f"{text}, {run.facts_at_risk:,}{'' if short else f' of {run.facts:,}'} facts at risk"


def _short(view: ReplayView, room: int) -> list[TextLine]:
    """A line a run, with as much as `room` cells hold of every one, and the first thing that is said about them."""
    width = max((len(run.name) for run in view.runs), default=0)
    told: list[str] = []
    for short, facts in ((False, True), (True, True), (False, False), (True, False)):
        told = [_in_a_line(run, short=short, facts=facts) for run in view.runs]
        if all(width + 2 + len(text) <= room for text in told):
            break
    lines = [
        line_of((run.name.ljust(width) + "  ", "muted"), (text, ""))
        for run, text in zip(view.runs, told, strict=True)
    ]
    return [*lines, *(TextLine(note, "muted") for note in view.notes[:1] if len(view.runs) < 3)]


def _lines(view: ReplayView) -> list[TextLine]:
    width = max((len(text) for run in view.runs for text in (run.name, _READ)), default=0) + 2
    lines = [line_of((" " * 18, "muted"), *((run.name.rjust(width), "strong") for run in view.runs))]
    for label, show in _ROWS:
        values = [show(run) for run in view.runs]
        same = len(set(values)) <= 1
        lines.append(
            line_of(
                (label.ljust(18), "muted"),
                *((value.rjust(width), "" if same else "accent") for value in values),
            )
        )
    return [*lines, *(TextLine(note, "muted") for note in view.notes)]
