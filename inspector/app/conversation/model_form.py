"""The form that names a model of the user, and what it would send."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct

from inspector.core.errors import UsageProblem
from inspector.core.watching import Watch

if TYPE_CHECKING:
    from inspector.models.consent import Allowance, Sending
    from inspector.models.summarizers.base import Summarizer


class Form(Struct, frozen=True):
    """The form: the model (a command, or an endpoint with its model and the variable with its key) and its options."""

    command: str = ""
    endpoint: str = ""
    model: str = ""
    key: str = ""
    budget: str = ""
    focus: str = ""
    prompt: str = ""
    life: bool = False
    masking: bool = True


class Looked(Struct, frozen=True, eq=False):
    """The content that a form would send, with a note. `send` sends it and returns a sentence for each problem."""

    sending: Sending
    send: Callable[[Allowance, Watch], tuple[str, ...]]
    note: str = ""


def summarizer_of(form: Form) -> Summarizer:
    """Return the model. Raises UsageProblem if the form names none, or two."""
    from inspector.models.summarizers.command import CommandSummarizer
    from inspector.models.summarizers.endpoint import EndpointSummarizer

    if bool(form.command.strip()) == bool(form.endpoint.strip()):
        raise UsageProblem("Name the model: a command, or an endpoint with its model.")
    if form.command.strip():
        return CommandSummarizer(form.command.strip())
    return EndpointSummarizer(form.endpoint.strip(), form.model.strip(), form.key.strip())
