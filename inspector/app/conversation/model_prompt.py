"""Asks for a model of the user, shows recipient and prompts, and sends them on consent."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from msgspec import Struct, convert
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Checkbox, Input, Static

from inspector.app.conversation.model_form import Form, Looked
from inspector.app.jobs import JobMessage, Jobs
from inspector.core.text import safe
from inspector.core.watching import Watch

#: Below this height of the terminal the form is shorter.
LOW = 30
#: (field of the form, placeholder), for every question.
_FIELDS = (
    ("command", "a command that reads a prompt and writes an answer: llm -m MODEL"),
    ("endpoint", "or an endpoint: https://api.openai.com/v1"),
    ("model", "the endpoint's model"),
    ("key", "the environment variable with the endpoint's key"),
)


class ModelQuestion(Struct, frozen=True):
    """A question to a model: the title, a text for the user, and `look`, which returns the content to send.

    `stopped` is said if the user stops the model.
    `fields` are further fields of the form with their placeholders, `ticks` further checkboxes with their labels.
    """

    title: str
    about: str
    look: Callable[[Form, Watch], Looked]
    stopped: str
    fields: tuple[tuple[str, str], ...] = ()
    ticks: tuple[tuple[str, str], ...] = ()


class Tick(Checkbox):
    """A checkbox with a sign that shows its state without colour."""

    @property
    def BUTTON_INNER(self) -> str:  # type: ignore[override]
        """The sign in the box."""
        return "X" if self.value else " "


class ModelPrompt(ModalScreen[bool]):
    """A form, a preview of the prompts, and the button that sends them. The result says whether anything was sent."""

    CSS_PATH = "model_prompt.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Cancel", id="attempt.leave"),
        Binding("ctrl+s", "send", "Send", id="attempt.send", priority=True),
        Binding("down", "app.focus_next", "Next line", show=False, id="attempt.next"),
        Binding("up", "app.focus_previous", "Previous line", show=False, id="attempt.previous"),
    ]

    def __init__(self, question: ModelQuestion, remembered: dict[str, str]) -> None:
        super().__init__()
        self.question = question
        self.remembered = remembered
        self.jobs = Jobs(self, self._notes_shown, self._failed)
        self._looked: Looked | None = None
        self._sent = False

    def compose(self) -> ComposeResult:
        """The form, what would be sent, what to do."""
        with Vertical(id="question", classes="dialog"):
            yield Static(Text(self.question.title, style="bold"))
            yield Static(Text(self.question.about), id="about")
            with VerticalScroll(id="form", can_focus=False):
                for name, words in self._fields:
                    yield Input(self.remembered.get(name, ""), placeholder=words, id=name, compact=True)
                for name, words in self.question.ticks:
                    yield Tick(words, id=name, compact=True)
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
    def _fields(self) -> tuple[tuple[str, str], ...]:
        return (*_FIELDS, *self.question.fields)

    @property
    def form(self) -> Form:
        """The form as typed."""
        texts = {name: self.query_one(f"#{name}", Input).value for name, _ in self._fields}
        ticks = {tick.id or "": tick.value for tick in self.query(Tick)}
        return convert(texts | ticks, Form)

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
        self.remembered.update({name: getattr(form, name) for name, _ in self._fields})
        self._say("Looking at what would be sent …")
        self.jobs.run("look", (form,), self.question.look, self._seen)

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
        self._looked, self._sent = None, True
        self.query_one("#send", Button).disabled = True
        self._say("Sent; esc stops it. Waiting for the first words …")
        self.jobs.run("send", (allowance,), looked.send, self._came)

    def _came(self, problems: tuple[str, ...]) -> None:
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
            self._say(self.question.stopped)
        else:
            self.jobs.cancel("look")
            self.dismiss(self._sent)
