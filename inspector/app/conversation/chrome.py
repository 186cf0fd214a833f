"""Title, gauge, regions and timeline: pure functions over values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from inspector.app.conversation.state import Opened, State
from inspector.core.conversations import Compaction, Conversation
from inspector.core.text import safe_line
from inspector.engines.base import Budgets, Plan, TokenIndex, region_tokens
from inspector.engines.hygiene import PRESSURE_SHARE
from inspector.engines.registry import words_of
from inspector.engines.settings import difference
from inspector.replay.moments import Moment
from widgets.bars.gauge import GaugeKind, GaugeState
from widgets.bars.region_bar import RegionBarState, RegionShare
from widgets.bars.timeline import Outcome, TimelineNode, outcome_of
from widgets.bars.title_bar import TitlePart
from widgets.base import human
from widgets.panes.knob_values import KNOBS, LATER_KNOBS, show

if TYPE_CHECKING:
    from inspector.replay.recording import Recording

_KNOBS = {knob.name: knob for knob in (*KNOBS, *LATER_KNOBS)}


def gauge_state(
    budgets: Budgets,
    context: int,
    tokens: int | None,
    exact: tuple[int, str] | None,
    reported: int | None = None,
    basis: str = "",
    later: int = 0,
    least: bool = False,
    doubt: str = "",
) -> GaugeState:
    """Return tokens against the threshold: as the agent reported, else exact with an encoding, else rough. With a
    `basis` the reported size was fitted to it; `later` of its tokens are rough. `least` and `doubt`: see GaugeState."""
    kind: GaugeKind = "rough" if exact is None else "exact"
    shown, detail = (tokens, "") if exact is None else exact
    if reported is not None:
        kind = "fitted" if basis else "grown" if later else "reported"
        shown, detail = reported, basis or "with system prompt and tools"
    return GaugeState(
        tokens=shown,
        threshold=budgets.threshold_tokens,
        # Hermes alone warns.
        pressure=0 if budgets.observed else int(budgets.threshold_tokens * PRESSURE_SHARE),
        hygiene=budgets.hygiene_tokens,
        context=context,
        kind=kind,
        detail=detail,
        planned=tokens if kind == "exact" else None,
        least=least,
        doubt=doubt,
    )


def planned_regions(plan: Plan, label: str) -> RegionBarState:
    """The regions of a plan with their tokens, the summary's budget and the tail's."""
    head, tail = plan.regions()
    # An observed size is the usual one, not a maximum.
    size = "~" if plan.budgets.observed else "≤ "
    note = f"→ {size}{human.tokens(plan.summary_budget)}" if plan.compacts else ""
    budget = plan.budgets.tail_token_budget
    return RegionBarState(
        head=RegionShare(head, plan.head_tokens),
        middle=RegionShare(tail - head - len(plan.kept), plan.middle_tokens, note),
        tail=RegionShare(
            plan.length - tail + len(plan.kept),
            plan.tail_tokens,
            f"budget {human.tokens(budget)}" if budget else "",
        ),
        label=label,
        reason="" if plan.compacts else plan.reason,
    )


def recorded_regions(recorded: Compaction, token_index: TokenIndex | None, prunes: bool) -> RegionBarState:
    """The regions as they were recorded, with rough tokens where the list has been measured.

    `prunes`: the planned middle next to it is counted after pruning, this middle before pruning.
    """
    head, middle, tail = (0, 0, 0) if token_index is None else region_tokens(recorded, token_index)
    return RegionBarState(
        head=RegionShare(recorded.head_end, head),
        middle=RegionShare(recorded.removed, middle, "before pruning" if prunes else ""),
        tail=RegionShare(recorded.remaining - recorded.head_end, tail),
        label="recorded",
        kind="recorded",
    )


def nodes(
    conversation: Conversation,
    compactions: Sequence[Compaction],
    findings: Mapping[int, int],
    now: int | None = None,
) -> tuple[TimelineNode, ...]:
    """Return the nodes of the timeline. `findings` counts findings by compaction.

    With `now` that generation is the live one, and later ones are only marked as ahead.
    """
    made_by = {c.index + 1: c for c in compactions}
    shown = []
    for generation in conversation.generations:
        if now is not None and generation.number > now:
            shown.append(TimelineNode(generation.number, ahead=True))
            continue
        made = made_by.get(generation.number)
        outcome: Outcome = "" if made is None else outcome_of(made)
        note = "" if made is None else f"{made.before:,} → {made.after:,} messages"
        count = 0 if made is None else findings.get(made.index, 0)
        if count:
            note += f", {human.plural(count, 'finding')}"
        shown.append(
            TimelineNode(generation.number, len(generation), None, outcome, generation.live, note, count)
        )
    return tuple(shown)


def header_parts(state: State, opened: Opened, findings: str) -> tuple[TitlePart, ...]:
    """Return the parts of the title: conversation, findings, changed settings, model, profile, generation."""
    row, moment = opened.inspection.conversation.row, state.moment
    generation = opened.generations[state.generation - 1]
    profile = words_of(state.settings.profile)
    if state.settings.profile == opened.resolved.settings.profile:
        profile += f" ({opened.resolved.sources['profile']})"
    live = "live at this step" if moment is not None else "live" if generation.live else "compacted"
    length = len(generation) if moment is None else moment.length
    return (
        TitlePart(safe_line(row.title or row.id, 60), 9),
        TitlePart(findings, 7, "warning"),
        TitlePart(changed_text(difference(state.settings, opened.resolved.settings)), 8, "warning"),
        TitlePart(safe_line(row.model, 40), 3),
        TitlePart(f"window {state.settings.context_length:,}", 2),
        TitlePart(profile, 6),
        TitlePart(f"generation {state.generation} of {len(opened.generations)}, {live}", 4),
        TitlePart(human.plural(length, "message"), 1),
    )


def changed_text(changed: Mapping[str, Any]) -> str:
    """The changed settings in a few words, "" if there are none."""
    if not changed:
        return ""
    if len(changed) > 2:
        return f"{len(changed)} settings changed"
    words = [f"{name} {show(_KNOBS[name], value)}" for name, value in changed.items() if name in _KNOBS]
    return "changed: " + ", ".join(words) if words else "settings changed"


def moment_tokens(
    at: Moment, recording: Recording, during: Compaction | None, plan: Plan | None
) -> int | None:
    """Tokens of the next request at the moment of a replay, as far as the compaction has gone, as the agent reports
    them."""
    if during is None or at.phase in ("message", "before"):
        return recording.tokens[at.step - 1]
    event = recording.events[during.index - 1]
    if at.phase == "after":
        return event.tokens_after
    if plan is None or not plan.compacts:
        return recording.tokens[at.step - 1]
    kept = plan.head_tokens + plan.tail_tokens + recording.systems[at.generation - 1]
    smaller = event.rough_before - (kept + plan.middle_tokens if at.phase == "pruned" else kept)
    return max(0, event.tokens_before - round(recording.course.scale.scale * max(0, smaller)))


def moment_note(
    at: Moment,
    recording: Recording,
    during: Compaction | None,
    plan: Plan | None,
    tokens: int | None,
    fires: str,
) -> str:
    """Describe a moment in a few words. `fires` names the part that would compact a list of this size ("" for
    none).
    """
    if at.phase == "message":
        return f"{fires} would compact" if fires and recording.moments.fires_at(at) else ""
    phases = ("before", *recording.moments.phases(at.compaction))
    place = f"{phases.index(at.phase) + 1}/{len(phases)}"
    return f"compaction {at.compaction}, {place} {phase_text(at, during, plan, tokens, recording.tokens[at.step - 1])}"


def phase_text(
    at: Moment, during: Compaction | None, plan: Plan | None, tokens: int | None, before: int
) -> str:
    """A phase of a compaction in a few words. `before` is the size of the list before the compaction, in tokens."""
    size = "" if tokens is None else f", ~{human.tokens(tokens)} tokens"
    if during is None:
        return at.phase + size
    if at.phase == "before":
        return f"before: {human.plural(during.before, 'message')}{size}"
    if at.phase == "pruned":
        if plan is None or not plan.compacts:
            return "pruned: the profile would not compact here"
        saved = "" if tokens is None else f", ~{human.tokens(before)} → ~{human.tokens(tokens)} tokens"
        return f"pruned: {human.plural(len(plan.pruned), 'message')}{saved}"
    if at.phase == "summarized":
        went = human.plural(during.tail_start - during.head_end, "message")
        return f"summarized: {'a fallback text' if during.fallback else 'the summary'} replaces {went}"
    if at.phase == "kept":
        return f"kept: {during.head_end} in the head, {during.before - during.tail_start} in the tail"
    return f"after: {human.plural(during.after, 'message')}{size}"
