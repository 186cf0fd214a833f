"""Compress a list as the release does, with a stand-in for the summary model. Run by a Python that has hermes-agent.

It reads a JSON list of messages from the given file and prints a JSON list of milliseconds.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import tempfile
import time
from pathlib import Path

os.environ["HERMES_HOME"] = tempfile.mkdtemp(prefix="hermes-home-")

from agent.context_compressor import ContextCompressor  # type: ignore[import-not-found,unused-ignore]

logging.disable(logging.CRITICAL)


def main() -> None:
    """Measure three runs."""
    messages = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    taken = []
    for _ in range(3):
        made = ContextCompressor(
            model="anthropic/claude-sonnet-4.5",
            threshold_percent=0.5,
            quiet_mode=True,
            config_context_length=200_000,
        )
        made._generate_summary = lambda *_, **__: "## Goal\nA summary."
        start = time.perf_counter()
        made.compress([dict(message) for message in messages], current_tokens=10_000_000)
        taken.append(1e3 * (time.perf_counter() - start))
    print(json.dumps(taken))


main()
