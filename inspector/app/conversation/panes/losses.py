"""What compactions lost: facts with their fates, and what each compaction kept, measure by measure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual import on

from inspector.app.conversation.intents import ChooseCompaction, CopyText, GoTo
from inspector.app.conversation.panes.base import Context, Pane
from inspector.app.conversation.resources import ATTEMPTS, COMPACTIONS, FACTS, MEASURES
from inspector.app.conversation.state import recorded_then
from widgets.lists.measure_table import MeasuresView
from widgets.panes.attempt_lines import NO_ATTEMPTS
from widgets.panes.choices import CompactionChosen, PlaceChosen
from widgets.panes.losses_attempts import LossesAttempts
from widgets.panes.losses_facts import LossesFacts
from widgets.panes.losses_measures import LossesMeasures
from widgets.panes.losses_pane import FactScope, LossesPane, LossesView

# What the pane is worked out by is imported when it is on screen.
if TYPE_CHECKING:
    from inspector.app.conversation.attempt_views import AttemptsRead
    from inspector.app.conversation.measure_views import MeasuresAsOf
    from inspector.app.conversation.reading import FactsRead
    from inspector.engines.base import Plan
    from inspector.replay.moments import Moment

_ELSEWHERE = "Facts of the live list are shown while it is on screen."


class Losses(LossesPane):
    """Goes to where facts were said and where they survive, and makes checklists of them."""

    facts: FactsRead | None = None

    @on(PlaceChosen)
    def _place_chosen(self, event: PlaceChosen) -> None:
        event.stop()
        place = event.place
        self.post_message(GoTo(place.generation, place.index, place.text, "message"))

    @on(CompactionChosen)
    def _compaction_chosen(self, event: CompactionChosen) -> None:
        event.stop()
        self.post_message(ChooseCompaction(event.compaction))

    @on(LossesPane.CopyWanted)
    def _checklist_wanted(self, event: Any) -> None:
        from inspector.export.checklists import AT_RISK_LEAD, LOST_LEAD
        from inspector.quality.facts.carry import checklist

        event.stop()
        if self.facts is None:
            return
        found = self.facts.reading.facts
        facts = {fact.key: fact for fact in found.facts} | {life.fact.key: life.fact for life in found.pruned}
        keys = dict.fromkeys(key.rpartition("@")[0] for key in event.keys)
        lead = AT_RISK_LEAD if event.scope == "risk" else LOST_LEAD
        self.post_message(
            CopyText(checklist([facts[key] for key in keys if key in facts], lead), "checklist")
        )


def _needs(context: Context) -> tuple[Any, ...] | None:
    state, loaded = context.state, context.loaded
    compactions, facts = loaded.latest(COMPACTIONS), loaded.latest(FACTS)
    if compactions is None:
        return None
    then = len(recorded_then(compactions, state.moment))
    on_live = state.moment is not None or state.generation == len(context.opened.generations)
    plan = context.derived.plan if on_live else None
    measures = loaded.latest(MEASURES)
    attempts = loaded.current(ATTEMPTS, state) if state.moment is None else None
    return facts, measures, state.compaction, then, state.moment, plan, state.generation, attempts


def compute(
    facts: FactsRead | None,
    measures: MeasuresAsOf | None,
    chosen: int,
    then: int,
    at: Moment | None,
    plan: Plan | None,
    generation: int,
    attempts: AttemptsRead | None = None,
) -> tuple[LossesView, FactsRead | None]:
    """What the chosen compaction of `then` lost; what the next one of the list on screen would put at risk."""
    from inspector.app.conversation.attempt_views import attempts_view

    if at is not None:
        # Within a compaction nothing is lost yet: what the one before lost is told.
        chosen = min(chosen, then)
    if facts is None:
        note = "" if then else "Nothing was compacted so far, so nothing was lost."
        return LossesView(None if then else (), chosen, None if then else MeasuresView(), note, then), None
    scopes = (
        (*facts.scopes, _at_risk(facts, plan, generation)) if at is None else _scopes_then(facts, plan, at)
    )
    table = None if measures is None else measures.until(None if at is None else then)
    again = NO_ATTEMPTS if at is not None else attempts_view(attempts, None)
    return LossesView(scopes, chosen, table, total=then, attempts=again), facts


def _at_risk(facts: FactsRead, plan: Plan | None, generation: int) -> FactScope:
    from inspector.app.conversation.fact_views import risk_scope

    if plan is None:
        return FactScope("risk", "at risk", "at risk", (), _ELSEWHERE)
    if not plan.compacts:
        note = f"A compaction now would change nothing: {plan.reason}."
        return FactScope("risk", "at risk", "at risk", (), note)
    return risk_scope(facts.reading.risk.at_risk(*plan.regions(), kept=plan.kept), generation)


def _scopes_then(facts: FactsRead, plan: Plan | None, at: Moment) -> tuple[FactScope, ...]:
    """What was known at a moment of the replay, and what a compaction there would put through the summary."""
    from inspector.app.conversation.fact_views import risk_scope

    as_of = facts.as_of
    if plan is None:
        risk = FactScope("risk", "at risk", "at risk", (), "No plan is known for this step.")
    elif not plan.compacts:
        note = f"A compaction at this step would change nothing: {plan.reason}."
        risk = FactScope("risk", "at risk", "at risk", (), note)
    else:
        entries = as_of.at_risk(at.generation, at.length, plan)
        risk = risk_scope(entries, at.generation, then=True)
    return (*as_of.scopes(at.generation - 1, at.step), risk)


def _show(pane: Losses, view: tuple[LossesView, FactsRead | None] | None) -> None:
    pane.set_view(None if view is None else view[0])
    pane.facts = None if view is None else view[1]


PANE = Pane(
    "What the messages said that the chosen compaction summarized, and what became of it: ✗ lost, ? the thing is "
    "mentioned and its value is not, ≈ in other words, = word for word; over it what all compactions kept, by kind. r "
    "turns to what was pruned and to what is → at risk in a compaction now. f, w, c leave a fate, a speaker, a kind. "
    "Enter goes to where it was said, s to where it survives, C copies what is shown as a checklist for the agent. m "
    "shows the measures: open request and next step, files and commands, compression, tokens; no score sums them up. "
    "Once more m: the fates with each summary that was made again, a column each.",
    Losses,
    _needs,
    compute,
    _show,
    lambda state: (FACTS, MEASURES, ATTEMPTS),
    parts=(("facts", LossesFacts), ("measures", LossesMeasures), ("attempts", LossesAttempts)),
)
