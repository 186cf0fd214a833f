"""The facts of a conversation, from what its messages say: sayings joined, links found, uses counted, all ranked."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from inspector.quality.facts.scan import folded
from inspector.quality.facts.shown import shown
from inspector.quality.facts.values import Fact, Mention, MessageFacts, Said, Saying

_ROLE = {"user": 100.0, "assistant": 45.0, "tool": 15.0}
_KIND = {"constraint": 30.0, "preference": 28.0, "decision": 26.0, "value": 14.0, "link": 12.0}
_PASTED, _ASKED = 45.0, 40.0
#: A name that a tool printed is a fact once so many later messages used it, a link once that many did.
TOOL_USES = 3
LINK_USES = 1
# Forms whose names are links; others ("utf-8") are too often no name of anything.
_LINKS = frozenset({"path", "url", "ticket", "digest", "uuid", "setting"})
_SPOKEN = ("user", "assistant")


@dataclass(frozen=True, slots=True)
class Step:
    """One message of the conversation, said once: where it is and what it says. `task` counts the user's messages."""

    saying: Saying
    task: int
    facts: MessageFacts


@dataclass(slots=True)
class _Gathered:
    """A fact while its sayings are collected; `said` is the one whose words are shown."""

    said: Said
    sayings: list[tuple[Saying, Said]]
    best: int = 0


def gather(steps: Sequence[Step]) -> tuple[Fact, ...]:
    """Every fact, best rank first. The order of equals is that of the conversation."""
    used = _Uses(steps)
    found: dict[str, _Gathered] = {}
    owned = _owned(steps)
    for step in steps:
        for said in step.facts.said:
            key = _key(said, step.saying.role, owned)
            if key:
                _add(found, key, said, replace(step.saying, span=said.span))
    facts = [_fact(key, gathered, used) for key, gathered in found.items()]
    # A value that was only pasted says as little as one that a tool printed, until somebody uses it.
    facts = [
        fact
        for fact, gathered in zip(facts, found.values(), strict=True)
        if fact.uses or not _shown(gathered)
    ]
    known = {value.canon for fact in facts for value in fact.values if value.distinctive}
    facts += _links(used, known)
    facts += [replace(fact, rank=_rank_shown(fact)) for fact in shown(steps)]
    return tuple(sorted(facts, key=lambda fact: (-fact.rank, fact.first.step, fact.first.span, fact.key)))


def _owned(steps: Sequence[Step]) -> frozenset[str]:
    """The distinctive values that a user's own rule, choice or wish is about: naming them again is using that fact."""
    return frozenset(
        value.canon
        for step in steps
        if step.saying.role == "user"
        for said in step.facts.said
        if said.kind != "value" and not said.pasted and not said.asked
        for value in said.values
        if value.distinctive
    )


def _key(said: Said, role: str, owned: frozenset[str]) -> str:
    """What makes two sayings one fact: a value's own name, else the words. Empty where nothing is kept."""
    if said.asked and said.kind != "value":
        return ""
    if said.kind == "value":
        named = [value for value in said.values if value.distinctive]
        if named and (role != "user" or said.pasted or len(said.values) == 1):
            if named[0].canon in owned:
                return ""
            return f"value {named[0].canon}"
        if said.asked:
            return ""
    return folded(said.text)


def _add(found: dict[str, _Gathered], key: str, said: Said, saying: Saying) -> None:
    entry = found.get(key)
    if entry is None:
        found[key] = _Gathered(said, [(saying, said)])
        return
    entry.sayings.append((saying, said))
    now, was = _weight(said, saying.role), _weight(entry.said, entry.sayings[entry.best][0].role)
    if now > was:
        entry.said, entry.best = said, len(entry.sayings) - 1


def _shown(gathered: _Gathered) -> bool:
    return gathered.said.kind == "value" and all(said.pasted for _, said in gathered.sayings)


def _weight(said: Said, role: str) -> float:
    return (
        _ROLE.get(role, 0.0) + _KIND[said.kind] + said.strength - _PASTED * said.pasted - _ASKED * said.asked
    )


def _fact(key: str, gathered: _Gathered, used: _Uses) -> Fact:
    said = gathered.said
    best = gathered.sayings[gathered.best][0]
    others = [saying for at, (saying, _) in enumerate(gathered.sayings) if at != gathered.best]
    steps = {saying.step for saying, _ in gathered.sayings}
    again = sum(not other.pasted for _, other in gathered.sayings) - (not said.pasted)
    uses = again + used.of(said, min(steps), steps)
    rank = (
        _weight(said, best.role)
        + min(6.0, 2.0 * len(said.values))
        + min(10.0, 3.0 * (len(steps) - 1))
        + min(12.0, 1.5 * uses)
    )
    return Fact(
        key=_name(key),
        kind=said.kind,
        text=said.text,
        value=", ".join(dict.fromkeys(value.text for value in said.values)) or said.text.strip(" .。;；"),
        values=said.values,
        things=said.things,
        rule=said.rule,
        strength=said.strength,
        cue=said.cue,
        role=best.role,
        sayings=(best, *others),
        uses=uses,
        rank=round(rank, 2),
        pasted=all(one.pasted for saying, one in gathered.sayings if saying.role == best.role),
    )


def _rank_shown(fact: Fact) -> float:
    again = len({saying.step for saying in fact.sayings}) - 1
    return _ROLE["user"] + _KIND[fact.kind] + fact.strength + 2.0 * len(fact.values) + min(10.0, 3.0 * again)


def _name(key: str) -> str:
    return hashlib.blake2b(key.encode("utf-8", errors="surrogatepass"), digest_size=8).hexdigest()


class _Uses:
    """Where names are mentioned and values are said, so that later uses can be counted."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.named: dict[str, list[tuple[Step, Mention]]] = defaultdict(list)
        self.said: dict[tuple[str, str], list[tuple[int, frozenset[str]]]] = defaultdict(list)
        for step in steps:
            for mention in step.facts.mentions:
                self.named[mention.value.canon].append((step, mention))
            for said in step.facts.said:
                things = frozenset(said.things)
                for value in said.values:
                    if not value.distinctive:
                        self.said[value.canon, value.unit].append((step.saying.step, things))

    def of(self, said: Said, first: int, own: set[int]) -> int:
        """Later messages, other than the sayings, that use a value of the fact."""
        steps: set[int] = set()
        things = frozenset(said.things)
        for value in said.values:
            if value.distinctive:
                steps.update(
                    step.saying.step
                    for step, mention in self.named.get(value.canon, ())
                    if step.saying.step > first and _spoken(step, mention)
                )
            else:
                steps.update(
                    at for at, others in self.said[value.canon, value.unit] if at > first and things & others
                )
        return len(steps - own)


def _links(used: _Uses, known: set[str]) -> Iterable[Fact]:
    """Names that one task brought up and a later one used; and names that a tool printed and that were used much."""
    for canon, mentions in used.named.items():
        if canon in known or len(mentions) < 2:
            continue
        value = mentions[0][1].value
        if value.form not in _LINKS:
            continue
        first = mentions[0][0]
        spoken = [step for step, mention in mentions if _spoken(step, mention)]
        later = [step for step in spoken if step.saying.step > first.saying.step]
        tasks = {first.task, *(step.task for step in spoken)}
        told = _told(mentions)
        if (
            told is None
            or (value.form == "setting" and told[1].pasted)
            or len(later) < (LINK_USES if len(tasks) > 1 else TOOL_USES)
        ):
            continue
        yield _named(canon, told, mentions, len(later), len(tasks) > 1)


def _spoken(step: Step, mention: Mention) -> bool:
    """Whether somebody used a name, rather than showed it in a paste or printed it."""
    return step.saying.role == "assistant" or (step.saying.role == "user" and not mention.pasted)


def _told(mentions: Sequence[tuple[Step, Mention]]) -> tuple[Step, Mention]:
    """The mention whose words are shown: the first that somebody said, else the first of all."""
    return next(((s, m) for s, m in mentions if _spoken(s, m) and not m.called), mentions[0])


def _named(
    canon: str, told: tuple[Step, Mention], mentions: Sequence[tuple[Step, Mention]], uses: int, link: bool
) -> Fact:
    step, mention = told
    sayings = [
        replace(other.saying, span=m.text_span) for other, m in mentions if not m.called and other is not step
    ]
    role = step.saying.role if step.saying.role != "user" or not mention.pasted else "tool"
    kind = "link" if link else "value"
    shape = 4.0 if "/" in mention.value.text else 0.0
    rank = _ROLE.get(role, 0.0) + _KIND[kind] + min(20.0, 1.5 * uses) + shape
    return Fact(
        key=_name(f"value {canon}"),
        kind="link" if link else "value",
        text=mention.text,
        value=mention.value.text,
        values=(mention.value,),
        things=(),
        rule="link.task" if link else f"value.{mention.value.form}",
        strength=5,
        cue=(0, 0),
        role=step.saying.role,
        sayings=(replace(step.saying, span=mention.text_span), *sayings),
        uses=uses,
        rank=round(rank, 2),
        pruned=step.saying.pruned or any(saying.pruned for saying in sayings),
        pasted=all(one.pasted for other, one in mentions if other.saying.role == step.saying.role),
    )


def values_said(facts: Iterable[Fact]) -> frozenset[tuple[str, str]]:
    """Every number that some fact gives, with its unit: what a summary may say without having changed anything."""
    return frozenset(
        (value.canon, value.unit) for fact in facts for value in fact.values if not value.distinctive
    )
