"""Costs of misses and idling, and costs with another time to live or a keep-alive."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from inspector.caching.costs import Rates, request_cost
from inspector.caching.idle import IdleCosts, idle_costs, keep_alive_gap, with_ttl
from inspector.caching.misses import JudgedRequest, judge
from inspector.caching.modelled import modelled_requests
from inspector.caching.priced import PricedRequest, read_back
from inspector.core.conversations import Request
from tests.caching.test_costs import OPUS
from tests.caching.test_misses import request, sent

#: Ten minutes pause between the second request and the third, two hours before the last.
PAUSED = [
    request(1, 0, 50_000, 1_000.0),
    request(2, 50_000, 2_000, 1_060.0),
    request(3, 0, 54_000, 1_660.0),
    request(4, 54_000, 1_000, 1_700.0),
    request(5, 0, 56_000, 8_900.0),
]


def idling(judged: Sequence[JudgedRequest], rates: Rates | None) -> IdleCosts:
    costs = (None if rates is None else request_cost(one.request, rates) for one in judged)
    return idle_costs([PricedRequest(one, cost, rates) for one, cost in zip(judged, costs, strict=True)])


def test_a_pause_costs_writing_the_readable_tokens_again() -> None:
    idle = idling(judge(PAUSED), OPUS)
    assert (idle.misses, idle.tokens) == (2, 52_000 + 55_000)
    assert idle.more == pytest.approx(107_000 * (6.25 - 0.5) / 1e6)
    assert idle.words[0] == (
        "2 requests came after the cache had expired and sent 107,000 tokens again: 0.62 US dollars more than reading "
        "them."
    )


def test_an_hour_survives_the_short_pause_and_writes_cost_more() -> None:
    judged = judge(PAUSED)
    hour = list(with_ttl(judged, hour=True))
    assert [one.cache_read for one in hour] == [0, 50_000, 52_000, 54_000, 0]
    assert [one.cache_write for one in hour] == [one.cache_write_1h for one in hour]
    assert [one.context for one in hour] == [one.context for one in PAUSED]
    idle = idling(judged, OPUS)
    assert idle.other is not None
    assert idle.cost is not None
    written = 50_000 + 2_000 + 2_000 + 1_000 + 56_000
    assert idle.other.write == pytest.approx(written * 10 / 1e6)
    assert "With a cache of 1 hour instead of 5 minutes, all" in idle.words[1]


def test_five_minutes_write_tokens_again_that_an_hour_kept() -> None:
    hours = [replace(one, cache_write_1h=one.cache_write) for one in PAUSED]
    hours[2] = replace(hours[2], cache_read=52_000, cache_write=2_000, cache_write_1h=2_000)
    judged = judge(hours)
    assert [one.cause for one in judged] == ["first", None, None, None, "ttl"]
    assert [one.cache_read for one in with_ttl(judged, hour=False)] == [0, 50_000, 0, 54_000, 0]
    assert idling(judged, OPUS).hour


def test_a_keep_alive_pays_as_long_as_reading_costs_less_than_writing() -> None:
    assert keep_alive_gap(OPUS, hour=False) == 12 * 300
    assert keep_alive_gap(replace(OPUS, cache_read=0.25), hour=False) == 24 * 300
    assert keep_alive_gap(OPUS, hour=True) == 19 * 3600
    assert keep_alive_gap(replace(OPUS, cache_read=0.0), hour=False) is None
    assert keep_alive_gap(None, hour=False) is None
    idle = idling(judge(PAUSED), OPUS)
    # One keep-alive in the pause of ten minutes; two hours are too long.
    assert idle.saved == pytest.approx(52_000 * (6.25 - 0.5 - 0.5) / 1e6)
    assert idle.words[2].startswith(
        "Calls that keep the cache alive cost less than a miss for pauses of up to 60 minutes; "
        "they would have saved 0.27"
    )


def test_without_writes_there_is_nothing_to_keep() -> None:
    plain = [replace(one, cache_write=0, input=one.cache_write) for one in PAUSED]
    idle = idling(judge(plain), OPUS)
    assert (idle.cost, idle.other, idle.gap) == (None, None, None)


def test_a_missing_price_is_noted() -> None:
    idle = idling(judge(PAUSED), None)
    assert (idle.more, idle.cost, idle.other, idle.saved) == (None, None, None, None)
    assert idle.words == ("2 requests came after the cache had expired and sent 107,000 tokens again.",)
    (_, missed) = judge([PAUSED[0], request(2, 0, 52_000, 5_000.0)])
    assert PricedRequest(missed, None, replace(OPUS, cache_read=None)).more is None


COUNTS = st.integers(0, 200_000)
REQUESTS = st.lists(
    st.builds(
        lambda read, write, sent, pause: (read, write, sent, pause),
        COUNTS,
        COUNTS,
        COUNTS,
        st.integers(1, 9_000),
    ),
    min_size=1,
    max_size=12,
)


def _requests(drawn: list[tuple[int, int, int, int]]) -> list[Request]:
    at, made = 1_000.0, []
    for index, (read, write, sent_tokens, pause) in enumerate(drawn, 1):
        at += pause
        made.append(request(index, read, write, at, input=sent_tokens))
    return made


@given(REQUESTS, st.booleans())
def test_no_token_appears_or_disappears(drawn: list[tuple[int, int, int, int]], hour: bool) -> None:
    """For any time to live, prompts keep their length, and no number is negative."""
    judged = judge(_requests(drawn))
    for one, back, other in zip(judged, map(read_back, judged), with_ttl(judged, hour), strict=True):
        assert back.context == other.context == one.request.context
        for made in (back, other):
            assert min(made.input, made.cache_read, made.cache_write, made.cache_write_1h or 0) >= 0


@given(st.lists(st.integers(1, 9_000), min_size=3, max_size=3))
def test_a_modelled_conversation_kept_for_an_hour_is_the_same_either_way(pauses: list[int]) -> None:
    """A model with an hour, and a model with five minutes changed to an hour, have the same requests."""
    times = [1_000.0] * 6
    for place, pause in zip((1, 3, 5), pauses, strict=True):
        times[place:] = [times[place - 1] + pause] * (6 - place)
    short, long = (
        list(modelled_requests([sent(times)], "claude-sonnet-5", True, hour)) for hour in (False, True)
    )
    assert list(with_ttl(judge(short), hour=True)) == long
    assert [replace(one, cache_write_1h=0) for one in with_ttl(judge(long), hour=False)] == short


@given(REQUESTS, st.floats(0.1, 100))
def test_doubling_prices_doubles_what_idling_costs(
    drawn: list[tuple[int, int, int, int]], price: float
) -> None:
    judged = judge(_requests(drawn))
    rates = Rates(price, 5 * price, 0.1 * price, 1.25 * price, 2 * price)
    twice = Rates(
        *(2 * (rate or 0) for rate in (rates.input, rates.output, rates.cache_read, 1.25 * price, 2 * price))
    )
    one, two = (idling(judged, given_rates) for given_rates in (rates, twice))
    assert two.more == pytest.approx(2 * (one.more or 0))
    if one.other is not None and two.other is not None:
        assert two.other.amount == pytest.approx(2 * one.other.amount)
    spent = sum(cost.amount for j in judged if (cost := request_cost(j.request, rates)) is not None)
    if one.cost is not None:
        assert one.cost.amount == pytest.approx(spent)
