"""The option --scheduler of commands about many conversations, their progress, and the end of an incomplete answer."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from inspector.core.errors import InspectorError, Interrupted

if TYPE_CHECKING:
    from inspector.answers.answers import Answers
    from inspector.answers.scheduling import Progress


def scheduler_option(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "--scheduler", default="local", show_default=True, metavar="ADDRESS",
        help="A Dask scheduler whose workers read the conversations; `local` or `local:N`: processes of this machine.",
    )(command)  # fmt: skip


class ShownProgress:
    """Shows how many conversations are done in one line of standard error, if it is a terminal."""

    def __init__(self) -> None:
        self.last: Progress | None = None

    def __call__(self, progress: Progress) -> None:
        self.last = progress
        if sys.stderr is not None and sys.stderr.isatty() and progress.total > 1:
            end = "\r" if progress.done < progress.total else "\n"
            click.echo(f"{progress.words:<60}{end}", nl=False, err=True)


@contextmanager
def interrupts(shown: ShownProgress) -> Iterator[None]:
    """Turn an interrupt into a sentence: the results of finished conversations are kept."""
    try:
        yield
    except KeyboardInterrupt:
        last = shown.last
        if last is None or not last.done:
            raise
        done = f"{last.done:,} of {last.total:,} conversations"
        raise Interrupted(
            f"interrupted; the results of {done} are kept, and the next run continues there."
        ) from None


def check_complete(answers: Answers) -> None:
    """Raise InspectorError with a sentence for each conversation that the answer leaves out."""
    count = len(answers.unread)
    if count:
        noun = "conversation is" if count == 1 else "conversations are"
        raise InspectorError(
            "\n".join([*answers.unread, f"The answer is incomplete: {count:,} {noun} left out."])
        )
