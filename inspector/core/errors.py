"""Errors for the user. Each message is a sentence: the problem, its place, the remedy.

InspectorError                 exit code 1: something the user must fix
├── StoreError                 a database that cannot be read
│   ├── StoreMissing           the file does not exist
│   ├── NotAStore              a file or directory without sessions of a known agent
│   ├── StoreDamaged           corrupt pages, an incomplete write-ahead log
│   └── StoreBusy              locked by another process, or not readable for this user
├── UnknownConversation        no conversation has that name
│   └── SeveralConversations   several conversations have it
├── OutputProblem              a file that cannot or must not be written
├── BadInput                   a file of messages or settings that cannot be used
├── EngineError                an engine (a plug-in, for example) that failed
├── NoVocabulary               tokens cannot be counted exactly
├── AttemptError               a summary that could not be written
│   ├── NotAllowed             the user did not allow sending it
│   ├── SummarizerFailed       the command or the endpoint gave no summary
│   └── SummarizerCut          the summary is incomplete; `text` is its beginning
├── UsageProblem               exit code 2: a setting, an option or a number out of its range (compaction 9 of 4)
├── CheckFailed                exit code 3: a condition of `check` is met
└── Interrupted                exit code 130: the user interrupted the work

Any other exception is a fault of the program. The user sees a sentence, and the exit code is 70.
"""

from __future__ import annotations

#: The environment variable that asks for the traceback of a fault of the program.
DETAILS = "COMPACTION_INSPECTOR_DEBUG"
#: The exit code of a fault of the program.
FAULT = 70


class InspectorError(Exception):
    """A problem that the user must fix. `str(error)` is the whole sentence."""

    exit_code = 1


class StoreError(InspectorError):
    """A database that cannot be read."""


class StoreMissing(StoreError):
    """The file does not exist."""


class NotAStore(StoreError):
    """The path is not a session database."""


class StoreDamaged(StoreError):
    """The database is corrupt, or cannot be read without its write-ahead log."""


class StoreBusy(StoreError):
    """The database is locked by another process, or this user may not read it."""


class UnknownConversation(InspectorError):
    """No conversation has that id, prefix or title."""


class SeveralConversations(UnknownConversation):
    """Several conversations have that id, prefix or title."""


class BadInput(InspectorError):
    """A file of messages or settings cannot be used."""


class OutputProblem(InspectorError):
    """A file cannot or must not be written."""


class EngineError(InspectorError):
    """A context engine failed; the sentence names the engine."""


class NoVocabulary(InspectorError):
    """Tokens cannot be counted exactly; the sentence says why and what to do."""


class AttemptError(InspectorError):
    """A summary could not be written."""


class NotAllowed(AttemptError):
    """A text would leave the machine, or go to a command, without the user's permission."""


class SummarizerFailed(AttemptError):
    """A command or an endpoint gave no summary; the sentence quotes its error."""


class SummarizerCut(AttemptError):
    """A command or an endpoint gave an incomplete summary."""

    def __init__(self, sentence: str, text: str) -> None:
        super().__init__(sentence)
        self.text = text


class UsageProblem(InspectorError):
    """A setting or option is out of its range."""

    exit_code = 2


class CheckFailed(InspectorError):
    """A condition of `check` is met; the sentence names the condition."""

    exit_code = 3


class Interrupted(InspectorError):
    """The user interrupted the work; the sentence lists what was finished."""

    exit_code = 130
