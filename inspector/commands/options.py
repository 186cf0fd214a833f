"""Shared options of commands, and printing of answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite, nan
from pathlib import Path
from typing import Any, TypeVar

import click

from inspector.core.text import safe, safe_line
from inspector.engines.settings import SETTINGS, Setting


class ProfileOption(click.Option):
    """The option --profile. Its help names all engines, including those of other packages."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the flag and its help."""
        from inspector.engines.registry import names

        self.help = (
            f"{', '.join(names())}, or a release of Hermes such as hermes-0.18.1. "
            "Default: the detected profile, or documented for a file of messages."
        )
        return super().get_help_record(ctx)


#: A decorator that adds options to a command.
Option = Callable[[Any], Any]
PATH_HELP = "Without PATH, the command reads every store on this machine (`stores` lists them)."
#: Help of a command that needs one conversation.
CONVERSATION_HELP = "CONVERSATION may be left out if the store has only one conversation."


#: The largest number on the command line. Databases and floats represent it exactly.
_LARGEST = 10**15
T = TypeVar("T")


class Whole(click.ParamType):  # type: ignore[type-arg]
    """A whole number of at least `least`."""

    name = "integer"

    def __init__(self, least: int = -_LARGEST) -> None:
        self.least = least

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the given number."""
        try:
            number = int(value)
        except ValueError:
            text = str(value).strip()
            if not text.removeprefix("-").isdecimal():
                self.fail(f"{safe_line(str(value), 40)!r} is not a whole number.", param, ctx)
            # Python converts no number of thousands of digits.
            number = -_LARGEST - 1 if text.startswith("-") else _LARGEST + 1
        if not self.least <= number <= _LARGEST:
            shown = safe_line(str(value), 40)
            self.fail(
                f"{shown} is too {'small' if number < self.least else 'large'}: the number must lie between "
                f"{self.least:,} and {_LARGEST:,}.",
                param,
                ctx,
            )
        return number


class Number(click.ParamType):  # type: ignore[type-arg]
    """A finite number from `least` to `most`."""

    name = "float"

    def __init__(self, least: float = -_LARGEST, most: float = _LARGEST) -> None:
        self.least, self.most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the given number."""
        try:
            number = float(value)
        except ValueError:
            number = nan
        shown = safe_line(str(value), 40)
        if not isfinite(number):
            self.fail(f"{shown!r} is not a number.", param, ctx)
        if not self.least <= number <= self.most:
            self.fail(f"{shown} is not a number from {self.least:,g} to {self.most:,g}.", param, ctx)
        return number


#: Any whole number, and a whole number of at least one.
WHOLE, COUNT = Whole(), Whole(1)


#: The key in click's context that asks for plain lines.
_PLAIN = "inspector.plain"


def _ask_plain(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    ctx.meta[_PLAIN] = value


def is_plain() -> bool:
    """Return whether the command was given --plain."""
    ctx = click.get_current_context(silent=True)
    return bool(ctx is not None and ctx.meta.get(_PLAIN))


#: The settings that have a plain option: all but the profile.
_BESIDES_PROFILE = tuple(row for row in SETTINGS.values() if row.name != "profile")
METAVARS = {"share": "SHARE", "tokens": "TOKENS", "count": "N"}


def together(*options: Option) -> Option:
    """Return one decorator for several, which adds their options in this order."""

    def add(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def _setting(row: Setting) -> Option:
    if row.kind == "choice":
        return click.option(row.flag, type=click.Choice(row.choices), help=row.help)
    number = Number() if row.kind == "share" else WHOLE
    return click.option(row.flag, type=number, metavar=METAVARS[row.kind], help=row.help)


plain_option = click.option(
    "--plain", is_flag=True, expose_value=False, callback=_ask_plain,
    help="Plain lines for screen readers, one field per line.",
)  # fmt: skip
demo_option = click.option("--demo", is_flag=True, help="Use the bundled databases.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
mask_option = click.option("--no-mask", is_flag=True, help="Print keys and passwords unmasked.")
scheduler_option = click.option(
    "--scheduler", default="local", show_default=True, metavar="ADDRESS",
    help="`local` or `local:N`: processes of this machine; else the address of a Dask scheduler.",
)  # fmt: skip
#: An option for each setting, and the file to read settings from.
settings_options = together(
    click.option("--profile", cls=ProfileOption, metavar="NAME"),
    *map(_setting, _BESIDES_PROFILE),
    click.option(
        "--config",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Hermes' config.yaml to read settings from.",
    ),
)
#: An option for the values of each setting that can be swept.
range_options = together(
    *(click.option(row.flag, metavar="RANGE", help=row.help) for row in _BESIDES_PROFILE if row.swept)
)


def print_answer(
    answer: T,
    as_json: bool,
    print_text: Callable[[T], object],
    document_of: Callable[[T], Any] = lambda answer: answer,
    entry: str = "entry",
) -> None:
    """Print an answer: its document as JSON, or as plain lines with --plain; else by the function `print_text`.

    `entry` is the word for an entry of a list in plain lines.
    """
    if as_json:
        from inspector.export.document import json_bytes

        click.echo(json_bytes(document_of(answer)))
    elif is_plain():
        from inspector.export.document import plain_lines

        for line in plain_lines(document_of(answer), entry):
            click.echo(line)
    else:
        print_text(answer)


def print_notes(notes: Sequence[str]) -> None:
    """Write each note as a line of standard error."""
    from inspector.config.folders import with_urls

    for note in notes:
        click.echo(safe(with_urls(note)), err=True)
