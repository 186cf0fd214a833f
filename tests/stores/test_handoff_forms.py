"""Summary messages of every wording, and texts that only look like one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.core.handoff import read_handoff
from tests.stores.writer import BELOW, END, INSTRUCTIONS_13, INSTRUCTIONS_19, PRIOR

BODY = "## Goal\nShip it\n\n## Critical Context\nNone."
STANDALONE = {
    "0.13 assistant": (f"{INSTRUCTIONS_13}\n{BODY}", "hermes-0.13"),
    "0.13 user": (f"{INSTRUCTIONS_13}\n{BODY}\n\n{END}", "hermes-0.13"),
    "0.19": (f"{INSTRUCTIONS_19}\n{BODY}\n\n{END}", "hermes-0.19"),
    "documented": (
        f"[CONTEXT COMPACTION] Earlier turns were compacted, avoid repeating work:\n{BODY}",
        "documented",
    ),
    "bracket alone": (f"[CONTEXT COMPACTION]\n{BODY}", "documented"),
    "bracket and body on one line": (f"[CONTEXT COMPACTION] {BODY}", "documented"),
    "hyphen": (f"[CONTEXT COMPACTION - REFERENCE ONLY] Earlier turns were compacted:\n{BODY}", ""),
    "legacy": (f"[CONTEXT SUMMARY]: {BODY}", "documented"),
    "space in front": (f"\n {INSTRUCTIONS_19}\n{BODY}\n\n{END}", "hermes-0.19"),
}


@pytest.mark.parametrize("name", STANDALONE)
def test_standalone(name: str) -> None:
    text, hint = STANDALONE[name]
    for content in (text, [{"type": "text", "text": text}]):
        found = read_handoff(content)
        assert found is not None
        assert (found.body, found.releases[:1]) == (BODY, (hint,) if hint else ())
        assert (found.merged, found.fallback, found.tail_text) == (False, False, "")


@given(st.text(max_size=80), st.booleans())
def test_a_merged_message_has_both_texts(own: str, in_parts: bool) -> None:
    before = f"{INSTRUCTIONS_13}\n{BODY}\n\n{END}\n\n"
    behind = f"\n\n{BELOW}\n\n{INSTRUCTIONS_19}\n{BODY}\n\n{END}"
    old: Any = before + own
    new: Any = f"{PRIOR}\n{own}{behind}"
    if in_parts:
        own_part = {"type": "text", "text": own}
        picture = {"type": "image_url", "image_url": {"url": "data:"}}
        old = [{"type": "text", "text": before}, own_part, picture]
        new = [{"type": "text", "text": f"{PRIOR}\n"}, own_part, picture, {"type": "text", "text": behind}]
    for content, hint in ((old, "hermes-0.13"), (new, "hermes-0.19")):
        found = read_handoff(content, "assistant", calls=True)
        assert found is not None
        assert (found.body, found.merged, found.releases[0]) == (BODY, True, hint)
        assert found.tail_text.strip() == own.strip()


def test_summary_merged_twice_keeps_the_first_as_text() -> None:
    once = f"{PRIOR}\nhello\n\n{BELOW}\n\n{INSTRUCTIONS_19}\nfirst\n\n{END}"
    found = read_handoff(f"{PRIOR}\n{once}\n\n{BELOW}\n\n{INSTRUCTIONS_19}\n{BODY}\n\n{END}")
    assert found is not None
    assert (found.body, found.tail_text) == (BODY, once)


def test_summary_merged_into_a_summary() -> None:
    older = f"{INSTRUCTIONS_13}\nolder\n\n{END}"
    found = read_handoff(f"{INSTRUCTIONS_13}\n{BODY}\n\n{END}\n\n{older}", "user")
    assert found is not None
    assert (found.body, found.merged, found.tail_text) == (BODY, True, older)


@pytest.mark.parametrize(
    ("text", "role", "calls", "merged"),
    [
        (f"{INSTRUCTIONS_13}\n{BODY}\n\n{END}\n\n", "user", False, True),
        (f"{INSTRUCTIONS_13}\n{BODY}\n\n{END}", "user", False, False),
        (f"{INSTRUCTIONS_13}\n{BODY}\n\n{END}", "assistant", True, True),
        (f"{INSTRUCTIONS_13}\n{BODY}\n\n{END}", "assistant", False, True),
        (f"{INSTRUCTIONS_19}\n{BODY}\n\n{END}", "assistant", False, False),
    ],
)
def test_merged_into_a_message_without_text(text: str, role: str, calls: bool, merged: bool) -> None:
    found = read_handoff(text, role, calls)
    assert found is not None
    assert (found.body, found.merged) == (BODY, merged)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Look at this: [CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted",
        "[CONTEXT COMPACTION is broken, please mend it]",
        "[CONTEXT COMPACTION",
        f"[PRIOR CONTEXT — x]\nbut no summary in it, {BELOW}",
        f"text\n{BELOW}\n\n{INSTRUCTIONS_19}\n{BODY}",
        f"I saw\n{END}",
    ],
)
def test_quotes_are_no_summaries(text: str) -> None:
    assert read_handoff(text) is None
    if text:
        parts = [{"type": "text", "text": text}, {"type": "text", "text": INSTRUCTIONS_13}]
        assert read_handoff(parts) is None


@given(
    st.one_of(
        st.none(),
        st.integers(),
        st.text(),
        st.lists(st.one_of(st.none(), st.text(), st.dictionaries(st.text(), st.text()))),
    )
)
def test_any_content_is_handled(content: object) -> None:
    assert read_handoff(content) is None or isinstance(content, (str, list))


FALLBACK_19 = (
    "## Historical Task Snapshot\nUser asked: 'x'\n\n## Goal\nRecovered from a deterministic fallback because ...\n\n"
    "## Critical Context\nSummary generation was unavailable, so this is a best-effort deterministic fallback for "
    "17 compacted message(s). Summary failure reason: boom."
)


@pytest.mark.parametrize(
    ("body", "fallback", "dropped"),
    [
        ("Summary generation was unavailable. 12 message(s) were removed to free space.", True, 12),
        (FALLBACK_19, True, 17),
        (FALLBACK_19.partition("## Critical")[0] + "x\n...[fallback summary truncated]", True, None),
        (f"{BODY}\nSummary generation was unavailable. 12 message(s) were removed", False, None),
        (FALLBACK_19.replace("## Critical Context\n", "## Critical Context\nNone.\n## Notes\n"), False, None),
    ],
)
def test_fallbacks(body: str, fallback: bool, dropped: int | None) -> None:
    found = read_handoff(f"{INSTRUCTIONS_19}\n{body}\n\n{END}")
    assert found is not None
    assert (found.body, found.fallback, found.dropped) == (body, fallback, dropped)
