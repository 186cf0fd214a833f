"""The command line: its commands, and the end of a run."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

import click
from click.shell_completion import CompletionItem

from inspector.commands import COMMANDS
from inspector.commands.completing import PROGRAM, complete_words, script
from inspector.commands.ending import finish, interrupted

#: Options of the program itself.
_OWN_OPTIONS = ("--help", "-h", "--version", "--print-completion")
#: Thresholds of the garbage collector.
_GC_THRESHOLDS = (10_000, 20, 100)


class _Commands(click.Group):
    """A group of lazy commands, whose first word may be a path, which the app then opens."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; None if there is none of the name."""
        return _imported(COMMANDS[cmd_name]) if cmd_name in COMMANDS else None

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Name all agents, also those of other packages."""
        from inspector.agents import titles

        self.help = (self.help or "").replace("{agents}", titles())
        super().format_help_text(ctx, formatter)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if ctx.resilient_parsing and not args:
            # A shell completes the first word: the name of a command, or PATH.
            return super().parse_args(ctx, args)
        if args[:1] == ["--demo"] and args[1:] and args[1] in COMMANDS:
            args = [args[1], "--demo", *args[2:]]
        if not args or args[0] not in (*COMMANDS, *_OWN_OPTIONS):
            args = ["open", *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the first word: a command, a conversation, or a path."""
        completions = super().shell_complete(ctx, incomplete)
        return completions + complete_words(ctx, _imported(COMMANDS["open"]).params[0], incomplete)


def _print_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if not value or ctx.resilient_parsing:
        return
    from inspector.commands.version import version_lines

    for line in version_lines():
        click.echo(line)
    ctx.exit()


def _print_completion(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    if value is None or ctx.resilient_parsing:
        return
    click.echo(script(value))
    ctx.exit()


@click.group(
    cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version, and the extras and agents on this machine.",
)
@click.option(
    "--print-completion",
    type=click.Choice(["bash", "zsh", "fish"]),
    is_eager=True,
    expose_value=False,
    callback=_print_completion,
    help="Print the completion script of a shell.",
)
def commands() -> None:
    """See what an LLM agent's context compaction kept, changed and lost.

    \b
    compaction-inspector [PATH] [CONVERSATION]    the terminal app
    compaction-inspector --demo                   the app on the bundled databases
    compaction-inspector COMMAND ...              the same answers as text or JSON

    Reads the sessions of {agents}. It never writes to them. PATH is a database, a transcript, or a folder with such
    files. Without PATH, every store on this machine is read. CONVERSATION is a session id, a unique prefix of an id, a
    title, or a part of a title.
    """


def every_command() -> dict[str, click.Command]:
    """Return all commands by name."""
    return {name: _imported(place) for name, place in COMMANDS.items()}


def _imported(place: str) -> click.Command:
    module, _, function = place.partition(":")
    command = getattr(import_module(f"inspector.commands.{module}"), function)
    assert isinstance(command, click.Command)
    return command


def main(args: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit with its code."""
    # An answer lives until it is printed. Searching it for garbage would take a tenth of the time.
    gc.set_threshold(*_GC_THRESHOLDS)
    finish(lambda: _run(args))


def _run(args: Sequence[str] | None) -> int:
    try:
        commands.main(list(args) if args is not None else None, PROGRAM, standalone_mode=False)
    except click.ClickException as error:
        error.show(sys.stderr)
        return error.exit_code
    except click.Abort:
        return interrupted()
    return 0
