"""Titles of conversations, without secrets: every list, command and screen shows them."""

from __future__ import annotations

from inspector.core.patterns import late_pattern
from inspector.core.text import opening_title, safe_line

#: Maximum length of a title.
_TITLE = 120
#: Characters of the first message that are searched for secrets.
_READ = 4_000
#: Every secret is in a word of this length, or longer.
_LONG_WORD = late_pattern(r"\S{16}")


def titles_of(name: str, first_words: str = "") -> tuple[str, str]:
    """Return the title of a session, and the title with its secrets, "" if it has none.

    The title is the name of the session, or else the start of the user's first words. A title that ends within a secret
    has no form with secrets.
    """
    first_words = first_words[:_READ]
    title = _title(without_secrets(name), without_secrets(first_words))
    unmasked = _title(name, first_words)
    return title, unmasked if title != unmasked and title == without_secrets(unmasked) else ""


def _title(name: str, first_words: str) -> str:
    return safe_line(name, _TITLE) or opening_title(first_words, _TITLE)


def without_secrets(title: str) -> str:
    """Return the title with the kind of each secret in its place."""
    if not _LONG_WORD.search(title):
        return title
    from inspector.quality.secrets import without_secrets as masked

    return masked(title)
