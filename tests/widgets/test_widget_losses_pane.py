"""The losses pane: from view to view, and beyond the chosen compaction."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.widgets.values import KEPT, LOSSES, SAID
from tests.widgets.widget_host import hosting, shown
from widgets.panes.losses_facts import LossesFacts
from widgets.panes.losses_measures import LossesMeasures
from widgets.panes.losses_pane import LossesPane, LossesView


@pytest.mark.parametrize("size", [(70, 38), (78, 10)])
async def test_facts_and_measures_are_views_of_the_same_compaction(size: tuple[int, int]) -> None:
    pane = LossesPane()
    async with hosting(pane, size=size, set_up=lambda: pane.set_view(LOSSES)) as host:
        assert "compaction 1 of 3" in shown(pane)
        assert not pane.query(LossesMeasures)
        pane.query_one(LossesFacts).facts.focus()
        pane.set_view(replace(LOSSES, chosen=2))
        await host.press("m")
        assert pane.view_name == "measures"
        assert [message.name for message in host.of(LossesPane.ViewShown)] == ["measures"]
        assert "compaction 2 of 3" in shown(pane)
        assert pane.query_one(LossesMeasures).table.has_focus
        await host.press("M")
        assert pane.query_one(LossesFacts).facts.has_focus


async def test_r_goes_beyond_the_compaction_and_back() -> None:
    pane = LossesPane()
    async with hosting(pane, size=(70, 38), set_up=lambda: pane.set_view(LOSSES)) as host:
        pane.query_one(LossesFacts).facts.focus()
        told = []
        for _ in range(3):
            await host.press("r")
            told.append(pane.query_one(LossesFacts).scope)
        assert told == ["pruned", "risk", "1"]
        await host.press("m", "r")
        assert pane.query_one(LossesMeasures).column == 3
        await host.press("r")
        assert pane.query_one(LossesMeasures).column == 0


async def test_what_is_wanted_is_posted_once_whatever_the_view() -> None:
    pane = LossesPane()
    async with hosting(pane, size=(70, 38), set_up=lambda: pane.set_view(LOSSES)) as host:
        pane.query_one(LossesFacts).facts.focus()
        await host.press("enter", "J", "s", "C")
        assert [message.place for message in host.of(LossesPane.PlaceChosen)] == [SAID, KEPT]
        assert [message.scope for message in host.of(LossesPane.CopyWanted)] == ["1"]


async def test_until_facts_are_known_the_note_is_shown_and_the_keys_are_free() -> None:
    pane = LossesPane()
    view = LossesView(None, 1, None, "Facts of 3 of 9 messages.")
    async with hosting(pane, size=(70, 38), set_up=lambda: pane.set_view(view)) as host:
        pane.query_one(LossesFacts).body.focus()
        await host.settle()
        assert "Facts of 3 of 9 messages." in shown(pane)
        assert not {"r", "c", "f", "w", "s", "C", "J"} & set(host.screen.active_bindings)
        pane.set_view(LOSSES)
        await host.settle()
        assert {"r", "c", "f", "w", "s", "C", "J"} <= set(host.screen.active_bindings)
