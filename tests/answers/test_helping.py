"""Helper processes for the facts of a long conversation: the result is the same without them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.answers import fate_processes, message_facts
from inspector.answers.answers import Answers
from inspector.answers.fact_reading import read_facts
from inspector.answers.fate_processes import fates_together
from inspector.answers.helper_process import HelperProcess
from inspector.answers.inspection import Inspection
from inspector.answers.kept_facts import cached_facts, message_key
from inspector.answers.kept_results import KeptResults
from inspector.core.errors import InspectorError
from inspector.quality.facts.lives import Following, Work

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


class Stopped(InspectorError):
    """The reading was cancelled."""


@pytest.fixture
def inspection() -> Iterator[Inspection]:
    """Open the bundled conversation with the most compactions."""
    store = Answers.of(tuple(sorted(FIXTURES.glob("*.db"))), {}, None).store
    row = max(store.conversations(), key=lambda row: store.count_compactions(row.id))
    yield Inspection.open(store, row.id)
    store.close()


def in_processes(count: int | None) -> object:
    def together(inspection: Inspection) -> Work:
        return fates_together(inspection, count)

    return together


def test_facts_followed_in_several_processes_have_the_same_fates(
    inspection: Inspection, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = read_facts(inspection)
    seen: list[tuple[str, int, int]] = []
    monkeypatch.setattr("inspector.answers.fact_reading.fates_together", in_processes(2))
    together = read_facts(inspection, watch=lambda *what: seen.append(what))
    assert len(alone.facts.lives) > 20
    assert together.facts == alone.facts
    followed = [(done, total) for what, done, total in seen if what == "fates"]
    assert followed
    assert all(0 <= done <= total for done, total in followed)


def test_a_helper_that_ends_too_early_changes_nothing(
    inspection: Inspection, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = read_facts(inspection)
    begun: list[Following] = []

    def begin(helper: HelperProcess, inspection: Inspection, work: object, asked: Following) -> None:
        original(helper, inspection, work, asked)  # type: ignore[arg-type]
        assert helper.worker is not None
        helper.worker.process.kill()
        begun.append(asked)

    original = HelperProcess.__init__
    monkeypatch.setattr(HelperProcess, "__init__", begin)
    monkeypatch.setattr("inspector.answers.fact_reading.fates_together", in_processes(3))
    assert read_facts(inspection).facts == alone.facts
    assert [len(asked.facts) > 0 for asked in begun] == [True, True]


def test_few_facts_are_followed_without_help(inspection: Inspection, monkeypatch: pytest.MonkeyPatch) -> None:
    def begin(*what: object) -> None:
        raise AssertionError("a process was begun")

    monkeypatch.setattr(HelperProcess, "__init__", begin)
    assert read_facts(inspection).facts.lives
    monkeypatch.setattr(fate_processes, "_FEW", 0)
    monkeypatch.setattr(message_facts, "_MUCH", 0)
    monkeypatch.setattr(message_facts, "_HELP_AFTER", 0)
    inspection.alone = True
    assert read_facts(inspection).facts.lives


def test_an_exception_of_a_watcher_ends_the_helpers(
    inspection: Inspection, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[HelperProcess] = []

    def begin(helper: HelperProcess, *what: object) -> None:
        original(helper, *what)  # type: ignore[arg-type]
        begun.append(helper)

    def watch(what: str, done: int, total: int) -> None:
        if what == "fates":
            raise Stopped("no longer")

    original = HelperProcess.__init__
    monkeypatch.setattr(HelperProcess, "__init__", begin)
    monkeypatch.setattr("inspector.answers.fact_reading.fates_together", in_processes(2))
    with pytest.raises(Stopped):
        read_facts(inspection, watch=watch)
    assert [helper.worker and helper.worker.process.poll() is not None for helper in begun] == [True]


def test_without_helpers_all_is_done_in_one_process(
    inspection: Inspection, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_: object, **__: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    alone = read_facts(inspection)
    monkeypatch.setattr("subprocess.Popen", none)
    monkeypatch.setattr("inspector.answers.fact_reading.fates_together", in_processes(3))
    assert read_facts(inspection).facts == alone.facts


def test_a_helper_opens_the_same_conversation(inspection: Inspection) -> None:
    helper = HelperProcess(inspection, getattr, "alone")
    assert helper.answer(lambda: None) is True
    helper.end()


def test_a_helper_answers_nothing_of_another_conversation(
    inspection: Inspection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inspection, "_compactions", inspection.compactions()[:-1])
    helper = HelperProcess(inspection, getattr, "alone")
    assert helper.answer(lambda: None) is None
    helper.end()


def test_a_helper_keeps_facts_of_messages_from_the_last_list_back(
    inspection: Inspection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = read_facts(inspection)
    known_by_then: list[bool] = []
    kept = KeptResults(tmp_path / "results.db")
    (last,) = inspection.store.messages(inspection.generation())[-1:]
    key = message_key(last)

    def begin(helper: HelperProcess, inspection: Inspection, work: object, asked: Path) -> None:
        original(helper, inspection, work, asked)  # type: ignore[arg-type]
        helper.answer(lambda: None)
        known_by_then.append(key in cached_facts(kept, [key]))

    original = HelperProcess.__init__
    monkeypatch.setattr(HelperProcess, "__init__", begin)
    monkeypatch.setattr(message_facts, "_MUCH", 0)
    monkeypatch.setattr(message_facts, "_HELP_AFTER", 0)
    assert read_facts(inspection, kept).facts == alone.facts
    assert known_by_then == [True]
