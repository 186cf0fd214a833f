"""Facts in the conversation screen: found in a thread, shown in their pane, marked in the list, and gone to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on, work
from textual.message import Message as TextualMessage
from textual.worker import get_current_worker

from inspector.answers.inspection import Inspection
from inspector.app.panes import Panes
from inspector.app.progress import Left, Pulse
from inspector.app.screens.base import GoTo
from inspector.app.screens.finding import FindActions
from inspector.app.screens.taking import TakingActions
from inspector.app.work import Failed
from inspector.core.errors import InspectorError
from inspector.engines.base import Plan, Settings
from widgets.lists.message_list import MessageList
from widgets.panes.facts_pane import FactScope, FactsPane

if TYPE_CHECKING:
    from inspector.answers.fact_reading import FactsReading
    from inspector.app.bygone import FactsInTime
    from inspector.quality.facts.risk import FactSteps
    from inspector.quality.facts.values import Fact
    from inspector.replay.moments import Moment

_NO_COMPACTION = "Facts of the live list are shown while it is on screen."


class Recalled(TextualMessage):
    """The facts of a conversation, as it stood when `inspection` read it."""

    def __init__(
        self,
        inspection: Inspection,
        reading: FactsReading,
        scopes: tuple[FactScope, ...],
        lost: dict[int, frozenset[int]],
        steps: FactSteps,
    ) -> None:
        super().__init__()
        self.inspection = inspection
        self.reading = reading
        self.scopes = scopes
        self.lost = lost
        self.steps = steps


class FactActions(FindActions, TakingActions):
    """Finds facts and shows what became of them."""

    _recalled: Recalled | None = None
    _recalling: Inspection | None = None
    _live_plan: Plan | None = None
    _facts_then: FactsInTime | None = None

    def fill_facts(self) -> None:
        """Show the facts; those at risk follow the plan for the live list."""
        inspection, recalled = self.inspection, self._recalled
        if inspection is None:
            return
        if recalled is None or recalled.inspection is not inspection:
            self.find_facts()
        for pane in self.query(FactsPane):
            if recalled is None:
                pane.set_scopes(None)
                continue
            first = pane.scope == ""
            if self.moment is None:
                pane.set_scopes((*recalled.scopes, self._at_risk(recalled)))
            else:
                pane.set_scopes(self._scopes_then(recalled, self.moment))
            if first:
                pane.show_scope(self._scope_here())

    def _scope_here(self) -> str:
        """The scope of the compaction that made the list on screen, or ended the first one."""
        recalled = self._recalled
        names = [scope.name for scope in recalled.scopes] if recalled is not None else []
        wanted = str(max(1, self.number - 1))
        return wanted if wanted in names else "risk"

    def _at_risk(self, recalled: Recalled) -> FactScope:
        from inspector.app.factviews import risk_scope

        live = recalled.inspection.conversation.live
        if self.plan is not None and self.number == live.number:
            self._live_plan = self.plan
        plan = self._live_plan
        if plan is None:
            return FactScope("risk", "at risk", "at risk", (), _NO_COMPACTION)
        if not plan.compacts:
            return FactScope(
                "risk", "at risk", "at risk", (), f"A compaction now would change nothing: {plan.reason}."
            )
        return risk_scope(recalled.reading.risk.at_risk(*plan.regions()), live.number)

    def _scopes_then(self, recalled: Recalled, at: Moment) -> tuple[FactScope, ...]:
        """What was known at a moment of the replay, and what a compaction there would put through the summary."""
        from inspector.app.bygone import FactsInTime
        from inspector.app.factviews import risk_scope

        if self._facts_then is None or self._facts_then.reading is not recalled.reading:
            self._facts_then = FactsInTime(recalled.reading)
        facts, plan = self._facts_then, self.plan
        if plan is None:
            risk = FactScope("risk", "at risk", "at risk", (), "No plan is known for this step.")
        elif not plan.compacts:
            note = f"A compaction at this step would change nothing: {plan.reason}."
            risk = FactScope("risk", "at risk", "at risk", (), note)
        else:
            entries = facts.at_risk(at.generation, at.length, *plan.regions())
            risk = risk_scope(entries, at.generation, then=True)
        return (*facts.scopes(at.generation - 1, at.step), risk)

    def lost_in(self, number: int) -> frozenset[int]:
        """The messages of a generation whose facts were lost when they were summarized."""
        return self._recalled.lost.get(number, frozenset()) if self._recalled is not None else frozenset()

    def fact_steps(self) -> FactSteps | None:
        """The facts of the conversation on screen for what-ifs; None while they are not known."""
        recalled = self._recalled
        return recalled.steps if recalled is not None and recalled.inspection is self.inspection else None

    def find_facts(self) -> None:
        """Look for facts, once for what has been read."""
        inspection = self.inspection
        if inspection is not None and self._recalling is not inspection:
            self._recalling = inspection
            self.recall(inspection, self.resolved.settings if self.resolved is not None else self.settings)

    @work(thread=True, group="facts", exclusive=True, exit_on_error=False, description="facts")
    def recall(self, inspection: Inspection, settings: Settings) -> None:
        """Find every fact and what became of it."""
        self.recall_here(inspection, settings)

    def recall_here(self, inspection: Inspection, settings: Settings) -> FactsReading | None:
        """Find the facts in the thread at work, and tell; None where that was cancelled or failed."""
        from inspector.answers.fact_reading import default_cache, pruned_by, read_facts
        from inspector.app.factviews import lost_rows, scopes
        from inspector.quality.facts.risk import FactSteps

        worker = get_current_worker()
        self._recalling = inspection
        pulses: dict[str, Pulse] = {}

        def watch(what: str, done: int, total: int) -> None:
            if what not in pulses:
                pulses[what] = Pulse(self, worker, "facts", f"facts: {what}", total)
            pulses[what](done)

        try:
            reading = read_facts(inspection, default_cache(), watch, pruned_by(inspection, settings))
        except Left:
            return None
        except InspectorError as error:
            self.post_message(Failed(str(error)))
            return None
        finally:
            for pulse in pulses.values():
                pulse.end()
        if worker.is_cancelled:
            return None
        steps = FactSteps(reading.facts.facts)
        self.post_message(Recalled(inspection, reading, scopes(reading), lost_rows(reading), steps))
        return reading

    @on(Recalled)
    def _found_facts(self, event: Recalled) -> None:
        if event.inspection is self.inspection:
            self._recalled = event
            self.show_lost()
            if self.query_one(Panes).current == "facts":
                self.fill_facts()

    def show_lost(self) -> None:
        """Mark the rows whose facts were lost."""
        raise NotImplementedError

    @on(FactsPane.PlaceChosen)
    async def _fact_place_chosen(self, event: FactsPane.PlaceChosen) -> None:
        inspection, place = self.inspection, event.place
        if inspection is None or place.generation > len(inspection.conversation.generations):
            return
        self.look_for(place.text)
        if place.generation != self.number or self.rows is None:
            self.post_message(GoTo(place.generation, place.index + self.offset_of(place.generation)))
        else:
            self.query_one("#messages", MessageList).move_cursor(self.rows.row_of(place.index), centre=True)
        await self.query_one(Panes).bring("message")
        self.place.pane = "message"
        self.find_in_pane()

    @on(FactsPane.CopyWanted)
    def _checklist_wanted(self, event: FactsPane.CopyWanted) -> None:
        from inspector.export.checklists import AT_RISK_LEAD, LOST_LEAD
        from inspector.quality.facts.carry import checklist

        recalled = self._recalled
        if recalled is None:
            return
        facts: dict[str, Fact] = {fact.key: fact for fact in recalled.reading.facts.facts}
        facts |= {life.fact.key: life.fact for life in recalled.reading.facts.pruned}
        keys = dict.fromkeys(key.rpartition("@")[0] for key in event.keys)
        lead = AT_RISK_LEAD if event.scope == "risk" else LOST_LEAD
        self.copy_text(checklist([facts[key] for key in keys if key in facts], lead), "checklist")
