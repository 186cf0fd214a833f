"""A notice of the API instead of a summary is distinguished from a summary."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.core.refusals import refusal_in
from tests.recipes import recipe

lines = recipe("claude_lines")
NOTICES = (
    "You've hit your limit · resets 2am (America/Los_Angeles)",
    "You’ve hit your weekly limit · resets Monday",
    'API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
    "API Error (Connection error.) · Retrying in 5 seconds…",
    "API Error: 400\n{\n  \"message\": \"prompt is too long: 208310 tokens > 200000 maximum\"\n}",
    "Prompt is too long",
    "Claude AI usage limit reached|1757000000",
    "Credit balance is too low · Add funds",
    "Request timed out.",
    "Conversation too long. Press esc twice to go up a few messages and try again.",
)  # fmt: skip
HISTORY = "## Decisions\nNo prior history.\n\n## Open TODOs\nNone.\n\n## Exact identifiers\nNone captured."
SUMMARIES = (
    "",
    "Nothing was done yet.",
    "The last answer was: Summary unavailable due to context limits.",
    "API Error handling is done, the retry is not.",
    "Request timed out requests are retried three times.",
    "The last call said: You've hit your limit.",
    "## Goal\nPrompt is too long: find out why.",
    lines.nine_sections(primary=["API Error: 529 at night"]),
    lines.nine_sections(
        lines.OLD_LEAD, "Analysis:", "Prompt is too long, says the user.", primary=["Find out"]
    ),
)


@pytest.mark.parametrize("notice", NOTICES)
def test_only_a_notice_is_no_summary(notice: str) -> None:
    assert refusal_in(notice) == notice
    assert refusal_in(f"\n{notice}\r\n").splitlines() == notice.splitlines()
    assert refusal_in(lines.refused(notice)) == notice
    assert refusal_in(f"{lines.OLD_LEAD}\nSummary:\n{notice}\n{lines.ONWARD}").endswith(notice)


@pytest.mark.parametrize(
    "notice",
    [
        "Summary unavailable due to context limits. Older messages were truncated.",
        "Context contained 93 messages (2 oversized). Summary unavailable due to size limits.",
    ],
)
def test_an_agent_that_says_that_there_is_no_summary(notice: str) -> None:
    added = "## Tool Failures\n- read: no such file\n\n<read-files>\nsrc/tides.py\n</read-files>"
    assert refusal_in(notice) == notice
    assert refusal_in(f"{notice}\n\n{added}") == notice


@pytest.mark.parametrize("history", ["No prior history.", HISTORY])
def test_an_agent_that_says_so_below_a_history_without_content(history: str) -> None:
    notice = "Context contained 23 messages (0 oversized). Summary unavailable due to size limits."
    summary = (
        f"{history}\n\n---\n\n**Turn Context (split turn):**\n\n{notice}\n\n## Recent turns\n- User: Moor."
    )
    assert refusal_in(summary) == notice
    assert refusal_in(summary.replace("No prior history.", "Moor at berth 3.")) == ""
    assert refusal_in(summary.replace(notice, f"The harbor is mapped.\n\n{notice}")) == ""


@pytest.mark.parametrize("summary", SUMMARIES)
def test_a_text_of_a_model_is_a_summary(summary: str) -> None:
    assert refusal_in(summary) == ""


@given(st.sampled_from(NOTICES), st.text(alphabet="abc .\n", min_size=600))
def test_a_summary_may_begin_with_a_notice(notice: str, more: str) -> None:
    assert refusal_in(f"{notice}\n{more}x") == ""
