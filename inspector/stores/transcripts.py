"""The Store over the files of one agent: a transcript, or all of a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from inspector.agents import Agent, row_of
from inspector.core.conversations import (
    Compaction,
    Conversation,
    ConversationRow,
    FailedCompaction,
    Generation,
    Hit,
    Microcompaction,
    Request,
    SentRequest,
)
from inspector.core.errors import StoreError, StoreMissing, UnknownConversation
from inspector.core.messages import Message
from inspector.core.rough import list_tokens, message_chars, message_images, text_tokens
from inspector.stores.assembly import count_note
from inspector.stores.base import BATCH, PIECE, SingleStore, Store, StoreInfo
from inspector.stores.index import FileIndex
from inspector.stores.lines import ends_within_record
from inspector.stores.listing import Listing
from inspector.stores.names import resolve
from inspector.stores.readers import open_database, reader_of
from inspector.stores.recorded import Reader, Recorded, Source
from inspector.stores.signatures import Signature, signature_of, signatures

#: Number of conversations kept open: each holds places in files, no bodies.
_KEPT = 8


class TranscriptStore(SingleStore):
    """The files of one agent, open for reading. `Store` documents the methods."""

    def __init__(
        self,
        agent: str,
        reader: Callable[[], Reader],
        path: Path,
        files: Callable[[], Mapping[str, Signature]],
        index: FileIndex | None = None,
        unsearched: Callable[[], Sequence[str]] = tuple,
        left_out: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        """Create the store.

        `reader` makes the reader of the agent on first use. `path` is the path that the user gave. `files` returns the
        present transcripts with size and time. `index` stores their digests between runs. `unsearched` are sentences
        about places that could not be searched, `left_out` those of them about files that may not be read."""
        super().__init__(path)
        self._agent = agent
        self._make_reader = reader
        self._files = files
        self._unsearched, self._refused = unsearched, left_out
        name = f"conversations of {agent} in {path}"
        self._listing = Listing(agent, lambda: self._reader, name, files, index)
        self._opened: dict[str, tuple[tuple[Signature, ...], Recorded]] = {}
        self._sizes: dict[str, tuple[Recorded, dict[int, tuple[int, int]]]] = {}
        #: The errors of conversations that a search could not read.
        self._failed: dict[str, StoreError] = {}
        #: The conversations with an unreadable or missing part, in which a search may have missed messages.
        self._partly_searched: set[str] = set()

    @cached_property
    def _reader(self) -> Reader:
        return self._make_reader()

    @property
    def notes(self) -> tuple[str, ...]:
        failed = map(str, [*self._failed.values()])
        partly = count_note(
            len(self._partly_searched),
            "conversation",
            "{are} not complete: a search does not find text in missing or unreadable parts.",
        )
        return tuple(dict.fromkeys((*self._unsearched(), *self._listing.notes, *failed, *partly)))

    @property
    def left_out(self) -> tuple[str, ...]:
        return *self._refused(), *self._listing.notes

    @property
    def info(self) -> StoreInfo:
        """Description of this store; its notes grow as damage is found."""
        row = row_of(self._agent)
        reason = f"The files are those of {self._title}."
        profile = row.profile or row.name
        return StoreInfo(row.name, self.path, None, profile, reason, self.notes, limits=self._reader.limits)

    @property
    def _title(self) -> str:
        return row_of(self._agent).title

    def info_of(self, session: str) -> StoreInfo:
        """Describe this store, with the profile of the release that wrote a session last."""
        # Imported late: the list of conversations does not need the engines.
        from inspector.engines.registry import observed_on, profile_of, profile_of_writer

        agent = self._agent
        source = self._listing.known_source(session) or self._source(session)
        version = source.row.source.removeprefix(agent).lstrip(", ")
        # A session may say that its release is unknown.
        if version in ("", "unknown"):
            return self.info
        if self.info.profile != agent:
            profile = profile_of_writer(version)
            by = ", by the wording of its newest summary" if profile else ""
            return self.info._replace(
                profile=profile or self.info.profile,
                profile_reason=f"{self.info.profile_reason[:-1]}; {version} made the session{by}.",
            )
        release, _, form = version.partition(", ")
        wrote = f"Last written by {self._title} {release}{f' ({form})' if form else ''}"
        reason = "; ".join(filter(None, (wrote, observed_on(agent, version))))
        return self.info._replace(profile=profile_of(agent, version), profile_reason=f"{reason}.")

    def conversations(self) -> tuple[ConversationRow, ...]:
        return self._listing.rows()

    def at_once(self) -> tuple[tuple[ConversationRow, ...], bool] | None:
        return self._listing.at_once()

    def so_far(self) -> tuple[tuple[ConversationRow, ...], int, int]:
        return self._listing.so_far()

    def resolve(self, name: str) -> str:
        early = self._listing.early_source(name) if self._listing.in_hurry else None
        if early is not None:
            return early.row.id
        rows = self.conversations()
        if self._listing.known_source(name) is None and (named := self._listing.of_file(name)) is not None:
            # The list showed an unread file by its name.
            return named
        return resolve(name, rows)

    def open(self, conversation: str) -> Conversation:
        return self._recorded(conversation).conversation

    def _bodies_of(self, generation: Generation) -> Callable[[int, int], Sequence[Message]]:
        bodies = self._recorded(generation.session).bodies
        return lambda start, stop: bodies(generation.ids[start:stop])

    def system_prompt(self, session: str) -> str:
        return self._recorded(session).prompt

    def compactions(self, conversation: Conversation) -> tuple[Compaction, ...]:
        recorded = self._recorded(conversation.id)
        generations = recorded.conversation.generations
        tools = recorded.conversation.sessions[-1].tool_tokens
        return tuple(
            replace(
                compaction,
                tokens_before=tools + self._tokens(recorded, generations[compaction.index - 1].ids),
                tokens_after=tools
                + self._tokens(recorded, generations[compaction.index].ids[: compaction.after]),
            )
            for compaction in recorded.compactions
        )

    def unsized_compactions(self, conversation: Conversation) -> tuple[Compaction, ...]:
        return tuple(self._recorded(conversation.id).compactions)

    def microcompactions(self, conversation: Conversation) -> tuple[Microcompaction, ...]:
        return self._recorded(conversation.id).microcompactions

    def failures(self, conversation: Conversation) -> tuple[FailedCompaction, ...]:
        return self._recorded(conversation.id).failures

    def sent(self, conversation: Conversation) -> tuple[SentRequest, ...]:
        read: Callable[[Source], tuple[SentRequest, ...]] | None = getattr(self._reader, "sent", None)
        return () if read is None else read(self._source(conversation.id))

    def threshold(self, session: str, window: int) -> tuple[float, str] | None:
        read = getattr(self._reader, "threshold", None)
        return None if read is None else read(self._source(session), window)

    def requests(self, conversation: Conversation) -> tuple[Request, ...]:
        return self._recorded(conversation.id).requests

    def stamp(self, conversation: str) -> str:
        # The files are those of the last list; the next list has new files.
        return repr(self._signed(self._listing.known_source(conversation) or self._source(conversation)))

    def files_of(self, conversation: str) -> tuple[str, ...]:
        source = self._listing.known_source(conversation) or self._source(conversation)
        return (*source.files, *source.shared)

    def live_tokens(self, conversation: str, watch: Callable[[int], None] | None = None) -> int:
        """Return the rough tokens of the live list, and of the system prompt and the tools if they are recorded."""
        recorded = self._recorded(conversation)
        tools = recorded.conversation.sessions[-1].tool_tokens
        return tools + self._tokens(recorded, recorded.conversation.live.ids, watch)

    def count_compactions(self, conversation: str) -> int:
        return len(self._recorded(conversation).compactions)

    def search(self, query: str, conversation: str | None = None, limit: int = 200) -> Iterator[Hit]:
        """Yield the messages that contain every word of `query`, the newest of the last active conversation first."""
        from inspector.stores.hermes.text_search import phrases_of

        phrases = phrases_of(query)
        rows = [self._source(conversation).row] if conversation is not None else self.conversations()
        remaining = limit
        for row in rows if phrases else ():
            try:
                recorded = self._recorded(row.id)
                if recorded.conversation.has_unread:
                    self._partly_searched.add(row.id)
                for hit in self._hits(recorded, row.id, phrases):
                    yield hit
                    remaining -= 1
                    if remaining <= 0:
                        return
            except StoreError as error:
                self._failed[row.id] = error

    def size(self) -> int:
        return sum(size for size, _ in self._files().values())

    def _state(self) -> object:
        """Return the files with their sizes and times, and the locked files."""
        return self._listing.state(), self._listing.locked()

    def close(self) -> None:
        """Close nothing: no file stays open between two questions."""

    def _hits(self, recorded: Recorded, conversation: str, phrases: tuple[str, ...]) -> Iterator[Hit]:
        from inspector.stores.hermes import text_search

        seen: set[int] = set()
        for generation in reversed(recorded.conversation.generations):
            fresh = [identity for identity in generation.ids if identity not in seen]
            seen.update(fresh)
            for stop in range(len(fresh), 0, -PIECE):
                bodies = recorded.bodies(fresh[max(0, stop - PIECE) : stop])
                for item, excerpt, span in text_search.check(reversed(bodies), phrases):
                    yield Hit(conversation, generation.session, item.id, item.role, excerpt, span)

    def _tokens(
        self, recorded: Recorded, ids: Sequence[int], watch: Callable[[int], None] | None = None
    ) -> int:
        with self._lock:
            cached = self._sizes.get(recorded.conversation.id)
            if cached is None or cached[0] is not recorded:
                cached = self._sizes[recorded.conversation.id] = (recorded, {})
        sizes = cached[1]
        missing = [identity for identity in ids if identity not in sizes]
        for at in range(0, len(missing), BATCH):
            if watch is not None:
                watch(at)
            for item in recorded.bodies(missing[at : at + BATCH]):
                sizes[item.id] = (message_chars(item.wire), message_images(item.wire))
        prompt = text_tokens(len(recorded.prompt))
        return prompt + list_tokens(sum(sizes[i][0] for i in ids), sum(sizes[i][1] for i in ids))

    def _source(self, conversation: str) -> Source:
        source = self._listing.source(conversation)
        if source is None and conversation in self._opened:
            raise StoreMissing(
                "The files no longer have this conversation. The screen shows what was read before."
            )
        if source is None:
            raise UnknownConversation(f"No conversation has the id {conversation!r}.")
        return source

    def _recorded(self, session: str) -> Recorded:
        with self._lock:
            source = self._listing.known_source(session)
            if source is None or self._signed(source) != self._opened.get(source.row.id, ((), None))[0]:
                source = self._source(session)
            now = self._signed(source)
            opened = self._opened.pop(source.row.id, None)
            if opened is None or opened[0] != now:
                opened = (now, _noted(self._reader.read(source), source))
            self._failed.pop(source.row.id, None)
            self._opened[source.row.id] = opened
            while len(self._opened) > _KEPT:
                oldest = next(iter(self._opened))
                del self._opened[oldest]
                self._sizes.pop(oldest, None)
            return opened[1]

    def _signed(self, source: Source) -> tuple[Signature, ...]:
        return tuple(signature_of(path) or (0, 0) for path in (*source.files, *source.shared))


def _noted(recorded: Recorded, source: Source) -> Recorded:
    """Return a conversation with a note about files whose last line is not complete: the agent may still write it, or
    the rest is lost."""
    unfinished = [Path(file).name for file in source.files if ends_within_record(Path(file))]
    if not unfinished:
        return recorded
    conversation = recorded.conversation
    note = f"The last line of {', '.join(unfinished)} is not complete, so it is left out."
    noted = conversation._replace(notes=(*conversation.notes, note), has_unread=True)
    return replace(recorded, conversation=noted)


def open_file(agent: Agent, path: Path) -> Store:
    """Return the store of a file of this agent. Raises StoreErrors."""
    if agent.databases:
        return open_database(agent.name, path)
    return open_transcripts(agent.name, path, partial(signatures, (str(path),)))


def open_transcripts(agent: str, *arguments: Any) -> Store:
    """Return the store of an agent's transcripts; TranscriptStore describes the other arguments."""
    return TranscriptStore(agent, partial(reader_of, agent), *arguments)
