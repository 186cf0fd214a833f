"""A home with sessions of every agent: how fast it is read for the first time, and how soon its list is there."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.benchmarks.context import Context
from tests.benchmarks.figures import Figure
from tests.benchmarks.homes import cold, text, warm, write_large
from tests.recipes import recipe

#: Sessions and octets of a home; a run with a small database has a small one.
SESSIONS, OCTETS = 2_000, 1_000_000_000
SMALL_SESSIONS, SMALL_OCTETS = 200, 100_000_000
#: Octets between two compactions, and about those of a result.
_COMPACTED, _RESULT = 1_500_000, 12_000
#: Files that no reader knows.
UNKNOWN = 5

lines, others, claude = recipe("more_lines"), recipe("other_lines"), recipe("claude_lines")
Play = Callable[[Path, str, list[tuple[str, str]]], None]


def build_mixed_home(folder: Path, sessions: int, octets: int) -> int:
    """Write sessions of every agent, about so many octets together. Return the number of sessions."""
    chance = random.Random(2)
    sizes = [chance.lognormvariate(0.0, 0.9) for _ in range(sessions)]
    total = sum(sizes)
    results = [text(chance, size) for size in (_RESULT // 4, _RESULT, 3 * _RESULT)]
    for number, (size, (agent, play)) in enumerate(zip(sizes, cycle(_PLAYS.items()), strict=False)):
        said, left = [], size / total * octets
        while left > 0 or not said:
            result = chance.choice(results)
            said.append((f"/home/dev/{len(said)}.py", result))
            left -= len(result)
        play(folder / agent / f"{number % 40}", f"{number:08x}-0000-4000-8000-000000000000", said)
    for number in range(UNKNOWN):
        (folder / f"notes-{number}.jsonl").write_text('{"kind": "note"}\n', encoding="utf-8")
    # The last active one is large.
    write_large(folder / "claude-code", sessions + 1)
    return sessions + 1


def _further(kind: Any, counted: str = "") -> Play:
    """Return a function that writes a session with the methods that several recipes have."""

    def play(folder: Path, session: str, said: list[tuple[str, str]]) -> None:
        made = kind(counted.format(int(session[:8], 16)) or session)
        made.user("Chart the harbour. Never move a buoy.")
        for number, compacts in enumerate(_compactions(said)):
            path, result = said[number]
            made.answer(
                "I read it.", lines.Call(f"c{number}", "read_file", {"path": path}, result), sent=50_000
            )
            if compacts:
                made.answer("Read.", sent=60_000)
                made.user("Go on.")
                made.compact("## Goal\nChart the harbour.", 60_000, 9_000)
        made.answer("The chart is done.", sent=70_000)
        # A database of its own for each session.
        made.write(folder / session[:8] if kind in _DATABASES else folder)

    return play


def _compactions(said: list[tuple[str, str]]) -> Iterator[bool]:
    """Yield for each result whether a compaction follows it."""
    since = 0
    for _, result in said:
        since += len(result)
        yield since > _COMPACTED
        since = 0 if since > _COMPACTED else since


def _claude(folder: Path, session: str, said: list[tuple[str, str]]) -> None:
    made = claude.Session(session)
    made.user("Chart the harbour. Never move a buoy.")
    for number, compacts in enumerate(_compactions(said)):
        path, result = said[number]
        made.answer(claude.call(f"toolu_{number}", "Read", file_path=path))
        made.result(f"toolu_{number}", result)
        if compacts:
            made.compact(claude.nine_sections(primary=["Chart the harbour"]))
    made.write(folder / f"{session}.jsonl")


def _pi(folder: Path, session: str, said: list[tuple[str, str]]) -> None:
    made = others.PiSession(session)
    made.user("Chart the harbour. Never move a buoy.")
    for number, compacts in enumerate(_compactions(said)):
        path, result = said[number]
        made.answer(others.pi_call(f"c{number}", "read", path=path), read=50_000)
        kept = made.result(f"c{number}", "read", result)
        if compacts:
            made.compact("## Goal\nChart the harbour.", kept)
    _write(folder / f"{session}.jsonl", made.text())


def _codex(folder: Path, session: str, said: list[tuple[str, str]]) -> None:
    made = others.CodexRollout(session)
    made.says("user", "Chart the harbour. Never move a buoy.")
    for number, compacts in enumerate(_compactions(said)):
        path, result = said[number]
        made.calls(f"c{number}", "read", result, path=path)
        made.counts(50_000, 40_000)
        if compacts:
            made.compact([made.message("user", "Chart the harbour. Never move a buoy.")])
    _write(folder / f"rollout-2026-10-05T08-00-00-{session}.jsonl", made.text())


def _opencode(folder: Path, session: str, said: list[tuple[str, str]]) -> None:
    made = others.OpencodeSession(f"ses_{session[:8]}")
    made.user("Chart the harbour. Never move a buoy.")
    for number, compacts in enumerate(_compactions(said)):
        path, result = said[number]
        made.answer(others.tool(f"c{number}", "read", result, path=path), read=50_000)
        if compacts:
            made.compact("## Goal\nChart the harbour.")
    _write(folder / f"ses_{session[:8]}.json", made.text())


def _write(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")


_DATABASES = (lines.OpenClawSession, lines.GooseSession)
_PLAYS: dict[str, Play] = {
    "claude-code": _claude,
    "codex": _codex,
    "opencode": _opencode,
    "pi": _pi,
    "copilot": _further(lines.CopilotSession),
    "gemini": _further(lines.GeminiSession),
    "qwen": _further(lines.QwenSession),
    "openclaw": _further(lines.OpenClawSession),
    "dsh": _further(lines.DshSession),
    "openhands": _further(lines.OpenHandsSession),
    "kimi": _further(lines.KimiSession),
    "goose": _further(lines.GooseSession, "20261005_{}"),
    "cline": _further(lines.ClineSession, "1791187{:06}_ab1cd"),
    "cline-editor": _further(lines.ClineTask, "1791187{:06}"),
}


def measure(context: Context) -> list[Figure]:
    """Measure a home that is made for it and removed afterwards."""
    whole = context.shape.messages > 100_000
    sessions, octets = (SESSIONS, OCTETS) if whole else (SMALL_SESSIONS, SMALL_OCTETS)
    with TemporaryDirectory(prefix="bench-mixed-") as place:
        if shutil.disk_usage(place).free < 3 * octets:
            return [Figure("a mixed home", float("nan"), "", note=f"too little room in {place}")]
        home = Path(place)
        written = build_mixed_home(home, sessions, octets)
        size = sum(path.stat().st_size for path in home.rglob("*") if path.is_file())
        about = f"{written:,} sessions of every agent, {size / 1e9:.2f} GB"
        return [*cold(home, size, about, written), *warm(context, home, about)]
