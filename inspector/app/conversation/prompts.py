"""The lines to type into at the foot of the conversation screen: the number of a step, a file to write to."""

from __future__ import annotations

from collections.abc import Callable

from textual.widget import Widget

from widgets.base.prompt import Prompt


class Prompts:
    """Asks for a step or a file. Wrong input stays in the prompt.

    `go_to` takes the step. `write` takes the file and a callback. `warn` shows a sentence. `show_list` focuses the list
    of messages. Other prompts than that of a step give the focus back to the widget that had it.
    """

    def __init__(
        self,
        go_to: Callable[[int], object],
        write: Callable[[str, Callable[[], None]], object],
        warn: Callable[[str], object],
        show_list: Callable[[], object],
    ) -> None:
        self._go_to, self._write, self._warn, self._show_list = go_to, write, warn, show_list
        self._before: Widget | None = None
        hint = "a new file: .yaml for the settings, anything else for the comparison"
        self.widgets = (
            Prompt(placeholder="the step to go to", id="step", compact=True),
            Prompt(placeholder=hint, id="write", compact=True),
        )
        for prompt in self.widgets:
            prompt.display = False

    def ask(self, name: str) -> None:
        """Show the prompt of that name."""
        for prompt in self.widgets:
            prompt.display = prompt.id == name
            if prompt.display:
                focused = prompt.screen.focused
                self._before = None if name == "step" or focused in self.widgets else focused
                prompt.focus()

    def close(self) -> None:
        """Put the prompts away."""
        for prompt in self.widgets:
            prompt.value, prompt.display = "", False
        before, self._before = self._before, None
        if before is not None and before.focusable:
            before.focus()
        else:
            self._show_list()

    def go_to(self, text: str) -> None:
        """Go to the step that was typed."""
        text = text.replace(",", "").strip()
        if not text or text.isdecimal():
            self.close()
        if text.isdecimal():
            self._go_to(int(text))
        elif text:
            self._warn(f"{text!r} is no step; type a number.")

    def write(self, name: str) -> None:
        """Write to the file that was typed."""
        if name.strip():
            self._write(name.strip(), self.close)
        else:
            self.close()
