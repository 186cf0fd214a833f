"""What each message says, as a document that is kept between runs."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from inspector.answers.kept_results import KeptResults
from inspector.core.messages import Message
from inspector.quality.facts.fact import Mention, MessageFacts, Sign, Statement, Value

#: Changes whenever extraction does, so that nothing of an older program is read.
FORMAT = 10


def message_key(message: Message, version: str) -> bytes:
    """What the facts of a message are kept under: a hash of what it says and who says it, other for other rules."""
    calls = "\x00".join(call.arguments for call in message.tool_calls)
    said = f"{message.role}\x00{message.text}\x00{calls}"
    key = f"{version}.{FORMAT}{'.summary' if message.summary else ''}".encode()
    return hashlib.blake2b(said.encode("utf-8", errors="surrogatepass"), digest_size=16, key=key).digest()


def known_facts(kept: KeptResults, keys: Sequence[bytes]) -> dict[bytes, MessageFacts]:
    """What is known of these keys."""
    read = {key: unpacked(document) for key, document in kept.under(keys).items()}
    return {key: facts for key, facts in read.items() if facts is not None}


def keep_facts(kept: KeptResults, facts: Mapping[bytes, MessageFacts]) -> None:
    """Remember what messages say."""
    kept.put_under({key: packed(value) for key, value in facts.items()})


def packed(facts: MessageFacts) -> list[Any]:
    """The facts of a message as JSON."""
    return [
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


def _value(value: Value) -> list[Any]:
    return [value.text, value.form, value.canon, value.unit, value.distinctive, value.span]


def unpacked(document: Any) -> MessageFacts | None:
    """The facts in a document; None where it is none of ours."""
    try:
        said, mentions, signs = document
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
    except (ValueError, TypeError):
        return None


def _read(document: list[Any]) -> Value:
    text, form, canon, unit, distinctive, span = document
    return Value(text, form, canon, unit, distinctive, _span(span))


def _span(pair: Sequence[int]) -> tuple[int, int]:
    start, end = pair
    return int(start), int(end)
