"""A pane that gets a value equal to the one it shows draws nothing and changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from msgspec.structs import replace
from textual.widget import Widget

from tests.examples import also
from tests.widgets.test_widget_findings_pane import ALL
from tests.widgets.test_widget_panes import CACHE, MESSAGE
from tests.widgets.values import COMPACTION, DIFF, LOSSES, ROWS, RUNS, SUMMARY, SUMMARY_PANE, TUNE
from tests.widgets.widget_host import hosting, shown
from widgets.lists.message_list import BoundaryLine
from widgets.panes.compaction_pane import CompactionPane
from widgets.panes.findings_pane import FindingsPane, FindingsView
from widgets.panes.losses_facts import LossesFacts
from widgets.panes.losses_pane import LossesPane
from widgets.panes.message_pane import MessagePane
from widgets.panes.next_request import NextRequest
from widgets.panes.summary_changes import SummaryChanges
from widgets.panes.summary_lineage import SummaryLineage
from widgets.panes.summary_pane import SummaryPane
from widgets.panes.summary_sides import SummarySides
from widgets.panes.summary_text import SummaryText
from widgets.panes.what_if_pane import WhatIfPane

PLANNED = (BoundaryLine(3, "head_end", "planned"),)


def what_if(pane: WhatIfPane) -> None:
    """Give the pane all three inputs."""
    pane.set_settings(deepcopy(TUNE))
    pane.set_run(deepcopy(RUNS))
    pane.set_step(30)


#: Kind of pane, function that sets a value, keys that change its place, and function that sets another value.
CASES: dict[str, tuple[type[Widget], Callable[[Any], None], tuple[str, ...], Callable[[Any], None]]] = {
    "message": (
        MessagePane,
        lambda pane: pane.set_view(deepcopy(MESSAGE)),
        ("m", "down"),
        lambda pane: pane.set_view(replace(MESSAGE, text="another text")),
    ),
    "compaction": (
        CompactionPane,
        lambda pane: pane.set_view(deepcopy(COMPACTION), ROWS, PLANNED),
        ("J", "down"),
        lambda pane: pane.set_view(replace(COMPACTION, total=9), ROWS, PLANNED),
    ),
    "summary": (
        SummaryPane,
        lambda pane: pane.set_view(deepcopy(SUMMARY_PANE)),
        ("m", "J"),
        lambda pane: pane.set_view(replace(SUMMARY_PANE, changes=None)),
    ),
    "text": (
        SummaryText,
        lambda pane: pane.set_view(deepcopy(SUMMARY)),
        ("J", "enter"),
        lambda pane: pane.set_view(replace(SUMMARY, total=7)),
    ),
    "changes": (
        SummaryChanges,
        lambda pane: pane.set_view(deepcopy(DIFF)),
        ("f", "J"),
        lambda pane: pane.set_view(replace(DIFF, old=replace(DIFF.old, index=7))),
    ),
    "sides": (
        SummarySides,
        lambda pane: pane.set_view(deepcopy(DIFF)),
        ("down",),
        lambda pane: pane.set_view(replace(DIFF, new=replace(DIFF.new, summary="other"))),
    ),
    "lineage": (
        SummaryLineage,
        lambda pane: pane.set_view(deepcopy(SUMMARY_PANE.lineage)),
        ("f", "J"),
        lambda pane: pane.set_view(replace(SUMMARY_PANE.lineage, column=2)),
    ),
    "losses": (
        LossesPane,
        lambda pane: pane.set_view(deepcopy(LOSSES)),
        ("down", "r"),
        lambda pane: pane.set_view(replace(LOSSES, chosen=2)),
    ),
    "facts": (
        LossesFacts,
        lambda pane: pane.set_view(deepcopy(LOSSES)),
        ("f", "down"),
        lambda pane: pane.set_view(replace(LOSSES, chosen=2)),
    ),
    "cache": (
        NextRequest,
        lambda pane: pane.set_view(deepcopy(CACHE)),
        ("J", "J"),
        lambda pane: pane.set_view(replace(CACHE, facts=("Other facts.",))),
    ),
    "what-if": (WhatIfPane, what_if, ("down", "m"), lambda pane: pane.set_step(31)),
    "findings": (
        FindingsPane,
        lambda pane: pane.set_view(FindingsView(deepcopy(ALL), "under hermes-0.13")),
        ("down",),
        lambda pane: pane.set_view(FindingsView(ALL, "under hermes-0.19")),
    ),
}


@pytest.mark.parametrize("size", also((70, 38), (78, 10)), ids=["high", "low"])
@pytest.mark.parametrize("name", CASES)
async def test_an_equal_value_draws_nothing(
    name: str, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    kind, fill, keys, change = CASES[name]
    pane = kind()
    async with hosting(pane, size=size, set_up=lambda: fill(pane)) as host:
        next(widget for widget in pane.walk_children(Widget) if widget.focusable).focus()
        await host.press(*keys)
        before, focused = shown(pane), host.focused
        drawn: list[str] = []
        refresh, render = Widget.refresh, Widget.render_lines

        def noted_refresh(widget: Widget, *regions: Any, **options: Any) -> Widget:
            drawn.append(f"refresh {widget!r}")
            return refresh(widget, *regions, **options)

        def noted_render(widget: Widget, crop: Any) -> Any:
            drawn.append(f"render {widget!r}")
            return render(widget, crop)

        monkeypatch.setattr(Widget, "refresh", noted_refresh)
        monkeypatch.setattr(Widget, "render_lines", noted_render)
        host.posted.clear()
        for _ in range(3):
            fill(pane)
            await host.settle()
        assert drawn == []
        assert [message for message in host.posted if type(message).__module__.startswith("widgets.")] == []
        assert (shown(pane), host.focused) == (before, focused)
        change(pane)
        await host.settle()
        assert drawn, "what is counted would be seen"
