"""Sessions that the real agents write with a stand-in for their model APIs, as the readers read them.

Skipped where the agents or the drivers are absent: COMPACTION_INSPECTOR_ORACLES names the folder with the drivers
(`claude_driver.py` and so on), ORACLE_AGENTS the folder with the installed agents; docs/agents.md says how to get them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.stores.truths import differences

DRIVERS = Path(os.environ.get("COMPACTION_INSPECTOR_ORACLES") or ROOT.parent / "shared" / "oracles")
AGENTS = Path(os.environ.get("ORACLE_AGENTS") or Path.home() / "oracle-agents")
RUNS = [
    ("claude", []), ("codex", []), ("codex", ["--remote"]), ("opencode", []), ("pi", []), ("copilot", []),
    ("gemini", []), ("qwen", []), ("openclaw", []), ("dsh", []), ("openhands", []), ("kimi", []),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("agent", "flags"), RUNS, ids=lambda value: "".join(value) if isinstance(value, list) else value
)
def test_a_session_of_the_real_agent_is_read_as_the_agent_sent_it(
    agent: str, flags: list[str], tmp_path: Path
) -> None:
    driver = DRIVERS / f"{agent}_driver.py"
    if not driver.is_file() or not (AGENTS / agent).is_dir() or shutil.which("unshare") is None:
        pytest.skip(f"{agent} is not installed for tests (see docs/agents.md)")
    command = [sys.executable, str(driver), "--isolate", *flags, str(tmp_path / "out")]
    env = {**os.environ, "ORACLE_AGENTS": str(AGENTS)}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode or not (tmp_path / "out" / "session").exists():
        pytest.skip(f"{agent} could not be run: {(done.stderr or done.stdout).strip()[-200:]}")
    assert differences(tmp_path / "out") == []


@pytest.mark.slow
def test_random_lists_are_cut_where_pi_cuts_them() -> None:
    package = AGENTS / "pi" / "node_modules" / "@earendil-works" / "pi-coding-agent"
    driver = DRIVERS / "pi_cut.py"
    if not driver.is_file() or not package.is_dir() or shutil.which("node") is None:
        pytest.skip("pi is not installed for tests (see docs/agents.md)")
    tool = Path(sys.executable).with_name("compaction-inspector")
    command = [sys.executable, str(driver), str(package), str(tool), "--lists", "500"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert "500 of 500 lists" in done.stdout, done.stdout + done.stderr
