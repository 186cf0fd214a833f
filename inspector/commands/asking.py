"""A command's question: the store, the conversations and the settings that it names, and how its answer is printed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from inspector.commands.completing import path_argument, words_argument
from inspector.commands.options import (
    CONVERSATION_HELP,
    PATH_HELP,
    Option,
    demo_option,
    is_plain,
    json_option,
    plain_option,
    print_answer,
    print_notes,
    together,
)
from inspector.commands.sources import (
    flags_of,
    only_one,
    open_source,
    path_or_name,
    refuse_second_path,
    split_path,
)
from inspector.core.errors import (
    InspectorError,
    Interrupted,
    SeveralConversations,
    StoreError,
    UnknownConversation,
    UsageProblem,
)
from inspector.core.shares import plural
from inspector.core.text import distinct_titles, safe_line
from inspector.engines.settings import RANGES, SETTINGS, check_range

if TYPE_CHECKING:
    from inspector.answers.answers import Answers
    from inspector.answers.inspection import Inspection
    from inspector.answers.scheduling import Progress
    from inspector.config.settings import ResolvedSettings
    from inspector.core.conversations import ConversationRow
    from inspector.export.masking import DocumentMasker

T = TypeVar("T")
NAME_IT = (
    "Name a conversation by a session id, a unique prefix of an id, or its title: compaction-inspector COMMAND "
    "[PATH] CONVERSATION. It may be left out if a store has one conversation."
)


class ShownProgress:
    """Shows how many conversations are done in one line of standard error, if it is a terminal."""

    def __init__(self) -> None:
        self.last: Progress | None = None

    def __call__(self, progress: Progress) -> None:
        self.last = progress
        if sys.stderr is not None and sys.stderr.isatty() and progress.total > 1:
            end = "\r" if progress.done < progress.total else "\n"
            click.echo(f"{progress.text:<60}{end}", nl=False, err=True)


class Asked:
    """The shared options of a command.

    `masking` is None if the command has no --no-mask. `words` are the arguments of the command. The methods that
    return answers open the store. A setting out of its range raises UsageProblem.
    """

    def __init__(
        self, words: tuple[str, ...] = (), path: str | None = None, demo: bool = False, as_json: bool = False,
        config: Path | None = None, no_mask: bool | None = None, scheduler: str | None = None, **settings: Any,
    ) -> None:  # fmt: skip
        self.words, self.path, self.demo, self.as_json = words, path, demo, as_json
        self.config, self.flags = config, flags_of(settings)
        for name, value in self.flags.items():
            # A sweep has ranges of values, as text.
            if name in RANGES and not isinstance(value, str):
                check_range(name, value, SETTINGS[name].flag)
        self.masking = None if no_mask is None else not no_mask
        self.progress = ShownProgress()
        self._scheduler = scheduler
        self._masker: DocumentMasker | None = None
        #: Whether the command is about all sessions of the store.
        self._about_all = True

    def several(self, problem: str = "") -> tuple[Answers, tuple[str, ...]]:
        """Open the store of `[PATH] ...`, and return the other words.

        If `problem` is given, another word is required. Without one, UsageProblem is raised with this sentence.
        """
        # With --demo, a single required word is not a PATH, also if it looks like a path.
        alone = self.demo and bool(problem) and len(self.words) == 1
        self.path, others = (None, self.words) if alone else split_path(self.words)
        if problem and not "".join(others).strip():
            raise UsageProblem(problem)
        if not problem:
            refuse_second_path(self.path, others)
            self._about_all = not others
            return self._with(others), others
        return self.whole(), others

    def one_or_all(self) -> tuple[Answers, str | None]:
        """Open the store of `[PATH] [CONVERSATION]`, and return the name, None for all conversations."""
        self.path, name = path_or_name(self.words, self.demo)
        self._about_all = name is None
        return self._with(() if name is None else (name,)), name

    def one(self, problem: str = NAME_IT) -> tuple[Answers, str]:
        """Open the store of `[PATH] CONVERSATION`. The name may be left out if a store has one conversation.

        Raises UsageProblem with the sentence `problem` if no conversation is named.
        """
        self.path, name = path_or_name(self.words, self.demo)
        if name is None:
            name = only_one(self.path, self.demo)
        if name is None:
            raise UsageProblem(problem)
        self._about_all = False
        return self._with((name,)), name

    def opened(self) -> tuple[Answers, Inspection, ResolvedSettings]:
        """Open `[PATH] CONVERSATION` with the settings in force for it."""
        answers, name = self.one()
        return answers, *answers.opened(name)

    def _with(self, names: Sequence[str]) -> Answers:
        """Open the store for some conversations. Without PATH, a name may be meant as a file: the errors say so."""
        answers = self.whole(next(iter(names), None))
        for name in names if self.path is None and not self.demo else ():
            try:
                answers.store.resolve(name)
            except SeveralConversations:
                pass
            except UnknownConversation as error:
                raise UnknownConversation(f"{error} There is no file {name!r} either.") from None
        return answers

    def whole(self, name: str | None = None) -> Answers:
        """Open the store of PATH. `name` is CONVERSATION."""
        from inspector.answers.answers import Answers
        from inspector.answers.scheduling import Scheduling

        scheduling = None if self._scheduler is None else Scheduling(self._scheduler, watch=self.progress)
        self.answers = Answers(open_source(self.path, self.demo, name), self.flags, self.config, scheduling)
        return self.answers

    @contextmanager
    def interrupts(self) -> Iterator[None]:
        """Turn an interrupt into a sentence: the results of finished conversations are kept."""
        try:
            yield
        except KeyboardInterrupt:
            last = self.progress.last
            if last is None or not last.done:
                raise
            done = f"{last.done:,} of {last.total:,} conversations"
            raise Interrupted(
                f"interrupted; the results of {done} are kept, and the next run continues there."
            ) from None

    def kept(
        self, question: str, make: Callable[[str], Any], *options: Any, kind: Any = Any
    ) -> Callable[[str], Any]:
        """Return a function that takes a conversation's name and returns `make(name)`. Its results are kept between
        runs; `kind` is their type."""
        from inspector.answers.kept_results import kept_answer

        return lambda name: kept_answer(self.answers, name, question, lambda: make(name), *options, kind=kind)

    def print(
        self, answer: T, print_text: Callable[[T], None], document_of: Callable[[T], Any] | None = None
    ) -> None:
        """Print an answer, then the notes, and raise as `raise_unread` does. `document_of` returns its document;
        without it, the document has the fields of the answer."""

        def document(answer: T) -> Any:
            from inspector.export.document import built

            return self._masked((document_of or built)(answer))

        print_answer(answer, self.as_json, lambda answer: print_text(self._masked(answer)), document)
        self.end()

    def print_each(
        self,
        name: str | None,
        ask: Callable[[str], T],
        print_text: Callable[[T], None],
        document_of: Callable[[T], Any] = lambda answer: answer,
    ) -> None:
        """Print the answer of `ask` for the conversation `name`, or for all conversations if it is None.

        JSON of all conversations is one list whose entries have their `conversation`. Text has titles.
        """
        if name is not None:
            self.print(ask(name), print_text, document_of)
            return
        if self.as_json or is_plain():
            print_answer(list(self._entries(ask, document_of)), self.as_json, print)
        else:
            from inspector.answers.answers import NO_CONVERSATIONS

            rows = self.answers.store.conversations()
            if not rows:
                click.echo(NO_CONVERSATIONS)
            names = distinct_titles({row.id: safe_line(row.title) for row in rows})
            for number, (row, answer) in enumerate(self._each(rows, ask)):
                click.echo(("\n" if number else "") + names[row.id])
                print_text(self._masked(answer))
        self.end()

    def end(self) -> None:
        """Print the notes, and raise as `raise_unread` does."""
        print_notes([*self.answers.notes(), *(self._masker.notes if self._masker else ())])
        self.raise_unread()

    def raise_unread(self) -> None:
        """Raise InspectorError if conversations are left out."""
        raise_unread(self.answers, about_all=self._about_all)

    def _each(
        self, rows: Iterable[ConversationRow], ask: Callable[[str], T]
    ) -> Iterator[tuple[ConversationRow, T]]:
        """Yield conversations with their answers. One that cannot be read is named at the end and left out."""
        from inspector.answers.answers import about

        for row in rows:
            try:
                answer = ask(row.id)
            except StoreError as error:
                self.answers.unread.append(about(row, str(error)))
            else:
                yield row, answer

    def _entries(self, ask: Callable[[str], T], document_of: Callable[[T], Any]) -> Iterator[Any]:
        for row, answer in self._each(self.answers.rows(), ask):
            document = self._masked(document_of(answer))
            if isinstance(document, list):
                yield from ({"conversation": row.id, **entry} for entry in document)
            else:
                yield document

    def _masked(self, document: Any) -> Any:
        if self.masking is None:
            return document
        if self._masker is None:
            from inspector.export.masking import DocumentMasker

            self._masker = DocumentMasker(self.masking)
        return self._masker(document)


def raise_unread(*asked: Answers, named: bool = False, about_all: bool = False) -> None:
    """Raise InspectorError with the conversations that could not be read; nothing without one.

    `named`: the answer names them already, so only their number is shown. `about_all`: the answer is about all sessions
    of the stores, so it also lacks those in unreadable files, which the notes name.
    """
    unread = [sentence for answers in asked for sentence in answers.unread]
    if unread:
        left_out = plural(len(unread), "conversation is", "conversations are")
        sentences = [] if named else unread
        raise InspectorError("\n".join([*sentences, f"The answer is incomplete: {left_out} left out."]))
    if about_all and any(answers.store.left_out for answers in asked):
        raise InspectorError("The answer is incomplete: sessions that cannot be read are left out.")


#: Options that a command gets as one value.
_SHARED = frozenset({"words", "path", "demo", "as_json", "config", "no_mask", "scheduler", *SETTINGS})


def asks(command: Callable[..., None]) -> Callable[..., None]:
    """Pass the shared options to a command as its first argument, an `Asked`."""

    @wraps(command)
    def run(**given: Any) -> None:
        options = {name: value for name, value in given.items() if name not in _SHARED}
        command(Asked(**{name: value for name, value in given.items() if name in _SHARED}), **options)

    return run


def command(words: str, name: str | None = None, covers_all: bool = False) -> Option:
    """Return the decorator of a command with `words` such as "[PATH] [CONVERSATION]", or "[PATH]" alone.

    `covers_all` says whether the command without CONVERSATION covers all conversations.
    """
    argument = path_argument if words == "[PATH]" else words_argument(words)
    needs_one = words == "[PATH] [CONVERSATION]" and not covers_all
    declared: Option = click.command(
        name, epilog=f"{PATH_HELP} {CONVERSATION_HELP}" if needs_one else PATH_HELP
    )
    return together(declared, argument)


def shared_options(*more: Option) -> Option:
    """Return the decorator that adds `more` options, --json, --demo and --plain. The command gets an `Asked`."""
    return together(*more, json_option, demo_option, plain_option, asks)
