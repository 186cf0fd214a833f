"""Another summary from the screen: the form shows what it will send, sends nothing before that, and shows the new
summary next to the recorded summary."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from textual.widget import Widget
from textual.widgets import Button, Input

from inspector.app.conversation.model_prompt import ModelPrompt, Tick
from inspector.core.text import is_safe
from inspector.models.kept import default_attempts
from tests.app.running import CHECKOUT, Test, conversation, press, running, screen_text, settled, view_of
from tests.models.server import DONE, Server, event, stream
from tests.models.watching import watched
from widgets.lists.conversation_table import ConversationTable
from widgets.panes.compaction_pane import CompactionPane
from widgets.panes.losses_attempts import LossesAttempts
from widgets.panes.losses_facts import LossesFacts
from widgets.panes.summary_attempts import SummaryAttempts

ROOT = Path(__file__).resolve().parents[2]
STAND_IN = f"{shlex.quote(sys.executable)} {shlex.quote(str(ROOT / 'fixtures' / 'summarizer.py'))}"


@pytest.fixture(autouse=True)
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running_server:
        yield running_server


def prompt_of(pilot: Test) -> ModelPrompt:
    assert isinstance(pilot.app.screen, ModelPrompt)
    return pilot.app.screen


async def done(pilot: Test) -> None:
    """Wait until no job of the form is running."""
    screen = pilot.app.screen
    for _ in range(1_000):
        await settled(pilot)
        if not isinstance(screen, ModelPrompt) or not screen.jobs.busy():
            return
    raise AssertionError("the form does not come to rest")


async def checked(pilot: Test) -> None:
    """Show what the form would send."""
    await press(pilot, "enter")
    await done(pilot)


async def test_the_list_and_the_losses_follow_what_a_model_decided(rotating: Path, tmp_path: Path) -> None:
    script = tmp_path / "judge.py"
    script.write_text(JUDGE)
    async with running(rotating, size=(160, 48)) as pilot:
        table = pilot.app.screen.query_one(ConversationTable)

        def counted() -> list[tuple[int | None, int | None]]:
            entries = [table.entry(row) for row in range(table.row_count)]
            return [
                (one.constraints, one.uncertain)
                for one in entries
                if one is not None and one.title == CHECKOUT
            ]

        await settled(pilot)
        before = counted()
        await press(pilot, "l")
        await settled(pilot)
        await press(pilot, "enter", "4")
        await settled(pilot)
        conversation(pilot).change(compaction=4)
        await settled(pilot)
        await press(pilot, "V")
        form = prompt_of(pilot)
        form.query_one("#command", Input).value = f"{shlex.quote(sys.executable)} {shlex.quote(str(script))}"
        await settled(pilot)
        await checked(pilot)
        await sent(pilot)
        await settled(pilot)
        await press(pilot, "escape", "escape")
        await came(pilot, lambda: "A model decided" in screen_text(pilot))
        await press(pilot, "escape")
        await came(pilot, lambda: counted() != before)


async def test_a_stopped_decision_keeps_no_unfinished_answer(rotating: Path, server: Server) -> None:
    def hold() -> None:
        server.waits.set()
        server.go_on.wait(60)

    server.answers = [stream(event('{"statements"'), event("late"), before=hold)]
    async with running(rotating, CHECKOUT, size=(160, 48)) as pilot:
        conversation(pilot).change(compaction=1)
        await press(pilot, "4")
        await settled(pilot)
        await press(pilot, "V")
        form = prompt_of(pilot)
        form.query_one("#endpoint", Input).value = server.base
        form.query_one("#model", Input).value = "m"
        await settled(pilot)
        await checked(pilot)
        await pilot.press("ctrl+s")
        await came(pilot, lambda: "characters" in form.notice)
        await pilot.press("escape")
        await settled(pilot)
        assert "an unfinished one is not" in form.notice
        assert default_attempts().fact_answer_stamps() == {}
        server.go_on.set()
        await press(pilot, "escape")


async def sent(pilot: Test) -> None:
    """Send what the form shows."""
    await press(pilot, "ctrl+s")
    await done(pilot)


async def came(pilot: Test, true: Callable[[], bool]) -> None:
    """Wait until a thread makes a condition true; fail if it does not."""
    for _ in range(20_000):
        if true():
            return
        await pilot.pause(0.01)
    raise AssertionError("the expected state did not appear")


async def opened(pilot: Test, compaction: int = 2, **fields: str) -> ModelPrompt:
    """Return the completed form for a compaction."""
    conversation(pilot).change(compaction=compaction)
    await press(pilot, "2", "P")
    form = prompt_of(pilot)
    for name, value in fields.items():
        form.query_one(f"#{name}", Input).value = value
    await settled(pilot)
    return form


async def test_a_small_form_shows_whole_labels(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=(80, 24)) as pilot:
        form = await opened(pilot)
        assert all(str(tick.label) in screen_text(pilot) for tick in form.query(Tick))


async def test_nothing_is_sent_before_it_is_shown_and_allowed(rotating: Path, server: Server) -> None:
    server.answers = [stream(event("## Goal\nAbort when p99 passes 350 ms or errors pass 0.5 %."), DONE)]
    async with running(rotating, CHECKOUT, size=(160, 48)) as pilot:
        with watched() as seen:
            form = await opened(pilot, endpoint=server.base, model="gpt-4o")
            await press(pilot, "ctrl+s")
            assert form.query_one("#send", Button).disabled
            await checked(pilot)
            assert "1 prompt of ~" in form.notice
            assert f"gpt-4o at {server.base}" in form.notice
            assert "US dollars" in form.notice
            assert "secrets" in form.notice
            # One more Enter sends nothing, and a change of the form revokes the consent.
            await checked(pilot)
            form.query_one("#model", Input).value = "gpt-4o-mini"
            await settled(pilot)
            assert form.query_one("#send", Button).disabled
            await press(pilot, "ctrl+s")
        assert seen == []
        assert not server.requests
        await checked(pilot)
        await sent(pilot)
        await settled(pilot)
        assert conversation(pilot)
        assert len(server.requests) == 1
        assert server.requests[0][2]["model"] == "gpt-4o-mini"
        (made,) = default_attempts().all()
        assert (made.state, made.model, made.place.compaction) == ("finished", "gpt-4o-mini", 2)


async def made(pilot: Test, compaction: int = 2, command: str = STAND_IN) -> None:
    await opened(pilot, compaction, command=command)
    await checked(pilot)
    await sent(pilot)
    await settled(pilot)


async def test_an_attempt_is_next_to_the_recorded_summary(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=(160, 48)) as pilot:
        await made(pilot)
        screen = conversation(pilot)
        pane = view_of(pilot, CompactionPane)
        text = pane.body.text
        assert "with this one 3 of 3 constraints, recorded 0 of 3" in " ".join(text.split())

        await press(pilot, "3", "M")
        summary = view_of(pilot, SummaryAttempts)
        assert "of the budget of 4,330" in summary.head.text
        assert "Constraints & Preferences" in summary.body.text
        assert "Abort when p99 passes 350 ms" in summary.body.text

        await press(pilot, "4", "M")
        losses = view_of(pilot, LossesAttempts)
        assert "recorded" in losses.head.text
        assert "constraint  0/3         3/3" in losses.head.text
        # The attempt keeps what the recorded fallback lost, so every fact differs.
        before = losses.body.text
        await press(pilot, "d")
        assert losses.body.text == before
        await press(pilot, "J", "enter")
        assert screen.panes.current == "message"

        # Another compaction has no attempt.
        await press(pilot, "3")
        while screen.state.compaction < 3:
            await press(pilot, "right_square_bracket")
        assert "No attempt has been made" in summary.head.text


@pytest.mark.slow
async def test_an_attempt_is_deleted_after_confirmation(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=(160, 48)) as pilot:
        await made(pilot)
        await press(pilot, "3", "M", "D")
        assert len(default_attempts().all()) == 1
        await press(pilot, "D")
        assert not default_attempts().all()
        summary = view_of(pilot, SummaryAttempts)
        assert "No attempt has been made" in summary.head.text


async def test_the_attempt_on_screen_stays_while_the_conversation_grows(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=(160, 48)) as pilot:
        await made(pilot)
        await made(pilot)
        await press(pilot, "3", "M", "comma")
        summary = view_of(pilot, SummaryAttempts)
        assert summary.head.text.startswith("#1 ")
        conversation(pilot).change(attempts=7)
        await settled(pilot)
        assert summary.head.text.startswith("#1 ")


async def life_checked(pilot: Test) -> ModelPrompt:
    """Return the form for a life from compaction 3 on, which shows what it would send."""
    form = await opened(pilot, 3, command=f"{STAND_IN} --size 200")
    form.query_one("#life", Tick).value = True
    await settled(pilot)
    form.query_one(Input).focus()
    await checked(pilot)
    return form


@pytest.mark.slow
async def test_a_life_is_made_from_the_screen(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=(100, 24)) as pilot:
        form = await life_checked(pilot)
        assert "2 prompts of ~" in form.notice
        assert "estimates" in form.notice
        await sent(pilot)
        assert [one.place.compaction for one in default_attempts().all()] == [3, 4]
        assert {one.life for one in default_attempts().all()} == {1}


async def test_escape_stops_an_attempt_and_keeps_its_text(rotating: Path, server: Server) -> None:
    def hold() -> None:
        server.waits.set()
        server.go_on.wait(60)

    server.answers = [stream(event("half a summary"), event("late"), before=hold)]
    async with running(rotating, CHECKOUT, size=(160, 48)) as pilot:
        form = await opened(pilot, endpoint=server.base, model="m")
        await checked(pilot)
        await pilot.press("ctrl+s")
        await came(pilot, lambda: "characters 14 of" in form.notice)
        await pilot.press("escape")
        await settled(pilot)
        assert "Stopped" in form.notice
        await came(pilot, lambda: bool(default_attempts().all()[0].problem))
        (one,) = default_attempts().all()
        assert (one.state, one.summary) == ("unfinished", "half a summary")
        await press(pilot, "escape")
        assert conversation(pilot)


async def test_errors_and_failures_are_shown_in_the_form(rotating: Path) -> None:
    cases: list[tuple[dict[str, str], str]] = [
        ({}, "Name the model"),
        ({"command": "cat", "endpoint": "http://x", "model": "m"}, "Name the model"),
        ({"endpoint": "http://127.0.0.1"}, "needs a model"),
        ({"command": "cat", "budget": "many"}, "not a number of tokens"),
        ({"command": "cat", "budget": "1"}, "must lie between"),
        ({"command": "cat", "prompt": "/no/such/file"}, "cannot be read"),
    ]
    async with running(rotating, CHECKOUT, size=(160, 48)) as pilot:
        form = await opened(pilot)
        empty = {field.id or "": field.value for field in form.query(Input)}
        for fields, message in cases:
            for name, value in {**empty, **fields}.items():
                form.query_one(f"#{name}", Input).value = value
            await checked(pilot)
            assert message in form.notice
            assert form.query_one("#send", Button).disabled
        for name, value in {**empty, "command": "false"}.items():
            form.query_one(f"#{name}", Input).value = value
        await checked(pilot)
        await sent(pilot)
        assert "exit code 1" in form.notice
        await press(pilot, "escape")
        pane = view_of(pilot, CompactionPane)
        assert "✗ #1 false" in pane.body.text


@pytest.mark.slow
async def test_in_a_replay_an_attempt_is_at_the_planned_compaction(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=(160, 48)) as pilot:
        screen = conversation(pilot)
        await press(pilot, "colon", "6", "0", "enter", "P")
        form = prompt_of(pilot)
        assert screen.state.moment is not None
        assert screen.state.moment.step == 60
        assert "planned at step 60" in form.question.title
        form.query_one("#command", Input).value = STAND_IN
        await settled(pilot)
        form.query_one(Input).focus()
        await checked(pilot)
        await sent(pilot)
        (one,) = default_attempts().all()
        assert (one.place.step, one.place.compaction, one.state) == (60, 1, "finished")
        await press(pilot, "escape", "2")
        while screen.state.compaction > 1:
            await press(pilot, "left_square_bracket")
        pane = view_of(pilot, CompactionPane)
        assert "#1" in pane.body.text


@pytest.mark.slow
async def test_the_curve_of_a_life_is_in_the_losses_pane(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=(160, 48)) as pilot:
        await life_checked(pilot)
        await sent(pilot)
        await press(pilot, "4", "M")
        losses = view_of(pilot, LossesAttempts)
        text = losses.body.text
        assert "life 1" in text
        assert text.index("after 3") < text.index("after 4")


@pytest.mark.slow
async def test_the_text_of_an_endpoint_is_made_safe(rotating: Path, server: Server) -> None:
    hostile = (
        "## Goal\n- \x1b]0;owned\x07 [b]not bold[/b] \u202eturned\x00 \ud800\n## [red]Section[/]\n- x"
        + "y" * 5_000
    )
    server.answers = [stream(event(hostile, finish="stop"), DONE)]
    async with running(rotating, CHECKOUT, size=(160, 48)) as pilot:
        form = await opened(pilot, endpoint=server.base, model="evil \x1b[31m[b]model[/b]\u202e")
        await checked(pilot)
        assert is_safe(form.notice.replace("\n", " "))
        await sent(pilot)
        screen = conversation(pilot)
        for keys in (("2",), ("3", "M"), ("4", "M")):
            await press(pilot, *keys)
            drawn = "".join(
                segment.text
                for widget in screen.panes.walk_children(Widget)
                if widget.display and widget.size.height and hasattr(widget, "render_line")
                for y in range(min(widget.size.height, 48))
                for segment in widget.render_line(y)
            )
            assert is_safe(drawn)
        assert "[b]not bold[/b]" in screen.panes.pane("summary").query_one(SummaryAttempts).body.text


JUDGE = """import json, re, sys
prompt = sys.stdin.read()
ids = re.findall(r"^\\[([0-9a-f]{8})\\] ", prompt, re.MULTILINE)
entries = [{"id": one, "fate": "lost", "evidence": ""} for one in ids]
if "</later>" in prompt:
    said = [re.search(r"^\\[USER\\] (.{40})", prompt.rsplit(tag)[-1], re.M)[1] for tag in ("<later>", "<earlier>")]
    entries = [dict(zip(("later", "earlier"), said))]
print(json.dumps({"statements": entries}))
"""


async def test_a_model_decides_uncertain_facts_and_finds_repetitions(rotating: Path, tmp_path: Path) -> None:
    script = tmp_path / "judge.py"
    script.write_text(JUDGE)
    async with running(rotating, CHECKOUT, size=(160, 48)) as pilot:
        conversation(pilot).change(compaction=1)
        await press(pilot, "4")
        await settled(pilot)
        pane = view_of(pilot, LossesFacts)
        undecided = [
            entry
            for entry in pane.losses.offered[0].facts
            if entry.fact.is_users_own and entry.outcome == "uncertain"
        ]
        assert undecided
        assert "V lets a model" in pane.head.text
        await press(pilot, "V")
        form = prompt_of(pilot)
        form.query_one("#command", Input).value = f"{shlex.quote(sys.executable)} {shlex.quote(str(script))}"
        await settled(pilot)
        await checked(pilot)
        assert f"{len(undecided)} uncertain facts, and the messages of the user after it." in form.notice
        await sent(pilot)
        await settled(pilot)
        now = {entry.fact.key: entry for entry in pane.losses.offered[0].facts}
        assert {now[entry.fact.key].outcome for entry in undecided} == {"lost"}
        assert "V lets a model" not in pane.head.text
        assert all(now[entry.fact.key].fate.model for entry in undecided)
        await press(pilot, "2")
        await settled(pilot)
        assert "said again (model)" in screen_text(pilot)
