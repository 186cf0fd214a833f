"""End a run of the program: the exit code, and the sentence about an error."""

from __future__ import annotations

import io
import os
import sys
import traceback
from collections.abc import Callable
from typing import NoReturn

from inspector.commands import COMMANDS
from inspector.core.errors import DETAILS, FAULT, InspectorError
from inspector.core.interrupts import handle_interrupts
from inspector.core.text import safe

#: Exit code of click for wrong arguments.
_BAD_USAGE = 2
#: Minimum likeness of a word and the name of a command, as difflib counts it.
_LIKENESS = 0.75
#: Characters of a fault's reason that are shown.
_LONGEST_REASON = 300


def finish(run: Callable[[], int]) -> NoReturn:
    """Run the program and leave it with the exit code that `run` returns.

    Other exit codes: that of an InspectorError, 1 if the answer could not be written, 130 if the user interrupted the
    run, FAULT for any other exception.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # An encoding without a character loses this character, not the answer.
            stream.reconfigure(errors="replace")
    handle_interrupts()
    try:
        code = run()
        if code == _BAD_USAGE:
            _name_command()
    except InspectorError as error:
        from inspector.config.folders import with_urls

        say(safe(with_urls(str(error))))
        _name_command()
        code = error.exit_code
    except KeyboardInterrupt:
        code = interrupted()
    except (BrokenPipeError, SystemExit):
        # The reader (head, less) ended. This is not an error, although click and rich exit with 1.
        code = 0
    except OSError as error:
        code = _unwritten(error)
    except Exception as error:  # noqa: BLE001 (a fault of the program itself)
        code = _broken(error)
    sys.exit(_flushed(code))


def _name_command() -> None:
    """Name the command that the first word of a failed command line may be a typo of."""
    from difflib import get_close_matches

    first = next(iter(sys.argv[1:]), "")
    meant = get_close_matches(first, COMMANDS, 1, _LIKENESS)
    if meant and first not in COMMANDS:
        say(f"Did you mean the command {meant[0]}?")


def _broken(error: Exception) -> int:
    """Say that a fault of the program ended the run, with its traceback if the user asked for details."""
    if os.environ.get(DETAILS):
        traceback.print_exception(error)
    reason = safe(f"{type(error).__name__}: {error}".rstrip(": ."))[:_LONGEST_REASON]
    say(
        f"The program failed ({reason}). This is a fault of the program; the sessions were only read. Set "
        f"{DETAILS}=1 and run it again to see where it failed."
    )
    return FAULT


def interrupted() -> int:
    """Say that the user interrupted the run, and return the exit code."""
    say("interrupted.")
    return 130


def say(sentence: str) -> None:
    """Write a sentence to standard error, after the program's name."""
    print(f"compaction-inspector: {sentence}", file=sys.stderr, flush=True)


def _flushed(code: int) -> int:
    """Flush the output and return the exit code."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        _drop_output()
    except OSError as error:
        return _unwritten(error)
    return code


def _unwritten(error: OSError) -> int:
    """Say that the answer could not be written, and return exit code 1."""
    say(f"The answer could not be written: {error.strerror or error}.")
    _drop_output()
    return 1


def _drop_output() -> None:
    """Discard the rest of the buffer, so that Python does not try to write it when it ends."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
