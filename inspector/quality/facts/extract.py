"""Read the facts of one message. The same message always gives the same facts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from inspector.core.handoff import handoff_of
from inspector.core.messages import Message, arguments_in
from inspector.core.patterns import late_pattern
from inspector.core.scan.words import has_unspaced
from inspector.core.text import safe, safe_line
from inspector.engines.hygiene import TODO_START
from inspector.quality.facts.fact import (
    STANDING,
    Fact,
    Kind,
    Mention,
    MessageFacts,
    Span,
    Statement,
    Value,
)
from inspector.quality.facts.line_forms import LONGEST, forbids_list, item_depth
from inspector.quality.facts.rules import (
    AGENT,
    APPROVALS,
    CHOICES,
    HOPES,
    NARRATES,
    NODS,
    USER,
    agrees,
    best_cue,
    is_question,
    load_stemmer,
    plain_rule,
)
from inspector.quality.facts.sentences import Sentence, sentences, statements, without_label
from inspector.quality.facts.spoken import MOST
from inspector.quality.facts.values import (
    COUNTED,
    FLEETING,
    QUANTITIES,
    is_label,
    names_in,
    placed,
    values_of,
)
from inspector.quality.limits import CONCISE

#: Role of a message with the text of a user's command: a prompt in a file that a program passes on.
COMMAND = "command"
#: Maximum names to keep of a message of the user or agent, and of a result of a tool.
NAMES, TOOL_NAMES = 60, 12
_SHOWN = 200
#: Maximum characters of a command. A longer text is a manual.
_MANUAL = 8_000
#: Minimum characters of an answer in a message of the agent that also calls a tool.
_ANSWER = 1_000
#: Minimum content words of a finding of the agent. "I found the bug!" has too few.
_FEWEST_OF_AGENT = 3
#: Maximum characters of the arguments of a call to read.
_ARGUMENTS = 20_000
#: Matches the path of a document with decisions and findings of an agent.
_DOCUMENT = late_pattern(
    r"(?i:plan|hand-?off|notes?|memory|decision|design|spec|adr|progress|status|todo|context|summary|findings|"
    r"claude|agents)[\w .-]{0,60}\.(?:md|mdx|txt|rst)$|"
    r"/(?:plans?|notes|memory|memories|docs/adr|handoffs?)/[^/]{1,80}\.(?:md|txt)$"
)
_HINT = late_pattern(
    r"\s*(?:The user doesn't want to proceed|The user answered|User has answered|User (?:rejected|declined|"
    r"answered|selected|responded)|The user rejected|The user provided|"
    r"Your questions have been answered|\{\s*\"answers\"\s*:)"
)
_SPOKEN = (
    # Without a person, Copilot CLI answers in the user's name.
    late_pattern(r"\A\s*User responded: (?!The user is not available)(?P<said>(?s:.{1,4000}?))\s*\Z"),
    late_pattern(
        r"(?:the user said|user said|with the following feedback|feedback|reason(?: for the rejection)?)\s*:\s*"
        r"(?!\s|The user (?:wants to clarify|has indicated))(?P<said>(?s:.+?))(?=\s*\n\s*Note: The user's next "
        r"message|\s*\Z)"
    ),
    late_pattern(
        r"\"\s*=\s*\"\s*(?P<answer>[^\"]{1,2000}?)\s*\" user notes: "
        r"(?!(?P=answer))(?P<said>(?s:.{1,4000}?))(?=\.?(?:, \"|\s+You can now continue|\s*\Z))"
    ),
)
_ANSWERS = (
    late_pattern(
        r"(?<=[:,] )\"(?P<asked>[^\n]{1,1000}?)\"\s*=\s*\"\s*(?P<said>(?s:.{1,2000}?))(?:\s*\(Recommended\))?\s*\""
        r"(?=\s*(?:, \"|user notes: |selected |\.(?:\s|\Z)|\Z))"
    ),
    late_pattern(
        r"^[^\S\n]*+- \"(?P<asked>[^\n]{1,1000})\"\n[^\S\n]*+Answer: (?P<said>[^\n]*\S)", re.MULTILINE
    ),
    # The results of pi and Copilot CLI, and of Codex, which has the name of the question.
    late_pattern(r"\A\s*User selected: (?P<asked>)(?P<said>[^\n]{1,2000}?)(?:\s*\((?i:recommended)\))?\s*\Z"),
    late_pattern(
        r"\"(?P<asked>[^\"\n]{1,200})\"\s*:\s*\{\s*\"answers\"\s*:\s*\[\s*\""
        r"(?P<said>[^\"\n]{1,2000}?)(?:\s*\((?i:recommended)\))?\s*\""
    ),
)
#: Start and end of a message that the user sends to Hermes during its work.
_STEERED = "[OUT-OF-BAND USER MESSAGE — ", "\n[/OUT-OF-BAND USER MESSAGE]"
_ONWARD = late_pattern(
    r"(?i:next (?:area|topic|question|section|part)|done|move on|continue|thanks?|thank you|"
    r"hi|hello)\b.{0,30}\Z"
)
#: Sign between an answer and its question in the text of a fact, and the endings of the rules of answers and choices.
ARROW = " ← "
ANSWER, CHOICE = ".answer", ".choice"
#: Maximum characters of a message that is only an answer or a choice.
_SHORT = 80
_ASKED = 240
#: Minimum characters of a copied statement, and minimum number of copied statements in a message.
_COPIED, _FEWEST_COPIED = 24, 3
#: Matches the sign between a copied text and the user's reply.
_DASH = late_pattern(r"——|\s[–—]\s")
_SEMICOLON = late_pattern(r";\s+|；")
_REFUSES = late_pattern(r"\b(?:no|nope|not|don['’]?t)\b|不|别", re.I)
#: Matches a sentence that only points to nearby text. Claude Code and Codex write the one before a plan.
_SHOWS = late_pattern(
    r"\W*(?:here(?:['’]s| is| are)\b|(?:see )?(?:the )?attached\b|这是|[這那]是|如下|[见見]附件|"
    r"(?:please )?implement (?:the following|this) plan:\s*\Z|(?:image #\d+\]\W*)+\Z)",
    re.I,
)
# The path of a picture that the user attaches. Its spaces may be escaped.
_PICTURE = late_pattern(r"(?:[^\s\\]|\\.){1,400}+(?<=\.png|\.jpg|jpeg|\.gif|webp|heic)\s*\Z", re.I)
#: Matches a report of the present state. Its values are what the user sees, not what the user sets.
_REPORTS = late_pattern(
    r"\b(?:(?:an?|this|same|gets?|got|getting|throws?) (?:\S+ )?(?:error|exception)s?|crash(?:es|ed)?|"
    r"fails?|failed|failing|not[_ ]found|too \w+|(?:now|still|it) (?:shows?|says?|gives?|gets?))\b|"
    r"报错|[错錯][误誤]",
    re.I,
)
#: Matches the mark before a question at the end of a sentence.
_ASKS_BEHIND = late_pattern(
    r"(?<=\w), (?:(?:and|but|so) )?(?=(?:what|how|why|where|who|which)\b[^,?\n]{3,200}\?\W{0,9}\Z)", re.I
)
#: Matches numbers of a list without their mark: "23 needs a chart", "1-3 is okay".
_LISTED_NUMBER = late_pattern(r"\d{1,2}(?:-\d{1,2})?[\s,.:：、)]+[^\W\d]")
#: Matches numbers of a list and nothing else: "5+6."
_NUMBERS = late_pattern(r"\d{1,2}(?:[+,，、]\s*+\d{1,2})*+[.。、\s]*+")
#: Matches an answer that only permits one act.
_GRANTS = late_pattern(r"\W*(?:authori[sz]e|approve|allow|proceed|accept|continue|go ahead)\b", re.I)
_OFFERS = late_pattern(r".{0,200}\b(?:(?:should|shall|can|may) I|(?:want|like) me to) ", re.I | re.S)
_LABELS = late_pattern(r"\d{1,2}|(?<![A-Za-z])[A-Ha-h](?![A-Za-z])")
#: Matches the number of a point at the start of a line or a sentence, also a bare one: "3 yes".
_NUMBER = late_pattern(
    r"(?:^[ \t]*|(?<=[.!?。！？\]] ))(?P<number>\d{1,2})(?:[.):][ \t]+|、[ \t]*|(?P<bare>[ \t]+)(?=[^\W\d_]))(?=\S)",
    re.MULTILINE,
)
#: Matches questions at the start of an answer, and its first other sentence.
_REPLY = late_pattern(
    r"(?:[^\n?？]{0,80}[?？]+[ \t]+)*[^\n.!?。！？]+(?=\s*$|[.!。！](?:\s|\Z))", re.MULTILINE
)
#: Minimum bare numbers of a list that has no questions before it: "2 seconds" may be an amount.
_FEWEST_BARE = 2
#: Matches the start of a line, with the number of a list item.
_LINE_START = late_pattern(r"^[ \t]*(?:(?P<number>\d{1,2})[.)](?P<space>[ \t]*)(?=\S))?", re.MULTILINE)
#: Minimum items of a list with a number glued to a value: "2.30 days".
_FEWEST_GLUED = 3
#: Matches a section with a number, and the first question in it.
_SECTION = late_pattern(
    r"^#{1,4}[ \t]+[*_]{0,3}(?P<label>\d{1,2})[.):][ \t]*(?P<title>[^\n]*)\n(?P<body>(?:(?!#)[^\n]*(?:\n|\Z))*)",
    re.MULTILINE,
)
_FIRST_QUESTION = late_pattern(r"[^\s*•>-][^\n?？]{0,400}[?？]")
_MARK_OF_QUESTION = late_pattern(r"[?？]")
_CELLS = late_pattern(r"(?<!\s)\s*+\|\s*+")
_MARKS = late_pattern(r"[*_]{2,}|\\(?=[^\w\s])")
#: Matches a line that only introduces the lines below it.
_LABEL = late_pattern(r"[^.!?\n]{1,60}[:：]\W*")
#: Ending of the rule of a statement under a heading such as "Rules".
LISTED_RULE = ".listed"
#: Matches a heading over rules.
_RULES = late_pattern(
    r"[\W\d]*(?:(?:hard|ground|general|important|strict|coding|critical|project|house|team)\s)?"
    r"(?:rules?|constraints?|guidelines?|conventions?|principles|规则|約束|约束|规范)\W*",
    re.IGNORECASE,
)
#: Matches a heading over a description.
_BACKGROUND = late_pattern(
    r"[\W\d]*(?:context|background|motivation|(?:the )?problem(?: statement)?|(?:root )?causes?(?: analysis)?|"
    r"symptoms?|verification|test plan|current (?:state|behaviou?r|situation)|(?:actual|observed) behaviou?r|"
    r"what happened|findings|analysis|overview|背景|现状|問題|问题|原因)\W*",
    re.IGNORECASE,
)


def extract(message: Message) -> MessageFacts:
    """Return the facts of a message and the names that it uses. Spans are in `safe(message.text)`.

    A summary in a handoff and a to-do list that a compaction put back have no facts.
    """
    text, role = message.text, message.speaker
    if role == "user" and text.startswith(TODO_START):
        return MessageFacts()
    text = safe(text)
    if message.summary or text.startswith("[") or (text[:1].isspace() and text.lstrip().startswith("[")):
        handoff = handoff_of(message)
        if handoff is not None:
            return _of_tail(text, safe(handoff.tail_text), role)
    calls = [(safe_line(call.name, 80), safe(call.arguments[:_ARGUMENTS])) for call in message.tool_calls]
    return facts_of(text, role, calls)


def _of_tail(text: str, tail: str, role: str) -> MessageFacts:
    """Return the facts of a tail message with a merged summary. `own` is its text without the summary."""
    at = text.rfind(tail) if tail.strip() else -1
    if at < 0:
        return MessageFacts()
    facts = facts_of(tail, role)
    return MessageFacts(
        tuple(_moved_statement(statement, at) for statement in facts.statements),
        tuple(replace(mention, text_span=_moved(mention.text_span, at)) for mention in facts.mentions),
    )


def _moved_statement(statement: Statement, by: int) -> Statement:
    return replace(
        statement,
        span=_moved(statement.span, by),
        values=placed(statement.values, by),
        cue=_moved(statement.cue, by),
    )


def _moved(span: Span, by: int) -> Span:
    return (span[0] + by, span[1] + by) if span != (0, 0) else span


def facts_of(text: str, role: str, calls: Sequence[tuple[str, str]] = ()) -> MessageFacts:
    """Return the facts of a safe text of `role`. `calls` are the tools that it calls, with their arguments.

    The result of a tool may have words of the user: the reason of a refusal, the answer to a question.
    """
    if role == "tool":
        by_user = tuple(replace(statement, voice=USER) for statement in _of_user_in_result(text))
        return MessageFacts(by_user, tuple(_mentions(text, (), TOOL_NAMES)))
    if role == COMMAND:
        if len(text) > _MANUAL:
            return MessageFacts()
        pasted = [replace(sentence, pasted=True) for sentence in sentences(text)]
        return MessageFacts(
            tuple(replace(rule, voice=USER) for sentence in pasted for rule in _of_user(text, sentence))
        )
    if role not in (USER, AGENT):
        return MessageFacts()
    prose = list(sentences(text, role == USER))
    statements: list[Statement] = []
    if role == USER:
        statements += _of_person(text, prose)
    else:
        working = bool(calls) and len(text) < _ANSWER
        for sentence in prose:
            statements += _of_agent(text, sentence, working)
        for tool, arguments in calls:
            statements += _of_document(tool, arguments)
    spoken = [(sentence.start, sentence.end) for sentence in prose if not sentence.pasted]
    mentions = list(_mentions(text[:MOST], spoken, NAMES))
    mentioned = {mention.value.canon for mention in mentions}
    for tool, arguments in calls:
        for value, _ in names_in(arguments, NAMES):
            if value.canon not in mentioned:
                mentioned.add(value.canon)
                mentions.append(Mention(replace(value, span=(0, 0)), f"{tool} {value.text}", (0, 0)))
    return MessageFacts(tuple(statements), tuple(mentions))


def _of_person(text: str, prose: Sequence[Sentence]) -> Iterator[Statement]:
    """Yield the statements of a user's message. Under a heading such as "Context" they are not constraints.

    Under a heading such as "Rules", all statements are constraints. The items of a list below "Never:" are forbidden.
    """
    describes = rules = False
    bare = {mark.start("number"): mark.end() for mark in _numbers(text) if mark["bare"]}
    if len(bare) < _FEWEST_BARE:
        bare = {}
    bare |= _glued(text)
    lead: tuple[str, Statement] | None = None
    lead_depth = -1
    for sentence in prose:
        if sentence.heading:
            describes = _BACKGROUND.fullmatch(text, sentence.start, sentence.end) is not None
        if sentence.heading or _LABEL.fullmatch(text, sentence.start, sentence.end):
            rules = _RULES.fullmatch(text, sentence.start, sentence.end) is not None
        statements_here = list(
            _of_user(text, replace(sentence, start=bare.get(sentence.start, sentence.start)))
        )
        line = text.rfind("\n", 0, sentence.start) + 1
        begins, depth = not text[line : sentence.start].strip(), item_depth(text[line : sentence.end])
        if begins and depth <= lead_depth:
            lead = None
        if lead is not None and begins and not sentence.pasted:
            statements_here = [_forbidden(statement, *lead) for statement in statements_here]
        words = forbids_list(text[sentence.start : sentence.end])
        if statements_here and statements_here[-1].kind == "constraint" and words:
            lead, lead_depth = (words, statements_here[-1]), depth
        for statement in statements_here:
            kind = "statement" if describes and statement.kind == "constraint" else statement.kind
            if rules and statement.uncued and not statement.asked:
                kind, statement = "constraint", replace(statement, rule=f"any{LISTED_RULE}")
            yield replace(statement, kind=kind, pasted=statement.pasted or sentence.planned)


def _forbidden(statement: Statement, lead: str, rule: Statement) -> Statement:
    """Return the item of a list as a rule, with the words of the line that forbids it.

    A rule and a question stay as they are.
    """
    if statement.kind == "constraint" or statement.asked:
        return statement
    text = f"{lead} {statement.text}"
    return replace(
        statement, kind="constraint", text=text, rule=rule.rule, strength=rule.strength, cue=(0, 0)
    )


def _of_user(text: str, sentence: Sentence) -> Iterator[Statement]:
    """Yield the statements of a user's sentence. Pasted sentences and headings count only with the cue of a rule."""
    start = without_label(text, sentence.start, sentence.end)
    for span in _without_questions(text, statements(text, start, sentence.end)):
        body = text[slice(*span)]
        values = placed(values_of(body), span[0])
        cue = best_cue(body, USER, _needs_met(body, values))
        # "What is important: never sail alone" asks nothing.
        # A long sentence without a question mark may begin with a question: "What is old, and all of it must go".
        asked = is_question(body, cue is not None and (cue[0].strength >= STANDING or len(body) > CONCISE))
        if cue is not None and not (asked and cue[0].kind != "preference"):
            rule, (a, b) = cue
            yield _statement(
                text,
                span,
                rule.kind,
                rule.id,
                (span[0] + a, span[0] + b),
                rule.strength,
                values,
                sentence.pasted,
            )
        elif not (sentence.pasted or sentence.heading) and _says_something(body, values):
            if asked:
                language = "zh" if has_unspaced(body) else "en"
                yield _statement(
                    text, span, "statement", f"{language}.question", (0, 0), 4, values, False, asked=True
                )
            else:
                rule_id, kind = plain_rule(body)
                strength = 5
                # "Fix it in parse.py" asks for something, "the parser is in parse.py" gives a value.
                if kind == "statement" and (given := _given(body, values)) is not None:
                    rule_id, kind, strength = f"value.{given.form}", "value", 6
                yield _statement(text, span, kind, rule_id, (0, 0), strength, values, False)


def _without_questions(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """Yield the spans, each split before a question that follows a rule: "Reply in English, what is left?"."""
    for start, end in spans:
        question = _ASKS_BEHIND.search(text, start, end)
        if question is not None:
            rule = text[start : question.start()]
            if best_cue(rule, USER, _needs_met(rule, values_of(rule))) is not None:
                yield start, question.start()
                start = question.end()
        yield start, end


def _needs_met(body: str, values: Sequence[Value]) -> frozenset[str]:
    """Return the needs of a cue that a sentence meets: a number, a name."""
    needs = {"number" if value.form in COUNTED else "name" for value in values}
    if "`" in body or '"' in body:
        needs.add("name")
    return frozenset(needs)


def _says_something(body: str, values: Sequence[Value]) -> bool:
    """Return whether a user's sentence has content. A nod or a single small word has none.

    Two words have content. In a script without spaces, so do four pairs of characters, or one beside a Latin word.
    """
    if NODS.fullmatch(body) is not None or _SHOWS.match(body) is not None or _NUMBERS.fullmatch(body):
        return False
    words = list(load_stemmer().words(body))
    least = 3 if has_unspaced(body) and not any(word.isascii() for word in words) else 1
    return bool(values) or len(words) > least or (len(words) == 1 and len(body.split()) > 1)


def _given(body: str, values: Sequence[Value]) -> Value | None:
    """Return the exact value that a short sentence gives: "port 8080", "VPN gateway is 10.44.0.1"."""
    stems = sum(1 for _ in load_stemmer().words(body, [value.span for value in values]))
    if stems > 6 or _PICTURE.match(body) or _REPORTS.search(body):
        return None
    listed = _LISTED_NUMBER.match(body) is not None
    for value in values:
        # A meeting of two people is a "1:1".
        if value.canon == "1:1":
            continue
        names = value.form == "number" and (stems > 3 or listed or is_label(body, value))
        if not names and value.form not in ("name", "option", "identifier", "weekday"):
            return value
    return None


def _statement(
    text: str, span: Span, kind: Kind, rule: str, cue: Span, strength: int, values: Sequence[Value],
    pasted: bool, asked: bool = False, voice: str = "",
) -> Statement:  # fmt: skip
    body = text[slice(*span)]
    inside = [(value.span[0] - span[0], value.span[1] - span[0]) for value in values]
    things = tuple(dict.fromkeys(load_stemmer().words(body, inside)))
    return Statement(kind, body, span, tuple(values), rule, cue, strength, things, pasted, asked, voice)


def _of_agent(text: str, sentence: Sentence, working: bool) -> Iterator[Statement]:
    """Yield what the agent found, decided or measured. `working`: the message only leads to a tool call."""
    start = without_label(text, sentence.start, sentence.end)
    if sentence.pasted or sentence.heading or NARRATES.match(text, start, sentence.end):
        return
    if text[start : sentence.end].rstrip(" *_").endswith(("?", "？", ":", "：")):
        return
    for mark in (*_SEMICOLON.finditer(text, start, sentence.end), None):
        end = mark.start() if mark is not None else sentence.end
        yield from _found(text, (start, end), working)
        start = mark.end() if mark is not None else end


def _found(text: str, span: Span, working: bool) -> Iterator[Statement]:
    """Yield the finding in a part of an agent's sentence, by a cue or by its most important value."""
    body = text[slice(*span)]
    values = placed(values_of(body), span[0])
    cue = best_cue(body, AGENT, _needs_met(body, values))
    stems = sum(1 for _ in load_stemmer().words(body))
    if (
        cue is not None
        and (values or "`" in body or stems >= _FEWEST_OF_AGENT)
        and not (working and cue[0].strength < 8)
    ):
        rule, (a, b) = cue
        strength = rule.strength - working
        yield _statement(text, span, rule.kind, rule.id, (span[0] + a, span[0] + b), strength, values, False)
        return
    best = max(((_worth(value, body, working), value.form) for value in values), default=(0, ""))
    if best[0] and HOPES.search(body) is None:
        yield _statement(text, span, "value", f"value.{best[1]}", (0, 0), best[0], values, False)


def _worth(value: Value, body: str, working: bool) -> int:
    """Return how surely a value of the agent is a result, not a part of code. 0: it is not."""
    if value.form in COUNTED and ("`" in body or value.unit in FLEETING or (working and value.canon == "0")):
        return 0
    if value.form == "url":
        # Such as the page of a change that it created.
        return 3 if working else 4
    if value.form in ("ticket", "uuid", "version"):
        return 0 if working else 4
    if value.form == "digest":
        return 0 if working else 2
    if value.form == "percent":
        return 4 if "." in value.canon else 0
    if value.form in ("quantity", "address", "ratio"):
        return 4
    named = not QUANTITIES.isdisjoint(body.lower().split())
    return 3 if value.form == "number" and named else 0


def _of_document(tool: str, arguments: str) -> Iterator[Statement]:
    """Yield the rules, decisions and findings of a plan, a handoff or notes that the agent writes to a file."""
    if '"' not in arguments or not re.search(r"(?i)write|edit|create|note|memory|plan", tool):
        return
    values = arguments_in(arguments)
    path = next(
        (str(values[key]) for key in ("file_path", "path", "filePath", "filename") if key in values), ""
    )
    if not (_DOCUMENT.search(path) or re.search(r"(?i)plan|memory|note", tool)):
        return
    for key in ("content", "new_string", "file_text", "text", "plan", "newText"):
        body = values.get(key)
        if not isinstance(body, str) or not body.strip():
            continue
        document = safe(body)
        for sentence in sentences(document, False):
            for statement in _of_agent(document, sentence, False):
                without_span = tuple(replace(value, span=(0, 0)) for value in statement.values)
                # A document is meant for later, so it counts more than a passing remark.
                strength = min(10, statement.strength + 2)
                yield replace(statement, span=(0, 0), cue=(0, 0), values=without_span, strength=strength)


def _of_user_in_result(text: str) -> Iterator[Statement]:
    """Yield what the user says in the result of a tool: answers to questions, reasons of a refusal, and messages that
    Hermes adds at its end."""
    end = len(text)
    while text[:end].endswith(_STEERED[1]) and (start := text.rfind(_STEERED[0], 0, end)) >= 0:
        for sentence in sentences(text, False, text.find("\n", start) + 1, end - len(_STEERED[1])):
            yield from _of_user(text, sentence)
        end = len(text[:start].rstrip())
    if _HINT.match(text) is None:
        return
    head = text[:MOST]
    for pattern in _ANSWERS:
        for match in pattern.finditer(head):
            span, answer = match.span("said"), match["said"]
            if _ONWARD.match(answer):
                continue
            rules = [rule for sentence in sentences(head, False, *span) for rule in _of_user(head, sentence)]
            is_remark = len(rules) == 1 and rules[0].uncued and not rules[0].asked
            if answer.rstrip().endswith(("?", "？")) or (len(answer) > _SHORT and not is_remark):
                yield from rules
            elif answer.strip():
                yield _answer(head, span, match["asked"])
    for pattern in _SPOKEN:
        for match in pattern.finditer(head):
            for sentence in sentences(head, False, *match.span("said")):
                yield from _of_user(head, sentence)


def _answer(text: str, span: Span, asked: str) -> Statement:
    """Return the decision of an answer. It has the words of answer and question, and the span of the answer."""
    answer, question = " ".join(text[slice(*span)].split()), " ".join(asked.split())
    # Codex names its questions: "api_shape".
    question = question if " " in question else question.replace("_", " ")
    if len(question) > _ASKED:
        question = "…" + question[-_ASKED:].partition(" ")[2]
    values = placed(values_of(text[slice(*span)]), span[0])
    things = tuple(dict.fromkeys(load_stemmer().words(f"{question} {answer}")))
    return Statement("decision", _beside(answer, question), span, values, f"any{ANSWER}", (0, 0), 7, things)


def _beside(answer: str, meaning: str) -> str:
    """Return an answer with its question if there is one, or a label with its point."""
    if not meaning:
        return answer
    return f"{' '.join(answer.split()).replace(ARROW, ' - ')}{ARROW}{meaning}"


def chosen(text: str, before: str) -> tuple[Statement, ...]:
    """Return the points that a user's safe text chooses, by number or letter, from the list in the message before it.

    Empty if the text is not a choice, or if the list lacks one of the points.
    """
    body = text.strip()
    choice = CHOICES.match(body) if 0 < len(body) <= _SHORT else None
    if choice is None:
        return ()
    answers = []
    for point in points_of(_LABELS.findall(choice["labels"]), [before]).values():
        meant = _CELLS.sub(", ", _MARKS.sub("", " ".join(point.split())).strip("| "))[:LONGEST]
        values = values_of(meant)
        things = tuple(dict.fromkeys(load_stemmer().words(meant, [value.span for value in values])))
        rule = f"any{CHOICE}"
        answers.append(
            Statement("decision", _beside(body, meant), (0, len(text)), values, rule, (0, 0), 7, things)
        )
    return tuple(answers)


def agreed(text: str, before: str) -> tuple[Statement, ...]:
    """Return the decision of a user's safe text that only agrees, refuses or answers in a word.

    It has the last question of the message before. Empty if the text says more, or if there is no question.
    """
    body = text.strip()
    if not (agrees(text) or answers_only(text)):
        return ()
    last = before.rstrip().rfind("\n\n")
    questions = [
        sentence for sentence in sentences(before, False)
        if sentence.start >= last
        and before[sentence.start : sentence.end].rstrip("*_) \n").endswith(("?", "？"))
    ]  # fmt: skip
    if not questions:
        return ()
    question = _MARKS.sub("", before[questions[-1].start : questions[-1].end])
    start = text.find(body)
    return (_answer(text, (start, start + len(body)), question),) if _asks(question, body) else ()


def _asks(question: str, answer: str) -> bool:
    """Return whether a question has a subject that an answer decides. A mere approval decides nothing."""
    approves = _REFUSES.search(answer) is None and APPROVALS.search(question) is not None
    return len(set(load_stemmer().words(question))) > 2 and not approves


def replied(statements: tuple[Statement, ...], text: str, before: str) -> tuple[Statement, ...]:
    """Return the statements of a user's safe text, with numbered answers joined to the numbered points before them.

    An answer is the short first sentence of a numbered point that is no question, with the questions before it. The
    statements behind it stay. A numbered list after a list of other things than questions has no answers, unless they
    only agree or refuse.
    """
    numbers = list(_numbers(text))
    times = Counter(mark["number"] for mark in numbers)
    spans: dict[str, Span] = {}
    ends = [*(mark.start() for mark in numbers), len(text)][1:]
    for mark, end in zip(numbers, ends, strict=True):
        reply = _REPLY.match(text, mark.end(), end)
        if reply is None or times[mark["number"]] > 1 or len(reply.group()) > _SHORT:
            continue
        # The user may copy the question.
        asked = re.split(r"(?<=[?？])", reply.group())[:-1]
        if not any(question.strip() in before for question in asked):
            spans[mark["number"]] = reply.span()
    points = _questions(list(spans), before) if len(spans) > 1 else {}
    if not all(
        _MARK_OF_QUESTION.search(point) or agrees(text[slice(*spans[number])])
        for number, point in points.items()
    ):
        points = {}
    answers = []
    for number, point in points.items():
        question = " ".join(_MARKS.sub("", point).split())
        if _asks(question, text[slice(*spans[number])]):
            answers.append(_answer(text, spans[number], question))
    others = [
        statement
        for statement in statements
        if all(
            statement.span[1] <= answer.span[0] or answer.span[1] <= statement.span[0] for answer in answers
        )
    ]
    return tuple(sorted([*others, *answers], key=lambda statement: statement.span))


def _numbers(text: str) -> Iterator[re.Match[str]]:
    """Yield the numbers of the points of a text. A bare number continues the numbers before it."""
    last = 0
    for mark in _NUMBER.finditer(text[:MOST]):
        if not mark["bare"] or int(mark["number"]) == last + 1:
            last = int(mark["number"])
            yield mark


def _glued(text: str) -> dict[int, int]:
    """Return the start and end of each number that is glued to an item of a list.

    The list has the numbers 1, 2, 3 and so on, and at least one item begins with a letter: "1.5 GB" is an amount.
    """
    glued: dict[int, int] = {}
    items: list[re.Match[str]] = []
    for mark in _LINE_START.finditer(text[:MOST]):
        number = int(mark["number"] or 0)
        if number != len(items) + 1:
            items = []
        if number == len(items) + 1:
            items.append(mark)
        if len(items) >= _FEWEST_GLUED and any(text[item.end()].isalpha() for item in items):
            glued |= {item.start("number"): item.end() for item in items if not item["space"]}
    return glued


def _questions(labels: Sequence[str], before: str) -> dict[str, str]:
    """Return the points of labels in a message (see points_of). If no point asks, return the sections with these
    numbers, each with its title and its first question."""
    points = points_of(labels, [before])
    if any(_MARK_OF_QUESTION.search(point) for point in points.values()):
        return points
    sections = {section["label"]: section for section in _SECTION.finditer(before[-MOST:])}
    asked = {
        label: f"{sections[label]['title'].strip('*_ ')}: {question[0].strip()}"
        for label in labels
        if label in sections and (question := _FIRST_QUESTION.search(sections[label]["body"]))
    }
    return asked if len(asked) == len(labels) else points


def sent_back(statements: tuple[Statement, ...], before: Iterable[str]) -> tuple[Statement, ...]:
    """Return the statements of a user's message. A statement copied from one of the agent's texts before it is pasted.

    A copy has several statements, or it is a question, or the user asks about it in the next statements or replies to
    it behind a dash. A user may repeat a single sentence to agree.
    """
    # A sign of a script without spaces counts twice.
    long = [each for each in statements if len(each.text) * (1 + has_unspaced(each.text)) >= _COPIED]
    marked = [each.span for each in statements if each.asked or _DASH.search(each.text)]
    if len(long) < _FEWEST_COPIED and (not long or not marked or long[0].span > max(marked)):
        return statements
    source = _without_marks("\n".join(before))
    copied = {each.span for each in long if _without_marks(each.text).strip(".… ") in source}
    replies = {each.span: reply for each in long if (reply := _reply_to_copy(each, source))}
    last = max((each.span for each in statements if each.asked or each.span in replies), default=(0, 0))
    if len(copied) < _FEWEST_COPIED:
        copied = {each.span for each in long if each.span in copied and (each.asked or each.span < last)}
    return tuple(
        one
        for each in statements
        for one in replies.get(each.span, (replace(each, pasted=True) if each.span in copied else each,))
    )


def _reply_to_copy(statement: Statement, source: str) -> tuple[Statement, ...]:
    """Return what the user says behind a dash after words of a source; empty without such a reply."""
    dash = _DASH.search(statement.text)
    quote = _without_marks(statement.text[: dash.start()]) if dash is not None else ""
    if dash is None or len(quote) * (1 + has_unspaced(quote)) < _COPIED or quote not in source:
        return ()
    reply = facts_of(statement.text[dash.end() :], USER).statements
    return tuple(_moved_statement(each, statement.span[0] + dash.end()) for each in reply)


def _without_marks(text: str) -> str:
    return " ".join(_MARKS.sub("", text).split())


def answers_only(text: str) -> bool:
    """Return whether a user's text is one or two words that only have a meaning as an answer."""
    body = text.strip()
    if (
        not 0 < len(body) <= _SHORT
        or body.startswith(("/", "!", "[", "<"))
        or body.endswith(("?", "？", "!"))
    ):
        return False
    return len(body.split()) <= 2 and not has_unspaced(body) and _ONWARD.match(body) is None


def asked_and_answered(fact: Fact) -> tuple[str, str]:
    """Return the question and the answer in a fact.

    Without a question, return "" and the text of the fact. For a choice, the text is the point that the user chose.
    """
    if not fact.rule.endswith((ANSWER, CHOICE)):
        return "", fact.text
    answer, _, meaning = fact.text.partition(ARROW)
    return ("", meaning) if fact.rule.endswith(CHOICE) else (meaning, answer)


def approves_task(fact: Fact) -> bool:
    """Return whether a fact only agrees that the agent does something once: "yes" to "should I add a test?"."""
    question, answer = asked_and_answered(fact)
    offer = _OFFERS.match(question)
    if offer is not None and agrees(answer):
        granted = question[offer.end() :]
    elif not question and fact.rule.endswith(ANSWER) and (grant := _GRANTS.match(answer)):
        granted = answer[grant.end() :]
    else:
        return False
    # To use or to keep something is a choice that lasts.
    return not _REFUSES.search(answer) and best_cue(granted, USER, frozenset()) is None


def points_of(labels: Sequence[str], texts: Sequence[str]) -> dict[str, str]:
    """Return the point of each label in the nearest message that lists them all. `texts` begin with the nearest."""
    for text in texts:
        points = {label: point for label in labels if (point := _point(label, text[-MOST:]))}
        if points and len(points) == len(set(labels)):
            return points
    return {}


def _point(label: str, text: str) -> str:
    """Return the last point of a label after a word like "Option" ("Option 1: ..."), else its last point, else ""."""
    pattern = re.compile(
        rf"^[ \t>*|#`-]{{0,20}}(?:(?P<option>(?i:option|choice|approach|variant|alternative|plan)[ \t]+)"
        rf"|[A-Za-z]+[ \t]+)?[*_`#]{{0,4}}{re.escape(label.upper())}[*_`]{{0,4}}"
        r"[ \t]*[.):：、|–—-][ \t]*(?P<point>\S.+)$",
        re.MULTILINE,
    )
    best = max(
        pattern.finditer(text), key=lambda match: (match["option"] is not None, match.start()), default=None
    )
    return "" if best is None else best["point"]


def _mentions(text: str, spoken: Sequence[Span], limit: int) -> Iterable[Mention]:
    """Yield the names in a text, each with its sentence in `spoken`, else with its line as pasted."""
    for value, at in names_in(text, limit):
        sentence = next((span for span in spoken if span[0] <= at < span[1]), None)
        start, end = sentence or _line(text, at)
        if end - start > _SHOWN:
            start, end = max(start, at - _SHOWN // 3), min(end, at + len(value.text) + _SHOWN // 2)
        name = Value(value.text, value.form, value.canon, "", True, (at, at + len(value.text)))
        yield Mention(name, " ".join(text[start:end].split()), (start, end), sentence is None)


def _line(text: str, at: int) -> Span:
    end = text.find("\n", at)
    return text.rfind("\n", 0, at) + 1, len(text) if end < 0 else end
