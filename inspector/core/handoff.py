"""Recognising the messages in which a compaction hands its summary to the next list.

The wordings changed over the releases. A standalone summary starts with a bracket (`[CONTEXT COMPACTION ...]`,
or the older `[CONTEXT SUMMARY]:`), mostly a sentence of instructions behind it, then the body. A summary can
also be merged into the first message of the tail: 0.13 puts it before that message's own text and ends it
with a marker line; 0.19 puts it after that text and wraps both in headers of their own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from inspector.core.messages import Message

#: What a summary message starts with, in any wording; stores look for candidates with these.
PREFIXES: tuple[str, ...] = ("[CONTEXT COMPACTION", "[CONTEXT SUMMARY]", "[PRIOR CONTEXT")

# Nothing but a dash and capitals may stand in the bracket: a user who writes about compaction differs.
_BRACKET = re.compile(r"\[CONTEXT COMPACTION(?:\s*[—–-]+\s*[A-Z][A-Z ,]*)?\]:?")
_LEGACY = "[CONTEXT SUMMARY]:"
_PRIOR = re.compile(r"\[PRIOR CONTEXT\b[^\]\n]*\]\n?")
_BELOW = re.compile(r"\[END OF PRIOR CONTEXT\b[^\]\n]*COMPACTION SUMMARY BELOW\]")
_END = re.compile(r"^--- END OF CONTEXT SUMMARY[^\n]*$", re.MULTILINE)
_INSTRUCTIONS = re.compile(r"\s*(?:Earlier turns|Earlier conversation|Previous turns)\b", re.IGNORECASE)

_FALLBACK_13 = re.compile(r"Summary generation was unavailable\. (\d+) message\(s\) were")
_FALLBACK_19 = re.compile(r"best-effort deterministic fallback for (\d+) compacted message\(s\)\.")
_FALLBACK_19_GOAL = re.compile(r"^Recovered from a deterministic fallback because\b", re.MULTILINE)
_FALLBACK_19_CUT = "...[fallback summary truncated]"


class Handoff(NamedTuple):
    """A summary message taken apart.

    `body` is the summary without prefix and end marker. `merged` says that it shares its message with the
    first message of the tail, whose own text is `tail_text`. `fallback` says that no model wrote it;
    `dropped` is then the number of messages it says were removed (None where it says none).
    `release_hint` is the profile that the wording belongs to, "" where several used it.
    """

    body: str
    merged: bool = False
    fallback: bool = False
    release_hint: str = ""
    tail_text: str = ""
    dropped: int | None = None


def read_handoff(content: object, role: str = "", calls: bool = False) -> Handoff | None:
    """The summary in a message's content (a string or a list of parts), None where it holds none.

    `role` and `calls` (whether the message makes tool calls) settle whether a summary that 0.13 merged into
    a message without text is merged; without them it counts as standalone.
    """
    if isinstance(content, str):
        return _from_text(content, role, calls)
    if isinstance(content, list):
        return _from_parts(content)
    return None


def is_handoff(content: object) -> bool:
    """Whether the content is, or holds, a compaction's summary."""
    return read_handoff(content) is not None


def handoff_of(message: Message) -> Handoff | None:
    """The summary in a message: what its store marks as one, else what is worded like one; None where it holds none."""
    if message.summary:
        return Handoff(message.text)
    return read_handoff(message.content, message.role, bool(message.wire.get("tool_calls")))


def _from_text(text: str, role: str, calls: bool) -> Handoff | None:
    start = text.lstrip()
    prior = _PRIOR.match(start)
    if prior:
        # The last one: a tail message that already held a merged summary keeps its own header in front.
        for below in reversed(list(_BELOW.finditer(start, prior.end()))):
            inner = _body(start[below.end() :].lstrip())
            if inner is not None:
                own = start[prior.end() : below.start()].removesuffix("\n\n")
                return _handoff(_without_end(inner[0]), True, "hermes-0.19", own)
        return None
    parsed = _body(start)
    if parsed is None:
        return None
    body, hint = parsed
    ends = list(_END.finditer(body))
    if not ends:
        return _handoff(body.strip(), False, hint, "")
    behind = body[ends[-1].end() :]
    if behind.strip() or _body(body[ends[0].end() :].lstrip()) is not None:
        first = ends[0]
        return _handoff(body[: first.start()].strip(), True, "hermes-0.13", body[first.end() :].lstrip("\n"))
    # A text that ends with the marker is a standalone one, unless the release left room behind it for a text
    # that the tail message did not have. 0.13 puts no marker behind a standalone one of the assistant's.
    merged = hint != "hermes-0.19" and (
        calls or bool(behind) or (role == "assistant" and hint == "hermes-0.13")
    )
    return _handoff(body[: ends[-1].start()].strip(), merged, hint, "")


def _from_parts(parts: list[object]) -> Handoff | None:
    texts = [(index, text) for index, part in enumerate(parts) if (text := _part_text(part))]
    if not texts:
        return None
    first_index, first = texts[0]
    if _PRIOR.match(first.lstrip()):
        for index, text in reversed(texts):
            below = _BELOW.search(text)
            parsed = _body(text[below.end() :].lstrip()) if below else None
            if below is None or parsed is None:
                continue
            header = _PRIOR.sub("", first.lstrip(), count=1)
            middle = [text for at, text in texts if first_index < at < index]
            before = text[: below.start()].strip("\n") if index != first_index else ""
            own = [header, *middle, before] if index != first_index else [_between(text)]
            tail = "\n".join(text for text in own if text.strip())
            return _handoff(_without_end(parsed[0]), True, "hermes-0.19", tail)
        return None
    handoff = _from_text(first, "", False)
    if handoff is None:
        return None
    rest = "\n".join(text for _, text in texts[1:])
    if len(parts) > 1 and not handoff.merged:
        return _handoff(handoff.body, True, handoff.release_hint, rest)
    if rest:
        own_text = "\n".join(filter(None, (handoff.tail_text, rest)))
        return _handoff(handoff.body, handoff.merged, handoff.release_hint, own_text)
    return handoff


def _part_text(part: object) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, Mapping):
        text = part.get("text")
        return text if isinstance(text, str) else ""
    return ""


def _between(text: str) -> str:
    """The tail message's own text where headers and summary share one part."""
    start = text.lstrip()
    prior, below = _PRIOR.match(start), _BELOW.search(start)
    return start[prior.end() : below.start()].removesuffix("\n\n") if prior and below else ""


def _body(text: str) -> tuple[str, str] | None:
    """The text behind the prefix and the profile its wording belongs to; None where there is no prefix."""
    if text.startswith(_LEGACY):
        return text[len(_LEGACY) :].lstrip(), "documented"
    bracket = _BRACKET.match(text)
    if bracket is None:
        return None
    line_end = text.find("\n", bracket.end())
    line_end = len(text) if line_end < 0 else line_end
    line = text[bracket.end() : line_end]
    if _INSTRUCTIONS.match(line) or line.rstrip().endswith(":"):
        return text[line_end:].lstrip("\n"), _hint(bracket.group(), line)
    return text[bracket.end() :].lstrip(), _hint(bracket.group(), line)


def _hint(bracket: str, instructions: str) -> str:
    if "REFERENCE ONLY" not in bracket:
        return "documented"
    if "tools remain fully active" in instructions:
        return "hermes-0.19"
    if "resume exactly from there" in instructions and "MEMORY.md" in instructions:
        return "hermes-0.13"
    return ""


def _without_end(body: str) -> str:
    ends = list(_END.finditer(body))
    if ends and not body[ends[-1].end() :].strip():
        return body[: ends[-1].start()].strip()
    return body.strip()


def _handoff(body: str, merged: bool, hint: str, tail_text: str) -> Handoff:
    dropped: int | None = None
    fallback = False
    old = _FALLBACK_13.match(body)
    if old:
        fallback, dropped = True, int(old[1])
    elif _FALLBACK_19_GOAL.search(body):
        # A later summary by a model may quote an earlier fallback; only the fallback itself ends like this.
        last = body.rpartition("\n## Critical Context\n")[2]
        new = _FALLBACK_19.search(last) if last.startswith("Summary generation was unavailable") else None
        fallback = new is not None or body.endswith(_FALLBACK_19_CUT)
        dropped = int(new[1]) if new else None
    return Handoff(body, merged, fallback, hint, tail_text, dropped)
