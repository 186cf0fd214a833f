"""The facts of each message, packed: for the database of kept results, and to save memory."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Mapping, Sequence

import msgspec

from inspector.answers.kept_results import KeptResults, program_stamp
from inspector.core.messages import Message
from inspector.quality.facts.fact import MessageFacts

_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(MessageFacts)


def message_key(message: Message) -> bytes:
    """Return the key of a message's facts: a hash of its text and speaker, and of the program."""
    calls = "\x00".join(call.arguments for call in message.tool_calls)
    content = f"{message.speaker}\x00{message.text}\x00{calls}"
    key = f"{program_stamp()}{'.summary' if message.summary else ''}".encode()
    return hashlib.blake2b(content.encode("utf-8", errors="surrogatepass"), digest_size=16, key=key).digest()


def cached_facts(results: KeptResults, keys: Sequence[bytes]) -> dict[bytes, MessageFacts]:
    """Return the stored facts of these keys."""
    stored = {key: unpacked(data) for key, data in results.get(keys).items()}
    return {key: facts for key, facts in stored.items() if facts is not None}


def keep_facts(results: KeptResults, facts: Mapping[bytes, MessageFacts]) -> None:
    """Store the facts of messages."""
    results.put({key: packed(value) for key, value in facts.items()})


def packed(facts: MessageFacts) -> bytes:
    """Pack the facts of a message into bytes."""
    return zlib.compress(_ENCODER.encode(facts), 1)


def unpacked(data: bytes) -> MessageFacts | None:
    """Unpack facts from bytes; None if the bytes are not from this program."""
    try:
        return _DECODER.decode(zlib.decompress(data))
    except (zlib.error, msgspec.DecodeError):
        return None
