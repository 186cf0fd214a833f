"""Sessions of further agents in the forms that their programs write. The content is made up.

Each function writes the same story: the user sets a rule, a tool is called, the list is compacted, and one more
question follows. It returns the path to open.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.recipes import recipe
from tests.stores.kimi_code_session import KimiCodeSession

made = recipe("more_lines")
write_lines = made.write_lines

RULE = "Never let the ferry wait. Which berth is free?"
RESULT = "berth 4 is free, berth 7 is taken"
CALL = made.Call("t1", "berths", {"harbour": "north"}, RESULT)
ANSWER = "Berth 4 is free."
SUMMARY = "## Goal\nFind a berth.\n\n## Done\n- Berth 4 is free."
AFTER = "Moor the ferry at the free berth."
LAST = "The ferry is moored at berth 4."
SESSION = "5e550000-0000-4000-8000-000000000001"


class Expected(NamedTuple):
    """Expected values of the story: roles of the list after the compaction, with the two messages that follow; how
    many messages were between the boundaries and stayed; reported sizes; context and output of each request. `observed`
    is False if the agent's rules were only read in its code."""

    roles: list[str]
    kept: int = 0
    before: int | None = None
    after: int | None = None
    trigger: str | None = None
    requests: Sequence[tuple[int, int]] = ()
    summarizing: int = 0
    observed: bool = True


def _moored(session: Any, folder: Path) -> Path:
    """End the story, and return the written file."""
    session.user(AFTER)
    session.answer(LAST, sent=12_000, read=9_000)
    path: Path = session.write(folder)
    return path


def copilot(folder: Path) -> Path:
    """The summary is written while the conversation goes on."""
    session = made.CopilotSession(SESSION)
    session.user(RULE)
    session.prompt("You are an agent of the harbour.")
    session.answer("", CALL, sent=40_000)
    session.begin_compaction(81_000)
    session.answer(ANSWER, sent=80_500, read=40_000)
    session.end_compaction(SUMMARY, 81_000, 9_000, 81_200)
    session.user(AFTER)
    session.answer(LAST, sent=12_000)
    return session.write(folder)


def qwen(folder: Path) -> Path:
    """The call is open when the list is compacted."""
    session = made.QwenSession(SESSION)
    session.user(RULE)
    session.answer("", CALL, sent=86_000)
    session.compact(SUMMARY, 86_100, 9_000)
    return _moored(session, folder)


def gemini(folder: Path) -> Path:
    """A resume writes the list again."""
    session = made.GeminiSession(SESSION)
    session.user(RULE)
    session.answer("", CALL, sent=600_000)
    session.said = session.said[:1]
    session.compact(SUMMARY)
    session.resume()
    session.user(AFTER)
    session.answer(LAST, sent=90_000, read=30_000)
    return session.write(folder)


def openclaw(folder: Path) -> Path:
    """The last answer stays."""
    session = made.OpenClawSession(SESSION)
    session.user(RULE)
    session.answer("", CALL, sent=150_000)
    session.answer(ANSWER, sent=182_000, read=150_000)
    session.compact(SUMMARY, 182_020, 9_000)
    return _moored(session, folder)


def dsh(folder: Path) -> Path:
    """A result is pruned and an attempt fails before the compaction."""
    session = made.DshSession("session-5e55d500")
    session.user(RULE)
    session.answer("", CALL._replace(result=f"{RESULT} {'and so on ' * 200}"), sent=60_000)
    session.prune(CALL)
    session.fail("summary is not smaller than what it replaces")
    session.answer(ANSWER, sent=81_000, read=60_000)
    session.compact(SUMMARY, 81_000)
    session.user("It is Monday.", "runtime-context")
    return _moored(session, folder)


def openhands(folder: Path) -> Path:
    """One answer has two calls."""
    session = made.OpenHandsSession(SESSION)
    session.user(RULE)
    session.answer("", CALL, CALL._replace(name="t2"), sent=40_000)
    session.answer(ANSWER, sent=60_000, read=40_000)
    session.compact(SUMMARY, 60_500)
    return _moored(session, folder)


def kimi(folder: Path) -> Path:
    """The last two messages stay with the result between them."""
    session = made.KimiSession(SESSION)
    session.user(RULE)
    session.answer("", CALL, sent=60_000)
    session.answer(ANSWER, sent=61_000, read=60_000)
    session.compact(SUMMARY)
    return _moored(session, folder)


def kimi_code(folder: Path) -> Path:
    """The user's message stays, before the summary."""
    session = KimiCodeSession(SESSION)
    session.user(RULE)
    session.answer("", CALL, sent=150_000)
    session.answer(ANSWER, sent=161_000, read=150_000)
    session.compact(SUMMARY, 161_500, 9_000, kept=1)
    return _moored(session, folder)


def goose(folder: Path) -> Path:
    """The user's message is said again after the summary."""
    session = made.GooseSession("20261005_1")
    session.user(RULE)
    session.answer("", CALL, sent=150_000)
    session.answer(ANSWER, sent=161_000, read=150_000)
    session.compact(SUMMARY, 161_500)
    return _moored(session, folder)


def cline(folder: Path) -> Path:
    """The last answer stays."""
    session = made.ClineSession("1791187200000_ab1cd")
    session.user(RULE)
    session.answer("", CALL, sent=150_000)
    session.answer(ANSWER, sent=161_000, read=150_000)
    session.compact(SUMMARY, 161_020)
    return _moored(session, folder)


def cline_task(folder: Path) -> Path:
    """A task of Cline's editor. The model writes the summary; the first two messages stay."""
    session = made.ClineTask("1791187200000")
    session.user(RULE)
    session.answer("", CALL._replace(tool="read_berths"), sent=150_000)
    session.answer(ANSWER, sent=161_000, read=150_000)
    session.compact(SUMMARY, 161_020)
    return _moored(session, folder)


EXPECTED = {
    "copilot": Expected(
        ["user", "user", "assistant", "user", "assistant"], 1, 81_000, 9_000, "auto",
        [(40_000, 20), (80_500, 20), (81_200, 300), (12_000, 20)], 3,
    ),
    "qwen": Expected(
        ["user", "assistant", "assistant", "tool", "user", "assistant"], 0, 86_100, 9_000, "auto",
        [(86_000, 20), (87_000, 20), (12_000, 20)], 2,
    ),
    "openclaw": Expected(
        ["user", "assistant", "user", "assistant"], 0, 182_020, 9_000, None,
        [(150_000, 20), (182_000, 20), (12_000, 20)],
    ),
    "dsh": Expected(
        ["user", "assistant", "system", "user", "assistant"],
        requests=[(60_000, 20), (81_000, 20), (81_900, 300), (12_000, 20)], summarizing=3,
    ),
    "openhands": Expected(
        ["user", "user", "assistant", "user", "assistant"],
        requests=[(40_000, 20), (60_000, 20), (60_500, 300), (12_000, 20)], summarizing=3,
    ),
    "kimi": Expected(
        ["user", "assistant", "tool", "assistant", "user", "assistant"], trigger="auto",
        requests=[(60_000, 20), (61_000, 20), (12_000, 20)],
    ),
    "kimi-code": Expected(
        ["user", "user", "user", "assistant"], 1, 161_020, 9_000, "auto",
        [(150_000, 20), (161_000, 20), (161_500, 300), (12_000, 20)], 3,
    ),
    "gemini": Expected(
        ["system", "user", "assistant", "user", "user", "assistant"], 2,
        requests=[(600_000, 20), (90_000, 20)],
    ),
    "cline": Expected(
        ["user", "assistant", "user", "assistant"], 0, 161_020,
        requests=[(150_000, 20), (161_000, 20), (12_000, 20)], observed=False,
    ),
    "goose": Expected(
        ["user", "assistant", "user", "user", "assistant"], 1, trigger="auto",
        requests=[(150_000, 20), (161_000, 20), (161_500, 300), (12_000, 20)], summarizing=3,
        observed=False,
    ),
}  # fmt: skip
#: The function of each agent.
WRITERS: dict[str, Callable[[Path], Path]] = {name: globals()[name.replace("-", "_")] for name in EXPECTED}
