"""Possible and impossible times."""

from __future__ import annotations

import shutil
import sqlite3
from datetime import UTC, datetime
from math import inf, nan
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.core.times import LATEST, calendar_time, has_no_calendar_time
from tests.conftest import ROOT
from tests.program import Run

NAME = "Move checkout to orders-v2"


@given(st.floats())
def test_every_time_is_one_of_the_calendar(value: float) -> None:
    time = calendar_time(value)
    assert 0 <= time < LATEST
    datetime.fromtimestamp(time, UTC)


@pytest.mark.parametrize(
    ("value", "time"),
    [
        (1_700_000_000, 1_700_000_000.0),
        (1_700_000_000_000, 1_700_000_000.0),
        (0, 0.0),
        (-5, 0.0),
        (3e11, 0.0),
        (1e300, 0.0),
        (nan, 0.0),
        (inf, 0.0),
    ],
)
def test_milliseconds_are_converted_and_other_numbers_dropped(value: float, time: float) -> None:
    assert calendar_time(value) == time
    assert has_no_calendar_time(value) == (value != 0 and time == 0)


@pytest.mark.parametrize("time", [3e11, 1.7e12])
def test_a_row_with_such_a_time_stops_no_command(program: Run, tmp_path: Path, time: float) -> None:
    path = Path(shutil.copy(ROOT / "fixtures" / "hermes-0.13-rotating.db", tmp_path / "odd.db"))
    database = sqlite3.connect(path)
    database.execute("UPDATE messages SET timestamp = ? WHERE id % 5 = 0", (time,))
    database.execute("UPDATE sessions SET started_at = ?, ended_at = ? WHERE rowid % 2 = 0", (time, time))
    database.commit()
    database.close()
    for words in (
        ("conversations",), ("losses",), ("requests", NAME), ("findings", NAME), ("compactions", NAME),
        ("replay", NAME), ("facts", NAME), ("measures", NAME), ("report", NAME, "--output", "-"),
    ):  # fmt: skip
        done = program(words[0], str(path), *words[1:])
        assert done.returncode == 0, (words, done.stderr)
        assert "Traceback" not in done.stderr
    if time < 1e12:
        done = program("show", str(path), NAME)
        assert f"{path} has times that are not valid dates; the program ignores these times." in done.stderr
