"""Facts with their fates and facts at risk: JSON, text, checklists for people, memories for Mem0."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import attrgetter

from inspector.answers.facts import FactsAtRisk, FollowedFacts
from inspector.core.places import place_name
from inspector.core.shares import plural
from inspector.core.signs import FATE_SIGNS
from inspector.core.text import safe, safe_title
from inspector.export.console import StyledLines
from inspector.export.document import Document, fields_of
from inspector.export.masking import masked
from inspector.models.masking import Masker
from inspector.quality.facts.carry import checklist, memories
from inspector.quality.facts.fact import OUTCOMES, Fact, Fate, Life, Saying
from inspector.quality.facts.risk import AtRisk
from inspector.quality.losses import is_lost

#: A fact that compactions took, or one at risk.
ReportedFact = Life | AtRisk

_STYLES = {
    "verbatim": "green",
    "paraphrased": "cyan",
    "contradicted": "red",
    "value lost": "yellow",
    "weakened": "yellow",
    "uncertain": "dim",
    "unknown": "dim",
    "lost": "red",
    "at risk": "bold",
}

_NOTHING = "No facts were found."
AT_RISK_LEAD = "Keep these in the summary, word for word and with their values:"
LOST_LEAD = (
    "These were said before the last compaction and are no longer in your context. They hold unless a later message "
    "takes them back:"
)


def fact_documents(answer: FollowedFacts) -> list[Document]:
    """The answer of `facts`."""
    return [life_document(life) for life in (*answer.lives, *answer.ended)]


def facts_documents(answer: FollowedFacts | FactsAtRisk) -> list[Document]:
    """The answer of `facts`, with or without `--at-risk`."""
    return risk_documents(answer) if isinstance(answer, FactsAtRisk) else fact_documents(answer)


def life_document(life: Life) -> Document:
    """Return a fact with its fates."""
    fact, fate, saying, other = life.fact, life.fate, life.saying, life.contradicted
    return {
        **fields_of(fact, "category=kind text value role"),
        **fields_of(saying, "session message"),
        **fields_of(life, "compaction fate=outcome where=fate.where"),
        "found": None if fate.index is None else {"index": fate.index, "span": list(fate.span or (0, 0))},
        **fields_of(fate, "excerpt changed decided_by"),
        "is_lost": is_lost(life),
        "after": fate.compaction,
        "fates": list(map(fate_after, life.fates)),
        **fields_of(life, "rank score=fact.rank rule=fact.rule why=fact.why pasted=fact.pasted values"),
        **fields_of(saying, "span generation index"),
        "sayings": list(map(_place, fact.sayings)),
        **fields_of(life, "uses=fact.uses died"),
        "back": life.back and _place(life.back),
        "contradicted": other and _place(other.saying) | fields_of(other, "text value"),
        **fields_of(life, "pruned key=fact.key"),
        "source": "rules",
    }


def fate_after(fate: Fate) -> Document:
    """The fate after one compaction, with the words that show it."""
    return fields_of(fate, "compaction fate=outcome where evidence=excerpt decided_by")


def carried_document(fact: Fact) -> Document:
    """Return a fact without its fate: its text, its speaker and its first place."""
    return {
        **fields_of(fact, "category=kind text value"),
        "values": [value.text for value in fact.values],
        **fields_of(fact, "role session=first.session message=first.message"),
        "said": len(fact.sayings),
        **fields_of(fact, "rule key"),
    }


def _place(saying: Saying) -> Document:
    return fields_of(saying, "session message role generation index span compaction")


def risk_documents(answer: FactsAtRisk) -> list[Document]:
    """The answer of `facts --at-risk`."""
    return [
        carried_document(entry.fact)
        | {
            "compaction": answer.compaction,
            "fate": None,
            "where": None,
            **fields_of(entry, "once places"),
            "rank": rank,
            **fields_of(entry.fact, "score=rank uses"),
        }
        for rank, entry in enumerate(answer.facts, 1)
    ]


def print_facts(answer: FollowedFacts | FactsAtRisk) -> None:
    """Print the facts by compaction, each with its fate."""
    if isinstance(answer, FollowedFacts):
        print_lives(answer.lives, answer.ended)
        return
    lines = StyledLines()
    for risks in lines.each([answer.facts] if answer.facts else [], _NOTHING):
        once = sum(risk.once for risk in risks)
        lines.add(
            (f"At risk in compaction {answer.compaction}", "bold"),
            (f"  {plural(len(risks), 'fact')}, {once:,} in one message only", "dim"),
        )
        for risk in risks:
            _print_fact(lines, risk, answer.compaction)


def print_lives(lives: Iterable[Life], ended: Sequence[Life] = ()) -> None:
    """Print facts by compaction, each with its fate and later fates. `ended` are printed with the compaction that ended
    them."""
    lines = StyledLines()
    groups = {number: list(group) for number, group in groupby(lives, key=attrgetter("compaction"))}
    for life in ended:
        groups.setdefault(life.fate.compaction, []).append(life)
    for number, taken in lines.each(sorted(groups.items()), _NOTHING):
        after = max(life.fate.compaction for life in taken)
        later = "" if after == number else f", fates after compaction {after}"
        earlier = sum(life.compaction != number for life in taken)
        later += f", with {plural(earlier, 'fact')} of earlier compactions" if earlier else ""
        counts = Counter(life.outcome for life in taken)
        words = ", ".join(f"{counts[outcome]} {outcome}" for outcome in OUTCOMES if counts[outcome])
        lines.add((f"Compaction {number}{later}", "bold"), (f"  {words}", "dim"))
        for life in taken:
            _print_fact(lines, life)
            for line in later_words(life):
                lines.add((f"→ {safe(line)}", "dim"), indent=4)


def _print_fact(lines: StyledLines, entry: ReportedFact, live: int = 0) -> None:
    fate = fate_part(outcome_of(entry), entry.kind, fate_words(entry))
    lines.add(fate, (f"{who_words(entry, live)}  [{entry.fact.rule}]", "dim"))
    lines.add((safe_title(entry.text, 400), ""), indent=4)


def fate_part(outcome: str, kind: str, words: str) -> tuple[str, str]:
    """Return the beginning of a line about a fact, and its style: a sign, the kind, and the fate in words."""
    return f"{FATE_SIGNS[outcome]} {kind:<10} {words}  ", _STYLES[outcome]


def outcome_of(entry: ReportedFact) -> str:
    """Return the fate of a fact in a word; "at risk" before a compaction."""
    return "at risk" if isinstance(entry, AtRisk) else entry.outcome


def fate_words(entry: ReportedFact) -> str:
    """Return the fate of a fact, and where the list after has it."""
    if isinstance(entry, AtRisk):
        return "in one message" if entry.once else "at risk"
    where = f" ({entry.fate.where})" if entry.fate.where else ""
    return f"{entry.outcome}{where}{f', by {entry.fate.decided_by}' if entry.fate.model else ''}"


def who_words(entry: ReportedFact, live: int = 0) -> str:
    """Return the speaker of a fact, its place, and its number of mentions and uses. `live` is the number of the live
    list, which has the facts at risk."""
    at_risk, saying, uses = isinstance(entry, AtRisk), entry.saying, entry.fact.uses
    pasted = " (pasted)" if entry.fact.pasted and not at_risk else ""
    words = [f"{entry.role}{pasted}", place_name(saying.index, live if at_risk else saying.generation)]
    if entry.times > 1:
        words.append(f"said {entry.times} times")
    if uses:
        words.append("used once since" if uses == 1 else f"used {uses} times since")
    return ", ".join(words)


def later_words(life: Life, seen: int | None = None) -> Iterable[str]:
    """Yield sentences about the later fates of a fact. `seen` is a compaction whose fate the reader knows."""
    died, back, other = life.died, life.back, life.contradicted
    if life.fate.changed:
        yield f"the summary says {life.fate.changed} instead of {life.fact.value}"
    if died not in (None, life.compaction, seen):
        yield f"gone after compaction {died}"
    later = (fate for fate in life.fates if died is not None and fate.compaction > died)
    again = next((fate for fate in later if fate.alive), None)
    if again is not None:
        yield f"in the list again after compaction {again.compaction} ({again.where})"
    if back is not None:
        yield f"said again by the {back.role} at {place_name(back.index, back.generation)}"
    if other is not None:
        place = place_name(other.saying.index, other.saying.generation)
        yield f"changed later by the {other.saying.role} at {place}: {safe_title(other.text, 160)}"


def facts_checklist(answer: FollowedFacts | FactsAtRisk, masker: Masker) -> str:
    """Return the facts to keep as a checklist in Markdown, without secrets."""
    facts = masked(_carried(answer), masker)
    at_risk = isinstance(answer, FactsAtRisk)
    if not facts:
        return "No fact at risk was found.\n" if at_risk else "No lost fact was found.\n"
    return checklist(facts, AT_RISK_LEAD if at_risk else LOST_LEAD)


def facts_memories(answer: FollowedFacts | FactsAtRisk, user: str, masker: Masker) -> list[Document]:
    """Return the facts to keep as payloads for Mem0's add, without secrets."""
    return memories(masked(_carried(answer), masker), answer.conversation, answer.agent, user)


def _carried(answer: FollowedFacts | FactsAtRisk) -> list[Fact]:
    """Return the facts at risk, each once; or the facts that the last list lacks, unless fates were selected."""
    if isinstance(answer, FactsAtRisk):
        facts = [entry.fact for entry in answer.facts]
    else:
        facts = [
            life.fact for life in (*answer.lives, *answer.ended) if answer.selected_by_fate or _missing(life)
        ]
    return list({fact.key: fact for fact in facts}.values())


def _missing(life: Life) -> bool:
    """Return whether the last list lacks a fact that still holds, or has it only weakened."""
    last = life.seen(life.fates[-1].compaction)
    replaced = life.back is not None or life.contradicted is not None
    return is_lost(last) or (last.outcome == "weakened" and not replaced)
