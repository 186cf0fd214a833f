"""Titles of conversations, without secrets: every list, command and screen shows them."""

from __future__ import annotations

from inspector.core.patterns import late_pattern
from inspector.core.text import opening_title, safe_line

#: Maximum length of a title.
TITLE = 120
#: Characters of the first message that are searched for secrets.
_READ = 4_000
#: Every secret is in a word of this length, or longer.
_LONG_WORD = late_pattern(r"\S{16}")


def title_of(name: str, first_words: str = "") -> str:
    """Return the title of a session: its name, or else the start of the user's first words."""
    return safe_line(without_secrets(name), TITLE) or opening_title(
        without_secrets(first_words[:_READ]), TITLE
    )


def without_secrets(title: str) -> str:
    """Return the title with the kind of each secret in its place."""
    if not _LONG_WORD.search(title):
        return title
    from inspector.quality.secrets import without_secrets as masked

    return masked(title)
