"""Stats of messages: columns return their values, pruned sizes need no texts, and memory is small."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.core.conversations import ASSISTANT
from inspector.core.messages import Message, messages_from
from inspector.engines.hermes.live_columns import measure
from inspector.engines.hermes.message_stats import ListStats, MessageStats
from inspector.engines.hermes.pruning import RELEASE_ERRORS, Facts, Tool, extent_of, lengths, line_about
from inspector.engines.hermes.releases import RELEASES
from inspector.engines.hermes.stats_reader import read_stats
from inspector.engines.sizes import MessageSize
from tests.conformance.lists import KEYS, TOOLS
from tests.engines.lists import assistant, call, result

_texts = st.text() | st.sampled_from(["it's", 'it\'s "both"', "new\nline\t", "é\x00\u200b", "long " * 40])
_values = _texts | st.none() | st.integers() | st.lists(_texts, max_size=3) | st.lists(st.just({"url": "u"}))
_arguments = st.one_of(
    st.dictionaries(st.sampled_from(KEYS), _values, max_size=5).map(json.dumps),
    st.sampled_from(["", "{bad", "[1, 2]", "5", "null"]),
    st.none() | st.integers() | st.dictionaries(st.text(), st.integers(), max_size=1),
)
_tools = st.tuples(st.sampled_from([*TOOLS, "x'y", None, 5, ["l"]]), _arguments)
_digits = st.from_regex(r"-?[0-9]{1,20}", fullmatch=True) | st.just("?")
_facts = st.builds(Facts, st.integers(0, 10**9), st.integers(0, 10**7), _digits, _digits)


@pytest.mark.parametrize("profile", sorted(RELEASES))
@given(tool=_tools, facts=_facts)
def test_the_length_of_a_line_follows_from_its_extent_and_facts(
    profile: str, tool: Tool, facts: Facts
) -> None:
    policies = RELEASES[profile]
    extent = extent_of(tool, policies)
    if policies.placeholder:
        assert (extent.facts, extent.raises) == (0, "")
        return
    raises = ""
    try:
        line = line_about(tool, facts, policies)
    except RELEASE_ERRORS as error:
        line, raises = "", type(error).__name__
    growth = extent.growth(*lengths(facts))
    assert extent.raises == raises
    assert (extent.chars + growth, extent.printed + growth) == (len(line), len(repr(line)))


_numbers = st.builds(MessageSize, *[st.integers(0, 10**12)] * 3)
_stats = st.builds(
    MessageStats,
    st.integers(0, 5),
    st.booleans(),
    _numbers,
    st.none() | _numbers,
    st.none() | _numbers,
    st.none() | st.binary(min_size=6, max_size=6),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)


@given(st.lists(_stats))
def test_columns_return_their_values(given_stats: list[MessageStats]) -> None:
    columns = ListStats()
    for found in given_stats:
        columns.append(found)
    both = ListStats()
    both.extend(columns, 0, len(columns))
    both.extend(columns, 1, 3)
    expected = [*given_stats, *given_stats[1:3]]
    assert list(both.roles) == [found.role for found in expected]
    assert [both.now.of(at) for at in range(len(both))] == [found.now for found in expected]
    assert [both.short.of(at) for at in range(len(both))] == [found.short or found.now for found in expected]
    assert [both.repeated.of(at) for at in range(len(both))] == [
        found.repeated or found.now for found in expected
    ]
    assert list(both.shorts) == [found.short is not None for found in expected]
    assert list(both.calls) == [found.calls for found in expected]
    assert list(both.speaking) == [found.has_text and found.role == ASSISTANT for found in expected]


def test_every_result_of_an_id_answers_the_last_call_of_it() -> None:
    long = "x" * 400
    reused = [
        assistant(None, call("c", "terminal")),
        result("c", long),
        assistant(None, call("c", "todo")),
        result("c", long + "y"),
    ]
    found, _ = read_stats(messages_from(reused), RELEASES["hermes-0.13"])
    shell = found.now.of(1).chars - len(repr(long))
    assert found.shorts[1]
    assert found.short.of(1).chars == shell + len(repr("[todo] updated task list"))


def test_reading_a_list_keeps_neither_texts_nor_an_object_per_message() -> None:
    count, size = 500, 4_000

    def wires() -> Iterator[Message]:
        for number in range(count):
            wire: Any = call(f"call {number}", "write_file", json.dumps({"content": f"{number:{size}}"}))
            yield Message(assistant(None, wire))
            yield Message(result(f"call {number}", f"{number:{size}}"))

    policies = RELEASES["hermes-0.19"]
    measure(messages_from([assistant("warm")]), policies)
    tracemalloc.start()
    try:
        token_index = measure(wires(), policies)
        left, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(token_index) == 2 * count
    assert most < 2 * count * 300
    assert left < 2 * count * 120
