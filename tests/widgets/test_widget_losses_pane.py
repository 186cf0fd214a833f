"""The losses pane: its views and its scopes."""

from __future__ import annotations

from msgspec.structs import replace

from tests.widgets.values import LOSSES
from tests.widgets.widget_host import hosting, showing, shown
from widgets.panes.losses_attempts import LossesAttempts
from widgets.panes.losses_facts import LossesFacts
from widgets.panes.losses_pane import LossesPane
from widgets.panes.losses_view import LossesView


async def test_m_shows_the_attempts_and_takes_the_focus_along() -> None:
    async with showing(LossesPane(), LOSSES, size=(70, 38)) as (pane, host):
        assert "compaction 1 of 3" in shown(pane)
        assert not pane.query(LossesAttempts)
        pane.query_one(LossesFacts).facts.focus()
        await host.press("m")
        assert pane.view_name == "attempts"
        assert pane.query_one(LossesAttempts).has_focus_within
        await host.press("M")
        assert pane.query_one(LossesFacts).facts.has_focus


async def test_r_goes_through_the_scopes() -> None:
    async with showing(LossesPane(), LOSSES, size=(70, 38)) as (pane, host):
        pane.query_one(LossesFacts).facts.focus()
        scopes = []
        for _ in range(3):
            await host.press("r")
            scopes.append(pane.query_one(LossesFacts).scope)
        assert scopes == ["pruned", "risk", "1"]


async def test_until_facts_are_known_the_note_is_shown_and_the_keys_are_free() -> None:
    pane = LossesPane()
    view = LossesView(None, 1, note="Facts of 3 of 9 messages.")
    async with hosting(pane, size=(70, 38), set_up=lambda: pane.set_view(view)) as host:
        pane.query_one(LossesFacts).body.focus()
        await host.settle()
        assert "Facts of 3 of 9 messages." in shown(pane)
        assert not {"r", "c", "f", "w", "s", "C", "J"} & set(host.screen.active_bindings)
        pane.set_view(LOSSES)
        await host.settle()
        assert {"r", "c", "f", "w", "s", "C", "J"} <= set(host.screen.active_bindings)


async def test_the_keys_of_facts_are_those_of_the_scope_on_screen() -> None:
    pane = LossesPane()
    first, *others = LOSSES.offered
    async with hosting(pane, size=(70, 38), set_up=lambda: pane.set_view(LOSSES)) as host:
        pane.query_one(LossesFacts).body.focus()
        pane.set_view(replace(LOSSES, scopes=(replace(first, facts=()), *others)))
        await host.settle()
        keys = {"c", "f", "w", "s", "d", "T", "C", "J"}
        assert not keys & set(host.screen.active_bindings)
        await host.press("r")
        assert keys <= set(host.screen.active_bindings)
        await host.press("r", "r")
        assert not keys & set(host.screen.active_bindings)
