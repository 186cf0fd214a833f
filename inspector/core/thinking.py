"""Remains of a model's thinking and calls in a text: whole blocks, blocks without an end, single tags.

Source: release 0.19.0, `strip_think_blocks`.
"""

from __future__ import annotations

import re

from inspector.core.patterns import late_pattern

_FLAGS = re.DOTALL | re.IGNORECASE
_THINK = ("think", "thinking", "reasoning", "reasoning_scratchpad", "thought")
_CALLS = ("tool_call", "tool_calls", "tool_result", "function_call", "function_calls")
_ANY_THINK = "|".join(_THINK)
#: Remains of a model's thinking and calls in a text: whole blocks, blocks without an end, single tags.
#: Beginnings and ends of whole blocks. Attributes of a tag have a bound, so that a text of beginnings is soon read.
_BLOCKS: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    *((late_pattern(f"<{tag}>", _FLAGS), late_pattern(f"</{tag}>", _FLAGS)) for tag in _THINK),
    *(
        (late_pattern(rf"<{tag}\b[^>]{{0,500}}>", _FLAGS), late_pattern(f"</{tag}>", _FLAGS))
        for tag in _CALLS
    ),
    (
        late_pattern(
            r"(?:(?<=^)|(?<=[\n\r.!?:]))[ \t]{0,100}<function\b(?=[^>]{0,500}\bname\s{0,20}=)[^>]{0,500}>",
            _FLAGS,
        ),
        late_pattern("</function>", _FLAGS),
    ),
)
_SCRATCH: tuple[re.Pattern[str], ...] = (
    late_pattern(rf"(?:^|\n)[ \t]{{0,100}}<(?:{_ANY_THINK})\b[^>]{{0,500}}>.*$", _FLAGS),
    late_pattern(rf"</?(?:{_ANY_THINK})>\s*", _FLAGS),
    late_pattern(rf"</(?:{'|'.join(_CALLS)}|function)>\s*", _FLAGS),
)
#: Thinking at the beginning of a text, also without an end.
_LEADING = late_pattern(rf"\s*<({_ANY_THINK})>.*?(?:</\1>|\Z)", _FLAGS)


def leading_thinking(text: str) -> int:
    """Return the number of characters of the thinking at the beginning of a text, 0 without thinking."""
    match = _LEADING.match(text)
    return 0 if match is None else match.end()


def without_thinking(text: str) -> str:
    """Return a text without the thinking and the calls of a model."""
    if "<" not in text:
        return text
    for begin, end in _BLOCKS:
        text = _without_blocks(text, begin, end)
    for pattern in _SCRATCH:
        text = pattern.sub("", text)
    return text


def _without_blocks(text: str, begin: re.Pattern[str], end: re.Pattern[str]) -> str:
    """The text without everything from a beginning to the next end; a beginning without an end stays."""
    kept, at = [], 0
    while (first := begin.search(text, at)) is not None:
        last = end.search(text, first.end())
        if last is None:
            break
        kept.append(text[at : first.start()])
        at = last.end()
    return "".join([*kept, text[at:]])
