"""Engines of other packages that print, hang, or return wrong values."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from math import nan
from typing import Any

import pytest
from msgspec.structs import replace

from inspector.core.errors import EngineError, Interrupted
from inspector.core.messages import Message
from inspector.engines.base import Settings
from inspector.engines.guarded import GuardedEngine
from inspector.engines.registry import engine

MESSAGES = tuple(Message({"role": "user", "content": f"message {number}"}) for number in range(30))


class Halves:
    """An engine with our rules; a test replaces one of its methods."""

    name = "halves"
    summary = "Keeps the first and the last message."
    _rules = engine("documented")

    def __init__(self, **methods: Callable[..., Any]) -> None:
        for name, method in methods.items():
            setattr(self, name, method)

    def budgets(self, settings: Settings) -> Any:
        return self._rules.budgets(settings)

    def measure(self, messages: Any) -> Any:
        return self._rules.measure(messages)

    def plan(self, token_index: Any, settings: Settings, compactions: int = 0, system_tokens: int = 0) -> Any:
        return self._rules.plan(token_index, settings, compactions, system_tokens)

    def fires(self, tokens: int, settings: Settings) -> Any:
        return self._rules.fires(tokens, settings)


def guarded(patience: float | None = None, **methods: Callable[..., Any]) -> Any:
    return GuardedEngine(Halves(**methods), "halves", patience)


def test_a_guarded_engine_answers_as_the_engine_does() -> None:
    own, under_guard = Halves(), guarded()
    settings = Settings()
    index = under_guard.measure(iter(MESSAGES))
    assert index.total() == own.measure(iter(MESSAGES)).total()
    assert under_guard.plan(index, settings) == own.plan(own.measure(iter(MESSAGES)), settings)
    assert under_guard.fires(10**6, settings) == own.fires(10**6, settings)
    assert (under_guard.name, under_guard.summary) == ("halves", own.summary)
    assert getattr(under_guard, "assemble", None) is None


@pytest.mark.parametrize(
    ("method", "result", "sentence"),
    [
        ("budgets", None, "budgets returned None, not a Budgets"),
        ("budgets", replace(Halves().budgets(Settings()), threshold_tokens=nan), "nan as threshold_tokens"),
        ("budgets", replace(Halves().budgets(Settings()), threshold_tokens=0), "0 as threshold_tokens"),
        ("plan", {"head_end": 1}, "plan returned a dict, not a Plan"),
        ("fires", nan, "fires returned nan"),
        ("fires", True, "fires returned True"),
        ("measure", [1, 2, 3], "something without tokens, pruned_tokens, total, rough_until"),
        ("default_threshold", nan, "default_threshold returned nan"),
        ("default_threshold", 0.0, "default_threshold returned 0.0"),
        ("prune", ["text"], "prune returned 'text'"),
        ("assemble", None, "assemble returned None, not a Sequence"),
    ],
)
def test_a_wrong_result_is_named(method: str, result: Any, sentence: str) -> None:
    under_guard = guarded(**{method: lambda *_, **__: result})
    with pytest.raises(EngineError, match=sentence.replace("(", r"\(")):
        getattr(under_guard, method)(MESSAGES, Settings())


@pytest.mark.parametrize(
    "change",
    [
        {"head_end": nan},
        {"head_end": -1},
        {"tail_start": 3.5},
        {"tokens_after": nan},
        {"pruned": ("1",)},
        {"length": None},
    ],
)
def test_a_wrong_number_of_a_plan_is_named(change: dict[str, Any]) -> None:
    own = Halves()

    def plan(*values: Any) -> Any:
        return replace(own.plan(*values), **change)

    with pytest.raises(EngineError, match="The engine halves failed: plan returned"):
        guarded(plan=plan).plan(own.measure(MESSAGES), Settings())


@pytest.mark.parametrize("raised", [SystemExit(0), ZeroDivisionError("no luck"), RecursionError()])
def test_an_exception_of_an_engine_is_an_error_message(raised: BaseException) -> None:
    def budgets(_: Settings) -> Any:
        raise raised

    with pytest.raises(EngineError, match="The engine halves failed"):
        guarded(budgets=budgets).budgets(Settings())


def test_an_interrupt_of_the_user_stays_an_interrupt() -> None:
    def messages() -> Any:
        yield MESSAGES[0]
        raise Interrupted("stopped")

    with pytest.raises(Interrupted):
        guarded().measure(messages())


def test_output_of_an_engine_is_not_in_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    output = sys.stdout

    def fires(tokens: int, settings: Settings) -> None:
        print("printed by the engine")

    under_guard = guarded(fires=fires)
    assert under_guard.fires(1, Settings()) is None
    assert sys.stdout is output
    print("the answer")
    assert capsys.readouterr().out == "the answer\n"


def test_a_hanging_engine_is_abandoned_once() -> None:
    released = threading.Event()
    calls = []

    def fires(tokens: int, settings: Settings) -> None:
        calls.append(tokens)
        released.wait()

    under_guard = guarded(0.05, fires=fires)
    try:
        for _ in range(3):
            with pytest.raises(EngineError, match=r"did not return from fires within 0\.05 seconds"):
                under_guard.fires(1, Settings())
    finally:
        released.set()
    assert calls == [1]


def test_reading_messages_is_a_sign_of_life(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("inspector.engines.guarded.time.monotonic", lambda: now[0])

    def messages() -> Any:
        for message in MESSAGES:
            now[0] += 0.9
            yield message

    assert len(guarded(1.0).measure(messages())) == len(MESSAGES)
