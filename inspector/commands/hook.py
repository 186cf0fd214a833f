"""The command that an agent's own hooks call."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from inspector.commands.options import Whole
from inspector.core.errors import BadInput, InspectorError
from inspector.core.text import safe_line

#: Characters of one event that are read.
_MOST = 50_000_000


@click.command()
@click.argument("agent", type=click.Choice(["claude-code", "codex", "hermes", "opencode", "pi"]))
@click.option(
    "--print-settings", is_flag=True, help="Print the block to paste into the agent's settings, and end."
)
@click.option("--status", is_flag=True, help="Answer Claude Code's status line.")
@click.option(
    "--budget", type=Whole(200), default=6_000, show_default=True, help="Characters for the summarizer."
)
def hook(agent: str, print_settings: bool, status: bool, budget: int) -> None:
    """Answer a hook of an agent: rules to keep before a compaction, losses after it. See docs/hooks.md.

    Reads the event as JSON from standard input. It never blocks the agent: where something fails, the exit code is 1,
    nothing is printed on standard output, and the agent goes on.
    """
    from inspector.answers import hooking

    if print_settings:
        click.echo(hooking.settings_of(agent, "compaction-inspector"), nl=False)
        return
    try:
        event = _event()
        if status:
            click.echo(hooking.status_line(event))
            return
        answer = hooking.AGENTS[agent](event, budget)
    except InspectorError as error:
        raise BadInput(safe_line(str(error))) from error
    if answer.json is not None:
        click.echo(json.dumps(answer.json))
    elif answer.text:
        click.echo(answer.text, nl=False)


def _event() -> dict[str, Any]:
    try:
        event = json.loads(sys.stdin.read(_MOST))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"The hook got no JSON on standard input ({error}).") from error
    if not isinstance(event, dict):
        raise BadInput("The hook got JSON that is no mapping.")
    return event
