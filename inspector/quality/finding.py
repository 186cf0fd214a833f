"""Rules and findings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: error: context was lost, or requests will fail. warning: something costs or endangers context. info: worth knowing.
Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


@dataclass(frozen=True, slots=True)
class Rule:
    """What a finding is about. `id` never changes; `when` says in numbers what sets it off."""

    id: str
    severity: Severity
    title: str
    means: str
    when: str
    advice: str


@dataclass(frozen=True, slots=True)
class Violation:
    """A sentence and its place, as a check yields it. `index` is a message of the list of `generation`.

    `since` is when it came to be, where the place does not show it: a generation, and the length of its list. `cause`
    is what sets it apart from other violations of the same rule (the text of a lost fact); "" where all have one cause.
    """

    text: str
    compaction: int | None = None
    generation: int | None = None
    index: int | None = None
    since: tuple[int, int] | None = None
    cause: str = ""

    @property
    def came(self) -> tuple[int, int]:
        """When it came to be: behind the compaction that it is about, or with the message that it is about."""
        if self.since is not None:
            return self.since
        made = 0 if self.compaction is None else self.compaction + 1
        number = self.generation or 0
        return max((made, 0), (number, 0 if self.index is None else self.index + 1))


#: The `since` of what holds from the first message on.
ALWAYS = (0, 0)


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong or worth knowing, and where.

    `compaction` and `generation` count from 1. `index` is the place of the message in the generation's list and
    `message` its row in the store. All four are None where the finding is about no such thing. `text` is safe for the
    screen. `since` is when it came to be: a generation, and the length of its list then. `cause` as in Violation.
    """

    rule: str
    severity: Severity
    conversation: str
    compaction: int | None
    message: int | None
    generation: int | None
    index: int | None
    text: str
    since: tuple[int, int] = ALWAYS
    cause: str = ""
