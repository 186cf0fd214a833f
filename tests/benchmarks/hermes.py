"""A real release compared with the engine: the same list compressed and planned."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from inspector.core.messages import Message
from inspector.engines.base import Settings
from inspector.engines.registry import engine
from inspector.stores.detect import open_store
from tests.benchmarks.context import Context, fresh_environment
from tests.benchmarks.figures import Figure, middle, spread
from tests.benchmarks.generator import LONG


def compressed(context: Context, messages: Sequence[Message]) -> list[float]:
    """Return the ms of each compression of a list by the real release."""
    with fresh_environment() as (environment, folder):
        file = folder / "messages.json"
        file.write_text(json.dumps([dict(message.wire) for message in messages]), encoding="utf-8")
        script = Path(__file__).with_name("compressing.py")
        run = subprocess.run(
            [str(context.hermes), str(script), str(file)],
            env={name: value for name, value in environment.items() if name != "PYTHONPATH"},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
    taken: list[float] = json.loads(run.stdout.splitlines()[-1])
    return taken


def measure(context: Context) -> list[Figure]:
    """Compare the release's compress (with a made-up summary) with reading and planning, and with planning only."""
    store = open_store(context.database)
    messages = store.messages(store.open(store.resolve(LONG)).live)
    store.close()
    release_ms = compressed(context, messages)
    planner = engine("hermes-0.19" if context.shape.release == "0.19" else "hermes-0.13")
    settings = Settings(profile=planner.name)
    measured: list[float] = []
    planned: list[float] = []
    for _ in range(5):
        start = time.perf_counter()
        token_index = planner.measure(messages)
        measured.append(1e3 * (time.perf_counter() - start))
        start = time.perf_counter()
        planner.plan(token_index, settings)
        planned.append(1e3 * (time.perf_counter() - start))
    once = middle(measured) + middle(planned)
    return [
        Figure(
            f"hermes: compressing {len(messages):,} messages", middle(release_ms), note=spread(release_ms)
        ),
        Figure(
            "hermes: ours, measured and planned once", once, note=f"{middle(release_ms) / once:.1f} × as fast"
        ),
        Figure(
            "hermes: ours, planned again",
            middle(planned),
            note=f"{middle(release_ms) / middle(planned):,.0f} × as fast",
        ),
    ]
