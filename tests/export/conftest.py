"""Reports of the bundled conversations, each made once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from inspector.answers.answers import Answers
from inspector.commands.sources import open_source
from inspector.export.report.gathering import gather_report
from inspector.export.report.values import Report

#: 26 November 2026, 12:00 UTC
MADE_AT = 1_795_694_400.0


@pytest.fixture(autouse=True)
def _alone(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(own_cache))


@pytest.fixture(scope="session")
def report_of(own_cache: Path) -> Callable[[str], Report]:
    """Return a function that makes the report of a bundled conversation by its title."""

    @cache
    def made(name: str) -> Report:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("XDG_DATA_HOME", str(own_cache))
            return gather_report(Answers(open_source(None, True), {}, None), name, MADE_AT)

    return made
