"""Rule files of a conversation: the files that the agent loaded, and the lists that hold them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inspector.answers.answers import Answers
from inspector.core.conversations import ConversationRow
from inspector.stores.rule_files import RuleFile, rule_files


@dataclass(frozen=True, slots=True)
class StandingFile:
    """A file of rules or of memory, with every place where a list has its text.

    `lists` are the generations (from 1) whose recorded list has it. `live`: the agent's current list has it. Agents may
    send such a file without recording it: a file that is missing from the recorded list may still have been seen by the
    model.
    """

    path: str
    text: str
    memory: bool
    entries: tuple[RuleFile, ...]
    lists: tuple[int, ...]
    live: bool


@dataclass(frozen=True, slots=True)
class StandingRules:
    """Rule files of one conversation in the order they were loaded, and its number of lists."""

    row: ConversationRow
    generations: int
    files: tuple[StandingFile, ...]


def list_rules(answers: Answers, names: Sequence[str] = ()) -> list[StandingRules]:
    """Return the rule files of the named conversations, or of all conversations that loaded any.

    Raises UnknownConversation and StoreErrors.
    """
    store = answers.store
    found = []
    for row in answers.rows(names):
        conversation = store.open(row.id)
        last = conversation.live.number
        by_path: dict[str, list[RuleFile]] = {}
        for file in rule_files(store, conversation):
            by_path.setdefault(file.path, []).append(file)
        files = tuple(_standing(path, entries, last) for path, entries in by_path.items())
        if files or names:
            found.append(StandingRules(row, last, files))
    return found


def _standing(path: str, entries: Sequence[RuleFile], last: int) -> StandingFile:
    lists = tuple(sorted({file.generation for file in entries}))
    return StandingFile(
        path, entries[-1].text, any(file.is_memory for file in entries), tuple(entries), lists, last in lists
    )
