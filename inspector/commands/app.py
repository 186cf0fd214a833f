"""The command that opens the app."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from inspector.commands import opening
from inspector.commands.completing import words_argument
from inspector.commands.options import COUNT, demo_option, is_plain, plain_option, settings_options


@click.command("open", hidden=True)
@words_argument("[PATH] [CONVERSATION]")
@demo_option
@click.option("--theme", metavar="NAME", help="A colour theme, for this run.")
@click.option("--compaction", type=COUNT, metavar="K", help="Open CONVERSATION at this compaction.")
@plain_option
@settings_options
def open_app(
    words: tuple[str, ...],
    demo: bool,
    theme: str | None,
    compaction: int | None,
    config: Path | None,
    **options: Any,
) -> None:
    """Open the terminal app. PATH may be left out: then every store found on this machine is read."""
    opening.open_app(
        words,
        demo=demo,
        theme=theme,
        compaction=compaction,
        config=config,
        options=options,
        plain=is_plain(),
    )
