"""The lineage of a conversation's summaries and its drift, by how much of each summary is rewritten."""

from __future__ import annotations

import time

from inspector.quality.facts.rules import load_stemmer
from inspector.summaries.content import content_words
from inspector.summaries.drift import drift_of
from inspector.summaries.exact import exact_of
from inspector.summaries.lineage import Column, follow
from inspector.summaries.parse import parse_summary
from tests.benchmarks.context import Context
from tests.benchmarks.figures import Figure, middle, number, spread
from tests.summaries.grown import grown

#: Summaries, of some 10,000 tokens each, and the shares of their items that change from one to the next.
_COUNT = 20
_CHANGED = (0.1, 0.3, 0.6, 0.95)


def measure(context: Context) -> list[Figure]:
    """From the texts to the lineage and its drift, with nothing known of them yet."""
    figures = []
    # What languages there are is read once a run of the program.
    load_stemmer()
    for changed in _CHANGED:
        bodies = grown(_COUNT, changed=changed)
        taken, drifting, rows = [], [], 0
        for _ in range(context.runs):
            exact_of.cache_clear()
            content_words.cache_clear()
            start = time.perf_counter()
            lineage = follow([Column(at, parse_summary(body)) for at, body in enumerate(bodies, 1)])
            followed = time.perf_counter()
            drift_of(lineage, load_stemmer())
            end = time.perf_counter()
            taken.append(1e3 * (end - start))
            drifting.append(1e3 * (end - followed))
            rows = len(lineage.rows)
        tokens = sum(map(len, bodies)) // (4 * _COUNT)
        note = f"{rows:,} rows, drift {number(middle(drifting))} ms of it; {spread(taken)}"
        name = f"lineage: {_COUNT} summaries of {tokens:,} tokens, {changed:.0%} rewritten each time"
        figures.append(Figure(name, middle(taken), "ms", 1_000, note))
    return figures
