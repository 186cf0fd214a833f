"""No content of a database controls the terminal: no escape sequence, no reversed text, no markup is printed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from inspector.commands import cli
from tests.stores.writer import Writer, create, talk

#: Texts that control a terminal: escape sequences (7-bit, 8-bit), a bell, a bidi override, a carriage return.
EVIL = "\x1b]0;owned\x07 \x9b2J \x08\x08 \r over \u202eesrever\u2066 \x00 [bold red]x[/bold red] [/nope]"
#: Characters that no output may contain (a newline is allowed).
ACTS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
TIP = "s0_1" + EVIL


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a conversation with hostile texts and ids wherever a command prints them."""
    db = create(tmp_path_factory.mktemp("hostile") / "state.db")
    one = Writer(db, tip="s0")
    one.begin(title=EVIL, model=f"gpt-4o{EVIL}", system_prompt=EVIL, source=EVIL)
    call = {"id": "c", "type": "function", "function": {"name": EVIL, "arguments": EVIL}}
    one.say(talk(6))
    one.say([{"role": "user", "content": EVIL}, {"role": EVIL, "content": ""}])
    one.say([{"role": "assistant", "content": "", "tool_calls": [call]}])
    one.say([{"role": "tool", "content": EVIL * 40, "tool_call_id": "c", "tool_name": EVIL}])
    one.compact(2, 20, f"## Goal{EVIL}\n- {EVIL} first\n- stays {EVIL}")
    one.say(talk(6, start=6))
    one.compact(
        2, 20, f"## Goal{EVIL}\n- {EVIL} second, moved\n- stays {EVIL}\n## Next\n- {EVIL}", rotate=True
    )
    one.say(talk(2, start=20))
    db.execute("UPDATE sessions SET id = ? WHERE id = 's0_1'", (TIP,))
    db.execute("UPDATE messages SET session_id = ? WHERE session_id = 's0_1'", (TIP,))
    one.tip = TIP
    return one.end()


COMMANDS: dict[str, list[str]] = {
    "conversations": [],
    "show": ["s0", "--no-exact"],
    "compactions": ["s0"],
    "diff": ["s0"],
    "breakpoints": ["s0"],
    "replay": ["s0"],
    "findings": ["s0"],
    "sweep": ["s0", "--threshold", "0.3,0.5", "--target-ratio", "0.2,0.4"],
    "store": [],
    "search": ["esrever"],
    "open": ["s0"],
    "report": ["s0", "--output", "-"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_text_output_has_no_control_characters(command: str, database: Path) -> None:
    done = CliRunner().invoke(cli.commands, [command, str(database), *COMMANDS[command]])
    assert done.exit_code == 0, (done.output, done.exception)
    assert not ACTS.findall(done.output)


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in ("open", "report")])
def test_json_escapes_control_characters(command: str, database: Path) -> None:
    done = CliRunner().invoke(cli.commands, [command, str(database), *COMMANDS[command], "--json"])
    assert done.exit_code == 0, (done.output, done.exception)
    assert not ACTS.findall(done.output)
    json.loads(done.stdout)


def test_ids_in_json_are_unchanged(database: Path) -> None:
    done = CliRunner().invoke(cli.commands, ["conversations", str(database), "--json"])
    (entry,) = json.loads(done.stdout)
    assert entry["id"] == TIP


def test_markup_stays_text(database: Path) -> None:
    done = CliRunner().invoke(cli.commands, ["conversations", str(database)])
    assert "[bold" in done.output


@pytest.mark.parametrize(
    "words",
    [
        ["show", "{database}", EVIL.replace("\x00", "")],
        ["show", "{database}", "s0", "--generation", "99"],
        ["conversations", "/nowhere/" + EVIL.replace("\x00", "")],
        ["plan", "/nowhere/" + EVIL.replace("\x00", "")],
        ["show", "{database}", "s0", "--profile", EVIL],
        ["show", "{database}", "s0", "--config", "/nowhere/" + EVIL.replace("\x00", "")],
        ["sweep", "{database}", "s0", "--threshold", EVIL],
    ],
)
def test_error_messages_have_no_control_characters(
    words: list[str], database: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        cli.main([word.replace("{database}", str(database)) for word in words])
    out, err = capfd.readouterr()
    assert stop.value.code in (1, 2)
    assert out == ""
    assert err.startswith("compaction-inspector: ")
    assert not ACTS.findall(err)
