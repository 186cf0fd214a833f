"""The documentation is true: its commands run, its keys are bound, its links lead somewhere."""

from __future__ import annotations

import json
import re
import runpy
import shlex
from pathlib import Path

import pytest

from tests.examples import also
from tests.program import Run

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").glob("*.md")]
)
_FENCE = re.compile(r"^```console\n(.*?)^```(?=(\n+```text)?)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)#]+?)(?:#[^)]*)?\)")
_BUNDLED = ("--demo", "fixtures/")


def commands() -> list[object]:
    """Return every documented command for the bundled data. Commands with outputs are in test_truth.py.

    For each name, the longest command without a scheduler always runs if none has its output; the others with --slow.
    """
    found: dict[str, dict[str, bool]] = {}
    for page in PAGES:
        for block, shown in _FENCE.findall(page.read_text(encoding="utf-8")):
            for line in block.splitlines():
                text = line.partition("  #")[0].strip()
                if text.startswith("compaction-inspector ") and any(part in text for part in _BUNDLED):
                    found.setdefault(text.split()[1], {})[text] = bool(shown)
    chosen: list[object] = []
    for texts in found.values():
        plain = [text for text, shown in texts.items() if not shown]
        plain.sort(key=lambda text: ("--scheduler" not in text, len(text)), reverse=True)
        chosen += also("", *plain)[1:] if len(plain) < len(texts) else also(*plain)
    return chosen


@pytest.mark.parametrize("command", commands())
def test_a_documented_command_runs(command: str, program: Run) -> None:
    words = shlex.split(command)[1:]
    done = program(*words)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert "<inspector" not in done.stdout
    if "--json" in words:
        json.loads(done.stdout)


def documented_keys(command: str) -> set[str]:
    """Return the JSON keys that the page of commands names for the first part of an answer."""
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    section = re.search(rf"^## {command}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    assert section is not None
    prose = _FENCE.sub("", section[1])
    return set(re.findall(r"`([a-z_]+)`", prose))


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("conversations", ["--demo"]),
        ("show", ["--demo", "Nightly orders import loses rows"]),
        ("compactions", ["--demo", "Move checkout to orders-v2"]),
        ("plan", ["fixtures/fastapi-example.json"]),
        ("diff", ["--demo", "Nightly orders import loses rows"]),
        ("replay", ["--demo", "Nightly orders import loses rows", "--against", "truncation"]),
        ("search", ["--demo", "canary"]),
    ],
)
def test_documented_keys_are_in_the_answer(command: str, words: list[str], program: Run) -> None:
    done = program(command, *words, "--json")
    there = set(re.findall(r'"([a-z_]+)":', done.stdout))
    # Values of keys, a key of merged summaries only, and keys of microcompactions, which Hermes does not have.
    values = {"summary", "stub", "restated", "null", "merged", "cleared", "results", "tokens_saved_reported"}
    assert documented_keys(command) - values <= there


def test_the_keys_are_those_of_the_app() -> None:
    render = runpy.run_path(str(ROOT / "docs" / "keys.py"))["render"]
    assert (ROOT / "docs" / "keys.md").read_text(encoding="utf-8") == render(), "run: make tables"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in _LINK.findall(page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_the_readmes_two_commands_are_there() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    named = re.findall(r"^make ([a-z]+)", readme, re.MULTILINE)
    assert named[:2] == ["demo", "test"]
    assert set(named) <= set(targets)


def test_the_documented_example_of_an_engine_works() -> None:
    page = (ROOT / "docs" / "engines.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", page, re.DOTALL)
    assert code is not None
    scope: dict[str, object] = {}
    exec(compile(code[1], "docs/engines.md", "exec"), scope)
    made = scope["Halves"]()  # type: ignore[operator]
    from inspector.core.messages import messages_from
    from inspector.engines.base import Settings

    messages = messages_from([{"role": "user", "content": "x"}] * 12)
    plan = made.plan(made.measure(messages), Settings())
    assert (plan.head_end, plan.tail_start, plan.profile) == (1, 11, "halves")


def test_the_documents_example_is_as_documented(program: Run) -> None:
    done = program("plan", "fixtures/fastapi-example.json", "--json")
    (entry,) = json.loads(done.stdout)
    assert (entry["threshold_tokens"], entry["tail_token_budget"], entry["max_summary_tokens"]) == (
        100_000,
        20_000,
        10_000,
    )
    assert (entry["head_end"], entry["tail_start"], len(entry["output"])) == (4, 25, 25)
    assert 90_000 < entry["tokens_before"] < 100_000
    assert 40_000 < entry["tokens_after"] < 50_000
