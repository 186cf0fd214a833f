"""Facts in the app: found in the background, marked, filtered, gone to, at risk under the knobs, carried off."""

from __future__ import annotations

from pathlib import Path

from inspector.app.panes import Panes
from tests.app.running import CHECKOUT, conversation, cursor, messages, notes, press, row, running, told
from widgets.panes.facts_pane import FactsPane
from widgets.panes.message_pane import MessagePane

SIZE = (160, 48)
CONSTRAINT = "the contrast must be at least 4.5 : 1"


def pane_of(pilot: object) -> FactsPane:
    """The facts pane."""
    return conversation(pilot).query_one(FactsPane)  # type: ignore[arg-type]


async def test_the_pane_begins_with_the_compaction_that_made_the_list(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=SIZE) as pilot:
        await press(pilot, "9")
        pane = pane_of(pilot)
        assert pane.scope == "4"
        assert any(CONSTRAINT in fact.text for fact in pane.shown)
        alive = [fact.outcome in ("verbatim", "paraphrased") for fact in pane.shown]
        assert alive == sorted(alive)
        assert pane.facts.has_focus
        await press(pilot, "m")
        assert pane.scope != "4"


async def test_from_a_fact_to_where_it_was_said_and_to_where_it_survives(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=SIZE) as pilot:
        screen = conversation(pilot)
        await press(pilot, "9")
        pane = pane_of(pilot)
        at = next(n for n, fact in enumerate(pane.shown) if CONSTRAINT in fact.text)
        chosen = pane.shown[at]
        assert chosen.source is not None
        assert chosen.survivor is not None
        pane.facts.move_cursor(at)
        await press(pilot, "enter")
        assert (screen.number, cursor(pilot)) == (chosen.source.generation, chosen.source.index)
        assert screen.query_one(Panes).current == "message"
        body = screen.query_one(MessagePane).body
        assert body._matches
        assert messages(pilot).highlight == chosen.source.text
        await press(pilot, "9")
        pane.facts.move_cursor(at)
        await press(pilot, "s")
        assert (screen.number, cursor(pilot)) == (chosen.survivor.generation, chosen.survivor.index)
        assert body._matches
        await press(pilot, "escape", "escape")
        assert messages(pilot).highlight == ""


async def test_rows_whose_facts_were_lost_are_marked(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=SIZE) as pilot:
        screen = conversation(pilot)
        await press(pilot, "9")
        pane = pane_of(pilot)
        pane.show_scope("1")
        await press(pilot, "J")
        gone = [f for f in pane.shown if f.outcome in ("lost", "value lost") and f.role == "user"]
        assert gone
        for fact in gone:
            assert fact.source is not None
        place = gone[0].source
        assert place is not None
        screen.show_generation(place.generation)
        await press(pilot)
        assert "lost" in row(pilot, place.index).flags
        kept = next(f for f in pane.shown if f.outcome == "verbatim" and f.source is not None)
        lost_at = {f.source.index for f in pane.shown if f.outcome in ("lost", "value lost") and f.source}
        assert kept.source is not None
        if kept.source.index not in lost_at:
            assert "lost" not in row(pilot, kept.source.index).flags


async def test_what_is_at_risk_follows_the_knobs(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=SIZE) as pilot:
        screen = conversation(pilot)
        await press(pilot, "9")
        pane = pane_of(pilot)
        pane.show_scope("risk")
        await press(pilot)
        before = {fact.key for fact in pane.shown}
        screen.change(protect_first_n=0)
        await press(pilot)
        after = {fact.key for fact in pane.shown}
        assert before < after
        assert {fact.outcome for fact in pane.shown} == {"at risk"}
        screen.action_undo()
        await press(pilot)
        assert {fact.key for fact in pane.shown} == before


async def test_a_checklist_is_carried_off(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=SIZE) as pilot:
        screen = conversation(pilot)
        await press(pilot, "9", "C")
        assert told(pilot)[-1].startswith("Copied the checklist to the clipboard")
        assert screen.place.folder is not None
        text = (screen.place.folder / "copied.txt").read_text()
        assert "- [ ] " in text
        assert "4.5 : 1" in text


async def test_a_second_opening_takes_them_from_the_cache_and_nothing_is_wrong(in_place: Path) -> None:
    found = []
    for _ in range(2):
        async with running(in_place, "Nightly orders import loses rows", size=(80, 24)) as pilot:
            await press(pilot, "9")
            found.append([fact.key for fact in pane_of(pilot).shown])
            assert not [note for note in notes(pilot) if "went wrong" in note]
    assert found[0] == found[1] != []
