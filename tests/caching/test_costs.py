"""Costs of requests and compactions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from inspector.caching.costs import CompactionUsage, Cost, Rates, bill, request_cost, total
from tests.caching.test_misses import request

OPUS = Rates(5.0, 25.0, 0.5, 6.25, 10.0, "a list", "2026-11-22")
#: The median compaction of real sessions: 158k before, 53k after, 25k written for an hour, a summary of 3k.
MEDIAN = CompactionUsage(158_000, 53_000, 25_000, 3_000, warm=True, hour=True, later=40)


def test_a_request_costs_what_it_sent_wrote_and_answered() -> None:
    made = request(1, 100_000, 20_000, 0.0, input=1_000, cache_write_1h=10_000, output=2_000)
    cost = request_cost(made, OPUS)
    assert cost is not None
    assert cost.read == pytest.approx(0.005 + 0.05)
    assert cost.write == pytest.approx(0.0625 + 0.1)
    assert cost.output == pytest.approx(0.05)
    assert cost.amount == pytest.approx(0.2675)


def test_no_part_is_negative_if_more_is_written_for_an_hour_than_in_all() -> None:
    made = request(1, 0, 0, 0.0, input=0, cache_write_1h=10_000, output=0)
    for rates in (OPUS, replace(OPUS, cache_write_5m=None)):
        cost = request_cost(made, rates)
        assert cost is not None
        assert cost.write == pytest.approx(0.1)


def test_a_missing_price_is_not_zero() -> None:
    rates = replace(OPUS, cache_write_1h=None)
    assert request_cost(request(1, 100, 0, 0.0), rates) is not None
    assert request_cost(request(1, 100, 50, 0.0, cache_write_1h=50), rates) is None
    assert bill(MEDIAN, rates) is None
    assert total([Cost(1, 1, 1), None]) is None
    assert total([]) is None


def test_a_compaction_pays_off_after_some_requests() -> None:
    made = bill(MEDIAN, OPUS)
    assert made is not None
    assert made.cost.amount == pytest.approx(0.079 + 0.075 + 0.25)
    assert (made.requests_to_pay_off, made.paid_off) == (8, True)
    assert "break-even reached: it needs 8 requests, 40 followed" in made.words
    never = bill(replace(MEDIAN, later=7), OPUS)
    assert never is not None
    assert never.words.endswith("; break-even not reached: it needs 8 requests, 7 followed")


def test_uncached_tokens_are_paid_in_full() -> None:
    cold = bill(replace(MEDIAN, warm=False), OPUS)
    assert cold is not None
    assert cold.cost.read == pytest.approx(0.79)
    larger = bill(replace(MEDIAN, after=200_000), OPUS)
    assert larger is not None
    assert larger.requests_to_pay_off is None
    assert larger.words.endswith("no later request is cheaper")


@given(
    st.tuples(*[st.integers(0, 500_000)] * 4),
    st.tuples(*[st.floats(0.01, 100)] * 5),
)
def test_doubling_prices_doubles_money(tokens: tuple[int, ...], prices: tuple[float, ...]) -> None:
    read, write, sent, output = tokens
    made = request(1, read, write, 0.0, input=sent, output=output)
    one = request_cost(made, Rates(*prices))
    two = request_cost(made, Rates(*(2 * price for price in prices)))
    assert one is not None
    assert two is not None
    assert two.amount == pytest.approx(2 * one.amount)
