"""A session made of its records in order: its lists, the compactions between them, its requests."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from msgspec import Struct, field
from msgspec.structs import replace

from inspector.core.conversations import (
    Compaction,
    Conversation,
    ConversationRow,
    Events,
    FailedCompaction,
    Microcompaction,
    Request,
    Usage,
)
from inspector.core.envelope import notice, without_envelope
from inspector.core.refusals import refusal_in
from inspector.core.text import without_pictures
from inspector.stores.assembly import (
    ABANDONED,
    CUT_LIST,
    UNREADABLE,
    bodies_of,
    count_note,
    generations_of,
    identity,
    named,
    session_of,
)
from inspector.stores.entries import Entries, Wire
from inspector.stores.index import FileDigest, FileIndex
from inspector.stores.lines import Line, no_record, read_lines
from inspector.stores.recorded import Reader, Recorded, Source
from inspector.stores.titles import titles_of
from inspector.stores.values import seconds_of
from inspector.stores.wires import texts_in


class SessionLists(Struct):
    """State of a session while it is read. Lists hold numbers of `entries`."""

    entries: Entries
    #: Whether the agent writes kept messages again, so that equal messages are one.
    copies: bool = True
    lists: list[list[int]] = field(default_factory=lambda: [[]])
    compactions: list[Compaction] = field(default_factory=list)
    failures: list[FailedCompaction] = field(default_factory=list)
    cleared: list[Microcompaction] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    session: str = ""
    title: str = ""
    first_words: str = ""
    #: The first text with the user's role, also of a program.
    opening: str = ""
    model: str = ""
    provider: str = ""
    folder: str = ""
    version: str = ""
    prompt: str = ""
    window: int | None = None
    max_tokens: int | None = None
    #: See Session.
    tool_tokens: int = 0
    sized: tuple[int, int] | None = None
    events: Events | None = None
    parent: str = ""
    #: The session, or its file, that this one was forked from.
    forked_from: str = ""
    copied: bool = False
    started_at: float = 0.0
    last_active: float = 0.0
    unreadable: int = 0
    #: A sentence about the missing beginning of the session; "" if nothing is missing.
    cut: str = ""
    #: Sentences about other parts of the session that are missing, unreadable or unknown.
    gaps: list[str] = field(default_factory=list)
    #: The messages that `return_to` removed.
    abandoned: set[int] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    #: Names of the compactions if their numbers differ between copies of a session.
    names: list[str] = field(default_factory=list)
    #: By number of an entry: equal messages have equal hashes.
    hashes: dict[int, int] = field(default_factory=dict)

    @property
    def live(self) -> list[int]:
        """The current list, as numbers of entries."""
        return self.lists[-1]

    @property
    def name(self) -> str:
        """The id of the session, or the name of its file."""
        return self.session or self.entries.path.stem

    def note_time(self, at: float) -> None:
        """Note the time of a record, in seconds; 0.0 if unknown."""
        if at:
            self.started_at = min(self.started_at or at, at)
            self.last_active = max(self.last_active, at)

    def records(self, lines: Iterable[Line]) -> Iterator[dict[str, Any]]:
        """Yield the records of a file, and count unreadable lines.

        Messages that are added next belong to the last record.
        """
        for line in lines:
            if line.value is None:
                self.unreadable += 1
            else:
                self.begin_record(line.start, line.length)
                yield line.value

    def begin_record(self, start: int, length: int) -> None:
        """Begin a record at this place of the file. Messages that are added next belong to it."""
        self.entries.spans.append((start, length))

    def make(self, wires: Sequence[Wire], at: float, summary: bool = False) -> tuple[int, ...]:
        """Make messages of the last record without adding them to a list, and return their numbers."""
        numbers = self.entries.add(wires, at, summary)
        if self.copies:
            self.hashes.update(zip(numbers, map(hash_of, wires), strict=True))
        return numbers

    def add(self, wires: Sequence[Wire], at: float, summary: bool = False) -> tuple[int, ...]:
        """Add messages of the last record to the live list, and return their numbers."""
        numbers = self.make(wires, at, summary)
        self.live.extend(numbers)
        if not summary:
            self.note_first_words(wires)
        return numbers

    def note_first_words(self, wires: Iterable[Wire]) -> None:
        """Note the first words of the user, which are the title of a session without a title. In a session without
        words of a person, the title is the text of the program that started it."""
        if not self.first_words:
            words = ("\n".join(texts_in(wire["content"])) for wire in wires if wire["role"] == "user")
            text = next(filter(None, words), "")
            self.first_words = without_pictures(without_envelope(text))
            self.opening = self.opening or notice(text)

    def compact(
        self,
        after: Sequence[int],
        summary: int | None,
        at: float,
        *,
        text: str | None = None,
        tokens_before: int | None = None,
        tokens_after: int | None = None,
        encrypted: bool = False,
        head: bool = False,
        **details: Any,
    ) -> None:
        """Replace the live list by `after`. Messages in both lists, and equal messages, are kept.

        `summary` is the number of the message in `after` with the summary `text`. `head`: the agent protects a head.
        `details` are other fields of Compaction.
        """
        before, new = self.live, list(after)
        lacks_start = bool(self.cut) and len(self.lists) == 1
        if lacks_start and not details.get("note"):
            details["note"] = CUT_LIST
        place = new.index(summary) if summary is not None and summary in new else None
        start, tail, kept = self._stayed(before, new, place, head)
        self.compactions.append(
            Compaction(
                index=len(self.lists),
                session=self.name,
                before=len(before),
                after=len(new),
                head_end=start,
                tail_start=len(before) - tail,
                head_after=start,
                tail_after=len(new) - tail,
                summary_at=place,
                summary=None if encrypted else text,
                fallback=bool(refusal_in(text or "")),
                at=at,
                tokens_before_reported=tokens_before,
                tokens_after_reported=tokens_after,
                encrypted=encrypted,
                kept=kept,
                whole=bool(before) and not lacks_start,
                **details,
            )
        )
        self.lists.append(new)

    def _stayed(
        self, before: Sequence[int], after: Sequence[int], summary: int | None, has_head: bool
    ) -> tuple[int, int, tuple[tuple[int, int], ...]]:
        """Return how many messages stay at the start and at the end, and the others as (index before, index after)."""
        old, new = [self.hashes.get(n, -n) for n in before], [self.hashes.get(n, -n) for n in after]
        stop = len(new) if summary is None else summary
        head = 0
        while has_head and head < min(len(old), stop) and old[head] == new[head]:
            head += 1
        most = min(len(old) - head, len(new) - (head if summary is None else summary + 1))
        tail = 0
        while tail < most and old[-1 - tail] == new[-1 - tail]:
            tail += 1
        places: dict[int, list[int]] = {}
        for index in range(head, len(old) - tail):
            places.setdefault(old[index], []).append(index)
        # Of equal messages, the last is the kept one.
        kept = [
            (same.pop(), index)
            for index in range(len(new) - tail - 1, head - 1, -1)
            if index != summary and (same := places.get(new[index]))
        ]
        return head, tail, tuple(sorted(kept))

    def fail(
        self, error: str, at: float, *, generation: int = 0, place: int | None = None, **details: Any
    ) -> None:
        """Add a failed attempt to compact this place of a list, by default the end of the live list.

        `details` are other fields of FailedCompaction.
        """
        where = self._where(len(self.failures), generation, place)
        self.failures.append(FailedCompaction(**where, at=at, error=error, **details))

    def clear(
        self, places: Sequence[int], at: float, *, generation: int = 0, place: int | None = None, results: int = 0,
        **details: Any,
    ) -> None:  # fmt: skip
        """Add a step that cleared results at these places of a list, by default the live list.

        `details` are other fields of Microcompaction.
        """
        where = self._where(len(self.cleared), generation, place)
        self.cleared.append(
            Microcompaction(**where, cleared=tuple(places), results=results or len(places), at=at, **details)
        )

    def _where(self, number: int, generation: int, place: int | None) -> dict[str, Any]:
        """Return the fields of a step after a `number` of steps: its index, its session, and its place."""
        place = len(self.live) if place is None else place
        generation = generation or len(self.lists)
        return {"index": number + 1, "session": self.name, "generation": generation, "place": place}

    def call(
        self,
        name: str,
        at: float,
        usage: Usage,
        *,
        model: str = "",
        generation: int | None = None,
        cache_write_1h: int | None = None,
        **details: Any,
    ) -> None:
        """Add a request with its usage; `name` is the id of the answer. Nothing is added without usage.

        `details` are other fields of Request.
        """
        request = Request(
            index=len(self.requests) + 1,
            generation=generation or len(self.lists),
            message=name or f"call {len(self.requests) + 1}",
            model=model or self.model,
            at=at,
            input=usage.input,
            cache_read=usage.cache_read,
            cache_write=usage.cache_write,
            cache_write_1h=cache_write_1h,
            output=usage.output,
            window=self.window,
            max_tokens=self.max_tokens,
            reasoning=usage.reasoning,
            recorded_cost=usage.cost,
            **details,
        )
        if request.tokens:
            self.requests.append(request)

    def return_to(self, number: int, length: int) -> None:
        """Continue with the first `length` messages of the list `number`, as if later compactions had not been."""
        if (number, length) == (len(self.lists), len(self.live)):
            return
        left = {message for messages in self.lists[number - 1 :] for message in messages}
        del self.lists[number:], self.compactions[number - 1 :], self.names[number - 1 :]
        del self.live[length:]
        self.abandoned |= left.difference(*self.lists)
        self.requests = [
            replace(request, generation=min(request.generation, number)) for request in self.requests
        ]
        self.failures = [
            replace(failure, generation=number, place=min(failure.place, length))
            if failure.generation >= number
            else failure
            for failure in self.failures
        ]
        steps = (
            _within(step, length) if step.generation == number else step
            for step in self.cleared
            if step.generation <= number
        )
        self.cleared = [step for step in steps if step.cleared]

    def digest(self, path: Path) -> FileDigest:
        """Return the digest for the list of conversations."""
        title, with_secrets = titles_of(self.title, self.first_words or self.opening)
        names = tuple(self.names or (str(item.index) for item in self.compactions))
        row = ConversationRow(
            **named(self.name, self.parent),
            title=title,
            model=self.model,
            source="",
            messages=len(self.live),
            compactions=len(names),
            started_at=self.started_at,
            last_active=self.last_active or self.started_at,
            provider=self.provider,
            folder=self.folder,
            window=self.window,
            window_source="recorded" if self.window else "",
            max_tokens=self.max_tokens,
            title_with_secrets=with_secrets,
        )
        return FileDigest(
            str(path), row, self.version, compactions=names, before=self.forked_from, copied=self.copied
        )

    def recorded(self, source: Source) -> Recorded:
        """Return the conversation."""
        row = source.row
        lists = [[identity(0, number) for number in numbers] for numbers in self.lists]
        generations = generations_of(lists, (self.entries,), row.id)
        session = session_of(row, row.id, self.requests)
        session = session._replace(tool_tokens=self.tool_tokens, sized=self.sized, events=self.events)
        unreadable = count_note(self.unreadable, *UNREADABLE)
        abandoned = count_note(len(self.abandoned), *ABANDONED)
        notes = tuple(filter(None, (*unreadable, self.cut, *self.gaps, *self.notes, *abandoned)))
        return Recorded(
            # A compaction of an incomplete list says so itself.
            Conversation(
                row,
                (session,),
                generations,
                notes,
                bool(self.unreadable or self.gaps or (self.cut and not self.compactions)),
            ),
            tuple(self.compactions),
            tuple(self.cleared),
            tuple(self.requests),
            bodies_of((self.entries,), row.id),
            self.prompt,
            tuple(self.failures),
        )


class SessionScanner(SessionLists):
    """The lists of a session that its file records line by line. A subclass has `record`."""

    def run(self) -> Self:
        """Read every record, and return the session. Raises StoreErrors."""
        for record in self.records(self.read(self.entries.path)):
            at = self.time_of(record)
            self.note_time(at)
            self.record(record, at)
        return self

    def read(self, path: Path) -> Iterable[Line]:
        """Return the lines of the file."""
        return read_lines(path)

    def time_of(self, record: Mapping[str, Any]) -> float:
        """Return the time of a record in seconds; 0.0 if unknown."""
        return seconds_of(record.get("timestamp"))

    def record(self, record: dict[str, Any], at: float) -> None:
        """Bring the lists to the state after a record."""
        raise NotImplementedError


class SessionReader(Reader):
    """A reader of files with whole sessions. A subclass has `agent`, `limits`, `recognises` and `scan`."""

    def parts(self, path: Path) -> Sequence[str]:
        """Return the names of the sessions of a file, as `scan` takes them. Raises StoreErrors."""
        return ("",)

    def scan(self, path: Path, part: str, shared: bool) -> SessionLists:
        """Read a session of a file. Raises StoreErrors.

        `shared`: the session is a branch of another one, so leave out the part that it copied, if the agent copies.
        """
        raise NotImplementedError

    def digests(self, path: Path) -> tuple[FileDigest, ...]:
        """Return a digest of each session of a file. Raises StoreErrors, StoreDamaged if no record can be read."""
        digests = []
        unreadable = 0
        for part in self.parts(path):
            session = self.scan(path, part, False)
            unreadable += session.unreadable
            if session.entries.items:
                digests.append(session.digest(path)._replace(part=part))
        if unreadable and not digests:
            raise no_record(path)
        return tuple(digests)

    def sources(self, digests: Sequence[FileDigest], memory: FileIndex | None = None) -> tuple[Source, ...]:
        """Return a conversation for each session, from the file that was last active, and from a database if two are
        equal.

        A session that was forked from another of these (`before`) is a branch; compactions that it copied do not count.
        """
        ordered = sorted(digests, key=lambda digest: (digest.row.last_active, bool(digest.part)))
        newest = {digest.row.id: digest for digest in ordered}
        sources = []
        for digest in newest.values():
            row = digest.row._replace(agent=self.agent, source=f"{self.agent} {digest.version}".strip())
            if digest.copied:
                row = row._replace(kind="branch")
            # pi names the file of the other session: `<time>_<id>.jsonl`.
            parent = newest.get(Path(digest.before).stem.rpartition("_")[2]) or newest.get(digest.before)
            if parent is None or parent is digest:
                sources.append(Source(row, (digest.path,), part=digest.part))
                continue
            fresh = [name for name in digest.compactions if name not in parent.compactions]
            kind = "sub-agent" if row.parent else "branch"
            row = row._replace(parent=parent.row.id, kind=kind, compactions=len(fresh))
            sources.append(Source(row, (digest.path,), (parent.path,), digest.part))
        return tuple(sources)

    def read(self, source: Source) -> Recorded:
        """Read the lists, compactions and requests of a conversation."""
        session = self.scan(Path(source.files[0]), source.part, bool(source.shared))
        return session.recorded(source)


def _within(step: Microcompaction, length: int) -> Microcompaction:
    """Return the part of a step in the first messages of its list."""
    kept = [at for at, place in enumerate(step.cleared) if place < length]
    return replace(
        step,
        place=min(step.place, length),
        cleared=tuple(step.cleared[at] for at in kept),
        results=len(kept),
        left=tuple(step.left[at] for at in kept) if step.left else (),
    )


def hash_of(wire: Mapping[str, Any]) -> int:
    """Return a number that is equal for equal messages."""
    content = wire.get("content")
    calls = wire.get("tool_calls")
    text = content if isinstance(content, str) else json.dumps(content)
    return hash((wire["role"], text, json.dumps(calls) if calls else ""))
