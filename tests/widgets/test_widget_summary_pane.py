"""The summary pane: its text, changes, the two texts, and the way from view to view."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.summaries.test_lineage import BODIES
from tests.widgets.values import DIFF, SUMMARY, SUMMARY_PANE, compaction, lineage_view
from tests.widgets.widget_host import Host, hosting, lines, showing, shown
from widgets.bars.mode_bar import ModeBar
from widgets.intents import Change, ChooseCompaction
from widgets.panes.summary_changes import SummaryChanges
from widgets.panes.summary_lineage import SummaryLineage
from widgets.panes.summary_lines import SummaryView, summary_view
from widgets.panes.summary_pane import SummaryPane, SummaryPaneView
from widgets.panes.summary_sides import SummarySides
from widgets.panes.summary_text import SummaryText
from widgets.panes.text_view import TextView


async def test_a_summary_shows_sections_counts_and_budget() -> None:
    async with showing(SummaryText(), SUMMARY) as (pane, _):
        text = shown(pane)
        for part in (
            "compaction 2 of 3  4 sections, 4 items",
            "~23 tokens  ▓▓▓▓▓░░░░░░░░░░░░░░░  23% of the budget of 100",
            "▾ Goal  1 item · ~7\n  • Pass the tests",
            "▾ Progress / Done  3 items · ~10\n  1. fixed a\n    • sub\n  2. fixed b",
            "▾ Progress / Blocked  empty · ~",
        ):
            assert part in text
        assert "Progress  empty" not in text


async def test_a_fallback_is_prominent_and_an_overlong_summary_is_noted() -> None:
    async with showing(SummaryText(), summary_view(compaction(fallback=True), 3, 16)) as (pane, _):
        assert shown(pane).startswith("No summary was made")
        assert "144% of the budget" in shown(pane)
        pane.set_view(summary_view(compaction(merged=True), 3, None))
        assert "merged into the first tail message" in shown(pane)
        pane.set_view(SummaryView(compaction(summary="free text\nof two lines")))
        assert "free text\nof two lines" in shown(pane)


async def test_a_missing_summary_is_named_once() -> None:
    pane = SummaryText()
    async with hosting(pane):
        assert shown(pane).strip() == "Reading the summary …"
        pane.set_view(SummaryView())
        assert shown(pane).strip() == "No summary is recorded so far."
        pane.set_view(SummaryView(compaction(summary="")))
        assert "There is no summary." in shown(pane)


async def test_sections_fold_by_key_and_click_and_stay_folded() -> None:
    async with showing(SummaryText(), SUMMARY) as (pane, host):
        pane.body.focus()
        await host.press("J", "enter")
        assert "▸ Goal" in shown(pane)
        assert "Pass the tests" not in shown(pane)
        await host.press("J", "J", "enter")
        assert pane.folded == {"Goal", "Progress / Done"}
        pane.set_view(replace(SUMMARY, total=4))
        assert "▸ Goal" in shown(pane)
        row = next(y for y, line in enumerate(lines(pane.body)) if "Goal" in line)
        await host.click(pane.body, 4, row)
        assert pane.folded == {"Progress / Done"}
        await host.press("z")
        assert pane.folded == {"Goal", "Progress", "Progress / Done", "Progress / Blocked"}
        await host.press("z")
        assert pane.folded == frozenset()


async def test_without_a_section_nothing_is_to_be_folded() -> None:
    async with showing(SummaryText(), SummaryView()) as (pane, host):
        pane.body.focus()
        await host.settle()
        assert not {"enter", "z", "J"} & set(host.screen.active_bindings)
        pane.set_view(SUMMARY)
        assert {"enter", "z", "J"} <= set(host.screen.active_bindings)


async def test_a_low_summary_keeps_its_size_in_the_line_of_its_title() -> None:
    async with showing(SummaryText(), SUMMARY, size=(78, 9)) as (pane, _):
        assert "compaction 2 of 3  4 sections, 4 items  ~23 tokens  23% of 100\n" in shown(pane)
        assert pane.body.size.height >= 6


async def test_a_diff_has_signs_and_counts() -> None:
    async with showing(SummaryChanges(), DIFF) as (pane, _):
        text = shown(pane)
        for part in (
            "compaction 1 → compaction 2",
            "− 1 removed   ≈ 1 reworded   → 1 moved   = 1 kept",
            "Goal  = 1\n  = Pass the tests",
            "  ≈ ship the release by Friday to all\n    was ship the release soon to all",
            "Done  + section added  → 1\n  → fix the parser of dates\n    In Progress → Done",
        ):
            assert part in text


async def test_f_leaves_only_the_changes() -> None:
    async with showing(SummaryChanges(), DIFF, size=(80, 24)) as (pane, host):
        pane.body.focus()
        await host.press("f")
        assert pane.filter == "changes"
        assert "Pass the tests" not in shown(pane)
        assert "by Friday" in shown(pane)
        bar = pane.query_one(ModeBar)
        await host.click(bar, lines(bar)[0].index("all items"), 0)
        assert "Pass the tests" in shown(pane)
        pane.set_view(None)
        assert "no earlier summary" in shown(pane)


async def test_the_texts_are_side_by_side_at_any_width() -> None:
    async with showing(SummarySides(), DIFF, size=(80, 24)) as (pane, host):
        row = next(line for line in shown(pane).split("\n") if "by Friday" in line)
        assert "+" in row
        assert "compaction 1" in shown(pane)
        await host.pilot.resize_terminal(50, 20)
        await host.settle()
        await host.settle()
        assert all(len(line) <= 50 for line in lines(pane.body))
        assert "by" in shown(pane)
        pane.set_view(None)
        await host.settle()
        assert "no earlier summary" in shown(pane)


async def test_braces_choose_the_earlier_summary_of_a_comparison() -> None:
    view = replace(SUMMARY_PANE, changes=replace(DIFF, old=replace(DIFF.old, index=3)), earlier=(1, 3, 4))
    async with showing(SummaryPane(), view, size=(80, 38)) as (pane, host):
        pane.query_one(TextView).focus()
        pane.show("changes")
        await host.settle()
        await host.press("left_curly_bracket", "right_curly_bracket")
        chosen = [message.changes for message in host.messages_of(Change) if "against" in message.changes]
        assert chosen == [{"against": 1}, {"against": 4}]
        pane.set_view(replace(view, earlier=(3,)))
        assert "left_curly_bracket" not in host.screen.active_bindings


async def test_section_keys_go_through_a_diff() -> None:
    async with showing(SummaryChanges(), DIFF) as (pane, host):
        pane.body.focus()
        active = []
        for key in "JJJJK":
            await host.press(key)
            active.append(pane.body.active)
        assert active == [0, 3, 8, 8, 3]


def views_shown(host: Host) -> list[str]:
    """Return the views that appeared on screen, in order."""
    return [message.changes["view"] for message in host.messages_of(Change)]


async def test_m_goes_through_all_views_and_takes_the_focus_along() -> None:
    async with showing(SummaryPane(), SUMMARY_PANE, size=(70, 38)) as (pane, host):
        pane.query_one(TextView).focus()
        assert (pane.view_name, "▾ Goal" in shown(pane)) == ("text", True)
        views = (
            ("changes", "− old"), ("sides", "Friday"), ("lineage", "▸2"), ("attempts", "No attempt"),
            ("text", "▾ Goal"),
        )  # fmt: skip
        for name, message in views:
            await host.press("m")
            assert pane.view_name == name
            assert message in shown(pane)
            assert pane.has_focus_within
        await host.press("M", "M", "M")
        assert pane.view_name == "sides"
        assert views_shown(host) == [
            "changes",
            "sides",
            "lineage",
            "attempts",
            "text",
            "attempts",
            "lineage",
            "sides",
        ]


async def test_a_click_and_a_call_bring_a_view_and_a_burst_settles_on_the_last() -> None:
    async with showing(SummaryPane(), SUMMARY_PANE, size=(78, 10)) as (pane, host):
        bar = pane.query_one(ModeBar)
        await host.click(bar, lines(bar)[0].index("side by side"), 0)
        assert pane.view_name == "sides"
        pane.show("lineage")
        pane.show("nothing")
        await host.settle()
        assert isinstance(pane.shown, SummaryLineage)
        await host.press(*["m"] * 12)
        assert pane.view_name == "text"
        assert [view.id or type(view).__name__ for view in pane.query(".view") if view.display] == [
            "SummaryText"
        ]


async def test_a_view_that_was_not_on_screen_costs_nothing() -> None:
    async with showing(SummaryPane(), SUMMARY_PANE, size=(70, 38)) as (pane, host):
        assert [type(view) for view in pane.query(".view")] == [SummaryText]
        await host.press("m")
        pane.show("changes")
        await host.settle()
        assert not pane.query(SummaryLineage)
        pane.set_view(replace(SUMMARY_PANE, summary=summary_view(compaction(3), 3, 100)))
        pane.show("text")
        await host.settle()
        assert "compaction 3 of 3" in shown(pane)


async def test_an_item_of_the_life_is_shown_where_it_changed() -> None:
    async with showing(SummaryPane(), SUMMARY_PANE, size=(70, 38)) as (pane, host):
        pane.show("lineage")
        await host.settle()
        items = pane.query_one(SummaryLineage).items
        items.focus()
        await host.press("enter")
        assert [message.index for message in host.messages_of(ChooseCompaction)] == [2]
        assert pane.view_name == "changes"
        pane.show("lineage")
        await host.settle()
        await host.click(items, lines(items)[0].index("3"), 2)
        assert [message.index for message in host.messages_of(ChooseCompaction)] == [2, 3]
        pane.show_item("ship the release by Friday to all")
        await host.settle()
        changes = pane.query_one(SummaryChanges)
        assert pane.view_name == "changes"
        assert "by Friday" in lines(changes.body)[changes.body.active or 0]
        # A later comparison also begins at the item, until J or K.
        sections = DIFF.diff.sections[1:]
        pane.set_view(
            replace(SUMMARY_PANE, changes=replace(DIFF, diff=replace(DIFF.diff, sections=sections)))
        )
        assert changes.body.active is not None
        await host.press("K")
        pane.set_view(SUMMARY_PANE)
        assert changes.body.active is None


async def test_pending_and_missing_values_are_named() -> None:
    pane = SummaryPane()
    view = SummaryPaneView(SummaryView())
    async with hosting(pane, size=(70, 38), set_up=lambda: pane.set_view(view)) as host:
        for name, message in (
            ("changes", "no earlier summary"), ("sides", "no earlier summary"), ("lineage", "Following the items"),
        ):  # fmt: skip
            pane.show(name)
            await host.settle()
            assert message in shown(pane)
        pane.set_view(replace(view, lineage=lineage_view()))
        assert "No compaction has a summary" in shown(pane)


async def test_the_column_of_the_life_follows_the_chosen_compaction() -> None:
    async with showing(SummaryPane(), SUMMARY_PANE, size=(70, 38)) as (pane, host):
        pane.show("lineage")
        await host.settle()
        assert "compaction 2 of 3" in shown(pane)
        pane.set_view(replace(SUMMARY_PANE, lineage=lineage_view(*BODIES, column=2)))
        assert "compaction 3 of 3" in shown(pane)


@pytest.mark.parametrize("keys", ["[]", "hl", "0123456789"])
async def test_brackets_arrows_and_digits_are_left_to_the_screen(keys: str) -> None:
    names = {"[": "left_square_bracket", "]": "right_square_bracket"}
    async with showing(SummaryPane(), SUMMARY_PANE, size=(70, 38)) as (pane, host):
        for name in ("text", "changes", "sides", "lineage"):
            pane.show(name)
            await host.settle()
            assert not {names.get(key, key) for key in keys} & set(host.screen.active_bindings)
