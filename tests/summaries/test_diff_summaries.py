"""Fates of the items of a summary."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.summaries import diff as diff_module
from inspector.summaries.diff import diff_summaries
from inspector.summaries.parse import parse_summary
from inspector.summaries.summary import Item, ItemChange, Section, Summary, SummaryDiff
from inspector.summaries.words import Weights, Words, match, word_changes
from tests.counting import calls_of, lines_run

OLD = """## Goal
Build an API with FastAPI.
## Constraints & Preferences
- Python 3.11 only
- Set the retry limit to 41 and never more.
## Progress
### Done
1. Created app/main.py
2. Added the /users endpoint
### In Progress
- Writing tests for the /users endpoint with pytest
- Docker image for staging
### Blocked
None.
## Next Steps
- Add rate limiting to /login
"""
NEW = """## Goal
Build an API with FastAPI and JWT.
## Constraints & Preferences
- Set the retry limit to 7 and never more.
## Completed Actions
1. Added the /users endpoint
2. Created app/main.py
3. Wrote the tests for the /users endpoint with pytest: 14 pass
4. Docker image for staging
## In Progress
- Add rate limiting to /login
## Remaining Work
- Deploy to production
"""


def diff(old: str, new: str) -> SummaryDiff:
    return diff_summaries(parse_summary(old), parse_summary(new))


def changes(found: SummaryDiff) -> dict[str, ItemChange]:
    return {item.text: item for section in found.sections for item in section.items}


def test_the_fate_of_each_item() -> None:
    found = changes(diff(OLD, NEW))
    assert {text: item.change for text, item in found.items()} == {
        "Build an API with FastAPI and JWT.": "reworded",
        "Python 3.11 only": "removed",
        "Set the retry limit to 7 and never more.": "reworded",
        "Added the /users endpoint": "kept",
        "Created app/main.py": "kept",
        "Wrote the tests for the /users endpoint with pytest: 14 pass": "moved",
        "Docker image for staging": "moved",
        "Add rate limiting to /login": "moved",
        "Deploy to production": "added",
    }
    moved = found["Docker image for staging"]
    assert (moved.from_section, moved.to_section, moved.was) == (
        "Progress / In Progress",
        "Completed Actions",
        None,
    )
    both = found["Wrote the tests for the /users endpoint with pytest: 14 pass"]
    assert both.was == "Writing tests for the /users endpoint with pytest"
    assert found["Python 3.11 only"].to_section is None
    assert found["Deploy to production"].from_section is None
    limit = found["Set the retry limit to 7 and never more."]
    assert limit.was is not None
    assert [(limit.was[w.was_start : w.was_end], limit.text[w.start : w.end]) for w in limit.words] == [
        ("41", "7")
    ]


def test_sections_pair_by_meaning_and_those_gone_stay_visible() -> None:
    found = diff(OLD, NEW)
    assert [(section.name, section.was, section.gone) for section in found.sections] == [
        ("Goal", "Goal", False),
        ("Constraints & Preferences", "Constraints & Preferences", False),
        ("Completed Actions", "Progress / Done", False),
        ("In Progress", "Progress / In Progress", False),
        ("Progress / Blocked", "Progress / Blocked", True),
        ("Remaining Work", "Next Steps", False),
    ]
    assert not found.same


def test_a_heading_of_the_same_name_goes_before_one_of_the_same_meaning() -> None:
    found = diff("## Active Task\nShip it\n", "## Historical Task Snapshot\nOld\n## Active Task\nShip it\n")
    assert [(s.name, s.was) for s in found.sections] == [
        ("Historical Task Snapshot", None),
        ("Active Task", "Active Task"),
    ]
    assert changes(found)["Ship it"].change == "kept"


def test_a_renamed_unknown_section_is_matched_by_its_content() -> None:
    found = diff("## Lore\n- a one\n- b two\n- c three\n", "## Myths\n- a one\n- b two\n- c three\n- d\n")
    assert [(s.name, s.was) for s in found.sections] == [("Myths", "Lore")]
    assert found.counts()["kept"] == 3


def test_removed_items_stay_in_their_place() -> None:
    found = diff("## Goal\n- one\n- two\n- three\n", "## Goal\n- zero\n- one\n- three\n")
    assert [(i.text, i.change) for i in found.sections[0].items] == [
        ("zero", "added"), ("one", "kept"), ("two", "removed"), ("three", "kept"),
    ]  # fmt: skip


def test_numbers_places_and_white_space_are_no_content() -> None:
    found = diff("## Done\n1. alpha  beta\n2. gamma\n", "## Done\n7. gamma\n8. alpha beta\n")
    assert found.counts() == {"kept": 2, "added": 0, "removed": 0, "reworded": 0, "moved": 0}


def test_repeated_items_match_one_by_one() -> None:
    found = diff(
        "## Done\n- run tests\n- run tests\n- run tests\n",
        "## Done\n- run tests\n## In Progress\n- run tests\n",
    )
    assert found.counts() == {"kept": 1, "added": 0, "removed": 1, "reworded": 0, "moved": 1}


def test_the_boilerplate_of_a_list_does_not_make_its_items_alike() -> None:
    old = "".join(
        f"{n}. RAN {word} [tool: terminal]\n"
        for n, word in enumerate(["ls", "cat", "grep", "sed", "awk", "find"])
    )
    new = "".join(
        f"{n}. RAN {word} [tool: terminal]\n"
        for n, word in enumerate(["git", "make", "tox", "nox", "pip", "uv"])
    )
    assert diff("## Done\n" + old, "## Done\n" + new).counts()["reworded"] == 0


def test_a_reworded_item_has_both_wordings_and_sections() -> None:
    (section,) = diff("## Goal\nship the app now\n", "## Goal\nship the app today\n").sections
    (item,) = section.items
    assert (section.name, item.change, item.from_section, item.to_section) == (
        "Goal",
        "reworded",
        "Goal",
        "Goal",
    )
    assert (item.was, item.text) == ("ship the app now", "ship the app today")


words = st.sampled_from(["alpha", "beta", "gamma", "delta", "41", "7", "src/a.py", "src/b.py", "the", "—"])
items = st.builds(lambda parts: Item(" ".join(parts)), st.lists(words, min_size=1, max_size=6))
names = st.sampled_from(
    ["Goal", "Done", "Completed Actions", "In Progress", "Next Steps", "Remaining Work", "Other"]
)
sections = st.builds(
    lambda name, entries: Section((name,), 2, tuple(entries)), names, st.lists(items, max_size=6)
)
summaries = st.builds(lambda found: Summary(tuple(found)), st.lists(sections, max_size=5))


def _texts(summary: Summary) -> Counter[tuple[str, str]]:
    return Counter((section.name, item.text) for section, item in summary.items())


@given(summaries, summaries)
def test_every_item_of_both_appears_exactly_once(old: Summary, new: Summary) -> None:
    found = [item for section in diff_summaries(old, new).sections for item in section.items]
    assert Counter((i.to_section, i.text) for i in found if i.change != "removed") == _texts(new)
    assert Counter(
        (i.from_section, i.text if i.was is None else i.was) for i in found if i.change != "added"
    ) == _texts(old)
    for item in found:
        assert (item.from_section is None) == (item.change == "added")
        assert (item.to_section is None) == (item.change == "removed")
        assert item.change != "kept" or item.was is None
        assert item.change != "reworded" or item.was is not None
        assert bool(item.words) == (item.was is not None)


@given(summaries)
def test_a_summary_differs_from_itself_in_nothing(summary: Summary) -> None:
    found = diff_summaries(summary, summary)
    assert found.same
    assert found.counts()["kept"] == sum(1 for _ in summary.items())


@given(summaries, st.randoms(use_true_random=False))
def test_the_order_of_items_does_not_matter(summary: Summary, random: Random) -> None:
    shuffled = []
    for section in summary.sections:
        entries = list(section.items)
        random.shuffle(entries)
        shuffled.append(Section(section.path, section.level, tuple(entries)))
    counts = diff_summaries(summary, Summary(tuple(shuffled))).counts()
    assert counts["added"] == counts["removed"] == counts["reworded"] == 0


@given(st.lists(words | st.just("PLANT"), max_size=30), st.lists(words, max_size=30))
def test_text_outside_the_word_changes_is_equal(one: list[str], other: list[str]) -> None:
    was, text = " ".join(one), "  ".join(other)
    old, new = list(was), list(text)
    for change in reversed(word_changes(was, text)):
        old[change.was_start : change.was_end] = []
        new[change.start : change.end] = []
    assert "".join(old).split() == "".join(new).split() or _spaced(old) == _spaced(new)


def _spaced(characters: list[str]) -> str:
    return "".join(characters).replace(" ", "")


@given(st.lists(words, max_size=20), st.lists(words, max_size=20))
def test_the_bound_is_one(one: list[str], other: list[str]) -> None:
    first, second = Words(" ".join(one)), Words(" ".join(other))
    weights = Weights([first, second])
    like = weights.likeness(first, second, match(first, second))
    assert -1e-9 <= like <= weights.bound(first, second) + 1e-9 <= 1 + 2e-9
    assert one != other or not one or like == pytest.approx(1)


def test_a_changed_case_is_a_change() -> None:
    (change,) = word_changes("Use Redis here", "Use redis here")
    assert (change.was_start, change.was_end, change.start, change.end) == (4, 9, 4, 9)


def test_long_texts_are_matched_in_pieces() -> None:
    random = Random(3)
    one = [f"w{random.randrange(2_000)}" for _ in range(6_000)]
    other = ["changed" if at % 97 == 0 else word for at, word in enumerate(one)]
    was, text = " ".join(one), " ".join(other)
    assert len(word_changes(was, text)) == 62
    (item,) = changes(diff(was, text)).values()
    assert item.change == "reworded"
    assert item.likeness > 0.9


lines = st.lists(
    st.sampled_from(["a", "b", "c", "", "a long line of text", "a long line of test"]), max_size=30
)


def _long(seed: int, entries: int) -> str:
    """Return five sections with `entries` entries each; 80 entries are about 10,000 tokens."""
    base, own = Random(7), Random(seed)
    known = [f"{base.choice('abcdefgh')}word{number}" for number in range(10 * entries)]
    out = []
    for name in ("Goal", "Completed Actions", "In Progress", "Key Decisions", "Relevant Files"):
        out.append(f"## {name}")
        for number in range(entries):
            line = [base.choice(known) for _ in range(9)]
            if own.random() < 0.4:
                line[own.randrange(9)] = own.choice(known)
            out.append(f"{number + 1}. {' '.join(line)} [tool: terminal]")
    return "\n".join(out)


def test_work_grows_with_the_summaries_and_not_with_their_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    matches = calls_of(monkeypatch, diff_module, "match")
    work = [lines_run(diff, _long(1, entries), _long(2, entries)) for entries in (40, 80)]
    assert work[1] <= 2.3 * work[0]
    # Few pairs of items are compared word by word: at most one per item, of 160,000 pairs.
    matches.clear()
    diff(_long(1, 80), _long(2, 80))
    assert 0 < len(matches) <= 400


def test_hostile_items_are_no_more_work_each() -> None:
    work = [
        lines_run(diff, *("\n".join(f"- RAN RAN {name}{n}" for n in range(items)) for name in "xy"))
        for items in (250, 1_000)
    ]
    assert work[1] <= 4.4 * work[0]
