"""The cell with the losses of a conversation or a compaction: "6 ‼3 ↓1 ?2 ±4"."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rich.style import Style

from widgets.base.signs import Sign
from widgets.base.strips import Row, fit


def loss_signs(*, constraints: bool, weakened: bool, unknown: bool, uncertain: bool) -> Iterator[Sign]:
    """Return the signs of such cells that are on screen."""
    for sign, text, shown in (
        ("‼", "constraints among the lost facts", constraints),
        ("↓", "facts that were weakened", weakened),
        (
            "?",
            "unknown: the summary cannot be read, the list before or a part of the conversation is missing, or "
            "constraints in the language of the user are not recognized",
            unknown,
        ),
        ("±", "uncertain: facts that may be lost", uncertain),
    ):
        if shown:
            yield sign, text


def draw_loss_counts(
    row: Row,
    ink: Callable[[str], Style],
    width: int,
    *,
    lost: int,
    constraints: int,
    weakened: int,
    unknown: int,
    uncertain: int,
) -> None:
    """Add a cell of `width` to a row: lost facts, constraints among them, weakened, unknown and uncertain facts.

    Without room, the uncertain facts are left out.
    """
    rules = f" ‼{constraints:,}" if constraints else ""
    weaker = f" ↓{weakened:,}" if weakened else ""
    unread = f" ?{unknown:,}" if unknown else ""
    number = "" if unread and not lost else f"{lost:,}"
    room = width - len(rules) - len(weaker) - len(unread)
    doubtful = f" ±{uncertain:,}" if uncertain else ""
    if len(number) + len(doubtful) > room:
        doubtful = ""
    quiet = ink("quiet")
    row.add(fit(number, room - len(doubtful), right=True), Style() if lost else quiet)
    row.add(rules, ink("error")).add(weaker, ink("warning")).add(unread + doubtful, quiet)
