"""Output for other people has no typed secret in any form, unless the user asks for secrets."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from inspector.answers import live_events
from inspector.answers.answers import Answers
from inspector.answers.live_events import LiveEvent
from inspector.export.masking import masked, masked_words, masking_note
from inspector.export.report.gathering import gather_report
from inspector.export.report.rendering import render
from inspector.export.report.values import Report
from inspector.models.masking import Masker
from inspector.quality.facts.fact import Fact, Saying, Value
from inspector.stores.detect import open_store
from inspector.summaries.diff import diff_summaries
from inspector.summaries.parse import parse_summary
from tests.export.conftest import MADE_AT
from tests.export.pages import assert_harmless, parsed, tokens
from tests.program import Done, Run
from tests.stores.writer import Writer, create, talk

_RANDOM = "q7Rt2mZx9KcV4bNs8LdW1fHj6PyG3aTe5UioB0vQ"
KEY = f"sk-proj-{_RANDOM}"
NEXT_KEY = f"sk-proj-{_RANDOM[::-1]}"
PASSWORD = "Tr0ub4dor_x9"
ADDRESS = f"postgres://orders:{PASSWORD}@db.internal:5432/orders"
TOKEN = "8fK2mQ7zXw4TnB1vYc"
LIVE = f"sk_live_{_RANDOM[:24]}"
LINES = tuple(f"{_RANDOM[at:]}{_RANDOM[:at]}MIIEpAIBAAKCAQEA7/+x" for at in range(1, 7))
PEM = "\n".join(("-----BEGIN RSA PRIVATE KEY-----", *LINES, "-----END RSA PRIVATE KEY-----"))
SECRETS = (KEY, NEXT_KEY, PASSWORD, TOKEN, LIVE, "hunter2rabbit", *LINES)
STAYS = ("sk-your-key-here", "8443", "orders-v2.yaml")
#: The time of a report, which differs from run to run.
_MADE = re.compile(r'"made_at": [0-9.]+')
EVIL = "<script>alert(1)</script> | **x** | [a](javascript:x)"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """Make a conversation whose user types many kinds of secrets, and whose agent repeats them."""
    writer = Writer(create(tmp_path / "state.db"), tip="s0")
    writer.begin(title=f"Call it with {KEY}", model="gpt-4o", system_prompt="Be brief.")
    for text in (
        f"Always use the key {KEY} for staging. Never open more than 40 connections to {ADDRESS}.",
        f"The deploy key must be this, never share it:\n{PEM}\nThe port must stay 8443.",
        f"The mailbox must be opened with {PASSWORD} too. Never edit orders-v2.yaml by hand.",
        f"We decided on DEPLOY_TOKEN={TOKEN} because the old one expired. password: hunter2rabbit must stay.",
        "Never send more than 7 requests with sk-your-key-here, which is an example.",
        f"Always keep <b>config.py</b> at 3.2.1 {EVIL}",
    ):
        writer.say([{"role": "user", "content": text}])
    call = {
        "id": "c",
        "type": "function",
        "function": {"name": "terminal", "arguments": json.dumps({"command": f"psql {ADDRESS}"})},
    }
    writer.say([{"role": "assistant", "content": f"I connect to {ADDRESS}.", "tool_calls": [call]}])
    writer.say([{"role": "tool", "content": f"PGPASSWORD={PASSWORD}\n{PEM}\n", "tool_call_id": "c"}])
    writer.say(talk(6))
    writer.compact(0, 26, f"## Goal\n- staging has the key {KEY}\n- connect to {ADDRESS}\n- {EVIL} first 12")
    writer.say(talk(6, start=6))
    writer.compact(
        0,
        20,
        f"## Goal\n- staging has the key {NEXT_KEY}\n- connect to {ADDRESS}\n- {EVIL} first 13",
        rotate=True,
    )
    writer.say(
        [{"role": "user", "content": f"Never use anything but {LIVE}, and {PASSWORD} for the database."}]
    )
    writer.say(talk(30, start=20))
    return writer.end()


def plainly(text: str) -> str:
    """Return the text without the escapes of Markdown, HTML and JSON."""
    return html.unescape(text).replace("\\", "")


#: Commands, and the secrets in their unmasked output.
COMMANDS: dict[str, tuple[str, ...]] = {
    "report --output -": (KEY, NEXT_KEY, PASSWORD, TOKEN, LIVE),
    "report --output - --format markdown": (KEY, NEXT_KEY, PASSWORD, TOKEN, LIVE),
    "report --json": (KEY, NEXT_KEY, PASSWORD, TOKEN, LIVE),
    "facts --format markdown": (PASSWORD, TOKEN, "hunter2rabbit"),
    "facts --format mem0": (PASSWORD, TOKEN, "hunter2rabbit"),
    "facts --format markdown --fate lost": (KEY, PASSWORD),
    "facts --format mem0 --fate lost": (KEY, PASSWORD),
    "facts --format markdown --at-risk --threshold 0.01": (LIVE, PASSWORD),
}


@pytest.mark.parametrize("line", COMMANDS)
def test_no_form_has_a_secret(program: Run, database: Path, line: str) -> None:
    command, *options = line.split()
    done = program(command, str(database), "s0", *options)
    assert done.returncode == 0, done.stderr
    output = plainly(done.stdout)
    assert not [secret for secret in SECRETS if secret in output]
    assert "[masked: " in output
    assert " masked (" in done.stderr
    assert "; --no-mask leaves them." in done.stderr
    if command == "report":
        assert all(text in output for text in STAYS)
        assert "postgres://orders:[masked: a password in an address]@db.internal:5432/orders" in output
    if command == "report":
        # A second run, with the kept report, has the same output.
        assert _timeless(program(command, str(database), "s0", *options)) == _timeless(done)

    whole = program(command, str(database), "s0", *options, "--no-mask")
    assert "masked" not in whole.stdout + whole.stderr
    assert [secret for secret in COMMANDS[line] if secret not in plainly(whole.stdout)] == []
    if command == "report":
        # The masked and the unmasked output are kept separately.
        assert _timeless(program(command, str(database), "s0", *options)) == _timeless(done)


def _timeless(done: Done) -> Done:
    """Return a run without the time of its report."""
    return done._replace(stdout=_MADE.sub("", done.stdout))


#: Commands for people and programs, and the secrets in their unmasked output.
PRINTED: dict[str, tuple[str, ...]] = {
    "facts": (KEY, PASSWORD),
    "facts --json": (KEY, PASSWORD),
    "facts --json --format markdown": (KEY, PASSWORD),
    "losses": (KEY,),
    "losses --json": (KEY,),
    "findings --json": (),
    "findings": (),
    "trace staging --json": (KEY,),
    "trace staging": (KEY,),
    "aftermath --json": (),
    "check --fail-on constraint-lost:99 --fail-on warning:99 --allow-unknown": (KEY,),
    "check --fail-on warning:99 --allow-unknown --format github": (KEY,),
    "check --fail-on warning:99 --allow-unknown --json": (KEY,),
}


@pytest.mark.parametrize("line", PRINTED)
def test_answers_mask_secrets_by_default(program: Run, database: Path, line: str) -> None:
    command, *options = line.split()
    words = (command, str(database), "s0", *options)
    done = program(*words)
    assert done.returncode == 0, done.stderr
    # One text has only the password. It is recognised only by reading all messages.
    unknown = {PASSWORD} if command in ("losses", "findings", "trace", "check") else set()
    assert not [secret for secret in {*SECRETS} - unknown if secret in plainly(done.stdout)]
    whole = program(*words, "--no-mask")
    assert "masked" not in whole.stdout + whole.stderr
    assert [secret for secret in PRINTED[line] if secret not in plainly(whole.stdout)] == []
    if PRINTED[line]:
        assert "[masked: " in done.stdout
        assert "; --no-mask leaves" in done.stderr


def test_an_event_of_a_live_conversation_has_no_secret(
    program: Run, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(answers: Answers, seen: object) -> tuple[list[LiveEvent], dict[str, object]]:
        (row, *_) = answers.store.conversations()
        return [LiveEvent("lost", row, f"lost: 1 constraint; first “Always use the key {KEY}”", 1)], {}

    monkeypatch.setattr(live_events, "look", lost)
    for form in ((), ("--json",)):
        assert KEY not in program("watch", str(database), "--once", *form).stdout
        assert KEY in program("watch", str(database), "--once", "--no-mask", *form).stdout


def test_the_losses_of_the_plain_app_have_no_secret(program: Run, database: Path) -> None:
    done = program(str(database), "s0", "--plain")
    losses = done.stdout[done.stdout.index("\nloss 1 of") :]
    assert done.returncode == 0, done.stderr
    assert "[masked: " in losses
    assert KEY not in losses


@pytest.fixture
def report(database: Path) -> Report:
    return gather_report(Answers(open_store(database), {}, None), "s0", MADE_AT)


def test_hostile_texts_are_still_escaped(report: Report) -> None:
    page = parsed(render(report, "html"))
    assert_harmless(page)
    assert "<script>alert(1)</script>" in page.text
    assert not {token.type for token in tokens(render(report, "markdown"))} & {
        "html_inline", "html_block", "link_open", "image",
    }  # fmt: skip


def test_a_report_names_the_masked_secrets(report: Report) -> None:
    (note,) = [note for note in report.notes if "masked" in note]
    assert "an OpenAI key" in note
    assert note in " ".join(parsed(render(report, "html")).text.split())


def test_a_key_that_changed_is_still_a_change(report: Report) -> None:
    diff = report.compactions[1].diff
    assert diff is not None
    (change,) = [
        item for section in diff.diff.sections for item in section.items if item.text.startswith("staging")
    ]
    assert change.change == "reworded"
    assert change.was == change.text == "staging has the key [masked: an OpenAI key]"
    assert change.words == ()


def test_places_in_a_wording_are_those_of_the_masked_text() -> None:
    old = parse_summary(f"## Goal\n- the key of staging is {KEY} for ten days from now\n")
    new = parse_summary(f"## Goal\n- the key of staging is {KEY} for nine days from now\n")
    (section,) = masked(diff_summaries(old, new), Masker()).sections
    (item,) = section.items
    (words,) = item.words
    assert item.was is not None
    assert item.was[words.was_start : words.was_end] == "ten"
    assert item.text[words.start : words.end] == "nine"


def test_a_value_inside_a_secret_is_masked_too() -> None:
    saying = Saying(0, 1, 0, 1, "s0", "user", (0, 10), None)
    values = (
        Value("correct-horse", "name", "correct-horse", "", True, (10, 23)),
        Value("8443", "number", "8443", "", False, (33, 37)),
    )
    text = "password: correct-horse, and port 8443"
    fact = Fact(
        "k",
        "value",
        text,
        "correct-horse, 8443",
        values,
        ("port",),
        "r",
        5,
        (0, 1),
        "user",
        (saying,),
        0,
        1.0,
    )
    masked_fact = masked(fact, Masker())
    assert masked_fact.text == "password: [masked: a password], and port 8443"
    assert [value.text for value in masked_fact.values] == ["[masked: a secret]", "8443"]
    assert masked_fact.value == "[masked: a secret], 8443"
    assert masked_fact.sayings == fact.sayings
    assert masked(fact, Masker(on=False)) is fact


@pytest.mark.parametrize("name", ["Nightly orders import loses rows", "Move checkout to orders-v2"])
def test_a_text_without_secrets_is_unchanged(report_of: Callable[[str], Report], name: str) -> None:
    report = report_of(name)
    masker = Masker()
    assert masked(report, masker) == report
    assert masked_words(masker) == ""
    assert masking_note(masker) == []


def test_the_note_about_masked_secrets(report_of: Callable[[str], Report]) -> None:
    masker = Masker()
    report = report_of("Move checkout to orders-v2")
    report = masked(replace(report, row=report.row._replace(title=f"With {KEY}")), masker)
    assert report.row.title == "With [masked: an OpenAI key]"
    assert masking_note(masker) == ["1 secret was masked (an OpenAI key); --no-mask leaves it."]
    masked(f"{KEY} {NEXT_KEY} {ADDRESS}", masker)
    assert masked_words(masker) == "3 secrets were masked (2 × an OpenAI key, a password in an address)"
