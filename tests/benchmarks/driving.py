"""Drive the programs with keys in a pseudo-terminal, in turn, so that other load of the machine affects all equally."""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence

from tests.benchmarks.context import Context
from tests.benchmarks.figures import Figure, compared
from tests.benchmarks.generator import LAST_WORDS, LONG, LONGEST
from tests.benchmarks.programs import (
    DOWN,
    END,
    ENTER,
    HOME,
    LEFT,
    PAGE_DOWN,
    PAGE_UP,
    RIGHT,
    UP,
    Program,
    places,
    programs,
)
from tests.benchmarks.terminal import Terminal, TimedOut

#: The row under the cursor.
_CURSOR = re.compile(r"› *(\d+|sys) +(\S+)")
#: The first knob, under the cursor of the knobs.
_KNOB = re.compile(r"› threshold")
_KEYS = (*[UP] * 30, *[PAGE_UP] * 30, *[DOWN] * 40, *[PAGE_DOWN] * 20, HOME, *[DOWN] * 30, END, *[UP] * 30)
_TURNS = 12
#: Seconds before a conversation is opened: after a look at the list, or at once.
_AFTER_A_LOOK, _AT_ONCE = 2.0, 0.3
#: Measured values by program, in ms (MB for memory).
Taken = Mapping[str, list[float]]


def measure_start(context: Context) -> list[Figure]:
    """Measure the time from the start of the process to its first full frame, and to the answer to a key."""
    first, key = defaultdict[str, list[float]](list), defaultdict[str, list[float]](list)
    memory = defaultdict[str, list[float]](list)
    turns = programs(context)
    for _ in range(context.runs):
        for program in turns:
            with program.started() as terminal:
                first[program.name].append(1e3 * (time.perf_counter() - terminal.started))
                if not program.bare:
                    since = len(terminal.frames)
                    terminal.press("j")
                    answered = terminal.until(lambda text: "›" in text, since=since)
                    key[program.name].append(1e3 * (answered - terminal.started))
                memory[program.name].append(terminal.peak_megabytes())
    key["bare"] = first["bare"]
    return [
        compared("start: the list filled", first, 1.3),
        compared("start: the first key is answered", key),
        compared("memory: the list filled", memory, unit="MB"),
    ]


def measure(context: Context) -> list[Figure]:
    """Measure opening, scrolling and turning a knob, and the memory for it."""
    opened = {LONG: defaultdict[str, list[float]](list), LONGEST: defaultdict[str, list[float]](list)}
    at_once, busy, rest, steps, knob, memory = (defaultdict[str, list[float]](list) for _ in range(6))
    turns = programs(context)
    for _ in range(max(2, context.runs // 2)):
        for program in turns:
            with _opened(context, program, LONGEST, opened[LONGEST]) as terminal:
                busy[program.name] += _press_all(terminal, _KEYS)
                memory[program.name].append(terminal.peak_megabytes())
        for program in turns:
            with _opened(context, program, LONG, opened[LONG]) as terminal:
                terminal.quiet(1.5, 240.0)
                rest[program.name] += _press_all(terminal, _KEYS)
                if not program.bare:
                    knob[program.name] += _turn(terminal, program)
        for program in turns[1:]:
            with _opened(context, program, LONG, at_once, _AT_ONCE) as terminal:
                terminal.quiet(1.5, 240.0)
                steps[program.name] += _step(terminal)
    # A knob's frame is compared with the frame that a key in the list makes.
    knob["bare"] = steps["bare"] = rest["bare"]
    # The bare app does nothing after its first frame.
    at_once["bare"] = opened[LONG]["bare"]
    long, longest = context.shape.long, context.shape.longest
    return [
        compared(f"opening {long:,} messages", opened[LONG], 2.0),
        compared(f"opening {longest:,} messages", opened[LONGEST]),
        compared(f"opening {long:,} messages {_AT_ONCE:g} s after the first frame", at_once),
        compared(f"key to frame, {long:,} messages, at rest", rest, 1.5, by_p95=True),
        compared(f"key to frame, {longest:,} messages, while reading", busy, by_p95=True),
        compared(f"knob to frame, {long:,} messages", knob, 1.5, by_p95=True),
        compared(f"replay step to frame, {long:,} messages", steps, 1.5, by_p95=True),
        compared("memory: opened and scrolled", memory, max_value=150, unit="MB"),
    ]


class _opened:
    """A program that opens a conversation after `after` seconds. The duration in ms is added to `taken`."""

    def __init__(
        self, context: Context, program: Program, title: str, taken: Taken, after: float = _AFTER_A_LOOK
    ) -> None:
        self._row, session = places(context)[title]
        self._program, self._taken, self._after = program, taken, after
        self._length = context.shape.long if title == LONG else context.shape.longest
        self._started = program.started(session)

    def __enter__(self) -> Terminal:
        terminal = self._started.__enter__()
        terminal.until(lambda text: True)
        time.sleep(self._after)
        terminal.quiet(0.02, 0.3)
        if not self._program.bare:
            for _ in range(self._row):
                since = len(terminal.frames)
                terminal.press(DOWN)
                terminal.until(lambda text: "›" in text, since=since)
        since = len(terminal.frames)
        pressed = terminal.press(ENTER)
        wanted = re.compile(rf"{self._length - 1} +as\S+ .{{0,60}}{LAST_WORDS[:24]}")
        shown = terminal.until(wanted.search, since=since)
        self._taken[self._program.name].append(1e3 * (shown - pressed))
        return terminal

    def __exit__(self, *error: object) -> None:
        self._started.__exit__(None, None, None)


def _press_all(terminal: Terminal, keys: Sequence[str]) -> list[float]:
    """Return the ms from each key to the frame with the moved cursor."""
    taken: list[float] = []
    before = ""
    for key in keys:
        since = len(terminal.frames)
        pressed = terminal.press(key)

        def moved(text: str, before: str = before) -> bool:
            row = _CURSOR.search(text)
            return row is not None and row[1] != before

        taken.append(1e3 * (terminal.until(moved, since=since, seconds=10) - pressed))
        before = next(row for _, text in reversed(terminal.frames) if (row := _CURSOR.search(text)))[1]
        terminal.quiet(0.004, 0.05)
    return taken


def _step(terminal: Terminal) -> list[float]:
    """Return the ms from each step back in time to the next frame.

    The first step reads the conversation for the replay, so it does not count.
    """
    terminal.press(LEFT)
    terminal.quiet(0.6, 30.0)
    taken: list[float] = []
    for _ in range(_TURNS):
        since = len(terminal.frames)
        pressed = terminal.press(LEFT)
        taken.append(1e3 * (terminal.until(bool, since=since, seconds=10) - pressed))
        # Panes update when no key is pressed for a while.
        terminal.quiet(0.2, 10.0)
    return taken


def _turn(terminal: Terminal, program: Program) -> list[float]:
    """Return the ms from each turn of the first knob to the first frame that redraws the knob."""
    since = len(terminal.frames)
    terminal.press(program.knobs)
    try:
        terminal.until(_KNOB.search, since=since, seconds=30)
    except TimedOut as error:
        raise TimedOut(f"{program.name}: no knob after the keys {program.knobs!r}; {error}") from None
    terminal.quiet(0.6, 30.0)
    taken: list[float] = []
    for number in range(2 * _TURNS):
        since = len(terminal.frames)
        pressed = terminal.press(RIGHT if number < _TURNS else LEFT)
        taken.append(1e3 * (terminal.until(_KNOB.search, since=since, seconds=10) - pressed))
        terminal.quiet(0.15, 10.0)
    return taken
