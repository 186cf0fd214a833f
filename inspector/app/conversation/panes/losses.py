"""Facts that compactions lost, and facts at risk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.app.conversation.panes.base import Context, Pane
from inspector.app.conversation.resources import (
    AFTERMATH,
    ATTEMPTS,
    COMPACTIONS,
    FACTS,
    JUDGED,
    attempts_read,
)
from inspector.app.conversation.state import recorded_then
from widgets.panes.attempt_lines import NO_ATTEMPTS
from widgets.panes.losses_attempts import LossesAttempts
from widgets.panes.losses_facts import LossesFacts
from widgets.panes.losses_pane import LossesPane
from widgets.panes.losses_view import AT_RISK, FactScope, LossesView

# Modules that only a computation needs are imported with it.
if TYPE_CHECKING:
    from inspector.app.conversation.attempt_views import AttemptsRead
    from inspector.app.conversation.reading import AftermathRead, FactsRead
    from inspector.engines.base import Plan
    from inspector.replay.moments import Moment


_SHRANK = "No compaction is recorded, but the context shrank without one (see the findings). What was lost is unknown."
_PARTIAL = (
    "No compaction is recorded, but a part of the session is missing or unreadable. What was lost is unknown."
)


def _needs(context: Context) -> tuple[Any, ...] | None:
    state, loaded = context.state, context.loaded
    compactions = loaded.latest(COMPACTIONS)
    if compactions is None:
        return None
    then = len(recorded_then(compactions, state.moment))
    on_live = state.moment is not None or state.generation == len(context.opened.generations)
    plan = context.derived.plan if on_live else None
    attempts = attempts_read(state, loaded) if state.moment is None else None
    judged = (loaded.latest(JUDGED) or {}).get(state.compaction, ()) if state.moment is None else ()
    why_unknown = ""
    if not compactions and any(
        finding.rule == "context-shrank" for finding in context.derived.findings.findings
    ):
        why_unknown = _SHRANK
    elif not compactions and context.opened.inspection.conversation.has_unread:
        why_unknown = _PARTIAL
    return (
        loaded.latest(FACTS),
        loaded.current(AFTERMATH, state) if state.moment is None else None,
        state.compaction,
        then,
        state.moment,
        plan,
        state.generation,
        attempts,
        judged,
        why_unknown,
        context.opened.inspection.conversation.has_unread,
    )


def compute(
    facts: FactsRead | None,
    aftermath: AftermathRead | None,
    chosen: int,
    then: int,
    at: Moment | None,
    plan: Plan | None,
    generation: int,
    attempts: AttemptsRead | None = None,
    judged: tuple[FactScope, ...] = (),
    why_unknown: str = "",
    has_unread: bool = False,
) -> LossesView:
    """Return the facts of the chosen compaction of `then`, and those at risk in the list on screen. `why_unknown`
    says why losses are unknown although no compaction is recorded, or is "". `has_unread` is as in Conversation."""
    from inspector.answers.store_losses import FOREIGN, PART_MISSING
    from inspector.app.conversation.attempt_views import attempts_view

    if at is not None:
        # Within a compaction nothing is lost yet: the previous one is shown.
        chosen = min(chosen, then)
    if facts is None:
        note = "" if then else why_unknown or "No compaction is recorded, so no loss is known."
        return LossesView(None if then else (), chosen, note=note, total=then)
    if at is None:
        scopes = facts.scopes if aftermath is None else aftermath.scopes
    else:
        scopes = facts.as_of.scopes(at.generation - 1, at.step)
    lacks = [*([PART_MISSING] if has_unread else []), *([FOREIGN] if facts.foreign else [])]
    return LossesView(
        (*scopes, _at_risk(facts, plan, generation, at)),
        chosen,
        facts.survival if at is None else facts.survival.until(then),
        total=then,
        attempts=NO_ATTEMPTS if at is not None else attempts_view(attempts, None),
        judged=judged,
        lacks=f"Its losses are unknown in part: {'; '.join(lacks)}." if lacks else "",
    )


def _at_risk(facts: FactsRead, plan: Plan | None, generation: int, at: Moment | None) -> FactScope:
    """The facts that a compaction of the list on screen would summarize; in a replay at that step."""
    from inspector.app.conversation.fact_scopes import risk_scope

    if plan is None:
        note = "No plan is known for this step."
        return FactScope(AT_RISK, (), note if at else "Facts at risk are shown with the live list.")
    if not plan.compacts:
        where = "at this step" if at else "now"
        return FactScope(AT_RISK, (), f"A compaction {where} would change nothing: {plan.reason}.")
    if at is None:
        return risk_scope(facts.reading.risk.at_risk(*plan.regions(), kept=plan.kept), generation)
    return risk_scope(facts.as_of.at_risk(at.generation, at.length, plan), at.generation, partial=True)


PANE = Pane(
    "Facts in the messages that the chosen compaction summarized, each with its fate. The table shows the share of "
    "facts of each kind that the list has after each compaction. Links are listed too, but count as losses only if "
    "they were still needed. A fact that came back does not count. r shows pruned facts, dismissed facts, and the "
    "facts that a compaction now would put at risk. R shows the facts that a model found as a judge. V lets a model "
    "decide the user's uncertain facts and find what the user said again. "
    "c, f and w filter by kind, fate and role. Enter goes to the message of a "
    "fact, s to the text that keeps it. C copies the list as a checklist for the agent. d dismisses a fact, and "
    "nothing counts it. m shows the fates with each attempt.",
    LossesPane,
    _needs,
    compute,
    lambda state: (FACTS, AFTERMATH, ATTEMPTS, JUDGED),
    parts=(("facts", LossesFacts), ("attempts", LossesAttempts)),
)
