"""The agents whose sessions are read, one row each.

A row names the package with the agent's `reader` and `profile` modules. Both are imported when they are needed. Another
package adds an agent under the entry point group `compaction_inspector.agents`; its value is an `Agent`.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache
from glob import escape, glob, has_magic
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

GROUP = "compaction_inspector.agents"
_VARIABLE = re.compile(r"\$(?:\{(\w+):-([^}]*)\}|(\w+))")


class Agent(NamedTuple):
    """An agent.

    `name` is its name in JSON, `title` its name for people. `package` has `reader.py` with `READER`, the class that
    reads its files, and `profile.py` with `PROFILES`, the rules for what-ifs. `profile` is the engine for what-ifs of
    an agent without rules.

    `places` are the paths of its sessions. `$NAME` is a variable; the place is left out if it is not set.
    `${NAME:-other}` has a default. `*` stands for any name. `folders` are all other folders and files of the agent, in
    the same form. The program never writes to a place or a folder. `endings` are the endings of its file names.
    `archived` are parts of the names of archived sessions, which end with a date.
    `aside` are patterns of other files in these places, without conversations; folders end with a slash. `beside` maps
    the ending of a file name to companion files: a suffix ("-wal"), or a name in the same folder ("events"; "." is the
    folder). `titles` maps a folder of sessions to a file next to it that has titles of the sessions.

    `databases`: each file is a separate store. `settings_beside`: the settings are in a config.yaml next to it.
    `warm_summaries`: the summarizing call reads the prompt cache of the conversation. `session_usage`: it records the
    usage of a session, not of a request. `estimates`: the agent compares an estimate of the list with its threshold,
    not a reported size. `sends` are the names of files of its workspace that it sends with each request and does not
    record. `copies`: its files may have sessions of other agents again. `rules` are the names of its own rule files.
    `hook` is the file of the package to paste into the settings of an agent that calls hooks; `hook.py` reads its
    events.
    """

    name: str
    title: str
    package: str
    places: tuple[str, ...] = ()
    endings: tuple[str, ...] = (".jsonl",)
    archived: tuple[str, ...] = ()
    aside: tuple[str, ...] = ()
    beside: tuple[tuple[str, str], ...] = ()
    titles: tuple[tuple[str, str], ...] = ()
    databases: bool = False
    settings_beside: bool = False
    warm_summaries: bool = False
    estimates: bool = False
    session_usage: bool = False
    profile: str = ""
    folders: tuple[str, ...] = ()
    sends: tuple[str, ...] = ()
    copies: bool = False
    rules: tuple[str, ...] = ()
    hook: str = ""


_BUILT_IN = (
    Agent(
        "hermes",
        "Hermes Agent",
        "inspector.stores.hermes",
        ("$HERMES_HOME/state.db", "~/.hermes/state.db"),
        folders=("${HERMES_HOME:-~/.hermes}",),
        endings=(".db",),
        aside=("lcm.db", "sessions/sessions.json"),
        beside=((".db", "-wal"),),
        databases=True,
        settings_beside=True,
        estimates=True,
        session_usage=True,
        rules=("HERMES.md", "SOUL.md"),
        hook="hook.yaml",
    ),
    Agent(
        "claude-code",
        "Claude Code",
        "inspector.stores.claude_code",
        ("${CLAUDE_CONFIG_DIR:-~/.claude}/projects",),
        folders=("${CLAUDE_CONFIG_DIR:-~/.claude}", "~/.claude.json"),
        aside=("*.meta.json", "sessions-index.json"),
        warm_summaries=True,
        rules=("CLAUDE.md", "CLAUDE.local.md"),
        hook="hook.json",
    ),
    Agent(
        "codex",
        "Codex",
        "inspector.stores.codex",
        ("${CODEX_HOME:-~/.codex}/sessions", "${CODEX_HOME:-~/.codex}/archived_sessions"),
        folders=("${CODEX_HOME:-~/.codex}",),
        endings=(".jsonl", ".jsonl.zst"),
        aside=("session_index.jsonl",),
        titles=(("sessions", "session_index.jsonl"), ("archived_sessions", "session_index.jsonl")),
        warm_summaries=True,
        rules=("AGENTS.override.md",),
        hook="hook.json",
    ),
    Agent(
        "opencode",
        "opencode",
        "inspector.stores.opencode",
        (
            "${XDG_DATA_HOME:-~/.local/share}/opencode/opencode.db",
            "${XDG_DATA_HOME:-~/.local/share}/opencode/opencode-*.db",
            "${XDG_DATA_HOME:-~/.local/share}/opencode/storage/session",
            "${XDG_DATA_HOME:-~/.local/share}/opencode/project",
        ),
        folders=(
            "${XDG_DATA_HOME:-~/.local/share}/opencode",
            "${XDG_CONFIG_HOME:-~/.config}/opencode",
            "${XDG_STATE_HOME:-~/.local/state}/opencode",
            "${OPENCODE_CONFIG_DIR:-~/.opencode}",
        ),
        endings=(".json", ".jsonl", ".db"),
        # One file for each message and part, next to the sessions.
        aside=("storage/message/", "storage/part/", "session/message/", "session/part/"),
        beside=((".db", "-wal"),),
        hook="hook.js",
    ),
    Agent(
        "openclaw",
        "OpenClaw",
        "inspector.stores.openclaw",
        (
            "${OPENCLAW_STATE_DIR:-~/.openclaw}/agents/*/agent/openclaw-agent.sqlite",
            "${OPENCLAW_STATE_DIR:-~/.openclaw}/agents/*/sessions",
        ),
        folders=("${OPENCLAW_STATE_DIR:-~/.openclaw}",),
        endings=(".sqlite", ".jsonl"),
        archived=(".jsonl.reset.", ".jsonl.deleted."),
        beside=((".sqlite", "-wal"),),
        sends=("AGENTS.md", "IDENTITY.md", "MEMORY.md", "SOUL.md", "TOOLS.md", "USER.md"),
        rules=("IDENTITY.md", "SOUL.md", "TOOLS.md"),
    ),
    Agent(
        "pi",
        "pi",
        "inspector.stores.pi",
        ("${PI_CODING_AGENT_DIR:-~/.pi/agent}/sessions",),
        folders=("${PI_CODING_AGENT_DIR:-~/.pi}",),
        hook="hook.ts",
    ),
    Agent(
        "copilot",
        "GitHub Copilot CLI",
        "inspector.stores.copilot",
        ("${COPILOT_HOME:-~/.copilot}/session-state",),
        folders=("${COPILOT_HOME:-~/.copilot}",),
        aside=("session-store.db", "session.db", "rewind-file-snapshots/*.json"),
        rules=("copilot-instructions.md",),
    ),
    Agent(
        "gemini",
        "Gemini CLI",
        "inspector.stores.gemini",
        ("${GEMINI_CLI_HOME:-~}/.gemini/tmp",),
        folders=("${GEMINI_CLI_HOME:-~}/.gemini",),
        endings=(".jsonl", ".json"),
        aside=("logs.json",),
        rules=("GEMINI.md",),
    ),
    Agent(
        "dsh",
        "DeepSeek Harness",
        "inspector.stores.dsh",
        ("${DSH_HOME:-~/.dsh}/sessions",),
        folders=("${DSH_HOME:-~/.dsh}",),
        endings=(".jsonl", ".jsonl.zstd"),
    ),
    Agent(
        "kimi",
        "Kimi CLI",
        "inspector.stores.kimi",
        ("${KIMI_SHARE_DIR:-~/.kimi}/sessions",),
        folders=("${KIMI_SHARE_DIR:-~/.kimi}",),
        aside=("wire.jsonl", "state.json", "kimi.json", "subagents/*/meta.json"),
        beside=(("context.jsonl", "wire.jsonl"), ("context.jsonl", "state.json")),
    ),
    Agent(
        "kimi-code",
        "Kimi Code",
        "inspector.stores.kimi_code",
        ("${KIMI_CODE_HOME:-~/.kimi-code}/sessions",),
        folders=("${KIMI_CODE_HOME:-~/.kimi-code}",),
        aside=(
            ".index-cache/scan.json",
            "query-store/*.json",
            "workspaces.json",
            "notify/state.json",
            "migrations-*.json",
            "agents/*/tasks/*.json",
        ),
    ),
    Agent(
        "openhands",
        "OpenHands",
        "inspector.stores.openhands",
        ("${OPENHANDS_PERSISTENCE_DIR:-~/.openhands}/conversations",),
        folders=("${OPENHANDS_PERSISTENCE_DIR:-~/.openhands}",),
        endings=(".json",),
        aside=("events/event-*.json",),
        beside=(("base_state.json", "events"),),
    ),
    Agent(
        "cline",
        "Cline",
        "inspector.stores.cline",
        (
            "~/.cline/data/sessions",
            "~/.cline/data/tasks",
            "~/.config/*/User/globalStorage/saoudrizwan.claude-dev/tasks",
            "~/Library/Application Support/*/User/globalStorage/saoudrizwan.claude-dev/tasks",
            "~/.vscode-server/data/User/globalStorage/saoudrizwan.claude-dev/tasks",
        ),
        folders=(
            "${CLINE_DIR:-~/.cline}",
            "~/.config/*/User/globalStorage/saoudrizwan.claude-dev",
            "~/Library/Application Support/*/User/globalStorage/saoudrizwan.claude-dev",
            "~/.vscode-server/data/User/globalStorage/saoudrizwan.claude-dev",
        ),
        endings=(".messages.json", ".compaction.json", "api_conversation_history.json"),
        aside=(
            "sessions/1*_*/1*_?????.json",
            "sessions.db",
            "ui_messages.json",
            "context_history.json",
            "task_metadata.json",
            "tasks/*/settings.json",
        ),
        # The list after a compaction is another file of the folder.
        beside=((".messages.json", "."), ("api_conversation_history.json", "ui_messages.json")),
        rules=(".clinerules",),
    ),
    Agent(
        "qwen",
        "Qwen Code",
        "inspector.stores.qwen",
        ("${QWEN_HOME:-~/.qwen}/projects",),
        folders=("${QWEN_HOME:-~/.qwen}",),
        rules=("QWEN.md",),
    ),
    Agent(
        "goose",
        "goose",
        "inspector.stores.goose",
        ("$GOOSE_PATH_ROOT/data/sessions", "${XDG_DATA_HOME:-~/.local/share}/goose/sessions"),
        folders=(
            "${GOOSE_PATH_ROOT:-~/.local/share/goose}",
            "${XDG_DATA_HOME:-~/.local/share}/goose",
            "${XDG_CONFIG_HOME:-~/.config}/goose",
        ),
        endings=(".db", ".jsonl"),
        beside=((".db", "-wal"),),
    ),
    Agent(
        "atif",
        "ATIF trajectories",
        "inspector.stores.atif",
        endings=(".json",),
        profile="documented",
        copies=True,
    ),
    # Last: a request of any API looks like this.
    Agent(
        "message-log",
        "logs of model requests",
        "inspector.stores.message_logs",
        endings=(".jsonl", ".json"),
        profile="documented",
        copies=True,
    ),
)


@lru_cache(maxsize=1)
def agents() -> tuple[Agent, ...]:
    """Return all agents: the built-in ones, then the agents of other packages by name."""
    built_in = {agent.name for agent in _BUILT_IN}
    return (*_BUILT_IN, *(agent for agent in _of_other_packages() if agent.name not in built_in))


def agent_named(name: str) -> Agent | None:
    """Return the agent with this name, or None."""
    return next((agent for agent in agents() if agent.name == name), None)


def row_of(name: str) -> Agent:
    """Return the row of an agent; a row without properties if there is no such agent."""
    return agent_named(name) or Agent(name, name, "")


def declared(module: str, name: str) -> Iterator[Any]:
    """Yield the values of a tuple in a module of each agent's package. A package may lack the module."""
    from importlib.util import find_spec

    for agent in agents():
        path = f"{agent.package}.{module}"
        try:
            values = tuple(getattr(import_module(path), name, ())) if find_spec(path) is not None else ()
        except Exception as error:  # noqa: BLE001 (another package's code may raise anything)
            _problems.append(f"The module {path} of {agent.title} cannot be loaded: {error!r}.")
            continue
        yield from values


def may_hold_sessions(name: str) -> bool:
    """Return whether an agent gives such a name to files with sessions."""
    endings, archived = _parts_of_names()
    return name.endswith(endings) or any(part in name for part in archived)


@lru_cache(maxsize=1)
def _parts_of_names() -> tuple[tuple[str, ...], tuple[str, ...]]:
    endings = {ending for agent in agents() for ending in agent.endings}
    return tuple(sorted(endings)), tuple(part for agent in agents() for part in agent.archived)


def titles() -> str:
    """Return the agents as a sentence lists them: A, B and C."""
    *others, last = (agent.title for agent in agents())
    return f"{', '.join(others)} and {last}"


def places_of(agent: Agent) -> Iterator[Path]:
    """Yield the places of an agent on this machine, whether they exist or not."""
    for place in agent.places:
        yield from _paths(place, os.environ)


def folders_of(agent: Agent) -> Iterator[Path]:
    """Yield every folder and file of an agent: the usual places, and the places that environment variables name."""
    for place in (*agent.places, *agent.folders):
        yield from _paths(place, {})
        yield from _paths(place, os.environ)


def variables_of(agent: Agent) -> Iterator[str]:
    """Yield the environment variables that move the places of an agent."""
    for place in agent.places:
        yield from (match[1] or match[3] for match in _VARIABLE.finditer(place))


def _paths(place: str, variables: Mapping[str, str]) -> Iterator[Path]:
    if all(variables.get(name) for _, _, name in _VARIABLE.findall(place) if name):
        path = os.path.expanduser(
            _VARIABLE.sub(lambda match: variables.get(match[1] or match[3]) or match[2] or "", place)
        )
        yield from map(Path, sorted(glob(path)) if has_magic(place) else [path])


def _of_other_packages() -> list[Agent]:
    if not _other_packages_have_agents():
        return []
    from importlib.metadata import entry_points

    loaded = []
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        try:
            agent = point.load()
        except Exception as error:  # noqa: BLE001 (another package's code may raise anything)
            _problems.append(f"The agent {point.name} of another package cannot be loaded: {error!r}.")
            continue
        if isinstance(agent, Agent):
            loaded.append(agent)
        else:
            _problems.append(f"The agent {point.name} of another package is not an inspector.agents.Agent.")
    return loaded


#: Sentences about agents of other packages that could not be loaded.
_problems: list[str] = []


def problems() -> tuple[str, ...]:
    """Return sentences about agents of other packages that could not be loaded."""
    agents()
    return tuple(_problems)


def _other_packages_have_agents() -> bool:
    """Return whether an installed package names the group. It takes 1 ms; importing importlib.metadata takes 50 ms."""
    for folder in sys.path:
        for path in glob(os.path.join(escape(folder or "."), "*-info", "entry_points.txt")):
            try:
                with open(path, encoding="utf-8", errors="replace") as file:
                    if GROUP in file.read():
                        return True
            except OSError:
                continue
    return False
