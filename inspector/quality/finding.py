"""Rules, violations and findings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from msgspec import Struct

from inspector.core.shares import plural

#: error: context was lost, or requests will fail. warning: context is at risk, or money is wasted. info: worth knowing.
Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)


def severity_words(counts: Mapping[Severity, int]) -> str:
    """Return the number of findings by severity: "1 error, 3 warnings, 2 info"; "" for none."""
    counted = ((severity, counts.get(severity, 0)) for severity in SEVERITIES)
    return ", ".join(severity_count(severity, number) for severity, number in counted if number)


def severity_count(severity: Severity, number: int) -> str:
    """Return a number of findings of one severity. "Info" has no plural."""
    return plural(number, severity, "info" if severity == "info" else "")


class Rule(Struct, frozen=True):
    """A kind of finding. `id` never changes; `means` explains it, `when` is its condition in numbers.

    `advice` helps with every agent. `hermes` is more advice for users of Hermes, about its settings.
    """

    id: str
    severity: Severity
    title: str
    means: str
    when: str
    advice: str
    hermes: str = ""


class Violation(Struct, frozen=True):
    """A sentence and its place, as a check yields it. `index` is a message of the list of `generation`, from 0.

    `since` is when it appeared, as (generation, length of its list); None if the place shows it. `cause` separates
    violations of one rule (the text of a lost fact); "" if all have the same cause.
    """

    text: str
    compaction: int | None = None
    generation: int | None = None
    index: int | None = None
    since: tuple[int, int] | None = None
    cause: str = ""

    @property
    def came(self) -> tuple[int, int]:
        """When it appeared: after its compaction, or with its message."""
        if self.since is not None:
            return self.since
        made = 0 if self.compaction is None else self.compaction + 1
        number = self.generation or 0
        return max((made, 0), (number, 0 if self.index is None else self.index + 1))


#: The `since` of a finding that holds from the first message on.
ALWAYS = (0, 0)


class Finding(Struct, frozen=True):
    """A problem of a conversation, or something worth knowing, with its place.

    `compaction` and `generation` count from 1. `index` is the place of the message in the generation's list, from 0,
    and `message` its row in the store. Each is None if the finding has no such place. `text` is safe for the screen.
    `since` is when it appeared, as (generation, length of its list). `cause` is that of Violation. `observed`: the
    profile is of another agent than Hermes.
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
    observed: bool = False
