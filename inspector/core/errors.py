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
├── UsageProblem               exit code 2: a setting or option out of its range
└── Interrupted                exit code 130: the user interrupted what was going on
"""

from __future__ import annotations


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


class UsageProblem(InspectorError):
    """A setting or option is out of its range."""

    exit_code = 2


class Interrupted(InspectorError):
    """The user interrupted the work; the sentence says what of it was done."""

    exit_code = 130
