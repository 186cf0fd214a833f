"""The facts of a conversation as the `facts` command answers: JSON documents, text, a checklist, memories."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from inspector.answers.answers import Answers
from inspector.answers.fact_reading import FactsReading, Watch, default_cache, pruned_by, read_facts
from inspector.answers.inspection import Inspection
from inspector.config.settings import ResolvedSettings
from inspector.core.errors import UnknownConversation
from inspector.core.text import safe, safe_title
from inspector.quality.facts.carry import checklist, memories, plain
from inspector.quality.facts.fact import Fact, Fate, Life, Saying
from inspector.quality.facts.risk import AtRisk

Document = dict[str, Any]
#: The width of text that goes to a file or a pipe, in characters.
_WIDTH = 120
_SIGNS = {
    "verbatim": ("=", "green"),
    "paraphrased": ("~", "cyan"),
    "value lost": ("?", "yellow"),
    "lost": ("✗", "red"),
}
AT_RISK_LEAD = "Keep these in the summary, word for word and with their values:"
LOST_LEAD = "These were said before the last compaction and are no longer in your context; they still hold:"
#: An outcome that no list reached yet.
_NEXT = ("→", "bold")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which facts are asked for; empty means all. `pruned` adds facts of tool results whose texts were pruned."""

    kinds: Collection[str] = ()
    fates: Collection[str] = ()
    roles: Collection[str] = ()
    compaction: int | None = None
    pruned: bool = False
    limit: int | None = None

    def has(self, fact: Fact) -> bool:
        """Whether kind and speaker fit."""
        return (not self.kinds or fact.kind in self.kinds) and (not self.roles or fact.role in self.roles)


def facts_reading(
    answers: Answers, name: str, watch: Watch | None = None
) -> tuple[Inspection, ResolvedSettings, FactsReading]:
    """A conversation's facts by the settings in force; notes go to the answers."""
    inspection, resolved = answers.opened(name)
    cache = default_cache()
    reading = read_facts(inspection, cache, watch, pruned_by(inspection, resolved.settings))
    if cache.problem:
        answers.note(cache.problem)
    return inspection, resolved, reading


def lives_wanted(inspection: Inspection, reading: FactsReading, wanted: Wanted) -> list[Life]:
    """The lives asked for, by compaction and rank. Raises UnknownConversation for a compaction that is not there."""
    known = [compaction.index for compaction in inspection.compactions()]
    if wanted.compaction is not None and wanted.compaction not in known:
        told = f"it has {', '.join(map(str, known))}" if known else "it has none"
        raise UnknownConversation(f"This conversation has no compaction {wanted.compaction}; {told}.")
    lives = [*reading.facts.lives, *(reading.facts.pruned if wanted.pruned else ())]
    found = [
        life
        for life in lives
        if wanted.has(life.fact)
        and (wanted.compaction is None or life.compaction == wanted.compaction)
        and (not wanted.fates or life.fate.outcome in wanted.fates)
    ]
    return _first(found, wanted.limit)


def risks_wanted(
    inspection: Inspection, resolved: ResolvedSettings, reading: FactsReading, wanted: Wanted
) -> list[AtRisk]:
    """What a compaction of the live list under the settings would take out of it, what stands there once first."""
    plan = inspection.plan(inspection.conversation.live, resolved.settings)
    head, tail = plan.regions()
    if not plan.compacts:
        return []
    found = [entry for entry in reading.risk.at_risk(head, tail) if wanted.has(entry.fact)]
    return found if wanted.limit is None else found[: wanted.limit]


def _first(lives: Sequence[Life], limit: int | None) -> list[Life]:
    """The first so many of each compaction."""
    if limit is None:
        return list(lives)
    seen: dict[int, int] = {}
    found = []
    for life in lives:
        seen[life.compaction] = seen.get(life.compaction, 0) + 1
        if seen[life.compaction] <= limit:
            found.append(life)
    return found


def life_document(life: Life, rank: int, pruned: bool = False) -> Document:
    """One entry of `facts`. `rank` counts from 1 within the compaction."""
    fact, saying = life.fact, taken_saying(life, pruned)
    return {
        "category": fact.kind,
        "text": fact.text,
        "value": fact.value,
        "role": fact.role,
        "session": saying.session,
        "message": saying.message,
        "compaction": life.compaction,
        **_fate(life.fate),
        "rank": rank,
        "score": fact.rank,
        "rule": fact.rule,
        "why": fact.why,
        "values": [value.text for value in fact.values],
        "span": list(saying.span),
        "generation": saying.generation,
        "index": saying.index,
        "sayings": [_place(other) for other in fact.sayings],
        "uses": fact.uses,
        "later": [_fate(fate) | {"compaction": fate.compaction} for fate in life.fates[1:]],
        "died": life.died,
        "back": None if life.back is None else _place(life.back),
        "contradicted": None
        if life.contradicted is None
        else _place(life.contradicted.saying)
        | {"text": life.contradicted.text, "value": life.contradicted.value},
        "pruned": pruned,
        "key": fact.key,
    }


def taken_saying(life: Life, pruned: bool) -> Saying:
    """Where the fact was said that the compaction took: the message whose words are shown, if that is one of them."""
    first = life.fact.first
    if first.compaction == life.compaction and first.pruned is pruned:
        return first
    return next(
        (s for s in life.fact.sayings if s.compaction == life.compaction and s.pruned is pruned), first
    )


def _fate(fate: Fate) -> Document:
    return {
        "fate": fate.outcome,
        "where": fate.where,
        "found": None if fate.index is None else {"index": fate.index, "span": list(fate.span or (0, 0))},
        "excerpt": fate.excerpt,
        "changed": fate.changed,
    }


def _place(saying: Saying) -> Document:
    return {
        "session": saying.session,
        "message": saying.message,
        "role": saying.role,
        "generation": saying.generation,
        "index": saying.index,
        "span": list(saying.span),
        "compaction": saying.compaction,
    }


def facts_document(lives: Iterable[Life], reading: FactsReading) -> list[Document]:
    """The answer of `facts`, in the order of the lives."""
    ranks = {
        (id(life)): rank
        for number in {life.compaction for life in reading.facts.lives}
        for rank, life in enumerate(reading.facts.of(number), 1)
    }
    apart = {id(life) for life in reading.facts.pruned}
    return [life_document(life, ranks.get(id(life), 0), id(life) in apart) for life in lives]


def risk_document(entries: Iterable[AtRisk], compaction: int) -> list[Document]:
    """The answer of `facts --at-risk`: `compaction` is the one that would come next."""
    return [
        plain(entry.fact)
        | {
            "compaction": compaction,
            "fate": None,
            "where": None,
            "once": entry.once,
            "places": list(entry.places),
            "rank": rank,
            "score": entry.fact.rank,
            "uses": entry.fact.uses,
        }
        for rank, entry in enumerate(entries, 1)
    ]


def facts_answer(
    answers: Answers, name: str, wanted: Wanted, at_risk: bool, form: str, user: str = ""
) -> list[Document] | str:
    """The answer of the command: documents for "text" and "json", payloads for "mem0", a text for "markdown".

    A checklist and memories are of what is at risk, or of what the last list no longer has, unless fates are asked for.
    """
    inspection, resolved, reading = facts_reading(answers, name)
    if at_risk:
        plan = inspection.plan(inspection.conversation.live, resolved.settings)
        if not plan.compacts:
            answers.note(f"{plan.profile} would not compact the live list: {plan.reason}.")
        entries = risks_wanted(inspection, resolved, reading, wanted)
        facts = [entry.fact for entry in entries]
        if form not in ("markdown", "mem0"):
            return risk_document(entries, inspection.conversation.live.number)
    else:
        if not inspection.compactions():
            answers.note(
                "This conversation was never compacted; --at-risk tells what a compaction would take."
            )
        lives = lives_wanted(inspection, reading, wanted)
        if form not in ("markdown", "mem0"):
            return facts_document(lives, reading)
        facts = [life.fact for life in lives if wanted.fates or not life.fates[-1].alive]
    facts = list({fact.key: fact for fact in facts}.values())
    if form == "mem0":
        return memories(facts, inspection.conversation.id, user)
    if not facts:
        return "Nothing is at risk.\n" if at_risk else "Nothing is lost.\n"
    return checklist(facts, AT_RISK_LEAD if at_risk else LOST_LEAD)


def print_facts(documents: Sequence[Document]) -> None:
    """The facts for people, grouped by compaction, with what became of each."""
    console = _console()
    if not documents:
        console.print("No facts were found.")
        return
    shown = None
    for entry in documents:
        if entry["compaction"] != shown:
            if shown is not None:
                console.print()
            shown = entry["compaction"]
            group = [other for other in documents if other["compaction"] == shown]
            console.print(Text.assemble((_title(group), "bold"), (f"  {_counts(group)}", "dim")))
        _print_fact(console, entry)


def _console() -> Console:
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = _WIDTH
    return console


def _title(group: Sequence[Document]) -> str:
    number = group[0]["compaction"]
    return f"Compaction {number}" if group[0]["fate"] is not None else f"At risk in compaction {number}"


def _counts(group: Sequence[Document]) -> str:
    if group[0]["fate"] is None:
        once = sum(entry["once"] for entry in group)
        return f"{len(group)} facts, {once} said once"
    counts = {outcome: sum(entry["fate"] == outcome for entry in group) for outcome in _SIGNS}
    return ", ".join(f"{count} {outcome}" for outcome, count in counts.items() if count)


def _print_fact(console: Console, entry: Document) -> None:
    outcome = entry["fate"]
    sign, style = _SIGNS[outcome] if outcome is not None else _NEXT
    where = entry["where"]
    fate = f"{outcome}{f' ({where})' if where else ''}" if outcome is not None else "leaves the list"
    said = entry.get("said") or len(entry.get("sayings", ()))
    note = f"{entry['role']}, message {entry['message']}{f', said {said} times' if said > 1 else ''}"
    console.print(
        Text.assemble(
            (f"{sign} {entry['category']:<10} ", style),
            (f"{fate}  ", style),
            (f"{note}  [{entry['rule']}]", "dim"),
        )
    )
    console.print(Padding(Text(safe_title(entry["text"], 400)), (0, 0, 0, 4), expand=False))
    for line in _after(entry):
        console.print(Padding(Text(f"→ {line}", style="dim"), (0, 0, 0, 4), expand=False))


def _alive(fate: Document) -> bool:
    return fate["fate"] in ("verbatim", "paraphrased")


def _after(entry: Document) -> Iterable[str]:
    """What is to be said of the fact's later life."""
    if entry.get("changed"):
        yield f"the summary says {safe(entry['changed'])} instead of {safe(entry['value'])}"
    died, back, other = entry.get("died"), entry.get("back"), entry.get("contradicted")
    if died is not None and died != entry["compaction"]:
        yield f"gone after compaction {died}"
    again = next((f for f in entry.get("later", ()) if died and f["compaction"] > died and _alive(f)), None)
    if again:
        yield f"in the list again after compaction {again['compaction']} ({again['where']})"
    if back:
        yield f"said again in message {back['message']} ({back['role']})"
    if other:
        yield f"later: {safe_title(other['text'], 160)} (message {other['message']})"
