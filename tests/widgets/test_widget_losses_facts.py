"""The facts pane: what it shows, how it filters, what it posts."""

from __future__ import annotations

import pytest

from tests.widgets.widget_host import HOSTILE, hosting, lines
from widgets.lists.fact_list import OUTCOMES, FactPlace, FactView
from widgets.panes.facts_pane import FactScope, FactsPane

SAID = FactPlace(1, 7, "never more than 37", "message 7 of generation 1")
KEPT = FactPlace(2, 3, "37", "summary, message 3 of generation 2")


def fact(
    number: int, outcome: str, kind: str = "constraint", role: str = "user", **values: object
) -> FactView:
    """A fact of that outcome."""
    base = {
        "key": f"k{number}",
        "kind": kind,
        "text": f"Retry {number} times, never more than 37.",
        "values": ("37",),
        "role": role,
        "outcome": outcome,
        "source": SAID,
    }
    return FactView(**{**base, **values})  # type: ignore[arg-type]


FACTS = (
    fact(1, "lost"),
    fact(2, "value lost", survivor=KEPT, excerpt="retries are limited"),
    fact(3, "paraphrased", "decision", "assistant"),
    fact(4, "verbatim", "value", "tool", where="summary", survivor=KEPT, excerpt="never more than 37"),
)
SCOPES = (
    FactScope("1", "compaction 1", "1", FACTS),
    FactScope("risk", "at risk", "at risk", (fact(9, "at risk"),)),
)


def text(pane: FactsPane) -> str:
    """Everything that the pane shows."""
    return "\n".join(line for widget in pane.walk_children() if widget.display for line in lines(widget))  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [(70, 40), (80, 14)])
async def test_it_counts_lists_and_explains(size: tuple[int, int]) -> None:
    pane = FactsPane()
    async with hosting(pane, size=size, set_up=lambda: pane.set_scopes(SCOPES)):
        assert pane.shown == FACTS
        head = " ".join(" ".join(lines(pane._headline)).split())
        for outcome in ("lost", "value lost", "paraphrased", "verbatim"):
            assert f"{OUTCOMES[outcome][0]} 1 {outcome}" in head
        assert [lines(pane.facts)[n].strip()[:1] for n in (1, 2, 3)] == ["?", "~", "="]
        assert "Retry 1 times" in pane.body.text
        assert "message 7 of generation 1" in pane.body.text


async def test_filters_leave_what_they_say_and_count_what_the_others_leave() -> None:
    pane = FactsPane()
    async with hosting(pane, size=(90, 40), set_up=lambda: pane.set_scopes(SCOPES)) as host:
        pane.facts.focus()
        await host.press("c")
        assert pane.choice("kind") == "constraint"
        assert pane.shown == FACTS[:2]
        await host.press("f")
        assert pane.choice("fate") == "lost"
        assert pane.shown == FACTS[:1]
        labels = [mode.label for mode in pane._bars["kind"].modes]
        assert labels == ["all", "constraint (1)"]
        await host.press("m")
        assert pane.scope == "risk"
        assert pane.shown == ()
        assert "No fact passes these filters." in pane.body.text
        await host.press("f", "f", "f")
        assert pane.choice("fate") in ("all", "at risk")


async def test_enter_goes_to_where_it_was_said_and_s_to_where_it_survives() -> None:
    pane = FactsPane()
    async with hosting(pane, size=(90, 40), set_up=lambda: pane.set_scopes(SCOPES)) as host:
        pane.facts.focus()
        await host.press("s")
        assert host.of(FactsPane.PlaceChosen) == []
        await host.press("enter", "J", "s")
        assert [message.place for message in host.of(FactsPane.PlaceChosen)] == [SAID, KEPT]
        await host.press("C")
        (wanted,) = host.of(FactsPane.CopyWanted)
        assert (wanted.keys, wanted.scope) == (("k1", "k2", "k3", "k4"), "1")


async def test_the_cursor_and_the_filters_stay_when_facts_come_anew() -> None:
    pane = FactsPane()
    async with hosting(pane, size=(90, 40), set_up=lambda: pane.set_scopes(SCOPES)) as host:
        pane.facts.focus()
        await host.press("w", "J")
        assert pane.choice("role") == "user"
        more = FactScope("1", "compaction 1", "1", (fact(8, "lost"), *FACTS))
        pane.set_scopes((more, SCOPES[1]))
        await host.settle()
        assert pane.choice("role") == "user"
        assert pane.shown[pane.facts.cursor].key == "k2"


async def test_waiting_nothing_and_hostile_text() -> None:
    pane = FactsPane()
    async with hosting(pane, size=(60, 30), set_up=lambda: pane.set_scopes(None)) as host:
        assert "Looking for facts" in lines(pane._headline)[0]
        pane.set_scopes((FactScope("1", "compaction 1", "1", ()),))
        await host.settle()
        assert "no facts" in lines(pane._headline)[0]
        bad = fact(
            1, "lost", text=HOSTILE, values=(HOSTILE, ""), excerpt=HOSTILE, notes=((HOSTILE, "error"),)
        )
        pane.set_scopes((FactScope("1", "compaction 1", "1", (bad,)),))
        await host.settle()
        assert "\x1b" not in text(pane)
        assert "[/foo]" in text(pane)
