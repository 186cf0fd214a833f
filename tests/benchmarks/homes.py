"""A home full of Claude Code transcripts: speed of the first reading, and time until its list is there."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks.bare_list import READY
from tests.benchmarks.context import ROOT, Context, fresh_environment
from tests.benchmarks.figures import Figure, compared, middle, spread
from tests.benchmarks.terminal import Terminal
from tests.recipes import recipe

#: Files and bytes of a home; a run with a small database has a small home.
FILES, BYTES = 2_000, 2_000_000_000
SMALL_FILES, SMALL_BYTES = 200, 200_000_000
#: Title and size in bytes of the last active transcript.
TITLE, LARGE = "Relight the harbour", 10_000_000
_PREFIX = "00000000"
_SHAPES = 8
_WORDS = (
    "buoy",
    "harbour",
    "mooring",
    "chart",
    "keel",
    "rope",
    "tide",
    "berth",
    "lamp",
    "anchor",
    "quay",
    "ferry",
)
#: Targets: a known list (ratio to a bare app), a transcript (s), a first reading (s per GB), memory (MB).
_WARM, _OPENED, _COLD, _MEMORY = 1.5, 0.5, 4.0, 200


def build_home(folder: Path, files: int, bytes_wanted: int, large: int = LARGE) -> Path:
    """Write transcripts of about `bytes_wanted` in all into project folders. The last active one has `large` bytes."""
    chance = random.Random(1)
    sizes = [chance.lognormvariate(0.0, 0.9) for _ in range(files - 1)]
    shapes = [_shape(at, 0.25 * 1.9**at * bytes_wanted / files) for at in range(_SHAPES)]
    total = sum(sizes)
    for number, size in enumerate(sizes, start=1):
        wanted = size / total * max(0, bytes_wanted - large)
        shape = min(shapes, key=lambda text: abs(len(text) - wanted))
        _write(folder, number, shape)
    write_large(folder, files, large)
    return folder


def write_large(folder: Path, number: int, bytes_wanted: int = LARGE) -> None:
    """Write the last active transcript."""
    _write(folder, number, _shape(_SHAPES, bytes_wanted, title=TITLE, start=1_792_000_000.0))


def _write(folder: Path, number: int, text: bytes) -> None:
    name = f"{number:08x}"
    path = folder / "projects" / f"-home-dev-{number % 40}" / f"{name}-0000-4000-8000-000000000000.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.replace(_PREFIX.encode(), name.encode()))


def _shape(seed: int, bytes_wanted: float, title: str = "", start: float = 1_770_000_000.0) -> bytes:
    """Return the lines of a session of about `bytes_wanted` bytes with some compactions."""
    chance = random.Random(seed)
    claude_lines = recipe("claude_lines")
    session = claude_lines.Session(f"{_PREFIX}-0000-4000-8000-000000000000", start=start + seed * 3_600)
    numbers = count(1)

    def name(what: str = "line") -> str:
        """Return an id that begins like the session's id, so one replacement makes another session of this shape."""
        number = next(numbers)
        return f"{_PREFIX}-{number & 0xFFFF:04x}-4{number >> 16:03x}-8000-000000000000"

    session.name = name
    written, since = 0, 0
    session.user(f"{title or 'Chart'}: {text(chance, 200)}")
    if title:
        session.plain(type="custom-title", customTitle=title, sessionId=session.session)
    while written < bytes_wanted:
        first = len(session.lines)
        call = f"toolu_{session.name('call')[9:]}"
        session.answer(
            {"type": "thinking", "thinking": text(chance, 300), "signature": "x" * 200},
            {"type": "tool_use", "id": call, "name": "Read", "input": {"file_path": f"/home/dev/{since}.py"}},
        )
        session.result(call, text(chance, int(chance.lognormvariate(7.8, 1.1))))
        if chance.random() < 0.15:
            session.answer({"type": "text", "text": text(chance, 500)})
            session.user(text(chance, 150))
        size = sum(len(json.dumps(line)) + 1 for line in session.lines[first:])
        written, since = written + size, since + size
        if since > 1_500_000:
            session.compact(claude_lines.nine_sections(primary=[text(chance, 3_000)]))
            since = 0
    return "".join(json.dumps(line) + "\n" for line in session.lines).encode()


def text(chance: random.Random, chars: int) -> str:
    """Return words of about `chars` characters."""
    words = chance.choices(_WORDS, k=max(1, chars // 6))
    return " ".join(words)


def measure(context: Context) -> list[Figure]:
    """Measure a temporary home."""
    whole = context.shape.messages > 100_000
    files, bytes_wanted = (FILES, BYTES) if whole else (SMALL_FILES, SMALL_BYTES)
    with TemporaryDirectory(prefix="bench-home-") as place:
        if shutil.disk_usage(place).free < 2 * bytes_wanted:
            return [
                Figure("a home of transcripts", float("nan"), "", note=f"too little free space in {place}")
            ]
        home = build_home(Path(place), files, bytes_wanted)
        size = sum(path.stat().st_size for path in home.rglob("*.jsonl"))
        about = f"{files:,} files, {size / 1e9:.2f} GB"
        return [*cold(home, size, about), *warm(context, home, about)]


def cold(home: Path, size: int, about: str, sessions: int | None = None) -> list[Figure]:
    """Measure the speed and memory of the first reading. `sessions` is the expected number of conversations."""
    code = (
        "import resource, sys, time; from pathlib import Path; from inspector.stores.detect import open_folder;"
        "began = time.perf_counter(); store = open_folder(Path(sys.argv[1]));"
        "print(len(store.conversations()), time.perf_counter() - began,"
        " *(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))"
    )
    taken, memory = [], []
    for _ in range(3):
        with fresh_environment() as (environment, _):
            done = subprocess.run(
                [sys.executable, "-c", code, str(home)],
                env=dict(environment), cwd=ROOT, capture_output=True, check=True, text=True,
            )  # fmt: skip
            count, seconds, *peaks = done.stdout.split()
            if sessions is not None and int(count) != sessions:
                raise AssertionError(f"{count} of {sessions} sessions are listed")
            taken.append(float(seconds))
            memory.append(max(map(int, peaks)) / 1e3)
    gigabytes = size / 1e9
    note = f"{about}; {size / 1e6 / min(taken):.0f} MB/s at best, {size / 1e6 / max(taken):.0f} at worst"
    return [
        Figure("first reading of a home, per GB", min(taken) / gigabytes, "s", _COLD, note),
        Figure("first reading of a home: memory of a process", max(memory), "MB", _MEMORY),
    ]


def warm(context: Context, home: Path, about: str) -> list[Figure]:
    """Measure the time until the list of a known home and a transcript are there, and the memory for both."""
    bare = [sys.executable, str(Path(__file__).with_name("bare_list.py"))]
    listed: dict[str, list[float]] = {"ours": [], "bare": []}
    opened: list[float] = []
    memory: list[float] = []
    with fresh_environment() as (environment, _):
        ours = [sys.executable, "-m", "inspector", str(home)]
        # One command reads all files, so that the list is known.
        read_all = [sys.executable, "-m", "inspector", "conversations", str(home), "--json"]
        subprocess.run(read_all, env=dict(environment), cwd=ROOT, capture_output=True, check=True)
        for _ in range(context.runs):
            listed["bare"].append(_first(bare, {**environment, "TEXTUAL_FPS": "240"}, READY))
            listed["ours"].append(_first(ours, environment, TITLE))
            with Terminal(ours, environment, ROOT) as terminal:
                terminal.until_seen(TITLE)
                # A user looks at the list before choosing.
                terminal.quiet(1.0, 5.0)
                began = terminal.press("\r")
                opened.append(
                    terminal.until(lambda text: "assistant" in text, since=len(terminal.frames)) - began
                )
                terminal.quiet(1.5, 10.0)
                memory.append(terminal.peak_megabytes())
    return [
        compared(f"a home of {about}: the list filled", listed, _WARM),
        Figure(
            f"opening a transcript of {LARGE / 1e6:.0f} MB, to its first messages",
            middle(opened),
            "s",
            _OPENED,
            spread(opened, "s"),
        ),
        Figure("a home: memory", max(memory), "MB", _MEMORY),
    ]


def _first(command: list[str], environment: Mapping[str, str], words: str) -> float:
    with Terminal(command, environment, ROOT) as terminal:
        return 1e3 * (terminal.until_seen(words) - terminal.started)
