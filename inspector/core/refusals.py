"""An error or a limit of the API that stands where a summary should: the call for the summary failed, and what was told
of that was handed on in its place."""

from __future__ import annotations

import re

#: How the summaries of Claude Code begin, and all lines that Claude Code itself writes around what the model wrote.
CONTINUED = "This session is being continued from a previous conversation"
AROUND = re.compile(
    rf"{CONTINUED}|The (?:summary below|conversation is summarized)|If you need specific details from before|"
    r"(?:Please c|C)ontinue the conversation from where"
)
#: A notice is no longer than this, in characters; errors bring a short document of the API's along.
_LONGEST = 600
# What goes on as a sentence ("API Error handling is done") is no notice.
_NOTICE = re.compile(
    r"(?:Summary:\s*)?(?:You['’]ve hit your (?:[\w-]+ ){0,2}limit|API Error|Prompt is too long|"
    r"Claude AI usage limit reached|Credit balance is too low|Request timed out|Conversation too long)"
    r"(?=\s*(?:[^\s\w]|\d|\Z))"
)


def refusal_in(summary: str) -> str:
    """The notice that stands in a summary's place, nothing else being there; "" where it is a summary."""
    if len(summary) > 4 * _LONGEST:
        return ""
    lines = [line for line in summary.splitlines() if not AROUND.match(line)]
    text = "\n".join(lines).strip()
    return text if len(text) <= _LONGEST and _NOTICE.match(text) else ""
