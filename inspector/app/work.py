"""What threads bring back: each a frozen value, posted as one message, recognised as late by what it carries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from textual.message import Message as TextualMessage

if TYPE_CHECKING:
    # The list of conversations comes up before any of these is needed.
    from inspector.answers.inspection import Inspection
    from inspector.config.settings import ResolvedSettings
    from inspector.core.conversations import Compaction, ConversationRow, Generation, Hit
    from inspector.core.messages import Message
    from inspector.engines.base import TokenIndex


class Live(NamedTuple):
    """What a conversation's row in the list learns later; None stays unknown."""

    conversation: str
    messages: int
    tokens: int | None
    threshold: int | None
    compactions: int | None


class Listed(TextualMessage):
    """The conversations of the store."""

    def __init__(self, rows: tuple[ConversationRow, ...]) -> None:
        super().__init__()
        self.rows = rows


class LiveFound(TextualMessage):
    """More about some conversations."""

    def __init__(self, found: tuple[Live, ...]) -> None:
        super().__init__()
        self.found = found


class FindingsCounted(TextualMessage):
    """How many errors and warnings a conversation has, when it had so many messages."""

    def __init__(self, conversation: str, messages: int, findings: int) -> None:
        super().__init__()
        self.conversation = conversation
        self.messages = messages
        self.findings = findings


class Opened(TextualMessage):
    """A conversation was opened, or opened again because it grew (then `again`)."""

    def __init__(
        self,
        inspection: Inspection,
        system_prompts: Mapping[str, str],
        resolved: ResolvedSettings,
        again: bool,
        end: tuple[Message, ...] = (),
    ) -> None:
        """`end` are the last messages of the live list, which are on screen first."""
        super().__init__()
        self.end = end
        self.inspection = inspection
        self.system_prompts = system_prompts
        self.resolved = resolved
        self.again = again


class Failed(TextualMessage):
    """Work ended with a sentence for the user; `fatal` where the screen has nothing to show without it."""

    def __init__(self, sentence: str, fatal: bool = False) -> None:
        super().__init__()
        self.sentence = sentence
        self.fatal = fatal


class Bodies(TextualMessage):
    """The bodies of generation[start:...]."""

    def __init__(self, generation: Generation, start: int, messages: tuple[Message, ...]) -> None:
        super().__init__()
        self.generation = generation
        self.start = start
        self.messages = messages


class Measured(TextualMessage):
    """A generation has been read once for planning under a profile."""

    def __init__(self, generation: Generation, profile: str, token_index: TokenIndex) -> None:
        super().__init__()
        self.generation = generation
        self.profile = profile
        self.token_index = token_index


class Recovered(TextualMessage):
    """The recorded compactions of a conversation were found."""

    def __init__(self, conversation: str, compactions: tuple[Compaction, ...]) -> None:
        super().__init__()
        self.conversation = conversation
        self.compactions = compactions


class Counted(TextualMessage):
    """Exact counts of some messages of a generation (index → tokens, -1 for the system prompt)."""

    def __init__(
        self, generation: Generation, counts: Mapping[int, int], complete: bool, encoding: str
    ) -> None:
        super().__init__()
        self.generation = generation
        self.counts = counts
        self.complete = complete
        self.encoding = encoding


class Found(TextualMessage):
    """Messages of a generation that hold what was looked for, in order; `kind` is "find" or "error"."""

    def __init__(self, generation: Generation, kind: str, query: str, indexes: tuple[int, ...]) -> None:
        super().__init__()
        self.generation = generation
        self.kind = kind
        self.query = query
        self.indexes = indexes


class Hits(TextualMessage):
    """Messages that a search over the whole store found so far."""

    def __init__(self, query: str, hits: tuple[Hit, ...], complete: bool) -> None:
        super().__init__()
        self.query = query
        self.hits = hits
        self.complete = complete


class StoreChanged(TextualMessage):
    """Another process committed to the database."""
