"""The command that writes conversations as tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from inspector.commands.options import PATH_HELP, say, settings_options
from inspector.commands.sending import Progress
from inspector.commands.sources import flags_of, open_source
from inspector.core.errors import InspectorError


@click.command("export", epilog=PATH_HELP)
@click.argument("path", required=False)
@click.option(
    "--to", "target", type=click.Path(path_type=Path), required=True, metavar="FILE.db|FOLDER",
    help="A SQLite database, or a folder of Parquet files (the extra `parquet`).",
)  # fmt: skip
@click.option("--no-mask", is_flag=True, help="Leave keys and passwords in the texts.")
@click.option("--demo", is_flag=True, help="Use the bundled databases.")
@settings_options
def export_tables(
    path: str | None, target: Path, no_mask: bool, demo: bool, config: Path | None, **options: Any
) -> None:
    """Write conversations, compactions, requests, facts, aftermath and findings as tables.

    A second run writes what changed. An interrupted run continues where it ended.
    """
    from inspector.answers.answers import Answers
    from inspector.answers.kept_results import default_results
    from inspector.export.dataset import export, sink_for

    answers = Answers(open_source(path, demo), flags_of(options), config)
    sink, progress = sink_for(target, answers.paths()), Progress()
    try:
        written, unchanged, problems = export(answers, sink, default_results(), not no_mask, progress)
    finally:
        progress.end()
        sink.close()
    click.echo(f"Wrote {written:,} conversations to {target}; {unchanged:,} had not changed.")
    say(problems)
    if problems and not written and not unchanged:
        raise InspectorError("No conversation could be read, so nothing was written.")
