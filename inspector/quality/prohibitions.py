"""Prohibitions of the user's, in a form that an act can be compared with.

Only prohibitions that name something exact are parsed: a path, a command, a name. A prohibition with a condition
("unless", "without asking") is left out, because an act alone does not show whether the condition holds.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from inspector.quality.acts import Act, is_path, plain_path, simple_commands

_DENIAL = re.compile(
    r"\b(?:never|do(?:es)? not|don['’]?t|must not|mustn['’]?t|should not|shouldn['’]?t|shall not|may not|can ?not"
    r"|can['’]t|not allowed to|not to|avoid|refrain from|stop)\s+"
    r"|不要再?|不许|禁止|不得|不能|不可以?|切勿|[请請]勿|别再?",
    re.I,
)
_INSTEAD = re.compile(
    r"(?:,\s*not|\binstead of|\brather than|\bover)\s+"
    r"(?P<other>`[^`\n]{1,80}`|[\w./@-]{2,60}(?: [\w./@-]{2,40})?)",
    re.I,
)
_END = re.compile(r"[;!?\n。；！？，]|\.(?=\s|$)|,(?!\s*(?:or|and|nor)\b)|\s[—–-]\s|:\s")
_CONDITION = re.compile(
    r"\b(?:unless|until|without|except|before|if|when|while|more than|only)\b|除非|之前|未经", re.I
)
_CODE = re.compile(r"`([^`\n]{1,200})`|\"([^\"\n]{1,120})\"")
_WORD = re.compile(r"[\w][\w./@+-]{0,80}")
_NAME = re.compile(r"[A-Za-z][\w.-]*[_\d.A-Z-][\w.-]*|[A-Za-z]+[A-Z]\w*")

_EDITS = frozenset({
    "edit", "change", "modify", "touch", "alter", "write", "update", "overwrite", "rewrite", "delete", "remove",
    "rename", "move", "create", "add", "replace", "改", "修改", "删除", "编辑", "碰", "动",
})  # fmt: skip
_READS = frozenset({"read", "open", "view", "load", "读", "读取", "打开"})
_USES = frozenset({
    "use", "install", "import", "add", "introduce", "require", "call", "run", "execute", "invoke", "start", "launch",
    "使用", "用", "安装", "引入", "运行", "执行",
})  # fmt: skip
_GIT = frozenset({"push", "commit", "merge", "rebase", "amend", "tag", "reset", "stash", "cherry-pick"})
_COMMANDS = frozenset({"deploy", "publish", "release", "install", "drop", "migrate", "truncate"})
_EMPTY_WORDS = frozenset({
    "to", "the", "a", "an", "any", "or", "and", "nor", "in", "on", "into", "of", "with", "at", "it", "anything",
    "directly", "straight", "ever", "again", "this", "that", "our", "your", "my",
})  # fmt: skip
_CHANGING_PROGRAMS = frozenset(["rm", "mv", "tee", "truncate", "rmdir", "unlink"])
_FORCE = frozenset({"-f", "--force", "--force-with-lease"})


@dataclass(frozen=True, slots=True)
class Prohibition:
    """A forbidden action.

    `verb` is in lower case ("" for the rejected half of "X, not Y"). `exact` are paths, commands and names as the user
    wrote them; `words` are the other words behind the verb, in lower case.
    """

    verb: str
    exact: tuple[str, ...]
    words: tuple[str, ...]

    def forbids(self, act: Act) -> bool:
        """Whether an act does what is forbidden."""
        if act.kind == "write":
            return self._forbids_write(act)
        if act.kind == "read":
            return self.verb in _READS and any(_same_path(name, act.key) for name in self.exact)
        return act.kind == "run" and any(self._forbids_command(words) for words in simple_commands(act.key))

    def _forbids_write(self, act: Act) -> bool:
        if self.verb in _EDITS and any(_same_path(name, act.key) for name in self.exact):
            return True
        names = [name for name in self.exact if not ("/" in name or " " in name)]
        return self.verb in _USES and any(_has_word(act.content, name) for name in names)

    def _forbids_command(self, words: Sequence[str]) -> bool:
        program = words[0].rpartition("/")[2]
        if self.verb in _EDITS and (program in _CHANGING_PROGRAMS or (program == "sed" and "-i" in words)):
            return any(_same_path(name, plain_path(word)) for name in self.exact for word in words[1:])
        if self.verb in _USES or not self.verb:
            if any(_begins_with(words, name) for name in self.exact):
                return True
            return bool(self.words) and not self.exact and len(self.words) == 1 and self.words[0] == program
        lower = [word.lower() for word in words]
        if "force" in (self.verb, *self.words[:1]) and "push" in (self.verb, *self.words):
            return (
                program == "git"
                and "push" in lower
                and not _FORCE.isdisjoint(lower)
                and self._objects_in(lower)
            )
        if self.verb in _GIT:
            return program == "git" and self.verb in lower[1:3] and self._objects_in(lower)
        return self.verb in _COMMANDS and self.verb in lower and self._objects_in(lower)

    def _objects_in(self, lower: Sequence[str]) -> bool:
        objects = {
            word
            for word in (*self.words, *(name.lower() for name in self.exact))
            if word not in ("force", "push")
        }
        parts = {part for word in lower for part in (word, *re.split(r"[:/]", word))}
        return objects <= parts


def prohibitions_of(text: str) -> tuple[Prohibition, ...]:
    """The prohibitions of a rule. Empty where it forbids nothing exact, or under a condition."""
    result = []
    for denial in _DENIAL.finditer(text[:2_000]):
        rest = text[denial.end() : denial.end() + 300]
        end = _end_of(rest)
        clause, after = rest[:end], rest[end : end + 60]
        if _CONDITION.search(clause) or _CONDITION.match(after.lstrip(" ,，")):
            continue
        if (found := _of_clause(clause)) is not None:
            result.append(found)
    for match in _INSTEAD.finditer(text[:2_000]):
        if _CONDITION.search(text[match.end() : match.end() + 30]):
            continue
        other = match["other"]
        exact = (other.strip("`"),) if other.startswith("`") else ()
        words = () if exact else (other.split()[0].lower(),)
        result.append(Prohibition("", exact, words))
    return tuple(result)


def _end_of(rest: str) -> int:
    """The end of the clause: the first mark that ends one and is not inside code."""
    code = [match.span() for match in _CODE.finditer(rest)]
    for match in _END.finditer(rest):
        if not any(start < match.start() < end for start, end in code):
            return match.start()
    return len(rest)


def _of_clause(clause: str) -> Prohibition | None:
    quoted = [match[1] or match[2] for match in _CODE.finditer(clause)]
    plain = _CODE.sub(" ", clause)
    words = [word.strip(".-") for word in _WORD.findall(plain)]
    if clause[:1] and not clause[:1].isascii():
        verb = next(
            (
                v
                for v in sorted(_EDITS | _READS | _USES, key=len, reverse=True)
                if clause.lstrip().startswith(v)
            ),
            "",
        )
    else:
        while words and words[0].lower() in ("ever", "directly", "just", "try", "to"):
            words = words[1:]
        verb, words = (words[0].lower(), words[1:]) if words else ("", [])
        verb = _base(verb)
    if not verb:
        return None
    exact = list(quoted)
    others: list[str] = []
    for word in words:
        if "/" in word or _NAME.fullmatch(word):
            exact.append(word)
        elif word.lower() not in _EMPTY_WORDS:
            others.append(word.lower())
    if not exact and not others and verb not in _GIT:
        return None
    return Prohibition(verb, tuple(exact), tuple(others))


def _base(verb: str) -> str:
    """A verb without -ing: "editing" is "edit", "using" is "use"."""
    if verb.endswith("ing") and len(verb) > 5:
        stem = verb[:-3]
        every = _EDITS | _READS | _USES | _GIT | _COMMANDS
        return next((form for form in (stem, stem + "e", stem[:-1]) if form in every), verb)
    return verb


def _same_path(name: str, path: str) -> bool:
    """Whether a path is the named file, or lies in the named folder."""
    wanted, path = plain_path(name).strip("/*"), path.strip("/")
    if not wanted or not is_path(name) or not ("/" in name or "." in name.strip(".")):
        return False
    return (
        path == wanted
        or path.endswith("/" + wanted)
        or path.startswith(wanted + "/")
        or f"/{wanted}/" in path
    )


def _begins_with(words: Sequence[str], name: str) -> bool:
    """Whether a command is the named one: the same program, and every other word of the name among its words."""
    try:
        wanted = shlex.split(name)
    except ValueError:
        return False
    return bool(wanted) and words[0].rpartition("/")[2] == wanted[0] and set(wanted[1:]) <= set(words[1:])


def _has_word(text: str, name: str) -> bool:
    return len(name) > 2 and re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None
