"""Sessions of every agent in the app: the list shows their agents, and each opens with all its panes."""

from __future__ import annotations

from pathlib import Path
from threading import Event
from typing import Any

import pytest
from msgspec.structs import replace

from inspector.answers.answers import Answers
from inspector.answers.losses import facts_of
from inspector.answers.upcoming import upcoming
from inspector.app.conversation import opening, reading
from inspector.app.conversation.compaction_rows import CompactionRows
from inspector.app.conversation.rows import GenerationRows, RowMarks
from inspector.app.conversations.screen import ConversationsScreen
from inspector.core.conversations import Compaction, ConversationRow
from inspector.core.errors import StoreError
from inspector.engines.registry import with_changes
from inspector.quality.losses import losses_of
from inspector.stores.claude_code.reader import ClaudeCodeReader
from inspector.stores.detect import open_store
from inspector.stores.index import FileDigest
from tests.app.running import (
    conversation,
    conversations,
    cursor,
    notes,
    opened,
    press,
    row,
    running,
    screen_text,
    settled,
    title,
    until,
    value_of,
)
from tests.conftest import ROOT, bundled_conversations
from tests.examples import also
from tests.recipes import recipe
from tests.stores.test_other_agents import codex, written
from widgets.bars.gauge import Gauge
from widgets.bars.timeline import outcome_of
from widgets.lists.conversation_table import ConversationTable
from widgets.panes.compaction_pane import CompactionPane
from widgets.panes.message_pane import MessagePane
from widgets.panes.next_request import NextRequest
from widgets.panes.tokens_pane import TokensPane
from widgets.panes.what_if_pane import WhatIfPane

lines = recipe("claude_lines")
AGENTS = ROOT / "fixtures" / "agents"


async def test_the_list_tells_agents_apart_and_groups_by_project() -> None:
    async with running(AGENTS, size=(160, 40)) as pilot:
        table = pilot.app.screen.query_one(ConversationTable)
        assert table.row_count == bundled_conversations()
        shown = screen_text(pilot)
        for agent in ("claude-code", "codex", "opencode", "pi"):
            assert agent in shown
        await press(pilot, "a")
        assert (table.agent, table.row_count) == ("claude-code", 7)
        await pilot.press(*["a" for _ in AGENTS.iterdir()])
        await settled(pilot)
        assert (table.agent, table.row_count) == ("", bundled_conversations())
        await press(pilot, "p")
        assert table.sort == ("folder", False)
        assert "harbor · " in screen_text(pilot)
        assert "project▴" in screen_text(pilot).split()
        await pilot.resize_terminal(80, 24)
        await settled(pilot)
        # There is no room for the column, so the titles have the projects.
        assert "project · title▴" in screen_text(pilot)
        await press(pilot, "p")
        assert "project" not in screen_text(pilot)


@pytest.mark.parametrize("name", also("Harbor importer", "Lighthouse", "tide.csv", "The loom", "Reef charts"))
async def test_every_pane_opens_on_every_agent(name: str) -> None:
    if name == "tide.csv":
        name = "5fd1e58c-9635-410e-a644-133000000003"
    async with running(AGENTS, name) as pilot:
        for key in "12345678":
            await press(pilot, key)
        assert "Traceback" not in screen_text(pilot)


async def test_rules_of_earlier_releases_do_not_look_like_the_release_that_wrote_a_session() -> None:
    async with running(AGENTS, "Harbor importer", size=(200, 48)) as pilot:
        assert "claude-code up to 2.1.216 (detected)" in title(pilot)
        await press(pilot, "6")
        assert opened(pilot).resolved.sources["threshold"] == "observed in claude-code up to 2.1.216"
        await press(pilot, "7")
        assert "with profile claude-code up to 2.1.216 and" in screen_text(pilot)


async def test_the_gauge_shows_reported_sizes() -> None:
    async with running(AGENTS, "Harbor importer") as pilot:
        screen = conversation(pilot)
        gauge = screen.query_one(Gauge)
        opened = screen.loaded.opened
        assert opened is not None
        last = opened.inspection.store.requests(opened.inspection.conversation)[-1]
        assert gauge.state.kind == "reported"
        assert gauge.state.tokens == last.context + last.output
        # In a replay it is the reported size at the step.
        await press(pilot, "left")
        assert gauge.state.kind == "reported"
        requests = opened.inspection.store.requests(opened.inspection.conversation)
        assert gauge.state.tokens in {request.context for request in requests} | {last.context + last.output}
        await press(pilot, "escape", "6")
        assert gauge.state.kind == "reported"
        assert "tokens are left before a compaction" in screen_text(pilot)


async def test_rows_appear_before_all_files_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # These files are not read yet.
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    seen = Event()
    read = ClaudeCodeReader.digests

    def waiting(self: ClaudeCodeReader, path: Path) -> tuple[FileDigest, ...]:
        seen.wait(20)
        return read(self, path)

    shown: list[int] = []
    counts: list[set[int | None]] = []
    show = ConversationsScreen._show_some

    def noticed(self: ConversationsScreen, rows: tuple[ConversationRow, ...]) -> None:
        show(self, rows)
        table = self.query_one(ConversationTable)
        shown.append(table.row_count)
        counts.append({entry.messages for n in range(table.row_count) if (entry := table.entry(n))})
        seen.set()

    monkeypatch.setattr(ClaudeCodeReader, "digests", waiting)
    monkeypatch.setattr(ConversationsScreen, "_show_some", noticed)
    async with running(AGENTS) as pilot:
        assert shown
        assert shown[0] >= 5
        assert counts[0] == {None}, "no file was read, so no count is known"
        assert pilot.app.screen.query_one(ConversationTable).row_count == bundled_conversations()


async def test_sessions_of_other_agents_that_come_later_appear(tmp_path: Path) -> None:
    made = lines.Session("5e55a000-0000-4000-8000-000000000002")
    made.user("Read the berths.")
    made.write(tmp_path / "b.jsonl")
    async with running(tmp_path) as pilot:
        table = conversations(pilot).query_one(ConversationTable)

        def shown() -> list[str]:
            return sorted(entry.agent for n in range(table.row_count) if (entry := table.entry(n)))

        assert (shown(), notes(pilot)) == (["claude-code"], ())
        written(tmp_path / "later/rollout-1.jsonl", codex().text())
        await until(pilot, lambda: shown() == ["claude-code", "codex"])
        (tmp_path / "notes.json").write_text("[1, 2]\n")
        await until(pilot, lambda: bool(notes(pilot)))
        (note,) = notes(pilot)
        assert "notes.json" in note
        await press(pilot, "end", "enter", "escape")
        (tmp_path / "notes.json").unlink()
        await until(pilot, lambda: not notes(pilot))


async def test_an_encrypted_summary_is_not_a_failed_summary() -> None:
    async with running(AGENTS, "The loom") as pilot:
        await press(pilot, "2")
        view = value_of(pilot, CompactionPane)
        assert (outcome_of(view.done), view.cost) == ("encrypted", "unknown: its summary cannot be read")
        assert "the compaction failed" not in screen_text(pilot)


async def test_a_compaction_lists_all_messages_that_it_added() -> None:
    """Not only the summary: opencode also adds its own question, and Cline repeats the request."""
    async with running(AGENTS, "Reef charts", size=(160, 48)) as pilot:
        await press(pilot, "2")
        pane = conversation(pilot).query_one(CompactionPane)
        assert pane.view is not None
        done = pane.view.done
        assert pane.messages.row_count == done.before + 2
        await until(pilot, lambda: "What did we do so far?" in screen_text(pilot))
        assert "Σ and 1 new, then the kept messages" in screen_text(pilot)


def test_the_rows_of_a_compaction_are_both_lists_with_each_copy_once() -> None:
    store = open_store(AGENTS)
    for listed in store.conversations():
        conversation = store.open(listed.id)
        for done in store.compactions(conversation):
            before, after = (GenerationRows(conversation.generations[done.index - back]) for back in (1, 0))
            after.put(RowMarks(made_by=done))
            rows = CompactionRows(before, after, done)
            places = [rows.source_of(row) for row in range(len(rows))]
            assert [at for number, at in places if number == done.index] == list(range(done.before))
            assert len(set(places)) == len(rows) == done.before + done.after - done.remaining
            signs = [rows.row(row).flags & {"new", "summary"} for row in range(len(rows))]
            assert all(
                bool(sign) for (number, _), sign in zip(places, signs, strict=True) if number > done.index
            )


async def test_the_losses_of_encrypted_summaries_are_unknown() -> None:
    async with running(AGENTS / "codex", size=(160, 48)) as pilot:
        await press(pilot, "l")
        assert any("summary cannot be read" in note for note in notes(pilot))


async def test_a_compaction_shows_the_agents_own_sizes() -> None:
    async with running(AGENTS, "Harbor importer", size=(160, 48)) as pilot:
        opened = conversation(pilot).loaded.opened
        assert opened is not None
        store, recorded = opened.inspection.store, opened.inspection.conversation
        done = store.compactions(recorded)[-1]
        after = next(r for r in store.requests(recorded) if r.generation == done.index + 1)
        await press(pilot, "2")
        sizes = [s for s in (done.tokens_before_reported, done.tokens_after_reported) if s is not None]
        words = " → ".join(f"{size:,}" for size in sizes) + f" · the next request sent {after.context:,}"
        assert words in screen_text(pilot)


async def test_the_compaction_pane_counts_the_facts_that_the_list_of_conversations_counts() -> None:
    async with running(AGENTS, "Harbor importer", size=(160, 48)) as pilot:
        await press(pilot, "2")
        opened = conversation(pilot).loaded.opened
        assert opened is not None
        counted = losses_of(facts_of(opened.inspection).lives)[-1]
        assert counted.compaction == opened.inspection.compactions()[-1].index
        assert f"± {counted.uncertain} facts may be lost" in screen_text(pilot)
        apart = counted.others + counted.plain
        assert f"{counted.total} counts. The other {apart} are plain statements, results or" in screen_text(
            pilot
        )


async def test_measured_breakpoints_are_shown() -> None:
    async with running(AGENTS, "Harbor importer", size=(160, 48)) as pilot:
        await press(pilot, "5")
        shown = conversation(pilot).query_one(NextRequest)
        assert shown.view is not None
        assert [placed.point.message for placed in shown.view.breakpoints] == [None, None, 4, 5]
        assert "4 of 4 breakpoints" in screen_text(pilot)
        assert "layout" not in screen_text(pilot)
        assert "Measured with 2.0.76 to 2.1.68" in " ".join(screen_text(pilot).split())


async def test_breakpoints_at_another_provider_are_not_guessed() -> None:
    async with running(AGENTS, "Reef charts", size=(160, 48)) as pilot:
        # The pane begins with the requests.
        await press(pilot, "5")
        assert "read from the cache" in screen_text(pilot)
        await press(pilot, "m")
        assert "breakpoints are unknown" in screen_text(pilot)
        shown = conversation(pilot).query_one(NextRequest)
        assert shown.view is not None
        assert shown.view.breakpoints == ()
        (fact,) = shown.view.facts
        assert fact.endswith("does not record its breakpoints, only the cache reads of its requests.")
        # The rules of a Hermes release determine where it would set them.
        conversation(pilot).change(
            settings=conversation(pilot).state.settings.with_(profile="hermes-0.19", threshold=0.5)
        )
        await settled(pilot)
        assert shown.view.facts[0].startswith("Caching is o")


def test_a_failed_attempt_that_an_agent_recorded_is_shown() -> None:
    made = Compaction(
        index=1, session="s", before=9, after=1, head_end=0, tail_start=9, head_after=0, tail_after=1, summary_at=None,
        summary=None, merged=False, fallback=False, tokens_before=9, tokens_after=1, at=0.0,
    )  # fmt: skip
    assert outcome_of(made) == "failed"
    assert outcome_of(replace(made, fallback=True)) == "fallback"
    assert outcome_of(replace(made, encrypted=True)) == "encrypted"
    assert outcome_of(replace(made, trigger="auto")) == "unrecorded"
    assert outcome_of(replace(made, tokens_before_reported=5, summary="## Goal")) == "summary"


@pytest.mark.parametrize("moved", also("left", "[", ""))
async def test_a_replaced_transcript_is_shown(tmp_path: Path, moved: str) -> None:
    """After a rewind over a compaction, or with an older copy, the panes show the current file."""
    whole = next((AGENTS / "claude-code").rglob("3f1c7a52*.jsonl")).read_bytes()
    path = tmp_path / "3f1c7a52.jsonl"
    path.write_bytes(whole)
    async with running(path, "Harbor importer") as pilot:
        screen = conversation(pilot)
        await press(pilot, *filter(None, (moved, *"234567")))
        before = screen.state.generation
        path.write_bytes(b"".join(whole.splitlines(keepends=True)[:12]))
        screen.opening.again()
        await settled(pilot)
        opened = screen.loaded.opened
        assert opened is not None
        assert (len(opened.generations), before) == (1, 2 if moved == "[" else 3)
        assert (screen.state.generation, screen.state.compaction, screen.state.moment) == (1, 0, None)
        await press(pilot, *"12345678")
        # And back again.
        path.write_bytes(whole)
        screen.opening.again()
        await settled(pilot)
        assert screen.loaded.opened is not None
        assert len(screen.loaded.opened.generations) == 3
        path.unlink()
        screen.opening.again()
        await settled(pilot)
        await press(pilot, "2", "1")
        assert "The files no longer have this conversation" in screen_text(pilot)
        await press(pilot, "escape", "escape")
        assert not notes(pilot)
        await press(pilot, "y")
        assert any("no longer have this conversation" in note for note in notes(pilot)), (
            "why nothing is copied"
        )
        await press(pilot, "escape")
        path.write_bytes(whole)
        screen.opening.again()
        await settled(pilot)
        path.unlink()
        screen.opening.again()
        await settled(pilot)
        assert "The files no longer have this conversation" in screen_text(pilot), "deleted a second time"
        path.write_bytes(whole)
        screen.opening.again()
        await settled(pilot)
        assert not notes(pilot)


async def test_another_profile_uses_its_own_threshold() -> None:
    async with running(AGENTS, "Harbor importer", size=(120, 40)) as pilot:
        before = conversation(pilot).state.settings
        await press(pilot, "6", *["down"] * 2, "right")
        turned = conversation(pilot).state.settings
        assert turned.profile != before.profile
        assert turned == with_changes(before, profile=turned.profile)
        assert turned.threshold != before.threshold


async def test_an_unreadable_line_is_noted_while_the_session_is_open(tmp_path: Path) -> None:
    made = lines.Session("5e55a000-0000-4000-8000-000000000001")
    made.user("Read the berths.")
    made.answer(lines.text("So it is."), written=3_400)
    path = made.write(tmp_path / "a.jsonl")
    whole = path.read_text(encoding="utf-8").splitlines()[-1]
    async with running(tmp_path, made.session) as pilot:
        screen = conversation(pilot)
        before = notes(pilot)
        with path.open("a", encoding="utf-8") as file:
            file.write('{"type": "user", "mess\n' + whole.replace("So it is.", "And more.") + "\n")
        screen.opening.again()
        await settled(pilot)
        assert len(notes(pilot)) == len(before) + 1
        assert "1 line of the transcript cannot be read and is left out." in notes(pilot)[-1]
        with path.open("a", encoding="utf-8") as file:
            file.write('{"type": "user", "mess\n' + whole.replace("So it is.", "And yet more.") + "\n")
        screen.opening.again()
        await settled(pilot)
        assert len(notes(pilot)) == len(before) + 1, "another number is no other note"
        assert "2 lines of the transcript cannot be read and are left out." in notes(pilot)[-1]
        await press(pilot, "escape", "escape")
        with path.open("a", encoding="utf-8") as file:
            file.write('{"type": "user", "mess\n' + whole.replace("So it is.", "Still more.") + "\n")
        screen.opening.again()
        await settled(pilot)
        assert not notes(pilot), "put away with any number"


@pytest.mark.parametrize("turned", also("", "6"))
async def test_the_settings_on_screen_follow_those_in_force(tmp_path: Path, turned: str) -> None:
    made = lines.Session("5e55a000-0000-4000-8000-000000000009", model="claude-sonnet-4-5")
    made.user("Read the berths.")
    made.answer(lines.text("So it is."))
    path = made.write(tmp_path / "a.jsonl")
    async with running(tmp_path, made.session, size=(160, 40)) as pilot:
        screen = conversation(pilot)
        if turned:
            await press(pilot, "6", "left")
        before, share = opened(pilot).resolved.settings, screen.state.settings.threshold
        made.user("And the quay.")
        made.answer(lines.text("So it is."), model="claude-opus-4-6[1m]")
        made.answer(lines.text("Nothing else."), model="claude-opus-4-6[1m]", written=300_000)
        made.write(path)
        screen.opening.again()
        await settled(pilot)
        force = opened(pilot).resolved.settings
        assert force != before
        assert screen.state.settings == (with_changes(force, threshold=share) if turned else force)
        assert ("changed" in screen_text(pilot)) == bool(turned)


async def test_the_key_line_has_the_keys_of_the_open_input(tmp_path: Path) -> None:
    made = lines.Session("5e55a000-0000-4000-8000-000000000008")
    made.user("Hello.")
    made.answer(lines.text("The crane lifts 4,150 kg at most."))
    path = made.write(tmp_path / "a.jsonl")
    async with running(tmp_path, made.session) as pilot:
        await press(pilot, "8")
        assert "at risk: 1 fact" in screen_text(pilot)
        assert "Copy facts" not in screen_text(pilot), "the fact is none of the user"
        made.user("Never berth a tanker at the north quay.")
        made.answer(lines.text("Agreed."))
        made.write(path)
        conversation(pilot).opening.again()
        await settled(pilot)
        assert "at risk: 2 facts" in screen_text(pilot)
        assert "Copy facts" in screen_text(pilot)


async def test_an_answer_is_shown_block_by_block(tmp_path: Path) -> None:
    made = lines.Session("5e55a000-0000-4000-8000-000000000002")
    made.user("Read the berths.")
    made.answer(lines.text("First the berths."), lines.text("Now the quay and all of its cranes. " * 40))
    path = made.write(tmp_path / "a.jsonl")
    *begun, last = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(begun), encoding="utf-8")
    async with running(tmp_path, made.session) as pilot:
        await press(pilot, "8")
        screen, pane = conversation(pilot), conversation(pilot).query_one(TokensPane)
        before, sources = row(pilot, cursor(pilot)), pane.view
        with path.open("a", encoding="utf-8") as file:
            file.write(last)
        screen.opening.again()
        await settled(pilot)
        after = row(pilot, cursor(pilot))
        assert "Now the quay" in (after.text or "")
        assert (before.tokens or 0) + 300 < (after.tokens or 0)
        assert pane.view != sources
        assert screen.derived is not None
        assert screen.derived.token_index is not None
        assert screen.derived.token_index.tokens(cursor(pilot)) > 300
        await press(pilot, "1")
        assert "Now the quay" in screen.query_one(MessagePane).body.text


async def test_an_open_conversation_is_unchanged_while_another_is_written(tmp_path: Path) -> None:
    made = [lines.Session(f"5e55a000-0000-4000-8000-00000000000{number}") for number in (3, 4)]
    for one in made:
        one.user("Read the berths.")
        one.answer(lines.text("So it is."))
        one.write(tmp_path / f"{one.session}.jsonl")
    async with running(tmp_path, made[0].session) as pilot:
        screen = conversation(pilot)
        for _ in range(2):
            screen.opening.again()
            await settled(pilot)
        before = opened(pilot).inspection
        made[1].user("And the quay.")
        made[1].write(tmp_path / f"{made[1].session}.jsonl")
        screen.opening.again()
        await settled(pilot)
        assert opened(pilot).inspection is before, "nothing is read again"
        made[0].user("And the quay.")
        made[0].write(tmp_path / f"{made[0].session}.jsonl")
        screen.opening.again()
        await settled(pilot)
        assert opened(pilot).inspection is not before
        assert cursor(pilot) == 2


async def test_messages_written_while_a_conversation_opens_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = lines.Session("5e55a000-0000-4000-8000-000000000006")
    made.user("Read the berths.")
    made.write(tmp_path / "a.jsonl")

    def opening_while_written(*values: Any) -> reading.Opening:
        begun = reading.open_conversation(*values)
        if values[2] is None:
            made.answer(lines.text("So it is."))
            made.write(tmp_path / "a.jsonl")
        return begun

    def begin_and_hear_of_it(opener: opening.Opener) -> None:
        begin(opener)
        opener.again()

    begin = opening.Opener.begin
    monkeypatch.setattr(opening, "open_conversation", opening_while_written)
    monkeypatch.setattr(opening.Opener, "begin", begin_and_hear_of_it)
    async with running(tmp_path, made.session) as pilot:
        assert len(opened(pilot).generations[-1]) == 2


async def test_messages_written_during_a_failed_read_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = lines.Session("5e55a000-0000-4000-8000-000000000007")
    made.user("Read the berths.")
    made.write(tmp_path / "a.jsonl")
    async with running(tmp_path, made.session) as pilot:
        opener, reads = conversation(pilot).opening, 0

        def failing_while_written(*values: Any) -> reading.Opening:
            nonlocal reads
            reads += 1
            if reads == 1:
                made.answer(lines.text("So it is."))
                made.write(tmp_path / "a.jsonl")
                pilot.app.call_from_thread(opener.again)
                raise StoreError("The file is written at this moment.")
            return reading.open_conversation(*values)

        monkeypatch.setattr(opening, "open_conversation", failing_while_written)
        opener.again()
        await settled(pilot)
        assert len(opened(pilot).generations[-1]) == 2
        assert not notes(pilot)


async def test_the_what_if_pane_and_the_tokens_pane_show_the_same_distance() -> None:
    async with running(AGENTS, "Turn the dive log", size=(160, 48)) as pilot:
        await press(pilot, "6")
        outcome = conversation(pilot).query_one(WhatIfPane).body.text
        opened = conversation(pilot).loaded.opened
        assert opened is not None
        following = upcoming(Answers(opened.inspection.store, {}, None), opened.inspection.conversation.id)
        left = following.threshold_tokens - following.tokens
        assert f"{left:,} tokens are left before a compaction." in outcome
        assert "rough tokens, " in outcome
        await press(pilot, "8")
        assert f"{left:,} tokens below the threshold" in " ".join(screen_text(pilot).split())


async def test_one_message_after_a_compaction_is_in_the_singular() -> None:
    async with running(AGENTS, "Buoys", size=(160, 48)) as pilot:
        await press(pilot, "6")
        outcome = conversation(pilot).query_one(WhatIfPane).body.text
        assert " → 1 message." in outcome
