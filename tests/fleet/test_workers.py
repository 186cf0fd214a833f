"""Worker processes of this machine: outcomes, errors, processes that die, an end in the middle."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from inspector.core.errors import BadInput
from inspector.core.processes import Worker, WorkerEnded, in_worker
from inspector.fleet import workers
from inspector.fleet.workers import Calls, Done, LocalWorkers, Outcome, outcomes_of
from tests.fleet import calls


def done(function: Callable[..., object], asked: list[tuple[Any, ...]], count: int = 2) -> list[Done]:
    """Make each call as a separate batch."""
    batches = [[call] for call in asked]
    return sorted(LocalWorkers(count).map(each(function), batches, nothing), key=lambda one: one.number)


def each(function: Callable[..., object]) -> Callable[[Calls], list[Outcome]]:
    return partial(outcomes_of, function)


def nothing() -> None:
    """Do nothing while waiting."""


def in_one(function: Callable[..., object], asked: list[tuple[Any, ...]], count: int = 1) -> list[Done]:
    """Make all calls as one batch."""
    return sorted(LocalWorkers(count).map(each(function), [asked], nothing), key=lambda one: one.number)


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[Worker]:
    """Count the started workers."""
    found: list[Worker] = []

    class Counted(Worker):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            found.append(self)

    monkeypatch.setattr(workers, "Worker", Counted)
    return found


def test_values_and_errors_come_back(begun: list[Worker]) -> None:
    found = done(calls.double, [(number,) for number in range(6)])
    assert [one.value for one in found] == [0, 2, 4, None, None, 10]
    assert isinstance(found[3].error, BadInput)
    assert str(found[3].error) == "3 is refused."
    assert "ZeroDivisionError: four" in str(found[4].error)
    assert len(begun) == 2
    assert all(worker.process.poll() is not None for worker in begun)


def test_workers_are_other_processes_and_their_output_is_no_answer() -> None:
    found = done(calls.process, [(), ()])
    assert all(one.value[0] != os.getpid() and one.value[1] for one in found)
    assert not in_worker()


def test_a_process_that_dies_is_replaced(tmp_path: Path, begun: list[Worker]) -> None:
    found = done(calls.end_once, [(str(tmp_path / "mark"), number) for number in range(5)], 1)
    assert [one.value for one in found] == [0, 1, 2, 3, 4]
    assert len(begun) == 2


def test_a_call_that_ends_its_process_affects_no_other_call() -> None:
    found = done(calls.end_always, [(number,) for number in range(5)])
    assert [one.value for one in found] == [0, 1, None, 3, 4]
    assert isinstance(found[2].error, WorkerEnded)


def test_calls_of_a_batch_have_their_own_outcomes(begun: list[Worker]) -> None:
    found = in_one(calls.double, [(number,) for number in range(6)], 2)
    assert [one.value for one in found] == [0, 2, 4, None, None, 10]
    assert str(found[3].error) == "3 is refused."
    assert len(begun) == 1


def test_other_calls_of_a_batch_are_retried_singly(begun: list[Worker]) -> None:
    found = in_one(calls.end_always, [(number,) for number in range(5)])
    assert [one.value for one in found] == [0, 1, None, 3, 4]
    assert isinstance(found[2].error, WorkerEnded)
    # One more process for the batch, and one for the call that ended its process.
    assert len(begun) == 3


def test_cancelling_leaves_no_running_worker(begun: list[Worker]) -> None:
    class Enough(Exception):
        pass

    def wait() -> None:
        raise Enough

    with pytest.raises(Enough):
        list(LocalWorkers(2).map(each(calls.endless), [[(1,)], [(2,)], [(3,)]], wait))
    assert len(begun) == 2
    assert all(worker.process.poll() is not None for worker in begun)


def test_results_arrive_before_all_are_done() -> None:
    found: Iterator[Done] = LocalWorkers(1).map(each(calls.double), [[(1,)], [(2,)]], nothing)
    assert next(found).value == 2
    found.close()  # type: ignore[attr-defined]


def test_without_other_processes_the_work_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object, **__: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr("subprocess.Popen", none)
    found = done(calls.double, [(2,), (3,)])
    assert found[0].value == 4
    assert isinstance(found[1].error, BadInput)
