"""The list after each compaction as searchable passages, read on demand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice

from inspector.agents import row_of
from inspector.answers.inspection import Inspection
from inspector.core.conversations import SYSTEM, Compaction
from inspector.core.handoff import handoff_of
from inspector.core.messages import Message
from inspector.core.text import safe
from inspector.quality.facts.fact import Where
from inspector.quality.facts.passages import UNRECORDED, ListText, PassageIndex
from inspector.quality.facts.spoken import spoken_spans
from inspector.stores.rule_files import RuleFile, is_sent, texts_after
from inspector.summaries.parse import written_by_model

#: Start of a file that Claude Code attaches again. It may be the agent's plan.
_FILE = "(file: "


class ListsAfter(Mapping[int, PassageIndex]):
    """The list after each compaction, by the index of the compaction.

    A list is read when it is needed and not kept, because all lists of a long conversation do not fit into memory. With
    `summaries`, only these compactions have a list, and the given summary replaces the recorded one."""

    def __init__(
        self,
        inspection: Inspection,
        compactions: Sequence[Compaction],
        summaries: Mapping[int, str] | None = None,
    ) -> None:
        self._inspection = inspection
        numbers = {generation.number for generation in inspection.conversation.generations}
        wanted = numbers if summaries is None else {index + 1 for index in summaries}
        self._compactions = {c.index: c for c in compactions if c.index + 1 in numbers & wanted}
        self._summaries = summaries or {}

    def __getitem__(self, index: int) -> PassageIndex:
        return PassageIndex(self.parts(index, self.messages(index)))

    def messages(self, index: int) -> Iterator[Message]:
        """Yield the messages of the list after a compaction, in order."""
        after = self._inspection.generation(index + 1)
        stop = self._compactions[index].after
        # Files and reminders that the agent attaches right after a compaction also belong to the list.
        while stop < len(after) and after.roles[stop] == SYSTEM:
            stop += 1
        return islice(self._inspection.store.iterate(after), stop)

    def parts(self, index: int, messages: Iterable[Message]) -> list[ListText]:
        """Return the texts of these messages, of the rules files and of the memory."""
        recorded = self._compactions[index]
        new_summary = self._summaries.get(index)
        parts = [
            part
            for at, message in enumerate(messages)
            for part in texts_of(message, at, recorded, new_summary)
        ]
        if new_summary is not None and recorded.summary_at is None:
            parts.append(ListText("summary", recorded.head_after, "summary", safe(new_summary)))
        loaded = list(self._loaded_files(index))
        # A message that consists of such a file counts as the file.
        places = {
            part.index for part in loaded if part.where == "rules file" and part.index >= recorded.after
        }
        kept = [part for part in parts if part.index not in places]
        return kept + loaded + list(self._written_files(index))

    def _loaded_files(self, compaction: int) -> Iterator[ListText]:
        """Yield the rules files that the agent loads again after a compaction."""
        for file in self._inspection.rule_files():
            if file.generation == compaction + 1 and file.how in ("loaded", "prompt"):
                where: Where = "memory" if file.is_memory else "rules file"
                yield ListText(where, file.place, "system", safe(file.text))

    def _written_files(self, compaction: int) -> Iterator[ListText]:
        """Yield the rules files and the memory that the agent wrote before a compaction, as they were then.

        If a list shows that the agent loads a rules file, only the lists that have it count. Else the agent may load it
        without a record, so its text is UNRECORDED.
        Of an agent that sends files of its workspace, only these count, and their texts are known when a tool reads
        them. Of another agent, a file that a tool reads does not count, because the agent does not have it at once.
        """
        row = self._inspection.conversation.row
        sends = bool(row_of(row.agent).sends)
        by_path: dict[str, list[RuleFile]] = {}
        for file in self._inspection.rule_files():
            counts = is_sent(file.path, row) if sends else file.how == "written"
            if file.generation <= compaction and file.how in ("written", "read") and counts:
                by_path.setdefault(file.path, []).append(file)
        loaded = {file.path for file in self._inspection.rule_files() if file.how in ("loaded", "prompt")}
        for file in chain.from_iterable(map(texts_after, by_path.values())):
            if file.is_memory or sends:
                where: Where = "memory" if file.is_memory else "rules file"
                yield ListText(where, -1, "assistant", safe(file.text))
            elif file.path not in loaded:
                yield ListText("rules file", -1, UNRECORDED, safe(file.text))

    def __iter__(self) -> Iterator[int]:
        return iter(self._compactions)

    def __len__(self) -> int:
        return len(self._compactions)

    def __contains__(self, index: object) -> bool:
        return index in self._compactions


def texts_of(
    message: Message, index: int, recorded: Compaction, new_summary: str | None
) -> Iterator[ListText]:
    """Return a message of the list after a compaction as searchable passages.

    Its summary, or `new_summary` in its place, is separate from the rest of its text.
    """
    where: Where = "head" if index < recorded.head_after else "tail"
    text = safe(message.text)
    if index == recorded.summary_at:
        handoff = handoff_of(message)
        body = safe(handoff.body) if handoff is not None else text
        written, before = (body, max(0, text.find(body))) if new_summary is None else (safe(new_summary), 0)
        start, end = written_by_model(written)
        writer = "fallback" if recorded.fallback and new_summary is None else "summary"
        yield ListText("summary", index, writer, written[start:end], before + start)
        if written[end:].strip():
            # The agent copies turns behind the summary.
            yield ListText(where, index, "tool", written[end:], before + end)
        remaining = safe(handoff.tail_text) if handoff is not None else ""
        if remaining.strip():
            yield ListText(where, index, message.role, remaining, max(0, text.find(remaining)))
        return
    if message.role == "user":
        yield from _of_user(text, where, index)
    elif text:
        # Text that a program adds to a list is like the result of a tool. The head has the system prompt.
        by_program = message.role == "system" and where == "tail" and not text.startswith(_FILE)
        yield ListText(where, index, "tool" if by_program else message.role, text)


def _of_user(text: str, where: Where, index: int) -> Iterator[ListText]:
    """Yield the parts of a user's message. Text of a program is like the result of a tool."""
    at = 0
    for start, end in (*spoken_spans(text), (len(text), len(text))):
        for role, part, offset in (("tool", text[at:start], at), ("user", text[start:end], start)):
            if part.strip():
                yield ListText(where, index, role, part, offset)
        at = end
