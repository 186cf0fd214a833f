"""The question for another summary: the content to send, and the way to send it. Runs in threads."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from inspector.app.conversation.model_form import Form, Looked, summarizer_of
from inspector.app.conversation.model_prompt import ModelQuestion
from inspector.config.agent_folders import expanded
from inspector.core.errors import UsageProblem
from inspector.core.watching import Watch

if TYPE_CHECKING:
    from inspector.answers.inspection import Inspection
    from inspector.engines.base import Settings
    from inspector.models.attempt import Attempt
    from inspector.models.consent import Allowance

_ABOUT = (
    "The input is the same as the engine's, so that only the summarizer differs. Nothing is sent before you see the "
    "recipient and the prompt. Attempts are stored until you delete them."
)
_FIELDS = (
    ("budget", "budget in tokens (empty: the engine's budget)"),
    ("focus", "focus of the summary (empty: the engine's focus)"),
    ("prompt", "a file with a prompt of your own: {turns} {earlier} {budget} {focus}"),
)
_TICKS = (("life", "also make each later summary again, from the new one before it"),)


def another_summary(
    inspection: Inspection, settings: Settings, compaction: int, step: int | None
) -> ModelQuestion:
    """Return the question for the summary of a recorded compaction, or of one planned at a step."""
    what = f"of compaction {compaction}" if step is None else f"planned at step {step:,}"
    look = partial(_look, inspection, settings, compaction, step)
    stopped = "Stopped. The unfinished text is kept."
    return ModelQuestion(f"Another summary {what}", _ABOUT, look, stopped, _FIELDS, _TICKS)


def _look(
    inspection: Inspection, settings: Settings, compaction: int, step: int | None, form: Form, watch: Watch
) -> Looked:
    """Return what the form would send. Sends nothing. Raises InspectorErrors."""
    from inspector.answers.attempt_life import LifeOrder, life_sending, make_life
    from inspector.answers.attempting import (
        Order,
        PromptWording,
        ask_for,
        carry_out,
        planned_list,
        recorded_list,
        sending_of,
    )
    from inspector.models.kept import default_attempts
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

        def send_life(allowance: Allowance, watch: Watch) -> tuple[str, ...]:
            return _problems(make_life(inspection, settings, life, default_attempts(), allowance, watch))

        return Looked(life_sending(inspection, settings, life), send_life)
    masker = Masker(form.masking)
    listed = (
        recorded_list(inspection, settings, compaction)
        if step is None
        else planned_list(inspection, settings, step)
    )
    ask = ask_for(listed, settings, wording, budget, masker=masker)
    order = Order(ask, summarizer)

    def send(allowance: Allowance, watch: Watch) -> tuple[str, ...]:
        return _problems(carry_out([order], inspection, default_attempts(), allowance, watch))

    return Looked(sending_of([order], masker), send, str(ask.settings["note"]))


def _problems(made: Sequence[Attempt]) -> tuple[str, ...]:
    return tuple(f"Attempt {one.id}: {one.problem}" for one in made if one.problem)


def _budget(text: str) -> int | None:
    text = text.strip().replace(",", "")
    if not text:
        return None
    if not text.isdecimal():
        raise UsageProblem(f"{text!r} is not a number of tokens.")
    return int(text)
