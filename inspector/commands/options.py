"""What commands share: their options, and how answers are printed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from inspector.core.text import safe


class ProfileOption(click.Option):
    """--profile, whose help names the engines that there are, those of other packages too."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **{**options, "metavar": "NAME"})

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """The flag and its help."""
        from inspector.engines.registry import names

        self.help = (
            f"{', '.join(names())}, a release of Hermes to the patch as hermes-0.18.1; "
            "default: detected, documented for files."
        )
        return super().get_help_record(ctx)


PATH_HELP = (
    "PATH may be left out: then every store found on this machine is read (`stores` lists them). A conversation "
    "that is the only one need not be named."
)


def settings_options(command: Callable[..., Any]) -> Callable[..., Any]:
    options = [
        click.option("--profile", cls=ProfileOption),
        click.option("--context-length", type=int, metavar="TOKENS", help="The model's context window."),
        click.option("--max-tokens", type=int, metavar="TOKENS", help="The output reservation."),
        click.option(
            "--summary-context", type=int, metavar="TOKENS", help="The summary model's context window."
        ),
        click.option("--threshold", type=float, metavar="SHARE", help="Compact at this share of the window."),
        click.option(
            "--target-ratio", type=float, metavar="SHARE", help="Tail budget as a share of the threshold."
        ),
        click.option("--protect-first-n", type=int, metavar="N", help="Messages of the head."),
        click.option("--protect-last-n", type=int, metavar="N", help="Messages of the tail, at least."),
        click.option(
            "--threshold-cap", type=int, metavar="TOKENS", help="Compact at so many tokens at the latest."
        ),
        click.option(
            "--min-tail-user-messages", type=int, metavar="N", help="User messages of the tail, at least."
        ),
        click.option(
            "--tail-mode",
            type=click.Choice(["lean", "legacy"]),
            help="Tail budget from the window (lean), or from the threshold.",
        ),
        click.option(
            "--config",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Hermes' config.yaml to read settings from.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def source_options(command: Callable[..., Any]) -> Callable[..., Any]:
    command = click.option("--demo", is_flag=True, help="Use the bundled databases.")(command)
    return click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")(
        command
    )


def print_answer(document: Any, as_json: bool, text: Callable[[Any], None]) -> None:
    if as_json:
        from inspector.export.documents.document import json_bytes

        click.echo(json_bytes(document))
    else:
        text(document)


def say(notes: Sequence[str]) -> None:
    for note in notes:
        click.echo(safe(note), err=True)
