"""Repeated work after compactions, and acts against lost constraints, as values and in words.

An event does not prove that a compaction is its cause. A repeated act counts only if the earlier act has left the list
and the list has no later copy of it. `find_aftermath.py` finds the events.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

from inspector.core.places import Place
from inspector.core.shares import plural
from inspector.quality.act import Act, same_file
from inspector.quality.facts.fact import BY_MODEL, HARMED, KEPT

if TYPE_CHECKING:
    from inspector.quality.facts.fact import Fact, Saying

AftermathKind = Literal[
    "against a rule",
    "said again",
    "forgot",
    "told before",
    "admitted",
    "against a kept rule",
    "asked again",
    "failed again",
    "read again",
    "fetched again",
    "ran again",
]
#: All kinds, the gravest first.
AFTERMATH_KINDS: tuple[AftermathKind, ...] = get_args(AftermathKind)
#: Events of each kind as a singular and a plural noun.
_EVENTS: Mapping[AftermathKind, tuple[str, str]] = {
    "against a rule": ("act against a lost constraint", "acts against a lost constraint"),
    "said again": ("statement repeated", "statements repeated"),
    "forgot": ("complaint that the agent forgot or missed", "complaints that the agent forgot or missed"),
    "told before": ("complaint of repetition", "complaints of repetition"),
    "admitted": ("loss admitted by the agent", "losses admitted by the agent"),
    "against a kept rule": (
        "act against a rule that the list still has",
        "acts against rules that the list still has",
    ),
    "asked again": ("question asked again", "questions asked again"),
    "failed again": ("failure repeated", "failures repeated"),
    "read again": ("file read again", "files read again"),
    "fetched again": ("page fetched again", "pages fetched again"),
    "ran again": ("command run again", "commands run again"),
}
#: Kinds of repeated acts: several of them about one thing, such as a file, count once.
_OF_THINGS: tuple[AftermathKind, ...] = (
    "asked again",
    "failed again",
    "read again",
    "fetched again",
    "ran again",
)
#: Maximum characters of the text of an event.
MAX_TEXT = 200


class Step(Struct, frozen=True):
    """A message of the conversation, counted once, with its acts.

    `step` counts from 0, `generation` from 1; `index` is its place in that list, `message` the row of the store.
    `left` is the compaction that summarized it, None while it is in the list. `asked` has the names of files and
    folders in the user's last message, which is at the step `asked_at`.
    """

    step: int
    generation: int
    index: int
    message: int
    left: int | None
    acts: tuple[Act, ...] = ()
    asked: frozenset[str] = frozenset()
    asked_at: int = -1


class AftermathEvent(Struct, frozen=True):
    """Something done again after a compaction.

    `compaction` is the last one that removed the earlier act from the list, or the one that lost the repeated
    statement. `earlier` is the place of the earlier act, or of the rule or statement that the list still has (None for
    an act against a lost rule and for an admission). `fact` is the text of the fact behind the event, with its
    `category` and `fate` ("" if there is no such fact). The fate of the user's own statement may be any; facts behind
    other events are lost or weakened. `tokens` are the rough
    tokens of the repeated act. `written`: the earlier act wrote the file. `in_part`: the earlier acts had a part of it,
    so fewer tokens repeat. `named`: the user's last message is later than the earlier act, names the file or its
    folder, and may ask for it. `model` is the model of the user that found the event, "" for the rules.
    """

    compaction: int
    kind: AftermathKind
    place: Place
    earlier: Place | None
    text: str
    tokens: int
    fact: str = ""
    category: str = ""
    fate: str = ""
    written: bool = False
    in_part: bool = False
    named: bool = False
    model: str = ""

    @property
    def gravity(self) -> int:
        """The place of its kind in AFTERMATH_KINDS: 0 for the gravest."""
        return AFTERMATH_KINDS.index(self.kind)

    @property
    def decided_by(self) -> str:
        """ "model NAME" for an event that a model found, else "rules"."""
        return f"{BY_MODEL}{self.model}" if self.model else "rules"

    @property
    def breaks_rule(self) -> bool:
        """Whether a lost or weakened rule is behind it."""
        return self.kind == "against a rule" or (self.category == "constraint" and self.is_harmed)

    @property
    def is_kept(self) -> bool:
        """Whether the list still has the fact behind it: no compaction is the cause."""
        return self.fate in KEPT

    @property
    def is_harmed(self) -> bool:
        """Whether the fact behind it is lost, weakened or contradicted for certain."""
        return self.fate in HARMED

    @property
    def size(self) -> str:
        """The size of the repeated act in words, and whether the user may have asked for it."""
        return size_words(self.tokens, self.in_part) + (", named by the user" if self.named else "")

    @property
    def behind(self) -> str:
        """The fate of the fact behind it in words: "lost", or "the list still has it, verbatim"."""
        return f"the list still has it, {self.fate}" if self.is_kept else self.fate

    def earlier_words(self, place: str) -> str:
        """Return the earlier act in words: "written at #12", "stated at #12", or "earlier at #12"."""
        is_rule = self.kind == "against a kept rule"
        return f"{'stated' if is_rule else 'written' if self.written else 'earlier'} at {place}"

    def about(self, fact: Fact, fate: str) -> AftermathEvent:
        """Return the event with the fact behind it."""
        return replace(self, fact=fact.text, category=fact.kind, fate=fate)


def place_of(at: Step | Saying) -> Place:
    """Return the place of the message of a step or a saying."""
    return Place(at.generation, at.index, at.message)


def done_again(events: Iterable[AftermathEvent]) -> list[AftermathEvent]:
    """Return one event for each file, page, command or question repeated after a compaction, and all other events.

    Of several readings of a file, the result has the first that the user's last message does not name, if any.
    """
    things: list[AftermathEvent] = []
    places: dict[tuple[int, AftermathKind, str], list[int]] = {}
    for event in events:
        is_file = event.kind == "read again"
        name = re.split(r"[/\\]", event.text)[-1] if is_file else event.text
        same = places.setdefault((event.compaction, event.kind, name), [])
        at = next((at for at in same if not is_file or same_file(things[at].text, event.text)), None)
        if at is None or event.kind not in _OF_THINGS:
            same.append(len(things))
            things.append(event)
        elif things[at].named and not event.named:
            things[at] = event
    return things


def counts_again(events: Iterable[AftermathEvent]) -> str:
    """Return the things that were done again in words, as in `aftermath_counts`."""
    things = done_again(events)
    return aftermath_counts(Counter(event.kind for event in things), sum(event.named for event in things))


def aftermath_counts(kinds: Mapping[AftermathKind, int], named: int = 0) -> str:
    """Return counts in words: "2 statements repeated, 5 files read again"; "" if nothing was done again.

    The user's last message names `named` of the files.
    """
    words = {kind: plural(kinds[kind], *_EVENTS[kind]) for kind in AFTERMATH_KINDS if kinds.get(kind)}
    if named:
        all_named = named == kinds["read again"]
        words["read again"] += f" ({'' if all_named else f'{named:,} '}named by the user)"
    return ", ".join(words.values())


def size_words(tokens: int, in_part: bool) -> str:
    """Return the size of repeated acts in words: "~400 tokens", or "up to ~400 tokens" for one known in part."""
    return f"{'up to ' if in_part else ''}~{tokens:,} tokens"
