"""Errors and limits of the API in place of a summary: the summarizing call failed, and its error became the
summary.
"""

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
# A notice must not continue as a sentence ("API Error handling is done").
_NOTICE = re.compile(
    r"(?:Summary:\s*)?(?:You['’]ve hit your (?:[\w-]+ ){0,2}limit|API Error|Prompt is too long|"
    r"Claude AI usage limit reached|Credit balance is too low|Request timed out|Conversation too long)"
    r"(?=\s*(?:[^\s\w]|\d|\Z))"
)


def refusal_in(summary: str) -> str:
    """Return the notice if the text is nothing else; "" for a summary."""
    if len(summary) > 4 * _LONGEST:
        return ""
    lines = [line for line in summary.splitlines() if not AROUND.match(line)]
    text = "\n".join(lines).strip()
    return text if len(text) <= _LONGEST and _NOTICE.match(text) else ""
