"""Find the conversation of a name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from inspector.core.conversations import ConversationRow
from inspector.core.errors import SeveralConversations, UnknownConversation


def resolve(
    name: str, rows: Sequence[ConversationRow], earlier_titles: Iterable[tuple[str, str]] = ()
) -> str:
    """Return the conversation with this session id, unique prefix of an id, title, or part of one title.

    `earlier_titles` are titles of sessions, each with its conversation. Raises UnknownConversation, and
    SeveralConversations if the name is ambiguous.
    """
    if not name.strip():
        raise UnknownConversation("A conversation needs a name: a session id, its beginning, or a title.")
    exact = [row.id for row in rows if name == row.id] or [row.id for row in rows if name in row.sessions]
    if exact:
        return exact[0]
    titles = [(title, row.id) for row in rows for title in (row.title, row.unmasked_title)]
    earlier, part = list(earlier_titles), name.casefold()
    ways = (
        {row for title, row in (*titles, *earlier) if title == name},
        {row.id for row in rows if any(session.startswith(name) for session in (row.id, *row.sessions))},
        {row for title, row in titles if part in title.casefold()},
        {row for title, row in earlier if part in title.casefold()},
    )
    for matches in ways:
        if len(matches) == 1:
            return matches.pop()
        if matches:
            some = ", ".join(sorted(matches)[:3]) + (", ..." if len(matches) > 3 else "")
            raise SeveralConversations(
                f"{len(matches)} conversations match {name!r}: {some}. Give more of the id or the title."
            )
    raise UnknownConversation(
        f"No conversation matches {name!r}. Give a session id, the beginning of an id, or a part of a title; the "
        "command `conversations` lists them."
    )
