"""Lineage and drift of a conversation's summaries, by the rewritten share of each summary."""

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

#: Number of summaries of about 10,000 tokens, and shares of items that change from summary to summary.
_COUNT = 20
_CHANGED = (0.1, 0.3, 0.6, 0.95)


def measure(context: Context) -> list[Figure]:
    """Measure the way from the texts to the lineage and its drift, without cached results."""
    figures = []
    # The program loads the stemmer once, so its time does not count.
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
