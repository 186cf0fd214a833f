"""Remove secrets from every text of a value before the texts are cut, escaped or split."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from inspector.answers.inspection import Inspection
from inspector.core.shares import plural
from inspector.models.masking import Masker
from inspector.quality.facts.fact import Fact
from inspector.quality.secrets import masked_as
from inspector.replay.transcript import transcript_of
from inspector.summaries.summary import ItemChange
from inspector.summaries.words import word_changes

Value = TypeVar("Value")
#: Minimum length of a text that can have a secret.
_LEAST = 6
#: Fields of facts that are only compared.
_UNSAID = ("canon", "things")
_SECRET = masked_as("a secret")
_PLAIN = frozenset({int, float, bool, type(None)})
#: Number of messages in memory at a time.
_BATCH = 500


def masker_of(inspection: Inspection, on: bool) -> Masker:
    """Return a masker that knows every secret in a conversation's messages. It reads each message once.

    A fact is only a part of a message, and another part may show that it has a secret.
    """
    if not on:
        return Masker(on=False)
    reader = Masker()
    conversation, compactions = inspection.conversation, inspection.compactions()
    first: dict[int, int] = {}
    for place in transcript_of(conversation, compactions).places:
        first.setdefault(place.generation, place.index)
    for generation in conversation.generations:
        start = first.get(generation.number, len(generation))
        for at in range(start, len(generation), _BATCH):
            for message in inspection.store.messages(generation, at, min(at + _BATCH, len(generation))):
                reader(message.text)
                for call in message.tool_calls:
                    reader(call.arguments)
    for compaction in compactions:
        reader(compaction.summary or "")
    return Masker(known=reader.secrets)


def masked(value: Value, masker: Masker) -> Value:
    """Return the value without secrets in its texts. Spans in messages stay as they are."""
    return Masking(masker).of(value) if masker.on else value


def masking_note(masker: Masker) -> list[str]:
    """Return a sentence about the removed secrets, or no sentence."""
    words, is_single = masked_words(masker), sum(masker.counts.values()) == 1
    return [f"{words}; --no-mask leaves {'it' if is_single else 'them'}."] if words else []


def masked_words(masker: Masker) -> str:
    """Return the removed secrets in a sentence without its end mark; "" if there are none."""
    counts = masker.counts
    number = sum(counts.values())
    if not number:
        return ""
    kinds = ", ".join(kind if count == 1 else f"{count:,} × {kind}" for kind, count in counts.items())
    return f"{plural(number, 'secret was', 'secrets were')} masked ({kinds})"


class DocumentMasker:
    """Removes secrets from documents before they are printed. A secret that one text shows ("the password is ...") is
    removed from the other texts of the document too. If `on` is False, documents stay as they are."""

    def __init__(self, on: bool = True) -> None:
        self._reader = Masker(on)

    def __call__(self, document: Value) -> Value:
        """Return the document without secrets."""
        if not self._reader.on:
            return document
        Masking(self._reader).of(document)
        return masked(document, Masker(known=self._reader.secrets))

    @property
    def notes(self) -> list[str]:
        """Return a sentence about the removed secrets; no sentence if there are none."""
        return masking_note(self._reader)


class Masking:
    """Removes secrets from values. Equal texts are read once."""

    def __init__(self, masker: Masker) -> None:
        self._masker = masker
        self._texts: dict[str, str] = {}
        self._names: dict[type, tuple[str, ...]] = {}
        # A report has millions of values of few types.
        self._ways: dict[type, Callable[[Any], Any]] = {}

    def of(self, value: Any) -> Any:
        """Return a value of texts, sequences, mappings and data classes without secrets; itself if it has none."""
        shape = type(value)
        if shape in _PLAIN:
            return value
        if shape not in self._ways:
            self._ways[shape] = self._way_of(shape)
        return self._ways[shape](value)

    def _way_of(self, shape: type) -> Callable[[Any], Any]:
        if issubclass(shape, str):
            return self._text
        if issubclass(shape, tuple | list):
            return self._sequence
        if issubclass(shape, Mapping):
            return lambda value: {name: self.of(inner) for name, inner in value.items()}
        if issubclass(shape, ItemChange):
            return self._change
        if issubclass(shape, Fact):
            return self._fact
        return self._fields if issubclass(shape, Struct) else lambda value: value

    def _sequence(self, values: Any) -> Any:
        cleaned = [value if type(value) in _PLAIN else self.of(value) for value in values]
        if all(map(operator.is_, cleaned, values)):
            return values
        return values._make(cleaned) if hasattr(values, "_make") else type(values)(cleaned)

    def _text(self, text: str) -> str:
        if len(text) < _LEAST:
            return text
        if text not in self._texts:
            self._texts[text] = self._masker(text)
        clean = self._texts[text]
        return text if clean == text else clean

    def _fields(self, struct: Any) -> Any:
        shape = type(struct)
        if shape not in self._names:
            self._names[shape] = tuple(name for name in struct.__struct_fields__ if name not in _UNSAID)
        changed = {}
        for name in self._names[shape]:
            before = getattr(struct, name)
            if type(before) in _PLAIN:
                continue
            after = self.of(before)
            if after is not before:
                changed[name] = after
        return replace(struct, **changed) if changed else struct

    def _fact(self, fact: Fact) -> Fact:
        """Remove an exact value that was a part of a secret, although it does not look like a secret alone."""
        clean: Fact = self._fields(fact)
        if clean.text == fact.text:
            return clean
        values, value = [], clean.value
        for was, now in zip(fact.values, clean.values, strict=True):
            text = now.text
            if was.text in fact.text and text not in clean.text:
                text = _SECRET
                value = value.replace(now.text, _SECRET)
            values.append(now if text == was.text else replace(now, text=text, canon=text))
        return replace(clean, values=tuple(values), value=value, things=())

    def _change(self, item: ItemChange) -> ItemChange:
        """Compare the masked wordings again, because the differences are places in the texts."""
        clean: ItemChange = self._fields(item)
        if clean.was is None or (clean.was, clean.text) == (item.was, item.text):
            return clean
        return replace(clean, words=word_changes(clean.was, clean.text))
