"""A home with sessions of every agent: speed of the first reading, and time until its list is there."""

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

#: Sessions and bytes of a home; a run with a small database has a small home.
SESSIONS, BYTES = 2_000, 1_000_000_000
SMALL_SESSIONS, SMALL_BYTES = 200, 100_000_000
#: Bytes between two compactions, and approximate bytes of a result.
_BETWEEN_COMPACTIONS, _RESULT = 1_500_000, 12_000
#: Number of files that no reader knows.
UNKNOWN = 5

lines, others, claude = recipe("more_lines"), recipe("other_lines"), recipe("claude_lines")
Player = Callable[[Path, str, list[tuple[str, str]]], None]


def build_mixed_home(folder: Path, sessions: int, bytes_wanted: int) -> int:
    """Write sessions of every agent, about `bytes_wanted` bytes in all. Return the number of sessions."""
    chance = random.Random(2)
    sizes = [chance.lognormvariate(0.0, 0.9) for _ in range(sessions)]
    total = sum(sizes)
    results = [text(chance, size) for size in (_RESULT // 4, _RESULT, 3 * _RESULT)]
    for number, (size, (agent, play)) in enumerate(zip(sizes, cycle(_PLAYS.items()), strict=False)):
        results_read, left = [], size / total * bytes_wanted
        while left > 0 or not results_read:
            result = chance.choice(results)
            results_read.append((f"/home/dev/{len(results_read)}.py", result))
            left -= len(result)
        play(folder / agent / f"{number % 40}", f"{number:08x}-0000-4000-8000-000000000000", results_read)
    for number in range(UNKNOWN):
        (folder / f"notes-{number}.jsonl").write_text('{"kind": "note"}\n', encoding="utf-8")
    # The last active session is large.
    write_large(folder / "claude-code", sessions + 1)
    return sessions + 1


def _player_of(kind: Any, counted: str = "") -> Player:
    """Return a function that writes a session with a recipe of `more_lines`."""

    def play(folder: Path, session: str, results_read: list[tuple[str, str]]) -> None:
        recording = kind(counted.format(int(session[:8], 16)) or session)
        recording.user("Chart the harbour. Never move a buoy.")
        for number, compacts in enumerate(_compactions(results_read)):
            path, result = results_read[number]
            recording.answer(
                "I read it.", lines.Call(f"c{number}", "read_file", {"path": path}, result), sent=50_000
            )
            if compacts:
                recording.answer("Read.", sent=60_000)
                recording.user("Go on.")
                recording.compact("## Goal\nChart the harbour.", 60_000, 9_000)
        recording.answer("The chart is done.", sent=70_000)
        # A separate database for each session.
        recording.write(folder / session[:8] if kind in _DATABASES else folder)

    return play


def _compactions(results_read: list[tuple[str, str]]) -> Iterator[bool]:
    """Yield whether a compaction follows each result."""
    since = 0
    for _, result in results_read:
        since += len(result)
        yield since > _BETWEEN_COMPACTIONS
        since = 0 if since > _BETWEEN_COMPACTIONS else since


def _claude(folder: Path, session: str, results_read: list[tuple[str, str]]) -> None:
    recording = claude.Session(session)
    recording.user("Chart the harbour. Never move a buoy.")
    for number, compacts in enumerate(_compactions(results_read)):
        path, result = results_read[number]
        recording.answer(claude.call(f"toolu_{number}", "Read", file_path=path))
        recording.result(f"toolu_{number}", result)
        if compacts:
            recording.compact(claude.nine_sections(primary=["Chart the harbour"]))
    recording.write(folder / f"{session}.jsonl")


def _pi(folder: Path, session: str, results_read: list[tuple[str, str]]) -> None:
    recording = others.PiSession(session)
    recording.user("Chart the harbour. Never move a buoy.")
    for number, compacts in enumerate(_compactions(results_read)):
        path, result = results_read[number]
        recording.answer(others.pi_call(f"c{number}", "read", path=path), read=50_000)
        kept = recording.result(f"c{number}", "read", result)
        if compacts:
            recording.compact("## Goal\nChart the harbour.", kept)
    _write(folder / f"{session}.jsonl", recording.text())


def _codex(folder: Path, session: str, results_read: list[tuple[str, str]]) -> None:
    recording = others.CodexRollout(session)
    recording.says("user", "Chart the harbour. Never move a buoy.")
    for number, compacts in enumerate(_compactions(results_read)):
        path, result = results_read[number]
        recording.calls(f"c{number}", "read", result, path=path)
        recording.counts(50_000, 40_000)
        if compacts:
            recording.compact([recording.message("user", "Chart the harbour. Never move a buoy.")])
    _write(folder / f"rollout-2026-10-05T08-00-00-{session}.jsonl", recording.text())


def _opencode(folder: Path, session: str, results_read: list[tuple[str, str]]) -> None:
    recording = others.OpencodeSession(f"ses_{session[:8]}")
    recording.user("Chart the harbour. Never move a buoy.")
    for number, compacts in enumerate(_compactions(results_read)):
        path, result = results_read[number]
        recording.answer(others.tool(f"c{number}", "read", result, path=path), read=50_000)
        if compacts:
            recording.compact("## Goal\nChart the harbour.")
    _write(folder / f"ses_{session[:8]}.json", recording.text())


def _write(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")


_DATABASES = (lines.OpenClawSession, lines.GooseSession)
_PLAYS: dict[str, Player] = {
    "claude-code": _claude,
    "codex": _codex,
    "opencode": _opencode,
    "pi": _pi,
    "copilot": _player_of(lines.CopilotSession),
    "gemini": _player_of(lines.GeminiSession),
    "qwen": _player_of(lines.QwenSession),
    "openclaw": _player_of(lines.OpenClawSession),
    "dsh": _player_of(lines.DshSession),
    "openhands": _player_of(lines.OpenHandsSession),
    "kimi": _player_of(lines.KimiSession),
    "goose": _player_of(lines.GooseSession, "20261005_{}"),
    "cline": _player_of(lines.ClineSession, "1791187{:06}_ab1cd"),
    "cline-editor": _player_of(lines.ClineTask, "1791187{:06}"),
}


def measure(context: Context) -> list[Figure]:
    """Measure a temporary home."""
    whole = context.shape.messages > 100_000
    sessions, bytes_wanted = (SESSIONS, BYTES) if whole else (SMALL_SESSIONS, SMALL_BYTES)
    with TemporaryDirectory(prefix="bench-mixed-") as place:
        if shutil.disk_usage(place).free < 3 * bytes_wanted:
            return [Figure("a mixed home", float("nan"), "", note=f"too little free space in {place}")]
        home = Path(place)
        written = build_mixed_home(home, sessions, bytes_wanted)
        size = sum(path.stat().st_size for path in home.rglob("*") if path.is_file())
        about = f"{written:,} sessions of every agent, {size / 1e9:.2f} GB"
        return [*cold(home, size, about, written), *warm(context, home, about)]
