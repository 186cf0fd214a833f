"""Replay: what-ifs and sweeps, growth of the time, and a comparison with a real release if there is one."""

from __future__ import annotations

import time

from inspector.answers.answers import Answers
from inspector.answers.scheduling import Scheduling
from inspector.answers.sweeping import SweepRequest, run_sweep
from inspector.core.messages import Message
from inspector.engines.base import Settings
from inspector.engines.hermes.releases import RELEASES
from inspector.engines.registry import engine
from inspector.engines.replayable import replayable
from inspector.quality.facts.extract import extract
from inspector.quality.facts.fact import Saying, SpokenMessage
from inspector.quality.facts.gather import gather
from inspector.quality.facts.risk import FactSteps
from inspector.replay.axes import default_axis
from inspector.replay.course import Course
from inspector.replay.run import run_course
from inspector.replay.summary_model import SummaryModel
from inspector.replay.sweep import cells
from inspector.stores.detect import open_store
from tests.benchmarks.context import Context
from tests.benchmarks.figures import Figure, middle, number, spread
from tests.benchmarks.generator import LONG, LONGEST
from tests.benchmarks.hermes import compressed

#: A context window that compacts the long conversation often.
WINDOW = 128_000
_MANY, _EACH, _CELLS = 1_000, 500, 64


def measure(context: Context) -> list[Figure]:
    """Measure everything about replay."""
    store = open_store(context.database)
    messages = store.messages(store.open(store.resolve(LONG)).live, 0, 10_000)
    store.close()
    return [
        *_whatifs(messages),
        _facts(messages),
        *_growth(messages),
        *_many(context),
        *_hermes(context, messages),
    ]


def _course(messages: tuple[Message, ...], profile: str) -> Course:
    rules = replayable(engine(profile))
    return Course(rules, rules.read(messages), 2_000)


def _timed(course: Course, settings: Settings, runs: int = 7) -> list[float]:
    taken = []
    for _ in range(runs):
        start = time.perf_counter()
        run_course(course, settings)
        taken.append(1e3 * (time.perf_counter() - start))
    return taken


def _whatifs(messages: tuple[Message, ...]) -> list[Figure]:
    figures = []
    for profile in RELEASES:
        course = _course(messages, profile)
        settings = Settings(profile=profile, context_length=WINDOW)
        taken = _timed(course, settings)
        count = len(run_course(course, settings).events)
        note = f"{count} compactions; {spread(taken)}"
        figures.append(
            Figure(f"replay: what-if of {len(messages):,} messages, {profile}", middle(taken), "ms", 20, note)
        )
        rows, columns = default_axis("threshold", settings), default_axis("target_ratio", settings)
        start = time.perf_counter()
        cells(course, SummaryModel(), settings, rows, columns)
        sweep = 1e3 * (time.perf_counter() - start)
        figures.append(Figure(f"replay: 8 × 8 sweep on one core, {profile}", sweep, "ms", 1_000))
    return figures


def _facts(messages: tuple[Message, ...]) -> Figure:
    """Measure counting the facts at risk of a run, which a sweep does once per cell."""
    steps = [
        SpokenMessage(Saying(at, 1, at, at, "s", message.role, (0, 0), None), at, extract(message))
        for at, message in enumerate(messages)
    ]
    facts = FactSteps(gather(steps))
    settings = Settings(profile="hermes-0.19", context_length=WINDOW)
    removed = run_course(_course(messages, "hermes-0.19"), settings).removed_by
    taken = []
    for _ in range(50):
        start = time.perf_counter()
        facts.gone(removed)
        taken.append(1e3 * (time.perf_counter() - start))
    note = f"{len(facts):,} facts, {len(removed):,} removed messages; {spread(taken)}"
    return Figure(
        f"replay: counting the facts at risk of {len(messages):,} messages", middle(taken), "ms", 1, note
    )


def _growth(messages: tuple[Message, ...]) -> list[Figure]:
    """Measure the time of what-ifs by number of messages.

    Short lists are hardly compacted, so only the long lists count for the growth.
    """
    rules = replayable(engine("hermes-0.19"))
    settings = Settings(profile="hermes-0.19", context_length=WINDOW)
    once = rules.read(messages)
    whole = rules.join([(once, 0, len(once))] * 8)
    times, each = [], {}
    size = max(1, len(messages) // 16)
    while size <= len(whole):
        taken = min(_timed(Course(rules, rules.join([(whole, 0, size)]), 2_000), settings, 3))
        times.append(f"{size:,}: {number(taken)} ms")
        each[size] = taken / size
        size *= 2
    growth = each[max(each)] / each[max(each) // 8]
    return [
        Figure(
            "replay: growth of the time per message over three doublings", growth, "×", 1.5, ", ".join(times)
        )
    ]


def _many(context: Context) -> list[Figure]:
    store = open_store(context.database)
    long = {store.resolve(LONG), store.resolve(LONGEST)}
    rows = [row for row in store.conversations() if row.id not in long][:_MANY]
    answers = Answers(store, {}, None, Scheduling("local:2"))
    threshold, ratio = default_axis("threshold", Settings()), default_axis("target_ratio", Settings())
    request = SweepRequest(tuple(row.id for row in rows), threshold, ratio)
    start = time.perf_counter()
    sweep = run_sweep(request, answers)
    taken = time.perf_counter() - start
    messages = sum(row.messages for row in rows)
    store.close()
    note = f"{sweep.conversations:,} conversations, {messages:,} messages, {_CELLS} cells in {taken:.1f} s on two cores"
    scaled = taken * _MANY * _EACH / max(messages, 1)
    return [Figure(f"replay: a sweep over {_MANY:,} × {_EACH} messages", scaled, "s", 60, note)]


def _hermes(context: Context, messages: tuple[Message, ...]) -> list[Figure]:
    if context.hermes is None:
        return []
    release_ms = middle(compressed(context, messages))
    profile = "hermes-0.19" if context.shape.release == "0.19" else "hermes-0.13"
    course = _course(messages, profile)
    settings = Settings(profile=profile, context_length=WINDOW)
    ours, count = middle(_timed(course, settings)), len(run_course(course, settings).events)
    note = f"a what-if of all {count} compactions takes {number(ours)} ms: {release_ms / ours:.1f} × as fast"
    return [
        Figure(f"replay: the release compresses the {len(messages):,} messages once", release_ms, note=note)
    ]
