"""From the start of the process to the first full frame, beside a bare Textual app started the same way."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from inspector.stores.detect import open_store
from tests.benchmarks.context import Context, fresh_environment
from tests.benchmarks.figures import Figure, middle, spread
from tests.benchmarks.terminal import HEIGHT, Terminal, Tmux

_READY = "a bare Textual app is ready"
_BARE = f"""
from textual.app import App, ComposeResult
from textual.widgets import Static
class Bare(App[None]):
    def compose(self) -> ComposeResult:
        yield Static("{_READY}")
Bare().run()
"""
#: Lines around the table: title, header, keys.
_AROUND = 3


def bare_command(folder: Path) -> list[str]:
    """The command of a bare Textual app."""
    script = folder / "bare.py"
    script.write_text(_BARE, encoding="utf-8")
    return [sys.executable, str(script)]


def last_title(context: Context) -> str:
    """The beginning of the title in the last row that the first frame shows."""
    store = open_store(context.database)
    rows = store.conversations()
    store.close()
    title = rows[min(len(rows), HEIGHT - _AROUND) - 1].title
    return title[: title.index(":") + 1] if ":" in title else title


def _frame_in_terminal(command: Sequence[str], environment: Mapping[str, str], text: str) -> Terminal:
    terminal = Terminal(command, environment)
    terminal.until_seen(text)
    return terminal


def measure(context: Context) -> list[Figure]:
    """Start to first full frame in a pseudo-terminal and in tmux, and to the answer to the first key."""
    last = last_title(context)
    bare: list[float] = []
    ours: list[float] = []
    key: list[float] = []
    peak: list[float] = []
    for _ in range(context.runs):
        with fresh_environment() as (environment, folder):
            with Terminal(bare_command(folder), environment) as terminal:
                bare.append(1e3 * (terminal.until_seen(_READY) - terminal.started))
            with Terminal(context.command, environment) as terminal:
                ours.append(1e3 * (terminal.until_seen(last) - terminal.started))
                since = len(terminal.frames)
                terminal.press("j")
                answered = terminal.until(lambda text: "›" in text, since=since)
                key.append(1e3 * (answered - terminal.started))
                peak.append(terminal.peak_megabytes())
    ratio = [one / other for one, other in zip(ours, bare, strict=True)]
    answers = [one / other for one, other in zip(key, bare, strict=True)]
    figures = [
        Figure("start: a bare Textual app", middle(bare), note=spread(bare)),
        Figure("start: the list filled", middle(ours), note=spread(ours)),
        Figure("start: the list filled / bare app", middle(ratio), "×", 1.5, note=spread(ratio, "×")),
        Figure(
            "start: a key pressed then is answered / bare app", middle(answers), "×", 1.5, note=spread(key)
        ),
        Figure("memory: the list filled", middle(peak), "MB"),
    ]
    if Tmux.available():
        figures += _in_tmux(context, last)
    return figures


def _in_tmux(context: Context, last: str) -> list[Figure]:
    bare: list[float] = []
    ours: list[float] = []
    for _ in range(context.runs):
        with fresh_environment() as (environment, folder):
            with Tmux(bare_command(folder), environment, folder) as tmux:
                bare.append(1e3 * (tmux.until(lambda text: _READY in text) - tmux.started))
            time.sleep(0.05)
            with Tmux(context.command, environment, folder) as tmux:
                ours.append(1e3 * (tmux.until(lambda text: last in text) - tmux.started))
    ratio = [one / other for one, other in zip(ours, bare, strict=True)]
    return [
        Figure("start in tmux: a bare Textual app", middle(bare), note=spread(bare)),
        Figure("start in tmux: the list filled", middle(ours), note=spread(ours)),
        Figure("start in tmux: the list filled / bare app", middle(ratio), "×", 1.5, note=spread(ratio, "×")),
    ]


def measure_imports(context: Context) -> list[Figure]:
    """What a command costs before it does anything."""
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
