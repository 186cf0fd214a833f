"""Work of the screen for another summary: prepare what would be sent, and send it. Runs in threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from inspector.config.agent_folders import expanded
from inspector.core.errors import UsageProblem
from inspector.core.watching import Watch

if TYPE_CHECKING:
    from inspector.answers.attempt_life import LifeOrder
    from inspector.answers.attempting import Order
    from inspector.answers.inspection import Inspection
    from inspector.engines.base import Settings
    from inspector.models.attempt import Attempt
    from inspector.models.consent import Allowance, Sending
    from inspector.models.summarizers.base import Summarizer


class Form(Struct, frozen=True):
    """The form: the writer (a command, or an endpoint with its model and the variable with its key) and its
    options.
    """

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
    """The order or the life that a form would send."""

    sending: Sending
    order: Order | None
    life: LifeOrder | None
    note: str = ""


def summarizer_of(form: Form) -> Summarizer:
    """Return the writer. Raises UsageProblem if the form names none, or two."""
    from inspector.models.summarizers.command import CommandSummarizer
    from inspector.models.summarizers.endpoint import EndpointSummarizer

    if bool(form.command.strip()) == bool(form.endpoint.strip()):
        raise UsageProblem("Say who is to write: a command, or an endpoint with its model.")
    if form.command.strip():
        return CommandSummarizer(form.command.strip())
    return EndpointSummarizer(form.endpoint.strip(), form.model.strip(), form.key.strip())


def look(
    inspection: Inspection, settings: Settings, compaction: int, step: int | None, form: Form, watch: Watch
) -> Looked:
    """Return what the form would send for a recorded compaction, or for one planned at a step. Sends nothing.

    Raises InspectorErrors.
    """
    from inspector.answers.attempt_life import LifeOrder, life_sending
    from inspector.answers.attempting import (
        Order,
        PromptWording,
        ask_for,
        planned_list,
        recorded_list,
        sending_of,
    )
    from inspector.models.masking import Masker

    summarizer = summarizer_of(form)
    budget = _budget(form.budget)
    template = expanded(form.prompt.strip()) if form.prompt.strip() else None
    wording = PromptWording(template, None, form.focus.strip(), form.masking)
    watch.check()
    if form.life and step is not None:
        raise UsageProblem(
            "Every later summary can be made again from a recorded compaction on: leave the replay."
        )
    if form.life:
        life = LifeOrder(summarizer, wording, compaction, budget)
        return Looked(life_sending(inspection, settings, life), None, life)
    masker = Masker(form.masking)
    listed = (
        recorded_list(inspection, settings, compaction)
        if step is None
        else planned_list(inspection, settings, step)
    )
    ask = ask_for(listed, settings, wording, budget, masker=masker)
    order = Order(ask, summarizer)
    return Looked(sending_of([order], masker), order, None, str(ask.settings["note"]))


def _budget(text: str) -> int | None:
    text = text.strip().replace(",", "")
    if not text:
        return None
    if not text.isdecimal():
        raise UsageProblem(f"{text!r} is not a number of tokens.")
    return int(text)


def send(
    inspection: Inspection, settings: Settings, looked: Looked, allowance: Allowance, watch: Watch
) -> list[Attempt]:
    """Send what the user allowed, and store the results. Raises NotAllowed, OutputProblem, and Cancelled."""
    from inspector.answers.attempt_life import make_life
    from inspector.answers.attempting import carry_out
    from inspector.models.kept import default_attempts

    kept = default_attempts()
    if looked.life is not None:
        return make_life(inspection, settings, looked.life, kept, allowance, watch)
    assert looked.order is not None
    return carry_out([looked.order], inspection, kept, allowance, watch)
