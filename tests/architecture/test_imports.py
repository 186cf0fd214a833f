"""What the commands import."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from inspector.__main__ import opens_the_app
from inspector.commands.cli import every_command

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("textual", "jinja2", "tiktoken", "genai_prices", "yaml", "sqlite_utils", "rich", "sqlite3")


#: What works things out: the list is on screen without it.
WORK = (
    "inspector.engines",
    "inspector.caching",
    "inspector.quality",
    "inspector.summaries",
    "inspector.replay",
)


def imported(code: str, *words: str, of: tuple[str, ...] = HEAVY, **environment: str) -> set[str]:
    """The modules and packages that a piece of code leaves in sys.modules, of those that are asked for."""
    told = (
        "import sys, atexit\n"
        f"atexit.register(lambda: sys.stderr.write('IMPORTED ' + ' '.join(n for n in {of!r} if n in sys.modules)))\n"
        f"sys.argv = ['compaction-inspector', *{list(words)!r}]\n{code}"
    )
    done = subprocess.run(
        [sys.executable, "-c", told],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stderr.rpartition("IMPORTED ")[2].split())


#: Commands in the order of what they may import: each may import what is named with it, and all that stands above.
ALLOWED: list[tuple[set[str], list[list[str]]]] = [
    (set(), [["--help"], ["--version"], ["show", "--help"]]),
    ({"rich", "sqlite3"}, [["search", "--demo", "orders"], ["plan", "fixtures/fastapi-example.json"]]),
    ({"genai_prices"}, [["show", "--demo", "Move checkout to orders-v2", "--json", "--no-exact"]]),
    (
        {"sqlite_utils"},
        [
            ["store", "--demo", "--json"],
            ["conversations", "--demo", "--json"],
            ["replay", "--demo", "Move checkout to orders-v2", "--json"],
        ],
    ),
    (
        {"yaml"},
        [
            ["compactions", "--demo", "Move checkout to orders-v2", "--json"],
            ["findings", "--demo", "Move checkout to orders-v2"],
            ["measures", "--demo", "Move checkout to orders-v2"],
            ["diff", "--demo", "Move checkout to orders-v2", "--life"],
            ["facts", "--demo", "Move checkout to orders-v2"],
        ],
    ),
    ({"jinja2"}, [["report", "--demo", "Move checkout to orders-v2", "--output", "-"]]),
]

#: Runs one command after the other in one process, and looks at what is imported after each.
RUN_EACH = """
from inspector.commands.cli import main
allowed = set()
for more, commands in {all!r}:
    allowed |= more
    for words in commands:
        sys.argv[1:] = words
        try:
            main()
        except SystemExit as ended:
            assert not ended.code, words
        assert allowed.issuperset(name for name in {heavy!r} if name in sys.modules), words
"""


def test_a_command_imports_no_more_than_it_needs(tmp_path: Path) -> None:
    imported(RUN_EACH.format(all=ALLOWED, heavy=HEAVY), XDG_CACHE_HOME=str(tmp_path))


def test_opening_a_database_reads_no_options() -> None:
    told = "import sys\nsys.argv = ['compaction-inspector', 'fixtures/hermes-0.19-in-place.db']\n"
    look = (
        "import atexit\n"
        "options = lambda: 'CLICK' if 'inspector.commands.cli' in sys.modules else 'PLAIN'\n"
        "atexit.register(lambda: sys.stderr.write(options()))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", told + look + "from inspector.__main__ import main\nmain()"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "The output is not a terminal" in done.stdout
    assert done.stderr.endswith("PLAIN")


def test_nothing_heavy_is_on_the_way_to_the_first_frame() -> None:
    assert imported("import inspector.app.app, inspector.app.launch") == {"textual", "rich"}
    listed = (
        "import inspector.app.app, inspector.app.saved_state\n"
        "from pathlib import Path\n"
        "from inspector.stores.detect import open_store\n"
        "store = open_store(Path('fixtures/hermes-0.19-in-place.db'))\n"
        "print(store.path, store.notes, len(store.conversations()))\n"
    )
    assert imported(listed, of=WORK) == set()


def test_a_conversation_opens_without_the_rules_of_facts_and_findings() -> None:
    rules = (
        "inspector.quality.facts.extract",
        "inspector.quality.facts.lives",
        "inspector.quality.evidence",
    )
    assert imported("import inspector.app.conversation.screen", of=rules) == set()


def test_a_database_may_have_any_name_but_a_commands() -> None:
    assert all(command.name == name for name, command in every_command().items())
    assert opens_the_app([])
    assert opens_the_app(["state.db", "a title"])
    assert opens_the_app(["a title"])
    assert not opens_the_app(["show", "state.db"])
    assert not opens_the_app(["state.db", "--theme", "ansi"])
    assert not opens_the_app(["--demo"])
