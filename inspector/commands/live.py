"""The commands that follow live agents: from outside, and as a hook that the agent calls."""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING, Any

import click

from inspector.agents import agents
from inspector.commands.asking import Asked, command, raise_unread, shared_options
from inspector.commands.options import Number, Whole, mask_option, print_notes, settings_options
from inspector.core.errors import BadInput, InspectorError
from inspector.core.text import desktop_notification, safe_line, safe_title

if TYPE_CHECKING:
    from inspector.answers.live_events import ConversationState, LiveEvent

#: Bytes of one event of a hook that are read.
_MOST = 50_000_000


@command("[PATH]")
@click.option(
    "--interval",
    type=Number(0.1, 3_600),
    default=2.0,
    show_default=True,
    metavar="SECONDS",
    help="Time between two reads.",
)
@click.option(
    "--once", is_flag=True, help="Read once, print the conversations near their threshold, and end."
)
@click.option("--notify", is_flag=True, help="Ring the bell and send a desktop notification (OSC 9 and 777).")
@shared_options(mask_option, settings_options)
def watch(asked: Asked, interval: float, once: bool, notify: bool) -> None:
    """Follow live conversations, one line for each event.

    Events: near the threshold, compacted, lost, done again. ctrl+c ends it.
    """
    from inspector.answers.live_events import look
    from inspector.export.masking import DocumentMasker

    masker = DocumentMasker(bool(asked.masking))
    seen: dict[str, ConversationState] | None = None
    notes: tuple[str, ...] = ()
    if not once:
        print_notes(["Following live conversations; ctrl+c ends it."])
    try:
        while True:
            answers = asked.whole()
            try:
                events, seen = look(answers, seen)
                before, notes = notes, answers.store.notes
            finally:
                answers.store.close()
            print_notes([sentence for sentence in notes if sentence not in before])
            for event in masker(events):
                click.echo(_json(event) if asked.as_json else _text(event))
                if notify and sys.stderr.isatty():
                    title = event.row.unmasked_title or event.row.id
                    click.echo(desktop_notification(title, event.text), nl=False, err=True)
            if once:
                if not events:
                    print_notes(["No conversation is near its threshold."])
                print_notes(masker.notes)
                answers.unread += [event.text for event in events if event.kind == "unreadable"]
                raise_unread(answers, named=True, about_all=True)
                return
            sys.stdout.flush()
            time.sleep(interval)
    except KeyboardInterrupt:
        return


def _text(event: LiveEvent) -> str:
    title = safe_title(event.row.unmasked_title or event.row.id, 60)
    where = "" if event.compaction is None else f"  compaction {event.compaction}"
    return f"{time.strftime('%H:%M:%S')}  {event.kind:<10}  {title}{where}  {safe_line(event.text)}"


def _json(event: LiveEvent) -> str:
    return json.dumps(
        {
            "at": time.time(),
            "event": event.kind,
            "conversation": event.row.id,
            "title": safe_title(event.row.unmasked_title),
            "agent": event.row.agent,
            "compaction": event.compaction,
            "text": safe_line(event.text),
            "tokens": event.tokens,
            "threshold_tokens": event.threshold_tokens,
        }
    )


class WrongOptions(click.UsageError):
    """Options of a hook that are refused."""

    exit_code = 1


class HookCommand(click.Command):
    """A command that never ends with exit code 2: agents take it as an order to block what they are about to do."""

    def make_context(self, *args: Any, **options: Any) -> click.Context:
        """Read the options; wrong ones end with exit code 1."""
        try:
            return super().make_context(*args, **options)
        except click.UsageError as error:
            raise WrongOptions(error.format_message(), error.ctx) from error


@click.command(cls=HookCommand)
@click.argument("agent", type=click.Choice(sorted(row.name for row in agents() if row.hook)))
@click.option(
    "--print-settings", is_flag=True, help="Print the block to paste into the agent's settings, and end."
)
@click.option("--status", is_flag=True, help="Print Claude Code's status line.")
@click.option(
    "--budget",
    type=Whole(200),
    default=6_000,
    show_default=True,
    help="Maximum characters for the summarizer.",
)
def hook(agent: str, print_settings: bool, status: bool, budget: int) -> None:
    """Answer a hook of an agent (see docs/hooks.md).

    Prints rules to keep before a compaction, and losses after it. Reads the event as JSON from standard input. A
    failure never blocks the agent: the exit code is 1, and standard output is empty.
    """
    from inspector.answers import hooking

    if print_settings:
        click.echo(hooking.settings_to_paste(agent), nl=False)
        return
    try:
        event = _event() | ({"hook_event_name": "Status"} if status else {})
        answer = hooking.answer(agent, event, budget)
    except InspectorError as error:
        raise BadInput(safe_line(str(error))) from error
    # Agents read and write UTF-8 in every locale.
    click.echo(answer.encode(errors="replace"), nl=False)


def _event() -> dict[str, Any]:
    try:
        event = json.loads(b"" if sys.stdin is None else sys.stdin.buffer.read(_MOST))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"The hook found no valid JSON on standard input ({error}).") from error
    if not isinstance(event, dict):
        raise BadInput("The hook needs a JSON object on standard input.")
    return event
