"""A distribution with engines: `halves` uses our rules, `words` uses none of our code, and two engines fail."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from inspector.engines import registry

MODULE = """
from msgspec.structs import replace
from inspector.engines.base import Budgets, Plan
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
        return self._rules.fires(tokens, settings)

class Broken(Halves):
    name = "broken"

    def plan(self, token_index, settings, compactions=0, system_tokens=0):
        raise ZeroDivisionError("no luck")

def unloadable():
    raise RuntimeError("not today")

class Index(list):
    def tokens(self, index):
        return self[index]

    def pruned_tokens(self, index):
        return self[index]

    def total(self):
        return sum(self)

    def rough_until(self, stop):
        return sum(self[:stop])

class Words:
    name = "words"
    summary = "A token is a word; the older half of the list goes."

    def budgets(self, settings):
        threshold = int(settings.context_length * settings.threshold)
        return Budgets(threshold, threshold // 2, 100, settings.context_length, {})

    def measure(self, messages):
        return Index(len(message.text.split()) + 1 for message in messages)

    def plan(self, token_index, settings, compactions=0, system_tokens=0):
        length, total = len(token_index), token_index.total()
        tail = length // 2
        kept = total - token_index.rough_until(tail)
        return Plan(
            profile=self.name, budgets=self.budgets(settings), length=length, compacts=tail > 0, reason="",
            head_end=0, tail_start=tail, prune_before=0, pruned=(), summarized_from=0, summary_budget=100,
            role="user", merged=False, head_tokens=0, middle_tokens=total - kept, tail_tokens=kept,
            tokens_before=total + system_tokens, tokens_after=kept + 100 + system_tokens, summary_tokens=100,
        )

    def fires(self, tokens, settings):
        return "agent" if tokens >= self.budgets(settings).threshold_tokens else None
"""
METADATA = "Metadata-Version: 2.1\nName: halves-engine\nVersion: 1.0\n"
ENTRY_POINTS = {
    "halves": "halves_engine:Halves",
    "broken": "halves_engine:Broken",
    "unloadable": "halves_engine:unloadable",
    "words": "halves_engine:Words",
}


def install(folder: Path) -> None:
    """Put the distribution into a folder, as an installer would."""
    (folder / "halves_engine.py").write_text(MODULE)
    info = folder / "halves_engine-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(METADATA)
    points = "\n".join(f"{name} = {target}" for name, target in ENTRY_POINTS.items())
    (info / "entry_points.txt").write_text(f"[{registry.GROUP}]\n{points}\n")


def write_project(folder: Path) -> None:
    """Write the project that the distribution is built from."""
    (folder / "halves_engine.py").write_text(MODULE)
    points = "\n".join(f'{name} = "{target}"' for name, target in ENTRY_POINTS.items())
    (folder / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'
        '[project]\nname = "halves-engine"\nversion = "1.0"\n'
        f'[project.entry-points."{registry.GROUP}"]\n{points}\n'
        '[tool.hatch.build.targets.wheel]\ninclude = ["halves_engine.py"]\n'
    )


@contextmanager
def installed(folder: Path) -> Iterator[None]:
    """Install the distribution for this process, in a separate folder."""
    install(folder)
    sys.path.insert(0, str(folder))
    _forget()
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        sys.modules.pop("halves_engine", None)
        _forget()


def _forget() -> None:
    registry._entry_points.cache_clear()
    registry._load.cache_clear()
