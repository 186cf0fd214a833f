"""The facts of one message, by the rules. Pure: the same message and rules always give the same facts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from inspector.core.handoff import handoff_of
from inspector.core.messages import Message
from inspector.core.text import safe, safe_line
from inspector.engines.hygiene import TODO_START
from inspector.quality.facts.exact_values import names_in, placed
from inspector.quality.facts.fact import Mention, MessageFacts, Span, Statement, Value
from inspector.quality.facts.reading.choices import answered
from inspector.quality.facts.reading.complaints import with_complaint
from inspector.quality.facts.reading.given_commands import given_commands
from inspector.quality.facts.reading.line import THINKING, WORKING
from inspector.quality.facts.reading.sentences import MOST, sentences
from inspector.quality.facts.reading.shown import signs_of, signs_of_calls
from inspector.quality.facts.reading.statements import statements_of
from inspector.quality.facts.reading.voices import answered_in_result, own_words, said_in_result
from inspector.quality.facts.rules.languages import by_sentence, rules_of
from inspector.quality.facts.rules.lexicon import Rules

#: The role of a message that is the text of a command of the user's: a prompt in a file, handed on by a program.
COMMAND = "command"
#: Names that are kept of one message: of what a person or the agent wrote, and of what a tool printed.
NAMES = 60
TOOL_NAMES = 12
_LINE = 200
_ENDS_ASKING = re.compile(r"[?？][\s*_)]*\Z")
_ITEM = re.compile(r"\s*(?:[-*•]|\*\*|\(?(?:\d{1,2}|[A-Z])[.)])\s")
#: The text of a command that is longer is a manual, of which the user said nothing.
_MANUAL = 8_000
#: The agent answers, whether or not it calls something too, from so many characters on.
_ANSWER = 1000


def extract(message: Message, rules: Rules) -> MessageFacts:
    """What a message says: its facts and the names that it uses. Spans are in `safe(message.text)`.

    The summary in a handoff says nothing itself, nor does the to-do list that a compaction put back.
    """
    text = message.text
    role = message.role
    if role == "user" and text.startswith(TODO_START):
        return MessageFacts()
    text = safe(text)
    if message.summary or text.startswith("[") or (text[:1].isspace() and text.lstrip().startswith("[")):
        handoff = handoff_of(message)
        if handoff is not None:
            return _of_tail(text, safe(handoff.tail_text), role, rules)
    calls = [(safe_line(call.name, 80), safe(call.arguments[:20_000])) for call in message.tool_calls]
    return facts_of(text, role, rules, calls)


def _of_tail(text: str, own: str, role: str, rules: Rules) -> MessageFacts:
    """The facts of the tail message that a summary was merged into, in the place of its own text."""
    at = text.rfind(own) if own.strip() else -1
    if at < 0:
        return MessageFacts()
    found = facts_of(own, role, rules)
    return MessageFacts(
        tuple(_moved(statement, at) for statement in found.statements),
        tuple(Mention(m.value, m.text, _shift(m.text_span, at), m.pasted) for m in found.mentions),
        tuple(replace(s, span=_shift(s.span, at), cue=_shift(s.cue, at)) for s in found.signs),
    )


def _moved(statement: Statement, by: int) -> Statement:
    return replace(
        statement,
        span=_shift(statement.span, by),
        values=placed(statement.values, by),
        cue=_shift(statement.cue, by),
    )


def _shift(span: Span, by: int) -> Span:
    return (span[0] + by, span[1] + by) if span != (0, 0) else span


def facts_of(text: str, role: str, rules: Rules, calls: Sequence[tuple[str, str]] = ()) -> MessageFacts:
    """What a safe text says when `role` says it; `calls` are the tools it calls and the arguments.

    In a tool's result the user may speak: the reason for which a call was refused, the answer to a question.
    """
    if role == "tool":
        said = [replace(statement, voice="user") for statement in _said_in_result(text, rules)]
        return MessageFacts(tuple(said), tuple(_mentions(text, (), rules, TOOL_NAMES)))
    if role == COMMAND:
        if len(text) > _MANUAL:
            return MessageFacts()
        # As something shown: its rules alone count.
        shown = [
            replace(one, pasted=True) for span in own_words(text, rules) for one in sentences(text, *span)
        ]
        spoken_in = by_sentence(text, rules)
        said = [
            found
            for one in shown
            for found in statements_of(text, one, "user", spoken_in(text[one.start : one.end]))
        ]
        return MessageFacts(tuple(replace(statement, voice="user") for statement in said))
    if role not in ("user", "assistant"):
        return MessageFacts()
    statements: list[Statement] = []
    spoken = []
    spoken_in = by_sentence(text, rules)
    whole = [(0, len(text))] if role == "assistant" else own_words(text, rules)
    prose = (
        [
            sentence
            for start, end in whole
            for sentence in with_complaint(
                text, (start, min(end, MOST)), list(sentences(text, start, end, spoken_in))
            )
        ]
        if role == "user"
        else list(sentences(text))
    )
    thinking = rules.voices.thinking.match(text) is not None
    # A long text is an answer, even where it ends with a call.
    working = THINKING if thinking else WORKING if calls and len(text) < _ANSWER else 0
    choices = role == "assistant" and _ENDS_ASKING.search(text) is not None
    for sentence in prose:
        # The points of an answer that ends with a question are what the user may choose of.
        if choices and _ITEM.match(text, text.rfind("\n", 0, sentence.start) + 1):
            continue
        own = spoken_in(text[sentence.start : sentence.end])
        statements.extend(statements_of(text, sentence, role, own, working))
        if not sentence.pasted:
            spoken.append((sentence.start, sentence.end))
    if role == "user":
        statements.extend(found for span in whole for found in given_commands(text, span, rules))
    mentions = list(_mentions(text[:MOST], spoken, rules, NAMES))
    known = {mention.value.canon for mention in mentions}
    for tool, arguments in calls:
        for value, _ in names_in(arguments, rules, NAMES):
            if value.canon not in known:
                known.add(value.canon)
                mentions.append(Mention(replace(value, span=(0, 0)), f"{tool} {value.text}", (0, 0)))
    signs = signs_of(text, prose, rules, spoken_in) if role == "user" else signs_of_calls(calls, rules)
    return MessageFacts(tuple(statements), tuple(mentions), tuple(signs))


def _said_in_result(text: str, rules: Rules) -> Iterable[Statement]:
    for asked, said in answered_in_result(text, rules):
        yield from answered(text, asked, said, _sentences_of(text, said, rules), rules)
    for span in said_in_result(text, rules):
        yield from _sentences_of(text, span, rules)


def _sentences_of(text: str, span: Span, rules: Rules) -> list[Statement]:
    own = rules_of(text[slice(*span)], rules)
    parts = sentences(text, *span, lambda sentence: own)
    return [one for part in parts for one in statements_of(text, part, "user", own)]


def _mentions(text: str, spoken: Sequence[Span], rules: Rules, limit: int) -> Iterable[Mention]:
    for value, at in names_in(text, rules, limit):
        sentence = next((span for span in spoken if span[0] <= at < span[1]), None)
        start, end = sentence or _line(text, at)
        if end - start > _LINE:
            start, end = _around(text, (start, end), at, at + len(value.text))
        placed = Value(value.text, value.form, value.canon, "", True, (at, at + len(value.text)))
        yield Mention(placed, " ".join(text[start:end].split()), (start, end), sentence is None)


def _around(text: str, line: Span, start: int, end: int) -> Span:
    """As much of a long line around text[start:end] as is shown, in whole words."""
    first, last = max(line[0], start - _LINE // 3), min(line[1], end + _LINE // 2)
    if first > line[0]:
        space = text.find(" ", first, start)
        first = space + 1 if space >= 0 else first
    if last < line[1]:
        space = text.rfind(" ", end, last)
        last = space if space >= 0 else last
    return first, last


def _line(text: str, at: int) -> Span:
    end = text.find("\n", at)
    return text.rfind("\n", 0, at) + 1, len(text) if end < 0 else end
