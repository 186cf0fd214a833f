"""Fates by the rules compared with labels of others: people who read summaries, and a kit that plants statements.

    python -m tests.benchmarks --only labels --labels balanced_blind_labeled.jsonl

`--labels` is the file of COMPINT (github.com/ZhiqiEliWang/compaction-integrity, judge_robustness_eval). The kit is
compaction-conformance-kit: it is used if it is installed. Neither is in this repository.
"""

from __future__ import annotations

import importlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from inspector.answers.hooking import facts_of_messages
from inspector.core.messages import Message
from inspector.core.text import safe
from inspector.quality.facts.fact import Fact, Outcome
from inspector.quality.facts.fate import fate
from inspector.quality.facts.passages import ListText, PassageIndex
from tests.benchmarks.context import Context
from tests.benchmarks.figures import Figure

#: Sessions of the kit and rounds of each.
_SEEDS, _ROUNDS = 12, 3
_COMPACTORS = (
    ("compactors", "LossyTruncationCompactor"), ("compactors", "NaiveSummaryCompactor"),
    ("compactors", "ChecklistCompactor"), ("compactors", "UpdateAwareChecklistCompactor"),
    ("compactors", "PinnedRulesCompactor"), ("compactors", "SummaryTailCompactor"),
    ("adapters", "ProgressiveSummaryCompactor"),
)  # fmt: skip


def measure(context: Context) -> list[Figure]:
    """Return the share of right answers among the decided answers, for each available set of labels."""
    figures = []
    if context.labels is not None:
        figures += _figures("COMPINT, human labels", _compint(context.labels))
    kit = list(_kit())
    if kit:
        figures += _figures("compaction-conformance-kit, planted statements", kit)
    return figures


def _figures(name: str, pairs: Iterable[tuple[bool, bool | None]]) -> list[Figure]:
    """Figures of (kept by the label, kept by the rules or None if uncertain)."""
    counts = Counter(pairs)
    total = sum(counts.values())
    decided = total - sum(count for (_, ruled), count in counts.items() if ruled is None)
    right = sum(count for (label, ruled), count in counts.items() if label == ruled)
    note = f"{right:,} of {decided:,} decided; falsely kept {counts[False, True]:,}, lost {counts[True, False]:,}"
    return [
        Figure(f"{name}: right", 100 * right / max(1, decided), "%", note=note),
        Figure(f"{name}: decided", 100 * decided / max(1, total), "%", note=f"{decided:,} of {total:,}"),
    ]


def _compint(path: Path) -> Iterator[tuple[bool, bool | None]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        row: dict[str, Any] = json.loads(line)
        after = PassageIndex([ListText("summary", 0, "summary", safe(row["compacted_summary"]))])
        yield bool(row["label"]), kept(_facts_of(row["sssc_message"]), after)


def _kit() -> Iterator[tuple[bool, bool | None]]:
    """Yield the verdicts of the kit (all needed words are there) and of the rules about each planted statement."""
    try:
        corpus, runner = (importlib.import_module(f"compaction_kit.{name}") for name in ("corpus", "runner"))
        compactors = [
            getattr(importlib.import_module(f"compaction_kit.{module}"), name)()
            for module, name in _COMPACTORS
        ]
    except ImportError:
        return
    for seed in range(1, _SEEDS + 1):
        session, canaries = corpus.build_random_session(seed)
        facts = {canary.id: _facts_of(canary.content) for canary in canaries}
        for compactor in compactors:
            for done in runner.run_conformance(session, compactor, _ROUNDS, canaries).rounds:
                after = PassageIndex([ListText("summary", 0, "summary", safe(done.context.text))])
                for canary in canaries:
                    yield done.survived[canary.id], kept(facts[canary.id], after)


def _facts_of(text: str) -> tuple[Fact, ...]:
    return facts_of_messages([Message({"role": "user", "content": text})])


def kept(facts: Iterable[Fact], after: PassageIndex) -> bool | None:
    """Whether every fact of a message is in a list; None if that is uncertain or the message has no fact."""
    outcomes: set[Outcome] = {fate(fact, after, 1).outcome for fact in facts}
    if outcomes & {"lost", "value lost", "contradicted", "weakened"}:
        return False
    return None if not outcomes or "uncertain" in outcomes else True
