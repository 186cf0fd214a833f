"""What was read again after a compaction, and what of that which stayed was pruned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from inspector.core.messages import Message
from inspector.quality.measures.cost import pruned_measure
from inspector.quality.measures.measure import Measure, MeasuredCompaction, Place, Share
from inspector.quality.measures.reopened import Reopened, opened_in
from tests.quality.measures.made_compactions import agent, compacted, told, tool, user


def read(path: str) -> Message:
    return agent("", ("read_file", {"path": path}))


def openings(messages: Sequence[Message]) -> list[tuple[int, str]]:
    return [(index, name) for index, message in enumerate(messages) for name in opened_in(message)]


def measured(reopened: Reopened, compaction: MeasuredCompaction, *since: Message) -> Measure:
    """With what was said after the compaction."""
    after = openings([*compaction.after, *since])
    return reopened.measure(compaction.recorded, openings(compaction.before), after)


def test_a_file_that_left_the_list_and_is_opened_later_was_read_again() -> None:
    done = compacted([user("go")], [read("src/a.py"), tool("text")], [agent("on")])
    measure = measured(Reopened(), done, user("and"), read("./src/a.py"), read("src/new.py"))
    assert measure.share == Share(1, 2)
    (entry,) = measure.evidence
    assert (entry.text, entry.said, entry.found) == (
        "src/a.py",
        Place(1, 1),
        Place(2, done.recorded.after + 1),
    )
    assert entry.note == "the summary does not name it"


def test_what_the_summary_names_is_said_to_be_named() -> None:
    done = compacted([user("go")], [read("src/shop/cart.py")], [agent("on")])
    assert told(measured(Reopened(), done, read("src/shop/cart.py"))) == {
        "src/shop/cart.py": (False, "the summary names it")
    }


def test_what_still_stands_in_the_list_is_not_read_again() -> None:
    done = compacted([user("go")], [read("a.py")], [read("a.py"), tool("text")])
    assert measured(Reopened(), done, read("a.py")).share == Share(0, 1)


def test_files_are_remembered_over_compactions() -> None:
    reopened = Reopened()
    measured(reopened, compacted([user("go")], [read("a.py")], [agent("on")]))
    later = compacted([user("go")], [agent("x")], [agent("on")], index=2)
    (entry,) = measured(reopened, later, read("a.py")).evidence
    assert (entry.said, entry.found) == (Place(1, 1), Place(3, later.recorded.after))


def test_nothing_opened_is_no_share() -> None:
    assert measured(Reopened(), compacted([user("go")], [read("a.py")], [agent("on")])).share is None


@pytest.mark.parametrize(
    ("call", "names"),
    [
        (("Read", {"file_path": "/w/a.py"}), ["/w/a.py"]),
        (("browser_navigate", {"url": "https://example.org/x#part"}), ["https://example.org/x"]),
        (("terminal", {"command": "cd src && cat a.py b/c.txt | head -3"}), ["a.py", "b/c.txt"]),
        (("terminal", {"command": "sed -n '1,20p' a.py; ls"}), ["a.py"]),
        (("terminal", {"command": "cat > a.py <<'EOF'"}), []),
        (("terminal", {"command": "cat 'unfinished"}), []),
        (("terminal", {"command": "grep x a.py"}), []),
        (("write_file", {"path": "a.py", "content": "x"}), []),
        (("edit_file_view", {"path": "a.py"}), []),
    ],
)
def test_what_opens_a_file(call: tuple[str, dict[str, str]], names: list[str]) -> None:
    assert list(opened_in(agent("", call))) == names


def test_only_the_agent_opens_files() -> None:
    assert list(opened_in(tool("cat a.py"))) == []


def test_messages_that_stayed_and_say_less_were_pruned() -> None:
    done = compacted([user("go")], [agent("x")], [read("a.py"), tool("a long result"), agent("on")])
    cut = [*done.after[:-2], tool("[cut]"), done.after[-1]]
    measure = pruned_measure(replace(done, after=cut))
    assert measure.share == Share(1, 4)
    (entry,) = measure.evidence
    assert (entry.text, entry.said, entry.found) == ("a long result", Place(1, 3), Place(2, 3))


def test_nothing_pruned() -> None:
    assert pruned_measure(compacted([user("go")], [agent("x")], [agent("on")])).share == Share(0, 2)
