"""Attempts: summaries made again. Their prompts, the summarizers, and the results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os.path import abspath
from pathlib import Path

from msgspec import Struct
from msgspec.structs import asdict, replace

from inspector.answers.inspection import Inspection
from inspector.answers.showing import list_at
from inspector.core.conversations import ConversationRow, Generation
from inspector.core.errors import UsageProblem
from inspector.core.messages import Message
from inspector.core.watching import OnProgress
from inspector.engines.base import Plan, Settings
from inspector.engines.capabilities import summary_input
from inspector.engines.registry import engine
from inspector.engines.summary_input import SummaryInput, earlier_summary
from inspector.models import consent
from inspector.models.attempt import Ask, Attempt, AttemptPlace
from inspector.models.consent import Allowance, Sending
from inspector.models.kept import KeptAttempts
from inspector.models.making import make_attempt
from inspector.models.masking import Masker
from inspector.models.prompts import filled, our_prompt, read_template, release_prompt
from inspector.models.summarizers.base import Summarizer
from inspector.stores.base import Store

#: Smallest and largest budget, in tokens.
BUDGETS = (100, 100_000)


class PromptWording(Struct, frozen=True):
    """Wording of a prompt: the default, the user's `template` file, or that of the release installed in `python`.
    `focus` is a text of the user."""

    template: Path | None = None
    python: Path | None = None
    focus: str = ""
    masking: bool = True


class SummarizedList(Struct, frozen=True):
    """A list and its plan. The plan of a recorded compaction has the recorded boundaries."""

    place: AttemptPlace
    generation: Generation
    messages: Sequence[Message]
    plan: Plan
    note: str = ""


def place_of(store: Store, row: ConversationRow, compaction: int, step: int | None = None) -> AttemptPlace:
    """Return the place under which attempts of a compaction are stored.

    It has the first file of the conversation, so that it is the same for a file and for a folder with the file.
    """
    owner = store.owner(row.id)
    first = next(iter(owner.files_of(row.id)), owner.path)
    return AttemptPlace(abspath(first), row.root, compaction, step)


def recorded_list(inspection: Inspection, settings: Settings, compaction: int) -> SummarizedList:
    """Return the list before a recorded compaction. Raises UsageProblem for an unknown compaction."""
    recorded = inspection.compaction(compaction)
    generation = inspection.generation(compaction)
    messages = inspection.store.messages(generation)
    plan = inspection.plan(generation, settings)
    head, tail = recorded.head_end, recorded.tail_start
    if (plan.head_end, plan.tail_start) != (head, tail) or not plan.compacts:
        summary_at, _ = earlier_summary(messages, tail)
        plan = replace(
            plan, compacts=True, reason="", head_end=head, tail_start=tail,
            summarized_from=max(head, summary_at + 1), prune_before=min(plan.prune_before, tail),
        )  # fmt: skip
    note = "" if recorded.exact else f"The boundaries of this compaction are inferred: {recorded.note}"
    place = place_of(inspection.store, inspection.conversation.row, compaction)
    return SummarizedList(place, generation, messages, plan, note)


def planned_list(inspection: Inspection, settings: Settings, step: int) -> SummarizedList:
    """Return the list after `step` messages, with the plan of the settings' engine.

    Raises UsageProblem if the engine would not compact it.
    """
    generation, length = list_at(inspection, step)
    messages = inspection.store.messages(generation, 0, length)
    plan = inspection.plan_of(generation, messages, settings)
    if not plan.compacts:
        raise UsageProblem(f"{plan.profile} would not compact the list at step {step:,}: {plan.reason}.")
    place = place_of(inspection.store, inspection.conversation.row, generation.number, step)
    return SummarizedList(place, generation, messages, plan)


def ask_for(
    listed: SummarizedList,
    settings: Settings,
    wording: PromptWording,
    budget: int | None = None,
    earlier: str | None = None,
    masker: Masker | None = None,
) -> Ask:
    """Return the prompt for a list.

    `earlier` replaces the previous summary, in a life. `masker` counts the masked secrets. Raises BadInput for a
    missing prompt, UsageProblem for a budget out of range.
    """
    if budget is not None and not BUDGETS[0] <= budget <= BUDGETS[1]:
        raise UsageProblem(
            f"A budget of {budget:,} tokens; it must lie between {BUDGETS[0]:,} and {BUDGETS[1]:,}."
        )
    if budget is not None and wording.python is not None:
        raise UsageProblem(
            "The prompt of a release names its own budget: leave out the budget, or the release."
        )
    mask = masker or Masker(wording.masking)
    rules = engine(settings.profile)
    given = summary_input(rules, listed.messages, listed.plan, wording.focus, mask)
    if not given.wires or not listed.plan.budgets.max_summary_tokens:
        raise UsageProblem(
            f"{settings.profile} summarizes nothing here, so there is no summary to make again."
        )
    given = replace(
        given,
        earlier=mask(given.earlier if earlier is None else earlier),
        budget=budget or given.budget,
        focus=mask(given.focus),
    )
    prompt, name = _prompt_of(given, settings, wording, mask)
    notes = " ".join(filter(None, (listed.note, given.note)))
    metadata = {
        "profile": settings.profile, "focus": given.focus, "masked": dict(mask.counts), "masking": mask.on,
        "messages": len(given.wires), "head_end": listed.plan.head_end, "tail_start": listed.plan.tail_start,
        "note": notes, "engine": asdict(settings),
    }  # fmt: skip
    return Ask(listed.place, mask(prompt), name, given.budget, metadata, given.task)


def _prompt_of(
    given: SummaryInput, settings: Settings, wording: PromptWording, mask: Masker
) -> tuple[str, str]:
    if wording.python is not None:
        prompt = release_prompt(wording.python, given, settings.context_length, mask)
        return prompt.prompt, f"hermes-agent {prompt.version}"
    if wording.template is not None:
        return filled(read_template(wording.template), given), wording.template.name
    return our_prompt(given), "ours"


class Order(Struct, frozen=True):
    """A prompt and the summarizer that gets it."""

    ask: Ask
    summarizer: Summarizer


def sending_of(orders: Sequence[Order], masker: Masker) -> Sending:
    """Return everything that the orders would send, by summarizer."""
    calls = ((order.summarizer, order.ask.prompt, order.ask.budget) for order in orders)
    return consent.sending_of(calls, masker)


def carry_out(
    orders: Sequence[Order],
    inspection: Inspection,
    kept: KeptAttempts,
    allowance: Allowance,
    watch: OnProgress,
) -> list[Attempt]:
    """Make the ordered attempts one after the other.

    A failed attempt is stored as failed, and the next one is made. Raises NotAllowed, and exceptions of `watch`.
    """
    row = inspection.conversation.row
    attempts = []
    for number, order in enumerate(orders, 1):
        many = f" {number} of {len(orders)}" if len(orders) > 1 else ""
        report = counted(watch, f"{order.summarizer.name}{many}: characters", 4 * order.ask.budget)
        attempts.append(
            make_attempt(
                kept, order.ask, order.summarizer, allowance, report, title=row.title, agent=row.agent
            )
        )
    return attempts


def counted(watch: OnProgress, label: str, expected: int = 0) -> Callable[[int], None]:
    """Return a function that reports the number of received characters, out of `expected`."""
    return lambda received: watch(label, received, expected)


def attempts_of(store: Store, row: ConversationRow, kept: KeptAttempts) -> tuple[Attempt, ...]:
    """Return the attempts of a conversation, oldest first. Raises OutputProblem."""
    place = place_of(store, row, 0)
    return kept.of(place.store, place.root)


def attempts_by_name(store: Store, name: str, kept: KeptAttempts) -> tuple[Attempt, ...]:
    """Return the attempts by the conversation's name, without reading messages. Raises UnknownConversation,
    StoreErrors, OutputProblem."""
    conversation = store.resolve(name)
    return attempts_of(store, next(row for row in store.conversations() if row.id == conversation), kept)
