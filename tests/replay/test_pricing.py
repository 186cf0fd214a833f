"""Costs of a conversation with compactions at other places: sums of stretches, and call by call."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from inspector.caching.costs import Rates
from inspector.replay.event import Event
from inspector.replay.pricing import CostBasis, PricedCall, PricedCompaction, Stretches
from tests.caching.test_costs import OPUS
from tests.counting import lines_run

#: Ten messages of 1,000 rough tokens after a system prompt of 4,000, with a call before every second message.
PLAIN = tuple(range(4_000, 15_000, 1_000))
#: Prompts of more than 9,000 tokens cost twice as much.
DEAR = replace(OPUS, steps=((9_000, Rates(10.0, 50.0, 1.0, 12.5, 20.0)),))


class EachCall(Stretches):
    """Prices without stretches, so that every call is priced singly."""

    def hold(self, start: int, stop: int, more: float, min_cached: int) -> bool:
        return False


def calls(rates: Rates = OPUS, count: int = 5, **changes: object) -> list[PricedCall]:
    """Return warm calls: each reads the tokens of the call before and writes 2,000 more."""
    made, before = [], 0
    for number in range(count):
        sent = 6_000 + 2_000 * number
        read, written = before, sent - before
        cost = (read * 0.5 + written * 6.25 + 500 * 25) / 1e6
        made.append(
            PricedCall(
                2 * number + 1,
                sent,
                read,
                written,
                0,
                500,
                0.0,
                1.0 if number else 0.0,
                False,
                False,
                cost,
                rates,
            )
        )
        before = sent
    return [one._replace(**changes) for one in made]


def cold(call: PricedCall) -> PricedCall:
    """Return the same call after a pause longer than the time to live."""
    cost = (call.sent * 6.25 + 500 * 25) / 1e6
    return call._replace(expired=True, read=0, written=call.sent, read_share=0.0, cost=cost)


def basis(rates: Rates = OPUS, **changes: object) -> CostBasis:
    return CostBasis(calls(rates, **changes), PLAIN, ())


def event(step: int, before: int, after: int, head: int = 1, summary: int = 200) -> Event:
    return Event(step, "agent", step, 3, head, step - 1, before, after, before, after, summary=summary)


def test_a_run_without_compactions_has_the_recorded_cost() -> None:
    assert basis().cost([]) == pytest.approx(sum(call.cost for call in calls()))


def test_after_a_compaction_the_start_is_read_and_prompts_are_shorter() -> None:
    """A compaction before the third call: from 9,000 rough tokens to 6,000, with 5,000 from the start."""
    first, second, third, fourth, fifth = calls()
    cost = basis().cost([event(5, 9_000, 6_000)])
    summarizing = (third.sent * 5 + 200 * 25) / 1e6
    # 7,000 are sent instead of 10,000. All but the 1,000 after the head and the system prompt are read.
    compacted = ((7_000 - 1_000) * 0.5 + 1_000 * 6.25 + 500 * 25) / 1e6
    later = sum(call.cost - 3_000 * 0.5 / 1e6 for call in (fourth, fifth))
    assert cost == pytest.approx(first.cost + second.cost + summarizing + compacted + later)


def test_a_compaction_that_is_left_out_leaves_prompts_longer() -> None:
    made = calls()
    made[2] = made[2]._replace(after_compaction=True, read=4_000, written=6_000)
    recorded = CostBasis(made, PLAIN, [PricedCompaction(5, 9_000, 6_000, 0.25)])
    paid = sum(call.cost for call in made)
    assert recorded.cost([event(5, 9_000, 6_000)]) == pytest.approx(paid + 0.25)
    left_out = recorded.cost([])
    # Three calls are 3,000 longer and read that; the first reads cached tokens instead of writing them.
    warm = made[2]._replace(read=8_000, written=2_000 + 3_000)
    third = (warm.read * 0.5 + warm.written * 6.25 + 500 * 25) / 1e6
    assert left_out == pytest.approx(
        made[0].cost + made[1].cost + third + sum(call.cost + 3_000 * 0.5 / 1e6 for call in made[3:])
    )


def test_a_pause_that_is_too_long_is_too_long_in_a_what_if() -> None:
    paused = calls()
    paused[3] = cold(paused[3])
    cost = CostBasis(paused, PLAIN, ()).cost([event(5, 9_000, 6_000)])
    warm = basis().cost([event(5, 9_000, 6_000)])
    # 9,000 are written: 7,000 of these were read.
    assert cost - warm == pytest.approx(7_000 * (6.25 - 0.5) / 1e6)


EVENTS = st.lists(
    st.tuples(st.integers(1, 10), st.integers(1, 3_000)), max_size=3, unique_by=lambda one: one[0]
)


@given(EVENTS, st.sets(st.integers(1, 4)), st.integers(0, 12_000), st.booleans(), st.booleans())
def test_sums_of_stretches_are_the_sums_of_calls(
    drawn: list[tuple[int, int]], gone: set[int], min_cached: int, dear: bool, compacted: bool
) -> None:
    events = [event(step, PLAIN[step], max(1, PLAIN[step] - less)) for step, less in sorted(drawn)]
    made = [cold(call) if number in gone else call for number, call in enumerate(calls())]
    if dear:
        made = [call._replace(cost=call.cost * (1 + (call.sent > 9_000)), rates=DEAR) for call in made]
    recorded = [PricedCompaction(6, 10_000, 3_000, 0.25)] if compacted else []
    made[3] = made[3]._replace(after_compaction=compacted)
    found = CostBasis(made, PLAIN, recorded, min_cached=min_cached)
    slow = CostBasis(made, PLAIN, recorded, min_cached=min_cached)
    slow.__dict__["stretches"] = EachCall(made, True)
    assert found.cost(events) == pytest.approx(slow.cost(events))


def test_the_work_of_a_run_depends_on_its_compactions_and_not_on_its_calls() -> None:
    """Ten times the calls are hardly more work, so a turn of a knob stays within a frame."""
    plain = tuple(range(4_000, 4_000 + 1_000 * 2_001, 1_000))
    events = [event(101, 105_000, 40_000)]
    work = []
    for count in (100, 1_000):
        basis = CostBasis(calls(count=count), plain, ())
        basis.cost(())
        work.append(lines_run(basis.cost, events))
    assert work[1] <= work[0] + 20


def test_the_prices_of_larger_prompts_are_those_of_their_size() -> None:
    priced = [call._replace(cost=call.cost * (2 if call.sent > 9_000 else 1)) for call in calls(DEAR)]
    found = CostBasis(priced, PLAIN, ())
    assert found.cost([]) == pytest.approx(sum(call.cost for call in priced))
    # 4,000 fewer in each call: no call is above the price step any more.
    shorter = found.cost([event(1, 5_000, 1_000)]) - (6_000 * 5 + 200 * 25) / 1e6
    assert shorter < sum(call.cost for call in calls())
