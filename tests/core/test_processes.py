"""Worker processes of this machine: outcomes, errors, processes that die, an end in the middle."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from subprocess import Popen
from typing import Any

import pytest

from inspector.core import processes
from inspector.core.errors import BadInput
from inspector.core.processes import Done, LocalWorkers, WorkerEnded, in_worker, outcomes_of
from tests.fleet import calls


def done(function: Callable[..., object], asked: list[tuple[Any, ...]], count: int = 2) -> list[Done]:
    """Make each call as a separate batch."""
    return sorted(LocalWorkers(count).each(function, asked, nothing), key=lambda one: one.number)


def nothing() -> None:
    """Do nothing while waiting."""


def in_one(function: Callable[..., object], asked: list[tuple[Any, ...]], count: int = 1) -> list[Done]:
    """Make all calls as one batch."""
    found = LocalWorkers(count).map(partial(outcomes_of, function), [asked], nothing)
    return sorted(found, key=lambda one: one.number)


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[Popen[bytes]]:
    """Return the processes that are started."""
    found: list[Popen[bytes]] = []
    begin = processes._begin

    def counted(low: bool) -> Popen[bytes]:
        found.append(begin(low))
        return found[-1]

    monkeypatch.setattr(processes, "_begin", counted)
    return found


def test_values_and_errors_come_back(begun: list[Popen[bytes]]) -> None:
    found = done(calls.double, [(number,) for number in range(6)])
    assert [one.value for one in found] == [0, 2, 4, None, None, 10]
    assert isinstance(found[3].error, BadInput)
    assert str(found[3].error) == "3 is refused."
    assert "ZeroDivisionError: four" in str(found[4].error)
    assert len(begun) == 2
    assert all(process.poll() is not None for process in begun)


def test_workers_are_other_processes_and_their_output_is_no_answer() -> None:
    found = done(calls.process, [(), ()])
    assert all(one.value[0] != os.getpid() and one.value[1] for one in found)
    assert not in_worker()


def test_a_process_that_dies_is_replaced(tmp_path: Path, begun: list[Popen[bytes]]) -> None:
    found = done(calls.end_once, [(str(tmp_path / "mark"), number) for number in range(5)], 1)
    assert [one.value for one in found] == [0, 1, 2, 3, 4]
    assert len(begun) == 2


def test_a_call_that_ends_its_process_affects_no_other_call() -> None:
    found = done(calls.end_always, [(number,) for number in range(5)])
    assert [one.value for one in found] == [0, 1, None, 3, 4]
    assert isinstance(found[2].error, WorkerEnded)


def test_calls_of_a_batch_have_their_own_outcomes(begun: list[Popen[bytes]]) -> None:
    found = in_one(calls.double, [(number,) for number in range(6)], 2)
    assert [one.value for one in found] == [0, 2, 4, None, None, 10]
    assert str(found[3].error) == "3 is refused."
    assert len(begun) == 1


def test_other_calls_of_a_batch_are_retried_singly(begun: list[Popen[bytes]]) -> None:
    found = in_one(calls.end_always, [(number,) for number in range(5)])
    assert [one.value for one in found] == [0, 1, None, 3, 4]
    assert isinstance(found[2].error, WorkerEnded)
    # One more process for the batch, and one for the call that ended its process.
    assert len(begun) == 3


class Enough(Exception):
    """Ends the work."""


def enough() -> None:
    """End the work while waiting."""
    raise Enough


def test_cancelling_leaves_no_running_worker(begun: list[Popen[bytes]]) -> None:
    with pytest.raises(Enough):
        list(LocalWorkers(2).each(calls.endless, [(1,), (2,), (3,)], enough))
    assert len(begun) == 2
    assert all(process.poll() is not None for process in begun)


def test_results_arrive_before_all_are_done() -> None:
    found: Iterator[Done] = LocalWorkers(1).each(calls.double, [(1,), (2,)], nothing)
    assert next(found).value == 2
    found.close()  # type: ignore[attr-defined]


def test_without_other_processes_the_work_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object, **__: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr("subprocess.Popen", none)
    found = done(calls.double, [(2,), (3,)])
    assert found[0].value == 4
    assert isinstance(found[1].error, BadInput)


@pytest.mark.skipif(os.name != "posix", reason="has no such priorities")
def test_a_process_may_have_the_lowest_priority() -> None:
    (one,) = LocalWorkers(low=True).each(os.getpriority, [(os.PRIO_PROCESS, 0)], nothing)
    assert one.value == 19


def test_a_value_that_cannot_be_pickled_is_an_error() -> None:
    (one,) = done(calls.lock, [()])
    assert "The program failed (TypeError: cannot pickle" in str(one.error)


def test_more_than_a_pipe_holds_is_sent_and_received() -> None:
    found = done(calls.double, [("x" * 300_000,) for _ in range(4)])
    assert [len(one.value) for one in found] == [600_000] * 4


def test_a_process_that_starts_late_gets_no_value_of_another_call(
    begun: list[Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    begin, tries = processes._begin, []

    def later(low: bool) -> Popen[bytes]:
        tries.append(low)
        if len(tries) % 2:
            raise BlockingIOError(11, "Resource temporarily unavailable")
        return begin(low)

    monkeypatch.setattr(processes, "_begin", later)
    found = done(calls.double, [(number,) for number in range(10, 20)])
    assert [one.value for one in found] == [2 * number for number in range(10, 20)]
    assert begun


def test_idle_processes_stay_in_a_block(begun: list[Popen[bytes]]) -> None:
    with LocalWorkers() as workers:
        assert not workers.started
        for number in (1, 2):
            assert [one.value for one in workers.each(calls.double, [(number,)], nothing)] == [2 * number]
        assert workers.started
        assert len(begun) == 1
        begun[0].kill()
        assert [one.value for one in workers.each(calls.double, [(5,)], nothing)] == [10]
        (found,) = workers.each(calls.end_always, [(2,)], nothing)
        assert isinstance(found.error, WorkerEnded)
        with pytest.raises(Enough):
            list(workers.each(calls.endless, [(1,)], enough))
        assert not workers.started
        assert [one.value for one in workers.each(calls.double, [(6,)], nothing)] == [12]
    assert all(process.poll() is not None for process in begun)
    assert not workers.started
