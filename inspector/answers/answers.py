"""Subject of the questions: a store, and the settings from flags and configuration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from inspector.answers.inspection import Inspection
from inspector.answers.scheduling import Scheduling
from inspector.answers.shown_settings import settings_of
from inspector.config.cache import cache_problems
from inspector.config.settings import ResolvedSettings
from inspector.core.conversations import ConversationRow
from inspector.core.text import safe_title
from inspector.stores.base import Store
from inspector.stores.several import SeveralStores, single_stores


def paths_of(store: Store) -> tuple[Path, ...]:
    """Return the files and folders that a store is read from; a folder includes its content."""
    paths = dict.fromkeys(single.path for single in single_stores(store))
    return tuple(path for path in paths if paths.keys().isdisjoint(path.parents))


#: Said of a store without a conversation.
NO_CONVERSATIONS = "There are no conversations in this database."


class Answers:
    """A store, the chosen settings, and the notes from answering questions."""

    def __init__(
        self,
        store: Store,
        flags: Mapping[str, Any],
        config: Path | None,
        scheduling: Scheduling | None = None,
    ) -> None:
        self.store = store
        self.flags = flags
        self.config = config
        #: Runs questions about many conversations.
        self.scheduling = Scheduling() if scheduling is None else scheduling
        #: A sentence for each conversation that a question about many conversations left out.
        self.unread: list[str] = []
        self._notes: dict[str, None] = {}

    def notes(self) -> list[str]:
        """Return the sentences for the user at the terminal, each once."""
        return list(dict.fromkeys([*self.store.info.notes, *self._notes, *cache_problems()]))

    def note(self, sentence: str) -> None:
        """Report a note to the user at the terminal."""
        self._notes[sentence] = None

    @contextmanager
    def noting(self) -> Iterator[list[str]]:
        """Yield a list. After the block it has the notes of the block, and they are noted."""
        notes: list[str] = []
        earlier, self._notes = self._notes, {}
        try:
            yield notes
        finally:
            notes += dict.fromkeys([*self.store.info.notes, *self._notes])
            self._notes = {**earlier, **self._notes}

    @classmethod
    def of(cls, paths: Sequence[Path], flags: Mapping[str, Any], config: Path | None) -> Answers:
        """Return the answers about one database, or about several read as one. Raises StoreErrors."""
        from inspector.stores.detect import open_store

        stores = [open_store(path) for path in paths]
        return cls(stores[0] if len(stores) == 1 else SeveralStores(stores, paths[0].parent), flags, config)

    def paths(self) -> tuple[Path, ...]:
        """Return the files of the databases."""
        return paths_of(self.store)

    def rows(self, names: Sequence[str] = ()) -> list[ConversationRow]:
        """Return the rows of the named conversations, or of all. Raises UnknownConversation and StoreErrors.

        Notes that a store has none, so that an empty answer is not taken for a good one.
        """
        chosen = {self.store.resolve(name) for name in names}
        rows = [row for row in self.store.conversations() if not names or row.id in chosen]
        if not rows:
            self.note(NO_CONVERSATIONS)
        return rows

    def opened(self, name: str) -> tuple[Inspection, ResolvedSettings]:
        """Open a conversation with its settings in force. Its notes get its title."""
        inspection = Inspection.open(self.store, name, config=self.config)
        row = inspection.conversation.row
        resolved = settings_of(inspection, self.flags)
        for note in (*(about(row, note) for note in inspection.conversation.notes), *resolved.notes):
            self.note(note)
        return inspection, resolved


def about(row: ConversationRow, note: str) -> str:
    """Return a note after the title of its conversation, with secrets masked as in the answers."""
    from inspector.models.masking import Masker

    return f"{safe_title(Masker()(row.title), 60).rstrip('.:') or row.id}: {note}"
