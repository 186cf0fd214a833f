"""From plans and recorded compactions to what the widgets show. Pure functions over values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from inspector.core.conversations import Compaction, Conversation
from inspector.engines.base import Budgets, Plan, TokenIndex
from inspector.engines.hygiene import PRESSURE_SHARE
from widgets.bars.gauge import GaugeState
from widgets.bars.region_bar import RegionBarState, RegionShare
from widgets.bars.timeline import Node
from widgets.base import human
from widgets.lists.message_list import Boundary


def gauge_state(
    budgets: Budgets, context: int, tokens: int | None, exact: int | None, encoding: str
) -> GaugeState:
    """Rough tokens against the threshold, or the exact ones where they are there (all in tokens)."""
    return GaugeState(
        tokens=exact if exact is not None else tokens,
        threshold=budgets.threshold_tokens,
        pressure=int(budgets.threshold_tokens * PRESSURE_SHARE),
        hygiene=budgets.hygiene_tokens,
        context=context,
        kind="rough" if exact is None else "exact",
        detail="" if exact is None else encoding,
        planned=None if exact is None else tokens,
    )


def planned_regions(plan: Plan, label: str = "") -> RegionBarState:
    """The regions of a plan with their tokens, the summary's budget and the tail's."""
    head, tail = plan.regions()
    note = f"→ ≤ {human.tokens(plan.summary_budget)}" if plan.compacts else ""
    return RegionBarState(
        head=RegionShare(head, plan.head_tokens),
        middle=RegionShare(tail - head, plan.middle_tokens, note),
        tail=RegionShare(
            plan.length - tail, plan.tail_tokens, f"of {human.tokens(plan.budgets.tail_token_budget)}"
        ),
        label=label,
        kind="planned",
    )


def recorded_regions(recorded: Compaction, token_index: TokenIndex | None) -> RegionBarState:
    """The regions as they were recorded, with rough tokens where the list has been measured."""
    places = (0, recorded.head_end, recorded.tail_start, recorded.before)
    sums = [0 if token_index is None else token_index.rough_until(place) for place in places]
    tokens = [after - before for before, after in pairwise(sums)]
    return RegionBarState(
        head=RegionShare(recorded.head_end, tokens[0]),
        middle=RegionShare(recorded.tail_start - recorded.head_end, tokens[1]),
        tail=RegionShare(recorded.before - recorded.tail_start, tokens[2]),
        label="recorded",
        kind="recorded",
    )


def boundaries(plan: Plan | None, recorded: Compaction | None, offset: int) -> tuple[Boundary, ...]:
    """The lines between rows: the plan's, and the recorded ones of the compaction that ended the list."""
    lines: list[Boundary] = []
    if plan is not None and plan.compacts:
        agree = recorded is not None and (recorded.head_end, recorded.tail_start) == (
            plan.head_end,
            plan.tail_start,
        )
        note = "as recorded" if agree else plan.profile
        head, tail = plan.regions()
        lines.append(Boundary(head + offset, "head_end", "planned", note, plan.head_end))
        lines.append(Boundary(tail + offset, "tail_start", "planned", note, plan.tail_start))
    if recorded is not None:
        note = f"compaction {recorded.index}" + ("" if recorded.exact else ", inferred")
        head, tail = recorded.head_end, recorded.tail_start
        lines.append(Boundary(head + offset, "head_end", "recorded", note, head))
        lines.append(Boundary(tail + offset, "tail_start", "recorded", note, tail))
    return tuple(lines)


def nodes(
    conversation: Conversation,
    compactions: Sequence[Compaction],
    findings: Mapping[int, int],
    now: int | None = None,
) -> tuple[Node, ...]:
    """The generations as the timeline shows them; `findings` counts those about each compaction.

    With `now` that generation is the live one, and nothing is told of those behind it but where they begin.
    """
    made_by = {c.index + 1: c for c in compactions}
    found = []
    for generation in conversation.generations:
        if now is not None and generation.number > now:
            found.append(Node(generation.number, ahead=True))
            continue
        made = made_by.get(generation.number)
        outcome = (
            "" if made is None else "fallback" if made.fallback else "merged" if made.merged else "summary"
        )
        if made is not None and made.summary is None and not made.fallback:
            outcome = "failed"
        note = "" if made is None else f"{made.before:,} → {made.after:,} messages"
        count = 0 if made is None else findings.get(made.index, 0)
        if count:
            note += f", {human.plural(count, 'finding')}"
        found.append(
            Node(generation.number, len(generation), None, outcome, generation.live, note, count)  # type: ignore[arg-type]
        )
    return tuple(found)
