"""Facts as lines: fate, kind, speaker, text."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from rich.style import Style
from textual.strip import Strip

from inspector.core.signs import FATE_SIGNS, SHORT_ROLES
from inspector.core.text import first_words
from inspector.quality.facts.fact import Fact, Fate, Life
from inspector.quality.facts.risk import AtRisk
from widgets.base.signs import Sign
from widgets.base.strips import fit, one_line
from widgets.intents import GoTo
from widgets.lists.entry_list import EntryList

#: A fact with the fate that a compaction gave it, or one that the next compaction would take.
ListedFact = Life | AtRisk

#: Sign and style of each fate, the worst first. The signs differ without colour.
OUTCOMES: dict[str, tuple[str, str]] = {
    "lost": (FATE_SIGNS["lost"], "error"),
    "contradicted": (FATE_SIGNS["contradicted"], "error"),
    "value lost": (FATE_SIGNS["value lost"], "warning"),
    "weakened": (FATE_SIGNS["weakened"], "warning"),
    "uncertain": (FATE_SIGNS["uncertain"], "muted"),
    "unknown": (FATE_SIGNS["unknown"], "muted"),
    "at risk": (FATE_SIGNS["at risk"], "warning"),
    "paraphrased": (FATE_SIGNS["paraphrased"], "moved"),
    "verbatim": (FATE_SIGNS["verbatim"], "added"),
}
_KIND, _ROLE = 10, 4
#: Cells of a fate, and the minimum width for it as a word instead of a sign.
_FATE, _WORDED = 13, 66

#: Maximum length of a text to search for in a message, in characters.
_MAX_SEARCH = 80
#: Minimum length of a word without a digit that marks a place, in characters.
_LONG = 4
#: Marks around words.
_MARKS = ".,;:!?…\"'“”‘’()[]{}*`#-"


#: Meaning of each fate.
FATE_WORDS: dict[str, str] = {
    "lost": "lost fact",
    "value lost": "fact without its exact value",
    "weakened": "weakened fact: mentioned, but it no longer binds",
    "contradicted": "contradicted fact: the list now says something else",
    "uncertain": "uncertain: this program cannot decide the fate of the fact",
    "unknown": "unknown fate: the summary cannot be read",
    "at risk": "fact at risk: a compaction now would summarize it",
    "paraphrased": "paraphrased fact: kept in other words",
    "verbatim": "verbatim fact: kept word for word",
}


def fate_signs(outcomes: Collection[str]) -> Iterator[Sign]:
    """The signs of some fates, the worst first."""
    for outcome, (sign, _) in OUTCOMES.items():
        if outcome in outcomes:
            yield sign, FATE_WORDS.get(outcome, f"fact: {outcome}")


def outcome_of(entry: ListedFact) -> str:
    """Fate of a fact: a key of OUTCOMES."""
    return entry.outcome if isinstance(entry, Life) else "at risk"


def key_of(entry: ListedFact) -> str:
    """Key of a fact among the entries of every list: the same when its fate changes."""
    if isinstance(entry, AtRisk):
        return f"{entry.fact.key}@risk"
    after = "" if entry.seen_after is None else f">{entry.seen_after}"
    return f"{entry.fact.key}@{entry.compaction}{'p' if entry.pruned else ''}{after}"


def search_text(text: str) -> str:
    """The part of a text to search for in a message: the first words of its first line."""
    return first_words(text.strip().split("\n", 1)[0], _MAX_SEARCH)


def source_of(entry: ListedFact, live: int) -> GoTo:
    """Return the place where a fact was said; `live` is the generation with the facts at risk."""
    generation = entry.saying.generation if isinstance(entry, Life) else live
    return GoTo(generation, entry.saying.index, search_text(entry.text), "message")


def survivor_of(fact: Fact, fate: Fate) -> GoTo | None:
    """Return the place of a fact in the list after a compaction, with words that are there; None for none."""
    if fate.index is None:
        return None
    excerpt = fate.excerpt.casefold()
    texts = (fact.text, *(value.text for value in fact.values))
    quoted = next((text for text in texts if text and text.casefold() in excerpt), "")
    return GoTo(fate.compaction + 1, fate.index, search_text(quoted or _word_of(fact, fate)), "message")


def _word_of(fact: Fact, fate: Fate) -> str:
    """The longest word of a fact that is in its paraphrase; without one, the longest of the paraphrase."""
    words, there = _words(fact.text), set(_words(fate.excerpt.casefold()))
    # Short words are everywhere, also in others.
    shared = [w for w in words if w.casefold() in there and (len(w) >= _LONG or any(map(str.isdigit, w)))]
    return max(shared or _words(fate.excerpt), key=len, default="")


def _words(text: str) -> list[str]:
    return [word for part in text.split() if (word := part.strip(_MARKS))]


class FactList(EntryList[ListedFact]):
    """One line per fact."""

    TOOLTIP = "Facts, the worst fate first. Enter goes to where a fact was said, s to where it survives."

    def signs(self) -> Iterator[Sign]:
        """The signs of the visible fates. A wide list has words instead."""
        if self.size.width >= _WORDED:
            return
        outcomes = {outcome_of(self.entries[row]) for row in self.visible_rows}
        yield from fate_signs(outcomes)

    def key(self, entry: ListedFact) -> object:
        """Key of the fact: the cursor stays on it when its fate changes."""
        return key_of(entry)

    def draw_line(self, line: int, width: int) -> Strip:
        """Draw a fact."""
        entry = self.entries[line]
        fate = outcome_of(entry)
        sign, name = OUTCOMES[fate]
        at_cursor = line == self.cursor
        muted = self.ink("quiet")
        row = self.begin(line).add(fit(fate, _FATE) if width >= _WORDED else f"{sign} ", self.ink(name))
        if width >= 44:
            row.add(fit(entry.kind, _KIND) + " ", Style() if at_cursor else muted)
        role = fit(SHORT_ROLES.get(entry.role, one_line(entry.role, 20)), _ROLE) + " "
        row.add(role, self.ink("key") if entry.role == "user" else muted)
        row.add(fit(one_line(entry.text, 400), max(1, width - row.width)), Style())
        return self.end(row, line, width)
