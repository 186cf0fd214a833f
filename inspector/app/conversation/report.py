"""A report of the conversation on screen, written to a file in a thread."""

from __future__ import annotations

import re
import time
from pathlib import Path

from inspector.answers.answers import Answers, paths_of
from inspector.app.conversation.host import Host
from inspector.app.overwriting import Overwriting
from inspector.core.text import safe, safe_line
from inspector.core.watching import Watch
from inspector.engines.settings import difference

_ABOUT = (
    "Write a report: an HTML page without scripts (.html), or Markdown (.md). It quotes the conversation."
)
_UNFIT = re.compile(r"[^\w-]+")


class ReportWriter:
    """Writes reports under the settings on screen."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._overwriting = Overwriting()

    def ask(self) -> None:
        """Ask for a file, and write the report to it."""
        host, opened = self._host, self._host.loaded.opened
        if opened is None:
            return
        row = opened.inspection.conversation.row
        name = _UNFIT.sub("-", safe_line(row.title or row.id, 60)).strip("-").lower() or "report"

        def take(text: str) -> None:
            from inspector.export.report.rendering import form_of

            path = Path(text).expanduser()
            form_of(path, None)
            force = self._overwriting.check(path, paths_of(host.store))
            changed = difference(host.state.settings, opened.resolved.settings)
            answers = Answers(host.store, {**host.flags, **changed}, host.config)
            host.jobs.cancel("report")
            host.jobs.run("report", (answers, row.id, path, force, time.time()), write_report, self._written)

        host.app.notify(_ABOUT, timeout=6)
        host.question.ask("a file ending with .html or .md", take, f"{name}.html")

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
    from inspector.export.report.gathering import gather_report
    from inspector.export.report.rendering import form_of, render
    from inspector.export.writing import write_file

    report = gather_report(
        answers, conversation, now, lambda what, done, total: watch(f"report: {what}", done, total)
    )
    text = render(report, form_of(path, None))
    watch.check()
    return path, write_file(path, text, answers.paths(), force)
