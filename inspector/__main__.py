"""Start the program: the app at once if only a database and a conversation are named, else a command."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from inspector.commands import COMMANDS
from inspector.commands.ending import finish

#: The variable of click's completion.
_COMPLETION = "_COMPACTION_INSPECTOR_COMPLETE"


def main() -> NoReturn:
    """Run the program with the words of the command line."""
    words = sys.argv[1:]
    # A shell asks for completions with a variable.
    if _COMPLETION not in os.environ and opens_the_app(words):
        finish(lambda: _open(words))
    from inspector.commands.cli import main as run_command

    run_command(words)


def opens_the_app(words: Sequence[str]) -> bool:
    """Whether the words are nothing but `[PATH] [CONVERSATION]`: the app then opens without reading options."""
    return not any(word.startswith("-") for word in words) and (not words or words[0] not in COMMANDS)


def _open(words: Sequence[str]) -> int:
    from inspector.commands.opening import open_app

    open_app(words)
    return 0


# The processes of a sweep import this module too.
if __name__ == "__main__":
    main()
