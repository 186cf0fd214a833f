"""Claude Code's transcripts without boundaries, as versions before 2.0 wrote them: each summary is a compaction."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inspector.answers.fact_results import work_out
from inspector.answers.inspection import Inspection
from inspector.answers.store_losses import unknown_losses
from inspector.stores.detect import open_store
from tests.recipes import recipe
from tests.stores.alone import opened, texts

lines = recipe("claude_lines")
OTHER = "5e55a000-0000-4000-8000-000000000002"
#: Forms of a compaction: no boundary, a boundary as parent of the summary, a boundary just before the summary.
FORMS = ("none", "above", "before")
PROPERTY = settings(
    deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def session(name: str = "5e55a000-0000-4000-8000-000000000001", **options: Any) -> Any:
    return lines.Session(name, "1.0.89", **options)


def summary(number: int) -> str:
    return str(lines.nine_sections(lines.OLD_LEAD, primary=[f"Move pier {number}"]))


def worked(made: Any, *rounds: int) -> None:
    """Add rounds of a question and an answer, numbered."""
    for number in rounds:
        made.user(f"How does pier {number} work?")
        made.answer(lines.text(f"Pier {number} keeps boats."))


def compacted(made: Any, form: str, number: int) -> None:
    """Add a compaction in one of FORMS."""
    if form == "none":
        made.summarize(summary(number))
        return
    made.compact(summary(number))
    if form == "before":
        made.lines[-1]["parentUuid"] = None


def three(*forms: str) -> Any:
    """Make a session with a compaction in each of these forms."""
    made = session()
    worked(made, 0, 1)
    for number, form in enumerate(forms, start=1):
        compacted(made, form, number)
        worked(made, 10 * number, 10 * number + 1)
    return made


def told(path: Path) -> Any:
    """Return the texts of all lists and the values of compactions; check the count in the list of conversations."""
    store, conversation, compactions = opened(path)
    assert conversation.row.compactions == len(compactions)
    assert conversation.row.messages == len(conversation.live)
    lists = [texts(store, conversation, number) for number in range(len(conversation.generations))]
    return lists, [(c.index, c.before, c.after, c.tail_start, c.summary) for c in compactions]


@pytest.mark.parametrize("hangs", ["", "parentUuid", "logicalParentUuid"])
def test_a_summary_without_a_boundary_is_a_compaction(tmp_path: Path, hangs: str) -> None:
    made = session()
    worked(made, 0, 1)
    for number in (1, 2):
        last = made.last
        made.summarize(summary(number), **({hangs: last} if hangs else {}))
        worked(made, 10 * number)
    store, conversation, compactions = opened(made.write(tmp_path / "a.jsonl"))
    assert [(c.index, c.before, c.after, c.head_end, c.tail_start) for c in compactions] == [
        (1, 4, 1, 0, 4),
        (2, 3, 1, 0, 3),
    ]
    for number, one in enumerate(compactions, start=1):
        assert one.summary == summary(number)
        assert (one.trigger, one.tokens_before_reported, one.tokens_after_reported) == (None, None, None)
        assert (one.summary_at, one.exact, one.whole, one.note, one.fallback) == (0, True, True, "", False)
    assert conversation.row.compactions == 2
    assert conversation.row.messages == len(conversation.live) == 3
    assert [texts(store, conversation, number)[0][1] for number in range(3)] == [
        "How does pier 0 work?",
        summary(1),
        summary(2),
    ]
    assert store.messages(conversation.live)[0].summary
    assert [request.generation for request in store.requests(conversation)] == [1, 1, 2, 3]
    assert not conversation.notes


@PROPERTY
@given(forms=st.lists(st.sampled_from(FORMS), max_size=4), seed=st.integers(0, 2**32))
def test_forms_of_one_session_may_change_and_each_compaction_counts_once(
    tmp_path: Path, forms: list[str], seed: int
) -> None:
    """This holds for any order of keys, and with repeated or unknown lines between."""
    expected = told(three(*("above" for _ in forms)).write(tmp_path / "a.jsonl"))
    chance = random.Random(seed)
    written: list[str] = []
    for line in three(*forms).lines:
        keys = list(line.items())
        chance.shuffle(keys)
        written.append(json.dumps({**dict(keys), "newKey": 1}))
        if chance.random() < 0.3:
            written.append(chance.choice([*written, '{"type": "tomorrow", "uuid": "u"}', "no json", "[]"]))
    path = tmp_path / "b.jsonl"
    path.write_text("\n".join(written) + "\n")
    assert told(path) == expected
    assert len(expected[1]) == len(forms)


@PROPERTY
@given(share=st.floats(0, 1))
def test_a_transcript_may_end_anywhere(tmp_path: Path, share: float) -> None:
    raw = three("none", "none", "above").text().encode()
    whole = raw[: raw.rfind(b"\n", 0, int(len(raw) * share)) + 1]
    if not whole:
        return
    path = tmp_path / "a.jsonl"
    path.write_bytes(raw[: max(len(whole), int(len(raw) * share) - 1)])
    lists, compactions = told(path)
    announced = [json.loads(line).get("subtype") for line in whole.splitlines()].count("compact_boundary")
    summaries = whole.count(b'"isCompactSummary": true')
    assert len(compactions) == len(lists) - 1 == max(summaries, min(summaries, 2) + announced)


@pytest.mark.parametrize("hangs", ["parentUuid", "logicalParentUuid"])
def test_a_summary_names_the_end_of_the_list_before_it(tmp_path: Path, hangs: str) -> None:
    made = session()
    worked(made, 0)
    back = made.last
    worked(made, 1)
    end, made.last = made.last, back
    made.answer(lines.text("An answer that was given up."))
    made.summarize(summary(1), **{hangs: end})
    store, conversation, _ = opened(made.write(tmp_path / "a.jsonl"))
    assert [text for _, text in texts(store, conversation, 0)][-2:] == [
        "How does pier 1 work?",
        "Pier 1 keeps boats.",
    ]
    assert conversation.notes == ("1 message on abandoned branches is in no list.",)


def test_a_summary_after_a_microcompaction_is_a_compaction(tmp_path: Path) -> None:
    made = session()
    worked(made, 0)
    made.summarize(summary(1), parentUuid=made.microcompact([]))
    _, compactions = told(made.write(tmp_path / "a.jsonl"))
    assert compactions == [(1, 2, 1, 2, summary(1))]


def test_two_summaries_of_one_boundary_are_one_compaction(tmp_path: Path) -> None:
    made = session()
    worked(made, 0)
    boundary = made.compact(summary(1))
    made.user(summary(2), isCompactSummary=True, parentUuid=boundary)
    worked(made, 1)
    lists, ((index, before, *_, text),) = told(made.write(tmp_path / "a.jsonl"))
    assert (index, before, text) == (1, 2, summary(1))
    assert [text for _, text in lists[1]][:2] == [summary(1), summary(2)]


def test_a_summary_may_precede_its_boundary(tmp_path: Path) -> None:
    made = session()
    worked(made, 0, 1)
    made.compact(summary(1))
    made.answer(lines.text("Pier 2 is next."))
    expected = told(made.write(tmp_path / "a.jsonl"))
    made.lines[-3], made.lines[-2] = made.lines[-2], made.lines[-3]
    store, conversation, compactions = opened(made.write(tmp_path / "b.jsonl"))
    assert conversation.row.compactions == len(compactions) == 1
    assert [texts(store, conversation, number) for number in (0, 1)] == expected[0]


def test_messages_that_a_rewind_left_after_a_summary_are_a_branch(tmp_path: Path) -> None:
    made = session()
    worked(made, 0)
    back = made.last
    worked(made, 1)
    made.summarize(summary(1))
    worked(made, 2)
    made.last = back
    worked(made, 3)
    store = open_store(made.write(tmp_path / "a.jsonl"))
    rows = {row.kind: row for row in store.conversations()}
    assert {kind: row.compactions for kind, row in rows.items()} == {"conversation": 0, "branch": 1}
    found = {kind: store.open(row.id) for kind, row in rows.items()}
    assert [text for role, text in texts(store, found["conversation"]) if role == "user"] == [
        "How does pier 0 work?",
        "How does pier 3 work?",
    ]
    assert [c.summary for c in store.compactions(found["branch"])] == [summary(1)]


def copied(made: Any) -> Any:
    """Return another session that begins with copies of all lines."""
    other = session(OTHER, start=made.at)
    other.lines, other.last = [dict(line) for line in made.lines], made.last
    return other


def test_a_copy_and_a_continuing_file_count_a_summary_once(tmp_path: Path) -> None:
    made = three("none")
    made.write(tmp_path / "a.jsonl")
    made.write(tmp_path / "deeper" / "a.jsonl")
    other = copied(made)
    worked(other, 3)
    other.summarize(summary(2))
    other.write(tmp_path / "b.jsonl")
    _, conversation, compactions = opened(tmp_path)
    assert conversation.row.sessions == (made.session, OTHER)
    assert [c.summary for c in compactions] == [summary(1), summary(2)]
    assert conversation.row.compactions == 2


def test_a_fork_begins_with_the_summary_that_it_shares(tmp_path: Path) -> None:
    made = three("none")
    other = copied(made)
    worked(other, 3)
    other.summarize(summary(3))
    other.write(tmp_path / "b.jsonl")
    worked(made, 4)
    made.write(tmp_path / "a.jsonl")
    store = open_store(tmp_path)
    rows = {row.kind: row for row in store.conversations()}
    assert {kind: row.compactions for kind, row in rows.items()} == {"conversation": 1, "branch": 1}
    found = {kind: store.open(row.id) for kind, row in rows.items()}
    assert [c.summary for c in store.compactions(found["conversation"])] == [summary(1)]
    assert [c.summary for c in store.compactions(found["branch"])] == [summary(3)]
    assert [text for role, text in texts(store, found["branch"], 0) if role == "user"] == [
        summary(1),
        *(f"How does pier {number} work?" for number in (10, 11, 3)),
    ]


@pytest.mark.parametrize("form", ["ends with a boundary", "begins with a copy of the summary"])
def test_a_boundary_and_its_summary_in_two_files_are_one_compaction(tmp_path: Path, form: str) -> None:
    made = three("above")
    place = next(at for at, line in enumerate(made.lines) if line.get("isCompactSummary"))
    other = copied(made)
    other.lines = other.lines[place:]
    worked(other, 5)
    for line in other.lines:
        line["sessionId"] = OTHER
    other.write(tmp_path / "b.jsonl")
    if form == "ends with a boundary":
        made.lines = made.lines[:place]
    made.write(tmp_path / "a.jsonl")
    store, conversation, compactions = opened(tmp_path)
    assert conversation.row.compactions == len(compactions) == 1
    assert compactions[0].summary == summary(1)
    assert compactions[0].before == 4
    assert len(conversation.live) == 7
    assert len(store.requests(conversation)) == 5


def test_a_file_that_begins_with_a_summary_notes_that_the_list_before_is_elsewhere(tmp_path: Path) -> None:
    made = session()
    made.summarize(summary(1))
    worked(made, 1)
    _, conversation, (compaction,) = opened(made.write(tmp_path / "a.jsonl"))
    assert (compaction.before, compaction.whole, compaction.summary) == (0, False, summary(1))
    assert compaction.note == "The list before it is not in these files."
    assert conversation.row.compactions == 1


def test_a_file_with_only_a_boundary_has_a_compaction_with_unknown_values(tmp_path: Path) -> None:
    made = session()
    worked(made, 1)
    made.compact(summary(1))
    made.lines = [line for line in made.lines if line.get("subtype") == "compact_boundary"]
    _, _, (compaction,) = opened(made.write(tmp_path / "a.jsonl"))
    assert (compaction.before, compaction.after, compaction.summary) == (0, 0, None)
    assert "No summary follows it" in compaction.note


def test_losses_are_unknown_after_a_boundary_whose_summary_is_not_in_the_file(tmp_path: Path) -> None:
    made = session()
    made.user("Never use more than 7 buckets.")
    worked(made, 1)
    made.compact(summary(1))
    made.lines = [line for line in made.lines if not line.get("isCompactSummary")]
    worked(made, 2)
    store, conversation, (compaction,) = opened(made.write(tmp_path / "a.jsonl"))
    assert (compaction.summary, compaction.encrypted, compaction.after_words) == (None, True, "at least 0")
    losses = work_out(Inspection(store, conversation))[0]
    assert [(one.lost, one.unknown) for one in losses.compactions] == [({}, 1)]
    assert any("the summaries cannot be read" in one for one in unknown_losses([losses]))


@pytest.mark.parametrize("hangs", [True, False])
def test_a_sub_agents_summary_is_no_compaction_of_the_conversation(tmp_path: Path, hangs: bool) -> None:
    made = session()
    worked(made, 0)
    last, made.last = made.last, None
    first = made.user("Find every caller of pier().", isSidechain=True)
    made.summarize(summary(9), isSidechain=True, parentUuid=first if hangs else None)
    made.user("Three callers.", isSidechain=True)
    made.last = last
    made.summarize(summary(1))
    worked(made, 1)
    store = open_store(made.write(tmp_path / "a.jsonl"))
    (row,) = [row for row in store.conversations() if row.kind == "conversation"]
    conversation = store.open(row.id)
    assert [(c.summary, c.before) for c in store.compactions(conversation)] == [(summary(1), 2)]
    assert row.compactions == 1
    sides = [other for other in store.conversations() if other.kind == "sub-agent"]
    assert sum(other.compactions or 0 for other in sides) == 1
    for other in sides:
        told_of = store.compactions(store.open(other.id))
        assert len(told_of) == other.compactions
        assert all(c.summary == summary(9) for c in told_of)
