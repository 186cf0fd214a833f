"""The command that writes conversations as tables."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import click

from inspector.commands.asking import Asked, asks
from inspector.commands.completing import path_argument
from inspector.commands.options import PATH_HELP, say, settings_options
from inspector.commands.scheduling import scheduler_option
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
@asks
def export_tables(asked: Asked, target: Path) -> None:
    """Write conversations, compactions, requests, facts, aftermath and findings as tables.

    A second run writes what changed. An interrupted run continues where it ended.
    """
    from inspector.export.dataset import export, sink_for

    answers = asked.whole()
    with asked.interrupts(), closing(sink_for(target, answers.paths())) as sink:
        written, unchanged, problems = export(answers, sink, bool(asked.masking))
    click.echo(f"Wrote {written:,} conversations to {target}; {unchanged:,} had not changed.")
    say(problems)
    if problems and not written and not unchanged:
        raise InspectorError("No conversation could be read, so nothing was written.")
