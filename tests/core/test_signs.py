"""One sign for one meaning."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from inspector.core.signs import CHANGE_SIGNS, FATE_SIGNS, ROUGH, SEVERITY_SIGNS, STATE_SIGNS
from inspector.quality.facts.fact import OUTCOMES
from inspector.quality.finding import SEVERITIES
from inspector.summaries.lineage import STATES
from inspector.summaries.summary import CHANGES

TABLES = (SEVERITY_SIGNS, FATE_SIGNS, CHANGE_SIGNS, STATE_SIGNS)


@pytest.mark.parametrize("table", TABLES)
def test_no_two_meanings_share_a_sign(table: Mapping[str, str]) -> None:
    assert len(set(table.values())) == len(table)
    assert ROUGH not in table.values()


def test_a_word_has_one_sign() -> None:
    signs: dict[str, set[str]] = {}
    for table in TABLES:
        for word, sign in table.items():
            signs.setdefault(word, set()).add(sign)
    assert all(len(found) == 1 for found in signs.values())


def test_everything_has_a_sign() -> None:
    assert set(SEVERITY_SIGNS) == set(SEVERITIES)
    assert set(FATE_SIGNS) == {*OUTCOMES, "at risk"}
    assert set(CHANGE_SIGNS) == set(CHANGES)
    assert set(STATE_SIGNS) == set(STATES)
