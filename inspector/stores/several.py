"""Several stores as one store, such as the stores of this machine."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from inspector.agents import agents
from inspector.core.conversations import ConversationRow, Hit
from inspector.core.errors import SeveralConversations, StoreBusy, StoreError, UnknownConversation
from inspector.stores.base import Store, StoreInfo
from inspector.stores.sharing import sharing


def _of_owner(method: str, name: str = "") -> Any:
    """Return a method that calls the method of the store with a session.

    The id of the session is the first argument, or the attribute `name` of this argument.
    """

    def call(stores: SeveralStores, subject: Any, *arguments: Any) -> Any:
        owner = stores.owner(getattr(subject, name) if name else subject)
        return getattr(owner, method)(subject, *arguments)

    return call


class SeveralStores(Store):
    """A Store over others. Session ids must differ between the stores."""

    def __init__(self, stores: Sequence[Store], path: Path, problems: Sequence[str] = ()) -> None:
        """Combine the stores; `problems` are sentences about other databases that could not be opened."""
        self._stores = tuple(stores)
        self.path = path
        self._problems = tuple(problems)
        self._owners: dict[str, Store] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        notes = (note for store in self._stores for note in store.notes)
        return tuple(dict.fromkeys((*self._problems, *notes)))

    @property
    def left_out(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(note for store in self._stores for note in store.left_out))

    @property
    def info(self) -> StoreInfo:
        """Description of the only store, or a common one; each conversation has the profile of its store."""
        first, *others = [store.info for store in self._stores]
        if not others:
            return first._replace(notes=self.notes)
        return StoreInfo(first.kind, self.path, first.schema, first.profile, first.profile_reason, self.notes)

    def settled(self) -> StoreInfo:
        """Describe the only store as surely as possible."""
        if len(self._stores) > 1:
            return self.info
        return self._stores[0].settled()._replace(notes=self.notes)

    def info_of(self, session: str) -> StoreInfo:
        return self.owner(session).info_of(session)

    def owner(self, session: str) -> Store:
        """Return the store that holds a session. Raises UnknownConversation."""
        if session not in self._owners:
            self.conversations()
        owner = self._owners.get(session)
        if owner is None:
            raise UnknownConversation(f"No conversation holds a session {session!r}.")
        return owner

    @property
    def stores(self) -> tuple[Store, ...]:
        """The stores themselves."""
        return self._stores

    def conversations(self) -> tuple[ConversationRow, ...]:
        stores = self._stores
        with sharing():
            return self._joined(stores, [store.conversations() for store in stores])

    def at_once(self) -> tuple[tuple[ConversationRow, ...], bool] | None:
        stores = self._stores
        answers = [store.at_once() for store in stores]
        if not any(answers):
            return None
        lists = [
            answer or (store.conversations(), True) for store, answer in zip(stores, answers, strict=True)
        ]
        return self._joined(stores, [rows for rows, _ in lists]), all(complete for _, complete in lists)

    def so_far(self) -> tuple[tuple[ConversationRow, ...], int, int]:
        stores = self._stores
        answers = [store.so_far() for store in stores]
        rows = self._joined(stores, [answer[0] for answer in answers])
        return rows, sum(answer[1] for answer in answers), sum(answer[2] for answer in answers)

    def _joined(
        self, stores: Sequence[Store], rows_of_stores: Sequence[Sequence[ConversationRow]]
    ) -> tuple[ConversationRow, ...]:
        """Return the rows of all stores, the last active first, and remember the store of each session.

        Hermes also writes a session of its database into files, which are read as logs, and converters write
        sessions of agents as trajectories. Such a session appears once, as its agent recorded it."""
        copies = {agent.name for agent in agents() if agent.copies}
        rows_with_store = [row for rows in rows_of_stores for row in rows if row.agent not in copies]
        stored = {session for row in rows_with_store for session in row.sessions}
        together = []
        for store, rows in zip(stores, rows_of_stores, strict=True):
            for row in rows:
                if row.agent in copies and row.id in stored:
                    continue
                together.append(row)
                self._owners.update(dict.fromkeys((row.id, *row.sessions), store))
        return tuple(sorted(together, key=lambda row: row.last_active, reverse=True))

    def resolve(self, name: str) -> str:
        """Return the conversation of that name in any store; ids take precedence, then whole titles.

        Raises UnknownConversation, and SeveralConversations if the name is ambiguous.
        """
        owner = self._owners.get(name)
        if owner is not None:
            return owner.resolve(name)
        matches, problems = [], []
        for store in self._stores:
            try:
                matches.append(store.resolve(name))
            except UnknownConversation as error:
                problems.append(error)
        several = any(isinstance(problem, SeveralConversations) for problem in problems)
        if len(set(matches)) == 1 and not several:
            return matches[0]
        if not matches:
            raise max(problems, key=lambda problem: isinstance(problem, SeveralConversations))
        rows = self.conversations()
        exact = [row.id for row in rows if name in (row.id, *row.sessions)]
        exact = exact or [row.id for row in rows if name in (row.title, row.unmasked_title)]
        if len(exact) == 1:
            return exact[0]
        some = ", ".join(matches) + (", ..." if several else "")
        raise SeveralConversations(
            f"Conversations in several stores match {name!r}: {some}. Give more of the id or the title."
        )

    # The store of a conversation answers these questions.
    open = _of_owner("open")
    files_of = _of_owner("files_of")
    threshold = _of_owner("threshold")
    live_tokens = _of_owner("live_tokens")
    count_compactions = _of_owner("count_compactions")
    stamp = _of_owner("stamp")
    system_prompt = _of_owner("system_prompt")
    messages = _of_owner("messages", "session")
    iterate = _of_owner("iterate", "session")
    compactions = _of_owner("compactions", "id")
    unsized_compactions = _of_owner("unsized_compactions", "id")
    microcompactions = _of_owner("microcompactions", "id")
    failures = _of_owner("failures", "id")
    sent = _of_owner("sent", "id")
    requests = _of_owner("requests", "id")

    def search(self, query: str, conversation: str | None = None, limit: int = 200) -> Iterator[Hit]:
        stores = self._stores if conversation is None else (self.owner(conversation),)
        hits = (
            hit
            for store in stores
            for hit in store.search(query, conversation, limit)
            if self._owners.get(hit.conversation, store) is store
        )
        return islice(hits, limit)

    def size(self) -> int:
        return sum(store.size() for store in self._stores)

    def version(self) -> int:
        return hash(tuple(store.version() for store in self._stores))

    def close(self) -> None:
        for store in self._stores:
            store.close()


class StorePlace(NamedTuple):
    """A place with a store. If `paths` change, it is opened again. If `state` changes, a failed attempt is repeated."""

    name: str
    paths: object
    state: object
    open: Callable[[], Store]


class GrowingStore(SeveralStores):
    """Several stores, with the stores that appear later; none if there are none yet. A subclass has `_places`."""

    def __init__(self, path: Path) -> None:
        super().__init__((), path)
        self._opening = threading.Lock()
        self._opened: dict[str, tuple[object, Store]] = {}
        self._failed: dict[str, tuple[object, StoreError]] = {}
        self._open_new()

    @property
    def problems(self) -> tuple[StoreError, ...]:
        """The errors of places that could not be opened."""
        return tuple(error for _, error in self._failed.values())

    @property
    def left_out(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*map(str, self.problems), *super().left_out)))

    def conversations(self) -> tuple[ConversationRow, ...]:
        self._open_new()
        return super().conversations()

    def version(self) -> int:
        self._open_new()
        return hash((super().version(), self._problems))

    def _places(self) -> Iterable[StorePlace]:
        """Yield the present places, in order."""
        raise NotImplementedError

    def _sentences(self) -> Iterable[str]:
        """Yield sentences about places that could not be opened."""
        return map(str, self.problems)

    def _open_new(self) -> None:
        with self._opening:
            opened, failed = dict[str, tuple[object, Store]](), dict[str, tuple[object, StoreError]]()
            for name, paths, state, open_place in self._places():
                before, failure = self._opened.get(name), self._failed.get(name)
                if before is not None:
                    opened[name] = before
                    if before[0] == paths:
                        continue
                if failure is not None and failure[0] == state and not isinstance(failure[1], StoreBusy):
                    failed[name] = failure
                    continue
                try:
                    opened[name] = paths, open_place()
                except StoreError as error:
                    failed[name] = state, error
            gone = {name: store for name, store in self._opened.items() if name not in opened}
            self._opened, self._failed = opened | gone, failed
            self._stores = tuple(store for _, store in self._opened.values())
            self._problems = tuple(dict.fromkeys(self._sentences()))


def single_stores(store: Store) -> tuple[Store, ...]:
    """Return the single stores in a store."""
    return store.stores if isinstance(store, SeveralStores) else (store,)
