"""A live list as columns has the same token index, and so the same plans, as the list read again."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from inspector.core.conversations import ASSISTANT, TOOL, USER
from inspector.core.messages import Message
from inspector.engines.base import Settings
from inspector.engines.hermes.columns import MessageColumns
from inspector.engines.hermes.engine import HermesEngine
from inspector.engines.hermes.live_columns import LiveColumns, token_index_until
from inspector.engines.hermes.message_stats import ListStats, MessageStats
from inspector.engines.hermes.planner import Planner
from inspector.engines.hermes.policies import Policies
from inspector.engines.hermes.release import Cut
from inspector.engines.hermes.releases import RELEASES
from inspector.engines.hermes.stats_reader import read_stats
from inspector.engines.sizes import MessageSize
from tests.engines.lists import conversations
from tests.examples import also

PROFILES = also("hermes-0.19", *sorted(RELEASES.keys() - {"hermes-0.19"}))
SMALL = Settings(context_length=4_000, threshold=0.3)


@pytest.mark.parametrize("profile", PROFILES)
@given(messages=conversations(least=5), cut=st.integers(1, 60))
def test_the_plan_of_a_prefix_is_that_of_the_shorter_list(
    profile: str, messages: tuple[Message, ...], cut: int
) -> None:
    calls = [call.id for message in messages for call in message.tool_calls]
    # The whole list decides which call a result with a reused id answers.
    assume(len(set(calls)) == len(calls))
    engine = HermesEngine(RELEASES[profile])
    stats, troubles = read_stats(messages, engine.policies)
    columns = MessageColumns(stats, engine.policies, troubles)
    stop = min(cut, len(messages))
    wanted = SMALL.with_(profile=profile)
    assert engine.plan(token_index_until(columns, stop), wanted) == engine.plan(
        engine.measure(messages[:stop]), wanted
    )


@pytest.mark.parametrize("profile", PROFILES)
@given(messages=conversations(least=8))
def test_the_list_after_a_compaction_has_the_planned_size(
    profile: str, messages: tuple[Message, ...]
) -> None:
    engine = HermesEngine(RELEASES[profile])
    wanted = SMALL.with_(profile=profile)
    listed = LiveColumns(MessageColumns(read_stats(messages, engine.policies)[0], engine.policies))
    listed.extend(len(messages))
    token_index = listed.token_index()
    plan = engine.plan(token_index, wanted)
    cut = Planner(engine.policies, token_index, wanted, 0, plan.budgets).cut(None)
    assert bool(cut.reason) is not plan.compacts
    if not plan.compacts:
        return
    head, tail = plan.regions()
    assert cut.regions(len(messages)) == (head, tail)
    assert listed.messages(head, tail) == list(range(head, tail))
    listed.replace(cut, token_index, MessageSize(100, 400, 0))
    assert len(listed) == head + len(messages) - tail + (not plan.merged or tail == len(messages))
    assert listed.messages(0, len(listed)) == [*range(head), *range(tail, len(messages))]
    after = listed.token_index().total()
    # Each region is rounded up separately.
    assert abs(after - (plan.head_tokens + 100 + plan.tail_tokens)) <= 3


def test_a_list_grows_by_stretches() -> None:
    engine = HermesEngine(RELEASES["hermes-0.13"])
    text = "the same long answer " * 20
    messages = tuple(
        Message(
            {"role": "tool", "content": text if index % 3 == 0 else f"{index}", "tool_call_id": f"{index}"}
        )
        for index in range(12)
    )
    stats = read_stats(messages, engine.policies)[0]
    grown = LiveColumns(MessageColumns(stats, engine.policies))
    grown.extend(5)
    assert grown.token_index().duplicates == [0]
    grown.extend(12)
    assert grown.token_index().duplicates == [0, 3, 6]
    index = grown.token_index()
    assert index.total() == engine.measure(messages).total()
    # A request has repeated results in full; only a compaction replaces them.
    assert [index.rough_until(stop) for stop in range(13)] == [
        engine.measure(messages[:stop]).total() for stop in range(13)
    ]


def stats_lists() -> st.SearchStrategy[list[MessageStats]]:
    """Make messages of any size, results that pruning shortens, and equal results."""
    sizes = st.builds(
        lambda size, pictures: MessageSize(size // 4 + 10, size, pictures),
        st.integers(1, 9_000),
        st.sampled_from([0, 0, 0, 1]),
    )
    shorts = st.none() | st.builds(lambda size: MessageSize(size // 4 + 10, size, 0), st.integers(1, 9_000))
    hands = st.sampled_from([(False, False)] * 6 + [(True, False), (True, True)])
    repeated = st.builds(
        lambda role, now, hand: MessageStats(role, False, now, handoff=hand[0], has_text=True),
        st.sampled_from([USER, ASSISTANT]),
        sizes,
        hands,
    )
    called = st.builds(lambda now, short: MessageStats(ASSISTANT, True, now, short), sizes, shorts)
    answered = st.builds(
        lambda now, short, text, hand: MessageStats(
            TOOL, False, now, short, MessageSize(20, 70, 0), text, hand[0], hand[1] and short is not None
        ),
        sizes,
        shorts,
        st.sampled_from([None, b"text 1", b"text 2", b"text 3"]),
        hands,
    )
    return st.lists(st.one_of(repeated, called, answered, answered), min_size=8, max_size=60)


def columns_of(stats: list[MessageStats], policies: Policies) -> MessageColumns:
    columns = ListStats()
    for found in stats:
        columns.append(found)
    return MessageColumns(columns, policies)


def compacted(
    listed: list[MessageStats], cut: Cut, duplicates: Sequence[int], summary: MessageSize
) -> list[MessageStats]:
    """Do the same compaction on a plain list, message by message."""
    stands = list(listed)
    for at, found in enumerate(listed):
        new = found.repeated if at in duplicates else found.short if at < cut.prune_before else None
        if new is not None:
            handoff = found.handoff and not found.erasable
            stands[at] = MessageStats(
                found.role, found.calls, new, None, None, None, handoff, False, found.has_text
            )
    head, tail = cut.regions(len(listed))
    if cut.merged and tail < len(listed):
        found = stands[tail]
        now = MessageSize(*(a + b for a, b in zip(found.now, summary, strict=True)))
        merged = MessageStats(found.role, found.calls, now, None, None, None, True, False, found.has_text)
        return [*stands[:head], merged, *stands[tail + 1 :]]
    role = USER if cut.role == "user" else ASSISTANT
    made = MessageStats(role, False, summary, None, None, None, True, False, role == ASSISTANT)
    return [*stands[:head], made, *stands[tail:]]


@pytest.mark.parametrize("profile", PROFILES)
@given(stats=stats_lists(), stops=st.lists(st.integers(1, 12), min_size=1, max_size=20), data=st.data())
def test_a_list_after_many_compactions_equals_the_same_list_read_again(
    profile: str, stats: list[MessageStats], stops: list[int], data: st.DataObject
) -> None:
    """After any compactions, the plan equals that of the plain list that they leave."""
    engine = HermesEngine(RELEASES[profile])
    if not engine.policies.deduplicates:
        stats = [found._replace(digest=None) for found in stats]
    wanted = Settings(
        profile=profile,
        context_length=data.draw(st.sampled_from([4_000, 30_000, 70_000])),
        threshold=0.3,
        target_ratio=data.draw(st.sampled_from([0.1, 0.4, 0.8])),
        protect_first_n=data.draw(st.sampled_from([0, 1, 3])),
        protect_last_n=data.draw(st.sampled_from([0, 2, 9])),
    )
    numbers = engine.budgets(wanted)
    live = LiveColumns(columns_of(stats, engine.policies))
    plain: list[MessageStats] = []
    at = compactions = 0
    for stop in stops:
        if at == len(stats):
            break
        plain += stats[at : at + stop]
        at = min(at + stop, len(stats))
        live.extend(at)
        token_index, anew = (
            live.token_index(),
            token_index_until(columns_of(plain, engine.policies), len(plain)),
        )
        assert list(token_index.duplicates) == list(anew.duplicates)
        assert engine.plan(token_index, wanted, compactions) == engine.plan(anew, wanted, compactions)
        assert (live.total_chars, live.total_images) == (anew.total_chars, anew.total_images)
        cut = Planner(engine.policies, token_index, wanted, compactions, numbers).cut(None)
        if cut.reason:
            continue
        summary = MessageSize(110, 400, 0)
        plain = compacted(plain, cut, token_index.duplicates, summary)
        live.replace(cut, token_index, summary)
        compactions += 1
