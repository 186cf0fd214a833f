"""The compaction pane: consequences, losses, the summary, and the messages."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from inspector.core.places import Place
from inspector.quality.aftermath import AftermathEvent
from tests.widgets.values import COMPACTION, ROWS, SAID, compaction
from tests.widgets.widget_host import hosting, lines, showing, shown
from widgets.intents import GoTo, StepCompaction
from widgets.panes.compaction_lines import lost_lines
from widgets.panes.compaction_pane import CompactionPane


async def test_a_compaction_shows_both_boundaries_and_every_message() -> None:
    async with showing(CompactionPane(), COMPACTION, ROWS, size=(100, 40)) as (pane, _):
        text = shown(pane)
        for part in (
            "compaction 2 of 3  a summary replaced the middle",
            "343 → 130",
            "214 removed (~61.0k), 129 kept, 1 summary",
            "saved ~68.3k, 68%",
            "differs from the record",
            "! Saved little before.",
        ):
            assert part in text
        recorded = next(line for line in text.split("\n") if line.startswith("━ recorded"))
        planned = next(line for line in text.split("\n") if line.startswith("╌ planned by hermes-0.13"))
        assert recorded.split()[2:] == ["3", "217", "~23", "~32.1k"]
        assert planned.split()[4:] == ["3", "214", "~3.0k", "~33.0k"]
        assert next(line for line in text.split("\n") if "gone 3" in line).count("−") == 1


@pytest.mark.parametrize(
    ("planned", "words"),
    [
        ({5, 8}, "the same boundaries"),
        ({5}, "the same boundaries; between them, 1 message would stay and 2 stayed"),
        ({5, 8, 9}, "the same boundaries; between them, 3 messages would stay and 2 stayed"),
    ],
)
async def test_a_plan_that_keeps_other_messages_between_the_boundaries_is_not_the_same(
    planned: set[int], words: str
) -> None:
    assert COMPACTION.plan is not None
    plan = replace(COMPACTION.plan, tail_start=217, kept=frozenset(planned))
    view = replace(COMPACTION, done=compaction(kept=((5, 4), (8, 5))), plan=plan)
    async with showing(CompactionPane(), view, ROWS, size=(100, 40)) as (pane, _):
        assert words in [line.strip() for line in lines(pane.body)]


@pytest.mark.parametrize("size", [(80, 9), (42, 14)])
async def test_a_low_compaction_pane_still_shows_both_boundaries(size: tuple[int, int]) -> None:
    pane = CompactionPane()
    async with hosting(pane, size=size, set_up=lambda: pane.set_view(COMPACTION, ROWS)) as host:
        pane.body.focus()
        await host.press("end")
        text = "\n".join(lines(pane.body))
        assert "━ recorded" in text
        assert "╌ planned" in text
        await host.press("m")
        assert pane.view_name == "messages"
        assert pane.messages.has_focus
        assert "gone 3" in shown(pane)
        assert not pane.body.display
        await host.press("M")
        assert pane.body.has_focus
        await host.pilot.resize_terminal(80, 30)
        await host.settle()
        assert pane.body.display
        assert pane.messages.display
        assert "m" not in host.screen.active_bindings, "all of it is on screen"


async def test_a_compaction_that_saved_little_or_failed_is_told() -> None:
    pane = CompactionPane()
    async with hosting(
        pane,
        size=(100, 40),
        set_up=lambda: pane.set_view(replace(COMPACTION, done=compaction(tokens_after=95_000))),
    ):
        assert "only saved ~5.4k, 5%" in shown(pane)
        pane.set_view(replace(COMPACTION, done=compaction(fallback=True, tokens_after=110_000)))
        assert "no summary was made" in shown(pane)
        assert "grew by ~9.6k, 10%" in shown(pane)
        pane.set_view(None)
        assert "No compaction is recorded so far." in shown(pane)


async def test_a_pane_whose_compaction_is_not_read_does_not_say_that_there_is_none() -> None:
    pane = CompactionPane()
    async with hosting(pane, size=(100, 40)):
        assert shown(pane).strip() == "Reading the compactions …"
        pane.set_view(None)
        assert shown(pane).strip() == "No compaction is recorded so far."
        pane.set_view(None, known=False)
        assert shown(pane).strip() == "Reading the compactions …"


async def test_groups_of_a_compaction_are_one_key_away() -> None:
    async with showing(CompactionPane(), COMPACTION, ROWS, size=(100, 40)) as (pane, host):
        pane.messages.focus()
        places = []
        for key in ("J", "J", "J", "K", "K"):
            await host.press(key)
            places.append(pane.messages.cursor)
        assert places == [3, 10, 11, 10, 3]
        await host.press("comma", "full_stop")
        assert [message.by for message in host.messages_of(StepCompaction)] == [-1, 1]


async def test_what_was_lost_stands_before_the_summary_and_is_one_key_away() -> None:
    async with showing(CompactionPane(), COMPACTION, ROWS, size=(70, 38)) as (pane, host):
        screen = shown(pane)
        order = [
            "compaction 2 of 3",
            "343 → 130",
            "lost        Retry 1",
            "agent #7",
            "and 31 more",
            "━ recorded",
            "▸ Goal",
            "gone 3",
        ]
        places = [screen.index(part) for part in order]
        assert places == sorted(places)
        assert "Pass the tests" not in screen
        pane.body.focus()
        await host.press("J", "enter", "J", "J", "enter")
        assert [message.place[:2] for message in host.messages_of(GoTo)] == [SAID[:2]] * 2
        await host.press("J", "enter")
        assert "▾ Goal  1 item" in shown(pane)
        assert "Pass the tests" in shown(pane)
        await host.press("enter", "K", "K")
        assert "▸ Goal" in shown(pane)
        row = next(y for y, line in enumerate(lines(pane.body)) if "Retry 2" in line)
        await host.click(pane.body, 12, row)
        assert len(host.messages_of(GoTo)) == 3


async def test_enter_opens_the_first_place_if_none_is_lit() -> None:
    async with showing(CompactionPane(), COMPACTION, ROWS, size=(70, 38)) as (pane, host):
        pane.body.focus()
        await host.press("enter")
        assert [message.place[:2] for message in host.messages_of(GoTo)] == [SAID[:2]]


@pytest.mark.parametrize("note", ["none of the recognized facts", "facts are being read"])
async def test_a_compaction_without_lost_facts_says_why(note: str) -> None:
    pane = CompactionPane()
    view = replace(COMPACTION, lost=(), lost_notes=(note,), summary=None)
    async with hosting(pane, size=(70, 38), set_up=lambda: pane.set_view(view, ROWS)):
        assert f"lost      {note}" in shown(pane)
        pane.set_view(replace(view, lost_notes=()), ROWS)
        assert "lost" not in shown(pane)


async def test_the_same_compaction_told_with_more_keeps_the_cursor() -> None:
    pane = CompactionPane()
    bare = replace(COMPACTION, lost=(), lost_notes=("facts are being read",), summary=None)
    async with hosting(pane, size=(70, 38), set_up=lambda: pane.set_view(bare, ROWS, cursor=3)) as host:
        assert pane.messages.cursor == 3
        pane.messages.move_cursor(7)
        pane.set_view(COMPACTION, ROWS, cursor=3)
        assert pane.messages.cursor == 7
        pane.set_view(replace(COMPACTION, done=compaction(3)), ROWS, cursor=2)
        await host.settle()
        assert pane.messages.cursor == 2


async def test_why_it_fired_and_its_aftermath_are_shown() -> None:
    again = AftermathEvent(2, "read again", Place(3, 61, 161), Place(2, 12, 112), "src/cart.py", 400)
    view = replace(COMPACTION, why="~66,480 tokens at #46 reached 64,000", aftermath=(again,) * 8, lost=())
    async with showing(CompactionPane(), view, ROWS, size=(90, 40)) as (pane, host):
        screen = shown(pane)
        assert "why       ~66,480 tokens at #46 reached 64,000" in screen
        assert "after     read again  src/cart.py" in screen
        assert "earlier at #12 → #61  ~400 tokens" in screen
        assert "and 2 more" in screen
        pane.body.focus()
        await host.press("J", "enter")
        assert [message.place for message in host.messages_of(GoTo)] == [(3, 61, "src/cart.py")]


async def test_repeated_work_says_what_the_earlier_act_was_and_that_a_size_is_an_upper_bound() -> None:
    again = AftermathEvent(2, "read again", Place(3, 61, 161), Place(2, 12, 112), "src/cart.py", 1_400)
    views = [
        replace(COMPACTION, aftermath=(replace(again, written=written, in_part=in_part),), lost=())
        for written, in_part in ((True, True), (False, False))
    ]
    async with showing(CompactionPane(), views[0], ROWS, size=(90, 40)) as (pane, host):
        assert "  written at #12 → #61  up to ~1,400 tokens" in shown(pane)
        pane.set_view(views[1], ROWS)
        await host.settle()
        assert "  earlier at #12 → #61  ~1,400 tokens" in shown(pane)
        pane.set_view(replace(COMPACTION, aftermath=(replace(again, kind="said again", model="mine"),)), ROWS)
        await host.settle()
        assert "said again (model)  src/cart.py" in shown(pane)


@pytest.mark.parametrize(("width", "words"), [(48, "  #12 → #61"), (72, "  written at #12 → #61")])
async def test_a_narrow_pane_has_the_places_of_repeated_work(width: int, words: str) -> None:
    again = AftermathEvent(
        2, "read again", Place(3, 61, 161), Place(2, 12, 112), "src/" * 12 + "cart.py", 400
    )
    pane = CompactionPane()
    view = replace(COMPACTION, aftermath=(replace(again, written=True),), lost=())
    async with hosting(pane, size=(width, 40), set_up=lambda: pane.set_view(view, ROWS)):
        (line,) = [line for line in shown(pane).splitlines() if "read again" in line]
        assert "cart.py" in line
        assert line.rstrip().endswith(words)


@pytest.mark.parametrize(
    ("summary", "words"),
    [("The work so far.", "129 kept (1 with summary)"), (None, "129 kept\n")],
)
async def test_a_summary_without_a_message_of_its_own(summary: str | None, words: str) -> None:
    pane = CompactionPane()
    view = replace(COMPACTION, done=replace(COMPACTION.done, after=129, summary=summary))
    async with hosting(pane, size=(100, 40), set_up=lambda: pane.set_view(view, ROWS)):
        assert words in shown(pane)


async def test_new_messages_beside_the_summary_are_no_summaries() -> None:
    pane = CompactionPane()
    view = replace(COMPACTION, done=replace(COMPACTION.done, after=132))
    async with hosting(pane, size=(100, 40), set_up=lambda: pane.set_view(view, ROWS)):
        assert "129 kept, 1 summary, 2 new\n" in shown(pane)
        pane.set_view(replace(view, done=replace(view.done, summary=None, summary_at=None)), ROWS)
        assert "129 kept, 3 new\n" in shown(pane)


@pytest.mark.parametrize(
    ("width", "fallback", "words"), [(66, False, ", 1 summary"), (70, True, ", 1 fallback text")]
)
async def test_the_count_of_messages_fits_one_row_of_a_narrow_pane(
    width: int, fallback: bool, words: str
) -> None:
    pane = CompactionPane()
    view = replace(COMPACTION, done=replace(COMPACTION.done, fallback=fallback))
    async with hosting(pane, size=(width, 40), set_up=lambda: pane.set_view(view, ROWS)):
        row = next(line for line in shown(pane).splitlines() if line.startswith("messages"))
        assert row.endswith(words)


async def test_the_size_of_a_missing_list_is_unknown() -> None:
    pane = CompactionPane()
    done = replace(COMPACTION.done, before=0, head_end=0, tail_start=0, tokens_before=0, kept=(), whole=False)
    async with hosting(
        pane, size=(100, 40), set_up=lambda: pane.set_view(replace(COMPACTION, done=done), ROWS)
    ):
        text = shown(pane)
        assert "messages  unknown → 130" in text
        assert "tokens    unknown → " in text
        assert "removed" not in next(line for line in text.splitlines() if line.startswith("messages"))


def test_lost_facts_that_do_not_count_are_dimmer() -> None:
    lines = lost_lines(replace(COMPACTION, counted=2), 80)
    dim = [any(line.text[span.start : span.end].startswith("Retry") for span in line.spans) for line in lines]
    assert dim == [False, False, True, False]
