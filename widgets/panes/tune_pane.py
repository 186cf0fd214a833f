"""The settings as knobs, and beside them the numbers that follow from them, each with its reasons."""

from __future__ import annotations

from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message

from widgets.bars.mode_bar import Mode, ModeBar
from widgets.base.headline import Headline
from widgets.base.strips import one_line
from widgets.base.text_lines import TextLine
from widgets.panes.budget_lines import budget_lines
from widgets.panes.knobs import Knobs
from widgets.panes.text_view import TextView
from widgets.panes.what_if_pane import Preset, TuneState

__all__ = ["Preset", "TunePane", "TuneState"]

#: From this width on the numbers stand beside the knobs; where the pane is lower than LOW, from less on.
WIDE, LOW, LOW_WIDE = 110, 18, 70


class TunePane(Container):
    """Knobs, presets and reasons. The knobs post SettingChanged and ResetWanted; the pane PresetChosen."""

    DEFAULT_CSS = """
    TunePane { background: $surface; layout: vertical; }
    TunePane > #tune-left { height: auto; width: 1fr; background: $surface; }
    TunePane > TextView { height: 1fr; width: 1fr; padding: 0 0 0 1; }
    TunePane ModeBar { padding: 0 1; margin: 0 0 1 0; }
    TunePane Headline { padding: 0 1; margin: 0 0 1 0; }
    TunePane.-wide { layout: horizontal; }
    TunePane.-wide > #tune-left { width: 64; height: 1fr; }
    TunePane.-low { layout: horizontal; }
    TunePane.-low > #tune-left { width: 42; height: 1fr; overflow-y: auto; scrollbar-size-vertical: 1; }
    TunePane.-low ModeBar { margin: 0; }
    TunePane > #tune-left {
        scrollbar-background: $surface;
        scrollbar-background-hover: $surface;
        scrollbar-background-active: $surface;
        scrollbar-color: $foreground 25%;
    }
    """

    SettingChanged: ClassVar = Knobs.SettingChanged
    ResetWanted: ClassVar = Knobs.ResetWanted

    class PresetChosen(Message):
        """All settings of a preset are wanted."""

        def __init__(self, preset: Preset) -> None:
            super().__init__()
            self.preset = preset

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._state: TuneState | None = None
        self._knobs = Knobs()
        self._presets = ModeBar(title="preset")
        self._outcome = Headline(9)
        self._why = TextView()

    def compose(self) -> ComposeResult:
        """Knobs, presets, what follows; reasons."""
        with Container(id="tune-left"):
            yield self._knobs
            yield self._presets
            yield self._outcome
        yield self._why

    def on_mount(self) -> None:
        """Show the value that was set before."""
        if self._state is not None:
            self.set_state(self._state)

    @property
    def knobs(self) -> Knobs:
        """The knobs: to focus."""
        return self._knobs

    @property
    def body(self) -> TextView:
        """The numbers and their reasons."""
        return self._why

    def set_state(self, state: TuneState) -> None:
        """Show settings and what follows from them."""
        self._state = state
        if not self.is_mounted:
            return
        self._knobs.set_state(
            state.settings, state.defaults, state.profiles, state.origins, state.summary_size
        )
        same = [preset.name for preset in state.presets if preset.settings == state.settings]
        self._presets.display = bool(state.presets)
        modes = [Mode(preset.name, one_line(preset.name, 30), preset.help) for preset in state.presets]
        self._presets.set_modes(modes, same[0] if same else "")
        self._outcome.display = bool(state.outcome)
        self._outcome.set_lines([TextLine(text) for text in state.outcome])
        self._why.set_lines(budget_lines(state.budgets) if state.budgets else [], keep_place=True)

    @on(ModeBar.ModeChosen)
    def _preset_chosen(self, event: ModeBar.ModeChosen) -> None:
        event.stop()
        for preset in self._state.presets if self._state is not None else ():
            if preset.name == event.mode:
                self.post_message(self.PresetChosen(preset))

    def on_resize(self, event: events.Resize) -> None:
        """Beside each other where there is room, else below each other."""
        width, height = event.size
        self.set_class(width >= WIDE, "-wide")
        self.set_class(height < LOW and LOW_WIDE <= width < WIDE, "-low")
