"""The documentation is correct: outputs, options, configuration keys, signs, panes, variables, files."""

from __future__ import annotations

import re
import runpy
import shlex
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from inspector.app.conversation.panes.registry import PANES
from inspector.app.themes import THEMES
from inspector.commands import cli
from inspector.config.settings import OTHER_KEYS
from inspector.engines.hermes.releases import RELEASES
from inspector.engines.registry import names

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted(DOCS.glob("*.md"))]
_OUTPUT = re.compile(
    r"^```console\n(compaction-inspector [^\n]*)\n```\n+```text\n(.*?)^```", re.MULTILINE | re.DOTALL
)


def read(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def shown_outputs() -> list[Any]:
    """Return every documented command with an output. Commands that call a summarizer run only with --slow."""
    found = [shown for page in PAGES for shown in _OUTPUT.findall(page.read_text(encoding="utf-8"))]
    return [pytest.param(*shown, marks=[pytest.mark.slow] if "--send" in shown[0] else []) for shown in found]


@pytest.mark.parametrize(("command", "output"), shown_outputs())
def test_a_shown_output_is_the_commands_own(
    command: str, output: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Compare line by line, in order; a line of dots stands for omitted lines."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    done = CliRunner().invoke(cli.commands, shlex.split(command)[1:])
    assert done.exit_code == 0, done.output
    lines = iter(line.rstrip() for line in done.output.splitlines())
    for line in output.splitlines():
        assert line == "..." or line.rstrip() in lines, line


def test_outputs_are_shown() -> None:
    assert len(shown_outputs()) >= 3


def section(command: str) -> str:
    found = re.search(rf"^## {command}\n(.*?)(?=^## |\Z)", read("commands.md"), re.MULTILINE | re.DOTALL)
    assert found is not None, f"no section about {command}"
    return found[1]


def commands() -> dict[str, click.Command]:
    return {name: command for name, command in cli.every_command().items() if not command.hidden}


@pytest.mark.parametrize("name", sorted(commands()))
def test_every_option_of_a_command_is_documented(name: str) -> None:
    general = read("commands.md").partition("## compaction-inspector")[0]
    for option in commands()[name].params:
        if isinstance(option, click.Option):
            for flag in option.opts:
                assert re.search(rf"{flag}\b", section(name) + general), flag


def test_every_documented_command_is_there() -> None:
    sections = re.findall(r"^## ([a-z]+)$", read("commands.md"), re.MULTILINE)
    assert sorted(sections) == sorted(commands())


def test_the_agents_are_documented() -> None:
    made = runpy.run_path(str(DOCS / "agents.py"))
    for path, page in ((made["TARGET"], made["page"]), (made["README"], made["readme"])):
        text = path.read_text(encoding="utf-8")
        assert text == page(text), "run python docs/agents.py"


def test_settings_and_their_keys_of_the_configuration_are_documented() -> None:
    page = read("commands.md")
    made = runpy.run_path(str(ROOT / "docs" / "settings.py"))["page"](page)
    assert page == made, "run python docs/settings.py"
    for name, paths in OTHER_KEYS.items():
        for path in paths:
            assert f"{'.'.join(path)}`" in page or f"`.{path[-1]}`" in page, name


@pytest.mark.parametrize(
    ("command", "words", "keys"),
    [
        (
            "findings",
            ["--demo", "Move checkout to orders-v2"],
            "rule severity conversation compaction message generation index text advice",
        ),
        (
            "breakpoints",
            ["--demo", "Move checkout to orders-v2"],
            "layout ttl enabled reason breakpoints placed honored",
        ),
        (
            "sweep",
            ["--demo", "Read the vendor's limits"],
            "axes threshold target_ratio conversations metrics best",
        ),
        (
            "store",
            ["fixtures/hermes-0.13-rotating.db"],
            "path kind schema profile profile_reason tables rows columns notes",
        ),
        ("search", ["--demo", "orders"], "conversation title session message role text"),
    ],
)
def test_named_keys_are_in_page_and_answer(command: str, words: list[str], keys: str) -> None:
    done = CliRunner().invoke(cli.commands, [command, *words, "--json"])
    there = set(re.findall(r'"([a-z_]+)":', done.stdout))
    documented = set(re.findall(r"`(?:--)?([a-z_-]+)`", section(command)))
    for key in keys.split():
        assert key in there, key
        assert key in documented or key.replace("_", "-") in documented, key


def test_every_pane_is_explained_under_its_number() -> None:
    page = read("reading-the-screen.md")
    documented = re.findall(r"^(\d)\. \*\*([a-z-]+)\*\*", page, re.MULTILINE)
    assert documented == [(str(number), pane.name) for number, pane in enumerate(PANES, 1)]


def test_profiles_and_themes_are_named() -> None:
    releases, commands_page = read("releases.md"), read("commands.md")
    for name in RELEASES:
        assert f"`{name}`" in releases
    for name in names():
        assert f"`{name}`" in commands_page
    for theme in THEMES:
        assert f"`{theme.name}`" in commands_page


def test_variables_that_are_named_are_read() -> None:
    code = "\n".join(
        path.read_text(encoding="utf-8")
        for folder in ("inspector", "tests")
        for path in (ROOT / folder).rglob("*.py")
        if path != Path(__file__)
    )
    for page in PAGES:
        for name in re.findall(
            r"\b(?:COMPACTION_INSPECTOR|HERMES|XDG)_[A-Z_]+\b", page.read_text(encoding="utf-8")
        ):
            assert f'"{name}"' in code, (page.name, name)


def test_files_that_are_named_exist() -> None:
    for page in [*PAGES, ROOT / "fixtures" / "README.md"]:
        text = page.read_text(encoding="utf-8")
        for name in re.findall(r"`((?:inspector|widgets|tests|fixtures|docs)/[\w./-]*)`", text):
            assert (ROOT / name).exists(), (page.name, name)


def test_every_page_is_reachable() -> None:
    """The README leads to every page in at most two steps."""
    reached = {ROOT / "README.md"}
    for _ in range(2):
        for page in tuple(reached):
            for target in re.findall(r"\]\(([^)#:]+\.md)", page.read_text(encoding="utf-8")):
                reached.add((page.parent / target).resolve())
    assert set(DOCS.glob("*.md")) <= reached


def test_every_room_is_on_the_map() -> None:
    page = read("architecture.md")
    rooms = [path.name for path in (ROOT / "inspector").iterdir() if (path / "__init__.py").exists()]
    files = [path.name for path in (ROOT / "inspector").glob("[a-z]*.py")]
    for name in [f"{room}/" for room in rooms] + files + ["widgets/"]:
        assert name in page, name


def test_make_targets_that_are_named_exist() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        named = re.findall(r"^make ([a-z]+)|`make ([a-z]+)`", text, re.MULTILINE)
        assert {first or second for first, second in named} <= targets, page.name


def test_names_in_the_architecture_are_in_the_code() -> None:
    """This covers classes, functions, fields and modules in backticks."""
    page = re.sub(r"```.*?```", "", read("architecture.md"), flags=re.DOTALL)
    sources = (path for room in ("inspector", "widgets") for path in (ROOT / room).rglob("*.py"))
    words = {word for path in sources for word in re.findall(r"\w+", path.read_text(encoding="utf-8"))}
    files = {path.name for room in ("inspector", "widgets") for path in (ROOT / room).rglob("*")}
    files |= {path.name for path in ROOT.iterdir()}
    spans = re.findall(r"`([^`]+)`", page)
    names = [span for span in spans if re.fullmatch(r"[A-Za-z_]+(\.[a-z_]+)?(\([a-z, .]*\))?", span)]
    assert len(names) > 30
    for name in names:
        bare = name.partition("(")[0]
        known = bare in files or words.issuperset(bare.split("."))
        assert known, name
