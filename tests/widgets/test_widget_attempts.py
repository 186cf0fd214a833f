"""Attempts in panes: facts kept compared with the recorded summary, by section and by fact, and posted messages."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from inspector.quality.facts.survival import KindSurvival
from inspector.summaries.summary import ItemChange, SectionDiff
from tests.widgets.values import life
from tests.widgets.widget_host import HOSTILE, hosting, showing, shown
from widgets.intents import DeleteAttempt, GoTo
from widgets.panes.attempt_lines import (
    NO_ATTEMPTS,
    AttemptsView,
    AttemptView,
    FactFates,
    LifeView,
    attempt_lines,
    fact_lines,
    kept_words,
    table_lines,
)
from widgets.panes.losses_attempts import LossesAttempts
from widgets.panes.summary_attempts import SummaryAttempts

RECORDED = AttemptView(
    0, "recorded", (KindSurvival("constraint", 2, 0, 4, 0), KindSurvival("value", 3, 0, 4, 0)), 500
)
BETTER = AttemptView(
    3, "gpt-5",
    (KindSurvival("constraint", 4, 1, 1, 0), KindSurvival("value", 5, 0, 2, 0)), 700, 2_000, "$0.0031", "today",
    sections=(
        SectionDiff("Goal", (ItemChange("Ship it.", "kept", "Goal", "Goal"),), "Goal"),
        SectionDiff("Constraints", (ItemChange("At most 3 retries.", "added", None, "Constraints"),), None),
    ),
)  # fmt: skip
FAILED = AttemptView(4, "ollama run a-rather-long-name-of-a-model", problem="It ended with exit code 1.")
VIEW = AttemptsView(
    (RECORDED, BETTER, FAILED),
    (
        FactFates(life(1, "lost", text="At most 3 retries, only on 502."), ("lost", "verbatim")),
        FactFates(life(2, "verbatim", kind="value", text="Port 8080 is held."), ("verbatim", "verbatim")),
    ),
    lives=(LifeView(3, "gpt-5", ((2, 6, 2, 4), (3, 8, 2, 5))),),
)


def test_what_one_keeps_is_told_beside_the_recorded_one() -> None:
    assert (
        kept_words(BETTER, RECORDED)
        == "4 of 6 constraints, recorded 2 of 6 · 9 of 13 facts, recorded 5 of 13"
    )
    assert kept_words(BETTER, None) == "4 of 6 constraints · 9 of 13 facts"
    assert kept_words(FAILED, RECORDED) == ""
    texts = [line.prefix + line.text for line in attempt_lines(VIEW)]
    assert texts == [
        "attempts  Σ #3 gpt-5  with this one 4 of 6 constraints, recorded 2 of 6 · 9 of 13 facts, recorded 5 of 13"
        "  ~700 · $0.0031",
        "          ✗ #4 ollama run a-…me-of-a-model  It ended with exit code 1.",
    ]
    assert attempt_lines(NO_ATTEMPTS) == []


async def test_an_attempt_stands_beside_the_recorded_summary_section_by_section() -> None:
    async with showing(SummaryAttempts(), VIEW, size=(80, 30)) as (pane, host):
        pane.body.focus()
        # The newest is first, and it has no summary.
        assert "It ended with exit code 1." in shown(pane)
        await host.press("full_stop")
        screen = shown(pane)
        assert "With this one 4 of 6 constraints, recorded 2 of 6" in screen
        assert "~700 tokens, 35% of the budget of 2,000; recorded ~500" in screen
        assert "Constraints  + section added" in screen
        assert "+ At most 3 retries." in screen
        await host.press("D")
        assert not host.messages_of(DeleteAttempt)
        await host.press("D")
        assert [event.attempt for event in host.messages_of(DeleteAttempt)] == [3]


async def test_another_attempt_is_asked_about_anew() -> None:
    async with showing(SummaryAttempts(), VIEW, size=(80, 30)) as (pane, host):
        pane.body.focus()
        await host.press("D", "full_stop", "D")
        assert not host.messages_of(DeleteAttempt)


async def test_every_fact_has_a_column_a_summary() -> None:
    async with showing(LossesAttempts(), VIEW, size=(80, 30)) as (pane, host):
        pane.body.focus()
        screen = shown(pane).splitlines()
        assert screen[0].split() == ["recorded", "#3", "gpt-5", "#4", "oll…del"]
        assert screen[1].split() == ["constraint", "2/6", "4/6", "↓1", "–"]
        assert any(line.strip().startswith("∅  =  constraint At most 3 retries") for line in screen)
        assert any("after 3" in line and "2/8" in line and "5/8" in line for line in screen)
        await host.press("d")
        assert "Port 8080" not in shown(pane)
        await host.press("J", "enter")
        assert [event.place for event in host.messages_of(GoTo)] == [
            (1, 7, "At most 3 retries, only on 502.")
        ]


def test_a_narrow_pane_has_columns_for_the_recorded_one_and_the_newest() -> None:
    attempts = [replace(BETTER, id=number) for number in range(1, 10)]
    view = AttemptsView(
        (RECORDED, *attempts, FAILED), (FactFates(life(1, "lost"), ("lost", *["verbatim"] * 8, "weakened")),)
    )
    table = table_lines(view, 62)
    assert [word for word in table[0].text.split() if word != "gpt-5"] == ["recorded", "#7", "#8", "#9"]
    assert max(len(line.text) for line in table) <= 62
    assert table[-1].text == "and 7 more: `attempts` lists them all"
    (fact,) = fact_lines(view, 62)
    assert fact.text.startswith("∅  =  =  ↓  ")


@pytest.mark.parametrize("pane", [SummaryAttempts, LossesAttempts])
async def test_waiting_nothing_and_hostile_text(pane: type[SummaryAttempts | LossesAttempts]) -> None:
    widget = pane()
    async with hosting(widget, size=(60, 20)) as host:
        assert "No attempt has been made" in shown(widget)
        assert "P makes one" in shown(widget)
        widget.set_view(AttemptsView(pending=True))
        await host.settle()
        assert "Looking for what each summary keeps" in shown(widget)
        hostile = replace(
            BETTER, name=HOSTILE, made=HOSTILE, problem=HOSTILE, text=HOSTILE,
            sections=(SectionDiff(HOSTILE, (ItemChange(HOSTILE, "added", None, HOSTILE),), None),),
        )  # fmt: skip
        facts = (FactFates(life(1, "lost", text=HOSTILE), ("lost", None)),)
        widget.set_view(
            AttemptsView((RECORDED, hostile), facts, lives=(LifeView(1, HOSTILE, ((1, 0, 0, 0),)),))
        )
        await host.settle()
        assert "[bold]b[/bold]" in shown(widget)
