"""Input of a summary model, and use of its answer."""

from __future__ import annotations

import pytest

from inspector.core.messages import messages_from
from inspector.core.thinking import without_thinking
from inspector.engines.base import Settings
from inspector.engines.capabilities import summary_input
from inspector.engines.registry import engine
from inspector.engines.summary_input import finished_summary

WIRES = [
    {"role": "user", "content": "Begin."},
    *(
        message
        for number in range(30)
        for message in (
            {"role": "user", "content": f"Ask {number}: never touch table_{number}. " + "x" * 400},
            {"role": "assistant", "content": f"Answer {number}. " + "y" * 4_000},
        )
    ),
]


@pytest.mark.parametrize(
    "profile", ["hermes-0.13", "hermes-0.19", "hermes-0.20", "hermes-current", "claude-code"]
)
def test_only_the_middle_is_summarized(profile: str) -> None:
    found, messages = engine(profile), messages_from(WIRES)
    settings = Settings(context_length=40_000, profile=profile)
    plan = found.plan(found.measure(messages), settings)
    given = summary_input(found, messages, plan)
    head, tail = plan.regions()
    asked = [number for number in range(30) if f"Ask {number}:" in given.turns]
    where = [plan.region(1 + 2 * number) for number in asked]
    assert asked
    assert set(where) == {"middle"}
    assert len(given.wires) == tail - max(head, plan.summarized_from)
    assert given.budget == plan.summary_budget
    assert given.earlier == ""


def test_secrets_are_masked_before_texts_are_cut() -> None:
    secret = "s3cr3t" * 8
    wires = [dict(wire) for wire in WIRES]
    # The cut of a long body would be in the middle of the secret.
    wires[21]["content"] = "a" * 3_980 + secret + "b" * 8_000
    found, messages = engine("hermes-0.19"), messages_from(wires)
    plan = found.plan(found.measure(messages), Settings(context_length=40_000, profile="hermes-0.19"))
    given = summary_input(found, messages, plan, "", lambda text: text.replace(secret, "[masked]"))
    assert "[masked]" in given.turns
    assert "s3cr3t" not in given.turns


def test_the_last_request_is_written_into_the_summary() -> None:
    text = (
        "<think>\nhm\n</think>\n## Historical Task Snapshot\nUser asked: something else\n\n## Goal\nShip it."
    )
    assert finished_summary(text, "Ship 'it'!") == (
        "## Historical Task Snapshot\nUser asked: \"Ship 'it'!\"\n\n## Goal\nShip it."
    )
    assert finished_summary("## Goal\nShip it.", "Ship.").startswith(
        "## Historical Task Snapshot\nUser asked: 'Ship.'\n\n## G"
    )
    assert finished_summary("## Goal\nShip it.", "") == "## Goal\nShip it."
    assert finished_summary("<think>only that</think>", "Ship.") == ""


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<think>a</think>b", "b"),
        ("<THINKING>a</THINKING> b", " b"),
        ("b\n<reasoning>never ends", "b"),
        ("a <tool_call>{}</tool_call> b", "a  b"),
        ("use <function> here", "use <function> here"),
        ("2 < 3 and a <b> tag", "2 < 3 and a <b> tag"),
        ("stray </think> end", "stray end"),
    ],
)
def test_thoughts_of_a_model_are_omitted(text: str, left: str) -> None:
    assert without_thinking(text) == left
