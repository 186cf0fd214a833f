"""The app driven in a pseudo-terminal: opening, scrolling, turning a knob, and what memory it took."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager

from inspector.stores.detect import open_store
from tests.benchmarks.context import Context, fresh_environment
from tests.benchmarks.figures import Figure, middle, p95, spread
from tests.benchmarks.generator import LAST_WORDS, LONG, LONGEST
from tests.benchmarks.startup import last_title
from tests.benchmarks.terminal import Terminal, TimedOut, Tmux, status_megabytes

ENTER, ESCAPE, UP, DOWN, LEFT, RIGHT = "\r", "\x1b", "\x1b[A", "\x1b[B", "\x1b[D", "\x1b[C"
PAGE_UP, PAGE_DOWN, HOME, END = "\x1b[5~", "\x1b[6~", "\x1b[H", "\x1b[F"
#: The row under the cursor, and whether its text is there.
_CURSOR = re.compile(r"› *(\d+|sys) +(\S+)")
_ROLES = ("user", "assistant", "asst", "tool", "system", "sys")
#: The keys of one run over the longest list.
KEYS = (
    *[UP] * 60, *[PAGE_UP] * 60, *[DOWN] * 80, *[PAGE_DOWN] * 40, HOME,
    *[DOWN] * 60, *[PAGE_DOWN] * 60, END, *[UP] * 60,
)  # fmt: skip


def _row(context: Context, title: str) -> int:
    store = open_store(context.database)
    rows = store.conversations()
    store.close()
    return next(number for number, row in enumerate(rows) if row.title == title)


@contextmanager
def _opened(context: Context, title: str, length: int) -> Iterator[tuple[Terminal, float]]:
    """The conversation of that title, opened; and the ms from the key to its last messages on screen."""
    row = _row(context, title)
    with fresh_environment() as (environment, _), Terminal(context.command, environment) as terminal:
        terminal.until_seen(last_title(context))
        terminal.until(lambda text: True)
        time.sleep(0.3)  # a person reads before pressing
        terminal.quiet(0.02, 0.3)
        for _ in range(row):
            since = len(terminal.frames)
            terminal.press(DOWN)
            terminal.until(lambda text: "›" in text, since=since)
        since = len(terminal.frames)
        pressed = terminal.press(ENTER)
        wanted = re.compile(rf"{length - 1} +as\S+ .{{0,60}}{LAST_WORDS[:24]}")
        yield terminal, 1e3 * (terminal.until(wanted.search, since=since) - pressed)


def measure(context: Context) -> list[Figure]:
    """Everything that is done with keys in a terminal."""
    shape = context.shape
    opened: dict[str, list[float]] = {LONG: [], LONGEST: []}
    for _ in range(max(2, context.runs // 2)):
        for title, length in ((LONG, shape.long), (LONGEST, shape.longest)):
            with _opened(context, title, length) as (_, taken):
                opened[title].append(taken)
    figures = [
        Figure(
            f"terminal: opening {shape.long:,} messages",
            middle(opened[LONG]),
            "ms",
            100,
            spread(opened[LONG]),
        ),
        Figure(
            f"terminal: opening {shape.longest:,} messages",
            middle(opened[LONGEST]),
            "ms",
            300,
            spread(opened[LONGEST]),
        ),
    ]
    figures += _scrolling(context)
    figures += _knob(context)
    if Tmux.available():
        figures += _in_tmux(context)
    return figures


def _scrolling(context: Context) -> list[Figure]:
    longest = context.shape.longest
    figures = []
    with _opened(context, LONGEST, longest) as (terminal, _):
        first, filled = _press_all(terminal)
        note = f"{len(first)} keys while it counts and measures; median {middle(first):.1f}, most {max(first):.0f} ms"
        figures.append(
            Figure(f"terminal: key to frame, p95, {longest:,} messages", p95(first), "ms", 16, note)
        )
        figures.append(
            Figure(
                "terminal: key to the row's text, p95",
                p95(filled),
                "ms",
                None,
                f"median {middle(filled):.1f} ms",
            )
        )
        figures.append(Figure("memory: opened and scrolled", terminal.peak_megabytes(), "MB", 150))
        started = time.perf_counter()
        terminal.quiet(3.0, 240.0)
        settled = time.perf_counter() - started
        first, filled = _press_all(terminal)
        note = (
            f"{len(first)} keys, nothing else going on; median {middle(first):.1f}, most {max(first):.0f} ms"
        )
        figures.append(Figure("terminal: key to frame at rest, p95", p95(first), "ms", 16, note))
        figures.append(
            Figure(
                "memory: everything counted", terminal.peak_megabytes(), "MB", 150, f"{settled:.0f} s later"
            )
        )
        now = status_megabytes(terminal.pid, "VmRSS")
        figures.append(Figure("memory: held in the end", now, "MB"))
    return figures


def _press_all(terminal: Terminal) -> tuple[list[float], list[float]]:
    """ms from each key to the frame with the cursor's new place, and to the frame in which that row has its text."""
    first: list[float] = []
    filled: list[float] = []
    before = ""
    for key in KEYS:
        since = len(terminal.frames)
        pressed = terminal.press(key)

        def moved(text: str, before: str = before) -> bool:
            found = _CURSOR.search(text)
            return found is not None and found[1] != before

        def has_text(text: str, before: str = before) -> bool:
            found = _CURSOR.search(text)
            return found is not None and found[1] != before and found[2].startswith(_ROLES)

        first.append(1e3 * (terminal.until(moved, since=since, seconds=10) - pressed))
        filled.append(1e3 * (terminal.until(has_text, since=since, seconds=10) - pressed))
        found = next(found for _, text in reversed(terminal.frames) if (found := _CURSOR.search(text)))
        before = found[1]
        terminal.quiet(0.004, 0.05)
    return first, filled


def _knob(context: Context) -> list[Figure]:
    """Turns of the first knob of the tune pane, from the key to the last byte of the answer."""
    with _opened(context, LONG, context.shape.long) as (terminal, _):
        terminal.quiet(1.5, 120.0)
        terminal.press("t")
        terminal.quiet(0.6, 10.0)
        taken: list[float] = []
        for number in range(40):
            pressed = terminal.press(RIGHT if number < 20 else LEFT)
            last = terminal.quiet(0.15, 2.0)
            if last == 0.0:
                raise TimedOut("a knob was turned and nothing was drawn")
            taken.append(1e3 * (last - pressed))
    note = f"to the last byte drawn; p95 {p95(taken):.0f} ms, {len(taken)} turns"
    return [
        Figure(f"terminal: a knob turned, {context.shape.long:,} messages", middle(taken), "ms", 16, note)
    ]


def _in_tmux(context: Context) -> list[Figure]:
    figures = []
    last = last_title(context)
    shape = context.shape
    for title, length, target in ((LONG, shape.long, 100), (LONGEST, shape.longest, 300)):
        row = _row(context, title)
        taken: list[float] = []
        for _ in range(max(2, context.runs // 2)):
            with (
                fresh_environment() as (environment, folder),
                Tmux(context.command, environment, folder) as tmux,
            ):
                tmux.until(lambda text: last in text)
                time.sleep(0.3)
                for _ in range(row):
                    tmux.press("Down")
                time.sleep(0.1)
                pressed = tmux.press("Enter")
                wanted = re.compile(rf"{length - 1} +as\S+ .{{0,60}}{LAST_WORDS[:24]}")
                taken.append(1e3 * (tmux.until(wanted.search) - pressed))
        name = f"tmux: opening {length:,} messages"
        figures.append(Figure(name, middle(taken), "ms", target, spread(taken)))
    return figures
