"""A list of the statements of a message. The user chooses a statement to trace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static

from inspector.core.text import safe_title

_STATEMENT = 400


class StatementPrompt(ModalScreen["str | None"]):
    """Asks for one of several statements; None if none is chosen."""

    CSS_PATH = "statement_prompt.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Cancel", id="statements.close"),
    ]

    def __init__(self, statements: Sequence[str]) -> None:
        super().__init__()
        self.statements = tuple(statements)

    def compose(self) -> ComposeResult:
        """Yield the question and every statement."""
        with Vertical(id="statements", classes="dialog"):
            yield Static(Text("Which statement of this message?", style="bold"))
            yield OptionList(
                *(Text(safe_title(statement, _STATEMENT)) for statement in self.statements), compact=True
            )

    def on_mount(self) -> None:
        """Highlight the best statement, which is the first."""
        options = self.query_one(OptionList)
        options.highlighted = 0
        options.focus()

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self.statements[event.option_index])
