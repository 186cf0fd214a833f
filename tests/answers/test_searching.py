"""Places of search results."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inspector.answers.answers import Answers
from inspector.answers.conversations import search
from inspector.answers.searching import HitPlace, hit_places
from inspector.core.conversations import Hit
from inspector.stores.detect import open_store
from tests.program import Run
from tests.stores.writer import Writer, create, talk


def test_a_hit_shows_its_list_and_whether_it_left(tmp_path: Path) -> None:
    writer = Writer(create(tmp_path / "state.db", 22))
    writer.begin()
    writer.say(talk(12))
    writer.compact(3, 20, "## Goal\nFind it")
    writer.say(talk(3, start=12))
    store = open_store(writer.end())
    conversation = store.open("s0")
    first, last = conversation.generations
    hits = [
        Hit("s0", "s0", row, "user", "x", (0, 1))
        for row in (first.ids[5], first.ids[-1], last.ids[-1], 99_999)
    ]
    hits.append(Hit("none", "none", 1, "user", "x", (0, 1)))
    places = [place for _, place in hit_places(store, hits)]
    assert places[0] == HitPlace(1, 1, first.ids[5])
    assert places[2] == HitPlace(2, 0, last.ids[-1])
    assert places[3:] == [None, None]
    store.close()


@pytest.mark.parametrize("rotate", [False, True])
def test_a_message_that_several_lists_have_is_one_hit(tmp_path: Path, rotate: bool) -> None:
    writer = Writer(create(tmp_path / "state.db", 22))
    writer.begin()
    said = talk(12)
    # A message of the head, of the middle, and of the tail until the second compaction.
    for index in (0, 8, 40):
        said[index] = {"role": "user", "content": f"a lantern {index}"}
    writer.say(said)
    writer.compact(3, 36, "## Goal\nFind it", rotate=rotate)
    writer.say(talk(3, start=12))
    writer.compact(3, len(writer.live) - 2, "## Goal\nFind it", rotate=rotate)
    store = open_store(writer.end())
    answers = Answers(store, {}, None)
    found = {hit.text: hit for hit in search(answers, "lantern", 99)}
    assert len(found) == len(search(answers, "lantern", 99)) == 3
    first = store.open("s0").generations[0]
    places = {index: (1, first.ids[index]) for index in (0, 8, 40)}
    assert {
        index: (found[f"a lantern {index}"].generation, found[f"a lantern {index}"].message)
        for index in places
    } == places
    assert [found[f"a lantern {index}"].left_with for index in (0, 8, 40)] == [None, 1, 2]
    store.close()


def test_the_command_shows_the_place_of_a_hit(tmp_path: Path, program: Run) -> None:
    writer = Writer(create(tmp_path / "state.db", 22))
    writer.begin()
    writer.say(talk(12))
    writer.compact(3, 20, "## Goal\nFind it")
    writer.say([{"role": "user", "content": "a lantern"}])
    path = writer.end()
    (live,) = json.loads(program("search", str(path), "lantern", "--json").stdout)
    assert (live["generation"], live["left_with"]) == (2, None)
    assert "gen 2, live" in program("search", str(path), "lantern").stdout


def test_words_are_found_inside_longer_words_and_more_hits_are_counted(program: Run) -> None:
    few = program("search", "--demo", "anary", "--limit", "1")
    assert "canary" in few.stdout
    assert "There are more hits; --limit N shows more than 1." in few.stderr
    assert "more hits" not in program("search", "--demo", "anary", "--limit", "9999").stderr
