"""Kept results: their key is exactly the input that they were computed from."""

from __future__ import annotations

import shutil
import sqlite3
import zlib
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from inspector.answers import fact_results, kept_results
from inspector.answers import findings as answers_findings
from inspector.answers.answers import Answers
from inspector.answers.fact_results import list_losses, read_losses
from inspector.answers.findings import findings, read_findings
from inspector.answers.inspection import Inspection
from inspector.answers.kept_results import Basis, basis_of, document, keep_documents
from inspector.answers.resolving import resolve
from inspector.answers.store_losses import LOSSES
from inspector.config import cache
from inspector.config.cache import Cache, CacheEntry
from inspector.config.dismissals import Dismissals
from inspector.config.opened import OpenedOnce
from inspector.config.settings import ResolvedSettings
from inspector.quality.facts.fact import ConversationFacts
from inspector.stores.detect import open_store
from tests.app.running import add
from tests.counting import calls_of
from tests.engines import other_package

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
CHECKOUT = "Move checkout to orders-v2"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return Path(shutil.copy(FIXTURES / "hermes-0.13-rotating.db", tmp_path / "state.db"))


@pytest.fixture
def kept(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache" / "cache.db")


def tip(path: Path) -> str:
    return open_store(path).resolve(CHECKOUT)


def basis(path: Path, **flags: Any) -> Basis:
    store = open_store(path)
    row = next(row for row in store.conversations() if row.id == tip(path))
    return basis_of(store, row.id, "question", resolve(store, row, flags, None))


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM messages WHERE id = (SELECT max(id) FROM messages WHERE session_id = :tip)",
        "UPDATE messages SET content = content || ' more' "
        "WHERE id = (SELECT max(id) FROM messages WHERE session_id = :tip)",
        "INSERT INTO messages (session_id, role, content, timestamp) VALUES (:tip, 'user', 'more', 2e9)",
        "UPDATE sessions SET end_reason = 'closed' WHERE id = :tip",
    ],
)
def test_another_conversation_is_another_basis(database: Path, sql: str) -> None:
    before = basis(database)
    db = sqlite3.connect(database)
    with db:
        assert db.execute(sql, {"tip": tip(database)}).rowcount == 1
    db.close()
    after = basis(database)
    assert after.place == before.place
    assert after.stamp != before.stamp


def test_settings_and_program_belong_to_the_basis(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = basis(database)
    assert basis(database) == first
    assert basis(database, threshold=0.9).stamp != first.stamp
    monkeypatch.setattr(cache, "program_stamp", lambda: "another program")
    assert basis(database).stamp != first.stamp


def test_only_the_newest_result_is_kept_and_only_for_its_basis(kept: Cache) -> None:
    one = Basis(b"p" * 16, b"a" * 16)
    other = replace(one, stamp=b"b" * 16)
    keep_documents(kept, {one: {"text": "\udcff \N{SNOWMAN}", "list": [1, None]}})
    assert document(kept, one) == {"text": "\udcff \N{SNOWMAN}", "list": [1, None]}
    assert document(kept, other) is None
    keep_documents(kept, {other: []})
    assert (document(kept, one), document(kept, other)) == (None, [])
    assert document(Cache(kept.path), other) == []


def test_an_invalid_stored_value_is_no_result(kept: Cache) -> None:
    one = Basis(b"p" * 16, b"a" * 16)
    for value in (b"", b"no zlib", zlib.compress(b"no JSON"), 7):
        kept.put("results", {one.place: CacheEntry(one.stamp, value)})
        assert document(kept, one) is None


def test_losses_and_findings_are_computed_once_from_the_same_facts(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "kept"))
    asked: list[str] = []

    def counted(inspection: Inspection) -> ConversationFacts:
        asked.append(inspection.conversation.id)
        return facts_of(inspection)

    facts_of = fact_results.facts_of
    monkeypatch.setattr(fact_results, "facts_of", counted)
    store = open_store(database)
    names = [row.id for row in store.conversations()]
    answers = Answers.of([database], {}, None)
    assert [LOSSES.of(store, name).stored() for name in names] == [None] * len(names)
    first = [read_losses(answers, name) for name in names]
    assert asked == names
    monkeypatch.setattr(cache, "_OPENED", OpenedOnce(Cache))
    assert [read_losses(Answers.of([database], {}, None), name) for name in names] == first
    assert [LOSSES.of(store, name).stored() for name in names] == first
    for name in names:
        inspection, resolved = answers.opened(name)
        assert read_findings(inspection, resolved) == findings(inspection, resolved)
    assert asked == names


def test_losses_of_an_earlier_state_are_not_kept_for_the_present_one(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "kept"))
    monkeypatch.setattr(cache, "_OPENED", OpenedOnce(Cache))
    answers = Answers.of([database], {}, None)
    inspection, _ = answers.opened(CHECKOUT)
    conversation = inspection.conversation
    add(database, "Never again.", conversation.live.session)
    fact_results.work_out(inspection)
    assert LOSSES.of(answers.store, conversation.id).stored() is None
    fact_results.work_out(inspection.reopened())
    assert LOSSES.of(answers.store, conversation.id).stored() is not None


def test_findings_are_kept_for_an_opened_conversation_and_its_dismissals(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worked_out = calls_of(monkeypatch, answers_findings, "find")

    def times(opened: tuple[Inspection, ResolvedSettings], dismissed: frozenset[str] | None = None) -> int:
        worked_out.clear()
        read_findings(*opened, dismissed=dismissed)
        return len(worked_out)

    opened = Answers.of([database], {}, None).opened(CHECKOUT)
    assert [times(opened), times(opened)] == [1, 0]
    assert times(Answers.of([database], {}, None).opened(CHECKOUT)) == 0
    assert times(opened, frozenset({"constraint: a fact"})) == 1
    assert times(opened, frozenset()) == 1, "one result is kept"
    add(database, "Never again.", opened[0].conversation.live.session)
    assert times(opened) == 1
    assert times(Answers.of([database], {}, None).opened(CHECKOUT)) == 1, "that was read before the message"


def test_the_worst_compaction_comes_first(database: Path, kept: Cache) -> None:
    answers = Answers.of([database], {}, None)
    listed = list_losses(answers)
    orders = [one.loss.order for one in listed]
    assert orders == sorted(orders, reverse=True)
    assert len(listed) > 1
    (name,) = {one.row.id for one in listed if one.row.title == CHECKOUT}
    only = list_losses(answers, [CHECKOUT])
    assert only == [one for one in listed if one.row.id == name]
    for one in listed:
        assert sum(one.loss.lost.values()) + one.loss.weakened >= len(one.loss.facts) > 0
        assert all(fact.compaction == one.loss.compaction for fact in one.loss.facts)


def test_a_slow_answer_is_kept_with_its_notes(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "kept"))
    made: list[str] = []

    def ask(flags: dict[str, Any], option: str = "") -> tuple[Any, list[str]]:
        answers = Answers.of([database], flags, None)

        def make() -> list[str]:
            made.append(option)
            answers.note(f"A note about {option}.")
            return [option]

        return kept_results.kept_answer(answers, CHECKOUT, "question", make, option), answers.notes()

    assert ask({}, "quick")[0] == ask({}, "quick")[0] == ["quick"]
    assert made == ["quick", "quick"], "what takes no time is not kept"
    monkeypatch.setattr(kept_results, "LONG", 0.0)
    first = ask({}, "long")
    assert ask({}, "long") == first
    assert "A note about long." in first[1]
    assert made[2:] == ["long"]
    ask({"threshold": 0.9}, "long")
    ask({}, "other")
    assert made[3:] == ["long", "other"]


@pytest.mark.parametrize(("flags", "times"), [({}, 1), ({"profile": "halves"}, 2)])
def test_an_answer_is_made_again_for_an_engine_that_may_have_changed(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: dict[str, Any], times: int
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "kept"))
    monkeypatch.setattr(kept_results, "LONG", 0.0)
    answers = Answers.of([database], flags, None)
    made: list[str] = []
    worked_out = calls_of(monkeypatch, answers_findings, "find")
    with other_package.installed(tmp_path):
        for _ in range(2):
            kept_results.kept_answer(answers, CHECKOUT, "question", lambda: made.append("made"))
            read_findings(*answers.opened(CHECKOUT))
    assert (len(made), len(worked_out)) == (times, times)


def test_an_answer_is_made_again_after_a_finding_was_dismissed(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "kept"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(kept_results, "LONG", 0.0)
    answers = Answers.of([database], {}, None)
    (root,) = (row.root for row in answers.rows([CHECKOUT]))

    def ask() -> Any:
        return kept_results.kept_answer(
            answers, CHECKOUT, "question", lambda: sorted(Dismissals.load().findings_of(root))
        )

    assert ask() == []
    Dismissals.load().toggle_finding(root, "summary-fallback 1").save()
    assert ask() == ["summary-fallback 1"]


def test_a_kept_answer_has_only_its_own_notes(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "kept"))
    monkeypatch.setattr(kept_results, "LONG", 0.0)
    answers = Answers.of([database], {}, None)
    answers.note("A note about something else.")

    def make() -> str:
        answers.note("A note about the answer.")
        return "answer"

    kept_results.kept_answer(answers, CHECKOUT, "question", make)
    assert answers.notes()[-2:] == ["A note about something else.", "A note about the answer."]
    again = Answers.of([database], {}, None)
    kept_results.kept_answer(again, CHECKOUT, "question", make)
    assert "A note about the answer." in again.notes()
    assert "A note about something else." not in again.notes()
