"""Lineage and drift of generated summaries, kept as digests: optimizations must not change them.

The fast search also finds the same as the plain definition.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.quality.facts.rules import load_stemmer
from inspector.summaries.drift import Drift, drift_of
from inspector.summaries.exact import DENIES, exact_of, things_in, within
from inspector.summaries.lineage import Cell, Column, Lineage, follow
from inspector.summaries.parse import parse_summary
from inspector.summaries.words import TOKEN, Weights, Words
from tests.summaries.grown import SECTIONS, grown

GOLDEN = Path(__file__).with_name("golden.json")
#: Words that reverse a wording, and frequent words.
_TELLING = (
    "not",
    "never",
    "37",
    "1,500",
    "v1.2.3",
    "src/a.py",
    "OPS-12",
    "#ffcc00",
    "the",
    "of",
    "port",
    "不",
    "3 days",
)


#: Generated summaries, unchanged and with lines removed, swapped, joined and reworded.
CASES = [
    f"{kind} {seed} {changed}"
    for seed in range(4)
    for changed in (0.1, 0.6, 0.95)
    for kind in ("grown", "disturbed")
]


def bodies_of(name: str) -> list[str]:
    kind, seed, changed = name.split()
    bodies = grown(5, int(seed), float(changed))
    return _disturbed(bodies, Random(int(seed))) if kind == "disturbed" else bodies


def _disturbed(bodies: list[str], random: Random) -> list[str]:
    found = []
    for body in bodies:
        lines = body.splitlines()
        for _ in range(60):
            at, other = random.randrange(len(lines)), random.randrange(len(lines))
            words = lines[at].split()
            words[random.randrange(len(words))] = random.choice(_TELLING)
            change = random.randrange(5)
            if change == 0:
                del lines[at]
            elif change == 1:
                lines[at], lines[other] = lines[other], lines[at]
            elif change == 2:
                lines[at] += f" {lines[other]}"
            elif change == 3:
                lines.insert(at, f"## {random.choice(SECTIONS)}")
            else:
                lines[at] = " ".join(words)
        found.append("\n".join(lines))
    return found


def _told(cell: Cell | None) -> list[Any] | None:
    if cell is None:
        return None
    words = [[word.was_start, word.was_end, word.start, word.end] for word in cell.words]
    where = [cell.item, cell.section, cell.text, cell.was, round(cell.likeness, 6), cell.from_section]
    return [cell.state, *where, cell.others, words]


def digest(lineage: Lineage, drift: Drift) -> str:
    """Return a digest of everything shown of a lineage."""
    described: list[Any] = [_told(cell) for row in lineage.rows for cell in row.cells]
    described += [[e.column, e.items, e.of_items, e.words, e.of_words] for e in drift.left]
    described += [
        [e.row, e.column, e.was, e.text, e.settled, [[t.kind, t.how, t.was, t.now] for t in e.turns]]
        for e in drift.changed_meanings
    ]
    described += [[e.row, e.why, e.since, e.until, e.times, e.section, e.text, e.by] for e in drift.stale]
    return hashlib.sha256(json.dumps(described).encode()).hexdigest()[:32]


@pytest.mark.parametrize(
    "name",
    # A fifth in the test command, all with --slow.
    [pytest.param(name, marks=[pytest.mark.slow] if number % 5 else []) for number, name in enumerate(CASES)],
)
def test_the_same_summaries_give_the_same_lineage(name: str) -> None:
    bodies = bodies_of(name)
    lineage = follow([Column(number, parse_summary(body)) for number, body in enumerate(bodies, 1)])
    assert (
        digest(lineage, drift_of(lineage, load_stemmer()))
        == json.loads(GOLDEN.read_text(encoding="utf-8"))[name]
    )


_TOKENS = (
    "a/b",
    "v2",
    "1.50",
    "x.py.",
    "don't",
    "DON’T",
    "cannot",
    "known",
    "(1.2.3)",
    "http://a.b/c,",
    "\t",
    "\n",
    "２",
    ".",
)
TEXTS = st.lists(st.sampled_from([*_TELLING, *_TOKENS]), max_size=12).map(" ".join)


@given(st.one_of(TEXTS, st.text(max_size=40)))
def test_exact_things_are_those_of_the_whole_text(text: str) -> None:
    things: dict[str, Counter[str]] = {}
    for kind, thing in things_in(text):
        things.setdefault(kind, Counter())[thing] += 1
    exact = exact_of(text)
    assert exact.things == things
    assert {kind: list(found) for kind, found in exact.things.items()} == {
        k: list(f) for k, f in things.items()
    }
    assert exact.denials == len(DENIES.findall(text))


@given(st.sampled_from(["1", "1.2", "a/b", "#fff", "x"]), st.text(alphabet="1.2a/b#fx _ é٣-", max_size=20))
def test_a_value_is_a_separate_word(thing: str, text: str) -> None:
    plainly = re.search(rf"(?<![\w.]){re.escape(thing)}(?![\w]|\.\d)", text) is not None
    assert within(thing, text) == plainly


@given(st.lists(TEXTS, min_size=2, max_size=4))
def test_the_bound_is_one_of_the_words_in_common(texts: list[str]) -> None:
    one, other, *rest = map(Words, texts)
    weights = Weights([one, other, *rest])
    common = Counter(one.words) & Counter(other.words)
    mass = sum(weights.of(word) * count for word, count in common.items())
    assert weights.shared(one.bag, other.bag) == pytest.approx(mass)
    assert dict(Counter(one.words)) == one.bag


@given(st.one_of(TEXTS, st.text(max_size=40)))
def test_words_have_their_places(text: str) -> None:
    assert Words(text).spans == tuple(match.span() for match in TOKEN.finditer(text))
