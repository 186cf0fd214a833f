"""Commands that a user gives as they are to be run: in a fence of a shell, a few lines of nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspector.quality.facts.exact_values import placed, values_of
from inspector.quality.facts.fact import Span, Statement
from inspector.quality.facts.rules.lexicon import Rules

#: How the rule of such a fact is called, and how sure it is.
RULE, STRENGTH = "any.command", 5
#: More commands are a script, or what a shell printed; with what is said of them they stand in so many lines.
_MOST, _LINES = 6, 16
_FENCED = re.compile(
    r"^[ \t]*(?P<mark>`{3,}|~{3,})(?:bash|sh|shell|zsh|console)[ \t]*\n"
    rf"(?P<body>(?:.*\n){{1,{_LINES}}}?)[ \t]*(?P=mark)[ \t]*$",
    re.MULTILINE,
)
_LINE = re.compile(r"^[ \t]*(?:[$%] )?(?P<command>\S.*?)(?:\s+# .*)?[ \t]*$", re.MULTILINE)
_COMMAND = re.compile(r"(?:[A-Z_]+=\S+ )*[a-z~./][\w./~-]*(?:\s|\Z)")


def given_commands(text: str, span: Span, rules: Rules) -> Iterator[Statement]:
    """A statement for each command that stands so in a part of a user's safe text; its span is the command's."""
    for fence in _FENCED.finditer(text, *span):
        lines = [
            line
            for line in _LINE.finditer(text, fence.start("body"), fence.end("body"))
            if not line["command"].startswith("#")
        ]
        if len(lines) <= _MOST and all(_COMMAND.match(line["command"]) for line in lines):
            yield from (_statement(line["command"], line.span("command"), rules) for line in lines)


def _statement(command: str, span: Span, rules: Rules) -> Statement:
    values = placed(values_of(command, rules), span[0])
    things = tuple(dict.fromkeys(rules.stemmer.words(command)))
    return Statement("value", command, span, tuple(values), RULE, (0, 0), STRENGTH, things)
