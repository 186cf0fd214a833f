"""Events of hooks in a common form, which the `hook.py` of an agent returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from inspector.core.errors import BadInput

# A hook runs before every answer of an agent, so modules are imported on use.
if TYPE_CHECKING:
    from inspector.core.messages import Message


class HookEvent(Struct, frozen=True):
    """An event of a hook that gets an answer.

    It asks for statements of the user to "keep" in a summary; the "rules" that follow a summary; the statements that a
    compaction "lost"; the rules that are "missing" in a list with a summary; the stored statements to "report"; the
    "status" line.

    The statements are in the `messages`, or else in the `transcript`, where `conversation` names one of several. The
    program stores values of a `session`. If it has one, "lost" stores the answer for a later "report". `after` are the
    texts after the compaction with their roles, the summary first. `used` and `window` are tokens. `as_json` returns
    the answer as the agent reads it, if that is no plain text.
    """

    asks: Literal["keep", "rules", "lost", "missing", "report", "status"]
    session: str = ""
    transcript: str = ""
    conversation: str = ""
    messages: tuple[Message, ...] | None = None
    after: Sequence[tuple[str, str]] = ()
    used: int = 0
    window: int = 0
    as_json: Callable[[str], Mapping[str, Any]] | None = None


def messages_in(value: object) -> tuple[Message, ...]:
    """Return the messages of a list in an event. Raise BadInput if it is no list."""
    if not isinstance(value, list):
        raise BadInput("The event has no list of messages.")
    from inspector.core.messages import messages_from

    return messages_from(entry for entry in value if isinstance(entry, dict))
