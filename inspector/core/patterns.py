"""Regular expressions that are compiled at their first use: a process uses few of the many that it imports."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import Any, cast


def late_pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return a regular expression that is compiled at its first use."""
    return cast(re.Pattern[str], LatePattern(text, flags))


def any_of(**forms: str) -> str:
    """Return the text of a regular expression that matches one of the forms, tried in order. The names explain them."""
    return f"(?:{'|'.join(forms.values())})"


@lru_cache(maxsize=50_000)
def has(text: str, pattern: re.Pattern[str]) -> bool:
    """Return whether a text has a match of a pattern, for texts that are read again and again."""
    return pattern.search(text) is not None


class LatePattern:
    """A regular expression with the attributes of a `re.Pattern`, compiled when an attribute is first used."""

    def __init__(self, text: str, flags: int) -> None:
        self._source = text, flags

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The `re.Pattern` itself."""
        return re.compile(*self._source)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        attribute = getattr(self.compiled, name)
        # The next use finds the attribute without this method.
        setattr(self, name, attribute)
        return attribute
