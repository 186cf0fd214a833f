"""A fact as lines: its fate, where it was said, where it survives, its history."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from inspector.core.places import place_name
from inspector.core.signs import EXCERPT_WORDS
from inspector.quality.facts.fact import Fact, Fate, Life, Saying
from widgets.base.strips import one_line
from widgets.base.text_lines import Span, TextLine, line_of
from widgets.lists.fact_list import OUTCOMES, ListedFact, outcome_of


def fact_lines(entry: ListedFact, low: bool, partial: bool = False) -> list[TextLine]:
    """A fact in full.

    `low` omits the empty lines. `partial` means that only the messages up to a step of the replay are known.
    """
    outcome = outcome_of(entry)
    _, style = OUTCOMES[outcome]
    gap = [] if low else [TextLine("")]
    fate = entry.fate if isinstance(entry, Life) else None
    where = f" in the {fate.where}" if fate is not None and fate.where else ""
    lines = [
        line_of(
            (f"{outcome}{where}", style),
            (f"  {entry.kind}", "strong"),
            (f"  found {entry.fact.evidence}", "muted"),
        ),
        *gap,
        TextLine(f"{one_line(entry.role, 40)}, {_source(entry, partial)}:", "muted"),
        _marked(entry.text, entry.values),
    ]
    if fate is not None and fate.excerpt:
        lines += [
            *gap,
            TextLine(f"{EXCERPT_WORDS[outcome]}{_survivor(fate)}:", "muted"),
            _marked(fate.excerpt, entry.values),
        ]
    history = list(_history(entry, partial))
    if history:
        lines += [*gap, *(TextLine(text) for text in history)]
    if isinstance(entry, Life):
        lines += [TextLine(text, name, prefix="! ", prefix_style=name) for text, name in _notes(entry)]
    return lines


def _source(entry: ListedFact, partial: bool) -> str:
    if isinstance(entry, Life):
        return place_name(entry.saying.index, generation=entry.saying.generation)
    return f"{place_name(entry.saying.index)} of {'the list at this step' if partial else 'the live list'}"


def _survivor(fate: Fate) -> str:
    place = "" if fate.index is None else place_name(fate.index, generation=fate.compaction + 1)
    return "".join(f", {words}" for words in (fate.where, place) if words)


def _history(entry: ListedFact, partial: bool) -> Iterable[str]:
    if isinstance(entry, Life):
        if not entry.fact.judged:
            yield _use(entry.fact, partial)
        if entry.role == "user" and entry.fact.pasted:
            yield "The user pasted it. The table and the losses of all conversations do not count it."
        fates = (f"{fate.compaction}: {fate.outcome}{_region(fate)}" for fate in entry.fates)
        yield f"After compaction {'; '.join(fates)}."
        for fate in entry.fates:
            if fate.model:
                yield f"The rules could not decide the fate after compaction {fate.compaction}. {fate.model} did."
    elif not partial:
        yield _use(entry.fact, partial)


def _region(fate: Fate) -> str:
    return f" in the {fate.where}" if fate.where else ""


def _use(fact: Fact, partial: bool) -> str:
    times = "Said once" if fact.once else f"Said {len(fact.sayings):,} times"
    if partial:
        return f"{times} up to this step."
    if not fact.uses:
        return f"{times}, not used later."
    return f"{times}, used {'once' if fact.uses == 1 else f'{fact.uses:,} times'} later."


def _notes(life: Life) -> Iterable[tuple[str, str]]:
    """Sentences about later changes, each with a style."""
    changed = next((fate for fate in life.fates if fate.changed), None)
    if changed is not None:
        text = f"The summary of compaction {changed.compaction} says {changed.changed}; no message said that."
        yield text, "error"
    if life.back is not None:
        yield f"Said again {_speaker(life.back)}.", "moved"
    if life.contradicted is not None:
        yield f"Changed later {_speaker(life.contradicted.saying)}: {life.contradicted.text}", "warning"


def _speaker(saying: Saying) -> str:
    return f"by the {saying.role} at {place_name(saying.index, generation=saying.generation)}"


def _marked(text: str, values: Sequence[str]) -> TextLine:
    """A text in one line with every value marked."""
    shown = one_line(" ".join(text.split()), 2_000)
    folded = shown.casefold()
    spans = []
    for value in values:
        at = folded.find(value.casefold()) if len(folded) == len(shown) and value else -1
        if at >= 0:
            spans.append(Span(at, at + len(value), "number"))
    return TextLine(shown, spans=tuple(spans), prefix="  ")
