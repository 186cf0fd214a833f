"""Facts with their fates and facts at risk: JSON, text, checklists for people, memories for Mem0."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter

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
from inspector.quality.facts.fact import KEPT, OUTCOMES, Fact, Fate, Life, Saying
from inspector.quality.losses import is_lost

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

AT_RISK_LEAD = "Keep these in the summary, word for word and with their values:"
LOST_LEAD = (
    "These were said before the last compaction and are no longer in your context. They hold unless a later message "
    "takes them back:"
)


def fact_documents(answer: FollowedFacts) -> list[Document]:
    """The answer of `facts`."""
    return [life_document(life) for life in answer.lives]


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


def print_facts(documents: Sequence[Document]) -> None:
    """Print the facts by compaction, each with its fate."""
    lines = StyledLines()
    for _, entries in lines.each(groupby(documents, key=itemgetter("compaction")), "No facts were found."):
        group = list(entries)
        lines.add((_title(group), "bold"), (f"  {_counts(group)}", "dim"))
        for entry in group:
            _print_fact(lines, entry)


def _title(group: Sequence[Document]) -> str:
    number = group[0]["compaction"]
    if group[0]["fate"] is None:
        return f"At risk in compaction {number}"
    after = max(entry["after"] for entry in group)
    return (
        f"Compaction {number}" if after == number else f"Compaction {number}, fates after compaction {after}"
    )


def _counts(group: Sequence[Document]) -> str:
    if group[0]["fate"] is None:
        once = sum(entry["once"] for entry in group)
        return f"{plural(len(group), 'fact')}, {once:,} said once"
    counts = {outcome: sum(entry["fate"] == outcome for entry in group) for outcome in OUTCOMES}
    return ", ".join(f"{count} {outcome}" for outcome, count in counts.items() if count)


def _print_fact(lines: StyledLines, entry: Document) -> None:
    outcome = entry["fate"]
    sign, style = FATE_SIGNS[outcome or "at risk"], _STYLES[outcome or "at risk"]
    where = entry["where"]
    fate = f"{outcome}{f' ({where})' if where else ''}" if outcome is not None else "leaves the list"
    fate += f", by {decided}" if (decided := entry.get("decided_by", "rules")) != "rules" else ""
    times = entry.get("said") or len(entry.get("sayings", ()))
    if outcome is None:
        # The places of a fact at risk are in the live list.
        place = place_name(entry["places"][0], entry["compaction"])
    else:
        place = place_name(entry["index"], entry["generation"])
    pasted = " (pasted)" if entry.get("pasted") else ""
    note = f"{entry['role']}{pasted}, {place}{f', said {times} times' if times > 1 else ''}"
    lines.add(
        (f"{sign} {entry['category']:<10} ", style),
        (f"{fate}  ", style),
        (f"{note}  [{entry['rule']}]", "dim"),
    )
    lines.add((safe_title(entry["text"], 400), ""), indent=4)
    for line in _after(entry):
        lines.add((f"→ {line}", "dim"), indent=4)


def _after(entry: Document) -> Iterable[str]:
    """Yield sentences about the later fates of a fact."""
    if entry.get("changed"):
        yield f"the summary says {safe(entry['changed'])} instead of {safe(entry['value'])}"
    died, back, other = entry.get("died"), entry.get("back"), entry.get("contradicted")
    if died is not None and died != entry["compaction"]:
        yield f"gone after compaction {died}"
    later = (fate for fate in entry.get("fates", ()) if died is not None and fate["compaction"] > died)
    again = next((fate for fate in later if fate["fate"] in KEPT), None)
    if again:
        yield f"in the list again after compaction {again['compaction']} ({again['where']})"
    if back:
        yield f"said again by the {back['role']} at {place_name(back['index'], back['generation'])}"
    if other:
        yield f"later: {safe_title(other['text'], 160)} ({place_name(other['index'], other['generation'])})"


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
        facts = [life.fact for life in answer.lives if answer.selected_by_fate or _missing(life)]
    return list({fact.key: fact for fact in facts}.values())


def _missing(life: Life) -> bool:
    """Return whether the last list lacks a fact that still holds, or has it only weakened."""
    last = life.seen(life.fates[-1].compaction)
    replaced = life.back is not None or life.contradicted is not None
    return is_lost(last) or (last.outcome == "weakened" and not replaced)
