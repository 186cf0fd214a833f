"""Summaries read as sections and items."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.summaries.headings import meaning
from inspector.summaries.parse import parse_summary, written_by_model

BODY = """Before any heading.

## Goal
Build a service
in two lines.

## Progress
### Done
1. READ a.py — fine [tool: read_file]
2. PATCH b.py
   with more below
   - a detail
### In Progress
- [ ] write tests
* star
+ plus
### Blocked
None.

## Key Decisions:
**Bold** paragraph.

Second paragraph.
```
## not a heading
- not an item
```
---
After a rule.
## **Odd heading** ##
"""


def test_sections_have_paths_and_items_without_their_marks() -> None:
    summary = parse_summary(BODY)
    assert [section.name for section in summary.sections] == [
        "", "Goal", "Progress", "Progress / Done", "Progress / In Progress", "Progress / Blocked", "Key Decisions",
        "Odd heading",
    ]  # fmt: skip
    texts = {section.name: [item.text for item in section.items] for section in summary.sections}
    assert texts[""] == ["Before any heading."]
    assert texts["Goal"] == ["Build a service\nin two lines."]
    assert texts["Progress / Done"] == [
        "READ a.py — fine [tool: read_file]", "PATCH b.py\nwith more below", "a detail",
    ]  # fmt: skip
    assert texts["Progress / In Progress"] == ["[ ] write tests", "star", "plus"]
    assert texts["Key Decisions"] == [
        "**Bold** paragraph.", "Second paragraph.", "```\n## not a heading\n- not an item\n```", "After a rule.",
    ]  # fmt: skip
    done = summary.sections[3].items
    assert [(item.kind, item.mark, item.depth) for item in done] == [
        ("number", "1.", 0), ("number", "2.", 0), ("bullet", "-", 1),
    ]  # fmt: skip
    assert [item.kind for item in summary.sections[6].items] == [
        "paragraph",
        "paragraph",
        "code",
        "paragraph",
    ]
    assert BODY.split("\n")[done[1].line].startswith("2. PATCH")
    assert BODY.split("\n")[summary.sections[4].line] == "### In Progress"


@pytest.mark.parametrize(
    "text", ["None.", "none", "- None", "(none yet)", "N/A", "**None.**", "[None]", "Nothing so far.",
             "None recoverable from compacted turns.", "None at this time.", "[]", "- (none provided)",
             "No critical context."],
)  # fmt: skip
def test_a_section_that_says_none_is_empty(text: str) -> None:
    (section,) = parse_summary(f"## Blocked\n{text}\n").sections
    assert section.items == ()
    assert section.says_none


@pytest.mark.parametrize(
    "text",
    [
        "None of the tests pass.",
        "Nothing works on Windows",
        "- None\n- But this",
        "[the key]",
        "No files of mine.",
    ],
)
def test_a_section_that_only_starts_like_none_is_not(text: str) -> None:
    (section,) = parse_summary(f"## Blocked\n{text}\n").sections
    assert section.items
    assert not section.says_none


def test_a_first_level_title_is_no_part_of_paths() -> None:
    assert [s.name for s in parse_summary("# Summary\n## Goal\nx\n").sections] == ["Summary", "Goal"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Progress / Done", "Completed Actions"),
        ("Completed Actions", "Historical Completed Actions"),
        ("In Progress", "Historical In-Progress State"),
        ("Progress / In Progress", "In Progress"),
        ("Next Steps", "Historical Remaining Work"),
        ("Active Task", "Historical Task Snapshot"),
        ("Pending User Asks", "Historical Pending User Asks"),
        ("Constraints & Preferences", "constraints and preferences"),
        ("My Own Heading", "my own heading"),
        ("Pending Tasks (from the plan)", "Pending Tasks"),
    ],
)
def test_headings_that_mean_the_same(one: str, other: str) -> None:
    assert meaning(one) == meaning(other)


def test_headings_that_do_not() -> None:
    assert (
        len(
            {
                meaning(name)
                for name in ("Goal", "Done", "In Progress", "Blocked", "Next Steps", "Files", "X", "Y")
            }
        )
        == 8
    )


@given(st.text(alphabet="# -*1.)|ab\n\t\r", max_size=200))
def test_no_letter_is_lost(body: str) -> None:
    summary = parse_summary(body)
    kept = "".join(item.text for _, item in summary.items()) + "".join(
        s.path[-1] for s in summary.sections if s.path
    )
    assert Counter(filter(str.isalpha, kept)) == Counter(filter(str.isalpha, body))


@given(st.text(alphabet="# -*1.)`~ab\n\t\r", max_size=200) | st.text())
def test_any_text_parses(body: str) -> None:
    summary = parse_summary(body)
    lines = [item.line for _, item in summary.items()]
    assert lines == sorted(lines)
    assert all(item.text.strip() for _, item in summary.items())


LEAD = "This session is being continued from a previous conversation that ran out of context. It is summarized below."
ONWARD = "Please continue the conversation from where we left it off. Continue with the last task."

TOOLS = "<tools-used-before-summary>Bash, Read</tools-used-before-summary>"
NEWEST = "The messages after this summary are the most recent messages from before compaction, kept verbatim."


@pytest.mark.parametrize(
    ("body", "own"),
    [
        (f"{LEAD}\n\nSummary:\n1. A\n\n{ONWARD}", "Summary:\n1. A"),
        (f"{LEAD}\nSummary:\n{ONWARD}\n1. A\n\n", f"Summary:\n{ONWARD}\n1. A"),
        (
            f"{LEAD}\n<system-reminder>\n{TOOLS}\n</system-reminder>\nSummary:\n1. A\n\n{NEWEST}",
            "Summary:\n1. A",
        ),
        ("## Goal\nA\n", "## Goal\nA"),
        ("## Goal\nA\n\n## Recent turns preserved verbatim\n- User: never wait", "## Goal\nA"),
        (f"{LEAD}\n{ONWARD}", ""),
        ("", ""),
    ],
)
def test_text_of_a_program_around_a_summary_is_not_its_text(body: str, own: str) -> None:
    start, end = written_by_model(body)
    assert body[start:end] == own


@given(st.lists(st.sampled_from([LEAD, ONWARD, "", "- A", " "]), max_size=8).map("\n".join))
def test_all_that_a_model_wrote_is_in_its_text(body: str) -> None:
    start, end = written_by_model(body)
    assert 0 <= start <= end <= len(body)
    assert body[start:end].count("- A") == body.count("- A")


def test_a_code_block_may_begin_behind_the_mark_of_an_entry() -> None:
    body = (
        "- ```js\n  # steer()\n  ```\n- ```dock()``` is old.\n- ~~~\n  # moor()\n\n  ~~~\n\n## Next\nFix it."
    )
    goal, following = parse_summary(body).sections
    assert [item.text for item in goal.items] == [
        "```js\n  # steer()\n  ```", "```dock()``` is old.", "~~~\n  # moor()\n\n  ~~~",
    ]  # fmt: skip
    assert (following.name, [item.text for item in following.items]) == ("Next", ["Fix it."])
