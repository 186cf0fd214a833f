"""A report as a page, as Markdown or as JSON: templates are filled in, and every text in them is escaped.

Templates escape by default: every expression is a text, except the results of macros and of the filters in this module.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from inspect import isfunction
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

from inspector.answers.attempt_survival import SummaryOutcome
from inspector.answers.requests import estimate_words
from inspector.answers.summaries import ComparedSummaries, SummaryLives
from inspector.caching.requests import Requests
from inspector.core.errors import UsageProblem
from inspector.core.shares import plural
from inspector.core.signs import CHANGE_SIGNS, FATE_SIGNS
from inspector.core.text import safe, safe_title
from inspector.export import attempts, fact_results, facts, generations, measures, requests, summaries
from inspector.export.config import budgets_document, settings_document
from inspector.export.document import Document, built, fields_of
from inspector.export.findings import finding_document
from inspector.export.report import charting, rows, wording
from inspector.export.report.parts import DRIFT, EVENTS
from inspector.export.report.values import CompactionPart, Report
from inspector.models.attempt import Attempt
from inspector.quality.aftermath import AftermathEvent, counts_again
from inspector.quality.facts.fact import OUTCOMES, Life
from inspector.quality.facts.risk import AtRisk
from inspector.quality.finding import Finding
from inspector.quality.measures import Measures

if TYPE_CHECKING:
    from jinja2 import Environment

Form = Literal["html", "markdown"]
_ENDINGS: dict[str, Form] = {".html": "html", ".htm": "html", ".md": "markdown", ".markdown": "markdown"}
#: The page may load and run nothing. Styles are inline, and a picture must be in the file.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
#: Characters that Markdown reads as markup.
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|~&$@])")
#: Marks that start a block at the start of a line: headings, lists, rules, quotes, definitions.
_OPENS = re.compile(r"^([#+=\-:!%^])")
_ORDERED = re.compile(r"^(\d{1,9})([.)])(?=\s|$)")
#: Texts that some renderers turn into links.
_ADDRESS = re.compile(r"(?i)(\b(?:https?|ftp|mailto|xmpp|javascript|data|file|vbscript))(:)|(\bwww)(\.)")
_TICKS = re.compile(r"`+")


def render(report: Report, form: Form) -> str:
    """Return the report in a form."""
    return filled("report", form, report=report)


def filled(name: str, form: Form, **values: Any) -> str:
    """Return a template with values: as a page without scripts that loads nothing, or as Markdown without raw HTML."""
    templates = markdown_templates() if form == "markdown" else html_templates()
    return templates.get_template(f"{name}.j2").render(form=form, **values).lstrip()


@lru_cache(maxsize=1)
def html_templates() -> Environment:
    """Return the templates of pages: no text acts on a browser or changes the direction of the text around it."""
    return _templates(safe)


@lru_cache(maxsize=1)
def markdown_templates() -> Environment:
    """Return the templates of documents: a text is one line that Markdown shows unchanged."""
    from markupsafe import Markup

    templates = _templates(lambda text: Markup(line(text)))
    templates.filters["fenced"] = lambda text, language="text": Markup(fenced(text, language))
    return templates


def _templates(shown: Callable[[str], str]) -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    def finalize(value: Any) -> str:
        if isinstance(value, Markup):
            return value
        if isinstance(value, float):
            value = f"{value:.2f}".rstrip("0").rstrip(".")
        return shown(str(value))

    templates = Environment(
        loader=PackageLoader("inspector.export"),
        autoescape=True,
        finalize=finalize,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    templates.filters |= _FILTERS
    templates.globals |= {
        "policy": POLICY,
        "fate_columns": ("kind", *(f">{FATE_SIGNS[outcome]} {outcome}" for outcome in OUTCOMES), ">all"),
        "measure_columns": measures.COLUMNS,
        "cause_columns": requests.CAUSE_COLUMNS,
        "length_columns": summaries.LENGTH_COLUMNS,
        "fate_signs": FATE_SIGNS,
        "chart_width": charting.WIDTH,
        "most_drift": DRIFT,
        "most_events": EVENTS,
    }
    return templates


def _functions(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """Return the public functions that a module defines."""
    return {
        name: function
        for name, function in vars(module).items()
        if isfunction(function) and function.__module__ == module.__name__ and not name.startswith("_")
    }


#: Names for templates: words, charts and filters.
_FILTERS: dict[str, Callable[..., Any]] = {
    name: function
    for module in (
        rows,
        wording,
        charting,
        attempts,
        fact_results,
        facts,
        generations,
        measures,
        requests,
        summaries,
    )
    for name, function in _functions(module).items()
} | {
    "counts_again": counts_again,
    "change_sign": CHANGE_SIGNS.__getitem__,
    "estimate_words": estimate_words,
    "column": lambda name: name.removeprefix(">"),
    "n": lambda value: f"{value:,}",
    "plural": plural,
    "titled": safe_title,
}


def form_of(path: Path | None, asked: str | None) -> Form:
    """Return the wanted form, else the form of the file's ending; HTML for standard output (no path).

    Raises UsageProblem if neither names a form.
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


def report_document(report: Report) -> Document:
    """Return the content of a report."""
    head = fields_of(
        report,
        "title=row.unmasked_title conversation=row.id database model=row.model source=row.source",
        "sessions=row.sessions started_at=row.started_at last_active=row.last_active",
    )
    names = (name for name in report.__struct_fields__ if name != "row")
    document = head | {name: built(getattr(report, name), _special) for name in names}
    return document | {
        "settings": settings_document(report.settings),
        "budgets": budgets_document(report.budgets, report.settings.sources),
    }


def _compaction(part: CompactionPart) -> Document:
    names = (name for name in part.__struct_fields__ if name != "judged")
    document: Document = generations.compaction_document(part.judged)
    document |= {name: built(getattr(part, name), _special) for name in names}
    return document | ({} if part.recorded.before else {"tokens": None})


def _at_risk(risk: AtRisk) -> Document:
    return facts.carried_document(risk.fact) | fields_of(risk, "once places")


#: The document that another command has for a value, by its type.
_DOCUMENTS: dict[type, Callable[[Any], Any]] = {
    AftermathEvent: fact_results.event_document,
    AtRisk: _at_risk,
    Attempt: attempts.attempt_document,
    CompactionPart: _compaction,
    ComparedSummaries: summaries.diff_document,
    Finding: finding_document,
    Life: facts.life_document,
    Measures: measures.measure_documents,
    Requests: requests.sums_document,
    SummaryLives: summaries.lineage_document,
    SummaryOutcome: attempts.outcome_document,
}


def _special(value: Any) -> Any:
    make = _DOCUMENTS.get(type(value))
    return None if make is None else make(value)


def line(text: str) -> str:
    """Return a text in one line that Markdown shows unchanged, in any place.

    An empty text becomes "(nothing)": a bare list mark would make a heading of the line above.
    """
    shown = " ".join(safe(text).split())
    if not shown:
        return "(nothing)"
    shown = _SPECIAL.sub(r"\\\1", shown)
    shown = _ADDRESS.sub(lambda match: "\\".join(part for part in match.groups() if part), shown)
    shown = _OPENS.sub(r"\\\1", shown)
    return _ORDERED.sub(r"\1\\\2", shown)


def fenced(text: str, language: str = "text") -> str:
    """Return a text as a code block. Its fence is longer than any run of backticks in the text."""
    body = safe(text)
    fence = "`" * max(3, max((len(run) for run in _TICKS.findall(body)), default=0) + 1)
    return f"{fence}{language}\n{body}\n{fence}"
