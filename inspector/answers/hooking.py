"""The answers of the hooks that an agent calls around a compaction.

docs/hooks.md describes the hooks of each agent. The `hook.py` of its folder reads their events. An answer is computed
from the transcript that the agent names, or from the messages that it passes. A hook stores values for a later hook in
the state folder of this program, and writes nothing else.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module, resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.agents import row_of
from inspector.config.folders import read_state, state_dir, write_state
from inspector.core.conversations import USER, ConversationRow
from inspector.core.errors import BadInput
from inspector.core.shares import plural
from inspector.core.text import safe, safe_line

# A hook runs before every answer of an agent, so modules are imported on use.
if TYPE_CHECKING:
    from inspector.core.messages import Message
    from inspector.quality.facts.fact import Fact, Saying
    from inspector.quality.facts.passages import ListText
    from inspector.stores.base import Store
    from inspector.stores.hook_events import HookEvent

#: Default and maximum characters for the summarizing request. Claude Code cuts at 10,000.
BUDGET, MAX_BUDGET = 6_000, 9_800
#: Maximum characters of the rules that follow a summary until the next compaction.
MAX_STANDING = 1_500
#: Maximum number of reported statements.
MAX_LOST = 8
#: Maximum number of user messages that are read, the latest ones.
_MAX_MESSAGES = 2_000
_KEEP_LEAD = (
    "Keep these statements of the user in the summary, word for word, unless a later one takes them back:"
)
_STANDING_LEAD = "Standing rules of the user, word for word, from before the compaction:"
_LOST_LEAD = "The last compaction lost or weakened these statements of the user. They hold unless taken back:"
_FOLDER = "hooks"


def answer(agent: str, event: Mapping[str, Any], budget: int = BUDGET) -> str:
    """Return what a hook of an agent prints for an event; "" for an event without an answer.

    Raises StoreErrors for a transcript that cannot be read, and BadInput for an invalid event.
    """
    asked = import_module(f"{row_of(agent).package}.hook").read(event)
    text = "" if asked is None else _text(asked, agent, budget)
    return f"{json.dumps(asked.as_json(text))}\n" if text and asked.as_json else text


def _text(asked: HookEvent, agent: str, budget: int) -> str:
    match asked.asks:
        case "keep":
            return _pinned(_facts(asked), min(budget, MAX_BUDGET), _KEEP_LEAD)
        case "rules":
            text = _pinned([fact for fact in _facts(asked) if fact.binds], MAX_STANDING, _STANDING_LEAD)
            if asked.session:
                _remember(asked.session, {"standing": text, "verdict": ""})
            return text
        case "lost":
            return _lost(asked)
        case "missing":
            return _after_compression(asked.session, asked.messages or ())
        case "report":
            return _report_once(asked.session)
        case "status":
            return _status_line(asked, agent)


def _pinned(facts: Sequence[Fact], budget: int, lead: str) -> str:
    from inspector.quality.facts.carry import pin_text

    return pin_text(facts, budget, lead)


def _lost(asked: HookEvent) -> str:
    """Return the statements that a compaction lost. If the event has a session, store them instead."""
    from inspector.quality.facts.passages import ListText

    after = [
        ListText("tail" if number else "summary", number, role, safe(text))
        for number, (role, text) in enumerate(asked.after)
    ]
    standing = str(_remembered(asked.session).get("standing", "")) if asked.session else ""
    lost = lost_statements(_facts(asked), after, standing)
    if asked.session:
        _remember(asked.session, {"standing": standing, "verdict": lost})
    return "" if asked.session else lost


def _facts(asked: HookEvent) -> tuple[Fact, ...]:
    if asked.messages is not None:
        return facts_of_messages(asked.messages)
    return facts_of_transcript(Path(asked.transcript), asked.conversation)


def _status_line(asked: HookEvent, agent: str) -> str:
    """Return the distance to the threshold, and the number of rules that a compaction would summarize."""
    parts = []
    if asked.window > 0:
        from inspector.engines.base import Settings
        from inspector.engines.registry import budgets_of, with_changes

        settings = with_changes(Settings(context_length=asked.window), profile=agent)
        threshold = budgets_of(settings).threshold_tokens
        remaining, share = threshold - asked.used, f"{asked.used:,}/{threshold:,}"
        parts.append(
            f"{share} · {remaining:,} to compaction" if remaining > 0 else f"{share} · compaction is due"
        )
    if rules := _count_rules(Path(asked.transcript), asked.session):
        parts.append(f"{plural(rules, 'rule')} at risk")
    return " · ".join(parts) + "\n"


def facts_of_transcript(path: Path, session: str = "") -> tuple[Fact, ...]:
    """Return the statements of the user in a transcript, best rank first.

    `session` names one of several sessions. Only the user's messages are read. Raises StoreErrors.
    """
    from inspector.stores.detect import open_store

    if not path.name:
        raise BadInput("The event names no transcript.")
    if not path.is_file():
        raise BadInput(f"The transcript that the event names is not a file: {path}.")
    store = open_store(path)
    try:
        name = store.resolve(session) if session else _main_conversation(store.conversations())
        return _facts_of(_user_messages(store, name))
    finally:
        store.close()


def facts_of_messages(messages: Sequence[Message]) -> tuple[Fact, ...]:
    """Return the statements of the user in a list of messages, best rank first."""
    from inspector.quality.facts.fact import Saying

    spoken = [(at, message) for at, message in enumerate(messages) if message.role == "user"]
    return _facts_of((Saying(at, 1, at, at, "", "user"), message) for at, message in spoken[-_MAX_MESSAGES:])


def _facts_of(messages: Iterable[tuple[Saying, Message]]) -> tuple[Fact, ...]:
    """Return the statements in messages of the user, best rank first."""
    from inspector.quality.facts.extract import extract
    from inspector.quality.facts.fact import SpokenMessage
    from inspector.quality.facts.gather import gather

    return gather(
        [SpokenMessage(saying, task, extract(message)) for task, (saying, message) in enumerate(messages)]
    )


def lost_statements(facts: Iterable[Fact], after: Sequence[ListText], standing: str = "") -> str:
    """Return the user's rules, decisions and values that the texts after a compaction lost or weakened; "" for none.

    A statement in `standing` is not lost.
    """
    from inspector.quality.facts.fact import HARMED
    from inspector.quality.facts.fate import fate
    from inspector.quality.facts.passages import PassageIndex

    index = PassageIndex(after)
    statements = (
        fact for fact in facts if fact.role == "user" and not fact.pasted and fact.kind != "statement"
    )
    outcomes = (
        (fact, fate(fact, index, 1).outcome) for fact in statements if safe_line(fact.text) not in standing
    )
    harmed = [(fact, outcome) for fact, outcome in outcomes if outcome in HARMED]
    harmed.sort(key=lambda entry: (not entry[0].binds, -entry[0].rank))
    lines = [f"- {safe_line(fact.text)} ({outcome})" for fact, outcome in harmed[:MAX_LOST]]
    return "\n".join([_LOST_LEAD, *lines]) + "\n" if lines else ""


def settings_to_paste(agent: str) -> str:
    """Return the text to paste into an agent's settings, or to save as its plug-in."""
    row = row_of(agent)
    return resources.files(row.package).joinpath(row.hook).read_text(encoding="utf-8")


def _main_conversation(rows: Sequence[ConversationRow]) -> str:
    """Return the id of the first conversation that is neither a branch nor a sub-agent, else of the first row."""
    ids = [row.id for row in rows if row.kind == "conversation"] or [row.id for row in rows]
    if not ids:
        raise BadInput("The transcript has no conversation yet.")
    return ids[0]


def _user_messages(store: Store, name: str) -> Iterator[tuple[Saying, Message]]:
    """Yield the latest messages of the user in a conversation, each once, with their places."""
    from inspector.quality.facts.fact import Saying
    from inspector.replay.transcript import transcript_of

    conversation = store.open(name)
    history = transcript_of(conversation, store.compactions(conversation))
    user_places = [(step, place) for step, place in enumerate(history.places) if place.role == USER]
    for step, place in user_places[-_MAX_MESSAGES:]:
        generation = conversation.generations[place.generation - 1]
        (message,) = store.messages(generation, place.index, place.index + 1)
        yield Saying(step, place.generation, place.index, place.message, generation.session, "user"), message


def _after_compression(session: str, history: Sequence[Message]) -> str:
    """Report the rules that a compression lost, once for each summary. Before a summary, store the rules.

    The stored `said` is the digest of the summary whose losses were reported.
    """
    from inspector.core.handoff import handoff_of
    from inspector.core.messages import messages_from
    from inspector.quality.facts.passages import ListText

    state = _remembered(session)
    summary = next((index for index, message in enumerate(history) if handoff_of(message) is not None), None)
    current = [fact.text for fact in facts_of_messages(history) if fact.binds]
    if summary is None:
        _remember(session, {"rules": current, "said": ""})
        return ""
    text = history[summary].text.encode("utf-8", "surrogatepass")
    digest = hashlib.blake2b(text, digest_size=8).hexdigest()
    rules = [rule for rule in state.get("rules", ()) if isinstance(rule, str)]
    # Later compressions may lose the rules that the user says from now on.
    _remember(session, {"rules": list(dict.fromkeys([*rules, *current])), "said": digest})
    if state.get("said") == digest or not rules:
        return ""
    before = facts_of_messages(messages_from({"role": "user", "content": rule} for rule in rules))
    after = [
        ListText("summary" if index == summary else "tail", index, message.role, safe(message.text))
        for index, message in enumerate(history)
    ]
    return lost_statements(before, after)


def _report_once(session: str) -> str:
    """Report the stored losses of the last compaction, and remove them from the store."""
    state = _remembered(session)
    verdict = state.get("verdict")
    if not isinstance(verdict, str) or not verdict:
        return ""
    _remember(session, {**state, "verdict": ""})
    return verdict


def _count_rules(path: Path, session: str) -> int:
    """Return the number of the user's rules in a transcript, stored until the size of the file changes."""
    if not path.is_file():
        return 0
    size = path.stat().st_size
    state = _remembered(f"{session} status")
    if state.get("size") == size and isinstance(state.get("rules"), int):
        return int(state["rules"])
    rules = sum(fact.binds for fact in facts_of_transcript(path))
    _remember(f"{session} status", {"size": size, "rules": rules})
    return rules


def _state_file(session: str) -> Path:
    digest = hashlib.blake2b(session.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
    return state_dir() / _FOLDER / f"{digest}.json"


def _remembered(session: str) -> dict[str, Any]:
    return read_state(_state_file(session))


def _remember(session: str, values: Mapping[str, Any]) -> None:
    write_state(_state_file(session), {**values, "at": time.time()})
