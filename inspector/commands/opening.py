"""Open the app. Only this module imports it; nothing that the first frame does not need is imported, not even click."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.commands.sources import flags_of, open_source, path_or_name
from inspector.core.text import safe_line

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

        answers = Answers(store, flags, config)
        if plain:
            _as_lines(answers, name)
        else:
            _as_text(answers, name)
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


def _as_lines(answers: Answers, name: str | None) -> None:
    """Print the list of conversations, or one conversation with its compactions and losses, one field per line."""
    from inspector.answers.compactions import compare_compactions
    from inspector.answers.conversations import list_conversations
    from inspector.answers.fact_results import list_losses
    from inspector.answers.showing import show_generation
    from inspector.export.conversations import conversation_documents
    from inspector.export.document import plain_lines
    from inspector.export.fact_results import loss_documents
    from inspector.export.generations import compaction_document, show_document
    from inspector.export.masking import DocumentMasker

    parts: list[tuple[str, Any]]
    if name is None:
        parts = [("conversation", conversation_documents(list_conversations(answers)))]
    else:
        parts = [
            ("list", show_document(show_generation(answers, name, None, exact=False))),
            ("compaction", list(map(compaction_document, compare_compactions(answers, name)))),
            ("loss", DocumentMasker()(loss_documents(list_losses(answers, [name])))),
        ]
    for word, document in parts:
        for line in plain_lines(document, word):
            print(line)


def _as_text(answers: Answers, name: str | None) -> None:
    """Print the first screens of the app as text: the list, then one conversation with its compactions."""
    from inspector.answers.compactions import RecordedCompactions, compare_compactions
    from inspector.answers.conversations import list_conversations
    from inspector.answers.showing import show_generation
    from inspector.export.console import say
    from inspector.export.conversations import print_conversations
    from inspector.export.generations import print_compactions, print_show

    chosen = answers.store.resolve(name) if name is not None else ""
    listed = list_conversations(answers)
    print_conversations(listed)
    if listed:
        by_id = {entry.conversation.id: entry.conversation for entry in listed}
        chosen = chosen or max(by_id, key=lambda name: (len(by_id[name].generations), len(by_id[name].live)))
        say()
        say(safe_line(by_id[chosen].row.title) if chosen in by_id else chosen, "bold")
        print_compactions(RecordedCompactions(tuple(compare_compactions(answers, chosen)), (), ()))
        say()
        print_show(show_generation(answers, chosen, None, exact=True))
