"""The lines to type into at the foot of the conversation screen: the number of a step, a file to write to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from widgets.base.prompt import Prompt

if TYPE_CHECKING:
    from inspector.app.conversation.screen import ConversationScreen


class Prompts:
    """Asks, and does what was typed. What is typed wrongly stays, so that it can be mended."""

    def __init__(self, screen: ConversationScreen) -> None:
        self._screen = screen
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
        self._screen.message_list.focus()

    def go_to(self, text: str) -> None:
        """Go to the step that was typed."""
        text = text.replace(",", "").strip()
        if not text or text.isdecimal():
            self.close()
        if text.isdecimal():
            self._screen.player.go_to(int(text))
        elif text:
            words = f"{text!r} is no step; type a number."
            self._screen.app.notify(words, severity="warning", markup=False)

    def write(self, name: str) -> None:
        """Write to the file that was typed."""
        if name.strip():
            self._screen.tuner.write(name.strip(), self.close)
        else:
            self.close()
