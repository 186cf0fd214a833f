"""`?`: what the pane that has the focus shows, and the keys that work there."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Static

if TYPE_CHECKING:
    from inspector.app.app import InspectorApp

_LEGEND = (
    ("▎ ┊ ▌", "head, middle, tail of the list"),
    ("━ ╌", "a recorded boundary, a planned one"),
    ("~", "a rough count, Hermes' own estimate; without it the count is exact"),
    ("✂", "pruned: tokens before → after"),
    ("⚑1", "a prompt-cache breakpoint"),
    ("Σ = −", "a summary, a copy from the list before, a message that left"),
    ("✗ ■ !", "a tool error, a huge message, a finding"),
)


class HelpScreen(ModalScreen[None]):
    """A page of help; any of escape, q and ? closes it."""

    CSS_PATH = "help.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark", "dismiss", "Close", id="help.close"),
    ]

    def __init__(self, content: tuple[str, str, tuple[tuple[str, str], ...]]) -> None:
        super().__init__()
        self.title_text, self.about, self.keys = content

    def compose(self) -> ComposeResult:
        """Title, the pane in a sentence, its keys, the signs."""
        with VerticalScroll(id="page"):
            yield Static(Text(self.title_text, style="bold"))
            yield Static(Text(self.about), classes="about")
            yield Static(_table(self.keys))
            yield Static(Text("\nSigns", style="bold"))
            yield Static(_table(_LEGEND))
            yield Static(
                Text("\nescape closes this page, ctrl+p finds every action by name."), classes="about"
            )


def _table(rows: tuple[tuple[str, str], ...]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", no_wrap=True, style="bold")
    table.add_column()
    for key, text in rows:
        table.add_row(Text(key), Text(text))
    return table


def help_for(app: InspectorApp) -> tuple[str, str, tuple[tuple[str, str], ...]]:
    """Title, sentence and keys of the widget that has the focus and of the screen around it."""
    focused: Widget | None = app.focused
    nodes = [node for node in (focused, app.screen) if node is not None]
    about = []
    for node in nodes:
        text = getattr(node, "HELP", "") or getattr(node, "TOOLTIP", "")
        if text:
            about.append(text)
    keys: dict[str, str] = {}
    for active in app.screen.active_bindings.values():
        binding = active.binding
        # Our own bindings have an id with a dot; Textual's (scrolling, focus) need no explanation.
        if binding.description and "." in (binding.id or ""):
            shown = app.get_key_display(binding)
            keys[binding.description] = (
                f"{keys[binding.description]} {shown}" if binding.description in keys else shown
            )
    title = type(focused).__name__ if focused is not None else type(app.screen).__name__
    words = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in title).strip()
    return words.capitalize(), "\n\n".join(about), tuple((key, text) for text, key in keys.items())
