"""The command line: which commands there are, and how a run ends."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

import click

from inspector import __version__
from inspector.commands import app, conversation, report, store, whatif
from inspector.core.errors import InspectorError
from inspector.core.text import safe

if TYPE_CHECKING:
    pass


class _Commands(click.Group):
    """A group whose first word may also be a path: then the app opens it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args[:1] == ["--demo"] and args[1:] and args[1] in self.commands:
            args = [args[1], "--demo", *args[2:]]
        if not args or args[0] not in (*self.commands, "--help", "-h", "--version"):
            args = ["open", *args]
        return super().parse_args(ctx, args)


@click.group(
    cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, prog_name="compaction-inspector")
def commands() -> None:
    """See what an LLM agent's context compaction kept, moved and lost.

    \b
    compaction-inspector [PATH] [CONVERSATION]    the terminal app
    compaction-inspector --demo                   the app on the bundled databases
    compaction-inspector COMMAND ...              the same answers as text or JSON

    Reads Hermes Agent's state.db and never writes to it. PATH may be left out: then $HERMES_HOME/state.db,
    else ~/.hermes/state.db. A conversation is named by a session id, a unique prefix of one, or its title.
    """


_COMMANDS = (
    app.open_app,
    store.conversations,
    conversation.show,
    conversation.compactions,
    conversation.findings,
    whatif.plan,
    conversation.diff,
    conversation.facts,
    conversation.breakpoints,
    whatif.replay,
    conversation.measures,
    report.report_command,
    whatif.sweep_command,
    store.store,
    store.search,
)
for _command in _COMMANDS:
    commands.add_command(_command)


def main(args: Sequence[str] | None = None) -> NoReturn:
    """The command line: runs, prints, and exits with 0, 1 (something to mend) or 2 (usage)."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal or pipe of another encoding loses a sign, not the answer.
            stream.reconfigure(errors="replace")
    try:
        commands.main(args=list(args) if args is not None else None, standalone_mode=False)
        code = 0
    except InspectorError as error:
        click.echo(safe(f"compaction-inspector: {error}"), err=True)
        code = error.exit_code
    except click.ClickException as error:
        error.show(sys.stderr)
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("compaction-inspector: interrupted.", err=True)
        code = 130
    except (BrokenPipeError, SystemExit):
        # The reader (head, less) went away, which is no failure; click and rich end the program with 1 for it.
        code = 0
    except OSError as error:
        code = _unwritten(error)
    sys.exit(_flushed(code))


def _flushed(code: int) -> int:
    """The exit code once everything is written."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        _drop_output()
    except OSError as error:
        return _unwritten(error)
    return code


def _unwritten(error: OSError) -> int:
    """Say that the answer did not get out, and answer exit code 1."""
    click.echo(f"compaction-inspector: The answer could not be written: {error.strerror or error}.", err=True)
    _drop_output()
    return 1


def _drop_output() -> None:
    """Let what is left in the buffer go nowhere, so that Python does not try to write it at its end."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
