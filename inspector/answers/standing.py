"""Rule files of a conversation: the files that the agent loaded, and the lists that hold them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from inspector.agents import row_of
from inspector.answers.answers import Answers
from inspector.answers.store_losses import part_unread
from inspector.core.conversations import ConversationRow
from inspector.core.places import Place
from inspector.core.text import safe, safe_line, safe_title
from inspector.stores.rule_files import FileCut, RuleFile, is_sent, rule_files, texts_after


class RuleTextPlace(Place, frozen=True):
    """The place of a message that has the text of a rule file."""

    how: str


class StandingFile(Struct, frozen=True):
    """A file of rules or of memory of a conversation, with every place where a list has its text.

    `in_lists` are the numbers of the generations whose recorded list has it, out of `generations`. `in_context`: the
    current list has it. Agents may send such a file without recording it, so the model may have a file that the
    recorded list lacks. `sent_by` is the title of an agent that does this with a file of this name, else None. `cut` is
    the last recorded cut of the file that was sent, else None. Texts are safe.
    """

    conversation: str
    title: str
    path: str
    kind: str
    how: tuple[str, ...]
    text: str
    generations: int
    in_lists: tuple[int, ...]
    in_context: bool
    sent_by: str | None
    cut: FileCut | None
    entries: tuple[RuleTextPlace, ...]


def list_rules(answers: Answers, names: Sequence[str]) -> list[StandingFile]:
    """Return the rule files of the named conversations, or of all, in the order of loading.

    Raises UnknownConversation and StoreErrors.
    """
    files: list[StandingFile] = []
    unread = 0
    for row in answers.rows(names):
        files += _files(answers, row)
        # Damage of a message is known after the message was read.
        unread += answers.store.open(row.id).has_unread
    if unread:
        answers.note(f"{part_unread(unread)}, so more files may have been loaded.")
    return files


def _files(answers: Answers, row: ConversationRow) -> Iterator[StandingFile]:
    conversation = answers.store.open(row.id)
    last = conversation.live.number
    by_path: dict[str, list[RuleFile]] = {}
    for file in rule_files(answers.store, conversation):
        by_path.setdefault(file.path, []).append(file)
    for path, entries in by_path.items():
        lists = tuple(sorted({file.generation for file in entries if file.cut is None}))
        texts = [file.text for file in texts_after(file for file in entries if file.cut is None)]
        cuts = [file.cut for file in entries if file.cut is not None]
        yield StandingFile(
            row.id,
            safe_title(row.unmasked_title),
            safe_line(path),
            "memory" if any(file.is_memory for file in entries) else "rules file",
            tuple(dict.fromkeys(file.how for file in entries)),
            safe("\n".join(texts)),
            last,
            lists,
            last in lists,
            row_of(row.agent).title if cuts or is_sent(path, row) else None,
            cuts[-1] if cuts else None,
            tuple(RuleTextPlace(file.generation, file.place, file.message, file.how) for file in entries),
        )
