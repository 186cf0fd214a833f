"""Asks for the writer of another summary, shows recipient and prompt, and sends it on consent."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Checkbox, Input, Static

from inspector.app.conversation.attempt_making import Form, Looked, look, send
from inspector.app.jobs import JobMessage, Jobs
from inspector.core.text import safe

if TYPE_CHECKING:
    from inspector.answers.inspection import Inspection
    from inspector.engines.base import Settings
    from inspector.models.attempt import Attempt

_ABOUT = (
    "The input is the same as the engine's, so that only the summarizer differs. Nothing is sent before you see the "
    "recipient and the prompt. Attempts are stored until you delete them."
)
#: Below this height of the terminal the form is shorter.
LOW = 30
#: (field of the form, placeholder).
_FIELDS = (
    ("command", "a command that reads a prompt and writes a summary: llm -m MODEL"),
    ("endpoint", "or an endpoint: https://api.openai.com/v1"),
    ("model", "the endpoint's model"),
    ("key", "the environment variable with the endpoint's key"),
    ("budget", "budget in tokens (empty: the engine's budget)"),
    ("focus", "focus of the summary (empty: the engine's focus)"),
    ("prompt", "a file with a prompt of your own: {turns} {earlier} {budget} {focus}"),
)


class Tick(Checkbox):
    """A checkbox with a sign that shows its state without colour."""

    @property
    def BUTTON_INNER(self) -> str:  # type: ignore[override]
        """The sign in the box."""
        return "X" if self.value else " "


class AttemptPrompt(ModalScreen[bool]):
    """A form, a preview of the prompts, and the button that sends them. The result says whether an attempt was made."""

    CSS_PATH = "attempt.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Cancel", id="attempt.leave"),
        Binding("ctrl+s", "send", "Send", id="attempt.send", priority=True),
        Binding("down", "app.focus_next", "Next line", show=False, id="attempt.next"),
        Binding("up", "app.focus_previous", "Previous line", show=False, id="attempt.previous"),
    ]

    def __init__(
        self,
        inspection: Inspection,
        settings: Settings,
        compaction: int,
        step: int | None,
        remembered: dict[str, str],
    ) -> None:
        super().__init__()
        self.inspection = inspection
        self.settings = settings
        self.compaction = compaction
        self.step = step
        self.remembered = remembered
        self.jobs = Jobs(self, self._notes_shown, self._failed)
        self._looked: Looked | None = None
        self._made = False

    def compose(self) -> ComposeResult:
        """The form, what would be sent, what to do."""
        with Vertical(id="attempt", classes="dialog"):
            what = (
                f"of compaction {self.compaction}" if self.step is None else f"planned at step {self.step:,}"
            )
            yield Static(Text(f"Another summary {what}", style="bold"))
            yield Static(Text(_ABOUT), id="about")
            with VerticalScroll(id="form", can_focus=False):
                for name, words in _FIELDS:
                    yield Input(self.remembered.get(name, ""), placeholder=words, id=name, compact=True)
                yield Tick(
                    "also make each later summary again, from the new one before it",
                    id="life",
                    compact=True,
                )
                yield Tick("mask keys and passwords before they are sent", True, id="masking", compact=True)
            with VerticalScroll(id="said", can_focus=False):
                yield Static(id="notice")
            with Horizontal(id="buttons"):
                yield Button("See what would be sent", id="look", compact=True)
                yield Button("Send", id="send", variant="warning", disabled=True, compact=True)
                yield Button("Cancel", id="leave", compact=True)

    def on_mount(self) -> None:
        """Start with the field of the writer."""
        self.query_one(Input).focus()
        self._say("")

    def on_resize(self) -> None:
        """Make room for the description and the buttons."""
        self.set_class(self.size.height < LOW, "-low")

    @property
    def form(self) -> Form:
        """The form as typed."""
        texts = {name: self.query_one(f"#{name}", Input).value for name, _ in _FIELDS}
        life, masking = (self.query_one(f"#{name}", Checkbox).value for name in ("life", "masking"))
        return Form(**texts, life=life, masking=masking)

    @property
    def notice(self) -> str:
        """Text above the buttons."""
        return str(self.query_one("#notice", Static).content)

    @on(JobMessage)
    def _job_message(self, event: JobMessage) -> None:
        self.jobs.handle(event)

    @on(Input.Changed)
    @on(Checkbox.Changed)
    def _changed(self) -> None:
        """Consent holds for the form as it was then."""
        if self._looked is not None or "look" in self.jobs.busy():
            self._forget()

    def _forget(self) -> None:
        self.jobs.cancel("look")
        self._looked = None
        self.query_one("#send", Button).disabled = True
        self._say("")

    @on(Input.Submitted)
    def _typed(self, event: Input.Submitted) -> None:
        event.stop()
        self._look()

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        {"look": self._look, "send": self.action_send, "leave": self.action_leave}[event.button.id or ""]()

    def _look(self) -> None:
        if "send" in self.jobs.busy():
            return
        self._forget()
        form = self.form
        self.remembered.update({name: getattr(form, name) for name, _ in _FIELDS})
        self._say("Looking at what would be sent …")
        values = (self.inspection, self.settings, self.compaction, self.step, form)
        self.jobs.run("look", values, look, self._seen)

    def _seen(self, looked: Looked) -> None:
        self._looked = looked
        self._say("\n".join(filter(None, (*looked.sending.sentences, looked.note, "ctrl+s sends it."))))
        # Do not move the focus to the button: a second press of enter must not send anything.
        self.query_one("#send", Button).disabled = False
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what was looked at can be sent."""
        return action != "send" or self._looked is not None

    def action_send(self) -> None:
        """Send what was looked at."""
        from inspector.models.consent import Allowance

        looked = self._looked
        if looked is None or "send" in self.jobs.busy():
            return
        # Pressing the button below the recipient and the prompt is the consent.
        allowance = Allowance(looked.sending)
        self._looked, self._made = None, True
        self.query_one("#send", Button).disabled = True
        self._say("Sent; esc stops it. Waiting for the first words …")
        values = (self.inspection, self.settings, looked, allowance)
        self.jobs.run("send", values, send, self._came)

    def _came(self, made: list[Attempt]) -> None:
        problems = [f"Attempt {one.id}: {one.problem}" for one in made if one.problem]
        if problems:
            self._say("\n".join(problems))
            self.jobs.cancel("send")
        else:
            self.dismiss(True)

    def _notes_shown(self, name: str, text: str) -> None:
        if text and name in self.jobs.busy():
            self._say(f"{text}{'; esc stops it' if name == 'send' else ''}")

    def _failed(self, sentence: str) -> None:
        self._say(sentence)
        for name in ("look", "send"):
            self.jobs.cancel(name)

    def _say(self, text: str) -> None:
        notice = self.query_one("#notice", Static)
        notice.update(Text(safe(text)))
        self.query_one("#said").display = bool(text)

    def action_leave(self) -> None:
        """Stop what goes on; else leave."""
        if "send" in self.jobs.busy():
            self.jobs.cancel("send")
            self._say("Stopped. The unfinished text is kept.")
        else:
            self.jobs.cancel("look")
            self.dismiss(self._made)
