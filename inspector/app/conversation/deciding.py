"""The question that lets a model decide the facts that the rules leave uncertain, and find what the user said again.

Runs in threads.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from inspector.app.conversation.model_form import Form, Looked, summarizer_of
from inspector.app.conversation.model_prompt import ModelQuestion
from inspector.core.errors import UsageProblem
from inspector.core.shares import plural
from inspector.core.watching import Watch

if TYPE_CHECKING:
    from inspector.answers.inspection import Inspection
    from inspector.answers.judging import JudgePrompt
    from inspector.models.consent import Allowance
    from inspector.quality.facts.fact import Life

_ABOUT = (
    "The model reads the user's facts that the rules leave uncertain, the text around them, and the list after the "
    "compaction. It also looks for what the user said again, in the user's messages before and after it. All counts "
    "then use its answers, each with its name. Nothing is sent before you see the recipient."
)


def uncertain_facts(inspection: Inspection, compaction: int) -> ModelQuestion:
    """Return the question about the uncertain facts of a compaction, and about the user's repetitions after it."""
    title = f"Let a model judge compaction {compaction}"
    stopped = "Stopped. Complete answers are kept, and an unfinished one is not."
    return ModelQuestion(title, _ABOUT, partial(_look, inspection, compaction), stopped)


def _look(inspection: Inspection, compaction: int, form: Form, watch: Watch) -> Looked:
    """Return what the form would send. Sends nothing. Raises InspectorErrors."""
    from inspector.answers.judging import ask_judge, fact_prompts, judge_sending
    from inspector.answers.losses import facts_of
    from inspector.answers.repeats import repeat_prompts
    from inspector.models.kept import default_attempts
    from inspector.models.masking import Masker

    summarizer, masker, kept = summarizer_of(form), Masker(form.masking), default_attempts()
    prompts: tuple[JudgePrompt, ...] = ()
    lives: tuple[Life, ...] = ()
    if not inspection.compaction(compaction).encrypted:
        lives = facts_of(inspection, by_rules=True).undecided(compaction)
        watch.check()
        prompts = fact_prompts(inspection, compaction, masker, lives)
    repeats = repeat_prompts(inspection, compaction, masker)
    prompts += repeats
    if not prompts:
        raise UsageProblem(
            f"The rules decide every fact of the user after compaction {compaction}, and the user wrote nothing later."
        )
    sending = judge_sending(prompts, summarizer, masker, kept)
    if not sending.recipients:
        raise UsageProblem("This model has already answered these questions, and its answers are stored.")

    def send(allowance: Allowance, watch: Watch) -> tuple[str, ...]:
        return ask_judge(prompts, summarizer, kept, allowance, watch)

    about = f"{plural(len(lives), 'uncertain fact')}{', and the messages of the user after it' if repeats else ''}."
    return Looked(sending, send, about)
