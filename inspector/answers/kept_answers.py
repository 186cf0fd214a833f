"""Answers about a conversation that took long, kept between runs as documents."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from inspector.answers.answers import Answers
from inspector.answers.kept_results import basis_of, default_results
from inspector.answers.resolving import resolve

#: Minimum seconds of an answer to be kept.
LONG = 0.05


def kept_answer(answers: Answers, name: str, question: str, make: Callable[[], Any], *options: Any) -> Any:
    """Return the kept document of a question, or the one that `make` returns.

    `options` are its other inputs, besides the conversation and the settings. Its notes are repeated. Raises
    UnknownConversation, StoreErrors, and exceptions of `make`.
    """
    conversation = answers.store.resolve(name)
    row = next(row for row in answers.store.conversations() if row.id == conversation)
    resolved = resolve(answers.store, row, answers.flags, answers.config)
    basis = basis_of(answers.store, conversation, question, resolved, repr(options))
    kept = default_results()
    known = kept.get(basis)
    if known is None:
        began = time.monotonic()
        with answers.noting() as notes:
            document = make()
        known = {"document": document, "notes": notes}
        if time.monotonic() - began >= LONG:
            kept.put(basis, known)
    for note in known["notes"]:
        answers.note(note)
    return known["document"]
