"""The commands that write files: tables of all conversations, and a report of one."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import click

from inspector.commands.asking import Asked, asks, command
from inspector.commands.options import (
    demo_option,
    print_answer,
    print_notes,
    scheduler_option,
    settings_options,
)
from inspector.core.errors import InspectorError, UsageProblem
from inspector.core.shares import plural
from inspector.core.text import safe


@command("[PATH]", "export")
@click.option(
    "--to", "target", type=click.Path(path_type=Path), required=True, metavar="FILE.db|FOLDER",
    help="A SQLite database, or a folder of Parquet files (the extra `parquet`).",
)  # fmt: skip
@click.option("--no-mask", is_flag=True, help="Leave keys and passwords in the texts.")
@scheduler_option
@demo_option
@settings_options
@asks
def export_tables(asked: Asked, target: Path) -> None:
    """Write tables for SQL: a database or Parquet files.

    The tables are conversations, compactions, requests, facts, aftermath and findings. A second run writes only
    changes. An interrupted run continues.
    """
    from inspector.export.dataset import export, sink_for

    answers = asked.whole()
    with asked.interrupts(), closing(sink_for(target, answers.paths())) as sink:
        written, unchanged, notes = export(answers, sink, bool(asked.masking))
    click.echo(f"Wrote {plural(written, 'conversation')} to {target}; {unchanged:,} had not changed.")
    print_notes(notes)
    if (notes or answers.unread) and not written and not unchanged:
        print_notes(answers.unread)
        raise InspectorError("No conversation could be read, so nothing was written.")
    asked.raise_unread()


@command("[PATH] [CONVERSATION]", "report")
@click.option("--output", metavar="FILE", help="The file to write; - for standard output.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["html", "markdown"]),
    help="Default: by the ending of FILE (.html, .md); html for standard output.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of a file.")
@click.option("--force", is_flag=True, help="Overwrite an existing FILE.")
@click.option("--no-mask", is_flag=True, help="Leave keys and passwords in the report.")
@demo_option
@settings_options
@asks
def report_command(asked: Asked, output: str | None, form: str | None, force: bool) -> None:
    """Write a report of a conversation as HTML or Markdown.

    The report has the course of the conversation, the losses of each compaction, the summaries and their differences,
    the measures, and the facts at risk. It quotes the conversation; keys and passwords are masked.
    """
    from inspector.export.report.gathering import gather_report
    from inspector.export.report.rendering import form_of, render, report_document
    from inspector.export.writing import check_target, write_file

    if asked.as_json == (output is not None):
        raise UsageProblem("Give either --output FILE or --json.")
    if asked.as_json and form is not None:
        raise UsageProblem("Give --json or --format, not both.")
    masking, asked.masking = bool(asked.masking), None
    target = None if output in (None, "-") else Path(output or "")
    wanted = None if asked.as_json else form_of(target, form)
    answers, name = asked.one()
    if target is not None:
        check_target(target, answers.paths(), force)

    def make() -> Any:
        report = gather_report(answers, name, time.time(), mask=masking)
        return report_document(report) if wanted is None else render(report, wanted)

    document = _kept(asked, name, make, wanted, masking)
    if wanted is None:
        print_answer(document, True, click.echo)
    elif target is None:
        click.echo(document.encode("utf-8", errors="replace"), nl=False)
    else:
        size = write_file(target, document, answers.paths(), force)
        click.echo(safe(f"Wrote {target} ({size / 1000:,.0f} kB)."))
    asked.end()


def _kept(asked: Asked, name: str, make: Callable[[], Any], *options: Any) -> Any:
    """Return a stored report, or make it. With attempts it is always made, because attempts change by themselves."""
    from inspector.answers.attempting import attempts_by_name
    from inspector.models.kept import default_attempts

    if attempts_by_name(asked.answers.store, name, default_attempts()):
        return make()
    return asked.kept("report", lambda _: make(), *options)(name)
