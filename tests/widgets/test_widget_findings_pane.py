"""The findings pane: list, explanation, going to the place."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from inspector.quality.catalogue import RULES
from inspector.quality.finding import Finding, severity_words
from tests.counting import calls_of
from tests.widgets.widget_host import HOSTILE, Host, hosting, lines
from widgets.intents import ChooseCompaction, DismissFinding, GoTo, ShowPane
from widgets.panes.findings_pane import FindingsPane, FindingsView


def finding(
    rule: str, text: str, compaction: int | None = None, index: int | None = None, cause: str = ""
) -> Finding:
    """Return a finding of a rule, with its severity."""
    generation = None if index is None else 3
    return Finding(rule, RULES[rule].severity, "c", compaction, None, generation, index, text, cause=cause)


ERROR = finding("summary-fallback", "Compaction 2 left out 27 messages.", 2, 4)
WARNING = finding("threshold-overridden", "It is 64,000.")
INFO = finding("boundaries-inferred", "A guess.", 1)
ALL = (ERROR, WARNING, INFO)


def shown(host: Host) -> str:
    pane = host.widget
    assert isinstance(pane, FindingsPane)
    return "\n".join([pane.query_one("Headline").text, *lines(pane.list), *lines(pane.body)])  # type: ignore[attr-defined]


async def test_the_gravest_is_explained_first() -> None:
    pane = FindingsPane()
    async with hosting(pane, (80, 30), lambda: pane.set_view(FindingsView(ALL, "under hermes-0.13"))) as host:
        text = shown(host)
        assert "1 error   1 warning   1 info" in text
        assert "under hermes-0.13" in text
        rows = lines(pane.list)
        assert [row.strip(" ›").split()[0] for row in rows[:3]] == ["error", "warning", "info"]
        assert "compaction 2" in rows[0]
        assert "No summary was made" in rows[0]
        explained = "\n".join(lines(pane.body))
        rule = RULES[ERROR.rule]
        for part in (ERROR.rule, ERROR.text, rule.means[:40], f"Advice: {rule.advice[:40]}"):
            assert part in explained


async def test_advice_is_for_the_agent_of_the_conversation() -> None:
    pane = FindingsPane()
    ours = finding("saved-little", "It saved 2%.", 2)
    async with hosting(pane, (120, 30), lambda: pane.set_view(FindingsView((ours,)))) as host:
        assert "protect_last_n" in shown(host)
        pane.set_view(FindingsView((replace(ours, observed=True),)))
        await host.settle()
        assert "compact later or keep less" in shown(host)
        assert "protect_last_n" not in shown(host)


async def test_moving_explains_the_next_and_opening_posts_it() -> None:
    pane = FindingsPane()
    async with hosting(pane, (80, 30), lambda: pane.set_view(FindingsView(ALL))) as host:
        pane.list.focus()
        await host.press("down")
        assert WARNING.text in "\n".join(lines(pane.body))
        await host.press("J")
        assert INFO.text in "\n".join(lines(pane.body))
        await host.press("K", "K", "K", "enter")
        assert [message.place for message in host.messages_of(GoTo)] == [(3, 4, "")]
        await host.click(pane.list, 10, 1, times=2)
        assert [message.pane for message in host.messages_of(ShowPane)] == ["what-if"]
        await host.click(pane.list, 10, 2, times=2)
        assert [message.index for message in host.messages_of(ChooseCompaction)] == [1]


async def test_the_cursor_stays_on_its_finding_when_others_come() -> None:
    pane = FindingsPane()
    async with hosting(pane, (80, 30), lambda: pane.set_view(FindingsView((ERROR, INFO)))) as host:
        pane.list.move_cursor(1)
        pane.set_view(FindingsView(ALL))
        await host.settle()
        assert pane.list.cursor == 2
        pane.set_view(FindingsView((WARNING,)))
        await host.settle()
        assert pane.list.cursor == 0
        assert WARNING.text in "\n".join(lines(pane.body))


@pytest.mark.parametrize(
    ("findings", "message"),
    [(None, "Looking for findings"), ((), "No findings.")],
    ids=["looking", "none"],
)
async def test_nothing_to_show(findings: tuple[Finding, ...] | None, message: str) -> None:
    pane, view = FindingsPane(), None if findings is None else FindingsView(findings)
    async with hosting(pane, (60, 20), lambda: pane.set_view(view)) as host:
        assert message in shown(host)
        assert not pane.list.display
        await host.press("enter", "J")
        assert not host.messages_of(GoTo)


async def test_a_low_pane_still_shows_what_was_found() -> None:
    pane = FindingsPane()
    async with hosting(pane, (50, 8), lambda: pane.set_view(FindingsView(ALL, "under hermes-0.13"))) as host:
        assert "under hermes-0.13" not in shown(host)
        assert pane.list.size.height == 3
        assert ERROR.text in lines(pane.body)[0]


async def test_hostile_text_is_safe() -> None:
    pane = FindingsPane()
    bad = finding("summary-fallback", HOSTILE)
    async with hosting(pane, (70, 40), lambda: pane.set_view(FindingsView((bad,)))) as host:
        assert "␛[31mred" in shown(host)
        assert "[bold]b[/bold]" in shown(host)


async def test_many_findings_scroll() -> None:
    pane = FindingsPane()
    many = tuple(finding("threshold-overridden", f"text {n}", cause=str(n)) for n in range(500))
    async with hosting(pane, (80, 24), lambda: pane.set_view(FindingsView(many))) as host:
        assert pane.list.size.height < 12
        pane.list.focus()
        await host.press("end")
        assert "text 499" in "\n".join(lines(pane.body))


async def test_findings_of_one_cause_share_a_line_and_enter_goes_through_their_places() -> None:
    pane = FindingsPane()
    same = tuple(finding("quick-succession", f"Again at {n}.", n) for n in (2, 3, 4))
    async with hosting(pane, (80, 30), lambda: pane.set_view(FindingsView(same))) as host:
        pane.list.focus()
        assert pane.list.row_count == 1
        assert "3 compactions" in lines(pane.list)[0]
        assert "(3 times)" in lines(pane.list)[0]
        assert "Again at 4." in "\n".join(lines(pane.body))
        await host.press("enter", "enter", "enter", "enter")
        assert [message.index for message in host.messages_of(ChooseCompaction)] == [2, 3, 4, 2]


async def test_dismissed_findings_are_counted_apart_and_shown_on_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pane = FindingsPane()
    async with hosting(
        pane, (80, 30), lambda: pane.set_view(FindingsView((ERROR,), dismissed=(INFO,)))
    ) as host:
        pane.list.focus()
        assert "1 error   1 dismissed" in shown(host)
        assert pane.list.row_count == 1
        await host.press("d")
        assert [message.finding for message in host.messages_of(DismissFinding)] == [ERROR]
        await host.press("D", "down")
        assert "dismissed: " in lines(pane.list)[1]
        await host.press("d")
        assert [message.finding for message in host.messages_of(DismissFinding)] == [ERROR, INFO]
        await host.press("D")
        assert pane.list.row_count == 1
        await host.press("D")
        refreshes = calls_of(monkeypatch, pane.list, "refresh")
        pane.set_view(FindingsView((ERROR, INFO)))
        assert "dismissed: " not in lines(pane.list)[1]
        assert refreshes, "the same groups are drawn again"


def test_counts_in_words() -> None:
    assert severity_words({}) == ""
    assert severity_words({"info": 2, "warning": 2, "error": 1}) == "1 error, 2 warnings, 2 info"
