"""A report of the conversation on screen, written to a file in a thread."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message as TextualMessage
from textual.screen import ModalScreen
from textual.widgets import Input, Static
from textual.worker import get_current_worker

from inspector.app.progress import Left, Progress, Pulse
from inspector.app.screens.telling import TellingActions
from inspector.app.work import Failed
from inspector.core.errors import InspectorError
from inspector.core.text import safe, safe_line

if TYPE_CHECKING:
    from inspector.app.host import Host

_ABOUT = "An HTML page without scripts (.html), or Markdown (.md). It holds words of the conversation."
_UNFIT = re.compile(r"[^\w-]+")


class ReportPrompt(ModalScreen["tuple[Path, bool] | None"]):
    """Asks for the file. Answers its path and whether it may be overwritten; None where nothing is to be written."""

    CSS_PATH = "report.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Write nothing", id="report.close"),
    ]
    app: Host

    def __init__(self, suggested: str, databases: Sequence[Path]) -> None:
        super().__init__()
        self.suggested = suggested
        self.databases = databases
        self._asked_about: Path | None = None

    def compose(self) -> ComposeResult:
        """What is written, the file, what is wrong with it."""
        with Vertical(id="report"):
            yield Static(Text("Write a report", style="bold"))
            yield Static(Text(_ABOUT), id="about")
            yield Input(
                self.suggested, placeholder="a file ending with .html or .md", id="path", compact=True
            )
            yield Static(id="problem")

    def on_mount(self) -> None:
        """No problem yet; the file is to be typed."""
        self.query_one("#problem").display = False
        self.query_one(Input).focus()

    @on(Input.Submitted)
    def _typed(self, event: Input.Submitted) -> None:
        from inspector.export.report.forms import form_of
        from inspector.export.writing import check_target

        event.stop()
        name = event.value.strip()
        if not name:
            self.dismiss(None)
            return
        path = Path(name)
        try:
            form_of(path, None)
            target = check_target(path, self.databases, force=True)
        except InspectorError as error:
            self._tell(str(error))
            return
        if target.exists() and self._asked_about != target:
            self._asked_about = target
            self._tell(f"{path} is there already. Enter once more overwrites it.")
            return
        self.dismiss((path.expanduser(), target.exists()))

    def _tell(self, sentence: str) -> None:
        problem = self.query_one("#problem", Static)
        problem.update(Text(safe(sentence)))
        problem.display = True


class Written(TextualMessage):
    """A report was written."""

    def __init__(self, path: Path, size: int) -> None:
        super().__init__()
        self.path = path
        self.size = size


class ReportActions(TellingActions):
    """Writes reports under the settings on screen."""

    def action_report(self) -> None:
        """Ask for a file, and write the report to it."""
        from inspector.answers.answers import paths_of

        if self.inspection is None:
            return
        row = self.inspection.conversation.row
        name = _UNFIT.sub("-", safe_line(row.title or row.id, 60)).strip("-").lower() or "report"

        def chosen(answer: tuple[Path, bool] | None) -> None:
            if answer is not None:
                self.write_report(row.id, *answer, self.changed_settings())

        self.app.push_screen(ReportPrompt(f"{name}.html", paths_of(self.store)), chosen)

    @work(thread=True, group="report", exclusive=True, exit_on_error=False, description="writing a report")
    def write_report(self, conversation: str, path: Path, force: bool, changed: dict[str, Any]) -> None:
        """Gather and write the report; posts Written or Failed."""
        from inspector.answers.answers import Answers
        from inspector.export.report.forms import form_of, render
        from inspector.export.report.gathering import gather_report
        from inspector.export.writing import write_file

        worker = get_current_worker()
        pulses: dict[str, Pulse] = {}

        def watch(what: str, done: int, total: int) -> None:
            if what not in pulses:
                pulses[what] = Pulse(self, worker, "report", f"report: {what}", total)
            pulses[what](done)

        answers = Answers(self.store, {**self.flags, **changed}, self.config)
        self.post_message(Progress("report", "report"))
        try:
            report = gather_report(answers, conversation, time.time(), watch)
            text = render(report, form_of(path, None))
            if worker.is_cancelled:
                return
            size = write_file(path, text, answers.paths(), force)
        except Left:
            return
        except InspectorError as error:
            self.post_message(Failed(str(error)))
            return
        finally:
            self.post_message(Progress("report", ""))
        self.post_message(Written(path, size))

    @on(Written)
    def _written(self, event: Written) -> None:
        self.app.notify(
            safe(f"The report is in {event.path} ({event.size / 1000:,.0f} kB)."), timeout=5, markup=False
        )
