"""The command that writes conversations as tables."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import click

from inspector.commands.completing import path_argument
from inspector.commands.options import PATH_HELP, say, settings_options
from inspector.commands.scheduling import interrupts, scheduler_option, scheduling_of
from inspector.commands.sources import flags_of, open_source
from inspector.core.errors import InspectorError


@click.command("export", epilog=PATH_HELP)
@path_argument()
@click.option(
    "--to", "target", type=click.Path(path_type=Path), required=True, metavar="FILE.db|FOLDER",
    help="A SQLite database, or a folder of Parquet files (the extra `parquet`).",
)  # fmt: skip
@click.option("--no-mask", is_flag=True, help="Leave keys and passwords in the texts.")
@scheduler_option
@click.option("--demo", is_flag=True, help="Use the bundled databases.")
@settings_options
def export_tables(
    path: str | None,
    target: Path,
    no_mask: bool,
    scheduler: str,
    demo: bool,
    config: Path | None,
    **options: Any,
) -> None:
    """Write conversations, compactions, requests, facts, aftermath and findings as tables.

    A second run writes what changed. An interrupted run continues where it ended.
    """
    from inspector.answers.answers import Answers
    from inspector.export.dataset import export, sink_for

    scheduling, shown = scheduling_of(scheduler)
    answers = Answers(open_source(path, demo), flags_of(options), config, scheduling)
    with interrupts(shown), closing(sink_for(target, answers.paths())) as sink:
        written, unchanged, problems = export(answers, sink, not no_mask)
    click.echo(f"Wrote {written:,} conversations to {target}; {unchanged:,} had not changed.")
    say(problems)
    if problems and not written and not unchanged:
        raise InspectorError("No conversation could be read, so nothing was written.")
