"""Facts of recorded databases compared with labels of a reader: whether they are worth keeping, and their fate.

The labels are not part of the project. Some of them were never used to write a rule, and both parts must pass.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.answers.fact_reading import read_facts
from inspector.answers.inspection import Inspection
from inspector.quality.facts.fact import Life
from inspector.stores.detect import open_store

LABELS = Path(__file__).parents[4] / "shared" / "recordings" / "fact_labels.jsonl"
SHOWN = 30
KEPT = ("verbatim", "paraphrased")


def labels(held: bool) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Return labels by database and conversation: labels used to write rules, or held-back labels."""
    if not LABELS.exists():
        pytest.skip(f"the labels are not there ({LABELS})")
    groups: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for line in LABELS.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        name = f"{entry['db']}|{entry['conversation']}#2"
        if (int(hashlib.sha1(name.encode(), usedforsecurity=False).hexdigest(), 16) % 3 == 0) is held:
            groups[entry["db"], entry["conversation"]].append(entry)
    return groups


def words(text: str) -> set[str]:
    return set(re.findall(r"[\w./-]+", text.lower()))


def found(lives: tuple[Life, ...], text: str) -> Life | None:
    wanted = words(text)
    for life in lives[:SHOWN]:
        life_words = words(life.text)
        if len(wanted & life_words) >= 0.6 * max(1, min(len(wanted), len(life_words))):
            return life
    return None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("held", "noise", "exact", "side"),
    # Of those held back few are noise, and most of these are parts of sentences that are listed whole. What is judged
    # wrong of the others is called lost where it follows from numbers of the summary (two waits of 40 s are 80 s).
    [(False, 0.15, 0.75, 0.8), (True, 0.4, 0.7, 0.8)],
    ids=["used", "held back"],
)
def test_facts_that_a_reader_wants_are_listed_with_their_fate(
    held: bool, noise: float, exact: float, side: float, recordings: Callable[[str], Path], fixtures_dir: Path
) -> None:
    counts: Counter[str] = Counter()
    for (database, conversation), entries in labels(held).items():
        own = fixtures_dir / database
        store = open_store(own if own.exists() else recordings(database.removesuffix(".db")))
        facts = read_facts(Inspection.open(store, conversation)).facts
        store.close()
        for entry in entries:
            life = found(facts.of(entry["compaction"]), entry["text"])
            counts[entry["worth"]] += 1
            if life is None:
                continue
            counts[f"{entry['worth']} listed"] += 1
            if entry["worth"] != "no" and life.fate.settled:
                counts["fates"] += 1
                counts["exact"] += life.outcome == entry["true_fate"]
                counts["side"] += (life.outcome in KEPT) is (entry["true_fate"] in KEPT)
    assert counts["yes listed"] >= 0.9 * counts["yes"] > 0, counts
    assert counts["no listed"] <= noise * counts["no"], counts
    assert counts["exact"] >= exact * counts["fates"], counts
    assert counts["side"] >= side * counts["fates"], counts
