"""The lines to type into at the foot of the conversation screen: the number of a step, a file to write to."""

from __future__ import annotations

from collections.abc import Callable

from widgets.base.prompt import Prompt


class Prompts:
    """Asks for a step or a file. Wrong input stays in the prompt.

    `go_to` takes the step. `write` takes the file and a callback. `warn` shows a sentence. `leave` restores the
    focus.
    """

    def __init__(
        self,
        go_to: Callable[[int], object],
        write: Callable[[str, Callable[[], None]], object],
        warn: Callable[[str], object],
        leave: Callable[[], object],
    ) -> None:
        self._go_to, self._write, self._warn, self._leave = go_to, write, warn, leave
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
                prompt.focus()

    def close(self) -> None:
        """Put the prompts away."""
        for prompt in self.widgets:
            prompt.value, prompt.display = "", False
        self._leave()

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
