"""Prohibitions of the user's, in a form that an act can be compared with.

Only prohibitions that name something are parsed: a path, a folder, a command, a library. A prohibition with a condition
("unless", "before") is left out, because an act alone does not show whether the condition holds. Precision comes first:
an act that may be allowed is not reported.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from msgspec import Struct

from inspector.core.patterns import late_pattern
from inspector.quality.act import Act, is_named, plain_path
from inspector.quality.facts.rules import load_stemmer
from inspector.quality.shell_acts import changes_in_place, simple_commands
from inspector.quality.spoken_acts import names_in

_DENIAL = late_pattern(
    r"\b(?:never|do(?:es)? not|don['’]?t|must not|mustn['’]?t|should not|shouldn['’]?t|shall not|may not|can ?not"
    r"|can['’]t|not allowed to|not to|avoid|refrain from|stop|(?P<noun>no|without))\s+"
    r"|不要再?|不许|禁止|不得|不能|不可以?|切勿|[请請]勿|别再?",
    re.I,
)
#: The rejected half of "X, not Y", "X instead of Y" and "prefer X over Y". "X over Y" alone is a motto.
_INSTEAD = late_pattern(
    r"(?:,\s*not|\buse [\w.@/-]{1,40} not|\binstead of|\brather than"
    r"|\b(?:use|prefer|choose|pick|favou?r) [`\w.@/ -]{1,40} over)\s+(?:the |a |an )?"
    r"(?P<other>`[^`\n]{1,80}`|[\w./@-]{1,59}\w)",
    re.I,
)
#: A verb before ", not X" makes it a description.
_DESCRIBES = late_pattern(r"\b(?:is|are|was|were)\b|['’](?:s|re)\b", re.I)
#: "Only edit files under src/", "edit nothing outside of src/": nothing may be written outside of this place.
_ONLY = late_pattern(
    r"(?:\bonly\s+(?:edit|change|modify|touch|write)\s+(?:\w+\s+){0,4}?(?:under|in|inside|within)"
    r"|(?:\b(?:never|not)|n['’]?t)\s+(?:edit|change|modify|touch|write)\s+(?:\w+\s+){0,4}?outside(?:\s+of)?)"
    r"\s+`?(?P<place>[\w.@-]*/[\w./@-]*)",
    re.I,
)
#: "Only edit src/crane.py": nothing else may be written. The sentence names one file.
_ONLY_FILE = late_pattern(
    r"\bonly\s+(?:edit|change|modify|touch|write(?:\s+to)?)\s+(?:the\s+file\s+)?`?(?P<place>[\w./@-]*\w\.[A-Za-z]\w{0,4})`?"
    r"(?=\s*(?:[.!;]\s|[.!;]?\Z|\n))",
    re.I,
)
#: "fixtures/ is read-only".
_READ_ONLY = late_pattern(
    r"(?<![\w./@-])`?(?P<place>[\w.@-]{0,80}/[\w./@-]{0,200}|[\w-]{1,80}\.\w{1,5})`?\s+(?:is|are|stays?|must\s+(?:be|stay|remain))"
    r"\s+(?:read[- ]only|off[- ]limits)(?=\s*(?:[.!;,]\s|[.!;]?\Z|\n))",
    re.I,
)
#: A line that defines a name: "def NAME(", "const NAME = 3".
_DEFINITION = (
    r"^[ \t]*(?:(?:export|pub|public|private|static|final|const|let|var|async)[ \t]+)*"
    r"(?:(?:def|class|func|function|fn|interface|struct|enum|type)[ \t]+{0}\b|{0}\s*(?::[^=\n]*)?[:=](?!=)).*$"
)
#: A variable with its value: "DEBUG=1".
_VARIABLE = late_pattern(r"(?<![\w=-])[A-Za-z_]\w{0,40}=[\w./:@-]{1,80}")
#: An option ("--no-verify"), and a setting with its value ("port 443", "model gpt-4o").
_OPTION = late_pattern(r"(?<![\w-])--[A-Za-z][\w-]{1,40}")
_SETTING = late_pattern(r"\b([A-Za-z]{3,20})\s+(\d{1,9}|[A-Za-z][\w.-]*[\d_-][\w-]*)(?![\w-]|\.\d)")
#: A setting and its value before a denial of another value: "Set the port to 8443, never 443".
_OTHER_VALUE = late_pattern(r"\b(?P<name>[A-Za-z]{3,20}) (?:(?:to|is|=|:) ?)?\d{1,9}, \Z")
_END = late_pattern(r"[;!?\n。；！？，]|\.(?=\s|$)|,(?!\s*(?:or|and|nor)\b)|\s[—–-]\s|:\s")
_CONDITION = late_pattern(
    r"\b(?:unless|until|without|except|before|if|when|while|more than|only|outside|other than|apart from|besides)\b"
    r"|除非|之前|未经",
    re.I,
)
#: A condition in front of a denial, in its sentence: "if the tests fail, do not push".
_CONDITION_BEFORE = late_pattern(
    r"(?:\b(?:unless|until|if|when|whenever|while|before|after)\b|除非|如果|[当當])[^.;!?\n。；！？]*\Z", re.I
)
_CODE = late_pattern(r"`([^`\n]{1,200})`|\"([^\"\n]{1,120})\"")
_WORD = late_pattern(r"[\w][\w./@+-]{0,80}")
_NAME = late_pattern(r"\.?[A-Za-z][\w.-]*[_\d.A-Z-][\w.-]*|\.\w+")
_PATH = late_pattern(r"[\w~.-]*/[\w./~-]*|[\w-]*\.\w{1,5}")
#: A folder or file named by a plain word: "the migrations folder", "config 目录".
_PLACE = late_pattern(r"([\w.-]{2,60})\s*(?:folder|director(?:y|ies)|dir\b|目录|文件夹)", re.I)

_EDITS = frozenset({
    "edit", "change", "modify", "touch", "alter", "write", "update", "overwrite", "rewrite", "delete", "remove",
    "rename", "move", "create", "add", "replace", "改", "修改", "删除", "编辑", "碰", "动",
})  # fmt: skip
#: Verbs that forbid each change of a file.
_CHANGES = frozenset({
    "edit", "change", "modify", "touch", "alter", "write", "update", "overwrite", "rewrite",
})  # fmt: skip
#: Verbs that forbid the end of a name.
_REMOVES = frozenset({"rename", "delete", "remove"})
_READS = frozenset({"read", "open", "view", "load", "look", "print", "cat", "读", "读取", "打开", "查看"})
_USES = frozenset({
    "use", "install", "import", "add", "introduce", "require", "call", "run", "execute", "invoke", "start", "launch",
    "使用", "用", "安装", "引入", "运行", "执行",
})  # fmt: skip
_RUNS = frozenset({"run", "execute", "start", "launch", "invoke"})
_COMMANDS = frozenset({
    "push", "commit", "merge", "rebase", "amend", "tag", "reset", "stash", "deploy", "publish", "release", "drop",
    "migrate", "truncate",
})  # fmt: skip
#: Verbs about a host, about the value of a setting, and about the text of a commit.
_CONNECTS = frozenset({"connect", "ssh"})
_SETS = frozenset({"listen", "bind", "serve", "set"})
_STATES = frozenset({"add", "put", "include", "append", "write", "use"})
_VERBS = _EDITS | _READS | _USES | _COMMANDS | _CONNECTS | _SETS | _STATES
#: Words that name nothing: an act need not have them.
_EMPTY_WORDS = frozenset({
    "to", "the", "a", "an", "any", "or", "and", "nor", "in", "on", "into", "of", "with", "at", "it", "anything", "from",
    "directly", "straight", "ever", "again", "this", "that", "our", "your", "my", "please", "pls", "teh", "for", "by",
    "commits", "commit", "branch", "files", "file", "folder", "directory", "changes", "code", "more", "new", "like",
    "images", "package", "project", "repo", "here", "yet", "now", "anymore", "via", "as", "is", "be", "under", "table",
    "dependency", "dependencie", "librarie", "library", "app", "site", "version", "there", "them", "those", "system",
})  # fmt: skip
#: Words for several things that the text before names.
_REFERRING = frozenset({"them", "those", "these"})
_WRITING_PROGRAMS = frozenset({"rm", "mv", "cp", "tee", "truncate", "rmdir", "unlink", "touch"})
_LISTING_PROGRAMS = frozenset({"ls", "git", "test", "stat", "find", "mkdir"})
#: Programs that show, search, check or copy files. Their arguments are not actions.
_HARMLESS = frozenset({
    "ls", "cat", "head", "tail", "less", "more", "bat", "nl", "grep", "egrep", "fgrep", "rg", "ag", "find", "fd", "wc",
    "tree", "stat", "file", "diff", "echo", "printf", "cd", "mkdir", "touch", "cp", "mv", "rm", "chmod", "sed", "awk",
    "jq", "test", "[", "which", "man", "vim", "nano", "code", "pytest", "ruff", "mypy", "eslint", "prettier",
    "shellcheck",
})  # fmt: skip
#: Programs whose first argument is the program that they run.
_RUNNERS = frozenset({
    "sh", "bash", "zsh", "source", ".", "python", "python3", "node", "deno", "bun", "ruby", "perl", "npx", "tsx",
})  # fmt: skip
#: Names of files without an ending, in lower case.
_BARE_FILES = frozenset({
    "makefile", "dockerfile", "jenkinsfile", "procfile", "gemfile", "rakefile", "vagrantfile", "justfile", "license",
    "codeowners",
})  # fmt: skip
_PACKAGE_MANAGERS = frozenset({
    "npm", "pnpm", "yarn", "bun", "pip", "pip3", "uv", "poetry", "pdm", "cargo", "go", "gem", "apt", "apt-get", "brew",
    "composer",
})  # fmt: skip
_INSTALLING = frozenset({"install", "i", "add", "get", "require"})
_FORCE = frozenset({"-f", "--force", "--force-with-lease"})


class Prohibition(Struct, frozen=True):
    """A forbidden action.

    `verb` is in lower case ("use" for the rejected half of "X, not Y"). `exact` are paths, commands and names as the
    user wrote them; `words` are the other words that name something, in lower case. `only` is the place outside of
    which nothing may be written ("" mostly). `settings` are names of settings with a value.
    """

    verb: str
    exact: tuple[str, ...]
    words: tuple[str, ...]
    only: str = ""
    settings: tuple[tuple[str, str], ...] = ()

    def forbids(self, act: Act) -> bool:
        """Whether an act does what is forbidden."""
        if act.kind == "write":
            return self._forbids_write(act)
        if self.only:
            return False
        if act.kind == "read":
            return self.verb in _READS and self._names_path(act.key)
        return act.kind == "run" and (
            self._sets_variable(act.key)
            or any(self._forbids_command(words) for words in simple_commands(act.key))
        )

    def is_mentioned(self, text: str) -> bool:
        """Whether a text has the forbidden command, or a name of what is forbidden."""
        names = (*self.exact, *self.words, *([self.verb] if self.verb in _COMMANDS else ()))
        last_parts = {part for name in names for part in _plain_words(name)[-1:]}
        return not last_parts.isdisjoint(_plain_words(text))

    def _forbids_write(self, act: Act) -> bool:
        if self.only:
            return (
                act.key.startswith(("/", ".", "~"))
                and not _in_folder(self.only, act.key)
                and "/tmp/" not in act.key
            )
        if self.verb in _EDITS and self._names_path(act.key):
            return True
        if self.verb in _CHANGES | _REMOVES and any(
            _redefines(act, name, self.verb in _REMOVES) for name in self.exact
        ):
            return True
        return self.verb in _USES and any(_uses(act.content, name) for name in self._names())

    def _sets_variable(self, command: str) -> bool:
        """Return whether a command line sets a forbidden variable: before a program, or with export or env."""
        return self.verb in _USES | _SETS and any(
            re.search(
                rf"(?:^|[;&|\n]|\b(?:export|env))\s*(?:\w+=\S+\s+)*{re.escape(name)}(?=[\s;&|]|\Z)", command
            )
            for name in self.exact
            if "=" in name
        )

    def _forbids_command(self, words: Sequence[str]) -> bool:
        if words[0] == "sudo":
            if self.verb in _USES and "sudo" in (*self.words, *self.exact):
                return True
            words = words[1:] or words
        program = words[0].rpartition("/")[2]
        if self.verb in _STATES and program == "git" and _subcommand(words) == "commit":
            trailers = "|".join(re.escape(name) for name in self.exact if "/" not in name and "." not in name)
            if trailers and any(
                re.search(rf"^\s*(?:{trailers})[\w-]*\s*:", word, re.I | re.M) for word in words[2:]
            ):
                return True
        lower = [word.lower() for word in (_without_message(words) if program == "git" else words)]
        if program not in _HARMLESS and self._forbids_arguments(lower):
            return True
        if self.verb in _READS:
            return program not in _LISTING_PROGRAMS and any(
                self._names_path(part) for part in _paths_in(words[1:])
            )
        if self.verb in _EDITS and (
            program in _WRITING_PROGRAMS or (program == "sed" and changes_in_place(words))
        ):
            targets = words[-1:] if program == "cp" else words[1:]
            if any(self._names_path(plain_path(word)) for word in targets):
                return True
        if self.verb in _USES:
            return self._forbids_program(program, words, lower)
        if "force" in (self.verb, *self.words) and "push" in lower:
            return (
                program == "git"
                and _subcommand(lower) == "push"
                and not _FORCE.isdisjoint(lower)
                and self._objects_in(lower)
            )
        if self.verb == "amend":
            return program == "git" and "--amend" in lower
        if self.verb == "commit" and program == "git" and lower[1:2] == ["add"]:
            return any(_in_folder(name, word) for name in self.exact for word in words[2:])
        return self.verb in _COMMANDS and self.verb in _done_by(lower) and self._objects_in(lower)

    def _forbids_arguments(self, lower: Sequence[str]) -> bool:
        """Return whether a command has a forbidden option, a forbidden value of an option, or a forbidden host."""
        if self.verb in _USES:
            options = {name.lower() for name in self.exact if name.startswith("--")}
            if any(word.partition("=")[0] in options for word in lower[1:]):
                named = {*self.words, *(name.lower() for name in self.exact)} - options
                return named <= {lower[0].rpartition("/")[2], *lower[1:]}
        if self.verb in _USES | _SETS:
            if any("=" in name and name.lower() in lower[1:] for name in self.exact):
                return True
            for name, value in self.settings:
                if f"--{name}={value}" in lower or any(
                    word == value and before in (f"--{name}", f"-{name[0]}")
                    for before, word in pairwise(lower)
                ):
                    return True
        if self.verb in _CONNECTS:
            hosts = {name.lower() for name in self.exact}
            return any(not hosts.isdisjoint(re.split(r"[@:/=]+", word)) for word in lower[1:])
        return False

    def _forbids_program(self, program: str, words: Sequence[str], lower: Sequence[str]) -> bool:
        installs = program in _PACKAGE_MANAGERS and not _INSTALLING.isdisjoint(lower[1:2])
        if not self.exact and not self.words:
            packages = (word for word in lower[2:] if not word.startswith(("-", ".", "/")))
            installs_new = installs and any(not word.endswith((".txt", ".toml")) for word in packages)
            return installs_new and self.verb in ("install", "add", "introduce")
        if "force" in self.words and {"push", "pushes"} & {self.verb, *self.words}:
            return program == "git" and "push" in lower and not _FORCE.isdisjoint(lower)
        if any(_begins_with(words, name) for name in (*self.exact, " ".join(self.words)) if name):
            return True
        if self.verb in _RUNS and len(self.words) == 1 and not self.exact:
            stems = load_stemmer().stems
            wanted = frozenset(stems(self.words[0]))
            # The value of an option is no act.
            plain = [word for before, word in pairwise(("", *lower)) if "-" not in (before[:1], word[:1])]
            return bool(wanted) and wanted <= {stem for part in _done_by(plain) for stem in stems(part)}
        return installs and any(name.lower() in lower[2:] for name in self._names())

    def _names(self) -> Iterable[str]:
        """Yield the things that may not be used: exact names, and a single plain word."""
        yield from (name for name in self.exact if " " not in name and not name.startswith("--"))
        if not self.exact and len(self.words) == 1:
            yield self.words[0]

    def _names_path(self, path: str) -> bool:
        if not self.exact and self.words and self.verb in _CHANGES | _READS:
            name = path.rpartition("/")[2].lower()
            return name in self.words and _BARE_FILES.issuperset(self.words)
        return any(_in_folder(name, path) for name in self.exact)

    def _objects_in(self, lower: Sequence[str]) -> bool:
        """Whether a command has one of the things that the rule is about; true where it names none."""
        objects = {*map(_singular, self.words), *(name.lower() for name in self.exact)} - {"force", "push"}
        return not objects or not objects.isdisjoint(map(_singular, _parts(lower)))


def _redefines(act: Act, name: str, removes: bool) -> bool:
    """Return whether an edit changes the line that defines a name, or, with `removes`, leaves no such line."""
    if not name.isidentifier():
        return False
    before, after = (
        re.findall(_DEFINITION.format(re.escape(name)), text, re.M) for text in (act.replaced, act.content)
    )
    return bool(before) and (not after if removes else before != after)


def _plain_words(text: str) -> list[str]:
    """Return the words and the parts of paths of a text, in lower case and without an ending "s"."""
    return [_singular(word.strip(".-")) for word in re.findall(r"[\w.-]+", text.lower(), re.ASCII)]


def allows(text: str, forbidden: Iterable[Prohibition], act: Act) -> bool:
    """Return whether a sentence of a text, without a denial, mentions what an act does although a rule forbids it."""
    return any(
        not _DENIAL.search(sentence)
        and (
            any(rule.is_mentioned(sentence) for rule in forbidden)
            or (act.kind != "run" and is_named(act.key, names_in(sentence)))
        )
        for sentence in re.split(r"[.!?]\s|[\n。！？]", text)
    )


def is_prohibition(text: str) -> bool:
    """Whether a statement forbids something."""
    match = _DENIAL.search(text[:2_000])
    return match is not None and match["noun"] is None


@lru_cache(maxsize=4_096)
def prohibitions_of(text: str) -> tuple[Prohibition, ...]:
    """The prohibitions of a rule. Empty where it forbids nothing that is named, or only under a condition."""
    text = text[:2_000]
    result = []
    for denial in _DENIAL.finditer(text):
        rest = text[denial.end() : denial.end() + 300]
        end = _end_of(rest)
        clause, after = rest[:end], rest[end : end + 60]
        before = text[max(0, denial.start() - 300) : denial.start()]
        conditions = (
            _CONDITION.search(clause),
            _CONDITION.match(after.lstrip(" ,，")),
            _CONDITION_BEFORE.search(before),
        )
        if any(conditions):
            continue
        if (
            prohibition := _of_clause(clause, denial["noun"] is not None, text[: denial.start()])
        ) is not None:
            result.append(prohibition)
    for match in _INSTEAD.finditer(text):
        name = match["other"]
        excluded = name.lower() in _EMPTY_WORDS or _DESCRIBES.search(text[: match.start()])
        if not excluded and not _CONDITION.search(text[match.end() : match.end() + 30]):
            exact = name.startswith("`") or _NAME.fullmatch(name) is not None
            result.append(
                Prohibition("use", (name.strip("`"),) if exact else (), () if exact else (name.lower(),))
            )
    for pattern in (_ONLY, _ONLY_FILE):
        result.extend(
            Prohibition("write", (), (), match["place"].strip(".`")) for match in pattern.finditer(text)
        )
    result.extend(Prohibition("edit", (match["place"],), ()) for match in _READ_ONLY.finditer(text))
    return tuple(result)


def _end_of(rest: str) -> int:
    """The end of the clause: the first mark that ends one and is not inside code."""
    code = [match.span() for match in _CODE.finditer(rest)]
    for match in _END.finditer(rest):
        if not any(start < match.start() < end for start, end in code):
            return match.start()
    return len(rest)


def _of_clause(clause: str, noun: bool, before: str) -> Prohibition | None:
    """The prohibition of one clause. "there" and "it" refer to `before`, the text in front of it."""
    exact = [match[1] or match[2] for match in _CODE.finditer(clause)]
    exact += [match[1] + "/" for match in _PLACE.finditer(clause)]
    words = [
        word.strip(".-") if not word.startswith(".") else word
        for word in _WORD.findall(_CODE.sub(" ", clause))
    ]
    words += re.findall(r"(?<![\w/.])\.\w{2,20}\b", clause)
    if clause[:1] and not clause[:1].isascii():
        start = clause.lstrip()
        verb = max((verb for verb in _VERBS if start.startswith(verb)), key=len, default="")
        words = re.findall(r"[A-Za-z][\w./@-]+", clause)
    elif noun:
        verb = "use"
        if len([word for word in words if not _is_empty(word)]) > 2:
            return None
        if (
            words
            and all(map(_is_empty, words))
            and words[-1].lower() in ("dependencies", "packages", "libraries")
        ):
            return Prohibition("install", (), ())
    else:
        while words and words[0].lower() in ("ever", "directly", "just", "try", "to"):
            words = words[1:]
        verb, words = (_base(words[0].lower()), words[1:]) if words else ("", [])
        if clause.startswith("to ") and verb not in _VERBS and (done := _last_command(before)):
            # "Deploy to staging, never to production".
            verb, words = done, [verb, *words]
    if clause.isdecimal() and (other := _OTHER_VALUE.search(before)):
        return Prohibition("use", (), (clause,), settings=((other["name"].lower(), clause),))
    if not verb:
        return None
    options, variables = _OPTION.findall(clause), _VARIABLE.findall(clause)
    exact += [*options, *variables]
    parts = {part for variable in variables for part in variable.split("=", 1)}
    words = [word for word in words if f"--{word}" not in options and word not in parts]
    others = []
    for word in words:
        if "/" in word or _NAME.fullmatch(word):
            exact.append(word)
        elif not _is_empty(word):
            others.append(word.lower())
    refers = not _REFERRING.isdisjoint(map(str.lower, words))
    if not exact and not others and (refers or verb in _EDITS | _READS):
        exact = [match[1] + "/" for match in _PLACE.finditer(before)] + re.findall(
            r"[\w.-]*/[\w./-]+", before
        )
        if refers and not exact:
            return None
    if not exact and not others and verb not in _COMMANDS | {"install", "add", "introduce"}:
        return None
    settings = tuple((name.lower(), value.lower()) for name, value in _SETTING.findall(clause))
    return Prohibition(verb, tuple(dict.fromkeys(exact)), tuple(others), settings=settings)


def _last_command(before: str) -> str:
    """Return the command that the sentence before a denial is about, or ""."""
    sentence = re.split(r"[.;!?\n]", before)[-1]
    return next((word for word in reversed(re.findall(r"[a-z]+", sentence.lower())) if word in _COMMANDS), "")


def _is_empty(word: str) -> bool:
    """Whether a word names nothing that an act could have."""
    return not _EMPTY_WORDS.isdisjoint((word.lower(), _singular(word.lower())))


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") else word


def _base(verb: str) -> str:
    """A verb as the lists have it: "editing" and the typo "eddit" are "edit"."""
    if verb in _VERBS:
        return verb
    if verb.endswith("ing") and len(verb) > 5:
        stem = verb[:-3]
        return next((form for form in (stem, stem + "e", stem[:-1]) if form in _VERBS), verb)
    from rapidfuzz.distance import DamerauLevenshtein

    close = [
        listed
        for listed in _VERBS
        if len(listed) > 3 and DamerauLevenshtein.distance(verb, listed, score_cutoff=1) < 2
    ]
    return close[0] if len(close) == 1 else verb


def _in_folder(name: str, path: str) -> bool:
    """Return whether a path is the named file, or is in the named folder."""
    wanted, path = plain_path(name).strip("/*"), path.strip("/")
    if not wanted or " " in wanted or not ("/" in name or "." in name):
        return False
    return (
        path == wanted
        or path.endswith("/" + wanted)
        or path.startswith(wanted + "/")
        or f"/{wanted}/" in path
    )


def _paths_in(words: Sequence[str]) -> Iterable[str]:
    """The paths among the words of a command, those inside of quoted programs too."""
    for word in words:
        yield from re.findall(r"[\w./~@-]{2,400}", word[:2_000])


def _parts(words: Sequence[str]) -> frozenset[str]:
    return frozenset(part for word in words for part in (word, *re.split(r"[:/.=\s;]", word)))


def _without_message(words: Sequence[str]) -> Sequence[str]:
    """The words of a git command without the texts of messages: they describe acts and do nothing."""
    return [
        word
        for before, word in pairwise(("", *words))
        if before not in ("-m", "-am", "--message") and not word.startswith("--message=")
    ]


def _subcommand(words: Sequence[str]) -> str:
    """The subcommand of a git command, after the options of git itself."""
    at = 1
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in ("-c", "-C") else 1
    return words[at] if at < len(words) else ""


def _done_by(words: Sequence[str]) -> frozenset[str]:
    """The words of a command that may be what it does.

    For git this is the subcommand. A path counts only as the program that runs, and without its folders.
    """
    program = words[0].rpartition("/")[2]
    if program == "git":
        return frozenset({_subcommand(words)})
    if program in _HARMLESS:
        return frozenset()
    runs = next((word for word in words[1:] if not word.startswith("-")), "") if program in _RUNNERS else ""
    others = [word for word in words[1:] if not _PATH.fullmatch(word)]
    return _parts([program, runs.rpartition("/")[2], *others])


def _begins_with(words: Sequence[str], name: str) -> bool:
    """Whether a command is the named one: the same program, and every other word of the name among its words."""
    wanted = _words_of(name)
    return bool(wanted) and words[0].rpartition("/")[2] == wanted[0] and set(wanted[1:]) <= set(words[1:])


@lru_cache(maxsize=1_000)
def _words_of(name: str) -> Sequence[str]:
    """Return the words of a command that a rule names, none if its quotes are unbalanced."""
    try:
        return shlex.split(name)
    except ValueError:
        return ()


def _uses(code: str, name: str) -> bool:
    """Whether new code uses a library or function: an import, a call, a dependency, a tag; not a mere mention."""
    short = re.sub(r"\.(?:js|py|ts)\Z", "", name)
    if len(short) < 3:
        return False
    word = re.escape(short)
    module, _, attribute = short.rpartition(".")
    imported = (
        rf"|from\s+{re.escape(module)}\s+import\s+[^\n]{{0,80}}\b{re.escape(attribute)}\b" if module else ""
    )
    pattern = (
        rf"(?:\b(?:import|from|require|include|using?)\b|src=|href=)[^\n]{{0,80}}(?<![\w-]){word}(?![\w])"
        rf"|(?<![\w.]){word}\s{{0,2}}\(|[\"']{word}[\"']\s{{0,2}}:|^{word}\s{{0,2}}[=<>~]=|<{word}[\s/>]{imported}"
    )
    return re.search(pattern, code, re.I | re.M) is not None
