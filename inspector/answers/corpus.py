"""A corpus for scoring compactors: conversations in JSON files, each with the statements that have to survive."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from inspector.answers.plans import read_messages
from inspector.core.errors import BadInput
from inspector.core.messages import Message
from inspector.quality.facts.fact import KINDS, Kind

#: Importance of a statement: 1 is useful, 2 costs work if it is lost, 3 does damage if it is lost.
IMPORTANCE = (1, 2, 3)
#: The keys of a statement, with their types in JSON.
_TYPES = {"quote": str, "message": int, "kind": str, "importance": int, "hurts": str, "still_holds": bool}


class TrueStatement(Struct, frozen=True):
    """A statement of the truth: `quote` is word for word in message `message` (index from 0).

    `hurts` says in a sentence what goes wrong later if it is lost. `still_holds` is false if the user withdrew it.
    """

    quote: str
    message: int
    kind: Kind
    importance: int
    hurts: str
    still_holds: bool


class CorpusConversation(Struct, frozen=True):
    """One file of a corpus; `name` is the file's name without its ending."""

    name: str
    path: Path
    title: str
    domain: str
    language: str
    messages: tuple[Message, ...]
    truth: tuple[TrueStatement, ...]


def read_corpus(folder: Path) -> tuple[CorpusConversation, ...]:
    """Return the conversations of a folder, by name. Raises BadInput naming the file and the statement at fault."""
    if not folder.is_dir():
        raise BadInput(f"There is no folder {folder}. A corpus is a folder of JSON files.")
    files = sorted(folder.glob("*.json"))
    if not files:
        raise BadInput(f"The folder {folder} has no JSON file, so there is nothing to score.")
    return tuple(map(_read, files))


def _read(path: Path) -> CorpusConversation:
    messages = read_messages(path)
    document = json.loads(path.read_text(encoding="utf-8", errors="surrogatepass"))
    if not isinstance(document, dict) or not isinstance(document.get("truth"), list):
        raise BadInput(f'{path} has no truth: a mapping with lists "messages" and "truth" is needed.')
    truth = tuple(_statements(path, document["truth"], messages))
    title, domain, language = (str(document.get(key) or "") for key in ("title", "domain", "language"))
    return CorpusConversation(path.stem, path, title or path.stem, domain, language, messages, truth)


def _statements(path: Path, entries: list[Any], messages: tuple[Message, ...]) -> Iterator[TrueStatement]:
    for number, entry in enumerate(entries, 1):
        problem = _problem(entry, messages)
        if problem:
            raise BadInput(f"{path}: statement {number} of the truth {problem}.")
        yield TrueStatement(**{name: entry[name] for name in _TYPES})


def _problem(entry: Any, messages: tuple[Message, ...]) -> str:
    """Return the end of a sentence about what is wrong with a statement; "" if nothing is."""
    if not isinstance(entry, dict):
        return "is not a mapping"
    for key, kind in _TYPES.items():
        if not isinstance(entry.get(key), kind):
            return f"has no usable {key!r}"
    if entry["kind"] not in KINDS:
        return f"has the kind {entry['kind']!r}; kinds are {', '.join(KINDS)}"
    if entry["importance"] not in IMPORTANCE:
        return f"has the importance {entry['importance']}; it is 1, 2 or 3"
    if not 0 <= entry["message"] < len(messages):
        return f"names message {entry['message']}, and there are {len(messages)}"
    if not entry["quote"].strip() or entry["quote"] not in messages[entry["message"]].text:
        return f"has a quote that is not in message {entry['message']} word for word"
    return ""
