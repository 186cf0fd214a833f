"""Losses in the app: facts found in the background, marked, filtered, opened, at risk under the knobs, exported."""

from __future__ import annotations

import json
from pathlib import Path

from inspector.answers.inspection import Inspection
from inspector.answers.judging import judge_prompts
from inspector.app.events import StoreChanged
from inspector.models.judging import answer_key
from inspector.models.kept import default_attempts
from inspector.models.masking import Masker
from inspector.models.summarizers.command import CommandSummarizer
from inspector.quality.facts.fact import Life
from inspector.quality.losses import is_lost
from inspector.stores.detect import open_store
from tests.app.running import (
    CHECKOUT,
    conversation,
    cursor,
    marked,
    messages,
    notes,
    press,
    row,
    running,
    screen_text,
    settled,
    title,
    told,
    value_of,
    view_of,
)
from tests.recipes import recipe
from tests.stores.writer import Writer, create, talk
from widgets.bars.gauge import Gauge, explain
from widgets.bars.region_bar import RegionBar
from widgets.lists.conversation_table import ConversationTable
from widgets.lists.fact_list import key_of, outcome_of, source_of, survivor_of
from widgets.panes.compaction_pane import CompactionPane
from widgets.panes.findings_pane import FindingsPane
from widgets.panes.losses_facts import LossesFacts
from widgets.panes.losses_pane import LossesPane
from widgets.panes.tokens_pane import TokensPane
from widgets.panes.what_if_pane import WhatIfPane

claude_lines = recipe("claude_lines")
SIZE = (160, 48)
CONSTRAINT = "the contrast must be at least 4.5 : 1"


async def test_the_pane_begins_with_the_chosen_compaction(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=SIZE) as pilot:
        await press(pilot, "4")
        pane = view_of(pilot, LossesFacts)
        assert pane.scope == "4"
        assert any(CONSTRAINT in fact.text for fact in pane.facts.entries)
        alive = [outcome_of(fact) in ("verbatim", "paraphrased") for fact in pane.facts.entries]
        assert alive == sorted(alive)
        assert pane.facts.has_focus
        await press(pilot, "r")
        assert pane.scope == "risk"
        await press(pilot, "left_square_bracket", "left_square_bracket", "left_square_bracket")
        assert pane.scope == "1", "another compaction shows its own facts"
        view = value_of(pilot, LossesPane)
        await press(pilot, *["r"] * len(view.offered))
        assert pane.scope == "1", "round and round"


async def test_from_a_fact_to_its_message_and_to_its_place_of_survival(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=SIZE) as pilot:
        screen = conversation(pilot)
        await press(pilot, "4")
        pane = view_of(pilot, LossesFacts)
        at = next(n for n, fact in enumerate(pane.facts.entries) if CONSTRAINT in fact.text)
        chosen = pane.facts.entries[at]
        assert isinstance(chosen, Life)
        source, survivor = source_of(chosen, 0), survivor_of(chosen.fact, chosen.fate)
        assert survivor is not None
        pane.facts.move_cursor(at)
        await press(pilot, "enter")
        assert (screen.state.generation, cursor(pilot)) == (source.generation, source.index)
        assert screen.panes.current == "message"
        assert marked(pilot)
        assert messages(pilot).highlight == source.find
        assert not screen.finder.prompt.display, "nobody typed the text of a jump"
        await press(pilot, "4")
        assert pane.facts.cursor == at
        await press(pilot, "s")
        assert (screen.state.generation, cursor(pilot)) == (survivor.generation, survivor.index)
        assert marked(pilot)
        await press(pilot, "escape", "escape")
        assert messages(pilot).highlight == ""
        assert conversation(pilot) is screen, "escape ends the mark first"


async def test_losses_of_a_list_that_is_not_in_the_files_are_unknown(tmp_path: Path) -> None:
    made = claude_lines.Session("5e55a000-0000-4000-8000-000000000005")
    made.compact(claude_lines.nine_sections(Primary=["Read the berths."]), before=167_412, after=9_000)
    made.user("And the quay.")
    made.answer(claude_lines.text("So it is."))
    made.write(tmp_path / "a.jsonl")
    async with running(tmp_path, made.session, size=SIZE) as pilot:
        await press(pilot, "2")
        shown = conversation(pilot).query_one(CompactionPane).body.text
        assert "unknown: the list before it is not in the files" in shown
        assert "none of the facts" not in shown
        assert "no repeated work" not in shown
        assert "grew by" not in shown
        assert "167,412 → 9,000" in shown
        await press(pilot, "4")
        assert "Its losses are unknown" in view_of(pilot, LossesFacts).head.text
        await press(pilot, "[", "8")
        screen = conversation(pilot)
        assert screen.state.generation == 1
        gauge = screen.query_one(Gauge)
        assert gauge.state.missing
        assert "The list is not in the files" in explain(gauge.state)
        assert screen.query_one(RegionBar).planned is None
        pane = screen.query_one(TokensPane)
        assert "No message of this list is in the files." in pane.body.text
        assert "~0" not in pane.head.text
        await press(pilot, "6")
        figures = screen.query_one(WhatIfPane).figures.text
        assert "1 compaction is left out: the list before is not recorded" in figures


async def test_losses_of_a_session_with_an_unreadable_line_are_unknown_in_part(tmp_path: Path) -> None:
    made = claude_lines.Session("5e55a000-0000-4000-8000-000000000006")
    made.user("Read the berths.")
    made.answer(claude_lines.text("Nine berths."))
    made.compact(claude_lines.nine_sections(Primary=["Read the berths."]), before=167_412, after=9_000)
    made.user("And the quay.")
    path = made.write(tmp_path / "a.jsonl")
    path.write_bytes(path.read_bytes().replace(b'"Nine berths."', b'"Nine'))
    async with running(tmp_path, made.session, size=SIZE) as pilot:
        await press(pilot, "2")
        shown = " ".join(conversation(pilot).query_one(CompactionPane).body.text.split())
        assert "unknown in part: a part of the conversation is missing or cannot be read" in shown
        assert "none of the recognized facts" not in shown
        assert "no repeated work" not in shown
        await press(pilot, "4")
        assert "Its losses are unknown in part" in view_of(pilot, LossesFacts).head.text


async def test_rows_whose_facts_were_lost_are_marked(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=SIZE) as pilot:
        screen = conversation(pilot)
        await press(pilot, "4")
        lost = kept = 0
        for compaction in (1, 2):
            screen.navigation.choose_compaction(compaction)
            await press(pilot)
            found = [
                f for f in view_of(pilot, LossesFacts).facts.entries if f.saying.generation == compaction
            ]
            lost_at = {f.saying.index for f in found if outcome_of(f) in ("lost", "value lost")}
            screen.navigation.show_generation(compaction)
            await press(pilot)
            for fact in found:
                marked = "lost" in row(pilot, fact.saying.index).flags
                if outcome_of(fact) == "lost" and fact.role == "user":
                    assert marked
                    lost += 1
                elif outcome_of(fact) == "verbatim" and fact.saying.index not in lost_at:
                    assert not marked
                    kept += 1
        assert lost
        assert kept


async def test_facts_at_risk_follow_the_knobs(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=SIZE) as pilot:
        screen = conversation(pilot)
        await press(pilot, "4", "r")
        pane = view_of(pilot, LossesFacts)
        assert pane.scope == "risk"
        before = {key_of(fact) for fact in pane.facts.entries}
        screen.tuner.change(protect_first_n=0)
        await press(pilot)
        after = {key_of(fact) for fact in pane.facts.entries}
        assert before < after
        assert {outcome_of(fact) for fact in pane.facts.entries} == {"at risk"}
        await press(pilot, "ctrl+z")
        assert {key_of(fact) for fact in pane.facts.entries} == before


async def test_a_checklist_is_exported(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=SIZE) as pilot:
        await press(pilot, "4", "C")
        assert told(pilot)[-1].startswith("Copied the checklist to the clipboard")
        folder = conversation(pilot).saved.folder
        assert folder is not None
        text = (folder / "copied.txt").read_text()
        assert "- [ ] " in text
        assert "4.5 : 1" in text


async def test_a_dismissed_fact_leaves_every_count_and_comes_back(rotating: Path) -> None:
    async with running(rotating, size=SIZE) as pilot:
        table = pilot.app.screen.query_one(ConversationTable)

        def lost() -> int | None:
            entries = [table.entry(row) for row in range(table.row_count)]
            return next(
                entry.constraints for entry in entries if entry is not None and entry.title == CHECKOUT
            )

        before = lost()
        assert before
        await press(pilot, "l")
        await press(pilot, "enter", "4")
        pane = view_of(pilot, LossesFacts)
        chosen = next(
            fact
            for fact in pane.facts.entries
            if isinstance(fact, Life) and is_lost(fact) and fact.fact.binds
        )
        pane.facts.move_cursor(pane.facts.entries.index(chosen))
        await press(pilot, "d")
        assert chosen.fact.key not in [fact.fact.key for fact in pane.facts.entries]
        assert [len(scope.facts) for scope in pane.view.offered if scope.name == "dismissed"] == [1]
        await press(pilot, "escape", "escape")
        assert "1 fact dismissed" in title(pilot)
        await press(pilot, "escape")
        assert lost() == before - 1
        await press(pilot, "enter", "4")
        pane = view_of(pilot, LossesFacts)
        while pane.scope != "dismissed":
            await press(pilot, "r")
        await press(pilot, "d", "escape", "escape")
        assert lost() == before


async def test_a_dismissed_finding_leaves_the_header_and_the_list(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=SIZE) as pilot:
        screen = conversation(pilot)
        assert screen.derived is not None
        before = len(screen.derived.findings.findings)
        await press(pilot, "exclamation_mark", "d")
        pane = screen.query_one(FindingsPane)
        gone = screen.derived.findings.dismissed
        assert gone
        assert len(screen.derived.findings.findings) == before - len(gone)
        await press(pilot, "D", "end", "d")
        assert len(screen.derived.findings.findings) == before
        assert pane.list.row_count < before, "findings of one cause share a line"


async def test_the_facts_of_a_model_are_shown_next_to_those_of_the_rules(rotating: Path) -> None:
    store = open_store(rotating)
    inspection = Inspection.open(store, CHECKOUT)
    (prompt, *_) = judge_prompts(inspection, 4, Masker())
    line = next(line for line in prompt.piece.splitlines() if line.startswith("[USER] ")).removeprefix(
        "[USER] "
    )
    statement = {
        "quote": line,
        "role": "user",
        "kind": "constraint",
        "importance": 3,
        "fate": "lost",
        "evidence": "",
    }
    judge = CommandSummarizer("a-model")
    answer = json.dumps({"statements": [statement]})
    default_attempts().keep_answer(answer_key(prompt.prompt, judge), prompt.place, judge, answer)
    store.close()
    async with running(rotating, CHECKOUT, size=SIZE) as pilot:
        await press(pilot, "4")
        pane = view_of(pilot, LossesFacts)
        assert pane.scope == "4"
        await press(pilot, "R")
        assert pane.scope.startswith("model ")
        (fact,) = pane.facts.entries
        assert fact.text == line
        assert "model a-model" in pane.body.text
        assert "importance 3" in pane.body.text
        assert "The rules found" in pane.head.text
        await press(pilot, "R")
        assert pane.scope == "4"


async def test_losses_of_conversations_with_one_title_name_the_agent_and_the_id(tmp_path: Path) -> None:
    for number in (1, 2):
        path = tmp_path / f"{number}.db"
        writer = Writer(create(path), tip=f"{number}{'0' * 8}")
        writer.begin(title="Same")
        writer.say([{"role": "user", "content": "Never delete the table orders."}, *talk(12)])
        writer.compact(0, len(writer.live) - 3, "## Goal\nFind it")
        writer.db.close()
    async with running(tmp_path) as pilot:
        await press(pilot, "l")
        shown = screen_text(pilot)
        assert "hermes: Same (" in shown


async def test_the_list_of_losses_names_files_that_are_left_out(tmp_path: Path) -> None:
    made = claude_lines.Session("5e55a000-0000-4000-8000-000000000007")
    made.user("Read the berths.")
    made.user("Go on.")
    path = made.write(tmp_path / "a.jsonl")
    (tmp_path / "b.jsonl").write_bytes(path.read_bytes().replace(b"\n", b"\r"))
    async with running(tmp_path, size=SIZE) as pilot:
        await press(pilot, "l")
        shown = " ".join(screen_text(pilot).split())
        assert "No loss is known, but some losses are unknown." in shown
        assert "b.jsonl holds no complete record" in shown


async def test_the_list_of_losses_follows_the_store(tmp_path: Path) -> None:
    writer = Writer(create(tmp_path / "state.db"))
    writer.begin(title="Harbor")
    writer.say([{"role": "user", "content": "Never delete the table orders."}, *talk(12)])
    writer.compact(0, len(writer.live) - 3, "## Goal\nFind it")
    async with running(tmp_path) as pilot:
        await press(pilot, "l")
        assert title(pilot).endswith("1 compaction listed")
        writer.say([{"role": "user", "content": "Always weigh the crates twice."}, *talk(12)])
        writer.compact(0, len(writer.live) - 3, "## Goal\nGo on")
        pilot.app.screen.post_message(StoreChanged())
        await settled(pilot)
        assert title(pilot).endswith("2 compactions listed")
        assert "weigh the crates" in screen_text(pilot)
    writer.db.close()


async def test_the_list_of_losses_says_how_many_constraints_of_the_store_stayed(rotating: Path) -> None:
    async with running(rotating, size=SIZE) as pilot:
        await press(pilot, "l")
        await settled(pilot)
        shown = [
            note for note in notes(pilot) if "word for word in the list after their first compaction" in note
        ]
        assert len(shown) == 1
        assert shown[0] in screen_text(pilot)


async def test_a_context_that_shrank_without_a_compaction_is_not_called_unharmed(tmp_path: Path) -> None:
    made = claude_lines.Session("5e55a000-0000-4000-8000-00000000000f")
    made.user("Never unload timber at night.")
    made.answer(claude_lines.text("I will not."), written=90_000)
    made.user("And the quay.")
    made.answer(claude_lines.text("So it is."), written=1_000)
    made.cached = 2_000
    made.user("And the crane.")
    made.answer(claude_lines.text("It lifts."), written=33_000, cold=True)
    made.write(tmp_path / "a.jsonl")
    async with running(tmp_path, made.session, size=SIZE) as pilot:
        await press(pilot, "7")
        assert "context-shrank" in screen_text(pilot)
        await press(pilot, "4")
        head = view_of(pilot, LossesFacts).head.text
        assert head.startswith("No compaction is recorded, but the context shrank without one")
        assert head.endswith("What was lost is unknown.")


async def test_a_session_without_its_beginning_is_not_called_unharmed(tmp_path: Path) -> None:
    made = claude_lines.Session("5e55a000-0000-4000-8000-00000000000f")
    made.user("Never unload timber at night.")
    made.answer(claude_lines.text("I will not."))
    made.user("And the quay.")
    made.answer(claude_lines.text("So it is."))
    del made.lines[0]
    made.write(tmp_path / "a.jsonl")
    async with running(tmp_path, size=SIZE) as pilot:
        (listed,) = (line for line in screen_text(pilot).splitlines() if "?1" in line)
        assert "–" not in listed
        await press(pilot, "enter", "4")
        head = view_of(pilot, LossesFacts).head.text
        assert head.startswith("No compaction is recorded, but a part of the session is missing")
