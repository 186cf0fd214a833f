"""A report asked for by path: its form, and the report in it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from inspector.core.errors import UsageProblem
from inspector.export.report.rendering import render_html, render_markdown
from inspector.export.report.values import Report

Form = Literal["html", "markdown"]
_ENDINGS: dict[str, Form] = {".html": "html", ".htm": "html", ".md": "markdown", ".markdown": "markdown"}


def form_of(path: Path | None, asked: str | None) -> Form:
    """Return the wanted form, else the form of the file's ending; HTML for standard output (no path).

    Raises UsageProblem where neither names a form.
    """
    if asked == "html" or (asked is None and path is None):
        return "html"
    if asked == "markdown":
        return "markdown"
    ending = "" if path is None else path.suffix.lower()
    if ending not in _ENDINGS:
        raise UsageProblem(
            f"{path} ends neither with .html nor with .md; name such a file, or say --format html or markdown."
        )
    return _ENDINGS[ending]


def render(report: Report, form: Form) -> str:
    """The report in a form."""
    return render_markdown(report) if form == "markdown" else render_html(report)
