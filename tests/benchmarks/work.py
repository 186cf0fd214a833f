"""Work behind the screen: reading the store, searching, measuring, planning, counting."""

from __future__ import annotations

import time
from itertools import islice

from inspector.core.messages import Message
from inspector.engines.base import Settings
from inspector.engines.registry import engine
from inspector.stores.detect import open_store
from inspector.tokens.tokenizers import Counter, countable
from inspector.tokens.vocabularies import load_vocabulary
from tests.benchmarks.context import Context
from tests.benchmarks.figures import Figure, middle, p95, spread
from tests.benchmarks.generator import COMMON, LONG, LONGEST, RARE

PROFILES = ("documented", "hermes-0.13", "hermes-0.19")


def _ms(start: float) -> float:
    return 1e3 * (time.perf_counter() - start)


def measure_store(context: Context) -> list[Figure]:
    """Measure the index of conversations, the index of a generation, and the bodies of messages."""
    index: list[float] = []
    opened: list[float] = []
    bodies: list[float] = []
    for _ in range(context.runs):
        start = time.perf_counter()
        store = open_store(context.database)
        store.conversations()
        index.append(_ms(start))
        start = time.perf_counter()
        live = store.open(store.resolve(LONGEST)).live
        opened.append(_ms(start))
        start = time.perf_counter()
        store.messages(live, len(live) // 2, len(live) // 2 + 100)
        bodies.append(_ms(start))
        store.close()
    return [
        Figure(
            f"store: the index of {context.shape.conversations:,} conversations",
            middle(index),
            note=spread(index),
        ),
        Figure(
            f"store: the index of {context.shape.longest:,} messages", middle(opened), note=spread(opened)
        ),
        Figure("store: the bodies of 100 messages", middle(bodies), note=spread(bodies)),
    ]


def measure_search(context: Context) -> list[Figure]:
    """Measure full-text search over everything: the first hit and all hits."""
    figures = []
    for word, what in ((RARE, "rare"), (COMMON, "common"), (f"{COMMON} {RARE}", "rare and common")):
        first: list[float] = []
        whole: list[float] = []
        count = 0
        for _ in range(context.runs):
            store = open_store(context.database)
            store.conversations()
            start = time.perf_counter()
            hits = store.search(word)
            count = len(list(islice(hits, 1)))
            first.append(_ms(start))
            count += sum(1 for _ in hits)
            whole.append(_ms(start))
            store.close()
        note = f"the first after {middle(first):.1f} ms; {spread(whole)}"
        figures.append(Figure(f"search: {what} words, {count} hits", middle(whole), note=note))
    return figures


def measure_engine(context: Context) -> list[Figure]:
    """Measure reading a generation for planning, and planning."""
    store = open_store(context.database)
    longest = store.open(store.resolve(LONGEST)).live
    figures = []
    start = time.perf_counter()
    characters = sum(len(message.text) for message in store.iterate(longest))
    reading = time.perf_counter() - start
    figures.append(Figure("engine: only reading bodies", len(longest) / reading, "messages/s"))
    for profile in PROFILES:
        planner = engine(profile)
        start = time.perf_counter()
        planner.measure(store.iterate(longest))
        taken = time.perf_counter() - start
        note = f"reading included; {characters / taken / 1e6:.1f} MB/s of text, {taken:.1f} s in all"
        figures.append(Figure(f"engine: measuring, {profile}", len(longest) / taken, "messages/s", note=note))
    long = store.messages(store.open(store.resolve(LONG)).live)
    for profile in PROFILES:
        planner = engine(profile)
        token_index = planner.measure(long)
        plans: list[float] = []
        for number in range(300):
            settings = Settings(
                threshold=0.2 + number / 500, target_ratio=0.1 + number / 1_000, profile=profile
            )
            start = time.perf_counter()
            planner.plan(token_index, settings)
            plans.append(_ms(start))
        note = f"p95 {p95(plans):.2f} ms"
        figures.append(
            Figure(f"engine: a plan of {len(long):,} messages, {profile}", middle(plans), "ms", 1, note)
        )
    store.close()
    return figures


def measure_tokens(context: Context) -> list[Figure]:
    """Measure exact token counting, without the cache."""
    codec = load_vocabulary("cl100k_base")
    if codec is None:
        return []
    store = open_store(context.database)
    long = store.open(store.resolve(LONG)).live
    messages: tuple[Message, ...] = store.messages(long, 0, 10_000)
    store.close()
    counter = Counter("cl100k_base", codec)
    counter.count_messages(messages[:10])
    start = time.perf_counter()
    counter.count_messages(messages)
    taken = time.perf_counter() - start
    size = sum(len(countable(message)) for message in messages) / 1e6
    return [
        Figure("tokens: exact counting", len(messages) / taken, "messages/s", note=f"{size / taken:.1f} MB/s")
    ]
