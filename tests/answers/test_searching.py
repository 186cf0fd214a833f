"""Places of search results."""

from __future__ import annotations

import json
from pathlib import Path

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
    assert places[0] == HitPlace(1, 1)
    assert places[2] == HitPlace(2, 0)
    assert places[3:] == [None, None]
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
