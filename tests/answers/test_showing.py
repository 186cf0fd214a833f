"""Reads that showing a generation costs, and the width of its table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from inspector.answers.answers import Answers
from inspector.answers.recordings import shared_recording
from inspector.answers.showing import show_generation
from inspector.answers.upcoming import upcoming
from inspector.commands.cli import commands
from inspector.commands.sources import open_source
from inspector.core.messages import Message
from inspector.export.console import Table
from inspector.stores import entries
from inspector.stores.detect import open_store
from tests.recipes import recipe
from tests.stores import writer

lines, others = recipe("claude_lines"), recipe("other_lines")
DIVES = "Turn the dive log"


def test_the_live_list_is_read_once_and_of_another_list_only_the_last_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = lines.Session("5e55a000-0000-4000-8000-000000000001")
    for number in range(2):
        made.user(f"Read berth {number}.")
        made.answer(lines.call(f"t{number}", "Read", file_path="berth.py"), written=60)
        made.result(f"t{number}", "x" * 400)
        if not number:
            made.compact(lines.nine_sections(primary=["Read the berths"]), before=155_000)
    store = open_store(made.write(tmp_path / "a.jsonl"))
    (row,) = store.conversations()
    store.open(row.id)
    numbers: list[int] = []
    bodies = entries.Entries.bodies

    def counted(self: entries.Entries, wanted: Sequence[int], *more: Any) -> dict[int, Message]:
        numbers.extend(wanted)
        return bodies(self, wanted, *more)

    monkeypatch.setattr(entries.Entries, "bodies", counted)
    shown = show_generation(Answers(store, {}, None), row.id, None, exact=True)
    assert shown.recorded is None
    assert len(shown.messages) == 4
    assert len(numbers) == len(set(numbers)) == 4 + 1


@pytest.mark.parametrize(
    ("model", "numbers"), [("anthropic/claude-sonnet-4.5", [2, 3, 4]), ("openai/gpt-4o", [])]
)
def test_breakpoints_are_marked_only_if_the_requests_have_them(
    model: str, numbers: list[int], tmp_path: Path
) -> None:
    database = writer.create(tmp_path / "state.db", fts=False)
    writer.session(database, "s", model=model, system_prompt="You are a pilot.")
    for wire in writer.talk(4):
        writer.insert(database, "s", wire, 1_000.0)
    database.commit()
    database.close()
    words = [str(tmp_path / "state.db"), "--json"]
    shown, points = (
        json.loads(CliRunner().invoke(commands, [name, *words]).stdout) for name in ("show", "breakpoints")
    )
    assert points["enabled"] == bool(numbers)
    assert shown["system_prompt"]["breakpoint"] == (1 if numbers else None)
    assert [entry["breakpoint"] for entry in shown["messages"] if entry["breakpoint"]] == numbers


def test_a_summary_without_a_known_wording_is_marked(tmp_path: Path) -> None:
    rollout = others.CodexRollout("019f7a10-5d00-7cc3-8e10-4d8b0f9ac002")
    rollout.says("user", "Never change the draft.")
    rollout.calls("c1", "exec_command", "found", cmd="grep -n draft plan.rs")
    rollout.counts(240_000, 230_000)
    summary = "Another language model started to solve this problem: the draft is found."
    kept = [rollout.message("user", text) for text in ("Never change the draft.", summary)]
    rollout.compact(kept, message=summary, encrypted=False)
    rollout.says("user", "Go on.")
    path = tmp_path / "rollout-2026-07-14-a.jsonl"
    path.write_text(rollout.text())
    for words, marked in ((["--generation", "1"], []), ([], [1])):
        output = CliRunner().invoke(commands, ["show", str(path), *words, "--json"]).stdout
        assert [one["index"] for one in json.loads(output)["messages"] if one["summary"]] == marked


@given(
    st.lists(st.text(st.sampled_from("ab …—“→日\u0301\u200b😀\u200d"), max_size=90), min_size=1, max_size=5),
    st.integers(21, 60),
)
def test_a_column_that_is_cut_stays_within_the_line(texts: list[str], room: int) -> None:
    table = Table(">#", "title", cut=("title",))
    for number, text in enumerate(texts):
        table.add(number, text)
    for line in table.lines(room):
        assert cell_len(line) <= room


def test_the_reported_size_is_shown_with_its_share_of_the_threshold() -> None:
    answers = Answers(open_source(None, True), {}, None)
    following = upcoming(answers, DIVES)
    shown = show_generation(answers, DIVES, None, exact=False)
    assert shown.reported is not None
    assert shown.reported.tokens == following.tokens
    text = CliRunner().invoke(commands, ["show", "--demo", DIVES]).stdout
    share = f"{following.tokens / following.threshold_tokens:.0%}"
    assert f"tokens {following.tokens:,} reported, ~" in text
    assert f"threshold {following.threshold_tokens:,} ({share})" in text
    assert show_generation(answers, DIVES, None, exact=False, step=3).reported is None


def test_the_size_at_a_step_is_that_of_the_replay() -> None:
    name, step = "Nightly orders import loses rows", 78
    answers = Answers(open_source(None, True), {}, None)
    inspection, resolved = answers.opened(name)
    size = shared_recording(inspection, resolved.settings.profile).tokens[step - 1]
    shown = CliRunner().invoke(commands, ["show", "--demo", name, "--step", str(step), "--no-exact"]).stdout
    assert f"tokens ~{size:,} as the agent reports sizes, " in shown
    document = CliRunner().invoke(commands, ["show", "--demo", name, "--step", str(step), "--json"]).stdout
    assert json.loads(document)["tokens"]["estimated"] == size
    answers.store.close()
