"""Tokens by source."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from inspector.core.messages import Message
from inspector.core.rough import text_tokens
from inspector.quality.sources import source_shares


def said(role: str, text: str = "", **wire: Any) -> Message:
    return Message({"role": role, "content": text, **wire})


def call(number: int, name: str, arguments: str) -> dict[str, Any]:
    return {"id": str(number), "type": "function", "function": {"name": name, "arguments": arguments}}


def test_every_source_has_its_share() -> None:
    messages = [
        said("user", "u" * 40),
        said("assistant", "a" * 20, reasoning="r" * 80, tool_calls=[call(1, "read_file", '{"path": "src/a.py"}'),
             call(2, "terminal", "{}")]),
        said("tool", "f" * 400, tool_call_id="1"),
        said("tool", "t" * 200, tool_call_id="2"),
        said("tool", "x" * 4, tool_call_id="9", tool_name="other"),
        said("system", "s" * 8),
        said("user", [{"type": "text", "text": "look"}, {"type": "image_url"}]),  # type: ignore[arg-type]
    ]  # fmt: skip
    shares = {share.name: (share.tokens, share.messages) for share in source_shares(messages, "p" * 4_000)}
    assert shares == {
        "system prompt": (1_000, 1),
        "pictures": (1_500, 1),
        "files read": (100, 1),
        "tool terminal": (51, 2),
        "reasoning": (20, 1),
        "user": (11, 2),
        "agent": (5, 1),
        "tool read_file": (5, 1),
        "system messages": (2, 1),
        "tool other": (1, 1),
    }


@given(
    st.lists(st.tuples(st.sampled_from(["user", "assistant", "tool", "system", "odd"]), st.text(max_size=60)))
)
def test_shares_add_up_whatever_the_order(parts: list[tuple[str, str]]) -> None:
    messages = [said(role, text) for role, text in parts]
    shares = source_shares(messages)
    assert sum(share.tokens for share in shares) == sum(
        text_tokens(len(message.text)) for message in messages
    )
    assert source_shares(messages[::-1]) == shares
    assert list(shares) == sorted(shares, key=lambda share: -share.tokens) or len(
        {s.tokens for s in shares}
    ) < len(shares)
