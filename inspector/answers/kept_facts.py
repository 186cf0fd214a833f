"""The facts of each message and their fates, kept between runs. Facts are packed, which also saves memory."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Mapping, Sequence

import msgspec

from inspector.answers.inspection import Inspection
from inspector.answers.kept_results import KeptResults, basis_of, program_stamp
from inspector.core.messages import Message
from inspector.quality.facts.fact import Fate, MessageFacts
from inspector.quality.facts.lives import Following, Work
from inspector.quality.facts.passages import PassageIndex

_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(MessageFacts)
_IN_ORDER = msgspec.msgpack.Encoder(order="deterministic")


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


def cached_fates(inspection: Inspection, cache: KeptResults, work: Work) -> Work:
    """Return a function that returns the fates from `cache`, else follows the facts with `work`."""

    def follow(
        following: Following,
        lists_after: Mapping[int, PassageIndex],
        watch: Callable[[int], None] | None = None,
    ) -> dict[str, list[Fate]]:
        basis = basis_of(
            inspection.store, inspection.conversation.id, "fates", options=following.placed_fates
        )
        # The store may have more messages by now than the lists that are followed.
        basis = basis.with_inputs(_IN_ORDER.encode(following))
        document = cache.document(basis)
        if document is not None:
            different = msgspec.convert(document["different"], list[Fate], strict=False)
            return {name: [different[at] for at in places] for name, places in document["fates"].items()}
        fates = work(following, lists_after, watch)
        # Many facts have equal fates. Share the objects when they are read, to save memory.
        places: dict[Fate, int] = {}
        of = {name: [places.setdefault(fate, len(places)) for fate in each] for name, each in fates.items()}
        cache.keep({basis: {"different": msgspec.to_builtins(list(places)), "fates": of}})
        return fates

    return follow
