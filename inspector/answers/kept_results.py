"""Results kept between runs by their inputs, in the cache."""

from __future__ import annotations

import hashlib
import json
import time
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from inspector.answers.resolving import resolve
from inspector.config.cache import Cache, CacheEntry, default_cache, hashed, stamp_of
from inspector.config.dismissals import Dismissals
from inspector.config.prices import prices_stamp
from inspector.config.settings import ResolvedSettings
from inspector.core.errors import OutputProblem
from inspector.engines.registry import is_built_in
from inspector.models.kept import default_attempts
from inspector.stores.base import Store

if TYPE_CHECKING:
    from inspector.answers.answers import Answers

T = TypeVar("T")
#: The kind of these entries in the cache.
_KIND = "results"
#: Minimum seconds of computing for an answer to be stored.
LONG = 0.05


class Basis(Struct, frozen=True):
    """The inputs of a result.

    `place` names its subject; one result is kept for each. `stamp` changes with the conversation, the settings, the
    prices or the program with its rules.
    """

    place: bytes
    stamp: bytes

    def with_inputs(self, inputs: bytes) -> Basis:
        """Return the basis of a result that depends on other inputs too."""
        return replace(self, stamp=hashlib.blake2b(inputs, digest_size=16, key=self.stamp).digest())


def basis_of(
    store: Store,
    conversation: str,
    question: str,
    resolved: ResolvedSettings | None = None,
    options: str = "",
) -> Basis:
    """Return the basis of an answer.

    `resolved` are the settings if the answer depends on them, `options` its other inputs. Reads no message; raises
    UnknownConversation and StoreErrors.
    """
    stamp = stamp_of(
        prices_stamp(),
        store.stamp(conversation),
        repr(resolved),
        dismissed_stamp(store, conversation),
        judged_stamp(store, conversation),
    )
    return Basis(_place(store, conversation, question, options), stamp)


def basis_of_inputs(store: Store, conversation: str, question: str, options: str, inputs: bytes) -> Basis:
    """Return the basis of an answer that depends only on `inputs` and the program. Raises as basis_of."""
    place = _place(store, conversation, question, options)
    return Basis(place, stamp_of()).with_inputs(inputs)


def _place(store: Store, conversation: str, question: str, options: str = "") -> bytes:
    path = str(store.owner(conversation).path.absolute())
    return hashed(question, path, conversation, options)


def dismissed_stamp(store: Store, conversation: str) -> str:
    """Return a text that changes with the dismissed facts of a conversation; "" without any. Raises StoreErrors."""
    dismissals = Dismissals.load()
    if not dismissals.facts:
        return ""
    return dismissals.facts_stamp(_root_of(store, conversation))


def _root_of(store: Store, conversation: str) -> str:
    rows = store.conversations()
    return next((row.root for row in rows if conversation in (row.id, row.root)), conversation)


def judged_stamp(store: Store, conversation: str) -> str:
    """Return a text that changes with the stored judgements of a conversation; "" without any. Raises StoreErrors."""
    stamps = default_attempts().fact_answer_stamps()
    return stamps.get(_root_of(store, conversation), "") if stamps else ""


def judged_since(earlier: Mapping[str, str]) -> tuple[frozenset[str], Mapping[str, str]]:
    """Return the root sessions with other stored judgements than in `earlier`, and the judgements now, as stamps. None
    have changed if the file cannot be used."""
    try:
        now = default_attempts().fact_answer_stamps()
    except OutputProblem:
        return frozenset(), earlier
    return frozenset(root for root, _ in now.items() ^ earlier.items()), now


def document(cache: Cache, basis: Basis) -> Any:
    """Return the stored document with exactly this basis, or None."""
    return _document(cache.get(_KIND, [basis.place]), basis)


def keep_documents(cache: Cache, documents: Mapping[Basis, Any]) -> None:
    """Store documents. Each replaces the earlier document of its place."""
    entries = {basis.place: CacheEntry(basis.stamp, _packed(value)) for basis, value in documents.items()}
    cache.put(_KIND, entries)


def _packed(value: Any) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode("utf-8", errors="surrogatepass"), 1)


def _document(stored: Mapping[bytes, CacheEntry], basis: Basis) -> Any:
    """Return the document of a basis from stored entries; None if it is missing, not current or malformed."""
    entry = stored.get(basis.place)
    if entry is None or entry.stamp != basis.stamp:
        return None
    try:
        return json.loads(zlib.decompress(entry.value).decode("utf-8", errors="surrogatepass"))
    except (zlib.error, TypeError, ValueError, RecursionError):
        return None


class AnswerKind(Struct, Generic[T], frozen=True):
    """A question whose answers about conversations are kept between runs; `kind` is the type of the answers."""

    question: str
    kind: Any

    def of(self, store: Store, conversation: str, resolved: ResolvedSettings | None = None) -> KeptAnswer[T]:
        """Return the place of the answer about a conversation in its current state.

        `resolved` are the settings if the answer depends on them. Reads no message; raises StoreErrors.
        """
        return KeptAnswer(self.kind, basis_of(store, conversation, self.question, resolved))

    def stored(self, store: Store, conversations: Sequence[str]) -> dict[str, T]:
        """Return the kept answers about conversations in their current state, by conversation. Raises StoreErrors.

        The state of a conversation is read only if there is an answer about it.
        """
        places = {_place(store, conversation, self.question): conversation for conversation in conversations}
        stored = default_cache().get(_KIND, places)
        names = [name for place, name in places.items() if place in stored]
        answers = {name: self.of(store, name).decoded(stored) for name in names}
        return {name: answer for name, answer in answers.items() if answer is not None}


class KeptAnswer(Struct, Generic[T], frozen=True):
    """The place of an answer among the kept results."""

    kind: Any
    basis: Basis

    def stored(self) -> T | None:
        """Return the kept answer, None if there is none."""
        return self.decoded(default_cache().get(_KIND, [self.basis.place]))

    def decoded(self, stored: Mapping[bytes, CacheEntry]) -> T | None:
        """Return the answer among stored entries by place, None if there is none."""
        document = _document(stored, self.basis)
        if document is None:
            return None
        answer: T = msgspec.convert(document, self.kind, strict=False)
        return answer

    def keep(self, answer: T) -> None:
        """Keep an answer."""
        keep([(self, answer)])


def keep(answers: Iterable[tuple[KeptAnswer[Any], Any]]) -> None:
    """Keep answers, all at once."""
    keep_documents(default_cache(), {place.basis: _plain(answer) for place, answer in answers})


def _plain(answer: Any) -> Any:
    """Return an answer as dicts and lists."""

    def other(value: Any) -> Any:
        return dict(value) if isinstance(value, Mapping) else list(value)

    return msgspec.to_builtins(answer, str_keys=True, enc_hook=other)


def kept_answer(
    answers: Answers, name: str, question: str, make: Callable[[], T], *options: Any, kind: Any = Any
) -> T:
    """Return the stored answer of a question, or the result of `make`. `kind` is its type, Any for a document.

    `options` are its other inputs, besides the conversation, the settings and what the user dismissed. Its notes are
    repeated. The answer of an engine of another package is always made, because the engine may have changed. Raises
    UnknownConversation, StoreErrors, and exceptions of `make`.
    """
    (row,) = answers.rows((name,))
    resolved = resolve(answers.store, row, answers.flags, answers.config)
    basis = basis_of(answers.store, row.id, question, resolved, repr(options))
    basis = basis.with_inputs(Dismissals.load().stamp(row.root).encode())
    cache = default_cache()
    stored = document(cache, basis) if is_built_in(resolved.settings.profile) else None
    if stored is None:
        began = time.monotonic()
        with answers.noting() as notes:
            answer = make()
        if time.monotonic() - began >= LONG:
            plain = answer if kind is Any else _plain(answer)
            keep_documents(cache, {basis: {"document": plain, "notes": notes}})
    else:
        answer, notes = msgspec.convert(stored["document"], kind, strict=False), stored["notes"]
    for note in notes:
        answers.note(note)
    return answer
