"""Completion, keymap and theme of the user, plain lines, the version, the man page."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
import yaml
from click.testing import CliRunner

from inspector.app.app import InspectorApp
from inspector.app.jump import Jump, parts_of
from inspector.app.own_files import bindings, keymap_text, own_keymap
from inspector.app.saved_state import SavedState
from inspector.app.themes import check_theme, own_theme, theme_text
from inspector.commands.cli import commands, every_command
from inspector.config.bundled import demo_databases
from inspector.config.folders import config_dir
from inspector.core.errors import BadInput, UsageProblem
from inspector.export.document import plain_lines
from inspector.stores.detect import open_store
from tests.app.running import settled
from tests.idle import draw_at_rest

ROOT = Path(__file__).resolve().parents[2]
CHECKOUT = "20260312_054216_3a4ebc"


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))


def completed(*words: str, shell: str = "zsh") -> list[str]:
    """Return the completions of the last word, as the program prints them for a shell."""
    environment = {
        **os.environ, "_COMPACTION_INSPECTOR_COMPLETE": f"{shell}_complete", "COMP_CWORD": str(len(words)),
        "COMP_WORDS": " ".join(["compaction-inspector", *words]), "PYTHONPATH": str(ROOT),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "inspector"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_script_of_a_shell(shell: str) -> None:
    text = CliRunner().invoke(commands, ["--print-completion", shell]).stdout
    assert "_COMPACTION_INSPECTOR_COMPLETE" in text
    assert "compaction-inspector" in text


def test_the_first_word_is_a_command_or_a_path() -> None:
    found = completed("compactio")
    assert "compactions" in found
    assert "file" in found
    assert completed("losses", "./fix")[:2] == ["file", "./fix"]


def test_conversations_are_completed_by_id_and_title() -> None:
    assert CHECKOUT in completed("losses", "--demo", "20260312_05")
    path = str(demo_databases()[0])
    assert [line for line in completed("losses", path, "checkout") if CHECKOUT in line]
    assert CHECKOUT in completed("show", path, "")
    # Completion for bash prints no help after a value.
    assert f"plain,{CHECKOUT}" in completed("show", path, "20260312_05", shell="bash")


def test_completion_prints_no_errors(tmp_path: Path) -> None:
    assert completed("show", str(tmp_path / "none.db"), "x")


def test_every_command_with_choices_completes_them() -> None:
    for name, command in every_command().items():
        for param in command.params:
            if param.name in ("words", "path"):
                assert param._custom_shell_complete is not None, name


async def test_a_keymap_of_the_user_changes_keys() -> None:
    config_dir().mkdir(parents=True)
    (config_dir() / "keymap.yaml").write_text('app.help: "f1"\nlist.filter: "ctrl+f,f"\n')
    assert own_keymap() == {"app.help": "f1", "list.filter": "ctrl+f,f"}
    app = InspectorApp(open_store(demo_databases()[0]), saved=SavedState())
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("question_mark")
        assert len(app.screen_stack) == 1
        await pilot.press("f1")
        assert len(app.screen_stack) == 2
        await pilot.press("escape")


async def test_a_theme_of_the_user_is_one_of_the_themes() -> None:
    config_dir().mkdir(parents=True)
    (config_dir() / "theme.yaml").write_text(
        'name: mine\nprimary: "#ff0000"\nbackground: "#101010"\ndark: true\n'
    )
    check_theme("mine")
    app = InspectorApp(open_store(demo_databases()[0]), saved=SavedState(), theme="mine")
    async with app.run_test(size=(120, 40)) as pilot:
        assert app.theme == "mine"
        assert app.current_theme.primary == "#ff0000"
        await pilot.press("ctrl+t", "ctrl+t", "ctrl+t", "ctrl+t")
        assert app.theme == "mine"


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("keymap.yaml", "nothing.known: f1", "there is no key 'nothing.known'"),
        ("keymap.yaml", "app.help: []", "needs a key"),
        ("keymap.yaml", "- app.help", "a name, a colon and a value"),
        ("keymap.yaml", "a: b: c", "not valid YAML"),
        ("theme.yaml", "name: x\nprimary: nonsense", "is no colour"),
        ("theme.yaml", "name: x\ncolour: red", "has no 'colour'"),
        ("theme.yaml", "name: x", "primary"),
    ],
)
def test_a_wrong_file_is_an_error_message(name: str, text: str, sentence: str) -> None:
    config_dir().mkdir(parents=True)
    (config_dir() / name).write_text(text)
    with pytest.raises(BadInput, match=re.escape(sentence)):
        own_keymap() if name == "keymap.yaml" else own_theme()


def test_the_templates_are_valid() -> None:
    lines = [line[2:] for line in keymap_text().splitlines() if re.match(r"# [a-z_]+\.", line)]
    keys = yaml.safe_load("\n".join(lines))
    assert set(keys) == {one.id for _, found in bindings() for one in found if "." in (one.id or "")}
    config_dir().mkdir(parents=True)
    (config_dir() / "keymap.yaml").write_text("\n".join(lines))
    (config_dir() / "theme.yaml").write_text(theme_text())
    assert len(own_keymap()) == len(keys)
    theme = own_theme()
    assert theme is not None
    assert theme.name == "own"
    assert CliRunner().invoke(commands, ["config", "folder"]).stdout.strip() == str(config_dir())


async def test_a_letter_focuses_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    draw_at_rest(monkeypatch)
    app = InspectorApp(open_store(demo_databases()[0]), saved=SavedState(), name=CHECKOUT)
    async with app.run_test(size=(160, 48)) as pilot:
        await settled(pilot)
        parts = parts_of(app.screen)
        assert len(parts) > 3
        assert len({letter for letter, _ in parts}) == len(parts)
        for letter, part in parts:
            await pilot.press("semicolon")
            assert isinstance(app.screen, Jump)
            await pilot.press(letter)
            assert app.focused is part
        await pilot.press("semicolon", "escape")
        assert not isinstance(app.screen, Jump)


def test_plain_lines() -> None:
    document = [
        {
            "title": "A\nB",
            "lost": {"value": 2},
            "rules": None,
            "ok": True,
            "at": 0.0,
            "facts": [{"n": 1}],
            "ids": [],
        }
    ]
    assert list(plain_lines(document, "loss"))[:5] == [
        "loss 1 of 1", "title: A B", "lost: value 2", "rules: no value", "ok: yes",
    ]  # fmt: skip
    assert list(plain_lines(document))[6:] == ["facts: 1", "facts 1 of 1", "n: 1", "ids: none"]
    assert list(plain_lines([])) == ["Nothing."]
    assert list(plain_lines({"tokens": [1179570.0, 58805.0, 0.394], "most": 10**6 - 0.5})) == [
        "tokens: 1,179,570, 58,805, 0.394", "most: 1,000,000",
    ]  # fmt: skip


def test_plain_lines_show_known_values() -> None:
    words = ["requests", "--demo", CHECKOUT]
    causes = [entry["cause"] for entry in json.loads(CliRunner().invoke(commands, [*words, "--json"]).stdout)]
    plain = CliRunner().invoke(commands, [*words, "--plain"]).stdout.splitlines()
    shown = [line.removeprefix("cause: ") for line in plain if line.startswith("cause: ")]
    assert None in causes
    assert shown == ["no value" if cause is None else cause for cause in causes]


def test_plain_lines_of_commands_have_no_frames_and_colours() -> None:
    for words in (["conversations"], ["losses"], ["facts", CHECKOUT], ["compactions"], []):
        text = CliRunner().invoke(commands, [*words, "--demo", "--plain"], color=True).stdout
        assert re.search(r"^\w+ 1 of \d+$", text, re.MULTILINE), words
        assert not re.search(r"[\u2500-\u259f\x1b]", text), words


def test_no_color_leaves_colours_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("FORCE_COLOR", "1")
    text = CliRunner().invoke(commands, ["conversations", "--demo"], color=True).stdout
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", text)


def test_the_version_lists_found_agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "hermes"))
    assert "Hermes" not in CliRunner().invoke(commands, ["--version"]).stdout
    (tmp_path / "hermes").mkdir()
    (tmp_path / "hermes" / "state.db").touch()
    text = CliRunner().invoke(commands, ["--version"]).stdout
    assert text.startswith("compaction-inspector, version ")
    assert f"Hermes Agent: {tmp_path}/hermes/state.db" in text


def test_the_version_imports_no_store() -> None:
    code = (
        "import sys\ntry:\n    from inspector.commands.cli import main; main(['--version'])\n"
        "except SystemExit:\n    pass\nprint([m for m in sys.modules if m.startswith(('inspector.stores', 'textual'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_man_page_has_every_command() -> None:
    page = CliRunner().invoke(commands, ["config", "man"]).stdout
    assert page.startswith(".TH COMPACTION")
    for name, command in every_command().items():
        assert name == "open" or f".SS {name}".replace("-", "\\-") in page
        for param in command.params:
            for flag in param.opts if isinstance(param, click.Option) else ():
                assert flag.replace("-", "\\-") in page, flag


def test_an_unknown_theme_lists_the_users_theme() -> None:
    config_dir().mkdir(parents=True)
    (config_dir() / "theme.yaml").write_text(theme_text())
    with pytest.raises(UsageProblem, match="own"):
        check_theme("nothing")


@pytest.mark.parametrize("name", ["compactions", "facts", "next", "show"])
def test_help_shows_whether_the_conversation_is_optional(name: str) -> None:
    covers_all = CliRunner().invoke(commands, [name, "--demo"]).exit_code == 0
    assert ("only one conversation" in str(every_command()[name].epilog)) is not covers_all


@pytest.mark.parametrize("name", ["attempt", "recall", "life", "judge"])
def test_help_shows_whether_a_command_takes_several_models(name: str) -> None:
    words = [name, "--demo", CHECKOUT, "--compaction", "1", "--command", "true", "--command", "false"]
    done = CliRunner().invoke(commands, words)
    (option,) = (option for option in every_command()[name].params if option.name == "commands")
    assert isinstance(option, click.Option)
    assert ("repeated" in str(option.help)) is ("Name one model" not in str(done.exception))
