"""Optional methods of an engine: they are used, have a plain default, and a failure is named."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from inspector.app.conversation.panes.message import pruned_text
from inspector.core.errors import EngineError
from inspector.core.messages import messages_from
from inspector.engines.base import Output, Settings
from inspector.engines.capabilities import assemble, prune, pruned_wire
from inspector.engines.registry import engine
from tests.engines.lists import assistant, call, result, user

MESSAGES = messages_from(
    [user(), assistant("", call("c1")), result("c1", "line\n" * 200), *[user("more")] * 9]
)
PLAN = replace(
    engine("documented").plan(engine("documented").measure(MESSAGES), Settings(protect_last_n=2)),
    compacts=True, head_end=1, tail_start=8, prune_before=4, role="assistant", merged=False,
)  # fmt: skip


class Plain:
    """An engine without optional methods."""

    name = "plain"


class Failing:
    """An engine with all optional methods, which fail."""

    name = "failing"

    def prune(self, *_: object) -> None:
        raise KeyError("no")

    pruned_wire = assemble = prune


def test_optional_methods_of_an_engine_are_used() -> None:
    found = engine("documented")
    assert len(str(prune(found, MESSAGES, PLAN)[2])) < 200
    assert len(str(pruned_wire(found, MESSAGES[2], MESSAGES[1]))) < 200
    assert "the text" in [out.wire["content"] for out in assemble(found, MESSAGES, PLAN, "the text")]


def test_missing_methods_have_a_plain_default() -> None:
    found = Plain()
    assert list(prune(found, MESSAGES, PLAN)) == [message.wire for message in MESSAGES]
    assert pruned_wire(found, MESSAGES[2], MESSAGES[1]) is None
    output = assemble(found, MESSAGES, PLAN, "the text")
    assert [out.source for out in output] == [0, "summary", 8, 9, 10, 11]
    assert output[1] == Output({"role": "assistant", "content": "the text"}, "summary")
    dropped = assemble(found, MESSAGES, replace(PLAN, role=""), "the text")
    assert [out.source for out in dropped] == [0, 8, 9, 10, 11]


def test_a_failing_method_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Failing()
    for ask in (
        lambda: prune(found, MESSAGES, PLAN),
        lambda: pruned_wire(found, MESSAGES[2], None),
        lambda: assemble(found, MESSAGES, PLAN, ""),
    ):
        with pytest.raises(EngineError, match=r"The engine failing failed: KeyError: 'no'\."):
            ask()
    monkeypatch.setattr("inspector.app.conversation.panes.message.engine", lambda name: found)
    assert pruned_text(MESSAGES[2], {}, PLAN) == "The engine failing failed: KeyError: 'no'."
