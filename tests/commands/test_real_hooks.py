"""The hooks inside the real agents: the user's rules in the bodies that a stand-in for the model APIs received.

Skipped where the agents or the drivers are absent (see tests/stores/test_real_agents.py and docs/hooks.md).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.stores.test_real_agents import AGENTS, DRIVERS

HERMES = Path(os.environ.get("COMPACTION_INSPECTOR_HERMES") or Path.home() / "hermes-0.19.0")
RULE = "Never push to the main branch."
KEEP, LOST = "Keep these statements of the user", "The last compaction lost or weakened"
PROGRAM = f"{sys.executable} -m inspector"
#: A summary without the rule.
SUMMARY = (
    "## Goal\nBuild a rate limiter in src/limiter.py.\n\n## Progress\n"
    "- src/limiter.py is written, step 1 of the work is done and measured.\n"
)
PROVIDER = """
import json, subprocess
from agent.memory_provider import MemoryProvider

class Inspector(MemoryProvider):
    name = "inspector"
    def is_available(self): return True
    def initialize(self, session_id, **values): pass
    def get_tool_schemas(self): return []
    def handle_tool_call(self, *values, **more): return "{}"
    def on_pre_compress(self, messages):
        event = json.dumps({"hook_event_name": "on_pre_compress", "messages": messages})
        done = subprocess.run(PROGRAM + ["hook", "hermes"], input=event, capture_output=True, text=True, timeout=20)
        return done.stdout

def register(ctx):
    ctx.register_memory_provider(Inspector())
"""
#: Runs in a separate process, because the drivers change it. Arguments: drivers, venv, home files, output.
DRIVER = r"""
import json, re, sys
from pathlib import Path
drivers, venv, given, out = sys.argv[1:]
sys.path.insert(0, drivers)
import harness
from mock_server import MockServer, Plan

given = json.loads(Path(given).read_text())

class Lossy(Plan):
    def _reply(self, kind, path, size):
        reply = super()._reply(kind, path, size)
        return {**reply, "text": given["summary"]} if kind == "aux" else reply

def run():
    workspace = harness.Workspace.create()
    plan = Lossy([reply for turn in given["turns"] for reply in turn[1]])
    try:
        base = workspace.home / ".hermes"
        for name, text in given["files"].items():
            path = base / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        with MockServer(plan) as server:
            given["config"]["model"]["base_url"] = server.url + "/v1"
            base.mkdir(exist_ok=True)
            (base / "config.yaml").write_text(json.dumps(given["config"]))
            environment = workspace.environment(
                HERMES_HOME=str(base), HERMES_ACCEPT_HOOKS="1", OPENAI_API_KEY="not-a-key", **given["environment"]
            )
            session = None
            for text, _ in given["turns"]:
                command = [Path(venv) / "bin" / "hermes", "chat", "-Q", "--yolo", "-q", text]
                command += ["--resume", session] if session else []
                _, printed, errors = harness.run_child(command, workspace.project, environment, 100)
                session = (re.findall(r"session_id: *(\S+)", printed + errors) or [session])[-1]
        Path(out).write_text(json.dumps([entry["body"] for entry in plan.requests if "body" in entry]))
    finally:
        workspace.remove()
    return 0

raise SystemExit(harness.run_main(run))
"""


def reply(text: str, context: int, command: str = "") -> dict[str, Any]:
    tools = [{"name": "terminal", "input": {"command": command}}] if command else []
    return {"text": text, "tools": tools, "in": context - 60, "read": 0, "write": 0, "out": 60}


def turns() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Return the user's messages with their replies. The context exceeds 102,000 tokens in the fifth."""
    step = "seq -f 'trace %05g: waited 12 ms for a slot' 1 300"
    yield "Hello, are you there?", [reply("Hello.", 18_000)]
    yield "Good.", [reply("What shall I do?", 18_200)]
    yield RULE, [reply("Understood.", 18_400)]
    yield (
        "Write a rate limiter.",
        [
            *(reply(f"Step {n}.", 20_000 + n * 2_500, step) for n in range(1, 9)),
            reply("It is written.", 42_000),
        ],
    )
    yield (
        "Measure it.",
        [*(reply(f"More {n}.", 60_000 + n * 6_000, step) for n in range(1, 8)), reply("12 ms.", 30_000)],
    )
    yield "What is left?", [reply("Nothing.", 31_000)]


def hermes(tmp_path: Path, hooked: bool) -> list[str]:
    """Return the bodies of all requests as text; `hooked` uses the printed settings and a memory provider."""
    config: dict[str, Any] = {
        "model": {"default": "mock", "provider": "custom", "api_key": "not-a-key", "context_length": 128_000},
        "compression": {"enabled": True, "threshold": 0.5, "protect_last_n": 4, "in_place": True},
        "auxiliary": {"compression": {"context_length": 128_000}},
        "hooks_auto_accept": True,
    }
    files = {}
    if hooked:
        command = [*PROGRAM.split(), "hook", "hermes", "--print-settings"]
        block = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        config["hooks"] = yaml.safe_load(block.replace("compaction-inspector", PROGRAM))["hooks"]
        config["memory"] = {"provider": "inspector"}
        files = {
            "plugins/inspector/plugin.yaml": "name: inspector\nversion: 0.1.0\ndescription: Rules\n",
            "plugins/inspector/__init__.py": f"PROGRAM = {PROGRAM.split()!r}\n{PROVIDER}",
        }
    given = {
        "summary": SUMMARY, "turns": list(turns()), "files": files, "config": config,
        "environment": {"XDG_STATE_HOME": str(tmp_path / "state")},
    }  # fmt: skip
    (tmp_path / "given.json").write_text(json.dumps(given))
    (tmp_path / "driver.py").write_text(DRIVER)
    done = subprocess.run(
        [sys.executable, str(tmp_path / "driver.py"), str(DRIVERS), str(HERMES), str(tmp_path / "given.json"),
         str(tmp_path / "bodies.json")],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    if done.returncode:
        pytest.skip(f"Hermes could not be run: {(done.stderr or done.stdout).strip()[-200:]}")
    return [json.dumps(body) for body in json.loads((tmp_path / "bodies.json").read_text())]


@pytest.mark.slow
def test_hermes_summarizes_with_the_rules_and_gets_each_loss_once(tmp_path: Path) -> None:
    if not (DRIVERS / "harness.py").is_file() or not (HERMES / "bin" / "hermes").is_file():
        pytest.skip("Hermes is not installed for tests (see docs/hooks.md)")
    (tmp_path / "without").mkdir()
    (tmp_path / "with").mkdir()
    with ThreadPoolExecutor() as pool:
        plain, hooked = pool.map(hermes, (tmp_path / "without", tmp_path / "with"), (False, True))
    assert not any(KEEP in body or LOST in body for body in plain)
    after = [body for body in plain if "step 1 of the work is done and measured" in body]
    assert after
    assert not any(RULE in body for body in after), "without the hook the rule is gone"
    asked = [body for body in hooked if KEEP in body]
    assert len(asked) == 1
    assert RULE in asked[0].partition(KEEP)[2], "the summarizing request has the rule"
    with_losses = [body for body in hooked if LOST in body]
    assert with_losses == hooked[-1:], "the next user's turn has it once"
    assert RULE in with_losses[0].partition(LOST)[2]


#: Arguments: drivers, output folder, hook settings (JSON). Writes requests.json with the body of every request.
CLAUDE = """
import json, sys
drivers, out, block = sys.argv[1:]
sys.path[:0] = [drivers, drivers + "/hooks"]
import claude_hooks
claude_hooks.experiment(out, "run", {}, turns=claude_hooks.short(), block=json.loads(block))
"""
#: Rules in the user's messages of the driver's scenario.
RULES = ("only on 502", "port 8123")


def claude(tmp_path: Path, hooked: bool) -> list[tuple[str, str]]:
    """Return kind and last message of every request of a session with a compaction, as text."""
    block = '{"hooks": {}}'
    if hooked:
        command = [*PROGRAM.split(), "hook", "claude-code", "--print-settings"]
        block = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        block = block.replace(
            "compaction-inspector hook", f"env XDG_STATE_HOME={tmp_path}/state {PROGRAM} hook"
        )
    env = {**os.environ, "ORACLES": str(DRIVERS), "ORACLE_AGENTS": str(AGENTS)}
    command = [sys.executable, "-c", CLAUDE, str(DRIVERS), str(tmp_path), block]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        pytest.skip(f"Claude Code could not be run: {(done.stderr or done.stdout).strip()[-200:]}")
    requests = json.loads((tmp_path / "run" / "requests.json").read_text())
    return [(entry["kind"], json.dumps(entry["body"])) for entry in requests if "body" in entry]


@pytest.mark.slow
def test_claude_code_summarizes_with_the_rules_and_gets_them_afterwards(tmp_path: Path) -> None:
    if not (DRIVERS / "hooks" / "claude_hooks.py").is_file() or not (AGENTS / "claude").is_dir():
        pytest.skip("Claude Code is not installed for tests (see docs/hooks.md)")
    (tmp_path / "without").mkdir()
    (tmp_path / "with").mkdir()
    plain, hooked = claude(tmp_path / "without", False), claude(tmp_path / "with", True)
    assert not any(KEEP in body for _, body in plain)
    (asked,) = [body.partition(KEEP)[2] for kind, body in hooked if kind == "summary"]
    assert all(rule in asked for rule in RULES), "the summarizing request has the rules"
    at = [kind for kind, _ in hooked].index("summary")
    after = [body for kind, body in hooked[at + 1 :] if kind == "main"]
    assert after
    standing = "Standing rules of the user"
    assert all("only on 502" in body.partition(standing)[2] for body in after), "every later request has them"
    without = [
        body for kind, body in plain[[kind for kind, _ in plain].index("summary") + 1 :] if kind == "main"
    ]
    assert not any(standing in body for body in without)


#: Arguments: drivers, output folder, agent, the printed settings. Writes requests.json with every request.
OTHERS = r"""
import json, shutil, sys
from pathlib import Path
drivers, out, agent, printed = sys.argv[1:]
sys.path[:0] = [drivers, drivers + "/hooks"]
import codex_driver, harness, other_hooks, scenario

class Codex(other_hooks.Codex):
    def prepare(self, url):
        super().prepare(url)
        (self.workspace.home / ".codex" / "hooks.json").write_text(printed)

def run():
    workspace = harness.Workspace.create()
    try:
        other_hooks.LOG = ""
        if agent == "codex":
            driver = Codex(harness.program(None, "codex", "codex"), workspace)
            limit = codex_driver.threshold()
        else:
            setattr(other_hooks, agent.upper(), printed)
            driver, limit = getattr(other_hooks, agent)(Path(out), workspace, agent)
        first, second, *_, last = scenario.turns(limit, lines=1200 if agent == "pi" else 50)
        played = [first, second, last]
        if agent == "opencode":
            trace = scenario.Reply("I print a trace.", limit + 2000, (scenario.trace(50),))
            played = [scenario.Turn(first.say, (trace, scenario.Reply("Done.", 20000), scenario.Reply("Yes.", 21000)))]
        requests = harness.play(driver, played, Path(out) / "log.jsonl")
        Path(out, "requests.json").write_text(json.dumps(requests))
    finally:
        workspace.remove()
    return 0

raise SystemExit(harness.run_main(run))
"""


def other(agent: str, tmp_path: Path) -> list[tuple[str, str]]:
    """Return kind and body of every request of a session with the printed settings, as text."""
    if not (DRIVERS / "hooks" / "other_hooks.py").is_file() or not (AGENTS / agent).is_dir():
        pytest.skip(f"{agent} is not installed for tests (see docs/hooks.md)")
    command = [*PROGRAM.split(), "hook", agent, "--print-settings"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    program = tmp_path / "inspect"
    program.write_text(f'#!/bin/sh\nXDG_STATE_HOME={tmp_path}/state exec {PROGRAM} "$@"\n')
    program.chmod(0o755)
    printed = printed.replace(
        '"compaction-inspector"', json.dumps(str(program)), 2 if agent == "codex" else 1
    )
    printed = printed.replace("compaction-inspector hook", f"{program} hook").replace(
        'spawnSync("compaction-inspector"', f"spawnSync({json.dumps(str(program))}"
    )
    env = {**os.environ, "ORACLES": str(DRIVERS), "ORACLE_AGENTS": str(AGENTS)}
    command = [sys.executable, "-c", OTHERS, str(DRIVERS), str(tmp_path), agent, printed]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode or not (tmp_path / "requests.json").exists():
        pytest.skip(f"{agent} could not be run: {(done.stderr or done.stdout).strip()[-200:]}")
    requests = json.loads((tmp_path / "requests.json").read_text())
    return [(entry["kind"], json.dumps(entry["body"])) for entry in requests if "body" in entry]


@pytest.mark.slow
def test_codex_has_the_standing_rules_after_a_compaction(tmp_path: Path) -> None:
    sent = other("codex", tmp_path)
    at = [kind for kind, _ in sent].index("summary")
    after = [
        body.partition("Standing rules of the user")[2] for kind, body in sent[at + 1 :] if kind == "main"
    ]
    assert after
    assert all("only on 502" in text for text in after)


@pytest.mark.slow
def test_opencode_summarizes_with_the_rules(tmp_path: Path) -> None:
    (asked,) = [body.partition(KEEP)[2] for kind, body in other("opencode", tmp_path) if kind == "summary"]
    assert all(rule in asked for rule in RULES)


@pytest.mark.slow
def test_pi_gets_the_losses_of_a_compaction(tmp_path: Path) -> None:
    sent = other("pi", tmp_path)
    losses = [body.partition(LOST)[2] for kind, body in sent if kind == "main" and LOST in body]
    assert losses
    assert all("only on 502" in text for text in losses), "the summary of the scenario leaves this rule out"
