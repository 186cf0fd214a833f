"""Styles that are parsed once in a test run, not once an app: that is most of what an app costs to start."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.css.stylesheet import Stylesheet

#: Textual's own.
PARSE_RULES: Callable[..., Any] = Stylesheet._parse_rules
_parsed: dict[tuple[Any, ...], Any] = {}


def parse_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every stylesheet take what another one parsed of the same source under the same colours."""

    def parse_rules(sheet: Stylesheet, css: str, **kinds: Any) -> Any:
        key = (css, *sorted(kinds.items()), *sorted(sheet._variables.items()))
        if key not in _parsed:
            _parsed[key] = PARSE_RULES(sheet, css, **kinds)
        return _parsed[key]

    monkeypatch.setattr(Stylesheet, "_parse_rules", parse_rules)
