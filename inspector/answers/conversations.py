"""The conversations of a store, descriptions of its databases, and the search for words."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from inspector.answers.answers import Answers, about
from inspector.answers.inspection import Inspection
from inspector.answers.searching import hit_places, without_copies
from inspector.answers.shown_settings import settings_without_tail
from inspector.answers.store_losses import LOSSES
from inspector.core.conversations import Conversation
from inspector.core.text import safe_line
from inspector.engines.base import Settings
from inspector.stores.base import StoreInfo
from inspector.stores.hermes.describe import StoreDescription
from inspector.stores.hermes.fitting import ProfileFit
from inspector.stores.hermes.store import HermesStore
from inspector.stores.several import single_stores


class Database(Struct, frozen=True):
    """A database: its kind, its number of conversations, and its tables if they can be read.

    `fits` say how well the plans of each profile fit the record, best first; empty without a record.
    """

    info: StoreInfo
    conversations: int
    description: StoreDescription | None
    fits: tuple[ProfileFit, ...] = ()


class ListedStore(Struct, frozen=True):
    """A store: its path, agent, number of conversations, size in bytes, and sentences about its limits."""

    path: str
    agent: str
    sessions: int
    size: int
    notes: tuple[str, ...]


class SearchHit(Struct, frozen=True):
    """A message that a search found, with the title of its conversation and the text around the match.

    `generation` is the list with the message, `left_with` the compaction that removed it; both None if unknown.
    """

    conversation: str
    title: str
    session: str
    message: int
    generation: int | None
    left_with: int | None
    role: str
    text: str


def describe_databases(answers: Answers) -> list[Database]:
    """Return every database of the store. Raises StoreErrors."""
    databases = []
    for store in single_stores(answers.store):
        conversations = len(store.conversations())
        description = store.describe() if isinstance(store, HermesStore) else None
        # Read last, when all unreadable files are known.
        fits = store.fits() if isinstance(store, HermesStore) else ()
        databases.append(Database(store.settled(), conversations, description, fits))
    return databases


def list_stores(answers: Answers) -> list[ListedStore]:
    """Return every single store. Raises StoreErrors."""
    listed = []
    for store in single_stores(answers.store):
        sessions = len(store.conversations())
        notes = *store.info.limits, *store.info.notes
        listed.append(ListedStore(str(store.info.path), store.info.kind, sessions, store.size(), notes))
    return listed


def search(answers: Answers, query: str, limit: int) -> list[SearchHit]:
    """Return at most `limit` messages that contain the words, with a note if there are more. Raises StoreErrors."""
    titles = {row.id: row.title or row.id for row in answers.store.conversations()}
    hits = list(answers.store.search(query, limit=limit + 1))
    if len(hits) > limit:
        answers.note(f"There are more hits; --limit N shows more than {limit:,}.")
    return [
        SearchHit(
            hit.conversation,
            safe_line(titles.get(hit.conversation, hit.conversation)),
            hit.session,
            hit.message,
            place.generation if place else None,
            (place.left_with or None) if place else None,
            hit.role,
            safe_line(hit.excerpt),
        )
        for hit, place in without_copies(hit_places(answers.store, hits[:limit])).items()
    ]


class ListedConversation(Struct, frozen=True):
    """A conversation with its settings in force and the path of its store.

    `lost`, `unknown` and `uncertain` count lost facts, facts with an unknown fate, and facts that may be lost. They are
    None while they are unread.
    """

    conversation: Conversation
    settings: Settings
    store: str
    lost: int | None = None
    unknown: int | None = None
    uncertain: int | None = None


def list_conversations(answers: Answers, names: Sequence[str] = ()) -> list[ListedConversation]:
    """Return the named conversations, or all, with their generations and compactions, and losses if they are stored.

    Raises UnknownConversation and StoreErrors.
    """
    store = answers.store
    listed = []
    for row in answers.rows(names) if names else store.conversations():
        losses = LOSSES.of(store, row.id).stored()
        conversation = store.open(row.id)
        inspection = Inspection(store, conversation, config=answers.config)
        settings = settings_without_tail(inspection, answers.flags).settings
        if conversation.has_unread:
            for note in conversation.notes:
                answers.note(about(row, note))
        listed.append(
            ListedConversation(
                conversation,
                settings,
                str(store.info_of(row.id).path),
                None if losses is None else losses.total,
                None if losses is None else losses.unjudged,
                None if losses is None else losses.uncertain,
            )
        )
    return listed
