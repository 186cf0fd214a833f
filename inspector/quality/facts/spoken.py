"""Find the parts of a user's message that no program put there: tagged blocks, reminders, hooks, notices.

Spans are half-open, in characters of the safe text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspector.core.envelope import ENVELOPE, after_memories
from inspector.core.patterns import any_of, late_pattern
from inspector.core.scan.words import word_set
from inspector.quality.facts.fact import Span

#: Maximum characters of a text to scan. The rest of a longer text is data.
MOST = 60_000
# Matches the start of a message that a program wrote in the user's name.
_BY_PROGRAM = late_pattern(
    r"\s*"
    + any_of(
        interruption=r"\[Request interrupted",
        image=r"\[Image[:\]]|(?:\[Image #\d+\]\s*+)++\Z",
        note=r"\[System(?! note: )",
        system=r"\[SYSTEM(?!: (?:The user has invoked|The following skill|You are running as |MCP servers have))",
        result=r"\[tool (?:result|output)",
        command_output=r"Caveat: The messages below were",
        skill=r"Base directory for this skill:",
        summary=r"This session is being continued from a previous conversation|Another language model started to solve",
        hook=r"Stop hook feedback:|Operation stopped by hook:|UserPromptSubmit operation blocked by hook:",
        background=r"The background task ",
        rules_file=r"# AGENTS\.md instructions|Contents of \S{1,300} \(|# claudeMd\b",
        unknown_command=r"Unknown (?:skill|command|slash command): ",
        watcher=r"--- MODE SWITCH: |(?s:.{0,380}?)\bobserved_from_primary_session\b",
        init_command=r"Please analyze this codebase and create a CLAUDE\.md",
    )
)
# Text that a program adds after the user's text.
PROGRAM_NOTE = late_pattern(
    r"If you need specific details from before exiting plan mode|Read the output file to retrieve the result: /|"
    r"Full transcript available at: "
)
_OPENING = late_pattern(r"<(?P<tag>[A-Za-z][\w-]{0,40})(?:\s[^<>\n]{0,400})?>")
#: Tags around words of the user.
_OWN_TAGS = word_set(
    "command-args task feedback answer user_query user_message user-message user_input objective "
    "question request"
)
#: Tags that only programs write, also in the middle of a line.
_PROGRAM_TAGS = word_set(
    "system-reminder local-command-caveat local-command-stdout local-command-stderr "
    "command-name command-message command-args task-notification bash-stdout bash-stderr "
    "bash-input user-prompt-submit-hook environment_context environment_details "
    "user_instructions turn_aborted ide_opened_file ide_selection permissions "
    "collaboration_mode subagent_notification new-diagnostics post-tool-use-hook "
    "session-start-hook available_skills skill ci-event teammate-message file_content "
    "github-webhook-activity bash-notification"
)
# The context of a message that the user forwards from a bot: names of bots end so.
_OF_BOT = late_pattern(r"(?s:Forwarded message context .*\"username\": \"\w+[Bb][Oo][Tt]\")")
# The words with which a person announces a text: "I will ask the pilot and paste it in".
_ANNOUNCES = late_pattern(
    r"\b(?:i(?:['’]ll| will|['’]m going to| am going to)|let me)\b[^.?!\n]{0,160}\bpaste\b|"
    r"我(?!不)[^。？！\n]{0,30}(?:粘[贴貼]|[贴貼](?:[给給]你|[过過][来來]|上[来來]))",
    re.IGNORECASE,
)


def by_program(text: str) -> bool:
    """Return whether a program wrote a whole message in the user's name."""
    return _BY_PROGRAM.match(text) is not None


def by_person(text: str) -> bool:
    """Return whether a person wrote any part of a user's message. Notices and blocks of programs do not count."""
    return any(text[slice(*span)].strip() for span in spoken_spans(text))


def announces_paste(text: str) -> bool:
    """Return whether a user's message says that the user will paste a text."""
    return _ANNOUNCES.search(text[:MOST]) is not None


def spoken_spans(text: str) -> Iterator[Span]:
    """Yield the spans of a user's message without text of programs. They include pasted text."""
    if by_program(text[:400]):
        yield from spoken_in_tags(text, 0, len(text))
        return
    note = PROGRAM_NOTE.search(text)
    yield from (span for span, _ in blocks(text, 0, note.start() if note is not None else len(text)))


def spoken_in_tags(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the spans inside the tags around words of the user."""
    for opened in _OPENING.finditer(text, start, end):
        if _is_own(opened):
            close = text.find(f"</{opened['tag']}>", opened.end(), end)
            if close >= 0:
                yield opened.end(), close


def _is_own(opened: re.Match[str]) -> bool:
    """Return whether a tag is around words of the user. A sub-agent gets its orders from the lead of its team; a task
    list in JSON is not an order."""
    if opened["tag"] == "teammate-message":
        inner = opened.string[opened.end() : opened.end() + 40].lstrip()
        return 'teammate_id="team-lead"' in opened[0] and not inner.startswith("{")
    return opened["tag"] in _OWN_TAGS


def blocks(text: str, start: int, end: int) -> Iterator[tuple[Span, bool]]:
    """Yield the spans that a program did not write, and whether each is pasted."""
    for span, pasted in _tagged(text, after_memories(text, start, end), end):
        at = span[0]
        for frame in ENVELOPE.finditer(text, *span):
            yield (at, frame.start()), pasted
            pasted = pasted or _OF_BOT.match(frame[0]) is not None
            if frame["said"]:
                yield frame.span("said"), pasted
            at = frame.end()
        yield (at, span[1]), pasted


def _tagged(text: str, start: int, end: int) -> Iterator[tuple[Span, bool]]:
    """Yield the spans outside of program tags, and whether each is in another tag, so that it is pasted."""
    at = look = start
    unclosed: set[str] = set()
    while (opened := _OPENING.search(text, look, end)) is not None:
        look, tag = opened.end(), opened["tag"]
        of_program, is_own = {tag, tag.replace("_", "-")} & _PROGRAM_TAGS, _is_own(opened)
        line = text.rfind("\n", start, opened.start()) + 1
        alone = not text[max(line, start) : opened.start()].strip()
        if not of_program and not is_own and not alone:
            continue
        # A long document may end after the scanned part.
        close = -1 if tag in unclosed else text.find(f"</{tag}>", look)
        if close < 0 and not of_program:
            unclosed.add(tag)
            continue
        close = close if close < end else -1
        yield (at, opened.start()), False
        inner = (look, close if close >= 0 else end)
        if is_own:
            yield inner, False
        elif of_program:
            for words in spoken_in_tags(text, *inner):
                yield words, False
        else:
            yield inner, True
        at = look = end if close < 0 else close + len(tag) + 3
    yield (at, end), False
