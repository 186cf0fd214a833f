"""What a model may leave of its thinking and its calls in a text: whole blocks, blocks without an end, single tags.

Source: release 0.19.0, `strip_think_blocks`.
"""

from __future__ import annotations

import re

_FLAGS = re.DOTALL | re.IGNORECASE
_THINK = ("think", "thinking", "reasoning", "reasoning_scratchpad", "thought")
_CALLS = ("tool_call", "tool_calls", "tool_result", "function_call", "function_calls")
_ANY_THINK = "|".join(_THINK)
#: What a model may leave of its thinking and its calls in a text: whole blocks, blocks without an end, single tags.
_SCRATCH: tuple[re.Pattern[str], ...] = (
    *(re.compile(f"<{tag}>.*?</{tag}>", _FLAGS) for tag in _THINK),
    *(re.compile(rf"<{tag}\b[^>]*>.*?</{tag}>", _FLAGS) for tag in _CALLS),
    re.compile(
        r"(?:(?<=^)|(?<=[\n\r.!?:]))[ \t]*<function\b[^>]*\bname\s*=[^>]*>(?:(?!</function>).)*</function>",
        _FLAGS,
    ),
    re.compile(rf"(?:^|\n)[ \t]*<(?:{_ANY_THINK})\b[^>]*>.*$", _FLAGS),
    re.compile(rf"</?(?:{_ANY_THINK})>\s*", _FLAGS),
    re.compile(rf"</(?:{'|'.join(_CALLS)}|function)>\s*", _FLAGS),
)


def without_thinking(text: str) -> str:
    """A text without what a model thought and called in it."""
    if "<" not in text:
        return text
    for pattern in _SCRATCH:
        text = pattern.sub("", text)
    return text
