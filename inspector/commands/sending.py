"""Shared options of commands that send something, and the question before it is sent."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from inspector.commands.options import Number
from inspector.core.errors import NotAllowed, UsageProblem
from inspector.core.text import safe

if TYPE_CHECKING:
    from inspector.answers.attempting import Wording
    from inspector.models.consent import Allowance, Sending
    from inspector.models.summarizers.base import Summarizer

#: Received characters between two updates of the progress line.
_STEP = 400


def summarizer_options(command: Callable[..., Any]) -> Callable[..., Any]:
    options = [
        click.option(
            "--command", "commands", multiple=True, metavar="LINE",
            help="A command that reads a prompt and writes an answer, such as 'llm -m MODEL'. May be repeated.",
        ),
        click.option("--endpoint", metavar="URL", help="An OpenAI-compatible endpoint, such as https://api.openai.com/v1."),
        click.option("--model", "models", multiple=True, metavar="NAME", help="The endpoint's model. May be repeated."),
        click.option("--key-env", metavar="NAME", help="The environment variable with the endpoint's key."),
        click.option(
            "--timeout", type=Number(1, 86_400), default=600.0, show_default=True, metavar="SECONDS",
            help="Maximum time to wait for an answer.",
        ),
        click.option("--no-mask", is_flag=True, help="Send keys and passwords unmasked."),
        click.option("--send", is_flag=True, help="Send without asking."),
    ]  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


def wording_options(command: Callable[..., Any]) -> Callable[..., Any]:
    options = [
        click.option("--focus", default="", metavar="TEXT", help="Focus of the summary."),
        click.option(
            "--prompt", type=click.Path(path_type=Path), metavar="FILE",
            help="A prompt of your own, with {turns}, {earlier}, {budget} and {focus}.",
        ),
        click.option(
            "--release-prompt", type=click.Path(path_type=Path), metavar="PYTHON",
            help="Use the prompt of the hermes-agent that is installed in this Python.",
        ),
    ]  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


def summarizers_of(
    commands: Sequence[str],
    endpoint: str | None,
    models: Sequence[str],
    key_env: str | None,
    timeout: float,
) -> list[Summarizer]:
    """Return the summarizers named by the options. Raises UsageProblem for none, or for incomplete options."""
    from inspector.models.summarizers.command import CommandSummarizer
    from inspector.models.summarizers.endpoint import EndpointSummarizer

    if endpoint is None and (models or key_env):
        raise UsageProblem("--model and --key-env need --endpoint URL.")
    if endpoint is not None and not models:
        raise UsageProblem("An endpoint needs a model: --model NAME.")
    summarizers: list[Summarizer] = [CommandSummarizer(line, timeout) for line in commands]
    if endpoint is not None:
        summarizers += [EndpointSummarizer(endpoint, model, key_env or "", timeout) for model in models]
    if not summarizers:
        raise UsageProblem(
            "Name the model: --command 'llm -m MODEL', or --endpoint URL --model NAME (--key-env NAME)."
        )
    return list(dict.fromkeys(summarizers))


def one_summarizer(
    commands: Sequence[str], endpoint: str | None, models: Sequence[str], key_env: str | None, timeout: float
) -> Summarizer:
    """Return the only summarizer named by the options. Raises UsageProblem for none and for several."""
    first, *others = summarizers_of(commands, endpoint, models, key_env, timeout)
    if others:
        raise UsageProblem("Name one model: one --command or one --model. Run the command once for each.")
    return first


def wording_of(prompt: Path | None, release: Path | None, focus: str, no_mask: bool) -> Wording:
    from inspector.answers.attempting import Wording

    if prompt is not None and release is not None:
        raise UsageProblem("Give --prompt or --release-prompt, not both.")
    return Wording(prompt, release, focus, not no_mask)


def allowed(sending: Sending, send: bool) -> Allowance:
    """Return the consent of the user, by --send or by an answer in the terminal. Raises NotAllowed."""
    from inspector.models.consent import Allowance

    for sentence in sending.sentences:
        click.echo(safe(sentence), err=True)
    if send:
        return Allowance(sending)
    if not (sys.stdin is not None and sys.stdin.isatty() and sys.stderr is not None and sys.stderr.isatty()):
        raise NotAllowed("Nothing was sent: there is no terminal to ask in. Give --send to send it.")
    if not click.confirm("Send it?", default=False, err=True):
        raise NotAllowed("Nothing was sent.")
    return Allowance(sending)


class Progress:
    """Shows the progress in one line of standard error, if it is a terminal. The line is cleared at the end."""

    def __init__(self) -> None:
        self._terminal = sys.stderr is not None and sys.stderr.isatty()
        self._last = ("", -_STEP)

    def __call__(self, what: str, done: int, total: int) -> None:
        """Show that `done` characters of `what` have arrived."""
        if self._terminal and (what != self._last[0] or done - self._last[1] >= _STEP):
            self._last = (what, done)
            click.echo(f"\r\x1b[K{safe(what)} {done:,}", nl=False, err=True)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *error: object) -> None:
        if self._terminal and self._last[0]:
            click.echo("\r\x1b[K", nl=False, err=True)
