"""The command line: its commands, and the end of a run."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from typing import NoReturn

import click

from inspector import __version__
from inspector.commands import (
    app,
    attempt,
    check,
    conversation,
    export,
    hook,
    judge,
    life,
    report,
    score,
    serve,
    store,
    upcoming,
    watch,
    whatif,
)
from inspector.commands.ending import finish, interrupted

#: Thresholds of the garbage collector.
_GC_THRESHOLDS = (10_000, 20, 100)


class _Commands(click.Group):
    """A group whose first word may be a path, which the app then opens."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Name all agents, also those of other packages."""
        from inspector.agents import titles

        self.help = (self.help or "").replace("{agents}", titles())
        super().format_help_text(ctx, formatter)

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

    Reads the sessions of {agents} and never writes to them. PATH is a database, a transcript, or a folder with such
    files. Without PATH, every store on this machine is read. CONVERSATION is a session id, a unique prefix of an id, a
    title, or a part of a title.
    """


_COMMANDS = (
    app.open_app,
    store.conversations,
    conversation.show,
    conversation.compactions,
    conversation.findings,
    conversation.requests,
    store.losses,
    store.aftermath,
    check.check,
    store.rules,
    store.trace,
    upcoming.next_compaction,
    watch.watch,
    hook.hook,
    serve.serve,
    export.export_tables,
    whatif.plan,
    conversation.diff,
    conversation.facts,
    conversation.breakpoints,
    whatif.replay,
    conversation.measures,
    report.report_command,
    whatif.sweep_command,
    whatif.recommend,
    attempt.attempt,
    attempt.attempts,
    life.life,
    attempt.recall,
    judge.judge,
    score.score,
    store.store,
    store.stores,
    store.search,
)
for _command in _COMMANDS:
    commands.add_command(_command)


def main(args: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit with its code."""
    # An answer lives until it is printed. Searching it for garbage would take a tenth of the time.
    gc.set_threshold(*_GC_THRESHOLDS)
    finish(lambda: _run(args))


def _run(args: Sequence[str] | None) -> int:
    try:
        commands.main(args=list(args) if args is not None else None, standalone_mode=False)
    except click.ClickException as error:
        error.show(sys.stderr)
        return error.exit_code
    except click.Abort:
        return interrupted()
    return 0
