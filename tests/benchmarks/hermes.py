"""A real release beside the engine: the same list compressed and planned."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

from inspector.engines.base import Settings
from inspector.engines.registry import engine
from inspector.stores.detect import open_store
from tests.benchmarks.context import Context, fresh_environment
from tests.benchmarks.figures import Figure, middle, spread
from tests.benchmarks.generator import LONG


def measure(context: Context) -> list[Figure]:
    """The release's compress (its summary made up) against reading and planning, and against a plan alone."""
    store = open_store(context.database)
    messages = store.messages(store.open(store.resolve(LONG)).live)
    store.close()
    with fresh_environment() as (environment, folder):
        file = folder / "messages.json"
        file.write_text(json.dumps([dict(message.wire) for message in messages]), encoding="utf-8")
        script = Path(__file__).with_name("compressing.py")
        run = subprocess.run(
            [str(context.hermes), str(script), str(file)],
            env={name: value for name, value in environment.items() if name != "PYTHONPATH"},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
    theirs = json.loads(run.stdout.splitlines()[-1])
    found = engine("hermes-0.19" if context.shape.release == "0.19" else "hermes-0.13")
    settings = Settings(profile=found.name)
    measured: list[float] = []
    planned: list[float] = []
    for _ in range(5):
        start = time.perf_counter()
        token_index = found.measure(messages)
        measured.append(1e3 * (time.perf_counter() - start))
        start = time.perf_counter()
        found.plan(token_index, settings)
        planned.append(1e3 * (time.perf_counter() - start))
    once = middle(measured) + middle(planned)
    return [
        Figure(f"hermes: compressing {len(messages):,} messages", middle(theirs), note=spread(theirs)),
        Figure(
            "hermes: ours, measured and planned once", once, note=f"{middle(theirs) / once:.1f} × as fast"
        ),
        Figure(
            "hermes: ours, planned again",
            middle(planned),
            note=f"{middle(theirs) / middle(planned):,.0f} × as fast",
        ),
    ]
