"""Exact token counts of a generation in batches, from the cache if possible."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inspector.answers.inspection import Inspection
from inspector.core.conversations import Generation


def counts(
    inspection: Inspection,
    generation: Generation,
    first: tuple[range, ...],
    batch: int,
    known: frozenset[int] = frozenset(),
) -> Iterator[tuple[Mapping[int, int], str]]:
    """Yield (index → exact tokens, encoding), the ranges of `first` before the rest.

    Messages in `known` are left out, unless they are between others. -1 is the system prompt. Raises NoVocabulary and
    StoreErrors.
    """
    from inspector.tokens.tokenizers import counter_for

    counter = counter_for(inspection.conversation.row.model)
    prompt = inspection.system_prompt(generation.session)
    fresh: dict[int, int] = {-1: counter.count(prompt)} if prompt and -1 not in known else {}
    for span in spans(len(generation), first, batch, known):
        messages = inspection.store.messages(generation, span.start, span.stop)
        tokens = counter.count_messages(messages)
        fresh.update(zip(span, tokens, strict=False))
        yield fresh, counter.encoding
        fresh = {}
    yield fresh, counter.encoding


def spans(
    length: int, first: tuple[range, ...], batch: int, known: frozenset[int] = frozenset()
) -> Iterator[range]:
    """Return the uncounted parts of range(length) as ranges of at most `batch`, starting with `first`. Ranges may
    overlap."""
    done: set[int] = set(known)
    for wanted in first:
        inside = [
            index for index in range(max(0, wanted.start), min(wanted.stop, length)) if index not in done
        ]
        if inside:
            yield range(inside[0], inside[-1] + 1)
            done.update(inside)
    for start in range(0, length, batch):
        rest = [index for index in range(start, min(start + batch, length)) if index not in done]
        if rest:
            yield range(rest[0], rest[-1] + 1)
