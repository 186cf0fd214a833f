"""The command that opens the app, which is imported only here."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from inspector.commands.options import (
    flags_of,
    open_source,
    path_or_name,
    settings_options,
)

if TYPE_CHECKING:
    from inspector.stores.base import Store


@click.command("open", hidden=True)
@click.argument("words", nargs=-1, metavar="[PATH] [CONVERSATION]")
@click.option("--demo", is_flag=True, help="Use the bundled databases.")
@click.option("--theme", metavar="NAME", help="A colour theme, for this run.")
@settings_options
def open_app(
    words: tuple[str, ...], demo: bool, theme: str | None, config: Path | None, **options: Any
) -> None:
    """Open the terminal app. PATH may be left out: then $HERMES_HOME/state.db, else ~/.hermes/state.db."""
    from inspector.bundled import check_installation

    check_installation()
    path, name = path_or_name(words, demo)
    store = open_source(path, demo)
    if not all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout)):
        _without_terminal(store, name, config, options)
        return
    from inspector.app.launch import launch

    launch(store, name, flags_of(options), config, theme)


def _without_terminal(store: Store, name: str | None, config: Path | None, options: dict[str, Any]) -> None:
    from inspector.reports.answers import Answers
    from inspector.reports.text import print_overview

    answers = Answers(store, flags_of(options), config)
    print_overview(answers, name)
    click.echo("\nThis is no terminal. In a terminal the same command opens the app.")
