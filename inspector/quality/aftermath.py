"""Repeated work after compactions, and acts against lost constraints.

An event does not prove that a compaction is its cause. A repeated act counts only if the earlier act has left the list
and the list has no later copy of it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Literal, NamedTuple, get_args

from msgspec import Struct
from msgspec.structs import replace

from inspector.core.messages import Message
from inspector.core.places import Place
from inspector.core.rough import text_tokens
from inspector.core.shares import plural
from inspector.core.text import safe_title
from inspector.quality.acts import (
    SOME_LINES,
    Act,
    acts_of_call,
    covers,
    error_in,
    failure,
    lines_seen,
    marked_error,
    opened,
    output_lines,
    overlap,
    path_ends,
    questions_in,
    same_file,
    simple_commands,
    was_made,
)
from inspector.quality.facts.fact import HARMED, ConversationFacts, Fact, Life, Saying
from inspector.quality.facts.passages import tongue_of
from inspector.quality.facts.rules import load_stemmer
from inspector.quality.limits import CROWDED, FEW
from inspector.quality.prohibitions import Prohibition, prohibitions_of

AftermathKind = Literal[
    "against a rule", "said again", "asked again", "failed again", "read again", "fetched again", "ran again"
]
#: All kinds, the gravest first.
AFTERMATH_KINDS: tuple[AftermathKind, ...] = get_args(AftermathKind)
#: Events of each kind as a singular and a plural noun.
_EVENTS: Mapping[AftermathKind, tuple[str, str]] = {
    "against a rule": ("act against a lost constraint", "acts against a lost constraint"),
    "said again": ("statement repeated", "statements repeated"),
    "asked again": ("question asked again", "questions asked again"),
    "failed again": ("failure repeated", "failures repeated"),
    "read again": ("file reading repeated", "file readings repeated"),
    "fetched again": ("page fetched again", "pages fetched again"),
    "ran again": ("command run again", "commands run again"),
}
#: Kinds of acts that open a file or a page. The acts of one call share its result.
_OPENS = ("read", "fetch")
#: Kinds of statements that hold until the user takes them back. A second request may be about another thing.
_LASTING = ("constraint", "preference", "value")
_RULES = ("constraint", "preference")
#: End of the rule of a question.
_QUESTION = ".question"

#: Minimum content words that two statements share, and minimum overlap with the shorter and the longer statement.
MIN_SHARED_WORDS = 4
MIN_OVERLAP = 0.75
MIN_OVERLAP_OF_LONGER = 0.4
#: The same in a message that complains of a repetition ("I told you").
MIN_CORRECTED_WORDS = 3
MIN_CORRECTED_OVERLAP = 0.5
#: Minimum content words that two questions share, and minimum overlap with the longer question.
MIN_QUESTION_WORDS = 3
MIN_QUESTION_OVERLAP = 0.6
#: Minimum uses in one list of a routine command (tests, builds, polling), and of a word of a form of asking.
ROUTINE_RUNS = 3
_SHOWN = 200

#: Words of a user who repeats something, or who complains of missing work.
_CORRECTION = re.compile(
    r"\b(?:(?:i|we)(?:['’]ve| have)? (?:already |just )?(?:told|said|asked|mentioned|explained|wrote|wanted|agreed)"
    r"|(?:as|like) (?:i )?(?:said|told|mentioned|discussed|agreed)|(?:you|u) (?:forgot|ignored|lost|missed|just)"
    r"|once again|how (?:many|often) times|remember|reminder|why (?:did|do|are|is)|stop)\b|\bagain\b[,:?! ]"
    r"|我(?:已经|刚才|之前)?(?:说|讲|提)过|再说一[次遍]|你忘了|还是没|为什么",
    re.I,
)
#: Words of a user who accepts a result or lifts a rule.
_SETTLED = re.compile(
    r"\b(?:great|thanks|thank you|nice|perfect|well done|passes|works now|you can|you may|no longer|any ?more)\b"
    r"|可以了|谢谢",
    re.I,
)
#: Matches a question for approval. Each one is about something new.
_APPROVAL = re.compile(
    r"\b(?:proceed|go ahead|(?:looks?|feels?|sounds?) (?:good|right|ok)|shall i|should i|want me to|like me to"
    r"|ready to)\b",
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
#: Stems that are common to all questions.
_QUESTION_WORDS = frozenset({"continu", "els", "help", "make", "sure", "next", "thing"})


class Step(Struct, frozen=True):
    """A message of the conversation, counted once, with its acts.

    `step` counts from 0, `generation` from 1; `index` is its place in that list, `message` the row of the store.
    `left` is the compaction that summarized it, None while it is in the list.
    """

    step: int
    generation: int
    index: int
    message: int
    left: int | None
    acts: tuple[Act, ...] = ()


class AftermathEvent(Struct, frozen=True):
    """Something done again after a compaction.

    `compaction` is the last one that removed the earlier act from the list, or the one that lost the repeated
    statement. `earlier` is the place of the earlier act (None for an act against a rule). `fact` is the text of the
    lost or weakened fact behind the event, with its `category` and `fate` ("" if there is no such fact). `tokens` are
    the rough tokens of the repeated act. `written`: the earlier act wrote the file. `in_part`: the earlier acts had a
    part of it, so fewer tokens repeat.
    """

    compaction: int
    kind: AftermathKind
    place: Place
    earlier: Place | None
    text: str
    tokens: int
    fact: str = ""
    category: str = ""
    fate: str = ""
    written: bool = False
    in_part: bool = False

    @property
    def breaks_rule(self) -> bool:
        """Whether a lost or weakened rule is behind it."""
        return self.kind == "against a rule" or self.category == "constraint"


def steps_with_acts(messages: Iterable[tuple[Step, Message]]) -> Iterator[Step]:
    """Yield the messages that have acts. The tokens and the failure of a result belong to the call that it answers."""
    waiting: list[Step] = []
    by_call: dict[str, int] = {}
    names: dict[str, str] = {}
    for step, message in messages:
        if message.role == "tool":
            at = by_call.get(message.tool_call_id, len(waiting) - 1 if waiting and len(by_call) <= 1 else -1)
            if at >= 0:
                waiting[at] = _with_result(waiting[at], message, names.get(message.tool_call_id, ""))
            continue
        yield from waiting
        waiting, by_call, names = [], {}, {}
        if message.role == "assistant":
            for call in message.tool_calls:
                by_call[call.id], names[call.id] = len(waiting), call.name
                waiting.append(replace(step, acts=tuple(acts_of_call(call))))
            questions = tuple(questions_in(message)) if message.text and not message.tool_calls else ()
            if questions:
                waiting.append(replace(step, acts=questions))
    yield from waiting


def _with_result(step: Step, message: Message, tool: str) -> Step:
    """Add the result of a call to its acts: the tokens, and a failure if the agent marked one.

    A cancelled or refused call has no acts but its questions. A tool that failed wrote nothing.
    Files and pages that one call opens share the tokens of its result. A file that it could not open is left out.
    Agents do not mark every failed command, so this searches the output of commands and writes for an error. It does
    not search the text of a read file, which may have such lines.
    """
    result = message.text
    if not was_made(result):
        return replace(step, acts=tuple(act for act in step.acts if act.kind == "ask"))
    tokens = text_tokens(len(result))
    shares = sum(act.kind in _OPENS for act in step.acts)
    acts = tuple(
        replace(act, tokens=act.tokens + (tokens // shares if act.kind in _OPENS else tokens))
        for act in step.acts
    )
    failed = next((act for act in acts if act.kind in ("run", "write")), None)
    error = error_in(result) if failed is not None else ""
    if message.wire.get("is_error") and not error:
        error = marked_error(result)
        failed = failed or next(iter(acts), Act("run", tool, tool, tokens=tokens))
    # A command may fail after it printed a file.
    stopped = bool(message.wire.get("is_error")) and all(act.kind != "run" for act in acts)
    acts = tuple(
        replace(act, seen=_lines_of_act(act, result)) if act.kind != "read" or shares == 1 else act
        for act in acts
        if not (stopped and act.kind in (*_OPENS, "write"))
        and (act.kind not in _OPENS or opened(act, result))
    )
    return replace(step, acts=(*acts, failure(failed, error)) if failed is not None and error else acts)


def _lines_of_act(act: Act, result: str) -> frozenset[int]:
    """Return the hashes of the lines that an act read, wrote or printed."""
    if act.kind == "run":
        return output_lines(result)
    if act.kind not in ("read", "write"):
        return act.seen
    return lines_seen(result if act.kind == "read" else act.content)


def aftermath_counts(kinds: Mapping[AftermathKind, int]) -> str:
    """Return counts in words: "2 statements repeated, 5 file readings repeated"; "" if nothing was done again."""
    return ", ".join(plural(kinds[kind], *_EVENTS[kind]) for kind in AFTERMATH_KINDS if kinds.get(kind))


def earlier_words(place: str, written: bool) -> str:
    """Return the earlier act of an event in words: "written #12", or "earlier #12" for any other act."""
    return f"{'written' if written else 'earlier'} {place}"


def size_words(tokens: int, in_part: bool) -> str:
    """Return the size of repeated acts in words: "~400 tokens", or "up to ~400 tokens" for one known in part."""
    return f"{'up to ' if in_part else ''}~{tokens:,} tokens"


def aftermath_of(steps: Iterable[Step], facts: ConversationFacts) -> tuple[AftermathEvent, ...]:
    """Return the events of a conversation in order."""
    harmed = _HarmedFacts(facts)
    events = [*_repeated_acts(steps, harmed), *_said_again(facts, harmed)]
    return tuple(sorted(events, key=lambda event: (event.place.generation, event.place.index)))


class _HarmedFacts:
    """The facts that a list lost, weakened or contradicts, by generation."""

    def __init__(self, facts: ConversationFacts) -> None:
        self._lives: dict[str, Life] = {}
        for life in facts.lives:
            first = self._lives.get(life.fact.key)
            if first is None or life.compaction < first.compaction:
                self._lives[life.fact.key] = life
        self._by_generation: dict[int, list[tuple[Life, str]]] = {}
        self._rules: dict[int, list[tuple[Life, str, tuple[Prohibition, ...]]]] = {}

    def fate(self, fact: Fact, at: Step | Saying) -> str:
        """Return the fate of a fact in the list of a step, or "" if it is not harmed there."""
        life = self._lives.get(fact.key)
        return "" if life is None or _taken_back(life, at) else _harm(life, at.generation)

    def died(self, fact: Fact) -> int | None:
        """Return the first compaction after which a fact was gone."""
        life = self._lives.get(fact.key)
        return None if life is None else life.died

    def about(self, names: Sequence[str], at: Step, left: int | None) -> tuple[Fact, str] | None:
        """Return the harmed fact of the highest rank that names one of `names` (paths or addresses).

        The compaction `left`, or one before it, removed the fact.

        A rule that names a file does not count: it does not give the content of the file.
        """
        for life, fate in self._of(at.generation):
            fact = life.fact
            if fact.binds or _taken_back(life, at) or (left is not None and life.compaction > left):
                continue
            for value in fact.values:
                for name in names:
                    if len(value.text) > 3 and (
                        name == value.text or name.endswith("/" + value.text.removeprefix("./"))
                    ):
                        return fact, fate
        return None

    def rules(self, at: Step) -> list[tuple[Fact, str, tuple[Prohibition, ...]]]:
        """Return the user's harmed rules that forbid something exact, without those taken back before a step."""
        generation = at.generation
        if generation not in self._rules:
            self._rules[generation] = [
                (life, fate, forbidden)
                for life, fate in self._of(generation)
                if (fact := life.fact).role == "user"
                and not fact.pasted
                and fact.kind in ("constraint", "preference", "decision")
                and fact.concise
                if (forbidden := prohibitions_of(fact.text))
            ]
        return [
            (life.fact, fate, forbidden)
            for life, fate, forbidden in self._rules[generation]
            if not _taken_back(life, at)
        ]

    def _of(self, generation: int) -> list[tuple[Life, str]]:
        """Return the lives of the harmed facts of a list with their fates, best rank first."""
        if generation not in self._by_generation:
            harmed = [(life, fate) for life in self._lives.values() if (fate := _harm(life, generation))]
            self._by_generation[generation] = sorted(harmed, key=lambda entry: -entry[0].fact.rank)
        return self._by_generation[generation]


def _harm(life: Life, generation: int) -> str:
    """Return the fate of a fact in a list, or "" if the list does not harm it."""
    fate = life.fate_at(generation - 1)
    return "" if fate is None or fate.outcome not in HARMED else fate.outcome


def _taken_back(life: Life, at: Step | Saying) -> bool:
    """Return whether the user contradicted a fact before a step, or in it."""
    return life.contradicted is not None and life.contradicted.saying.step <= at.step


def _repeated_acts(steps: Iterable[Step], harmed: _HarmedFacts) -> Iterator[AftermathEvent]:
    """Yield repeated acts whose earlier acts left the list, and acts against harmed rules."""
    earlier: dict[tuple[str, str], list[tuple[Step, Act]]] = defaultdict(list)
    files = _FileActs()
    writes: list[tuple[int, str]] = []
    asked = _AskedQuestions()
    runs: Counter[tuple[int, str]] = Counter()
    for step in steps:
        done = {act.kind for act in step.acts}
        for act in step.acts:
            if step.generation > 1:
                yield from _against_rules(step, act, harmed)
            if act.kind == "ask":
                if (asked_before := asked.add(step, act.text)) is not None:
                    yield _event("asked again", step, act, _Before(asked_before, "ask"), None)
                continue
            if act.kind == "write" or (act.kind == "run" and _changes_files(act.key)):
                writes.append((step.step, act.key if act.kind == "write" else ""))
            kind = _AGAIN.get(act.kind)
            is_file = act.kind in ("read", "write")
            if (
                kind is not None
                and step.generation > 1
                and not (kind == "ran again" and not done.isdisjoint(_OPENS))
            ):
                before = (
                    _left_file(step, act, files.about(act))
                    if is_file
                    else _left(step, act, earlier[act.kind, act.key])
                )
                # A page that a command gets may be what the agent works on.
                command = _command_of(step) if kind in ("fetched again", "ran again") else None
                if before is not None and (
                    command is None
                    or _worth_comparing(
                        command, runs, before.step, [path for at, path in writes if at > before.step.step]
                    )
                ):
                    yield _event(
                        kind, step, act, before, harmed.about([act.key, act.text], step, before.step.left)
                    )
            if act.kind == "run":
                runs[step.generation, act.key] += 1
            if is_file:
                files.add(step, replace(act, content=""))
            else:
                earlier[act.kind, act.key].append((step, replace(act, content="")))


_AGAIN: Mapping[str, AftermathKind] = {
    "read": "read again", "fetch": "fetched again", "run": "ran again", "fail": "failed again",
}  # fmt: skip


class _Before(Struct, frozen=True):
    """An earlier step, the kind of its act, and whether the earlier acts had all of the lines."""

    step: Step
    kind: str
    covered: bool = True


def _command_of(step: Step) -> Act | None:
    """Return the command of a step, None for another tool."""
    return next((act for act in step.acts if act.kind == "run"), None)


def _left(step: Step, act: Act, earlier: Sequence[tuple[Step, Act]]) -> _Before | None:
    """Return the last earlier step with the same act, if every such step has left the list."""
    last = None
    for other, done in reversed(earlier):
        if other.step != step.step and act.key == done.key and _in_one_folder(act, done):
            if _in_list(other, step):
                return None
            last = last or _Before(other, done.kind)
    return last


class _FileAct(NamedTuple):
    """A reading or a write: its number, its step and the path of its file."""

    number: int
    step: Step
    act: Act
    path: str


class _FileActs:
    """Earlier readings and writes of files, by file name. A path may be relative."""

    def __init__(self) -> None:
        self._count = 0
        self._by_key: dict[str, list[_FileAct]] = defaultdict(list)
        self._by_path: dict[str, list[_FileAct]] = defaultdict(list)
        #: The acts by each end of their path, also by the path.
        self._by_end: dict[str, list[_FileAct]] = defaultdict(list)

    def add(self, step: Step, act: Act) -> None:
        """Add the next act."""
        done = _FileAct(self._count, step, act, act.path)
        self._count += 1
        ends = path_ends(done.path)
        self._by_key[act.key].append(done)
        self._by_path[ends[0]].append(done)
        for end in ends:
            self._by_end[end].append(done)

    def about(self, act: Act) -> list[_FileAct]:
        """Return the acts on a file that may be the file of an act, the newest first."""
        path = act.path
        ends = path_ends(path)
        found = [
            done
            for done in self._by_key.get(act.key, ())
            if done.path != path and _in_one_folder(act, done.act) and not same_file(path, done.path)
        ]
        for end in ends[1:]:
            found += self._by_path.get(end, ())
        found += self._by_end.get(ends[0], ())
        return sorted(found, key=itemgetter(0), reverse=True)


def _left_file(step: Step, act: Act, earlier: Iterable[_FileAct]) -> _Before | None:
    """Return the last earlier step that read or wrote the lines of a reading, if it has left the list.

    A step with all lines is preferred to a later step with a part. An edit moves the lines of a file: after it, parts
    are compared by their text, also with several earlier parts together. An edit or a part that is in the list has only
    its own lines. If most lines of a file have changed without an edit of the agent, a sub-agent or the user wrote the
    file, and the reading does not count.
    """
    last: _Before | None = None
    # Earlier parts with a few of the lines each, those with the most lines first.
    parts: list[tuple[int, _Before]] = []
    in_parts: set[int] = set()
    covered = edited = partly = False
    gone: set[int] = set()
    new = act.seen
    path = act.path
    for _, other, done, path_then in earlier:
        if other.step == step.step:
            continue
        # A reading of other lines has no effect before an edit moves the lines.
        if not edited and done.kind == "read" and not overlap(act.lines, done.lines):
            continue
        same = path == path_then or (act.key == done.key and _in_one_folder(act, done))
        is_edit = done.kind == "write" and done.lines == SOME_LINES
        moved = (edited or is_edit) and act.lines is not None and done.lines is not None
        edited = edited or done.kind == "write"
        # A result of one line is not comparable: it may be cut, or in a format of the tool.
        comparable = len(act.seen) > 1 and len(done.seen) > 1
        shared = act.seen & done.seen if moved and comparable else frozenset()
        overlaps = (
            len(shared) >= MIN_OVERLAP * len(act.seen)
            if moved and comparable
            else overlap(act.lines, done.lines)
        )
        if _in_list(other, step):
            part = comparable and (moved or not covers(done.lines, act.lines))
            if overlaps and not (part or is_edit):
                return None
            if part and (moved or overlaps):
                new -= done.seen
                if 2 * len(new) < len(act.seen):
                    return None
                partly = partly or not (moved or is_edit)
        elif overlaps and (comparable or not moved):
            gone |= done.seen
            has_all = moved or covers(done.lines, act.lines)
            if same and (last is None or (last.kind == "read" and has_all and not covered)):
                last = _Before(other, done.kind)
            covered = covered or (same and has_all)
        elif same and shared:
            in_parts |= shared
            parts.append((len(shared), _Before(other, done.kind)))
    if last is None and parts and len(in_parts) >= MIN_OVERLAP * len(act.seen):
        _, last = max(parts, key=itemgetter(0))
        gone, covered = gone | in_parts, True
    if last is None or (partly and not gone):
        return None
    least = len(new) if covered else min(len(new), len(gone))
    is_other = 2 * len(new & gone) < least and min(len(act.seen), len(gone)) > 1
    return None if is_other and (partly or not edited) else replace(last, covered=covered and not partly)


def _in_list(other: Step, step: Step) -> bool:
    """Return whether the list of a step has an earlier step."""
    return other.left is None or other.left >= step.generation


def _in_one_folder(act: Act, done: Act) -> bool:
    """Return whether two commands ran in one working directory, or one directory is unknown."""
    return act.folder == done.folder or not (act.folder and done.folder)


def _worth_comparing(
    act: Act, runs: Mapping[tuple[int, str], int], before: Step, written: Sequence[str]
) -> bool:
    """Return whether a second run counts.

    It is not routine, the first run did not fail, and no file that it may read has changed since. `written` has the
    paths of changed files, "" for an unknown path. A search with the same output of several lines read nothing that
    changed in unknown files, and a program with the same output says nothing new about its use.
    """
    counted: list[tuple[str, list[str]]] = []
    commands = list(simple_commands(act.key))
    for words in commands:
        name, sub = words[0].rpartition("/")[2], words[1] if len(words) > 1 else ""
        if name not in _TRIVIAL and (name != "git" or sub in _GIT_LOOKING):
            counted.append((name, words))
    if not counted or runs.get((before.generation, act.key), 0) >= ROUTINE_RUNS:
        return False
    if any(done.kind == "fail" for done in before.acts):
        return False
    printed_same = any(done.key == act.key and done.seen == act.seen for done in before.acts if act.seen)
    if printed_same and all(not _ABOUT_ITSELF.isdisjoint(words) for _, words in counted):
        return True
    looks = all(name in _LOOKING or name == "git" for name, _ in counted)
    if looks and printed_same and len(act.seen) > 1:
        written = list(filter(None, written))
    places = [place for words in commands for place in _searched(words)] if looks else []
    if places:
        return not any(not path or any(place in path for place in places) for path in written)
    return not written


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


def _against_rules(step: Step, act: Act, harmed: _HarmedFacts) -> Iterator[AftermathEvent]:
    """Yield an event for each harmed rule that an act breaks."""
    if act.kind not in ("write", "read", "run"):
        return
    for fact, fate, forbidden in harmed.rules(step):
        still_in_list = any(
            saying.step < step.step and (saying.compaction is None or saying.compaction >= step.generation)
            for saying in fact.sayings
        )
        breaks_rule = fact.first.step < step.step and any(rule.forbids(act) for rule in forbidden)
        if breaks_rule and not still_in_list:
            yield _event("against a rule", step, act, None, (fact, fate))


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
        if _APPROVAL.search(question) or tongue_of(question) != "en":
            return None
        words = frozenset(load_stemmer().words(question)) - _QUESTION_WORDS
        before = self._before(step, words - self._formal)
        self._asked.append((step, words))
        for word in words:
            self._uses[step.generation, word] += 1
            if self._uses[step.generation, word] >= ROUTINE_RUNS:
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
            if _in_list(other, step):
                return None
            last = last or other
        return last


def _event(
    kind: AftermathKind, step: Step, act: Act, before: _Before | None, behind: tuple[Fact, str] | None
) -> AftermathEvent:
    earlier = None if before is None else before.step
    event = AftermathEvent(
        step.generation - 1 if earlier is None or earlier.left is None else earlier.left,
        kind, _place(step), None if earlier is None else _place(earlier), safe_title(act.text, _SHOWN), act.tokens,
        written=before is not None and before.kind == "write", in_part=before is not None and not before.covered,
    )  # fmt: skip
    return _explained(event, behind)


def _explained(event: AftermathEvent, behind: tuple[Fact, str] | None) -> AftermathEvent:
    if behind is None:
        return event
    fact, fate = behind
    return replace(event, fact=fact.text, category=fact.kind, fate=fate)


def _place(step: Step | Saying) -> Place:
    return Place(step.generation, step.index, step.message)


def _said_again(facts: ConversationFacts, harmed: _HarmedFacts) -> Iterator[AftermathEvent]:
    """Yield an event for each message of the user that repeats a statement that left the list.

    The event is the repetition with the largest overlap.
    """
    statements = [fact for fact in facts.facts if fact.role == "user" and not fact.pasted and fact.things]
    by_word: dict[str, list[Fact]] = defaultdict(list)
    for fact in statements:
        for word in set(fact.things):
            by_word[word].append(fact)
    corrections = {
        (saying.generation, saying.index)
        for fact in facts.facts
        for saying in fact.sayings
        if fact.role == "user" and saying.generation > 1 and _CORRECTION.search(fact.text)
    }
    facts_at: dict[tuple[int, int], set[str]] = defaultdict(set)
    for fact in facts.facts:
        for saying in fact.sayings:
            facts_at[saying.generation, saying.index].add(fact.key)
    best: dict[tuple[int, int], tuple[float, AftermathEvent]] = {}
    for fact in statements:
        for saying in fact.sayings:
            place = saying.generation, saying.index
            corrects = place in corrections
            # A message with many statements is a document, often the template of a command.
            if (
                saying.generation < 2
                or len(facts_at[place]) > CROWDED
                or saying.role != "user"
                or (not corrects and _SETTLED.search(fact.text))
            ):
                continue
            for score, other, before in _repeats(fact, saying, by_word, corrects, harmed):
                at_before = before.generation, before.index
                if len(facts_at[at_before]) > CROWDED or (place in best and best[place][0] >= score):
                    continue
                # A command or an extension sends the same text again.
                if len(facts_at[place]) > FEW and facts_at[place] <= facts_at[at_before]:
                    continue
                fate = harmed.fate(other, saying)
                died = harmed.died(other) if fate else None
                event = AftermathEvent(
                    died or before.compaction or saying.generation - 1, "said again", _place(saying), _place(before),
                    safe_title(fact.text, _SHOWN), text_tokens(len(fact.text)),
                )  # fmt: skip
                best[place] = score, _explained(event, (other, fate) if fate else None)
    yield from (event for _, event in best.values())


def _names_differ(fact: Fact, other: Fact) -> bool:
    """Return whether two statements have values but none in common, so that they are about different things."""
    values, other_values = ({value.canon for value in each.values} for each in (fact, other))
    return bool(values and other_values) and values.isdisjoint(other_values)


def _asks(fact: Fact, other: Fact) -> bool:
    """Return whether an earlier statement (`other`) asks for something, as a decision or a question.

    A question after a question does not repeat it: the user may ask for the state again.
    """
    return other.kind == "decision" or (other.rule.endswith(_QUESTION) and not fact.rule.endswith(_QUESTION))


def _repeats(
    fact: Fact, saying: Saying, by_word: Mapping[str, Sequence[Fact]], corrects: bool, harmed: _HarmedFacts
) -> Iterator[tuple[float, Fact, Saying]]:
    """Yield the facts that a saying repeats, each with its overlap and its last saying before.

    `corrects`: the message complains of a repetition, so fewer words are enough. If both statements are rules, one is
    short and the list lost the earlier rule, a single shared word is enough. No third statement may have that word.
    """
    words = frozenset(fact.things)
    rare = {word for word in words if len(by_word[word]) == 2}
    shared: Counter[str] = Counter()
    candidates: dict[str, Fact] = {}
    for word in words:
        for other in by_word[word]:
            shared[other.key] += 1
            candidates[other.key] = other
    for key, count in shared.items():
        other = candidates[key]
        other_count = len(set(other.things))
        longer, shorter = max(len(words), other_count), min(len(words), other_count)
        repeated = (
            count >= MIN_SHARED_WORDS
            and count >= MIN_OVERLAP * shorter
            and count >= MIN_OVERLAP_OF_LONGER * longer
        )
        enough = count >= MIN_CORRECTED_WORDS and count >= MIN_CORRECTED_OVERLAP * other_count
        # All words of a short statement are enough too.
        corrected = corrects and (enough or count == other_count == MIN_CORRECTED_WORDS - 1)
        rule_again = (
            shorter <= MIN_SHARED_WORDS
            and not rare.isdisjoint(other.things)
            and fact.kind in _RULES
            and other.kind in _RULES
            and harmed.fate(other, saying) == "lost"
        )
        if not (repeated or corrected or rule_again) or (not corrected and _names_differ(fact, other)):
            continue
        if other.kind not in _LASTING and not (corrected and _asks(fact, other)):
            continue
        before = [
            earlier for earlier in other.sayings if earlier.step < saying.step and earlier.role == "user"
        ]
        if before and all(
            earlier.compaction is not None and earlier.compaction < saying.generation for earlier in before
        ):
            yield count / longer, other, before[-1]
