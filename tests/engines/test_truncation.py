"""The baseline, and engines that other packages bring."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings

from inspector.core.messages import Message, messages_from
from inspector.engines.base import Settings
from inspector.engines.truncation import TruncationEngine
from tests.engines.lists import assistant, conversations, user

_ENGINE = """
from dataclasses import replace
from inspector.engines.registry import engine

class Halves:
    name = "halves"
    summary = "Keeps the first and the last message."
    _rules = engine("documented")

    def budgets(self, settings):
        return self._rules.budgets(settings)

    def measure(self, messages):
        return self._rules.measure(messages)

    def plan(self, token_index, settings, compactions=0, system_tokens=0):
        plan = self._rules.plan(token_index, settings, compactions, system_tokens)
        return replace(plan, profile=self.name, compacts=True, reason="", head_end=1, tail_start=plan.length - 1,
                       role="assistant", merged=False)

    def fires(self, tokens, settings):
        return None

class Broken(Halves):
    name = "broken"

    def plan(self, token_index, settings, compactions=0, system_tokens=0):
        raise ZeroDivisionError("no luck")

def unloadable():
    raise RuntimeError("not today")
"""
_METADATA = "Metadata-Version: 2.1\nName: halves-engine\nVersion: 1.0\n"
_POINTS = """[compaction_inspector.engines]
halves = halves_engine:Halves
broken = halves_engine:Broken
unloadable = halves_engine:unloadable
"""


@settings(max_examples=60, deadline=None)
@given(conversations(least=3))
def test_truncation_keeps_head_and_tail_alone(messages: tuple[Message, ...]) -> None:
    engine = TruncationEngine()
    plan = engine.plan(engine.measure(messages), Settings(context_length=4_000))
    output = engine.assemble(messages, plan, "never used")
    head, tail = plan.regions()
    sources = {out.source for out in output if out.source != "stub"}
    assert sources <= {*range(head), *range(tail, len(messages))} or not plan.compacts
    assert plan.pruned == ()
    assert plan.summary_budget == 0
    assert all("never used" not in str(out.wire.get("content")) for out in output)


def test_truncation_drops_the_middle() -> None:
    wires = [m for i in range(40) for m in (user(f"q{i}"), assistant("word " * 300))]
    engine = TruncationEngine()
    messages = messages_from(wires)
    plan = engine.plan(engine.measure(messages), Settings(context_length=8_000))
    assert plan.compacts
    assert plan.tokens_after < plan.tokens_before
    assert len(engine.assemble(messages, plan, "")) == 80 - (plan.tail_start - plan.head_end)


@pytest.fixture
def other_package(tmp_path: Path) -> Path:
    """A folder that holds an installed distribution with engines of its own."""
    (tmp_path / "halves_engine.py").write_text(_ENGINE)
    info = tmp_path / "halves_engine-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(_METADATA)
    (info / "entry_points.txt").write_text(_POINTS)
    wires = [m for i in range(6) for m in (user(f"q{i}"), assistant("word"))]
    (tmp_path / "list.json").write_text(json.dumps(wires))
    return tmp_path


def run(folder: Path, profile: str) -> subprocess.CompletedProcess[str]:
    start = "from inspector.commands.cli import main; main(sys.argv[1:])"
    code = f"import sys; sys.path.insert(0, {str(folder)!r}); {start}"
    words = ["plan", str(folder / "list.json"), "--profile", profile, "--json"]
    return subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=False)


def test_an_engine_of_another_package_plans(other_package: Path) -> None:
    done = run(other_package, "halves")
    assert done.returncode == 0, done.stderr
    (entry,) = json.loads(done.stdout)
    assert entry["profile"] == "halves"
    assert [out["source"] for out in entry["output"]] == [0, "summary", 11]


@pytest.mark.parametrize(
    ("profile", "sentence"),
    [
        ("broken", "The engine broken failed: ZeroDivisionError: no luck."),
        ("unloadable", "The engine unloadable of halves-engine cannot be loaded: RuntimeError: not today."),
        (
            "missing",
            "There is no profile called missing; there are documented, hermes-0.13, hermes-0.19, truncation",
        ),
    ],
)
def test_an_engine_that_fails_is_named(other_package: Path, profile: str, sentence: str) -> None:
    done = run(other_package, profile)
    assert done.returncode in (1, 2)
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
