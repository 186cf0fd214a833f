"""The facts of each message and their fates, kept between runs. Facts are packed, which also saves memory."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from inspector.answers.inspection import Inspection
from inspector.answers.kept_results import basis_of, basis_of_inputs, document, keep_documents
from inspector.config.cache import Cache, CacheEntry, hashed, stamp_of
from inspector.core.messages import Message
from inspector.quality.facts.fact import Fate, MessageFacts
from inspector.quality.facts.lives import Following, Work
from inspector.quality.facts.passages import PassageIndex

_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(MessageFacts)
_IN_ORDER = msgspec.msgpack.Encoder(order="deterministic")
#: Maximum number of fates that are stored with every place.
_MAX_PLACED = 60_000


def message_key(message: Message) -> bytes:
    """Return the key of a message's facts: a hash of its text and speaker."""
    calls = "\x00".join(call.arguments for call in message.tool_calls)
    return hashed(message.speaker, message.text, calls, "summary" if message.summary else "")


def cached_facts(cache: Cache, keys: Sequence[bytes]) -> dict[bytes, MessageFacts]:
    """Return the stored facts of these keys."""
    stamp = stamp_of()
    stored = {key: unpacked(data) for key, (kept, data) in cache.get("facts", keys).items() if kept == stamp}
    return {key: facts for key, facts in stored.items() if facts is not None}


def keep_facts(cache: Cache, facts: Mapping[bytes, MessageFacts]) -> None:
    """Store the facts of messages."""
    stamp = stamp_of()
    cache.put("facts", {key: CacheEntry(stamp, packed(value)) for key, value in facts.items()})


def packed(facts: MessageFacts) -> bytes:
    """Pack the facts of a message into bytes."""
    return zlib.compress(_ENCODER.encode(facts), 1)


def unpacked(data: bytes) -> MessageFacts | None:
    """Unpack facts from bytes; None if the bytes are not from this program."""
    try:
        return _DECODER.decode(zlib.decompress(data))
    except (zlib.error, TypeError, msgspec.DecodeError):
        return None


def cached_fates(inspection: Inspection, cache: Cache, work: Work) -> Work:
    """Return a function that returns the fates from `cache`, else follows the facts with `work`.

    The fates of a short conversation are stored once, with every place. Each question selects its places from them. The
    places of a long conversation need more memory than everything else, so each question stores its own fates. Fates
    without places are then not stored, because the caller stores its own result, such as losses.
    """

    def follow(
        following: Following,
        lists_after: Mapping[int, PassageIndex],
        watch: Callable[[int], None] | None = None,
    ) -> dict[str, list[Fate]]:
        if len(following.facts) * len(lists_after) <= _MAX_PLACED:
            placed = cached(replace(following, placed_fates="every"), lists_after, watch)
            return following.select_places(placed)
        if following.placed_fates == "none":
            return work(following, lists_after, watch)
        return cached(following, lists_after, watch)

    def cached(
        following: Following, lists_after: Mapping[int, PassageIndex], watch: Callable[[int], None] | None
    ) -> dict[str, list[Fate]]:
        store, conversation, options = inspection.store, inspection.conversation.id, following.placed_fates
        # Lists are only read if the conversation has changed.
        state = basis_of(store, conversation, "inputs of fates", options=options)
        state = state.with_inputs(_IN_ORDER.encode(following))
        earlier = document(cache, state)
        inputs = earlier or inputs_of(following, lists_after)
        basis = basis_of_inputs(store, conversation, "fates", options, inputs.encode())
        stored = document(cache, basis)
        if stored is not None:
            if earlier is None:
                keep_documents(cache, {state: inputs})
            different = msgspec.convert(stored["different"], list[Fate], strict=False)
            return {name: [different[at] for at in places] for name, places in stored["fates"].items()}
        fates = work(following, lists_after, watch)
        # Many facts have equal fates. Share the objects when they are read, to save memory.
        places: dict[Fate, int] = {}
        of = {name: [places.setdefault(fate, len(places)) for fate in each] for name, each in fates.items()}
        keep_documents(
            cache, {basis: {"different": msgspec.to_builtins(list(places)), "fates": of}, state: inputs}
        )
        return fates

    return follow


def inputs_of(following: Following, lists_after: Mapping[int, PassageIndex]) -> str:
    """Return a hash of all inputs of fates.

    Messages that are in none of the lists change nothing, so sayings, uses and ranks of facts do not count.
    """
    facts = {
        name: replace(fact, sayings=(), earlier=(), uses=0, rank=0.0)
        for name, fact in following.facts.items()
    }
    hashed = hashlib.blake2b(_IN_ORDER.encode(replace(following, facts=facts)))
    for number in sorted(lists_after):
        hashed.update(_IN_ORDER.encode((number, lists_after[number].parts)))
    return hashed.hexdigest()
