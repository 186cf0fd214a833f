"""Rules of the releases from 0.20 on that depend on texts and not only on sizes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from msgspec.structs import replace

from inspector.core.messages import Message, messages_from
from inspector.engines.base import Output, Settings
from inspector.engines.capabilities import assemble, prune
from inspector.engines.hermes.assembly import with_repaired_pairs
from inspector.engines.hermes.direct import rows as rows_module
from inspector.engines.hermes.direct.assembly import KeptRow, demoted
from inspector.engines.hermes.direct.engine import DirectEngine
from inspector.engines.hermes.direct.estimates import text_tokens
from inspector.engines.hermes.direct.restating import HEADER, restated, unfinished
from inspector.engines.hermes.direct.rows import DirectRow
from inspector.engines.hermes.releases import RELEASES
from inspector.engines.registry import engine
from tests.counting import calls_of
from tests.engines.lists import assistant, call, conversations, result, user

SMALL = Settings(context_length=20_000, threshold=0.1, target_ratio=0.1)


def test_dense_scripts_count_whole() -> None:
    assert (text_tokens("abcd"), text_tokens("abcde"), text_tokens("")) == (1, 2, 0)
    assert (text_tokens("日本語"), text_tokens("日本語 abcd"), text_tokens("é" * 8)) == (3, 5, 2)


def test_a_blank_message_after_the_last_request_leaves_the_list() -> None:
    listed = [user("begin " * 500), *[user("more " * 900), assistant("yes " * 900)] * 4]
    listed += [user("the last request"), user(" "), assistant("on it"), *[assistant("done " * 20)] * 2]
    messages = messages_from(listed)
    found = engine("hermes-0.20")
    settings = SMALL.with_(threshold=0.4)
    plan = found.plan(found.measure(messages), settings)
    assert plan.compacts
    left = [out.source for out in assemble(found, messages, plan, "a summary")]
    assert 9 in left
    assert 10 not in left


def test_a_plan_reads_the_roles_near_its_boundaries_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    read = calls_of(monkeypatch, rows_module, "role_code")
    found = engine("hermes-0.20")
    listed = [wire for number in range(300) for wire in (user(f"{number} " * 90), assistant("done " * 90))]
    assert found.plan(found.measure(messages_from(listed)), SMALL).compacts
    assert 0 < len(read) < 20


def test_results_of_older_rounds_of_a_lean_tail_are_demoted() -> None:
    rounds = [wire for n in range(8) for wire in (assistant("", call(f"c{n}")), result(f"c{n}", "x" * 1_500))]
    rows = [DirectRow(wire, RELEASES["hermes-current"]) for wire in rounds]
    kept = demoted([KeptRow(at, row) for at, row in enumerate(rows)])
    assert [at for at, (_, row) in enumerate(kept) if row is not rows[at]] == [1, 3]
    line = str(kept[1].row.content)
    assert line.startswith(
        "[tool output demoted at compaction — 1,500 chars preserved in session history. Recover with "
    )
    assert len(line) == len(line.partition("session_id='")[0]) + len("session_id='20260912_194550_d95e49')]")
    assert [row for _, row in demoted([KeptRow(0, rows[1])])] == [rows[1]]


def test_only_a_lean_tail_is_demoted_whatever_settings_a_release_ignores() -> None:
    rounds = [
        wire for n in range(8) for wire in (assistant("", call(f"c{n}")), result(f"c{n}", f"{n}" * 1_500))
    ]
    messages = messages_from([user("begin"), *[assistant("more " * 900), user("yes")] * 8, *rounds])
    policies = RELEASES["hermes-0.20"]
    engines = DirectEngine(policies), DirectEngine(replace(policies, reserves_output=False))
    settings = SMALL.with_(threshold=0.4, target_ratio=0.5)
    plans = [found.plan(found.measure(messages), settings) for found in engines]
    assert [bool(plan.budgets.unused_reasons) for plan in plans] == [False, True]
    assert len(messages) - plans[0].tail_start > 12
    assert plans[0].tail_tokens == plans[1].tail_tokens


@pytest.mark.parametrize("profile", ["hermes-0.19", "hermes-0.20", "hermes-current"])
def test_the_size_of_a_pruned_message_is_that_of_its_line(profile: str) -> None:
    listed = [user("begin")]
    for number in range(12):
        command = f'{{"command": "make target-{number} {"x" * 700}"}}'
        made = {
            "id": f"c{number}",
            "type": "function",
            "function": {"name": "terminal", "arguments": command},
        }
        listed += [assistant("", made), result(f"c{number}", f"line {number % 4}\n" * 300)]
    messages = messages_from([*listed, user("go on"), assistant("done")])
    found, settings = engine(profile), SMALL
    index = found.measure(messages)
    plan = found.plan(index, settings)
    assert plan.pruned
    pruned = found.measure(map(Message, prune(found, messages, plan)))
    for at in plan.pruned:
        assert index.pruned_tokens(at) == pruned.tokens(at) < index.tokens(at)


def restate(output: list[Output], listed: list[dict[str, Any]]) -> list[Output]:
    at = unfinished(listed, RELEASES["hermes-current"])
    return output if at is None else restated(output, listed[at], at, RELEASES["hermes-current"])


def compacted(listed: list[dict[str, Any]]) -> list[Output]:
    """Return the list after a compaction that keeps the first message and the last two of five."""
    summary = Output(assistant("summary"), "summary")
    return [Output(listed[0], 0), summary, Output(listed[3], 3), Output(listed[4], 4)]


def test_an_unfinished_request_of_the_head_is_repeated_after_the_summary() -> None:
    asked = [user("build it"), assistant("", call("a")), result("a", "x")]
    listed = [*asked, assistant("", call("b")), result("b", "y")]
    left = restate(compacted(listed), listed)
    # Its original leaves the head, so the summary is first in the list, with the user's role and the request.
    assert [(out.source, out.role) for out in left] == [("summary", "user"), (3, "assistant"), (4, "tool")]
    assert left[0].wire["content"] == f"summary\n\n{HEADER}\nbuild it"


def test_a_request_of_a_split_turn_is_after_the_tail() -> None:
    listed = [user("hello"), assistant("hi"), user("build it"), assistant("", call("a")), result("a", "x")]
    left = restate(compacted(listed), listed)
    assert [out.source for out in left] == [0, "summary", 3, 4, "restated"]
    assert left[-1].wire == {"role": "user", "content": f"{HEADER}\nbuild it"}


@pytest.mark.parametrize(
    ("tail", "again"),
    [([], True), ([assistant("done")], False), ([assistant(" ")], True), ([assistant("", call("c"))], True)],
)
def test_a_request_is_unfinished_until_it_is_answered_in_words(
    tail: list[dict[str, Any]], again: bool
) -> None:
    assert (unfinished([user("build it"), *tail], RELEASES["hermes-current"]) == 0) is again


def test_a_restated_request_does_not_collect_headers() -> None:
    listed = [user(f"{HEADER}\nbuild it"), assistant("", call("a"))]
    left = restate([Output(user("summary"), "summary"), Output(assistant("so"), 1)], listed)
    assert left[-1].wire["content"] == f"{HEADER}\nbuild it"


def test_calls_that_wait_for_their_results_stay_in_current_sources() -> None:
    output = [Output(assistant("", call("a")), 0), Output(user("go"), 1), Output(assistant("", call("b")), 2)]
    policies = RELEASES["hermes-current"]
    assert ["tool_calls" in out.wire for out in with_repaired_pairs(output, policies)] == [
        False,
        False,
        False,
    ]
    assert [
        "tool_calls" in out.wire for out in with_repaired_pairs(output, policies, keeps_pending=True)
    ] == [
        False,
        False,
        True,
    ]


@given(conversations(least=3))
def test_plans_of_texts_keep_to_their_list(messages: tuple[Message, ...]) -> None:
    for name in ("hermes-0.20", "hermes-current"):
        found = engine(name)
        index = found.measure(messages)
        plan = found.plan(index, SMALL)
        head, tail = plan.regions()
        assert 0 <= head <= tail <= len(messages) == plan.length
        assert index.total() == index.rough_until(len(messages)) == plan.tokens_before
        if plan.compacts:
            output = assemble(found, messages, plan, "a summary")
            sources = [out.source for out in output]
            kept = [source for source in sources if isinstance(source, int)]
            # The message with the summary is first in the list if a restated request left it.
            stays = [out.source for out in output if isinstance(out.source, int) and not out.merged]
            assert stays == sorted(stays)
            assert all(source < head or source >= tail for source in kept)
            assert ("summary" in sources) is not plan.merged
