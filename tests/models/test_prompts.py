"""The prompt around the messages: our prompt, the user's prompt, and the prompt of an installed release."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from inspector.core.errors import BadInput
from inspector.engines.summary_input import SummaryInput, unmasked
from inspector.models.masking import Masker
from inspector.models.prompts import filled, our_prompt, read_template, release_prompt

GIVEN = SummaryInput(
    ({"role": "user", "content": "Never drop {table} orders."}, {"role": "assistant", "content": "Fine."}),
    "[USER]: Never drop {table} orders.\n\n[ASSISTANT]: Fine.",
    "",
    3_210,
)
EARLIER = SummaryInput(GIVEN.wires, GIVEN.turns, "## Goal\nOld {budget} goal.", 500, "the pool")


def test_our_prompt_has_the_documents_sections() -> None:
    prompt = our_prompt(GIVEN)
    assert re.findall(r"^## (.*)$", prompt, re.MULTILINE) == [
        "Goal", "Constraints & Preferences", "Progress", "Key Decisions", "Relevant Files", "Next Steps",
        "Critical Context",
    ]  # fmt: skip
    assert re.findall(r"^### (.*)$", prompt, re.MULTILINE) == ["Done", "In Progress", "Blocked"]
    assert GIVEN.turns in prompt
    assert "about 3210 tokens" in prompt
    assert "earlier-summary" not in prompt


def test_our_prompt_has_the_earlier_summary() -> None:
    prompt = our_prompt(EARLIER)
    assert "<earlier-summary>\n## Goal\nOld {budget} goal.\n</earlier-summary>" in prompt
    assert "the pool" in prompt


def test_the_users_prompt_is_filled_in_one_pass(tmp_path: Path) -> None:
    path = tmp_path / "prompt.txt"
    path.write_text("{earlier}|{turns}|{budget}|{focus}|{other} {}", encoding="utf-8")
    assert filled(read_template(path), EARLIER) == (
        f"## Goal\nOld {{budget}} goal.|{EARLIER.turns}|500|the pool|{{other}} {{}}"
    )
    assert filled("{earlier}{turns}{focus}", GIVEN) == f"(none){GIVEN.turns}(none)"


@pytest.mark.parametrize(
    ("data", "message"), [(b"no place", "{turns}"), (b"\xff{turns}", "UTF-8"), (None, "cannot be read")]
)
def test_an_unusable_prompt_file_is_refused(tmp_path: Path, data: bytes | None, message: str) -> None:
    path = tmp_path / "prompt.txt"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(BadInput, match=re.escape(message)):
        read_template(path)


def test_a_python_without_a_release_is_an_error() -> None:
    with pytest.raises(BadInput, match="hermes-agent"):
        release_prompt(Path(sys.executable), GIVEN, 128_000, unmasked)
    with pytest.raises(BadInput, match="could not word a prompt"):
        release_prompt(Path("/no/such/python"), GIVEN, 128_000, unmasked)


def test_an_installed_release_makes_its_prompt() -> None:
    python = os.environ.get("COMPACTION_INSPECTOR_HERMES_PYTHON")
    if not python:
        pytest.skip("COMPACTION_INSPECTOR_HERMES_PYTHON names no Python with hermes-agent")
    secret = "ghp_" + "a1B2" * 9
    given = SummaryInput(
        ({"role": "user", "content": f"Use {secret} and never {{drop}}."},), "", "Old goal.", 1, "the pool"
    )
    found = release_prompt(Path(python), given, 128_000, Masker())
    assert re.match(r"\d+\.\d+", found.version)
    for part in (
        "[USER]: Use [masked: a GitHub token] and never {drop}.",
        "Old goal.",
        "the pool",
        "## Goal",
    ):
        assert part in found.prompt
    assert secret not in found.prompt
