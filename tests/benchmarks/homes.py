"""A home full of Claude Code transcripts: how fast it is read for the first time, and how soon its list is there."""

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

#: Files and octets of a home; a run with a small database has a small one.
FILES, OCTETS = 2_000, 2_000_000_000
SMALL_FILES, SMALL_OCTETS = 200, 200_000_000
#: The title of the last active transcript, and its size in octets.
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
#: Most of a list that is known is to be there in so many times the start of a bare app; the rest in s, s a GB, MB.
_WARM, _OPENED, _COLD, _MEMORY = 1.5, 0.5, 4.0, 200


def build_home(folder: Path, files: int, octets: int, large: int = LARGE) -> Path:
    """Transcripts of some shapes in project folders, about so many octets together; the last active is `large`."""
    chance = random.Random(1)
    sizes = [chance.lognormvariate(0.0, 0.9) for _ in range(files - 1)]
    shapes = [_shape(at, 0.25 * 1.9**at * octets / files) for at in range(_SHAPES)]
    total = sum(sizes)
    for number, size in enumerate(sizes, start=1):
        wanted = size / total * max(0, octets - large)
        shape = min(shapes, key=lambda text: abs(len(text) - wanted))
        _write(folder, number, shape)
    write_large(folder, files, large)
    return folder


def write_large(folder: Path, number: int, octets: int = LARGE) -> None:
    """Write the last active transcript."""
    _write(folder, number, _shape(_SHAPES, octets, title=TITLE, start=1_792_000_000.0))


def _write(folder: Path, number: int, text: bytes) -> None:
    name = f"{number:08x}"
    path = folder / "projects" / f"-home-dev-{number % 40}" / f"{name}-0000-4000-8000-000000000000.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.replace(_PREFIX.encode(), name.encode()))


def _shape(seed: int, octets: float, title: str = "", start: float = 1_770_000_000.0) -> bytes:
    """The lines of a session of about so many octets, compacted now and then."""
    chance = random.Random(seed)
    made = recipe("claude_lines")
    session = made.Session(f"{_PREFIX}-0000-4000-8000-000000000000", start=start + seed * 3_600)
    numbers = count(1)

    def name(what: str = "line") -> str:
        """Begins as the session's does, so that another session of the same shape is one replacement away."""
        number = next(numbers)
        return f"{_PREFIX}-{number & 0xFFFF:04x}-4{number >> 16:03x}-8000-000000000000"

    session.name = name
    written, since = 0, 0
    session.user(f"{title or 'Chart'}: {text(chance, 200)}")
    if title:
        session.plain(type="custom-title", customTitle=title, sessionId=session.session)
    while written < octets:
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
            session.compact(made.nine_sections(primary=[text(chance, 3_000)]))
            since = 0
    return "".join(json.dumps(line) + "\n" for line in session.lines).encode()


def text(chance: random.Random, chars: int) -> str:
    """Words, about so many characters."""
    words = chance.choices(_WORDS, k=max(1, chars // 6))
    return " ".join(words)


def measure(context: Context) -> list[Figure]:
    """Reads a home that is made for it and removed afterwards."""
    whole = context.shape.messages > 100_000
    files, octets = (FILES, OCTETS) if whole else (SMALL_FILES, SMALL_OCTETS)
    with TemporaryDirectory(prefix="bench-home-") as place:
        if shutil.disk_usage(place).free < 2 * octets:
            return [Figure("a home of transcripts", float("nan"), "", note=f"too little room in {place}")]
        home = build_home(Path(place), files, octets)
        size = sum(path.stat().st_size for path in home.rglob("*.jsonl"))
        about = f"{files:,} files, {size / 1e9:.2f} GB"
        return [*cold(home, size, about), *warm(context, home, about)]


def cold(home: Path, size: int, about: str, sessions: int | None = None) -> list[Figure]:
    """How fast a home is read for the first time, and the memory for it. `sessions` is the number of conversations that
    it must list."""
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
        Figure("a home read for the first time, a GB", min(taken) / gigabytes, "s", _COLD, note),
        Figure("a home read for the first time: memory of a process", max(memory), "MB", _MEMORY),
    ]


def warm(context: Context, home: Path, about: str) -> list[Figure]:
    """How soon the list of a known home is there, and a transcript of it; the memory for both."""
    bare = [sys.executable, str(Path(__file__).with_name("bare_list.py"))]
    listed: dict[str, list[float]] = {"ours": [], "bare": []}
    opened: list[float] = []
    memory: list[float] = []
    with fresh_environment() as (environment, _):
        ours = [sys.executable, "-m", "inspector", str(home)]
        # Once the files were gone through, the list is known.
        gone_through = [sys.executable, "-m", "inspector", "conversations", str(home), "--json"]
        subprocess.run(gone_through, env=dict(environment), cwd=ROOT, capture_output=True, check=True)
        for _ in range(context.runs):
            listed["bare"].append(_first(bare, {**environment, "TEXTUAL_FPS": "240"}, READY))
            listed["ours"].append(_first(ours, environment, TITLE))
            with Terminal(ours, environment, ROOT) as terminal:
                terminal.until_seen(TITLE)
                # Who starts a program looks at the list before choosing.
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
            f"a transcript of {LARGE / 1e6:.0f} MB opened, to its first messages",
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
