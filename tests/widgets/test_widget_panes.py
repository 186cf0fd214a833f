"""The panes: each shows its value, posts messages for the user's keys, and handles hostile text."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace
from textual.widget import Widget

from inspector.caching.breakpoints import Breakpoint
from inspector.caching.costs import Cost
from inspector.caching.misses import JudgedRequest
from inspector.caching.priced import PricedRequest
from inspector.core.conversations import Request
from inspector.quality.sources import SourceShare
from tests.widgets.values import COMPACTION, compaction, life
from tests.widgets.widget_host import CONTROLS, HOSTILE, hosting, lines, showing, shown
from widgets.intents import Change, GoTo
from widgets.lists.message_list import MessageRow
from widgets.panes.compaction_pane import CompactionPane
from widgets.panes.diff_lines import compare
from widgets.panes.findings_pane import FindingsPane
from widgets.panes.losses_facts import LossesFacts
from widgets.panes.losses_pane import LossesPane
from widgets.panes.message_pane import CallView, MessagePane, MessageView
from widgets.panes.next_request import CacheView, NextRequest, ShownBreakpoint
from widgets.panes.requests_part import RequestsPart, RequestsView, chart_lines
from widgets.panes.summary_changes import SummaryChanges
from widgets.panes.summary_lineage import SummaryLineage
from widgets.panes.summary_lines import summary_view
from widgets.panes.summary_pane import SummaryPane, SummaryPaneView
from widgets.panes.tokens_pane import share_lines

MESSAGE = MessageView(
    MessageRow("217", "assistant", "I ran the tests.", "middle", 1_234, "rough", 24, 2),
    "I ran the tests.",
    1.7e9,
    (
        CallView("terminal", '{"command": "pytest -q"}', "call_1", "2 failed", True),
        CallView("read", "not json", "call_2"),
    ),
    "thinking hard",
    '{"role": "assistant"}',
    "[cleared]",
    facts=(("finish", "tool_calls"),),
    notes=("It is huge.",),
)


async def test_a_message_shows_its_facts_and_text() -> None:
    async with showing(MessagePane(), MESSAGE) as (pane, _):
        text = shown(pane)
        for part in (
            "217 assistant  ┊middle  ~1,234 tokens  ✂ → 24  cache breakpoint 2",
            "finish tool_calls",
            "! It is huge.",
        ):
            assert part in text
        assert "● text  ○ calls 2  ○ reasoning  ○ ✂ pruned  ○ raw" in text
        assert "I ran the tests." in text


async def test_a_message_has_modes() -> None:
    async with showing(MessagePane(), MESSAGE) as (pane, host):
        pane.body.focus()
        seen = []
        for _ in range(4):
            await host.press("m")
            seen.append((pane.mode, shown(pane)))
        assert [mode for mode, _ in seen] == ["calls", "reasoning", "pruned", "raw"]
        calls, reasoning, pruned, raw = (text for _, text in seen)
        assert '"command": "pytest -q"' in calls
        assert "failed, result\n    2 failed" in calls
        assert "! no result in this list" in calls
        assert "thinking hard" in reasoning
        assert "[cleared]" in pruned
        assert '{\n  "role": "assistant"\n}' in raw
        await host.press("M", "M")
        assert pane.mode == "reasoning"


async def test_the_mode_stays_from_message_to_message_where_it_can() -> None:
    async with showing(MessagePane(), MESSAGE) as (pane, _):
        pane.set_mode("raw")
        pane.set_view(replace(MESSAGE, row=replace(MESSAGE.row, label="218"), raw='{"n": 2}'))
        assert pane.mode == "raw"
        assert '"n": 2' in shown(pane)
        pane.set_view(MessageView(MessageRow("1", "user", "hello"), "hello"))
        assert pane.mode == "text"
        pane.set_view(replace(MESSAGE, text=""))
        assert pane.mode == "calls"
        pane.set_view(None)
        assert "No message is chosen." in shown(pane)


CACHE = CacheView(
    (
        ShownBreakpoint(Breakpoint(1, None, "the system prompt", True, ""), "system", "You are", 2_100),
        ShownBreakpoint(
            Breakpoint(2, 340, "the message itself", False, "no marker on tools"), "tool", "2 failed", 60_000
        ),
        ShownBreakpoint(Breakpoint(3, 342, "the whole text", True, ""), "user", "Great", 78_412),
    ),
    80_000,
    facts=("The next call reads 77,000 tokens.",),
)


async def test_the_cache_pane_tells_where_breakpoints_are_and_which_are_without_effect() -> None:
    async with showing(NextRequest(), CACHE) as (pane, _):
        text = shown(pane)
        for part in (
            "3 of 4 breakpoints  request: ~80,000 tokens  1 breakpoint without effect",
            "layout    ● native  ○ envelope",
            "● 5 minutes  ○ 1 hour",
            "98% of the request is cached",
            "⚑1 sys system  on the system prompt  ~2.1k up to here (3%)",
            "without effect: no marker on tools",
            "The next call reads 77,000 tokens.",
        ):
            assert part in text
        bar = next(line for line in text.split("\n") if "▓" in line)
        assert "┈" in bar


@pytest.mark.parametrize("size", [(80, 9), (42, 12)])
async def test_a_low_cache_pane_still_lists_breakpoints(size: tuple[int, int]) -> None:
    pane = NextRequest()
    async with hosting(pane, size=size, set_up=lambda: pane.set_view(CACHE)):
        assert any("⚑1 sys system" in line for line in lines(pane.body))
        assert pane.body.size.height >= 3


async def test_the_cache_pane_posts_what_is_wanted() -> None:
    async with showing(NextRequest(), CACHE) as (pane, host):
        pane.body.focus()
        await host.press("L", "E", "J", "J", "enter")
        assert [message.changes for message in host.messages_of(Change)] == [
            {"layout": "envelope"},
            {"ttl": "1h"},
        ]
        row = next(y for y, line in enumerate(lines(pane.body)) if "⚑3" in line)
        await host.click(pane.body, 5, row)
        assert [message.place for message in host.messages_of(GoTo)] == [(1, 340, ""), (1, 342, "")]
        assert {"L", "E", "J", "enter"} <= set(host.screen.active_bindings)
        pane.set_view(CacheView())
        assert "no cache breakpoint" in shown(pane)
        await host.settle()
        assert not {"L", "E", "J", "enter"} & set(host.screen.active_bindings)
        pane.set_view(None)
        assert "No request" in shown(pane)


@pytest.mark.parametrize("size", [(40, 12), (80, 24)])
async def test_hostile_text_reaches_no_screen(size: tuple[int, int]) -> None:
    call = CallView(HOSTILE, json.dumps({HOSTILE: HOSTILE}), HOSTILE, HOSTILE, False)
    message = MessageView(
        MessageRow(HOSTILE, HOSTILE, HOSTILE),
        HOSTILE,
        calls=(call,),
        raw=HOSTILE,
        facts=((HOSTILE, HOSTILE),),
        notes=(HOSTILE,),
    )
    point = ShownBreakpoint(Breakpoint(1, 1, HOSTILE, False, HOSTILE), HOSTILE, HOSTILE, 5)
    body = f"## {HOSTILE}\n- {HOSTILE}\n"
    done = compaction(2, body, note=HOSTILE, session=HOSTILE)
    summary = summary_view(done, 3, 100)
    diff = compare(compaction(1, f"## {HOSTILE}\n- {HOSTILE} other words\n"), done)
    lost = life(1, "lost", text=HOSTILE, role=HOSTILE)
    panes: list[tuple[Any, Any]] = [
        (MessagePane(), message),
        (SummaryPane(), SummaryPaneView(summary, diff)),
        (NextRequest(), CacheView((point,), 10, facts=(HOSTILE,))),
        (
            CompactionPane(),
            replace(
                COMPACTION,
                done=done,
                lost=(lost,),
                lost_notes=(HOSTILE,),
                summary=summary,
            ),
        ),
    ]
    for pane, value in panes:
        async with hosting(
            pane, size=size, set_up=lambda pane=pane, value=value: pane.set_view(value)
        ) as host:
            for mode in ("", "calls", "raw", "changes", "sides", "messages"):
                choose = getattr(pane, "set_mode", getattr(pane, "show", None))
                if mode and choose is not None:
                    choose(mode)
                    await host.settle()
                assert not set(shown(pane)) & (CONTROLS - {"\n"})


async def test_a_megabyte_of_json_is_shown_without_waiting() -> None:
    pane = MessagePane()
    text = json.dumps({"key": "v" * 3_000_000})
    async with hosting(
        pane, set_up=lambda: pane.set_view(MessageView(MessageRow("1", "tool", text), text, raw=text))
    ):
        pane.set_mode("raw")
        assert '"key"' in shown(pane)


@pytest.mark.parametrize(
    "kind",
    [
        SummaryPane,
        SummaryChanges,
        SummaryLineage,
        LossesPane,
        LossesFacts,
        CompactionPane,
        FindingsPane,
    ],
)
async def test_an_empty_pane_offers_no_keys(kind: type[Widget]) -> None:
    pane = kind()
    async with hosting(pane) as host:
        inner = next(widget for widget in pane.query("*") if widget.focusable)
        inner.focus()
        await host.settle()
        offered = {
            found.binding.action
            for found in host.screen.active_bindings.values()
            if found.binding.show and found.node in (pane, inner)
        }
        assert offered == set()


def request(index: int, read: int, written: int, cause: Any, missed: int, cost: float) -> PricedRequest:
    """Return a request of generation 1."""
    call = Request(index, 1, str(index), "opus", 1.7e9, 10, read, written, None, 100)
    return PricedRequest(JudgedRequest(call, cause, missed), Cost(cost, 0, 0), None)


REQUESTS = RequestsView(
    (
        request(1, 0, 50_000, "first", 0, 0.31),
        request(2, 50_000, 2_000, None, 0, 0.04),
        request(3, 0, 54_000, "ttl", 52_000, 0.34),
        request(4, 9_000, 9_000, "compaction", 0, 0.06),
    ),
    (1, 3, 5, None),
    "0.75 US dollars.",
)


async def test_requests_say_what_was_sent_again_and_lead_to_their_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    part, messages = RequestsPart(), list[str]()
    async with hosting(part, size=(90, 30), set_up=lambda: part.set_view(REQUESTS)) as host:
        text = shown(part)
        assert "4 requests  174k tokens sent, 34% of them read from the cache" in text
        assert "t 1 miss       52.0k sent again  expired in a pause (ttl)" in text
        assert "0.75 US dollars." in text
        monkeypatch.setattr(host, "notify", lambda text, **_: messages.append(text))
        part.list.focus()
        await host.press("J", "enter", "J", "end", "enter")
        assert [message.place for message in host.messages_of(GoTo)] == [(1, 5, "")]
        assert messages == ["It is unknown which message answers this request."]
        assert "J" in host.screen.active_bindings
        part.set_view(RequestsView((request(2, 50_000, 2_000, None, 0, 0.04),), (1,)))
        await host.settle()
        assert "J" not in host.screen.active_bindings, "no request has a miss"
        part.set_view(RequestsView(note="Requests are being read."))
        assert "Requests are being read." in shown(part)


@pytest.mark.parametrize("width", [10, 40, 200])
def test_the_chart_of_requests_is_as_wide_as_there_is_room(width: int) -> None:
    lines = chart_lines(REQUESTS.requests * 30, width, 3)
    assert len(lines) == 5
    assert all(len(line.text) == min(width, 120) for line in lines[:3])
    assert "t" in lines[3].text
    assert chart_lines((), width, 3) == []


def test_sources_with_short_names_fit_a_narrow_pane() -> None:
    shares = (SourceShare("user", 89_400, 5_000), SourceShare("agent", 49_500, 5_000))
    for line in share_lines(shares, 50):
        assert len(line.text) <= 50
        assert "▓" in line.text
