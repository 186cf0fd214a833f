"""A report of the conversation on screen, written to a file in a thread."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from inspector.answers.answers import Answers, paths_of
from inspector.core.errors import InspectorError
from inspector.core.text import safe, safe_line
from inspector.core.watching import Watch
from inspector.engines.settings import difference

if TYPE_CHECKING:
    from inspector.app.conversation.intents import ConversationHost
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
        """Yield the format, the file, and the problem."""
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


class ReportWriter:
    """Writes reports under the settings on screen."""

    def __init__(self, host: ConversationHost) -> None:
        self._host = host

    def ask(self) -> None:
        """Ask for a file, and write the report to it."""
        host, opened = self._host, self._host.loaded.opened
        if opened is None:
            return
        row = opened.inspection.conversation.row
        name = _UNFIT.sub("-", safe_line(row.title or row.id, 60)).strip("-").lower() or "report"

        def chosen(answer: tuple[Path, bool] | None) -> None:
            if answer is not None:
                changed = difference(host.state.settings, opened.resolved.settings)
                answers = Answers(host.store, {**host.flags, **changed}, host.config)
                host.jobs.cancel("report")
                host.jobs.run("report", (answers, row.id, *answer, time.time()), write_report, self._written)

        host.app.push_screen(ReportPrompt(f"{name}.html", paths_of(host.store)), chosen)

    def _written(self, written: tuple[Path, int]) -> None:
        path, size = written
        self._host.app.notify(
            safe(f"The report is in {path} ({size / 1000:,.0f} kB)."), timeout=5, markup=False
        )


def write_report(
    answers: Answers, conversation: str, path: Path, force: bool, now: float, watch: Watch
) -> tuple[Path, int]:
    """Gather a report and write it to a file: its path and its size in bytes.

    Raises StoreErrors, EngineErrors, OutputProblem.
    """
    from inspector.export.report.forms import form_of, render
    from inspector.export.report.gathering import gather_report
    from inspector.export.writing import write_file

    report = gather_report(
        answers, conversation, now, lambda what, done, total: watch(f"report: {what}", done, total)
    )
    text = render(report, form_of(path, None))
    watch.check()
    return path, write_file(path, text, answers.paths(), force)
