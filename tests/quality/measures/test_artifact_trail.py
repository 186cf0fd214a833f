"""The artifact trail: what summarized messages named, and what of it the list after still names."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inspector.quality.measures.artifacts import COMMAND_START, Trail, named_in
from inspector.quality.measures.measure import Share
from tests.quality.measures.made_compactions import PREFIX, agent, compacted, told, tool, user

MIDDLE = (
    agent("I look at src/shop/cart.py.", ("read_file", {"path": "src/shop/cart.py"})),
    tool("src/never/named.py: by a tool only"),
    agent("", ("patch", {"path": "src/shop/cart.py", "new": "x"}), ("read_file", {"path": "./docs/plan.md"})),
    agent("", ("terminal", {"command": "pytest tests/shop -q"})),
    agent("", ("terminal", {"command": "cat deploy/env/prod.yaml"})),
    user("Keep web/pay/form.tsx as it is."),
)


def test_files_in_full_by_their_name_alone_and_lost() -> None:
    files, _ = Trail().measure(
        compacted([user("hi")], MIDDLE, [agent("The plan.md says so; prod.yaml too.")])
    )
    assert told(files) == {
        "src/shop/cart.py": (True, "summary"),
        "docs/plan.md": (True, "tail"),
        "deploy/env/prod.yaml": (True, "tail"),
        "web/pay/form.tsx": (False, ""),
    }
    assert files.share == files.so_far == Share(3, 4)
    assert dict(files.parts) == {"changed": Share(1, 1), "used": Share(2, 3)}
    notes = {entry.text: entry.note for entry in files.evidence}
    assert notes["docs/plan.md"] == "by its file name"
    first = next(entry for entry in files.evidence if entry.text == "web/pay/form.tsx")
    assert (first.said is not None and (first.said.generation, first.said.index)) == (1, 6)


def test_a_name_that_two_files_have_stands_for_neither() -> None:
    middle = [
        agent("", ("read_file", {"path": "a/main.py"})),
        agent("", ("read_file", {"path": "b/main.py"})),
    ]
    files, _ = Trail().measure(compacted([], middle, [agent("see main.py")]))
    assert told(files) == {"a/main.py": (False, ""), "b/main.py": (False, "")}


def test_commands_are_known_by_their_beginning() -> None:
    long = "python tools/reload.py --since 2026-01-01 --until 2026-02-15 --workers 3 --verbose"
    middle = [agent("", ("terminal", {"command": long}), ("terminal", {"command": "git  push\norigin"}))]
    summary = (
        f"## Completed Actions\n1. RAN {long[:COMMAND_START]} [tool: terminal]\n2. RAN git push\\norigin\n"
    )
    _, commands = Trail().measure(compacted([], middle, [], summary))
    assert told(commands) == {long: (True, "summary"), "git push origin": (True, "summary")}
    _, commands = Trail().measure(compacted([], middle, [], summary.replace("reload", "other")))
    assert commands.share == Share(1, 2)


def test_the_trail_goes_on() -> None:
    trail = Trail()
    trail.measure(
        compacted([], [agent("", ("read_file", {"path": "one/a.py"}))], [], "## Files\n- one/a.py\n")
    )
    files, _ = trail.measure(
        compacted([], [agent("", ("read_file", {"path": "two/b.py"}))], [], "## Files\n- two/b.py\n", 2)
    )
    assert files.share == Share(1, 1)
    assert files.so_far == Share(1, 2)


def test_what_counts_as_named() -> None:
    names = dict(named_in(agent("See and/or, self.value, http://a.example/x and ~/notes, v1.2.3")))
    assert set(names) <= {"~/notes"}
    # An address is no file, in words or as an argument.
    fetched = agent(
        "", ("browse", {"url": "https://a.example/x.html"}), ("read", {"path": "ftp://a.example/y"})
    )
    assert list(named_in(fetched)) == []
    assert list(named_in(agent("", ("terminal", {"command": "curl https://a.example/z.tgz"})))) == [
        ("curl https://a.example/z.tgz", "command")
    ]
    # The release's own words around a summary name files that nobody named.
    handoff = user(f"{PREFIX.replace('compacted:', 'compacted. MEMORY.md counts:')}## Files\n- src/a.py\n")
    assert [name for name, _ in named_in(handoff)] == ["src/a.py"]
    assert list(named_in(tool("src/a.py"))) == []
    assert list(named_in(agent("", ("write_file", {"path": "x.py", "content": "open('y.py')"})))) == [
        ("x.py", "changed")
    ]


def test_nothing_named() -> None:
    files, commands = Trail().measure(compacted([], [user("hello")], []))
    assert files.share == commands.share == Share(0, 0)
    assert files.share.value is None


names = st.from_regex(r"[a-z]{2,6}/[a-z]{2,6}/[a-z]{2,6}\.py", fullmatch=True)


@given(st.lists(names, max_size=6), st.lists(names, max_size=4))
def test_what_the_list_after_names_is_never_lost(said: list[str], kept: list[str]) -> None:
    middle = [agent("", ("read_file", {"path": name})) for name in said]
    files, _ = Trail().measure(compacted([], middle, [user(f"use {name} now") for name in kept], None))
    known = told(files)
    assert set(known) == set(said)
    assert all(known[name][0] for name in set(said) & set(kept))
