"""Time that a command takes before it does anything."""

from __future__ import annotations

import subprocess
import sys
import time

from tests.benchmarks.context import Context, fresh_environment
from tests.benchmarks.figures import Figure, middle, spread


def measure(context: Context) -> list[Figure]:
    """Measure processes that import a module and end."""
    with fresh_environment() as (environment, _):
        commands = {
            "import: nothing": ["-c", "pass"],
            "import: inspector.commands.cli": ["-c", "import inspector.commands.cli"],
            "import: textual.app": ["-c", "import textual.app"],
            "import: inspector.app.app": ["-c", "import inspector.app.app"],
            "--help": ["-m", "inspector", "--help"],
        }
        taken: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(context.runs):
            for name, words in commands.items():
                start = time.perf_counter()
                subprocess.run([sys.executable, *words], env=environment, capture_output=True, check=True)
                taken[name].append(1e3 * (time.perf_counter() - start))
    return [Figure(name, middle(values), note=spread(values)) for name, values in taken.items()]
