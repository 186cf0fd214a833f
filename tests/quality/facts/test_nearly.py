"""How nearly two sentences are the same, word for word: the quick way gives what the plain one does."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inspector.quality.facts.fates.nearly import _mistyped, in_order, spoken_words

WORDS = st.sampled_from(
    [
        "the",
        "boat",
        "boats",
        "quay",
        "painted",
        "paintd",
        "lamp",
        "lamps",
        "keep",
        "harbour",
        "harbor",
        "harbours",
        "12",
        "13",
        "a",
    ]
)


def plainly(words: tuple[str, ...], theirs: tuple[str, ...], typed: bool) -> float:
    """Every word of the one beside every word of the other."""
    best = 0.0
    above = [0.0] * (len(theirs) + 1)
    for word in words:
        row = [0.0]
        for at, other in enumerate(theirs):
            score = max(above[at + 1], row[at] - 0.25)
            if word == other or (typed and word[0] == other[0] and _mistyped(word, other)):
                score = max(score, above[at] + 1.0)
            row.append(score)
        best = max(best, *row)
        above = row
    return best


@given(
    st.lists(WORDS, max_size=14).map(tuple),
    st.lists(st.one_of(WORDS, st.text("xyz", min_size=1, max_size=3)), max_size=30).map(tuple),
    st.booleans(),
)
def test_words_in_order_are_those_of_a_plain_comparison(
    words: tuple[str, ...], theirs: tuple[str, ...], typed: bool
) -> None:
    assert in_order(words, theirs, typed) == plainly(words, theirs, typed)


def test_what_stands_between_costs_something_and_a_slip_does_not() -> None:
    told = spoken_words("Paint the boats of the harbour")
    assert in_order(told, told, False) == len(told)
    assert in_order(told, spoken_words("Paint all the boats of the harbour"), False) == len(told) - 0.25
    assert in_order(told, spoken_words("Paint the boats of the habrour"), True) == len(told)
    assert in_order(told, spoken_words("Paint the boats of the habrour"), False) == len(told) - 1
    assert in_order(told, (), True) == 0.0
