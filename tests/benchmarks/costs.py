"""Causes and costs of requests, and the time that costs add to a what-if."""

from __future__ import annotations

import time
from collections.abc import Callable

from inspector.answers.answers import Answers
from inspector.answers.costing import costing_of
from inspector.answers.recordings import shared_recording
from inspector.answers.requests import priced_requests
from inspector.caching.misses import judge
from inspector.caching.requests import Requests
from inspector.core.conversations import Request
from inspector.replay.run import run_course
from inspector.stores.detect import open_store
from tests.benchmarks.context import Context
from tests.benchmarks.figures import Figure, middle, spread
from tests.benchmarks.generator import LONG

MANY = 12_000
_MODEL = "claude-opus-4-5"


def measure(context: Context) -> list[Figure]:
    """Measure everything about costs."""
    return [*_requests(), *_whatif(context)]


def _long_conversation() -> list[Request]:
    """Return requests of a long conversation with pauses, and a compaction every thousand."""
    requests: list[Request] = []
    cached, at = 0, 1_760_000_000.0
    for index in range(MANY):
        added, generation = 900 + index % 700, 1 + index // 1_000
        at += 4_000 if index % 97 == 0 else 37
        cached = 15_000 if index % 1_000 == 0 else cached
        read = 0 if index % 97 == 0 else cached
        written = added + cached - read
        requests.append(Request(index + 1, generation, str(index), _MODEL, at, 10, read, written, 0, 300))
        cached += added
    return requests


def _timed(work: Callable[[], object], runs: int = 9) -> list[float]:
    taken = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        taken.append(1e3 * (time.perf_counter() - start))
    return taken


def _requests() -> list[Figure]:
    made = _long_conversation()
    causes = _timed(lambda: priced_requests(judge(made), _MODEL, "anthropic"))
    requests = Requests(priced_requests(judge(made), _MODEL, "anthropic"), False)
    sums = _timed(lambda: (requests.cost, requests.by_cause(), requests.idle()))
    return [
        Figure(f"costs: causes and costs of {MANY:,} requests", middle(causes), "ms", 50, spread(causes)),
        Figure(
            f"costs: sums of {MANY:,} requests, and cost of idling",
            middle(sums),
            "ms",
            250,
            spread(sums),
        ),
    ]


def _whatif(context: Context) -> list[Figure]:
    """Compare a what-if with its costs and without."""
    store = open_store(context.database)
    answers = Answers(store, {}, None)
    inspection, resolved = answers.opened(LONG)
    recording = shared_recording(inspection, resolved.settings.profile)
    basis = costing_of(inspection, resolved, recording).basis
    store.close()
    if basis is None:
        return []
    settings = resolved.settings.with_(threshold=0.3)
    plain = _timed(lambda: run_course(recording.course, settings, recording.model))
    course = recording.course.with_costs(basis)
    costed = _timed(lambda: run_course(course, settings, recording.model))
    note = f"{len(basis.calls):,} calls; {spread(costed)}; without costs {spread(plain)}"
    return [
        Figure("costs: a what-if with its costs", middle(costed) / middle(plain), "×", 1.2, note),
    ]
