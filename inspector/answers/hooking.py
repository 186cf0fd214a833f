"""The answers of the hooks that an agent calls around a compaction.

docs/hooks.md describes the hooks of each agent. An answer is computed from the transcript that the agent names, or
from the messages that it passes. A hook stores values for a later hook in the state folder of this program, and writes
nothing else.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from inspector.config.folders import read_state, state_dir, write_state
from inspector.core.conversations import USER, ConversationRow
from inspector.core.errors import BadInput
from inspector.core.shares import plural
from inspector.core.text import safe, safe_line
from inspector.stores.values import mapping_at, text_of

# A hook runs before every answer of an agent, so modules are imported on use.
if TYPE_CHECKING:
    from inspector.core.messages import Message
    from inspector.quality.facts.fact import Fact, Saying
    from inspector.quality.facts.passages import ListText
    from inspector.stores.base import Store

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
_ANALYSIS = re.compile(r"<analysis>(?:(?!<analysis>).)*?</analysis>", re.S)
_FOLDER = "hooks"


class HookAnswer(Struct, frozen=True):
    """The output of a hook: plain `text`, or `json` if the agent accepts it. Both are empty for no output."""

    text: str = ""
    json: Mapping[str, Any] | None = None


def claude_code(event: Mapping[str, Any], budget: int = BUDGET) -> HookAnswer:
    """Answer a hook of Claude Code. An event without an answer prints nothing.

    Raises StoreErrors for a transcript that cannot be read, and BadInput for an invalid event.
    """
    name, session = text_of(event, "hook_event_name"), text_of(event, "session_id")
    path = Path(text_of(event, "transcript_path"))
    if name in ("UserPromptSubmit", "PostToolUse"):
        return _report_once(session, name)
    if name == "PreCompact":
        return _statements_to_keep(facts_of_transcript(path), budget)
    if name == "SessionStart" and event.get("source") == "compact":
        text = _standing_rules(path)
        _remember(session, {"standing": text, "verdict": ""})
        return HookAnswer(text)
    if name == "PostCompact":
        from inspector.quality.facts.passages import ListText

        text = _ANALYSIS.sub("", text_of(event, "compact_summary"))
        summary = ListText("summary", 0, "summary", safe(text))
        standing = str(_remembered(session).get("standing", ""))
        lost = lost_statements(facts_of_transcript(path), [summary], standing)
        _remember(session, {"standing": standing, "verdict": lost})
    return HookAnswer()


def hermes(event: Mapping[str, Any], budget: int = BUDGET) -> HookAnswer:
    """Answer a hook of Hermes Agent: `on_pre_compress` with its messages, or `pre_llm_call` with the history.

    Raise BadInput if the messages are not a list.
    """
    name, session = text_of(event, "hook_event_name"), text_of(event, "session_id")
    extra = mapping_at(event, "extra")
    if name == "on_pre_compress":
        return _statements_to_keep(facts_of_messages(_messages(event.get("messages"))), budget)
    if name != "pre_llm_call":
        return HookAnswer()
    history = extra.get("conversation_history", event.get("conversation_history"))
    return _after_compression(session, _messages(history))


def codex(event: Mapping[str, Any], budget: int = BUDGET) -> HookAnswer:
    """Answer a hook of Codex: its SessionStart after a compaction adds the rules of the user.

    Raise StoreErrors for a transcript that cannot be read, and BadInput for an event without one.
    """
    if text_of(event, "hook_event_name") != "SessionStart" or event.get("source") != "compact":
        return HookAnswer()
    return HookAnswer(_standing_rules(Path(text_of(event, "transcript_path"))))


def opencode(event: Mapping[str, Any], budget: int = BUDGET) -> HookAnswer:
    """Answer the opencode plug-in before a compaction of the session `session_id`: the statements to keep.

    Raise StoreErrors for a database that cannot be read, and BadInput if there is none.
    """
    from inspector.agents import agent_named, places_of

    session, agent = text_of(event, "session_id"), agent_named("opencode")
    if text_of(event, "hook_event_name") != "session.compacting" or not session or agent is None:
        return HookAnswer()
    databases = [path for path in places_of(agent) if path.is_file()]
    if not databases:
        raise BadInput("The database of opencode is not in its usual place.")
    newest = max(databases, key=lambda path: path.stat().st_mtime)
    return _statements_to_keep(facts_of_transcript(newest, session), budget)


def pi(event: Mapping[str, Any], budget: int = BUDGET) -> HookAnswer:
    """Answer the pi extension after a compaction: the statements that the new list lost.

    The event has the `messages` before the compaction, the `kept` messages, and the `summary`. Raise BadInput without
    lists.
    """
    if text_of(event, "hook_event_name") != "session_compact":
        return HookAnswer()
    from inspector.quality.facts.passages import ListText

    after = [ListText("summary", 0, "summary", safe(text_of(event, "summary")))]
    after += [
        ListText("tail", number, "tool" if message.role == "toolResult" else message.role, safe(message.text))
        for number, message in enumerate(_messages(event.get("kept")), 1)
    ]
    return HookAnswer(lost_statements(facts_of_messages(_messages(event.get("messages"))), after))


def status_line(event: Mapping[str, Any]) -> str:
    """Return Claude Code's status line: the distance to the threshold, and the rules that a compaction would summarize.

    Raises StoreErrors for a transcript that cannot be read.
    """
    window = mapping_at(event, "context_window")
    usage = mapping_at(window, "current_usage")
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
    used = sum(value for name in names if isinstance(value := usage.get(name), int))
    size = window.get("context_window_size")
    parts = []
    if isinstance(size, int) and size > 0:
        threshold = _threshold(size)
        remaining = threshold - used
        share = f"{used:,}/{threshold:,}"
        parts.append(
            f"{share} · {remaining:,} to compaction" if remaining > 0 else f"{share} · compaction is due"
        )
    rules = _count_rules(Path(text_of(event, "transcript_path")), text_of(event, "session_id"))
    if rules:
        parts.append(f"{plural(rules, 'rule')} at risk")
    return " · ".join(parts)


def _threshold(window: int) -> int:
    from inspector.engines.base import Settings
    from inspector.engines.capabilities import default_threshold
    from inspector.engines.registry import engine

    profile = engine("claude-code")
    share = default_threshold(profile, window)
    settings = Settings(
        profile="claude-code", context_length=window, threshold=0.5 if share is None else share
    )
    return profile.budgets(settings).threshold_tokens


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
    (file,) = Path(__file__).with_name("hook_files").glob(f"{agent}.*")
    return file.read_text(encoding="utf-8")


def _statements_to_keep(facts: Sequence[Fact], budget: int) -> HookAnswer:
    """Return the statements to keep as the text for the summarizer."""
    from inspector.quality.facts.carry import pin_text

    return HookAnswer(pin_text(facts, min(budget, MAX_BUDGET), _KEEP_LEAD))


def _standing_rules(path: Path) -> str:
    """Return the rules of the user in a transcript, word for word, within their budget."""
    from inspector.quality.facts.carry import pin_text

    return pin_text([fact for fact in facts_of_transcript(path) if fact.binds], MAX_STANDING, _STANDING_LEAD)


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


def _after_compression(session: str, history: Sequence[Message]) -> HookAnswer:
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
        return HookAnswer()
    text = history[summary].text.encode("utf-8", "surrogatepass")
    digest = hashlib.blake2b(text, digest_size=8).hexdigest()
    rules = [rule for rule in state.get("rules", ()) if isinstance(rule, str)]
    # Later compressions may lose the rules that the user says from now on.
    _remember(session, {"rules": list(dict.fromkeys([*rules, *current])), "said": digest})
    if state.get("said") == digest or not rules:
        return HookAnswer()
    before = facts_of_messages(messages_from({"role": "user", "content": rule} for rule in rules))
    after = [
        ListText("summary" if index == summary else "tail", index, message.role, safe(message.text))
        for index, message in enumerate(history)
    ]
    lost = lost_statements(before, after)
    return HookAnswer(json={"context": lost}) if lost else HookAnswer()


def _report_once(session: str, event: str) -> HookAnswer:
    """Report the stored losses of the last compaction, and remove them from the store."""
    state = _remembered(session)
    verdict = state.get("verdict")
    if not isinstance(verdict, str) or not verdict:
        return HookAnswer()
    _remember(session, {**state, "verdict": ""})
    return HookAnswer(json={"hookSpecificOutput": {"hookEventName": event, "additionalContext": verdict}})


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


def _messages(value: object) -> tuple[Message, ...]:
    if not isinstance(value, list):
        raise BadInput("The event has no list of messages.")
    from inspector.core.messages import messages_from

    return messages_from(entry for entry in value if isinstance(entry, dict))


def _state_file(session: str) -> Path:
    digest = hashlib.blake2b(session.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
    return state_dir() / _FOLDER / f"{digest}.json"


def _remembered(session: str) -> dict[str, Any]:
    return read_state(_state_file(session))


def _remember(session: str, values: Mapping[str, Any]) -> None:
    write_state(_state_file(session), {**values, "at": time.time()})


#: The function of each agent that answers an event within a budget.
AGENTS: Mapping[str, Callable[[Mapping[str, Any], int], HookAnswer]] = {
    "claude-code": claude_code, "codex": codex, "hermes": hermes, "opencode": opencode, "pi": pi
}  # fmt: skip
