"""Recognition of handoffs: the messages that carry a compaction's summary into the next list.

The wording depends on the release. A standalone summary starts with a bracket (`[CONTEXT COMPACTION ...]`, or the
older `[CONTEXT SUMMARY]:`), usually followed by a sentence of instructions, then the body. A summary can also be
merged into the first message of the tail: up to 0.17 it precedes that message's own text and ends with a marker line;
from 0.18 on it follows that text, and both have headers. The plug-in engine LCM has another form: blocks of summaries.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from inspector.core.messages import Message
from inspector.core.patterns import late_pattern

#: Beginnings of a summary message in any wording; stores search for candidates with them.
PREFIXES: tuple[str, ...] = (
    "[CONTEXT COMPACTION",
    "[CONTEXT SUMMARY]",
    "[PRIOR CONTEXT",
    "[Recent Summary (d",
    "[Session Arc Summary (d",
    "[Durable Summary (d",
    "[Depth-",
)

# The bracket contains only dashes and capitals, unlike the texts of users who write about compaction.
_BRACKET = late_pattern(r"\[CONTEXT COMPACTION(?:\s*[—–-]+\s*[A-Z][A-Z ,]*)?\]:?")
_LEGACY = "[CONTEXT SUMMARY]:"
#: The first of the lists that newer releases of Hermes add to the text of the summary model.
ANCHOR_INDEX = "## Anchor Index"
_PRIOR = late_pattern(r"\[PRIOR CONTEXT\b[^\]\n]*\]\n?")
_BELOW = late_pattern(r"\[END OF PRIOR CONTEXT\b[^\]\n]*COMPACTION SUMMARY BELOW\]")
#: The summaries of the plug-in engine LCM: one block for each node, with a hint how the agent can expand it.
_LCM = late_pattern(
    r"\[(?:Recent|Session Arc|Durable|Depth-\d+) Summary \(d\d+, node \d+\)\]\n.*\n\[Expand for details: [^\n]*\]\s*\Z",
    re.DOTALL,
)
_END = late_pattern(r"^--- END OF CONTEXT SUMMARY[^\n]*$", re.MULTILINE)
_INSTRUCTIONS = late_pattern(r"\s*(?:Earlier turns|Earlier conversation|Previous turns)\b", re.IGNORECASE)

#: Known wordings of bracket and instructions: SHA-256 of the UTF-8 text → the profiles with this wording.
_WORDINGS: Mapping[str, tuple[str, ...]] = {
    "5cd6c1b9dc95f8ff066df65c33abb66cad2718fe6f12bf736491ae9ea3b1c013": ("hermes-0.13",),
    "1624c5d8e3ce9a50ba9b4cddce02e5468eb553078350a720bdf2558a0c4519f8": ("hermes-0.13", "hermes-0.15"),
    "2999da51e1781fab13ee35aa6b0f6d2815091130426d1c840a3b0fc9b7df7141": ("hermes-0.16",),
    "f953b27ebb6288ec9aea994184be18cbc56783d2237241df2b1f24b55f3b0230": (
        "hermes-0.17",
        "hermes-0.18.0",
        "hermes-0.18",
    ),
    "1c004c9c0ec1a25cbc96ae326724269d8ee67d363a8aeca17e722801e0f4b672": ("hermes-0.19",),
    "ff3014fed07c965aa893a69b555a91f0f63cacb013bd276d47efeefb35399391": ("hermes-0.20",),
    "7e9c6ce1b413ec6c11da5f2f7b5a3313bfeaf120c23b262d83ae5531e23da9eb": ("hermes-current",),
}
#: Profiles for wordings without a known hash: recognised by words, and by the place of a merged summary.
_AFTER_0_18 = ("hermes-0.19", "hermes-0.20", "hermes-current")
_MERGES_BEHIND = ("hermes-0.18.0", "hermes-0.18", *_AFTER_0_18)
_MERGES_BEFORE = ("hermes-0.13", "hermes-0.15", "hermes-0.16", "hermes-0.17")
#: Profiles that end an assistant's summary without a marker line.
_NO_MARKER = frozenset({"hermes-0.13", "hermes-0.15", "hermes-0.16"})

_FALLBACK_13 = late_pattern(r"Summary generation was unavailable\. (\d+) message\(s\) were")
_FALLBACK_19 = late_pattern(r"best-effort deterministic fallback for (\d+) compacted message\(s\)\.")
_FALLBACK_19_GOAL = late_pattern(r"^Recovered from a deterministic fallback because\b", re.MULTILINE)
_FALLBACK_19_CUT = "...[fallback summary truncated]"


class Handoff(NamedTuple):
    """The parts of a summary message.

    `body` is the summary without prefix and end marker. `merged` says that it shares its message with the first message
    of the tail, whose own text is `tail_text`. `fallback` says that no model wrote it; `dropped` is then the number of
    removed messages in its text (None if it has none). `releases` are the profiles with this wording, oldest first;
    empty for an unknown wording. `plugin` is the context engine of another package that wrote it, "" for Hermes' own.
    """

    body: str
    merged: bool = False
    fallback: bool = False
    releases: tuple[str, ...] = ()
    tail_text: str = ""
    dropped: int | None = None
    plugin: str = ""


def read_handoff(content: object, role: str = "", calls: bool = False) -> Handoff | None:
    """Return the summary in a message's content (a string or a list of parts), None if there is none.

    `role` and `calls` (whether the message makes tool calls) decide whether a summary that 0.13 merged into a message
    without text counts as merged; without them it counts as standalone.
    """
    if isinstance(content, str):
        return _from_text(content, role, calls)
    if isinstance(content, list):
        return _from_parts(content)
    return None


def handoff_of(message: Message) -> Handoff | None:
    """Return the summary in a message: marked by its store, or with a summary's wording; None if there is none."""
    if message.summary:
        return Handoff(message.text)
    return read_handoff(message.content, message.role, bool(message.wire.get("tool_calls")))


def _from_text(text: str, role: str, calls: bool) -> Handoff | None:
    start = text.lstrip()
    if _LCM.match(start):
        return Handoff(start.rstrip(), plugin="lcm")
    prior = _PRIOR.match(start)
    if prior:
        # Use the last one: a tail message that already has a merged summary keeps its own header in front.
        for below in reversed(list(_BELOW.finditer(start, prior.end()))):
            inner = _body(start[below.end() :].lstrip())
            if inner is not None:
                before = start[prior.end() : below.start()].removesuffix("\n\n")
                return _handoff(_without_end(inner[0]), True, inner[1] or _MERGES_BEHIND, before)
        return None
    parsed = _body(start)
    if parsed is None:
        return None
    body, releases = parsed
    ends = list(_END.finditer(body))
    if not ends:
        return _handoff(body.strip(), False, releases, "")
    behind = body[ends[-1].end() :]
    if behind.strip() or _body(body[ends[0].end() :].lstrip()) is not None:
        first = ends[0]
        before = body[first.end() :].lstrip("\n")
        return _handoff(body[: first.start()].strip(), True, releases or _MERGES_BEFORE, before)
    # A text that ends with the marker is standalone, unless the release left space after it for an empty tail
    # message. Up to 0.16 an assistant's standalone summary has no marker at its end.
    merged = (not releases or any(name not in _MERGES_BEHIND for name in releases)) and (
        calls or bool(behind) or (role == "assistant" and bool(releases) and _NO_MARKER.issuperset(releases))
    )
    return _handoff(body[: ends[-1].start()].strip(), merged, releases, "")


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
            lines = [header, *middle, before] if index != first_index else [_between(text)]
            tail = "\n".join(text for text in lines if text.strip())
            return _handoff(_without_end(parsed[0]), True, parsed[1] or _MERGES_BEHIND, tail)
        return None
    handoff = _from_text(first, "", False)
    if handoff is None:
        return None
    rest = "\n".join(text for _, text in texts[1:])
    if len(parts) > 1 and not handoff.merged:
        return _handoff(handoff.body, True, handoff.releases, rest)
    if rest:
        own_text = "\n".join(filter(None, (handoff.tail_text, rest)))
        return _handoff(handoff.body, handoff.merged, handoff.releases, own_text)
    return handoff


def _part_text(part: object) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, Mapping):
        text = part.get("text")
        return text if isinstance(text, str) else ""
    return ""


def _between(text: str) -> str:
    """Return the tail message's own text, where headers and summary share one part."""
    start = text.lstrip()
    prior, below = _PRIOR.match(start), _BELOW.search(start)
    return start[prior.end() : below.start()].removesuffix("\n\n") if prior and below else ""


def _body(text: str) -> tuple[str, tuple[str, ...]] | None:
    """Return the text after the prefix, and the profiles with this wording; None without a prefix."""
    if text.startswith(_LEGACY):
        return text[len(_LEGACY) :].lstrip(), ("documented",)
    bracket = _BRACKET.match(text)
    if bracket is None:
        return None
    line_end = text.find("\n", bracket.end())
    line_end = len(text) if line_end < 0 else line_end
    line = text[bracket.end() : line_end]
    if _INSTRUCTIONS.match(line) or line.rstrip().endswith(":"):
        return text[line_end:].lstrip("\n"), _hint(bracket.group(), line)
    return text[bracket.end() :].lstrip(), _hint(bracket.group(), line)


def _hint(bracket: str, instructions: str) -> tuple[str, ...]:
    if "REFERENCE ONLY" not in bracket:
        return ("documented",)
    text = (bracket + instructions).encode("utf-8", "replace")
    # Loading OpenSSL takes time that the first frame does not have.
    from hashlib import sha256

    releases = _WORDINGS.get(sha256(text).hexdigest())
    if releases is not None:
        return releases
    if "tools remain fully active" in instructions:
        return _AFTER_0_18
    if "resume exactly from there" in instructions and "MEMORY.md" in instructions:
        return ("hermes-0.13", "hermes-0.15")
    return ()


def _without_end(body: str) -> str:
    ends = list(_END.finditer(body))
    if ends and not body[ends[-1].end() :].strip():
        return body[: ends[-1].start()].strip()
    return body.strip()


def _handoff(body: str, merged: bool, releases: tuple[str, ...], tail_text: str) -> Handoff:
    dropped: int | None = None
    fallback = False
    old = _FALLBACK_13.match(body)
    if old:
        fallback, dropped = True, int(old[1])
    elif _FALLBACK_19_GOAL.search(body):
        # A model's later summary may quote an earlier fallback; only the fallback itself ends like this.
        last = body.rpartition("\n## Critical Context\n")[2]
        new = _FALLBACK_19.search(last) if last.startswith("Summary generation was unavailable") else None
        fallback = new is not None or body.endswith(_FALLBACK_19_CUT)
        dropped = int(new[1]) if new else None
    return Handoff(body, merged, fallback, releases, tail_text, dropped)
