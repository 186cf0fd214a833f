"""Style sheets parsed once for all apps of a test process: that is half of what it takes to start one."""

from __future__ import annotations

from typing import Any

from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet

_PARSED: dict[tuple[Any, ...], list[RuleSet]] = {}
_parse_rules = Stylesheet._parse_rules


def _parse_once(
    sheet: Stylesheet, css: str, read_from: Any, is_default_rules: bool = False, tie_breaker: int = 0, scope: str = ""
) -> list[RuleSet]:  # fmt: skip
    """The rules of a style sheet, which are not written to once they are there, by its text and the theme's values."""
    source = (css, read_from, is_default_rules, tie_breaker, scope)
    rules = sheet._parse_cache.get(source)
    if rules is None:
        key = (source, *sheet._variables.items())
        rules = _PARSED.get(key)
        if rules is None:
            rules = _PARSED[key] = _parse_rules(sheet, *source)
        sheet._parse_cache[source] = rules
    return rules


def share_parsed_styles() -> None:
    """From now on, in this process."""
    Stylesheet._parse_rules = _parse_once  # type: ignore[method-assign]
