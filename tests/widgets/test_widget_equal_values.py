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
Case = tuple[type[Widget], Callable[[Any], None], tuple[str, ...], Callable[[Any], None]]


def part(kind: type[Widget], value: Any, keys: tuple[str, ...], other: Any, *more: Any) -> Case:
    """Return the case of a part that gets its value with `set_view`."""
    return (
        kind,
        lambda pane: pane.set_view(deepcopy(value), *more),
        keys,
        lambda pane: pane.set_view(other, *more),
    )


CASES: dict[str, Case] = {
    "message": part(MessagePane, MESSAGE, ("m", "down"), replace(MESSAGE, text="another text")),
    "compaction": part(
        CompactionPane, COMPACTION, ("J", "down"), replace(COMPACTION, total=9), ROWS, PLANNED
    ),
    "summary": part(SummaryPane, SUMMARY_PANE, ("m", "J"), replace(SUMMARY_PANE, changes=None)),
    "text": part(SummaryText, SUMMARY, ("J", "enter"), replace(SUMMARY, total=7)),
    "changes": part(SummaryChanges, DIFF, ("f", "J"), replace(DIFF, old=replace(DIFF.old, index=7))),
    "sides": part(SummarySides, DIFF, ("down",), replace(DIFF, new=replace(DIFF.new, summary="other"))),
    "lineage": part(
        SummaryLineage, SUMMARY_PANE.lineage, ("f", "J"), replace(SUMMARY_PANE.lineage, column=2)
    ),
    "losses": part(LossesPane, LOSSES, ("down", "r"), replace(LOSSES, chosen=2)),
    "facts": part(LossesFacts, LOSSES, ("f", "down"), replace(LOSSES, chosen=2)),
    "cache": part(NextRequest, CACHE, ("J", "J"), replace(CACHE, facts=("Other facts.",))),
    "what-if": (WhatIfPane, what_if, ("down", "m"), lambda pane: pane.set_step(31)),
    "findings": part(
        FindingsPane,
        FindingsView(ALL, "under hermes-0.13"),
        ("down",),
        FindingsView(ALL, "under hermes-0.19"),
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
