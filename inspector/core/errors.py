"""The errors a user can meet, each a sentence: what is wrong, where, what to do.

InspectorError                 exit code 1: something the user must mend
├── StoreError                 a database that cannot be read
│   ├── StoreMissing           no such file
│   ├── NotAStore              a directory, an empty file, not SQLite, no Hermes tables
│   ├── StoreDamaged           corrupt pages, half a write-ahead log
│   └── StoreBusy              locked, or no permission
├── UnknownConversation        no conversation of that name, or more than one
├── OutputProblem          a file that a report may not be, or cannot be, written to
├── BadInput                   a file of messages or a settings file that cannot be used
├── EngineError                an engine (a plugin, say) that failed
├── AttemptError               a summary that could not be made again
│   ├── NotAllowed             it would have been sent without having been allowed
│   ├── SummarizerFailed       the command or the endpoint gave no summary
│   └── SummarizerCut          it ended in the middle of one; `text` is what had come
├── UsageProblem               exit code 2: a setting or option out of its range
├── CheckFailed                exit code 3: a condition of `check` is met
└── Interrupted                exit code 130: the user interrupted what was going on

Any other exception is a fault of the program: a sentence and exit code 70.
"""

from __future__ import annotations

#: The environment variable that asks for the traceback of a fault of the program.
DETAILS = "COMPACTION_INSPECTOR_DEBUG"
#: The exit code of a fault of the program.
FAULT = 70


class InspectorError(Exception):
    """Something the user must mend. `str(error)` is the whole sentence for them."""

    exit_code = 1


class StoreError(InspectorError):
    """A database that cannot be read."""


class StoreMissing(StoreError):
    """There is no file at that path."""


class NotAStore(StoreError):
    """The path holds something that is no session database."""


class StoreDamaged(StoreError):
    """The database is corrupt, or cannot be read without its write-ahead log."""


class StoreBusy(StoreError):
    """The database is locked by another process, or this user may not read it."""


class UnknownConversation(InspectorError):
    """No conversation has that id, prefix or title, or more than one has it."""


class BadInput(InspectorError):
    """A file of messages or of settings cannot be used."""


class OutputProblem(InspectorError):
    """A file cannot be written, or may not be."""


class EngineError(InspectorError):
    """A context engine failed; the sentence names it."""


class AttemptError(InspectorError):
    """A summary could not be made again."""


class NotAllowed(AttemptError):
    """Something would have left the machine, or been given to a command, that nobody allowed."""


class SummarizerFailed(AttemptError):
    """A command or an endpoint gave no summary; the sentence says what it said."""


class SummarizerCut(AttemptError):
    """A command or an endpoint ended in the middle of a summary."""

    def __init__(self, sentence: str, text: str) -> None:
        super().__init__(sentence)
        self.text = text


class UsageProblem(InspectorError):
    """A setting or option is out of its range."""

    exit_code = 2


class CheckFailed(InspectorError):
    """A condition of `check` is met; the sentence names it."""

    exit_code = 3


class Interrupted(InspectorError):
    """The user interrupted the work; the sentence says what of it was done."""

    exit_code = 130
