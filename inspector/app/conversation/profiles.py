"""A list of profiles to choose from, each with a note about its reliability."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from inspector.core.errors import EngineError
from inspector.core.text import safe_line
from inspector.engines.registry import engine, names, profile_status

_ABOUT = (
    "The rules that plan compactions. “compared”: tests compare the plans with the release. “observed”: the rules were "
    "seen in sessions or read in source code."
)


class ProfilePrompt(ModalScreen["str | None"]):
    """Asks for a profile; None if none is chosen. `force` is the profile in force, `why` its source
    ("detected").
    """

    CSS_PATH = "profiles.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Cancel", id="profiles.close"),
        Binding("p", "next", "Next profile", show=False, id="profiles.next"),
    ]

    def __init__(self, current: str, force: str, why: str) -> None:
        super().__init__()
        self.current = current
        self.force = force
        self.why = why

    def compose(self) -> ComposeResult:
        """Yield the question and every profile with its note."""
        options = [Option(self._line(name), id=name) for name in names()]
        with Vertical(id="profiles", classes="dialog"):
            yield Static(Text("Profile", style="bold"))
            yield Static(Text(_ABOUT), id="about")
            yield Static(id="summary")
            yield OptionList(*options, compact=True)

    @staticmethod
    def _summary(name: str) -> str:
        try:
            return safe_line(engine(name).summary)
        except EngineError as error:
            return safe_line(str(error))

    def _line(self, name: str) -> Text:
        line = Text("● " if name == self.current else "  ")
        width = max(len(safe_line(one)) for one in names())
        line.append(f"{safe_line(name):<{width}}  ", style="bold")
        line.append(f"{profile_status(name):<20}")
        if name == self.force:
            line.append(f"{self.why} · ", style="bold")
        return line.append(self._summary(name))

    def on_mount(self) -> None:
        """Highlight the profile in use."""
        options = self.query_one(OptionList)
        profiles = names()
        options.highlighted = profiles.index(self.current) if self.current in profiles else 0
        options.focus()

    def action_next(self) -> None:
        """The next one, the first after the last."""
        self.query_one(OptionList).action_cursor_down()

    @on(OptionList.OptionHighlighted)
    def _explain(self, event: OptionList.OptionHighlighted) -> None:
        """Show the whole note of a profile, which the list may cut."""
        self.query_one("#summary", Static).update(Text(self._summary(event.option.id or "")))

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(event.option.id)
