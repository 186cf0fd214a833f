"""Results kept between runs by their inputs, in a SQLite file in the user's cache directory."""

from __future__ import annotations

import hashlib
import json
import os
import time
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

import inspector
from inspector.answers.resolving import resolve
from inspector.config.database import CacheFile
from inspector.config.dismissals import Dismissals
from inspector.config.opened import OpenedOnce
from inspector.config.prices import prices_stamp
from inspector.config.settings import ResolvedSettings
from inspector.core.errors import OutputProblem
from inspector.engines.registry import is_built_in
from inspector.models.kept import default_attempts
from inspector.stores.base import Store

if TYPE_CHECKING:
    from inspector.answers.answers import Answers

T = TypeVar("T")
#: A file that uses more than this, in bytes, is emptied when it is opened.
LARGEST = 256_000_000
#: Parts of the program on which no result depends.
_ONLY_SHOWN = ("app", "commands")

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
    stamp = _hashed(
        program_stamp(),
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
    return Basis(place, _hashed(program_stamp())).with_inputs(inputs)


def _place(store: Store, conversation: str, question: str, options: str = "") -> bytes:
    path = str(store.owner(conversation).path.absolute())
    return _hashed(question, path, conversation, options)


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


class KeptResults(CacheFile):
    """Stored results: documents (JSON), one for each place, with their basis; and values (bytes), by a hash of all
    inputs."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "results", "result", LARGEST, "Results")

    def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the values of these keys."""
        return {key: value for key, value in super().get(keys).items() if isinstance(value, bytes)}

    def document(self, basis: Basis) -> Any:
        """Return the stored document with exactly this basis, or None."""
        return _document(self.get([basis.place]), basis)

    def keep(self, documents: Mapping[Basis, Any]) -> None:
        """Store documents. Each replaces the earlier document of its place."""
        self.put({basis.place: basis.stamp + _packed(document) for basis, document in documents.items()})


def _packed(document: Any) -> bytes:
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode("utf-8", errors="surrogatepass"), 1)


def _document(stored: Mapping[bytes, bytes], basis: Basis) -> Any:
    """Return the document of a basis from stored bytes; None if it is missing or not from this program."""
    data = stored.get(basis.place, b"")
    if data[: len(basis.stamp)] != basis.stamp:
        return None
    try:
        return json.loads(zlib.decompress(data[len(basis.stamp) :]).decode("utf-8", errors="surrogatepass"))
    except (zlib.error, ValueError, RecursionError):
        return None


@cache
def program_stamp() -> str:
    """Return a text with the version of the program and the change times of its modules and rules."""
    root = Path(inspector.__file__).parent
    parts = [inspector.__version__]
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in (*_ONLY_SHOWN, "__pycache__"))
        for name in sorted(names):
            status = Path(folder, name).stat()
            parts.append(f"{name} {status.st_size} {status.st_mtime_ns}")
    return _hashed(*parts).hex()


def _hashed(*texts: str) -> bytes:
    joined = "\x00".join(texts).encode("utf-8", errors="surrogatepass")
    return hashlib.blake2b(joined, digest_size=16).digest()


_OPENED = OpenedOnce(KeptResults)


def default_results() -> KeptResults:
    """Return the kept results in the user's cache directory, opened once."""
    from inspector.config.folders import cache_dir

    return _OPENED.at(cache_dir() / "results.db")


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
        stored = default_results().get(list(places))
        names = [name for place, name in places.items() if place in stored]
        answers = {name: self.of(store, name).decoded(stored) for name in names}
        return {name: answer for name, answer in answers.items() if answer is not None}


class KeptAnswer(Struct, Generic[T], frozen=True):
    """The place of an answer among the kept results."""

    kind: Any
    basis: Basis

    def stored(self) -> T | None:
        """Return the kept answer, None if there is none."""
        return self.decoded(default_results().get([self.basis.place]))

    def decoded(self, stored: Mapping[bytes, bytes]) -> T | None:
        """Return the answer among kept bytes by place, None if there is none."""
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
    default_results().keep({place.basis: _plain(answer) for place, answer in answers})


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
    results = default_results()
    stored = results.document(basis) if is_built_in(resolved.settings.profile) else None
    if stored is None:
        began = time.monotonic()
        with answers.noting() as notes:
            answer = make()
        if time.monotonic() - began >= LONG:
            document = answer if kind is Any else _plain(answer)
            results.keep({basis: {"document": document, "notes": notes}})
    else:
        answer, notes = msgspec.convert(stored["document"], kind, strict=False), stored["notes"]
    for note in notes:
        answers.note(note)
    return answer
