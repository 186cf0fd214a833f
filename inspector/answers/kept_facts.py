"""What each message says, kept between runs in a SQLite file of the program's own in the user's cache directory."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from inspector.config.database import CacheFile
from inspector.core.messages import Message
from inspector.quality.facts.fact import Mention, MessageFacts, Sign, Statement, Value

#: A cache that uses more than this, in bytes, is emptied when it is opened (a message takes some 300).
LARGEST = 256_000_000
#: Changes whenever extraction does, so that nothing of an older program is read.
FORMAT = 10
_EMPTY = b""


def message_key(message: Message, version: str) -> bytes:
    """What the facts of a message are kept under: a hash of what it says and who says it, other for other rules."""
    calls = "\x00".join(call.arguments for call in message.tool_calls)
    said = f"{message.role}\x00{message.text}\x00{calls}"
    key = f"{version}.{FORMAT}{'.summary' if message.summary else ''}".encode()
    return hashlib.blake2b(said.encode("utf-8", errors="surrogatepass"), digest_size=16, key=key).digest()


class FactCache:
    """Facts of messages by key. Safe to use from several threads and programs.

    Where the file cannot be used nothing is kept, and `problem` says why ("" otherwise).
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = CacheFile(path, "messages", "facts", LARGEST, "Facts")

    @property
    def problem(self) -> str:
        """Why nothing is kept between runs; "" where it is."""
        return self._file.problem

    def get(self, keys: Sequence[bytes]) -> dict[bytes, MessageFacts]:
        """What is known of these keys."""
        read = {key: unpacked(data) for key, data in self._file.get(keys).items()}
        return {key: facts for key, facts in read.items() if facts is not None}

    def put(self, facts: Mapping[bytes, MessageFacts]) -> None:
        """Remember what messages say."""
        self._file.put({key: packed(value) for key, value in facts.items()})

    def close(self) -> None:
        """Close the file; nothing is kept from then on."""
        self._file.close()


def packed(facts: MessageFacts) -> bytes:
    """The facts of a message as bytes."""
    if not facts.statements and not facts.mentions and not facts.signs:
        return _EMPTY
    document = [
        [
            [
                s.kind,
                s.text,
                s.span,
                [_value(v) for v in s.values],
                s.rule,
                s.cue,
                s.strength,
                s.things,
                s.pasted,
                s.asked,
                s.voice,
            ]
            for s in facts.statements
        ],
        [[_value(m.value), m.text, m.text_span, m.pasted] for m in facts.mentions],
        [[s.rule, s.chosen, s.other, s.text, s.span, s.cue, s.things] for s in facts.signs],
    ]
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode("utf-8", errors="surrogatepass"), 1)


def _value(value: Value) -> list[Any]:
    return [value.text, value.form, value.canon, value.unit, value.distinctive, value.span]


def unpacked(data: object) -> MessageFacts | None:
    """The facts in bytes; None where they are none of ours."""
    if not isinstance(data, bytes):
        return None
    if data == _EMPTY:
        return MessageFacts()
    try:
        said, mentions, signs = json.loads(zlib.decompress(data).decode("utf-8", errors="surrogatepass"))
        return MessageFacts(
            tuple(
                Statement(
                    kind,
                    text,
                    _span(span),
                    tuple(map(_read, values)),
                    rule,
                    _span(cue),
                    strength,
                    tuple(things),
                    pasted,
                    asked,
                    voice,
                )
                for kind, text, span, values, rule, cue, strength, things, pasted, asked, voice in said
            ),
            tuple(Mention(_read(value), text, _span(span), pasted) for value, text, span, pasted in mentions),
            tuple(
                Sign(rule, chosen, other, text, _span(span), _span(cue), tuple(things))
                for rule, chosen, other, text, span, cue, things in signs
            ),
        )
    except (zlib.error, ValueError, TypeError):
        return None


def _read(document: list[Any]) -> Value:
    text, form, canon, unit, distinctive, span = document
    return Value(text, form, canon, unit, distinctive, _span(span))


def _span(pair: Sequence[int]) -> tuple[int, int]:
    start, end = pair
    return int(start), int(end)
