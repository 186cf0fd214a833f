"""The command for CI: exit code 3 if a condition is met."""

from __future__ import annotations

from pathlib import Path

import click

from inspector.commands.asking import Asked, command, raise_unread, shared_options
from inspector.commands.options import (
    mask_option,
    print_answer,
    print_notes,
    scheduler_option,
    settings_options,
)
from inspector.commands.sources import open_source
from inspector.core.errors import CheckFailed, UsageProblem
from inspector.core.shares import plural


@command("[PATH] [CONVERSATION...]")
@click.option(
    "--fail-on", "wanted", multiple=True, metavar="NAME[:N]",
    help="A rule, a severity or `aftermath`: fail at N cases or more. May be repeated. "
    "Default: error, constraint-lost.",
)  # fmt: skip
@click.option(
    "--format", "form", default="text", show_default=True,
    type=click.Choice(["text", "json", "github", "junit", "html", "markdown"]),
    help="Output format; html and markdown need --against.",
)  # fmt: skip
@click.option("--allow-unknown", is_flag=True, help="Pass even if something could not be read.")
@click.option("--baseline", type=click.Path(path_type=Path), metavar="FILE", help="Ignore the cases in FILE.")
@click.option(
    "--write-baseline",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write every case to FILE and pass.",
)
@click.option(
    "--against",
    metavar="PATH",
    help="Compare with the sessions in this PATH: the same tasks with another setup.",
)
@click.option("--force", is_flag=True, help="Overwrite the baseline FILE.")
@shared_options(mask_option, scheduler_option, settings_options)
def check(
    asked: Asked, wanted: tuple[str, ...], form: str, allow_unknown: bool, baseline: Path | None,
    write_baseline: Path | None, against: str | None, force: bool,
) -> None:  # fmt: skip
    """Fail if compactions lost something; for CI and evals.

    The exit code is 3 if a condition is met, or if something could not be read and --allow-unknown is not given.
    """
    from inspector.answers.checking import DEFAULT, baseline_text, parse_condition, read_baseline
    from inspector.answers.checking import check as run_check
    from inspector.export.checks import check_annotations, check_document, check_junit, check_text
    from inspector.export.masking import DocumentMasker
    from inspector.export.writing import write_file

    conditions = list(dict.fromkeys(map(parse_condition, wanted or DEFAULT)))
    if write_baseline is not None and baseline is not None:
        raise UsageProblem("Give --baseline or --write-baseline, not both.")
    if asked.as_json and form not in ("text", "json"):
        raise UsageProblem(f"Give --json or --format {form}, not both.")
    form = "json" if asked.as_json else form
    if against is not None:
        if wanted or allow_unknown or baseline is not None or write_baseline is not None:
            raise UsageProblem(
                "--against compares two folders and checks no condition: leave out --fail-on, --allow-unknown, "
                "--baseline and --write-baseline."
            )
        _compare(asked, against, form)
        return
    if form in ("html", "markdown"):
        raise UsageProblem(
            f"--format {form} is for --against; `report` writes a page about one conversation."
        )
    ignored = frozenset() if baseline is None else read_baseline(baseline)
    answers, names = asked.several()
    with asked.interrupts():
        result = run_check(answers, names, conditions, ignored, allow_unknown)
    masker = DocumentMasker(bool(asked.masking))
    shown = masker(result)
    if write_baseline is not None:
        write_file(write_baseline, baseline_text(result), answers.paths(), force)
        count = sum(len(met.cases) for met in result.met)
        print_notes([f"Wrote {plural(count, 'case')} to {write_baseline}.", *shown.unknown])
        return
    if form == "json":
        print_answer(check_document(shown), True, print)
    else:
        write = {"text": check_text, "github": check_annotations, "junit": check_junit}[form]
        click.echo(write(shown), nl=False)
    print_notes(masker.notes)
    if result.failed:
        raise CheckFailed(result.sentence)


def _compare(asked: Asked, against: str, form: str) -> None:
    """Print the comparison of two folders."""
    from inspector.answers.answers import Answers
    from inspector.answers.comparing import compare
    from inspector.export.comparing import comparison_document, comparison_page, comparison_text

    one, names = asked.several()
    if names or form in ("github", "junit"):
        raise UsageProblem(
            "--against compares two whole folders, as text, JSON, html or markdown: name no conversation."
        )
    other = Answers(open_source(against, False), asked.flags, asked.config)
    labels = (asked.path or ("demo" if asked.demo else "this machine"), against)
    comparison = compare(one, other, labels)
    if form == "json":
        print_answer(comparison_document(comparison), True, print)
    elif form == "text":
        click.echo(comparison_text(comparison), nl=False)
    else:
        click.echo(comparison_page(comparison, form == "html"), nl=False)
    raise_unread(one, other, named=True, about_all=True)
