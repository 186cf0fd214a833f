"""Exact counts as a column that behaves like a mapping."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.app.conversation.token_counts import Counts


@given(st.lists(st.tuples(st.integers(-1, 40), st.integers(0, 10**7) | st.none()), max_size=60))
def test_counts_are_a_mapping(changes: list[tuple[int, int | None]]) -> None:
    counts, wanted = Counts(), dict[int, int]()
    for index, tokens in changes:
        if tokens is None:
            assert counts.pop(index, None) == wanted.pop(index, None)
        else:
            counts[index] = wanted[index] = tokens
    assert counts == wanted
    assert list(counts) == sorted(wanted)
    assert (len(counts), sum(counts.values())) == (len(wanted), sum(wanted.values()))
    assert [counts.get(index) for index in range(-3, 43)] == [wanted.get(index) for index in range(-3, 43)]


def test_an_uncounted_message_has_no_entry() -> None:
    counts = Counts()
    counts.update({-1: 5, 3: 7})
    assert (-1 in counts, 0 in counts, 3 in counts, -2 in counts) == (True, False, True, False)
    with pytest.raises(KeyError):
        del counts[1]
