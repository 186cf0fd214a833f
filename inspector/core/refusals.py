"""Texts in the place of a summary: an error or limit of the API that the agent passed on, or its own notice that there
is no summary."""

from __future__ import annotations

import re

#: The beginning of Claude Code's summaries, and the lines that Claude Code adds around the model's text.
CONTINUED = "This session is being continued from a previous conversation"
AROUND = re.compile(
    rf"{CONTINUED}|The (?:summary below|conversation is summarized)|If you need specific details from before|"
    r"(?:Please c|C)ontinue the conversation from where|The messages after this summary are the most recent messages|"
    r"</?system-reminder>\s*$|<tools-used-before-summary>"
)
#: Maximum length of a notice in characters; errors include a short document of the API.
_LONGEST = 600
# A sentence that goes on ("API Error handling is done") is not a notice.
_NOTICE = re.compile(
    r"(?:Summary:\s*)?(?:You['’]ve hit your (?:[\w-]+ ){0,2}limit|API Error|Prompt is too long|"
    r"Claude AI usage limit reached|Credit balance is too low|Request timed out|Conversation too long)"
    r"(?=\s*(?:[^\s\w]|\d|\Z))"
)
# OpenClaw 2026.2 and later: a notice, then lists of files, failed calls and recent turns, as after a summary.
_UNAVAILABLE = re.compile(
    r"\s*(?P<notice>(?:Context contained \d+ messages \(\d+ oversized\)\. )?"
    r"Summary unavailable due to (?:context|size) limits\.[^\n]*)"
)
#: If the removed messages are a part of one turn, OpenClaw puts a history without content before its summary or notice.
_NO_HISTORY = "No prior history."
_SPLIT_TURN = "**Turn Context (split turn):**"


def history_in(summary: str) -> str:
    """Return the history before the summary of a split turn; "" if there is none."""
    history, mark, _ = summary.partition(_SPLIT_TURN)
    return history.strip("-\n ") if mark else ""


def without_fixed_history(summary: str) -> str:
    """Return a summary without the history that OpenClaw writes itself if there is none."""
    return summary.partition(_SPLIT_TURN)[2] if history_in(summary) == _NO_HISTORY else summary


def refusal_in(summary: str) -> str:
    """Return the notice in the place of a summary, "" for a summary."""
    history, _, turn = summary.partition(_SPLIT_TURN)
    if unavailable := _UNAVAILABLE.match(turn if _NO_HISTORY in history.splitlines() else summary):
        return unavailable["notice"]
    if len(summary) > 4 * _LONGEST:
        return ""
    lines = [line for line in summary.splitlines() if not AROUND.match(line)]
    text = "\n".join(lines).strip()
    return text if len(text) <= _LONGEST and _NOTICE.match(text) else ""
