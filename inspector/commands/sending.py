"""Shared options of commands that send something, and the question before it is sent."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from inspector.commands.options import Number, Option, together
from inspector.core.errors import NotAllowed, UsageProblem
from inspector.core.text import safe

if TYPE_CHECKING:
    from inspector.answers.attempting import PromptWording
    from inspector.answers.inspection import Inspection
    from inspector.commands.asking import Asked
    from inspector.core.watching import OnProgress
    from inspector.models.consent import Allowance, Sending
    from inspector.models.masking import Masker
    from inspector.models.summarizers.base import Summarizer

T = TypeVar("T")
#: Received characters between two updates of the progress line.
_UPDATE_EVERY = 400


class Sender:
    """Options of a command that sends something: the recipients, the wording of the prompt, the user's consent.

    `commands` are command lines. `models` are models of the `endpoint`, and `key_env` is the environment variable with
    its key. `timeout` is in seconds. `without_asking` means to send without a question. `focus`, `prompt` and
    `release_prompt` are as in Wording.
    """

    def __init__(
        self, commands: tuple[str, ...], endpoint: str | None, models: tuple[str, ...], key_env: str | None,
        timeout: float, no_mask: bool, without_asking: bool, focus: str = "", prompt: Path | None = None,
        release_prompt: Path | None = None,
    ) -> None:  # fmt: skip
        self.commands, self.endpoint, self.models, self.key_env = commands, endpoint, models, key_env
        self.timeout, self.masking, self.without_asking = timeout, not no_mask, without_asking
        self.focus, self.prompt, self.release_prompt = focus, prompt, release_prompt

    def masker(self) -> Masker:
        """Return a new masker, which masks nothing with --no-mask."""
        from inspector.models.masking import Masker

        return Masker(self.masking)

    def wording(self) -> PromptWording:
        """Return the wording of a prompt. Raises UsageProblem for two."""
        from inspector.answers.attempting import PromptWording

        if self.prompt is not None and self.release_prompt is not None:
            raise UsageProblem("Give --prompt or --release-prompt, not both.")
        return PromptWording(self.prompt, self.release_prompt, self.focus, self.masking)

    @property
    def names_summarizer(self) -> bool:
        """Whether an option is about a summarizer; --key-env alone counts too."""
        return bool(self.commands or self.endpoint or self.models or self.key_env)

    def summarizers(self) -> list[Summarizer]:
        """Return the named summarizers. Raises UsageProblem for none, or for incomplete options."""
        from inspector.models.summarizers.command import CommandSummarizer
        from inspector.models.summarizers.endpoint import EndpointSummarizer

        if self.endpoint is None and (self.models or self.key_env):
            raise UsageProblem("--model and --key-env need --endpoint URL.")
        if self.endpoint is not None and not self.models:
            raise UsageProblem("An endpoint needs a model: --model NAME.")
        named: list[Summarizer] = [CommandSummarizer(line, self.timeout) for line in self.commands]
        if self.endpoint is not None:
            named += [
                EndpointSummarizer(self.endpoint, model, self.key_env or "", self.timeout)
                for model in self.models
            ]
        if not named:
            raise UsageProblem(
                "Name the model: --command 'llm -m MODEL', or --endpoint URL --model NAME (--key-env NAME)."
            )
        return list(dict.fromkeys(named))

    def summarizer(self) -> Summarizer:
        """Return the only named summarizer. Raises UsageProblem for none and for several."""
        first, *others = self.summarizers()
        if others:
            raise UsageProblem("Name one model: one --command or one --model. Run the command once for each.")
        return first

    def send(self, sending: Sending, ask: Callable[[Allowance, OnProgress], T]) -> T:
        """Return the result of `ask`, which sends the prompts, with a line of progress.

        Nothing is asked if there is nothing to send. Raises NotAllowed if the user does not allow it, and click.Abort
        if the user interrupts the question.
        """
        allowance = self._allowance(sending)
        with ProgressLine() as progress:
            return ask(allowance, progress)

    def _allowance(self, sending: Sending) -> Allowance:
        """Return the consent of the user, by --send or by an answer in the terminal."""
        from inspector.models.consent import Allowance

        if not sending.recipients:
            return Allowance(sending)
        for sentence in sending.sentences:
            click.echo(safe(sentence), err=True)
        if self.without_asking:
            return Allowance(sending)
        if not (
            sys.stdin is not None and sys.stdin.isatty() and sys.stderr is not None and sys.stderr.isatty()
        ):
            raise NotAllowed("Nothing was sent: there is no terminal to ask in. Give --send to send it.")
        if not click.confirm("Send it?", default=False, err=True):
            raise NotAllowed("Nothing was sent.")
        return Allowance(sending)


def _as_sender(command: Callable[..., Any]) -> Callable[..., Any]:
    """Pass the options of a summarizer and of the wording to a command as one value."""

    @wraps(command)
    def run(**given: Any) -> None:
        options = {name: given.pop(name) for name in signature(Sender).parameters if name in given}
        command(sender=Sender(**options), **given)

    return run


def _options_of_summarizers(repeated: str = "") -> Option:
    """Return the decorator that adds the options of a summarizer.

    `repeated` ends the help of options that name a summarizer. The command gets these options and the options of the
    wording as `sender`.
    """
    return together(
        click.option(
            "--command", "commands", multiple=True, metavar="LINE",
            help=f"A command that reads a prompt and writes an answer, such as 'llm -m MODEL'.{repeated}",
        ),
        click.option(
            "--endpoint", metavar="URL",
            help="An OpenAI-compatible endpoint, such as https://api.openai.com/v1.",
        ),
        click.option("--model", "models", multiple=True, metavar="NAME", help=f"The endpoint's model.{repeated}"),
        click.option("--key-env", metavar="NAME", help="The environment variable with the endpoint's key."),
        click.option(
            "--timeout", type=Number(1, 86_400), default=600.0, show_default=True, metavar="SECONDS",
            help="Maximum time to wait for an answer.",
        ),
        click.option("--no-mask", is_flag=True, help="Send keys and passwords unmasked."),
        click.option("--send", "without_asking", is_flag=True, help="Send without asking."),
        _as_sender,
    )  # fmt: skip


#: Options of a command that uses one summarizer, and of a command that may use several.
summarizer_option = _options_of_summarizers()
summarizer_options = _options_of_summarizers(" May be repeated.")
wording_options = together(
    click.option("--focus", default="", metavar="TEXT", help="What the summary should describe in full detail."),
    click.option(
        "--prompt", type=click.Path(path_type=Path), metavar="FILE",
        help="A file with your own prompt. The program fills in {turns}, {earlier}, {budget} and {focus}.",
    ),
    click.option(
        "--release-prompt", type=click.Path(path_type=Path), metavar="PYTHON",
        help="Use the prompt of the hermes-agent that is installed in this Python.",
    ),
)  # fmt: skip


def numbers_of(inspection: Inspection, given: Sequence[str]) -> list[int]:
    """Return the numbers of the compactions that --compaction names; `all` names every recorded one."""
    if "all" in given:
        return [compaction.index for compaction in inspection.compactions()]
    # Python converts no number of thousands of digits.
    if not all(number.isdecimal() and len(number) < 10 for number in given):
        raise UsageProblem("--compaction takes a number, counted from 1, or `all`.")
    return list(dict.fromkeys(map(int, given)))


def print_prompts(asked: Asked, prompts: Iterable[str]) -> None:
    """Print prompts instead of sending them, and end the command."""
    click.echo("\n\n".join(map(safe, prompts)))
    asked.end()


class ProgressLine:
    """Shows the progress in one line of standard error, if it is a terminal. The line is cleared at the end."""

    def __init__(self) -> None:
        self._terminal = sys.stderr is not None and sys.stderr.isatty()
        self._last = ("", -_UPDATE_EVERY)

    def __call__(self, what: str, done: int, total: int) -> None:
        """Show that `done` characters of `what` have arrived."""
        if self._terminal and (what != self._last[0] or done - self._last[1] >= _UPDATE_EVERY):
            self._last = (what, done)
            click.echo(f"\r\x1b[K{safe(what)} {done:,}", nl=False, err=True)

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *error: object) -> None:
        if self._terminal and self._last[0]:
            click.echo("\r\x1b[K", nl=False, err=True)
