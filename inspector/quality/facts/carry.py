"""Carrying facts off before or after a compaction: a checklist for the agent, and payloads for a memory store."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from inspector.core.text import safe_line
from inspector.quality.facts.extract import ARROW
from inspector.quality.facts.fact import ERRAND, KINDS, Fact
from inspector.quality.prohibitions import is_prohibition

_HEADINGS = {
    "constraint": "Constraints",
    "preference": "How the user wants it",
    "decision": "Decisions and their reasons",
    "value": "Exact values",
    "statement": "Other statements",
}
#: Characters of the text to pin, at most, and what it begins with.
PIN_LIMIT = 4_000
PIN_LEAD = "Keep these word for word, unless a later message takes them back:"
#: Kinds of facts that are worth pinning.
_PINNED = ("constraint", "preference", "decision", "value")
_SPECIAL = "\\`*_[]<>#|"
#: Speakers in a memory store: a tool's words count as the agent's.
_SPEAKERS = {"user": "user"}


def checklist(facts: Sequence[Fact], lead: str) -> str:
    """The facts as a Markdown checklist by kind, to be pasted into the agent as the focus of a manual compaction.

    Empty where there are no facts. Within a kind the order is kept.
    """
    if not facts:
        return ""
    lines = [lead]
    ordered = sorted(facts, key=lambda fact: KINDS.index(fact.kind))
    for kind, group in groupby(ordered, key=lambda fact: fact.kind):
        lines += ["", f"**{_HEADINGS[kind]}**", ""]
        lines += [f"- [ ] {_line(fact)}" for fact in group]
    return "\n".join(lines) + "\n"


def _line(fact: Fact) -> str:
    who = "" if fact.role == "user" else f" ({fact.role})"
    text = escaped(fact.text)
    shown = " ".join(fact.text.split())
    is_brief = fact.kind not in ("statement", "value") and len(shown) <= 160
    if not is_brief and any(value.text not in shown for value in fact.values):
        return f"{escaped(fact.value)}: {text}{who}"
    return f"{text}{who}"


def escaped(text: str) -> str:
    """A text that Markdown shows as it is, in one line."""
    one = " ".join(text.split())
    return "".join(f"\\{sign}" if sign in _SPECIAL else sign for sign in one)


def memories(facts: Sequence[Fact], conversation: str, agent: str, user: str = "") -> list[dict[str, Any]]:
    """A payload for Mem0's `add` for each fact: the message, the ids that scope it, what it is, and `infer` off so that
    the words are kept as they are. Without `user` the memory is scoped to the agent and this conversation."""
    documents = []
    for fact in facts:
        payload: dict[str, Any] = {
            "messages": [{"role": _SPEAKERS.get(fact.role, "assistant"), "content": fact.text}],
            "agent_id": agent,
            "run_id": conversation,
            "metadata": {
                "category": fact.kind,
                "value": fact.value,
                "session": fact.first.session,
                "message": fact.first.message,
                "key": fact.key,
            },
            "infer": False,
        }
        if user:
            payload["user_id"] = user
        documents.append(payload)
    return documents


def pin_text(facts: Sequence[Fact], limit: int = PIN_LIMIT, lead: str = PIN_LEAD) -> str:
    """The user's rules, wishes, decisions and values, word for word, ranked, within `limit` characters; "" for none.

    A request that is over once it is done ("run the tests") is left out.
    """
    ordered = sorted(
        (
            fact
            for fact in facts
            if fact.role == "user"
            and fact.kind in _PINNED
            and not (fact.pasted or fact.rule.endswith(ERRAND))
        ),
        key=lambda fact: (
            not fact.binds,
            _PINNED.index(fact.kind),
            not is_prohibition(fact.text),
            -fact.rank,
        ),
    )
    lines, size = [lead], len(lead)
    for fact in ordered:
        line = f"- {safe_line(_told(fact.text))}"
        if size + len(line) + 1 <= limit:
            lines.append(line)
            size += len(line) + 1
    return "\n".join(lines) + "\n" if len(lines) > 1 else ""


def _told(text: str) -> str:
    """Return the text of a fact for the agent: an answer comes with words around its question."""
    answer, arrow, question = text.partition(ARROW)
    return f"The user answered “{answer}” to “{question}”" if arrow else text
