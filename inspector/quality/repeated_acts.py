"""Acts that the agent repeats after the earlier acts left its list, and acts against rules of the user."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter

from msgspec.structs import replace

from inspector.core.text import safe_title
from inspector.quality.act import OPENS, Act, ActKind, is_named, is_path
from inspector.quality.aftermath import MAX_TEXT, AftermathEvent, AftermathKind, Step, place_of
from inspector.quality.facts.fact import KEPT, Fact
from inspector.quality.facts.languages import language_of
from inspector.quality.facts.rules import load_stemmer
from inspector.quality.harmed_facts import HarmedFacts
from inspector.quality.repeated_files import Before, FileActs, in_list, in_one_folder, left_file
from inspector.quality.shell_acts import simple_commands

#: The kind of event of an act that is done again.
_AGAIN: Mapping[str, AftermathKind] = {
    "read": "read again", "fetch": "fetched again", "run": "ran again", "install": "ran again", "call": "ran again",
    "fail": "failed again",
}  # fmt: skip
#: The kind of event of an act that says that something is gone.
_SAID: Mapping[str, AftermathKind] = {"complain": "forgot", "remind": "told before", "admit": "admitted"}
#: Minimum content words that two questions share, and minimum overlap with the longer question.
MIN_QUESTION_WORDS = 3
MIN_QUESTION_OVERLAP = 0.6
#: Minimum runs of a routine command in one list, such as tests, builds and polling.
ROUTINE_RUNS = 3
#: Minimum uses of a word in one list that make it a part of a form of asking.
_FORM_USES = 3

#: Matches a question for approval. Each one is about something new.
_APPROVAL = re.compile(
    r"\b(?:proceed|go ahead|(?:looks?|feels?|sounds?) (?:good|right|ok)|shall i|should i|want me to|like me to"
    r"|ready to|work(?:s)? better|better now)\b",
    re.I,
)
#: Programs whose second run does not count.
_TRIVIAL = frozenset({
    "ls", "pwd", "cd", "echo", "date", "whoami", "which", "true", "false", "sleep", "kill", "pkill", "ps", "clear",
    "export", "mkdir", "touch", "chmod", "printf", "exit", "set", "source", "wait", "cat", "head", "tail",
})  # fmt: skip
#: Programs that only read.
_LOOKING = frozenset({
    "grep", "egrep", "rg", "ag", "find", "fd", "awk", "jq", "wc", "tree", "du", "stat", "strings", "diff", "xxd",
})  # fmt: skip
_GIT_LOOKING = frozenset({"show", "blame", "grep"})
#: Matches a command that copies a repository of another machine.
_CLONES = re.compile(r"\bgit clone\b|\bgh repo clone\b")
#: Options that make a program print only about itself.
_ABOUT_ITSELF = frozenset({"--help", "--version"})
#: Options that make find run a command.
_RUNS_COMMAND = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
#: Programs that only read, whose first argument is a file.
_WITHOUT_PATTERN = frozenset({"find", "wc", "tree", "du", "stat", "strings", "diff", "xxd"})
#: Matches a command that changes files without naming them.
_CHANGES = re.compile(
    r"\bgit (?:-\S+ \S+ )?(?:fetch|pull|merge|rebase|checkout|switch|reset|stash|cherry-pick|revert|apply|am|restore"
    r"|clean)\b"
    r"|\b(?:npm|pnpm|yarn|bun|pip3?|uv|poetry|cargo|go|gem|apt|apt-get|brew|composer)"
    r" (?:install|i|add|get|sync|update|ci)\b",
    re.I,
)
#: Kinds of acts on files.
_ON_FILES = ("read", "write", "attach")
#: Stems that are common to all questions.
_QUESTION_WORDS = frozenset({"continu", "els", "help", "make", "sure", "next", "thing"})


def repeated_acts(steps: Iterable[Step], harmed: HarmedFacts) -> Iterator[AftermathEvent]:
    """Yield repeated acts whose earlier acts left the list, and acts against rules that it lost or still has."""
    history, questions = _History(), _AskedQuestions()
    for step in steps:
        opens = any(act.kind in OPENS for act in step.acts)
        # A page that a command gets may be what the agent works on.
        command = next((act for act in step.acts if act.kind == "run"), None)
        ran_again = False
        if step.generation > 1:
            yield from _against_rules(step, harmed)
        for act in step.acts:
            if (said := _SAID.get(act.kind)) is not None:
                if step.generation > 1:
                    yield _event(said, step, act, None, None)
                continue
            if act.kind == "ask":
                if (asked_before := questions.add(step, act.text)) is not None:
                    yield _event("asked again", step, act, Before(asked_before, "ask"), None)
                continue
            history.note_change(step, act)
            kind = _AGAIN.get(act.kind)
            # The files and pages that a command opens stand for the command.
            if (
                kind is not None
                and step.generation > 1
                and not (kind == "ran again" and (opens or ran_again))
            ):
                before = history.before(step, act, kind, command)
                if before is not None:
                    ran_again = ran_again or kind == "ran again"
                    about = harmed.about([act.key, act.text], step, before.step.left)
                    yield _event(kind, step, act, before, about)
            history.add(step, act)


class _History:
    """The acts before a step: acts on files, changes of files, runs of commands, and others by kind and key."""

    def __init__(self) -> None:
        self._files = FileActs()
        self._others: dict[tuple[str, str], list[tuple[Step, Act]]] = defaultdict(list)
        #: The paths of changed files with the step of the change; "" for an unknown path.
        self._changes: list[tuple[int, str]] = []
        self._runs: Counter[tuple[int, str]] = Counter()

    def note_change(self, step: Step, act: Act) -> None:
        """Note an act that changes files."""
        if act.kind == "write":
            self._changes.append((step.step, act.key))
        elif act.kind == "run" and _changes_files(act.key):
            self._changes.append((step.step, ""))

    def before(self, step: Step, act: Act, kind: AftermathKind, command: Act | None) -> Before | None:
        """Return the earlier step that an act repeats, if it has left the list. `command` is run in the same step."""
        if act.kind in _ON_FILES:
            before = left_file(step, act, self._files.about(act))
        else:
            before = _left(step, act, self._others[act.kind, act.key])
        if before is None:
            return None
        if act.kind == "install":
            return None if any(done.kind == "fail" for done in before.step.acts) else before
        changed = [path for at, path in self._changes if at > before.step.step]
        if act.kind == "call":
            routine = self._runs[before.step.generation, act.key] >= ROUTINE_RUNS
            return None if routine or (changed and not _printed_same(act, before.step)) else before
        if command is not None and kind in ("fetched again", "ran again"):
            if act.kind == "fetch" and _CLONES.search(command.key):
                # A clone is of another machine.
                changed = []
            if not _worth_comparing(command, self._runs, before.step, changed):
                return None
        if kind == "failed again" and _opened_since(before.step, act, self._files):
            return None
        return before

    def add(self, step: Step, act: Act) -> None:
        """Add the next act."""
        if act.kind in ("run", "call"):
            self._runs[step.generation, act.key] += 1
        if act.kind in _ON_FILES:
            kind: ActKind = "write" if act.kind == "write" else "read"
            self._files.add(step, replace(act, kind=kind, content=""))
        else:
            self._others[act.kind, act.key].append((step, replace(act, content="")))


def _opened_since(before: Step, act: Act, files: FileActs) -> bool:
    """Return whether a file that could not be opened again was there after the earlier failure."""
    name = act.key.partition("\0")[0]
    return is_path(name) and any(
        done.step.step > before.step for done in files.about(Act("read", name, name, folder=act.folder))
    )


def _left(step: Step, act: Act, earlier: Sequence[tuple[Step, Act]]) -> Before | None:
    """Return the last earlier step with the same act, if every such step has left the list."""
    last = None
    for other, done in reversed(earlier):
        if other.step != step.step and act.key == done.key and in_one_folder(act, done):
            if in_list(other, step):
                return None
            last = last or Before(other, done.kind)
    return last


def _worth_comparing(
    act: Act, runs: Mapping[tuple[int, str], int], before: Step, written: Sequence[str]
) -> bool:
    """Return whether a second run counts.

    It is not routine, the first run did not fail, and no file that it may read has changed since. `written` has the
    paths of changed files, "" for an unknown path. A search with the same output of several lines read nothing that
    changed in unknown files. `--help` with the same output is a repetition.
    """
    counted: list[tuple[str, list[str]]] = []
    commands = list(simple_commands(act.key))
    for words in commands:
        name, sub = words[0].rpartition("/")[2], words[1] if len(words) > 1 else ""
        if name not in _TRIVIAL and (name != "git" or sub in _GIT_LOOKING or sub == "clone"):
            counted.append((name, words))
    if not counted or runs.get((before.generation, act.key), 0) >= ROUTINE_RUNS:
        return False
    if any(done.kind == "fail" for done in before.acts):
        return False
    printed_same = _printed_same(act, before)
    if printed_same and all(not _ABOUT_ITSELF.isdisjoint(words) for _, words in counted):
        return True
    looks = all(name in _LOOKING or name == "git" for name, _ in counted)
    if looks and printed_same and len(act.seen) > 1:
        written = list(filter(None, written))
    places = [place for words in commands for place in _searched(words)] if looks else []
    if places:
        return not any(not path or any(place in path for place in places) for path in written)
    return not written


def _printed_same(act: Act, before: Step) -> bool:
    """Return whether an act had the same output, of at least one line, in an earlier step."""
    return any(done.key == act.key and done.seen == act.seen for done in before.acts if act.seen)


def _changes_files(command: str) -> bool:
    """Return whether a command changes files without naming them, not in a text that it searches or prints."""
    if not _CHANGES.search(command):
        return False
    commands = list(simple_commands(command))
    # A line with unbalanced quotes has no commands.
    return not commands or any(
        (words[0].rpartition("/")[2] not in _LOOKING | _TRIVIAL or not _RUNS_COMMAND.isdisjoint(words))
        and _CHANGES.search(" ".join(words))
        for words in commands
    )


def _searched(words: Sequence[str]) -> list[str]:
    """Return the files and folders that a looking command names, without leading dots."""
    named = [word.strip("./") for word in words[1:] if not word.startswith("-")]
    # The first argument is a pattern. Git has a subcommand before it.
    first = 2 if words[0] == "git" else 0 if words[0] in _WITHOUT_PATTERN else 1
    return named[first:]


def _against_rules(step: Step, harmed: HarmedFacts) -> Iterator[AftermathEvent]:
    """Yield an event for each rule, lost or kept, that a step breaks. A command stands for the files it changes."""
    acts = sorted(
        (act for act in step.acts if act.kind in ("write", "read", "run")), key=lambda act: act.kind != "run"
    )
    for rule, act in harmed.broken_rules(step, acts) if acts else ():
        if rule.fate not in KEPT:
            yield _event("against a rule", step, act, None, (rule.fact, rule.fate))
            continue
        event = _event("against a kept rule", step, act, None, (rule.fact, rule.fate))
        stated = max(
            (saying for saying in rule.fact.sayings if saying.step < step.step), key=attrgetter("step")
        )
        yield replace(event, earlier=place_of(stated))


class _AskedQuestions:
    """Earlier questions of the agent, by their content words.

    Only English questions count: in other languages the form of a question has content words. Questions for approval do
    not count either.
    """

    def __init__(self) -> None:
        self._asked: list[tuple[Step, frozenset[str]]] = []
        self._uses: Counter[tuple[int, str]] = Counter()
        #: Words of a form of asking: many questions of one list have them, about any subject.
        self._formal: set[str] = set()

    def add(self, step: Step, question: str) -> Step | None:
        """Add a question. Return the last earlier step with the same question, if every such step has left the list."""
        if _APPROVAL.search(question) or language_of(question) != "en":
            return None
        words = frozenset(load_stemmer().words(question)) - _QUESTION_WORDS
        before = self._before(step, words - self._formal)
        self._asked.append((step, words))
        for word in words:
            self._uses[step.generation, word] += 1
            if self._uses[step.generation, word] >= _FORM_USES:
                self._formal.add(word)
        return before

    def _before(self, step: Step, words: frozenset[str]) -> Step | None:
        last = None
        for other, other_words in reversed(self._asked):
            shared = len(words & other_words)
            if other.step == step.step or shared < MIN_QUESTION_WORDS:
                continue
            if shared < MIN_QUESTION_OVERLAP * max(len(words), len(other_words - self._formal)):
                continue
            if in_list(other, step):
                return None
            last = last or other
        return last


def _event(
    kind: AftermathKind, step: Step, act: Act, before: Before | None, behind: tuple[Fact, str] | None
) -> AftermathEvent:
    """Return the event of an act. `behind` is the harmed fact behind it with its fate."""
    event = AftermathEvent(
        step.generation - 1, kind, place_of(step), None, safe_title(act.text, MAX_TEXT), act.tokens
    )
    if before is not None:
        event = replace(
            event,
            compaction=event.compaction if before.step.left is None else before.step.left,
            earlier=place_of(before.step),
            written=before.kind == "write",
            in_part=not before.covered,
            named=act.kind == "read" and step.asked_at > before.step.step and is_named(act.key, step.asked),
        )
    return event if behind is None else event.about(*behind)
