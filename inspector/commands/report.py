"""The command that writes a report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from inspector.commands.completing import words_argument
from inspector.commands.options import PATH_HELP, print_answer, say, settings_options
from inspector.commands.sources import flags_of, open_source, path_and_name
from inspector.core.errors import UsageProblem
from inspector.core.text import safe

if TYPE_CHECKING:
    from inspector.answers.answers import Answers
    from inspector.export.report.values import Report


@click.command("report", epilog=PATH_HELP)
@words_argument("[PATH] [CONVERSATION]")
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
@click.option("--demo", is_flag=True, help="Use the bundled databases.")
@settings_options
def report_command(
    words: tuple[str, ...], output: str | None, form: str | None, as_json: bool, force: bool, no_mask: bool,
    demo: bool, config: Path | None, **options: Any,
) -> None:  # fmt: skip
    """Write a report of a conversation: one HTML file without scripts, or Markdown; or print it as JSON.

    The report has the course of the conversation, the losses of each compaction, the summaries and their differences,
    the measures, and what is at risk now. It quotes the conversation; keys and passwords are masked.
    """
    import time

    from inspector.answers.answers import Answers
    from inspector.export.report.forms import form_of, render
    from inspector.export.report.gathering import gather_report
    from inspector.export.writing import check_target, write_file

    if as_json == (output is not None):
        raise UsageProblem("Give either --output FILE or --json.")
    if as_json and form is not None:
        raise UsageProblem("Give --json or --format, not both.")
    path, name = path_and_name(words, demo)

    def gathered() -> Report:
        return gather_report(answers, name, time.time(), mask=not no_mask)

    if as_json:
        from inspector.export.documents.report import report_document

        answers = Answers(open_source(path, demo), flags_of(options), config)
        document = _answer(answers, name, lambda: report_document(gathered()), no_mask)
        print_answer(document, True, click.echo)
        say(answers.notes())
        return
    assert output is not None
    target = None if output == "-" else Path(output)
    wanted = form_of(target, form)
    answers = Answers(open_source(path, demo), flags_of(options), config)
    if target is not None:
        check_target(target, answers.paths(), force)
    text = _answer(answers, name, lambda: render(gathered(), wanted), wanted, no_mask)
    if target is None:
        click.echo(text.encode("utf-8", errors="replace"), nl=False)
    else:
        size = write_file(target, text, answers.paths(), force)
        click.echo(safe(f"Wrote {target} ({size / 1000:,.0f} kB)."))
    say(answers.notes())


def _answer(answers: Answers, name: str, make: Callable[[], Any], *options: Any) -> Any:
    """Return a stored report, or make it. With attempts it is always made, because attempts change by themselves."""
    from inspector.answers.attempting import attempts_named
    from inspector.answers.kept_answers import kept_answer
    from inspector.models.kept import default_attempts

    if attempts_named(answers.store, name, default_attempts()):
        return make()
    return kept_answer(answers, name, "report", make, *options)
