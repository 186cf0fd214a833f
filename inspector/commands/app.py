"""The commands that open the app, in the terminal and in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from inspector.commands import opening
from inspector.commands.asking import command
from inspector.commands.completing import words_argument
from inspector.commands.options import (
    COUNT,
    Whole,
    demo_option,
    is_plain,
    plain_option,
    print_notes,
    settings_options,
)
from inspector.commands.sources import is_url, open_source
from inspector.core.errors import UsageProblem


@click.command("open", hidden=True)
@words_argument("[PATH] [CONVERSATION]")
@demo_option
@click.option("--theme", metavar="NAME", help="A colour theme, for this run.")
@click.option("--compaction", type=COUNT, metavar="K", help="Open CONVERSATION at this compaction.")
@plain_option
@settings_options
def open_app(words: tuple[str, ...], **options: Any) -> None:
    """Open the terminal app."""
    opening.open_app(words, plain=is_plain(), **options)


@command("[PATH]")
@click.option(
    "--host", default="127.0.0.1", show_default=True, metavar="NAME", help="The address to listen on."
)
@click.option(
    "--port", type=Whole(1), default=8_000, show_default=True, metavar="N", help="The port to listen on."
)
@click.option("--public", is_flag=True, help="Allow a host that other machines can reach.")
@demo_option
def serve(path: str | None, host: str, port: int, public: bool, demo: bool) -> None:
    """Serve the app to a browser.

    By default only this machine can reach it. The printed address has a token, and requests without it are refused.
    `#conversation=NAME&compaction=2` after the address opens that compaction. Each tab runs a separate app.
    """
    if port > 65_535:
        raise UsageProblem(f"--port takes a number up to 65,535, not {port:,}.")
    if demo and path is not None:
        raise UsageProblem(f"--demo reads the bundled databases: leave out --demo or {path}.")
    try:
        from inspector.serving.server import AppServer
    except ImportError as error:
        raise UsageProblem(
            f"Serving needs the extra `serve` ({error.name} is missing): pip install 'compaction-inspector[serve]'."
        ) from error
    words = ["--demo"] if demo else []
    if path is not None:
        # A wrong path is an error here, and not in each tab.
        open_source(path, demo=False).close()
        words = [path if is_url(path) else str(Path(path).absolute())]
    server = AppServer(words, host, port, public)
    print_notes([f"Serving on {server.address}", "ctrl+c ends it."])
    server.run()
