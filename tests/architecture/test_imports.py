"""Imports of the commands."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from inspector.__main__ import opens_the_app
from inspector.commands.cli import every_command

ROOT = Path(__file__).resolve().parents[2]
DATABASE = "fixtures/hermes-0.13-rotating.db"
HEAVY = ("textual", "jinja2", "tiktoken", "genai_prices", "yaml", "sqlite_utils", "rich", "sqlite3")


#: Rooms that compute; the list of conversations does not need them.
WORK = (
    "inspector.engines",
    "inspector.caching",
    "inspector.quality",
    "inspector.summaries",
    "inspector.replay",
)


#: Allowed imports of commands. Each row also allows the imports of the rows above it.
ALLOWED: list[tuple[set[str], list[list[str]]]] = [
    (set(), [["--help"], ["--version"], ["show", "--help"]]),
    ({"rich", "sqlite3"}, [["search", DATABASE, "orders"], ["plan", "fixtures/fastapi-example.json"]]),
    ({"genai_prices"}, [["show", DATABASE, "小程序首页改版", "--json", "--no-exact"]]),
    (
        {"sqlite_utils"},
        [
            ["store", DATABASE, "--json"],
            ["conversations", DATABASE, "--json"],
            ["replay", DATABASE, "小程序首页改版", "--json"],
        ],
    ),
    (
        {"yaml"},
        [
            ["compactions", DATABASE, "小程序首页改版", "--json"],
            ["findings", DATABASE, "小程序首页改版"],
            ["measures", DATABASE, "小程序首页改版"],
            ["diff", DATABASE, "小程序首页改版", "--lineage"],
            ["facts", DATABASE, "小程序首页改版"],
        ],
    ),
    ({"jinja2"}, [["report", DATABASE, "小程序首页改版", "--output", "-"]]),
]

#: Run the commands in one process, and check the imports after each.
RUN_EACH = """
import sys
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


def test_a_command_imports_only_allowed_packages(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", RUN_EACH.format(all=ALLOWED, heavy=HEAVY)], cwd=ROOT, check=False,
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_opening_a_database_does_not_import_the_command_line() -> None:
    arguments = (
        "import sys\nsys.argv = ['compaction-inspector', 'fixtures/agents/goose/sessions/sessions.db']\n"
    )
    look = (
        "import atexit\n"
        "options = lambda: 'CLICK' if 'inspector.commands.cli' in sys.modules else 'PLAIN'\n"
        "atexit.register(lambda: sys.stderr.write(options()))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", arguments + look + "from inspector.__main__ import main\nmain()"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "The output is not a terminal" in done.stdout
    assert done.stderr.endswith("PLAIN")


#: Print after each step which of the given modules and packages are imported.
STEPS = """
import sys
for step, names in {steps!r}:
    exec(step)
    print('IMPORTED', *(name for name in names if name in sys.modules))
"""
RULES = ("inspector.quality.facts.extract", "inspector.quality.facts.lives", "inspector.quality.evidence")
LISTED = """
import inspector.app.saved_state
from pathlib import Path
from inspector.stores.detect import open_store
store = open_store(Path('fixtures/hermes-0.19-in-place.db'))
print(store.path, store.notes, len(store.conversations()))
"""


def test_the_list_and_the_conversation_screen_import_only_what_they_need() -> None:
    steps = [
        ("import inspector.app.app, inspector.app.launch", HEAVY),
        (LISTED, WORK),
        ("import inspector.app.conversation.screen", RULES),
    ]
    done = subprocess.run(
        [sys.executable, "-c", STEPS.format(steps=steps)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    imported = [set(line.split()[1:]) for line in done.stdout.splitlines() if line.startswith("IMPORTED")]
    assert imported == [{"textual", "rich"}, set(), set()]


def test_every_first_word_but_a_command_opens_the_app() -> None:
    assert all(command.name == name for name, command in every_command().items())
    assert opens_the_app([])
    assert opens_the_app(["state.db", "a title"])
    assert opens_the_app(["a title"])
    assert not opens_the_app(["show", "state.db"])
    assert not opens_the_app(["state.db", "--theme", "ansi"])
    assert not opens_the_app(["--demo"])
