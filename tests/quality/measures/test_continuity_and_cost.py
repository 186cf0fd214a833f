"""Continuity, compression and cost, and all measures together."""

from __future__ import annotations

import pytest

from inspector.engines.hygiene import TODO_START
from inspector.quality.facts.rules import load_stemmer
from inspector.quality.measures.continuity import next_measure, request_measure
from inspector.quality.measures.conversation_measures import measures_of
from inspector.quality.measures.cost import compression_measure, cost_measure
from inspector.quality.measures.definitions import DEFINITIONS
from inspector.quality.measures.measure import Place, Share, total
from tests.quality.measures.made_compactions import SUMMARY, agent, compacted, user

ASK = "Replace the second call in the shop and announce the date in the channel of the team."


def test_a_request_that_stayed() -> None:
    found = request_measure(compacted([user("hi")], [agent("a")], [user(ASK), agent("b")]), load_stemmer())
    (entry,) = found.evidence
    assert found.share == Share(1, 1)
    assert (entry.where, entry.said, entry.found) == ("tail", Place(1, 2), Place(2, 2))
    found = request_measure(compacted([user(ASK)], [agent("a")], [agent("b")]), load_stemmer())
    assert (found.evidence[0].where, found.evidence[0].found) == ("head", Place(2, 0))


@pytest.mark.parametrize(
    ("summary", "how"),
    [
        (f"## Active Task\nUser asked: '{ASK}'\n", "quoted"),
        ("## Next Steps\n- Announce date, replace second call in shop for the team\n", "of its"),
        ("## Goal\nReplace the second call of the shop\n", "an entry has"),
        (SUMMARY.replace("Announce the date", "Rest"), ""),
        ("", ""),
    ],
)
def test_a_request_that_was_summarized(summary: str, how: str) -> None:
    found = request_measure(
        compacted([user("hi")], [user(ASK), agent("a")], [agent("b")], summary), load_stemmer()
    )
    (entry,) = found.evidence
    assert entry.known == bool(how)
    assert how in entry.note
    assert found.share == Share(int(bool(how)), 1)


def test_summaries_and_to_dos_are_no_requests() -> None:
    found = request_measure(compacted([], [agent("a")], [agent("b")]), load_stemmer())
    assert found.share is None
    todo = user(f"{TODO_START}\n- one")
    found = request_measure(compacted([user(ASK)], [agent("a")], [todo]), load_stemmer())
    assert found.evidence[0].text == ASK


def test_the_next_step() -> None:
    found = next_measure(compacted([], [agent("a")], [agent("b")]))
    assert [(entry.text, entry.note) for entry in found.evidence] == [
        ("Announce the date", "Next Steps"),
        ("b", "the last message before"),
    ]
    todo = user(f"{TODO_START}\n- one")
    assert next_measure(compacted([], [agent("a")], [todo], None)).evidence[0].note == "the to-do list"
    none = SUMMARY.replace("- Announce the date", "None.")
    found = next_measure(compacted([], [agent("a")], [], none))
    assert (found.share, found.evidence) == (Share(0, 1), ())


def test_compression_and_cost() -> None:
    made = compacted([], [agent("a")], [agent("b")])
    found = compression_measure(made)
    assert found.share == Share(700, 1_000)
    assert dict(found.parts) == {"middle": Share(660, 700)}
    assert dict(cost_measure(made).numbers) == {"input": 700, "output": 40, "spent": 740, "saved": 700}
    fallback = compacted([], [agent("a")], [], "nothing", fallback=True)
    assert dict(cost_measure(fallback).numbers)["spent"] == 0
    longer = compacted([], [agent("a")], [], tokens_after=1_200)
    assert compression_measure(longer).share == Share(-200, 1_000)


def test_all_of_a_conversation() -> None:
    found = measures_of([compacted([], [user(ASK)], [agent("b")], index=n) for n in (1, 2)], load_stemmer())
    assert [measure.id for measure in found.of(2)] == [i for i in DEFINITIONS if "survival" not in i]
    share, last, numbers = found.whole("cost")
    assert (share, last, numbers["spent"]) == (None, None, 1_480)
    share, _, _ = found.whole("compression")
    assert share == Share(1_400, 2_000)
    assert [measure.compaction for measure in found.curve("compression")] == [1, 2]
    assert measures_of([], load_stemmer()).whole("cost") == (None, None, {})


def test_shares_add_up() -> None:
    assert total([Share(1, 2), None, Share(0, 3)]) == Share(1, 5)
    assert total([None]) is None
    assert Share(0, 0).value is None
