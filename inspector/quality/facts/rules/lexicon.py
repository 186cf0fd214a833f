"""What the rules of facts are, once compiled. They come from data files (see compiling.py)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from inspector.core.scan.words import Stemmer
from inspector.quality.facts.fact import Kind
from inspector.quality.facts.rules.other_languages import OtherLanguages


@dataclass(frozen=True, slots=True)
class Form:
    """How an exact value is written. See any.yaml for the fields."""

    name: str
    distinctive: bool
    mention: bool
    number: bool
    unit: str
    unless: re.Pattern[str] | None = None


@dataclass(frozen=True, slots=True)
class Cue:
    """Phrases that give a kind of fact away. `unless` takes back a match that it overlaps. A `hedged` one counts in a
    guess of the agent's too."""

    id: str
    kind: Kind
    strength: int
    clause: bool
    at_start: bool
    needs: str
    roles: frozenset[str]
    find: re.Pattern[str]
    unless: re.Pattern[str] | None
    order: int
    hedged: bool = False


@dataclass(frozen=True, slots=True)
class Wish:
    """Phrases that ask for one manner of doing things; asked for again they are a preference."""

    id: str
    find: re.Pattern[str]
    unless: re.Pattern[str] | None


@dataclass(frozen=True, slots=True)
class Voices:
    """Who speaks where several do. `starts` begins a message that a program wrote in the user's name, `block` opens a
    tagged block (group `tag`) of the same, `note` what it put behind what the user said; `own` finds what of such
    the user said (group `said`), and `wrap` the tags around what is said to the agent, by another agent say. A tool's
    result that begins with `hint` hands on the user's words, which `spoken` finds; `answers` find what was answered
    (group `said`) to a question (group `asked`), and `onward` matches answers that only go on to the next question.
    `thinking` begins what an agent thinks aloud."""

    starts: re.Pattern[str]
    block: re.Pattern[str]
    note: re.Pattern[str]
    own: re.Pattern[str]
    wrap: re.Pattern[str]
    hint: re.Pattern[str]
    spoken: tuple[re.Pattern[str], ...]
    answers: tuple[re.Pattern[str], ...]
    onward: re.Pattern[str]
    thinking: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Language:
    """One language. `keys` leads, by role, from a word (or a piece of text, for a language of pairs) that a phrase
    cannot do without to the cues that have such a phrase; `hedge_keys` are such words of the hedges, `guesses` those of
    them that guess, `hopes` words of a value that was not measured yet. `swaps` find a word (group `new`) that is
    wanted in the place of another (`old`). `asks` find a
    sentence that asks for something: how it begins (a verb that tells somebody to do it, a polite question),
    `inquiries` one that only asks to be told, `errands` one that asks for
    something that is done and over, `narrates` one in which the agent tells its next step; `agrees` are
    answers that agree or refuse and say no more, `approvals` find a question that only asks whether all is well,
    `nods` are all answers that say nothing alone, `lead` words at a start that say nothing, `pointing` what points
    back at something said before, `backward` how a sentence begins that goes on with the one before, `showing` what
    shows something beside it. `because` begins a reason. Of
    summaries: `elisions` are words of brackets in which a text was left out, `references` find a choice by numbers
    or letters, `claims` that all is done. Of a fact, `contrast` is what was not chosen, up to the end of the
    clause, `locators` are lines of files and numbers of sections. `denials` are all words by which a text may say
    that something is not so, `negations` among them, `declines` those by which it says that a wish was left undone
    on purpose. `choices` find a message that is a choice by number or letter (group `labels`). Of a sentence that
    runs on, `joints` find where another may begin, with one of the `subjects` or of the `conditions`."""

    name: str
    pairs: bool
    labels: re.Pattern[str]
    cues: tuple[Cue, ...]
    keys: Mapping[str, Mapping[str, tuple[int, ...]]]
    reasons: re.Pattern[str]
    hedges: re.Pattern[str]
    hedge_keys: frozenset[str]
    guesses: re.Pattern[str]
    hopes: re.Pattern[str]
    negations: re.Pattern[str]
    denials: re.Pattern[str]
    declines: re.Pattern[str]
    joins: re.Pattern[str]
    openers: frozenset[str]
    requests: re.Pattern[str]
    asks: re.Pattern[str]
    inquiries: re.Pattern[str]
    errands: re.Pattern[str]
    narrates: re.Pattern[str]
    agrees: re.Pattern[str]
    approvals: re.Pattern[str]
    nods: re.Pattern[str]
    lead: re.Pattern[str]
    pointing: re.Pattern[str]
    backward: re.Pattern[str]
    showing: re.Pattern[str]
    because: re.Pattern[str]
    elisions: re.Pattern[str]
    references: re.Pattern[str]
    claims: re.Pattern[str]
    choices: re.Pattern[str]
    wishes: tuple[Wish, ...]
    swaps: tuple[re.Pattern[str], ...]
    instead: re.Pattern[str]
    contrast: re.Pattern[str]
    locators: re.Pattern[str]
    joints: re.Pattern[str]
    subjects: re.Pattern[str]
    conditions: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Rules:
    """Everything that extraction goes by. `version` changes with every change of the data. `asking` are the stems of
    words by which something is asked for. `languages` are those that are looked for in every text, `others` knows those
    that are looked for where a text is in them, and `read` compiles the rules of one of these.

    `tool` finds the commands of tools, each of which has one of `tool_words`; `tools` leads from a command to the id of
    those that do the same and to which of them it is.
    """

    version: str
    languages: tuple[Language, ...]
    value: re.Pattern[str]
    mention: re.Pattern[str]
    forms: Mapping[str, Form]
    units: Mapping[str, str]
    worth: re.Pattern[str]
    unit: re.Pattern[str]
    numerals: Mapping[str, str]
    months: Mapping[str, int]
    quantities: frozenset[str]
    common: frozenset[str]
    fleeting: frozenset[str]
    places: frozenset[str]
    asking: frozenset[str]
    scales: tuple[tuple[str, str, int], ...]
    measures: frozenset[str]
    stemmer: Stemmer
    voices: Voices
    tool: re.Pattern[str]
    tools: Mapping[str, tuple[str, str]]
    tool_words: tuple[str, ...]
    others: OtherLanguages | None = None
    read: Callable[[str], Rules] | None = None

    def of(self, language: str) -> Rules:
        """The rules of one of the other languages; these for any other name. Raises BadInput where its file cannot be
        used."""
        known = self.others is not None and language in self.others.names
        return self.read(language) if known and self.read is not None else self
