"""Open the app. Only this module imports it; nothing that the first frame does not need is imported, not even click."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.commands.sources import flags_of, open_source, path_or_name

if TYPE_CHECKING:
    from inspector.answers.answers import Answers

#: Terminals that can only print lines.
_NO_SCREEN = ("dumb", "unknown")
#: Textual's own variable. A server that draws the app in a browser sets it.
_DRIVER = "TEXTUAL_DRIVER"


def open_app(
    words: Sequence[str],
    *,
    demo: bool = False,
    theme: str | None = None,
    compaction: int | None = None,
    config: Path | None = None,
    plain: bool = False,
    **settings: Any,
) -> None:
    """Run the app on `[PATH] [CONVERSATION]` until the user leaves it; without a terminal print the same as text, and
    with `plain` as plain lines.

    Raises InspectorErrors, and UsageProblem for an unknown theme.
    """
    from inspector.config.bundled import check_installation

    check_installation()
    if theme is not None:
        from inspector.app.themes import check_theme

        check_theme(theme)
    path, name = path_or_name(words, demo)
    store = open_source(path, demo, name)
    flags = flags_of(settings) if settings else {}
    why = _why_no_app()
    if plain or why:
        from inspector.answers.answers import Answers

        _print(Answers(store, flags, config), name, plain)
        if not plain:
            print(f"\n{why}")
        return
    from inspector.app.launch import launch

    launch(store, name, flags, config, theme, compaction)


def _why_no_app() -> str:
    """Return why the app cannot be drawn here; "" if it can."""
    if _DRIVER in os.environ:
        return ""
    if not all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout)):
        return "The output is not a terminal. In a terminal the same command opens the app."
    term = os.environ.get("TERM")
    if term not in _NO_SCREEN:
        return ""
    return f"A terminal with TERM={term} cannot draw the app. In another terminal this command opens it."


def _print(answers: Answers, name: str | None, plain: bool) -> None:
    """Print the conversations; with a name, the list, the compactions and the losses of this conversation."""
    from inspector.answers.compactions import recorded_compactions
    from inspector.answers.conversations import list_conversations
    from inspector.answers.fact_results import losses_and_answer
    from inspector.answers.showing import show_generation
    from inspector.commands.options import print_answer
    from inspector.export.conversations import conversation_documents, print_conversations
    from inspector.export.fact_results import loss_documents, print_losses
    from inspector.export.generations import (
        compaction_documents,
        print_compactions,
        print_show,
        show_document,
    )
    from inspector.export.masking import DocumentMasker

    parts: list[tuple[str, Any, Callable[[Any], None], Callable[[Any], Any]]]
    if name is None:
        parts = [("conversation", list_conversations(answers), print_conversations, conversation_documents)]
    else:
        losses, nothing = DocumentMasker()(losses_and_answer(answers, [name]))
        parts = [
            ("list", show_generation(answers, name, None, exact=not plain), print_show, show_document),
            ("compaction", recorded_compactions(answers, name), print_compactions, compaction_documents),
            ("loss", losses, partial(print_losses, nothing=nothing), loss_documents),
        ]
    for number, (word, answer, print_text, document_of) in enumerate(parts):
        if number and not plain:
            print()
        print_answer(answer, False, print_text, document_of, word)
